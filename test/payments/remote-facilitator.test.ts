import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../harness/until.ts';
import {
  challengeOf,
  decode,
  type Entry,
  entryV2,
  header,
  headerV2,
  newWallet,
  proofFor,
  richWallet,
  send,
} from './proofs.ts';
import { type Relay, startRelay } from './relay.ts';
import { draftOf, insertJob, openShop, type Shop } from './shop.ts';

/** The remote is another appliance's facilitator, in its sandbox: real HTTP, real signatures, play money. */
describe('settlement through a remote facilitator', () => {
  let remote: Shop;
  let relay: Relay;
  let shop: Shop;
  let entry: Entry;
  let wallet: Awaited<ReturnType<typeof richWallet>>;

  beforeEach(async () => {
    remote = await openShop();
    relay = await startRelay(`${remote.url}/facilitator`);
    const { terms } = remote.payments.settlementSettings();
    shop = await openShop({
      fixed: {
        mode: 'facilitator',
        facilitatorUrl: relay.url,
        payTo: terms.payTo,
        asset: terms.asset,
        extra: terms.extra,
      },
    });
    entry = await challengeOf(shop);
    wallet = await richWallet(remote);
  });
  afterEach(async () => {
    await shop[Symbol.asyncDispose]();
    await relay.close();
    await remote[Symbol.asyncDispose]();
  });

  const balance = async () =>
    (await remote.payments.wallets.richestSandboxWallets()).find((one) => one.address === wallet.address.toLowerCase())
      ?.balance;

  test('verifies and settles there, in either version, and says so to the owner', async () => {
    expect(await shop.payments.settlementStatus()).toMatchObject({ mode: 'facilitator', ready: true });
    const answer = await send(shop, header(await proofFor(shop, wallet, entry)));
    expect(answer.status).toBe(202);
    const [payment] = remote.storage.db.queryAll(remote.storage.db.selectFrom('payments').selectAll());
    expect(decode(answer.headers.get('x-payment-response')).transaction).toBe(payment?.transaction_hash);
    const proof = await proofFor(shop, wallet, entry);
    const version2 = await send(shop, headerV2(proof, entryV2(entry)), { name: 'PAYMENT-SIGNATURE', body: { a: 1 } });
    expect(version2.status).toBe(202);
    expect(await balance()).toBe(10_000_000 - 2 * 300_000);
  });

  test('passes its refusals on as codes', async () => {
    const answer = await send(shop, header(await proofFor(shop, newWallet(), entry)));
    expect(answer).toMatchObject({ status: 402, body: { error: 'insufficient_funds' } });
  });

  test('that cannot be reached is 503, the proof is not spent, and readiness says it', async () => {
    const payment = header(await proofFor(shop, wallet, entry));
    relay.before = () => 'lose';
    expect(await send(shop, payment)).toMatchObject({ status: 503, body: { code: 'unexpected_verify_error' } });
    expect((await shop.payments.settlementStatus()).ready).toBe(false);
    relay.before = () => 'forward';
    expect((await send(shop, payment)).status).toBe(202);
  });

  test('whose answer to a settlement is lost: the payer pays once and gets the job', async () => {
    const payment = header(await proofFor(shop, wallet, entry));
    relay.after = ({ method }) => (method === '/settle' ? 'lose' : 'forward');
    expect(await send(shop, payment)).toMatchObject({ status: 503, body: { code: 'unexpected_settle_error' } });
    expect(shop.jobs()).toHaveLength(0);
    expect(await balance()).toBe(10_000_000 - 300_000);
    relay.after = () => 'forward';
    expect((await send(shop, payment)).status).toBe(202);
    expect(shop.jobs()).toHaveLength(1);
    expect(await balance()).toBe(10_000_000 - 300_000);
  });

  test('whose answer is lost while the payer is away: the job is made all the same', async () => {
    relay.after = ({ method }) => (method === '/settle' ? 'lose' : 'forward');
    await send(shop, header(await proofFor(shop, wallet, entry)));
    relay.after = () => 'forward';
    await shop.payments.reconcilePayments(insertJob);
    await until(async () => shop.jobs().length === 1);
  });

  test('that says duplicate_settlement at once is a refusal: somebody else was paid with it', async () => {
    const proof = await proofFor(shop, wallet, entry);
    const checked = await shop.payments.readProof({ operationId: 'crawl' }, ['x-payment', header(proof)]);
    if (checked.kind !== 'proof') throw new Error('The proof is good.');
    await fetch(`${remote.url}/facilitator/settle`, {
      method: 'POST',
      body: JSON.stringify({
        x402Version: 1,
        paymentPayload: JSON.parse(Buffer.from(header(proof), 'base64').toString()),
        paymentRequirements: entry,
      }),
    });
    const answer = await send(shop, header(proof));
    expect(answer.body.error).toBe('duplicate_settlement');
    expect(shop.jobs()).toHaveLength(0);
  });

  test('is not asked to settle a proof that expired while its request arrived; one settled before still buys', async () => {
    const proof = await proofFor(shop, wallet, entry);
    const reading = await shop.payments.readProof({ operationId: 'crawl' }, ['x-payment', header(proof)]);
    if (reading.kind !== 'proof') throw new Error('The proof is good.');
    const early = await proofFor(shop, wallet, entry);
    const paymentPayload = JSON.parse(Buffer.from(header(early), 'base64').toString());
    const body = JSON.stringify({ x402Version: 1, paymentPayload, paymentRequirements: entry });
    expect((await fetch(`${shop.url}/facilitator/settle`, { method: 'POST', body })).status).toBe(200);
    const settled = relay.asked.get('/settle');
    shop.clock.advance(10 * 60_000);
    const draft = draftOf('crawl', shop.payments.payerOf(reading.proof), {});
    const purchase = { requestHash: 'x', draft, insertJob, replay: () => 'kept' as const };
    const code = 'invalid_exact_evm_payload_authorization_valid_before';
    expect(await shop.payments.acceptPayment(reading.proof, purchase)).toEqual({ kind: 'refused', code });
    expect(relay.asked.get('/settle')).toBe(settled);
    expect((await send(shop, header(early))).status).toBe(202);
  });

  test('cannot be left while a payment is open there', async () => {
    relay.after = ({ method }) => (method === '/settle' ? 'lose' : 'forward');
    await send(shop, header(await proofFor(shop, wallet, entry)));
    await expect(shop.payments.changeSettings({ network: 'base' })).rejects.toMatchObject({ code: 'conflict' });
    expect((await shop.payments.changeSettings({ confirmations: 2 })).confirmations).toBe(2);
  });
});
