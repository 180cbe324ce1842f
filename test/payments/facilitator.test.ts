import { HTTPFacilitatorClient } from '@x402/core/http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { challengeOf, type Entry, entryV2, header, newWallet, proofFor, richWallet, send } from './proofs.ts';
import { openShop, type Shop } from './shop.ts';

let shop: Shop;
let wallet: Awaited<ReturnType<typeof richWallet>>;
let entry: Entry;
let stock: HTTPFacilitatorClient;
beforeAll(async () => {
  shop = await openShop();
  wallet = await richWallet(shop, 100_000_000);
  entry = await challengeOf(shop);
  stock = new HTTPFacilitatorClient({ url: `${shop.url}/facilitator` });
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

const post = async (path: string, body: unknown) => {
  const text = JSON.stringify(body, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  const response = await fetch(`${shop.url}/facilitator/${path}`, { method: 'POST', body: text });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const payloadOf = async (payer = wallet, changes = {}) => {
  const { signature, authorization } = await proofFor(shop, payer, entry, changes);
  const { value, validAfter, validBefore, ...rest } = authorization;
  const text = { ...rest, value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` };
  return { signature, authorization: text };
};
const version1 = (payload: object) => ({ x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload });
const version2 = (payload: object) => ({ x402Version: 2, accepted: entryV2(entry), payload });

describe('the stock facilitator client', () => {
  test('reads what is supported', async () => {
    const { kinds } = await stock.getSupported();
    expect(kinds).toEqual([
      { x402Version: 1, scheme: 'exact', network: 'base-sepolia' },
      { x402Version: 2, scheme: 'exact', network: 'eip155:84532' },
    ]);
  });

  test('verifies and settles in version 1, and a second settlement is duplicate_settlement', async () => {
    const payload = version1(await payloadOf()) as never;
    const payer = wallet.address.toLowerCase();
    expect(await stock.verify(payload, entry as never)).toEqual({ isValid: true, payer });
    const settled = await stock.settle(payload, entry as never);
    expect(settled).toMatchObject({ success: true, payer, network: 'base-sepolia' });
    expect(settled.transaction).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await stock.settle(payload, entry as never)).toMatchObject({
      success: false,
      errorReason: 'duplicate_settlement',
    });
    expect(await stock.verify(payload, entry as never)).toMatchObject({
      isValid: false,
      invalidReason: 'duplicate_settlement',
    });
  });

  test('verifies and settles in version 2', async () => {
    const payload = version2(await payloadOf()) as never;
    expect(await stock.verify(payload, entryV2(entry) as never)).toMatchObject({ isValid: true });
    expect(await stock.settle(payload, entryV2(entry) as never)).toMatchObject({
      success: true,
      network: 'eip155:84532',
    });
  });

  test('gets a refusal as an answer, not as an error', async () => {
    const poor = version1(await payloadOf(newWallet())) as never;
    expect(await stock.verify(poor, entry as never)).toMatchObject({
      isValid: false,
      invalidReason: 'insufficient_funds',
    });
    expect(await stock.settle(poor, entry as never)).toMatchObject({
      success: false,
      errorReason: 'insufficient_funds',
      transaction: '',
    });
  });
});

describe('money that came through the facilitator', () => {
  test('buys exactly one job when the request is sent with the same proof', async () => {
    const proof = await proofFor(shop, wallet, entry);
    const settled = await post('settle', {
      x402Version: 1,
      paymentPayload: version1(proof),
      paymentRequirements: entry,
    });
    expect(settled.body).toMatchObject({ success: true });
    const before = shop.jobs();
    const body = { url: 'https://example.com/prepaid' };
    const answers = [await send(shop, header(proof), { body }), await send(shop, header(proof), { body })];
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(answers[0]?.body.jobId).toBe(answers[1]?.body.jobId);
    expect(shop.jobs().length).toBe(before.length + 1);
    expect((await send(shop, header(proof), { body: { url: 'https://example.com/other' } })).body.error).toBe(
      'duplicate_settlement',
    );
  });

  test('does not buy what costs more than was paid', async () => {
    const doc = await challengeOf(shop, 'extract/doc');
    const proof = await proofFor(shop, wallet, doc);
    await post('settle', { x402Version: 1, paymentPayload: version1(proof), paymentRequirements: doc });
    expect((await send(shop, header(proof))).body.error).toBe('invalid_exact_evm_payload_authorization_value');
    expect((await send(shop, header(proof), { operationId: 'extract/doc' })).status).toBe(202);
  });

  test('buys what it paid for when the price has risen since, however long ago', async () => {
    await using market = await openShop();
    const cheap = await challengeOf(market);
    const proof = await proofFor(market, await richWallet(market), cheap);
    const paymentPayload = JSON.parse(Buffer.from(header(proof), 'base64').toString()) as never;
    const facilitator = new HTTPFacilitatorClient({ url: `${market.url}/facilitator` });
    expect(await facilitator.settle(paymentPayload, cheap as never)).toMatchObject({ success: true });
    market.payments.prices.changeOperationPrice('crawl', { amount: 400_000, timeoutSeconds: 300 });
    market.clock.advance(600_000);
    expect((await send(market, header(proof))).status).toBe(202);
    const late = await proofFor(market, await richWallet(market), cheap);
    expect((await send(market, header(late))).status).toBe(402);
  });

  test('settled and asked for at the same time is still one payment and one job', async () => {
    const payer = await richWallet(shop, 300_000);
    const proof = await proofFor(shop, payer, entry);
    const body = { url: 'https://example.com/race' };
    const settle = { x402Version: 1, paymentPayload: version1(proof), paymentRequirements: entry };
    const answers = await Promise.all([
      send(shop, header(proof), { body }),
      post('settle', settle),
      send(shop, header(proof), { body }),
      post('settle', settle),
    ]);
    expect([answers[0].status, answers[2].status]).toEqual([202, 202]);
    expect(shop.jobs().filter(({ request }) => request.includes('race'))).toHaveLength(1);
  });
});

describe('the local facilitator refuses', () => {
  test('what cannot be read with 400 invalid_payload', async () => {
    for (const body of [
      {},
      [],
      null,
      { paymentPayload: {} },
      { paymentPayload: version1({}), paymentRequirements: entry },
    ]) {
      const verified = await post('verify', body);
      expect(verified).toEqual({ status: 400, body: { isValid: false, invalidReason: 'invalid_payload' } });
      expect((await post('settle', body)).status).toBe(400);
    }
    const response = await fetch(`${shop.url}/facilitator/verify`, { method: 'POST', body: '{"' });
    expect(response.status).toBe(400);
  });

  test('to work for any receiver, asset, network or scheme but ours', async () => {
    const paymentPayload = version1(await payloadOf());
    const ask = async (change: object) =>
      (await post('verify', { x402Version: 1, paymentPayload, paymentRequirements: { ...entry, ...change } })).body;
    expect(await ask({ payTo: newWallet().address })).toMatchObject({ invalidReason: 'invalid_payment_requirements' });
    expect(await ask({ asset: newWallet().address })).toMatchObject({ invalidReason: 'invalid_payment_requirements' });
    expect(await ask({ network: 'base' })).toMatchObject({ invalidReason: 'invalid_network' });
    expect(await ask({ maxAmountRequired: '139999' })).toMatchObject({ invalidReason: 'invalid_payment_requirements' });
    expect(await ask({ scheme: 'upto' })).toMatchObject({ invalidReason: 'unsupported_scheme' });
  });

  test('money for strangers from the demo wallet', async () => {
    const response = await post('pay', { ...entry, payTo: newWallet().address });
    expect(response.status).toBe(400);
  });

  test('numbers that no chain can hold, in what is to be paid and in a proof', async () => {
    const beyond = String(2n ** 256n);
    expect((await post('pay', { ...entry, maxAmountRequired: beyond })).status).toBe(400);
    expect((await post('pay', { ...entryV2(entry), amount: beyond })).status).toBe(400);
    const { signature, authorization } = await payloadOf();
    const paymentPayload = version1({ signature, authorization: { ...authorization, validBefore: beyond } });
    const request = { x402Version: 1, paymentPayload, paymentRequirements: entry };
    expect((await post('verify', request)).status).toBe(400);
    expect((await post('settle', request)).status).toBe(400);
  });
});

describe('the sandbox', () => {
  test('pays an entry of either version with the demo wallet, and the payload buys a job', async () => {
    const paid = await post('pay', entry);
    expect((await send(shop, String(paid.body.payload))).status).toBe(202);
    const paidV2 = await post('pay', entryV2(entry));
    const answer = await send(shop, String(paidV2.body.payload), { name: 'PAYMENT-SIGNATURE' });
    expect(answer.status).toBe(202);
  });

  test('keeps its demo wallet over a new start and never shows its key', async () => {
    const shown = await (await fetch(`${shop.url}/admin/sandbox`)).text();
    const { private_key: key, address } = shop.storage.db.queryOne(
      shop.storage.db.selectFrom('sandbox_wallets').selectAll(),
    );
    expect(shown).toContain(address);
    expect(shown).not.toContain(key.slice(2));
    expect(await shop.payments.wallets.demoAddress()).toBe(address);
  });

  test('gives play money up to a ceiling', async () => {
    const { address } = newWallet();
    expect((await post('faucet', { address })).body).toMatchObject({ balance: 100_000_000, demo: false });
    expect((await post('faucet', { address, amount: 5 })).body).toMatchObject({ balance: 100_000_005 });
    expect((await post('faucet', { address, amount: 10_000_000_001 })).status).toBe(400);
    expect((await post('faucet', { address, amount: -1 })).status).toBe(400);
    expect((await post('faucet', {})).body).toMatchObject({ demo: true });
  });
});
