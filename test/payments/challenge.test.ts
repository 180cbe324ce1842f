import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { challengeOf, decode, entryV2, header, headerV2, proofFor, richWallet, send } from './proofs.ts';
import { OPERATIONS, openShop, type Shop } from './shop.ts';

const DAY_MS = 86_400_000;

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

/** So that no day begins while a test counts by days. */
const moveToNoon = ({ clock }: Shop) => clock.advance(DAY_MS - ((clock.now() + DAY_MS / 2) % DAY_MS));

const setPrice = (operationId: string, price: { amount: number; timeoutSeconds: number }) =>
  fetch(`${shop.url}/admin/prices/${operationId}`, { method: 'PUT', body: JSON.stringify(price) });

describe('the challenge', () => {
  test('is the specification to the letter, with error null', async () => {
    const { status, body } = await send(shop, null);
    expect(status).toBe(402);
    expect(body).toStrictEqual({
      x402Version: 1,
      accepts: [
        {
          scheme: 'exact',
          network: 'base-sepolia',
          maxAmountRequired: '300000',
          resource: 'POST /crawl',
          description: 'Crawl a page or sitemap',
          mimeType: 'application/json',
          payTo: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
          maxTimeoutSeconds: 300,
          asset: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
          extra: { name: 'USDC', version: '1' },
        },
      ],
      error: null,
    });
  });

  test('carries the version 2 challenge in a header and is never cached', async () => {
    const { headers } = await send(shop, null, { operationId: 'extract/doc' });
    const entry = await challengeOf(shop, 'extract/doc');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(decode(headers.get('payment-required'))).toStrictEqual({
      x402Version: 2,
      error: 'Payment required',
      resource: {
        url: `${shop.url}/v1/extract/doc`,
        description: 'Extract a document',
        mimeType: 'application/json',
      },
      accepts: [entryV2(entry)],
      extensions: { 'payment-identifier': expect.any(Object), 'offer-receipt': expect.any(Object) },
    });
  });

  test('gives a URL as resource to whoever prefers it, and to nobody else', async () => {
    const asked = await send(shop, null, { headers: { prefer: 'x402-resource=url' } });
    expect((asked.body as { accepts?: { resource: string }[] }).accepts?.[0]?.resource).toBe(`${shop.url}/v1/crawl`);
    expect((await challengeOf(shop)).resource).toBe('POST /crawl');
  });

  test('leaves the version 2 header out when the setting says so', async () => {
    await using other = await openShop({ fixed: { v2Header: false } });
    const { headers } = await send(other, null);
    expect(headers.get('payment-required')).toBeNull();
  });

  test('is counted per day, operation and error, and writes no row of the ledger', async () => {
    await using other = await openShop();
    moveToNoon(other);
    for (let answer = 0; answer < 25; answer += 1) await send(other, null);
    await send(other, 'nonsense');
    const summary = (await (await fetch(`${other.url}/admin/payments/summary`)).json()) as {
      challenges: { operationId: string; error: string | null; answers: number }[];
    };
    expect(summary.challenges.map(({ operationId, error, answers }) => ({ operationId, error, answers }))).toEqual([
      { operationId: 'crawl', error: null, answers: 25 },
      { operationId: 'crawl', error: 'invalid_payload', answers: 1 },
    ]);
    expect(other.storage.db.queryAll(other.storage.db.selectFrom('payments').selectAll())).toEqual([]);
  });
});

