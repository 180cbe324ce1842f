import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chainMissing, type LocalChain, startChain } from '../harness/chain/chain.ts';
import { until } from '../harness/until.ts';
import { startChild } from './crash-process.ts';
import { authorizationFor, challengeOf, type Entry, header, newWallet, proofFor, richWallet, sign } from './proofs.ts';
import { startRelay } from './relay.ts';
import { batchDraftOf, draftOf, insertOwed, openShop } from './shop.ts';

const PRICE = 300_000n;
const BLOCK_SECONDS = 2;

/** Where the process dies: at a transaction of its database, or at a call to the chain. */
type Step = { name: string; when: 'before' | 'after'; items?: number } & ({ transaction: number } | { method: string });

const STEPS: Step[] = [
  { name: 'while the reservation is written', transaction: 1, when: 'before' },
  { name: 'when it is reserved', transaction: 1, when: 'after' },
  { name: 'while the transfer is tried out', method: 'eth_call', when: 'after' },
  { name: 'before the number of the transaction is known', method: 'eth_getTransactionCount', when: 'before' },
  { name: 'while the signed transaction is written', transaction: 2, when: 'before' },
  { name: 'when it is signed and written', transaction: 2, when: 'after' },
  { name: 'before the broadcast reaches the chain', method: 'eth_sendRawTransaction', when: 'before' },
  { name: 'before the answer to the broadcast is read', method: 'eth_sendRawTransaction', when: 'after' },
  { name: 'while no block holds it yet', method: 'eth_getTransactionReceipt', when: 'after' },
  { name: 'while payment and job are written', transaction: 3, when: 'before' },
  { name: 'when payment and job are written', transaction: 3, when: 'after' },
  { name: 'while payment and batch are written', transaction: 3, when: 'before', items: 3 },
];

describe.skipIf(chainMissing !== null)('a process that is killed', () => {
  let chain: LocalChain;
  beforeAll(async () => {
    chain = await startChain({ blockTimeSeconds: BLOCK_SECONDS, domain: { name: 'USDC', version: '2' } });
  });
  afterAll(async () => {
    await chain.stop();
  });

  test.concurrent.each(STEPS)('$name leaves one payment and one job, or none of both', async (step) => {
    const folder = await mkdtemp(join(tmpdir(), 'quarry crash '));
    const relay = await startRelay(chain.rpcUrl);
    try {
      const signer = await chain.wallet({ coin: true });
      const payer = await chain.wallet({ dollars: 6n * PRICE });
      const payTo = newWallet().address;
      const { items } = step;
      const price = PRICE * BigInt(items ?? 1);
      const settings = { mode: 'onchain' as const, payTo, rpcUrl: relay.url, privateKey: signer.key };
      const entry = {
        payTo,
        asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
        extra: { name: 'USDC', version: '2' },
        maxAmountRequired: String(price),
        maxTimeoutSeconds: 300,
      } as Entry;
      const authorization = authorizationFor(entry, payer.address, performance.timeOrigin + performance.now());
      const payment = header(await sign(payer, entry, authorization));
      const request = { url: `https://x.test/${payTo}` };
      const path = join(folder, 'test.db');
      const end = 'transaction' in step ? { transaction: step.transaction, when: step.when } : null;
      const child = startChild({ path, settings, payment, request, end, ...(items === undefined ? {} : { items }) });
      if ('method' in step) killAt(relay, step, child.process);
      expect(await child.signal).toBe('SIGKILL');
      relay.before = () => 'forward';
      relay.after = () => 'forward';

      await using shop = await openShop({ path, fixed: settings });
      const open = () =>
        shop.storage.db.queryAll(shop.storage.db.selectFrom('payments').selectAll().where('status', '=', 'reserved'));
      await until(async () => {
        await shop.payments.reconcilePayments(insertOwed);
        return open().length === 0;
      });
      const jobs = shop.bought();
      const settled = shop.storage.db.queryAll(
        shop.storage.db.selectFrom('payments').selectAll().where('status', '=', 'settled'),
      );
      expect(settled.length).toBe(jobs.length);
      expect(await chain.dollarsOf(payTo)).toBe(BigInt(settled.length) * price);
      // Only a reservation that was never written may come to nothing.
      expect(jobs.length).toBe(step.name === 'while the reservation is written' ? 0 : 1);

      const reading = await shop.payments.readProof({ operationId: 'crawl', items }, ['X-PAYMENT', payment]);
      if (reading.kind !== 'proof') throw new Error(JSON.stringify(reading));
      const purchase = {
        requestHash: JSON.stringify(request),
        draft: items === undefined ? draftOf('crawl', payer.address, request) : batchDraftOf(payer.address, items),
        insertJob: insertOwed,
        replay: () => 'kept' as const,
      };
      const again = await shop.payments.acceptPayment(reading.proof, purchase);
      expect(again).toMatchObject({ kind: 'accepted', replayed: jobs.length === 1 });
      expect(shop.bought()).toHaveLength(1);
      expect(shop.batchItems()).toBe(items ?? 0);
      expect(await chain.dollarsOf(payTo)).toBe(price);
      expect(await chain.dollarsOf(payer.address)).toBe(6n * PRICE - price);
    } finally {
      await relay.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('a process of the sandbox that is killed', () => {
  test.each([
    { when: 'before' as const, jobs: 0 },
    { when: 'after' as const, jobs: 1 },
    { when: 'before' as const, jobs: 0, items: 3 },
    { when: 'after' as const, jobs: 1, items: 3 },
  ])('$when its one transaction is committed leaves $jobs payments and jobs', async ({ when, jobs, items }) => {
    const folder = await mkdtemp(join(tmpdir(), 'quarry crash '));
    try {
      const path = join(folder, 'test.db');
      const request = { url: 'https://example.com' };
      const payment = await (async () => {
        await using shop = await openShop({ path });
        const wallet = await richWallet(shop, 900_000);
        const entry = await challengeOf(shop);
        const amount = Number(PRICE) * (items ?? 1);
        return header(await proofFor(shop, wallet, { ...entry, maxAmountRequired: String(amount) }));
      })();
      const task = { path, settings: {}, payment, request, end: { transaction: 1, when } };
      const child = startChild({ ...task, ...(items === undefined ? {} : { items }) });
      expect(await child.signal).toBe('SIGKILL');
      await using shop = await openShop({ path });
      expect(shop.bought()).toHaveLength(jobs);
      expect(shop.batchItems()).toBe(jobs * (items ?? 0));
      const payments = shop.storage.db.queryAll(shop.storage.db.selectFrom('payments').select('status'));
      expect(payments.map(({ status }) => status)).toEqual(jobs === 1 ? ['settled'] : []);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** The relay kills the child at the first such call once it has something to lose: its own reservation. */
function killAt(
  relay: Awaited<ReturnType<typeof startRelay>>,
  step: { method: string; when: 'before' | 'after' },
  child: ChildProcess,
): void {
  let calls = 0;
  relay[step.when] = ({ method }) => {
    if (method !== step.method) return 'forward';
    calls += 1;
    // The first call of this kind verifies the proof; the second belongs to the settlement.
    if (step.method === 'eth_call' && calls === 1) return 'forward';
    child.kill('SIGKILL');
    return 'lose';
  };
}
