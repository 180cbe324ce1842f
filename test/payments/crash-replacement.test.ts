/** The process is killed while it sends a settlement again for a higher fee. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chainMissing, DOLLAR_ADDRESS, type LocalChain, startChain } from '../harness/chain/chain.ts';
import { until } from '../harness/until.ts';
import type { CrashTask } from './crash-child.ts';
import { startChild } from './crash-process.ts';
import { authorizationFor, type Entry, header, newWallet, sign } from './proofs.ts';
import { startRelay } from './relay.ts';
import { insertJob, openShop } from './shop.ts';

const PRICE = 300_000n;
/** Longer than a transaction may wait before it is sent again for a higher fee. */
const STUCK_MS = 31_000;
/** What blocks ask for by then: 5 gwei, more than was offered. */
const RISEN_FEE = `0x${(5n * 10n ** 9n).toString(16)}`;

/** Where the second process dies, the first having died with its transaction in the pool. */
const STEPS: { name: string; end: CrashTask['end'] }[] = [
  { name: 'while the new transaction is written', end: { transaction: 1, when: 'before' } },
  { name: 'when it is written and not sent', end: { transaction: 1, when: 'after' } },
  { name: 'when it is sent and its answer is not read', end: null },
];

describe.skipIf(chainMissing !== null)('a process that is killed while it replaces a settlement', () => {
  let chain: LocalChain;
  beforeAll(async () => {
    chain = await startChain({ domain: { name: 'USDC', version: '2' } });
  });
  afterAll(() => chain.stop());

  test.each(STEPS)('$name leaves one payment and one job', async ({ end }) => {
    await chain.client.setAutomine(true);
    const folder = await mkdtemp(join(tmpdir(), 'quarry crash '));
    const relay = await startRelay(chain.rpcUrl);
    try {
      const signer = await chain.wallet({ coin: true });
      const payer = await chain.wallet({ dollars: 2n * PRICE });
      const payTo = newWallet().address;
      const settings = { mode: 'onchain' as const, payTo, rpcUrl: relay.url, privateKey: signer.key };
      const terms = { payTo, asset: DOLLAR_ADDRESS, extra: { name: 'USDC', version: '2' } };
      const entry = { ...terms, maxAmountRequired: String(PRICE), maxTimeoutSeconds: 300 } as Entry;
      const authorization = authorizationFor(entry, payer.address, performance.timeOrigin + performance.now());
      const payment = header(await sign(payer, entry, authorization));
      const path = join(folder, 'test.db');
      await chain.client.setAutomine(false);
      const dieAt = async (task: Partial<CrashTask>, name: string, when: 'before' | 'after') => {
        const child = startChild({ path, settings, payment, request: { url: 'https://x.test/' }, end: null, ...task });
        relay[when] = (exchange) => {
          if (exchange.method !== name) return 'forward';
          child.process.kill('SIGKILL');
          return 'lose';
        };
        expect(await child.signal).toBe('SIGKILL');
        relay.before = () => 'forward';
        relay.after = () => 'forward';
      };
      await dieAt({}, 'eth_getTransactionReceipt', 'before');
      relay.instead = ({ method }) => (method === 'eth_maxPriorityFeePerGas' ? RISEN_FEE : undefined);
      await dieAt({ resumesAheadMs: STUCK_MS, end }, 'eth_sendRawTransaction', 'after');

      await using shop = await openShop({ path, fixed: settings });
      const statuses = () => shop.storage.db.queryAll(shop.storage.db.selectFrom('payments').select('status'));
      await until(async () => {
        await shop.payments.reconcilePayments(insertJob);
        await chain.client.mine({ blocks: 1 });
        return statuses().every(({ status }) => status !== 'reserved');
      });
      expect(statuses()).toEqual([{ status: 'settled' }]);
      expect(shop.jobs()).toHaveLength(1);
      expect(await chain.dollarsOf(payTo)).toBe(PRICE);
      expect(await chain.client.getTransactionCount({ address: signer.address })).toBe(1);
    } finally {
      await relay.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