describe('an edited price', () => {
  test('is named by the next challenge, while a proof of the old one is honoured until its window closes', async () => {
    const wallet = await richWallet(shop);
    const old = await challengeOf(shop);
    const early = await proofFor(shop, wallet, old);
    const late = await proofFor(shop, wallet, old, { validBefore: 2n ** 40n });
    const lateV2 = await proofFor(shop, wallet, old, { validBefore: 2n ** 40n });
    const earlyV2 = await proofFor(shop, wallet, old);
    expect((await setPrice('crawl', { amount: 500_000, timeoutSeconds: 120 })).status).toBe(200);
    expect((await challengeOf(shop)).maxAmountRequired).toBe('500000');

    shop.clock.advance(290_000);
    const paid = await send(shop, header(early), { body: { url: 'https://example.com/early' } });
    expect(paid.status).toBe(202);
    const paidV2 = await send(shop, headerV2(earlyV2, entryV2(old)), {
      name: 'PAYMENT-SIGNATURE',
      body: { url: 'https://example.com/early-2' },
    });
    expect(paidV2.status).toBe(202);

    shop.clock.advance(20_000);
    const refused = await send(shop, header(late));
    expect(refused.body.error).toBe('invalid_exact_evm_payload_authorization_value');
    const refusedV2 = await send(shop, headerV2(lateV2, entryV2(old)), { name: 'PAYMENT-SIGNATURE' });
    expect(refusedV2.body.error).toBe('invalid_payment_requirements');
  });

  test('shows its history and what the operation declared, and survives a new start', async () => {
    await setPrice('extract/doc', { amount: 1000, timeoutSeconds: 60 });
    await setPrice('extract/doc', { amount: 2000, timeoutSeconds: 90 });
    const shown = (await (await fetch(`${shop.url}/admin/prices/extract/doc`)).json()) as Record<string, unknown>;
    expect(shown).toMatchObject({
      operationId: 'extract/doc',
      amount: 2000,
      timeoutSeconds: 90,
      declared: OPERATIONS[1]?.price,
      history: [
        { previousAmount: 140_000, previousTimeoutSeconds: 300, amount: 1000 },
        { previousAmount: 1000, previousTimeoutSeconds: 60, amount: 2000 },
      ],
    });
    const { PriceBook } = await import('../../src-server/features/payments/prices.ts');
    const reopened = PriceBook.openPriceBook(shop.storage, shop.clock, OPERATIONS);
    expect(reopened.currentPrice('extract/doc')).toEqual({ amount: 2000, timeoutSeconds: 90 });
  });

  test('is refused when it is no price, and for what is not sold', async () => {
    expect((await setPrice('crawl', { amount: 0, timeoutSeconds: 60 })).status).toBe(400);
    expect((await setPrice('crawl', { amount: 1.5, timeoutSeconds: 60 })).status).toBe(400);
    expect((await setPrice('crawl', { amount: 10, timeoutSeconds: 5 })).status).toBe(400);
    expect((await setPrice('sleep', { amount: 10, timeoutSeconds: 60 })).status).toBe(404);
  });
});

test('a summary counts settled payments by day, operation and payer', async () => {
  await using other = await openShop();
  moveToNoon(other);
  const wallet = await richWallet(other);
  const crawl = await challengeOf(other);
  const doc = await challengeOf(other, 'extract/doc');
  await send(other, header(await proofFor(other, wallet, crawl)));
  await send(other, header(await proofFor(other, wallet, doc)), { operationId: 'extract/doc' });
  other.clock.advance(DAY_MS);
  await send(other, header(await proofFor(other, wallet, crawl)));
  const sums = async (query = '') =>
    (await (await fetch(`${other.url}/admin/payments/summary${query}`)).json()) as Record<string, unknown>;
  const payer = wallet.address.toLowerCase();
  expect(await sums('?money=real')).toMatchObject({ money: 'real', total: { payments: 0, amount: '0' }, byDay: [] });
  expect(await sums()).toMatchObject({
    money: 'play',
    total: { payments: 3, amount: '740000' },
    byDay: [
      { payments: 2, amount: '440000' },
      { payments: 1, amount: '300000' },
    ],
    byOperation: [
      { operationId: 'crawl', payments: 2, amount: '600000' },
      { operationId: 'extract/doc', payments: 1, amount: '140000' },
    ],
    byPayer: [{ payer, payments: 3, amount: '740000' }],
  });
});
