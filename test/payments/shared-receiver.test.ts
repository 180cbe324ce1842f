/** Two servers that are paid at one address: each knows that a transfer it did not make may have bought a job elsewhere. */
import type { Address } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FixedPaymentSettings } from '../../src-server/features/payments/schema.ts';
import { chainMissing, type LocalChain, startChain } from '../harness/chain/chain.ts';
import { until } from '../harness/until.ts';
import { challengeOf, type Entry, header, newWallet, proofFor, send } from './proofs.ts';
import { draftOf, insertJob, openShop, type Shop } from './shop.ts';

const PRICE = 300_000n;

describe.skipIf(chainMissing !== null)('two servers with one receiver', () => {
  let chain: LocalChain;
  let payTo: Address;
  const shops: Shop[] = [];

  beforeAll(async () => {
    chain = await startChain({ domain: { name: 'USDC', version: '2' } });
  });
  afterAll(() => chain.stop());
  beforeEach(() => {
    payTo = newWallet().address;
  });
  afterEach(async () => {
    for (const shop of shops.splice(0).reverse()) await shop[Symbol.asyncDispose]();
  });

  const open = async (fixed: FixedPaymentSettings) => {
    const shop = await openShop({ fixed: { payTo, rpcUrl: chain.rpcUrl, ...fixed } });
    shops.push(shop);
    return shop;
  };
  const onchain = async (payToShared: boolean) => {
    const { key } = await chain.wallet({ coin: true });
    return open({ mode: 'onchain', privateKey: key, payToShared });
  };
  const payment = async (shop: Shop, entry: Entry) =>
    header(await proofFor(shop, await chain.wallet({ dollars: 10n * PRICE }), entry));
  /** The proof passes verification, then `meanwhile` happens, then it is settled. */
  const acceptAfter = async (shop: Shop, proof: string, meanwhile: () => Promise<unknown>) => {
    const reading = await shop.payments.readProof({ operationId: 'crawl' }, ['X-PAYMENT', proof]);
    if (reading.kind !== 'proof') throw new Error(`The proof is good, and not ${JSON.stringify(reading)}.`);
    await meanwhile();
    const draft = draftOf('crawl', shop.payments.payerOf(reading.proof), { name: 'x' });
    return shop.payments.acceptPayment(reading.proof, { requestHash: 'x', draft, insertJob, replay: () => 'kept' });
  };

  test('that say so: a proof that was settled by the one is refused by the other', async () => {
    const [one, other] = [await onchain(true), await onchain(true)];
    const proof = await payment(one, await challengeOf(one));
    expect((await send(one, proof)).status).toBe(202);
    expect(await send(other, proof)).toMatchObject({ status: 402, body: { error: 'duplicate_settlement' } });
    expect(other.jobs()).toEqual([]);
    expect((await send(one, proof)).status).toBe(202);
    expect(await chain.dollarsOf(payTo)).toBe(PRICE);
  });

  test('that say so: one proof at both at once is one payment and one job', async () => {
    const [one, other] = [await onchain(true), await onchain(true)];
    const proof = await payment(one, await challengeOf(one));
    await Promise.all([send(one, proof), send(other, proof)]);
    await until(async () => {
      for (const shop of [one, other]) await shop.payments.reconcilePayments(insertJob);
      const open = await Promise.all([one, other].map(async (shop) => (await shop.payments.settlementStatus()).open));
      return open.every((count) => count === 0);
    });
    expect([...one.jobs(), ...other.jobs()]).toHaveLength(1);
    expect(await chain.dollarsOf(payTo)).toBe(PRICE);
  });

  test('that do not say so: the transfer counts, as it does for a payer whom a stranger was faster than', async () => {
    const [one, other] = [await onchain(true), await onchain(false)];
    const proof = await payment(one, await challengeOf(one));
    expect((await send(one, proof)).status).toBe(202);
    expect((await send(other, proof)).status).toBe(202);
  });

  describe('and one facilitator', () => {
    const through = async (payToShared: boolean) => {
      const facilitator = await onchain(false);
      const facilitatorUrl = `${facilitator.url}/facilitator`;
      const both = { mode: 'facilitator' as const, facilitatorUrl, payToShared };
      return [await open(both), await open(both)] as const;
    };

    test('that say so: what it settled for the one between verification and settlement is refused', async () => {
      const [one, other] = await through(true);
      const proof = await payment(one, await challengeOf(one));
      const result = await acceptAfter(other, proof, async () => expect((await send(one, proof)).status).toBe(202));
      expect(result).toEqual({ kind: 'refused', code: 'duplicate_settlement' });
      expect(other.jobs()).toEqual([]);
    });

    test('that do not say so: the chain has the last word, and it says paid', async () => {
      const [one, other] = await through(false);
      const proof = await payment(one, await challengeOf(one));
      expect(await acceptAfter(other, proof, () => send(one, proof))).toMatchObject({ kind: 'accepted' });
    });
  });
});
