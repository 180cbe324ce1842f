/**
 * A chain that takes blocks back, and one whose fees rise above what was offered: one payment and one job come of it, or
 * none of both, and nothing is concluded before the blocks that the setting asks for stand on it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Address, encodeFunctionData, type Hex, parseTransaction } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chainMissing, DOLLAR_ABI, DOLLAR_ADDRESS, type LocalChain, startChain } from '../harness/chain/chain.ts';
import { until } from '../harness/until.ts';
import {
  callOf,
  challengeOf,
  decode,
  type Entry,
  header,
  newWallet,
  proofFor,
  type SignedProof,
  send,
  sign,
} from './proofs.ts';
import { type Relay, startRelay } from './relay.ts';
import { insertJob, openShop, type Shop, type ShopOptions } from './shop.ts';

const PRICE = 300_000n;
const GWEI = 10n ** 9n;
/** Longer than a transaction may wait before it is sent again for a higher fee. */
const STUCK_MS = 31_000;

describe.skipIf(chainMissing !== null)('on a chain that is not steady', () => {
  let chain: LocalChain;
  let relay: Relay;
  let shop: Shop;
  let entry: Entry;
  let signer: Awaited<ReturnType<LocalChain['wallet']>>;
  let payer: Awaited<ReturnType<LocalChain['wallet']>>;
  let payTo: Address;

  beforeAll(async () => {
    chain = await startChain({ domain: { name: 'USDC', version: '2' } });
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: GWEI });
    await chain.client.setAutomine(true);
    relay = await startRelay(chain.rpcUrl);
    signer = await chain.wallet({ coin: true });
    payer = await chain.wallet({ dollars: 10n * PRICE });
    payTo = newWallet().address;
  });
  afterEach(async () => {
    relay.before = () => 'lose';
    await shop[Symbol.asyncDispose]();
    await relay.close();
  });

  const open = async (confirmations: number, more: ShopOptions = {}) => {
    const fixed = { mode: 'onchain' as const, payTo, rpcUrl: relay.url, privateKey: signer.key, confirmations };
    shop = await openShop({ fixed, ...more });
    entry = await challengeOf(shop);
  };
  /** From a key of its own, whose numbers nobody counts on when its block is taken back. */
  const submit = async (proof: SignedProof) => {
    const account = await chain.wallet({ coin: true });
    const hash = await chain.client.sendTransaction({ account, to: DOLLAR_ADDRESS, data: callOf(proof) });
    await chain.client.waitForTransactionReceipt({ hash });
    return hash;
  };
  const mine = (blocks = 1) => chain.client.mine({ blocks });
  /** The newest block becomes another one, without what was in it. */
  const takeBack = async () => {
    await chain.client.request({ method: 'anvil_reorg', params: [1, []] } as never);
  };
  const row = () => shop.storage.db.queryOne(shop.storage.db.selectFrom('payments').selectAll());
  const sentCount = () => chain.client.getTransactionCount({ address: signer.address });
  /** Sends a request whose settlement gets as far as the broadcast and learns no more. */
  const begin = async (proof: SignedProof) => {
    relay.before = ({ method }) => (method === 'eth_getTransactionReceipt' ? 'lose' : 'forward');
    expect((await send(shop, header(proof))).status).toBe(503);
    relay.before = () => 'forward';
    return row().transaction_hash as Hex;
  };
  /** Lets the server look again, until it has asked for receipts more than once and so has seen what there is. */
  const lookAgain = async () => {
    const asked = () => relay.asked.get('eth_getTransactionReceipt') ?? 0;
    const before = asked();
    await shop.payments.reconcilePayments(insertJob);
    await until(() => asked() >= before + 3);
  };
  const expectOneOfBoth = async () => {
    await until(async () => shop.jobs().length === 1);
    expect(row()).toMatchObject({ status: 'settled', replaced_transactions: null });
    expect(await chain.dollarsOf(payTo)).toBe(PRICE);
    expect(shop.payments.openDraftJobIds()).toEqual([]);
  };

  describe('when a block is taken back', () => {
    test('with our settlement in it, nothing is counted; it is sent again and counted once', async () => {
      await open(3);
      const proof = await proofFor(shop, payer, entry);
      const hash = await begin(proof);
      expect(await chain.dollarsOf(payTo)).toBe(PRICE);
      await chain.client.setAutomine(false);
      await takeBack();
      expect(await chain.dollarsOf(payTo)).toBe(0n);
      await lookAgain();
      expect(shop.jobs()).toEqual([]);
      expect(row().status).toBe('reserved');
      await mine();
      expect(await chain.dollarsOf(payTo)).toBe(PRICE);
      await mine();
      await until(async () => (relay.asked.get('eth_blockNumber') ?? 0) > 5);
      expect(shop.jobs()).toEqual([]);
      await mine();
      await expectOneOfBoth();
      expect(row().transaction_hash).toBe(hash);
      expect(await sentCount()).toBe(1);
      expect((await send(shop, header(proof))).status).toBe(202);
      expect(shop.jobs()).toHaveLength(1);
    });

    test('and the payer spends the authorization elsewhere in the new one, there is neither payment nor job', async () => {
      await open(3);
      const proof = await proofFor(shop, payer, entry);
      const hash = await begin(proof);
      await takeBack();
      await chain.client.dropTransaction({ hash });
      await submit(await sign(payer, entry, { ...proof.authorization, to: newWallet().address }));
      await mine(3);
      await shop.payments.reconcilePayments(insertJob);
      await until(async () => row().status === 'failed');
      expect(shop.jobs()).toEqual([]);
      expect(shop.payments.openDraftJobIds()).toEqual([]);
      expect(await chain.dollarsOf(payTo)).toBe(0n);
      expect((await send(shop, header(proof))).body.error).toBe('invalid_transaction_state');
    });

    test('that held the authorization spent elsewhere, the payment goes on: nothing was concluded from it', async () => {
      await open(3);
      const proof = await proofFor(shop, payer, entry);
      const hash = await begin(proof);
      await takeBack();
      await chain.client.dropTransaction({ hash });
      const burn = await submit(await sign(payer, entry, { ...proof.authorization, to: newWallet().address }));
      const pending = await send(shop, header(proof));
      expect(pending).toMatchObject({ status: 503, body: { code: 'settlement_pending' } });
      expect(row().status).toBe('reserved');
      await takeBack();
      await chain.client.dropTransaction({ hash: burn });
      await shop.payments.reconcilePayments(insertJob);
      await until(async () => (await chain.dollarsOf(payTo)) === PRICE);
      await mine(2);
      await expectOneOfBoth();
    });

    test("that held somebody else's transaction of the same proof, we send our own, and it pays once", {
      tags: ['long'],
    }, async () => {
      await open(3);
      const proof = await proofFor(shop, payer, entry);
      const theirs = await submit(proof);
      expect(await send(shop, header(proof))).toMatchObject({ status: 503, body: { code: 'settlement_pending' } });
      expect(await sentCount()).toBe(0);
      await takeBack();
      await chain.client.dropTransaction({ hash: theirs });
      expect(await chain.dollarsOf(payTo)).toBe(0n);
      await shop.payments.reconcilePayments(insertJob);
      await until(async () => (await chain.dollarsOf(payTo)) === PRICE);
      await mine(2);
      await expectOneOfBoth();
      expect(await sentCount()).toBe(1);
    });
  });

  describe('when fees rise above what was offered', () => {
    /** A settlement that no block takes. Once the base fee is above its own, the chain's node has thrown it away. */
    const stick = async (baseFeePerGas?: bigint) => {
      await chain.client.setAutomine(false);
      const proof = await proofFor(shop, payer, entry);
      const hash = await begin(proof);
      if (baseFeePerGas === undefined) relay.instead = ({ method }) => asksForMore(method);
      else {
        await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas });
        await mine();
      }
      expect(await chain.dollarsOf(payTo)).toBe(0n);
      shop.clock.advance(STUCK_MS);
      return { proof, hash };
    };
    /** What a chain says whose blocks are full, while the settlement still waits in its pool. */
    const asksForMore = (method: string) =>
      method === 'eth_maxPriorityFeePerGas' ? `0x${(5n * GWEI).toString(16)}` : undefined;
    const replaced = async (hash: Hex) => {
      await shop.payments.reconcilePayments(insertJob);
      await until(async () => row().transaction_hash !== hash);
      const { raw_transaction, replaced_transactions, transaction_hash } = row();
      const [former] = JSON.parse(replaced_transactions ?? '[]') as [Hex];
      await until(async () => (relay.asked.get('eth_sendRawTransaction') ?? 0) >= 2);
      return { newest: raw_transaction as Hex, former, newHash: transaction_hash as Hex };
    };

    test.each([
      ['waits in the pool', undefined, 0n],
      ['was thrown away by the node', 20n * GWEI, 17n * GWEI],
    ])(
      'and the settlement %s, it is sent again under its number for more, and pays once',
      async (_name, base, least) => {
        await open(1);
        const { proof, hash } = await stick(base);
        const { newest, former, newHash } = await replaced(hash);
        const [before, after] = [parseTransaction(former), parseTransaction(newest)];
        expect([after.nonce, after.to, after.data]).toEqual([before.nonce, before.to, before.data]);
        expect(after.maxFeePerGas).toBeGreaterThan(before.maxFeePerGas as bigint);
        expect(after.maxFeePerGas).toBeGreaterThan(least);
        expect(after.maxPriorityFeePerGas).toBeGreaterThan(before.maxPriorityFeePerGas as bigint);
        await mine();
        await expectOneOfBoth();
        expect(await sentCount()).toBe(1);
        const answer = await send(shop, header(proof));
        expect(decode(answer.headers.get('x-payment-response'))).toMatchObject({ success: true, transaction: newHash });
      },
    );

    test('and the former transaction is mined after all, that one counts', async () => {
      await open(1);
      const { proof, hash } = await stick();
      const { former, newHash } = await replaced(hash);
      await chain.client.dropTransaction({ hash: newHash });
      await chain.client.sendRawTransaction({ serializedTransaction: former });
      await mine();
      await expectOneOfBoth();
      const answer = await send(shop, header(proof));
      expect(decode(answer.headers.get('x-payment-response'))).toMatchObject({ success: true, transaction: hash });
      expect(await sentCount()).toBe(1);
    });

    test('and the process ends between writing the new transaction down and sending it, the next one sends it', async () => {
      const path = join(await mkdtemp(join(tmpdir(), 'quarry chain ')), 'test.db');
      await open(1, { path });
      const { hash } = await stick();
      relay.before = ({ method }) => (method === 'eth_sendRawTransaction' ? 'lose' : 'forward');
      await shop.payments.reconcilePayments(insertJob);
      await until(async () => row().transaction_hash !== hash);
      await shop[Symbol.asyncDispose]();
      relay.before = () => 'forward';
      await open(1, { path });
      await until(async () => (relay.asked.get('eth_sendRawTransaction') ?? 0) >= 3);
      await mine();
      await expectOneOfBoth();
      expect(await sentCount()).toBe(1);
      await rm(dirname(path), { recursive: true });
    });

    test('no further than to what the settlement offers, it is not replaced however long it waits', {
      tags: ['long'],
    }, async () => {
      await open(1);
      await chain.client.setAutomine(false);
      const hash = await begin(await proofFor(shop, payer, entry));
      shop.clock.advance(20 * STUCK_MS);
      await lookAgain();
      expect(row()).toMatchObject({ status: 'reserved', transaction_hash: hash, replaced_transactions: '[]' });
      await mine();
      await expectOneOfBoth();
    });

    test('and the owner has set another key meanwhile, that one sends it, and it pays once', {
      tags: ['long'],
    }, async () => {
      const path = join(await mkdtemp(join(tmpdir(), 'quarry chain ')), 'test.db');
      await open(1, { path });
      const { hash } = await stick();
      await chain.client.dropTransaction({ hash });
      await shop[Symbol.asyncDispose]();
      const former = signer;
      signer = await chain.wallet({ coin: true });
      await open(1, { path, clock: shop.clock });
      await replaced(hash);
      await mine();
      await expectOneOfBoth();
      expect(await sentCount()).toBe(1);
      expect(await chain.client.getTransactionCount({ address: former.address })).toBe(0);
      await rm(dirname(path), { recursive: true });
    });

    test('and nothing more can be sent, the payment stays open while what was sent may still be mined', {
      tags: ['long'],
    }, async () => {
      const path = join(await mkdtemp(join(tmpdir(), 'quarry chain ')), 'test.db');
      await open(1, { path });
      const { hash } = await stick();
      await chain.client.dropTransaction({ hash });
      const former = row().raw_transaction as Hex;
      await shop[Symbol.asyncDispose]();
      signer = await chain.wallet({ coin: true });
      await chain.client.setBalance({ address: payer.address, value: 10n ** 18n });
      const args = [newWallet().address, 10n * PRICE] as const;
      const call = encodeFunctionData({ abi: DOLLAR_ABI, functionName: 'transfer', args });
      await chain.client.sendTransaction({ account: payer, to: DOLLAR_ADDRESS, data: call });
      await mine();
      const asked = () => relay.asked.get('eth_getTransactionCount') ?? 0;
      const before = asked();
      await open(1, { path, clock: shop.clock });
      // The numbers are asked for twice: whether there is something to go on with, and whether it can be given up.
      await until(() => asked() >= before + 2);
      await shop.payments.reconcilePayments(insertJob);
      expect(row().status).toBe('reserved');
      await chain.client.setAutomine(true);
      await chain.mint(payer.address, PRICE);
      await chain.client.sendRawTransaction({ serializedTransaction: former });
      await until(async () => {
        await shop.payments.reconcilePayments(insertJob);
        return shop.jobs().length === 1;
      });
      await expectOneOfBoth();
      await rm(dirname(path), { recursive: true });
    });

    test('beyond the ceiling nothing is sent, the proof is not spent, and it pays once they have fallen', async () => {
      await open(1);
      const proof = await proofFor(shop, payer, entry);
      await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 60n * GWEI });
      await mine();
      const away = await send(shop, header(proof));
      expect(away).toMatchObject({ status: 503, body: { code: 'unexpected_settle_error' } });
      expect(relay.asked.get('eth_sendRawTransaction')).toBeUndefined();
      await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: GWEI });
      await mine();
      expect((await send(shop, header(proof))).status).toBe(202);
      await expectOneOfBoth();
    });

    test('until the authorization has expired, it comes to nothing, and leaves no gap in the numbers of the key', {
      tags: ['long'],
    }, async () => {
      await open(1);
      await stick(20n * GWEI);
      await chain.client.increaseTime({ seconds: 600 });
      await mine();
      await shop.payments.reconcilePayments(insertJob);
      await until(async () => row().status === 'failed');
      expect(shop.jobs()).toEqual([]);
      expect(await chain.dollarsOf(payTo)).toBe(0n);
      await chain.client.setAutomine(true);
      shop.clock.advance(600_000);
      expect((await send(shop, header(await proofFor(shop, payer, entry)))).status).toBe(202);
      expect(await chain.dollarsOf(payTo)).toBe(PRICE);
    });
  });
});
