/** A facilitator that nobody here wrote: it may answer anything, at any time, or not at all. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FixedPaymentSettings } from '../../src-server/features/payments/schema.ts';
import { createPayments } from '../../src-server/features/payments/service.ts';
import { SecretFile } from '../../src-server/platform/files/private-files.ts';
import { MINUTE_MS } from '../../src-server/platform/units.ts';
import { chainMissing, DOLLAR_ADDRESS, type LocalChain, startChain } from '../harness/chain/chain.ts';
import { callOf, challengeOf, decode, header, newWallet, proofFor, send } from './proofs.ts';
import { insertJob, OPERATIONS, openShop, type Shop } from './shop.ts';

const PAY_TO = '0x1111111111111111111111111111111111111111';
const HASH = `0x${'Ab'.repeat(32)}`;

interface Asked {
  url: string;
  authorization: string | undefined;
}
interface Scripted {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Answers as it is told, path by path; `silent` closes every connection without a word. */
async function startStranger() {
  const asked: Asked[] = [];
  const answers: Record<string, Scripted> = {
    supported: { body: { kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:84532' }] } },
    verify: { body: { isValid: true } },
    settle: { body: { success: true, transaction: HASH } },
  };
  const stranger = { url: '', asked, answers, silent: false, close: async () => {} };
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    for await (const _ of request);
    asked.push({ url: request.url ?? '', authorization: request.headers.authorization });
    if (stranger.silent) return void response.destroy();
    const path = new URL(request.url ?? '', 'http://x').pathname.split('/').at(-1) ?? '';
    const { status = 200, body = {}, headers = {} } = answers[path] ?? { status: 404 };
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The facilitator has no port.');
  stranger.url = `http://127.0.0.1:${address.port}`;
  stranger.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return stranger;
}

let stranger: Awaited<ReturnType<typeof startStranger>>;
const shops: Shop[] = [];
beforeEach(async () => {
  stranger = await startStranger();
});
afterEach(async () => {
  for (const shop of shops.splice(0)) await shop[Symbol.asyncDispose]();
  await stranger.close();
});

const open = async (fixed: FixedPaymentSettings = {}) => {
  const shop = await openShop({ fixed: { payTo: PAY_TO, ...fixed } });
  shops.push(shop);
  if (fixed.mode === undefined) {
    await shop.payments.changeSettings({ mode: 'facilitator', facilitatorUrl: stranger.url });
  }
  return shop;
};
const newPayment = async (shop: Shop) => header(await proofFor(shop, newWallet(), await challengeOf(shop)));
const pay = async (shop: Shop) => send(shop, await newPayment(shop));
const PAST_READINESS_MS = 6000;

describe('readiness', () => {
  test('ends when the facilitator goes away after it has answered once, and comes back with it', async () => {
    const shop = await open();
    expect(await shop.payments.settlementStatus()).toMatchObject({ ready: true });
    stranger.silent = true;
    shop.clock.advance(PAST_READINESS_MS);
    expect(await shop.payments.settlementStatus()).toMatchObject({ ready: false });
    stranger.silent = false;
    shop.clock.advance(PAST_READINESS_MS);
    expect(await shop.payments.settlementStatus()).toMatchObject({ ready: true });
  });

  test('says where a facilitator has moved to, and follows it with no payment', async () => {
    const shop = await open();
    stranger.answers.supported = { status: 308, headers: { location: 'https://elsewhere.test/facilitator/supported' } };
    const { ready, checks } = await shop.payments.settlementStatus();
    expect(ready).toBe(false);
    expect(checks[0]?.detail).toContain('points to https://elsewhere.test: set facilitatorUrl');
  });
});

describe('readiness says in words', () => {
  test.each([
    ['a page', { body: '<!doctype html>' }, 'facilitatorUrl is right'],
    ['JSON of something else', { body: { ok: true } }, 'facilitatorUrl is right'],
    ['a status', { status: 404 }, 'answered 404'],
    ['another network', { body: { kinds: [] } }, 'does not settle base-sepolia'],
  ])('what is wrong with an address that answers with %s', async (_, answer, words) => {
    const shop = await open();
    stranger.answers.supported = answer;
    const [check] = (await shop.payments.settlementStatus()).checks;
    expect(check).toMatchObject({ ok: false, detail: expect.stringContaining(words) });
    expect(check?.detail).not.toMatch(/[{[<]/);
  });

  test('that nobody is there', async () => {
    const shop = await open();
    await shop.payments.changeSettings({ facilitatorUrl: 'http://127.0.0.1:1/' });
    const [check] = (await shop.payments.settlementStatus()).checks;
    expect(check?.detail).toContain('cannot be reached');
  });
});

describe('an address of a facilitator with a password', () => {
  test('is asked with it as authorization, below its path and beside its query', async () => {
    const shop = await open();
    const facilitatorUrl = `${stranger.url.replace('//', '//me:pass%20word@')}/x402/?key=1`;
    await shop.payments.changeSettings({ facilitatorUrl });
    stranger.asked.splice(0);
    expect((await pay(shop)).status).toBe(202);
    const authorization = `Basic ${Buffer.from('me:pass word').toString('base64')}`;
    expect(stranger.asked).toEqual(
      ['supported', 'verify', 'settle'].map((path) => ({ url: `/x402/${path}?key=1`, authorization })),
    );
  });

  test('is never said to whoever asks whether the server is ready', async () => {
    const shop = await open();
    await shop.payments.changeSettings({ facilitatorUrl: stranger.url.replace('//', '//me:secret@') });
    for (const silent of [false, true]) {
      stranger.silent = silent;
      shop.clock.advance(PAST_READINESS_MS);
      expect(JSON.stringify(await shop.payments.settlementStatus())).not.toContain('secret');
    }
  });
});

describe('what it says of a settlement', () => {
  test('as transaction is handed on only where it is a hash', async () => {
    const shop = await open();
    const good = await pay(shop);
    expect(decode(good.headers.get('x-payment-response')).transaction).toBe(HASH.toLowerCase());
    for (const transaction of ['=HYPERLINK("https://x.test"),"\r\nx', `0x${'a'.repeat(40_000)}`, 7, undefined]) {
      stranger.answers.settle = { body: { success: true, transaction } };
      const answer = await send(shop, await newPayment(shop), { body: { transaction: String(transaction).length } });
      expect(answer.status).toBe(202);
      expect(decode(answer.headers.get('x-payment-response'))).toMatchObject({ success: true, transaction: '' });
    }
    const ledger = (await (await fetch(`${shop.url}/admin/payments`)).json()) as {
      payments: { transaction: unknown }[];
    };
    const transactions = ledger.payments.map(({ transaction }) => transaction);
    expect(transactions).toEqual([null, null, null, null, HASH.toLowerCase()]);
    const csv = await (await fetch(`${shop.url}/admin/payments.csv`)).text();
    expect(csv).not.toContain('HYPERLINK');
    expect(
      new Set(
        csv
          .trim()
          .split('\r\n')
          .map((line) => line.split(',').length),
      ).size,
    ).toBe(1);
  });
});

describe('a refusal that comes as an error', () => {
  test.each([400, 402, 412, 422])('with status %i is a refusal all the same', async (status) => {
    const shop = await open();
    stranger.answers.verify = { status, body: { isValid: false, invalidReason: 'insufficient_funds' } };
    expect(await pay(shop)).toMatchObject({ status: 402, body: { error: 'insufficient_funds' } });
    stranger.answers.verify = { body: { isValid: true } };
    stranger.answers.settle = { status, body: { success: false, errorReason: 'insufficient_funds' } };
    expect(await pay(shop)).toMatchObject({ status: 402, body: { error: 'insufficient_funds' } });
    expect(await shop.payments.settlementStatus()).toMatchObject({ open: 0 });
  });

  test.each([401, 403, 429, 500])('with status %i says nothing about the payment', async (status) => {
    const shop = await open();
    stranger.answers.verify = { status, body: { isValid: false, invalidReason: 'insufficient_funds' } };
    expect((await pay(shop)).status).toBe(503);
  });

  test('that says yes is none', async () => {
    const shop = await open();
    stranger.answers.verify = { status: 400, body: { isValid: true } };
    expect((await pay(shop)).status).toBe(503);
    expect(shop.jobs()).toEqual([]);
  });
});

test('one that a start without its settings left behind can be gone back to', async () => {
  const fixed = { mode: 'facilitator' as const, facilitatorUrl: stranger.url };
  const shop = await open(fixed);
  const payment = await newPayment(shop);
  stranger.answers.settle = { status: 500 };
  expect((await send(shop, payment)).status).toBe(503);
  stranger.answers.settle = { body: { success: true, transaction: HASH } };
  const again = await createPayments({
    storage: shop.storage,
    clock: shop.clock,
    keyFile: new SecretFile(shop.keyPath),
    offerKeyFile: new SecretFile(`${shop.keyPath}.offers`),
    environment: 'production',
    fixed: {},
    operations: OPERATIONS,
    baseUrl: () => `${shop.url}/v1`,
    log: { warn: () => {}, error: () => {} },
  });
  await again.reconcilePayments(insertJob);
  expect(await again.settlementStatus()).toMatchObject({ mode: 'sandbox', open: 1 });
  const rpcUrl = 'http://127.0.0.1:1/';
  const other = { mode: 'onchain' as const, payTo: PAY_TO, rpcUrl, privateKey: `0x${'4b'.repeat(32)}` };
  await expect(again.changeSettings(other)).rejects.toMatchObject({ code: 'conflict' });
  const elsewhere = again.changeSettings({ ...fixed, payTo: PAY_TO, network: 'base' });
  await expect(elsewhere).rejects.toMatchObject({ code: 'conflict' });
  expect(await again.changeSettings({ ...fixed, payTo: PAY_TO })).toMatchObject({ mode: 'facilitator' });
  await again.reconcilePayments(insertJob);
  expect(await again.settlementStatus()).toMatchObject({ open: 0 });
  expect(shop.jobs()).toHaveLength(1);
  await again.closePayments();
});

describe.skipIf(chainMissing !== null)('one that is gone for good', () => {
  let chain: LocalChain;
  beforeEach(async () => {
    chain = await startChain({ domain: { name: 'USDC', version: '2' } });
  });
  afterEach(() => chain.stop());

  /** A payment that was being settled when the facilitator fell silent. */
  const left = async () => {
    const shop = await open();
    const payer = await chain.wallet({ dollars: 300_000n });
    const proof = await proofFor(shop, payer, await challengeOf(shop));
    stranger.answers.settle = { status: 500 };
    expect((await send(shop, header(proof))).status).toBe(503);
    stranger.silent = true;
    return { shop, proof };
  };

  test('lets its owner go once the chain says that a payment it left can happen no more', async () => {
    const { shop, proof } = await left();
    const leave = () => shop.payments.changeSettings({ mode: 'sandbox' });
    await expect(leave()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('set rpcUrl') });
    await shop.payments.changeSettings({ rpcUrl: chain.rpcUrl });
    await shop.payments.reconcilePayments(insertJob);
    await expect(leave()).rejects.toMatchObject({ code: 'conflict' });
    await chain.client.setNextBlockTimestamp({ timestamp: proof.authorization.validBefore + BigInt(MINUTE_MS) });
    await chain.client.mine({ blocks: 1 });
    await shop.payments.reconcilePayments(insertJob);
    expect((await leave()).mode).toBe('sandbox');
    expect(shop.jobs()).toEqual([]);
  });

  test('and took the money before: the payer gets the job by the word of the chain', async () => {
    const { shop, proof } = await left();
    const hash = await chain.client.sendTransaction({ to: DOLLAR_ADDRESS, data: callOf(proof) });
    await chain.client.waitForTransactionReceipt({ hash });
    await shop.payments.changeSettings({ rpcUrl: chain.rpcUrl });
    await shop.payments.reconcilePayments(insertJob);
    expect(shop.jobs()).toHaveLength(1);
    expect(await shop.payments.settlementStatus()).toMatchObject({ open: 0 });
    expect((await send(shop, header(proof))).status).toBe(202);
  });
});
