import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  challengeOf,
  decode,
  type Entry,
  entryV2,
  header,
  headerV2,
  highTwin,
  lowV,
  newWallet,
  proofFor,
  richWallet,
  send,
  sign,
} from './proofs.ts';
import { draftOf, insertJob, openShop, type Shop } from './shop.ts';

const DAY_MS = 86_400_000;

let shop: Shop;
let wallet: Awaited<ReturnType<typeof richWallet>>;
let entry: Entry;
beforeAll(async () => {
  shop = await openShop();
  wallet = await richWallet(shop, 100_000_000);
  entry = await challengeOf(shop);
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

const balanceOf = async (address: string) => {
  const { wallets } = (await (await fetch(`${shop.url}/admin/sandbox`)).json()) as {
    wallets: { address: string; balance: number }[];
  };
  return wallets.find((known) => known.address === address.toLowerCase())?.balance ?? 0;
};
const jobsBy = async (url: string) => shop.jobs().filter(({ request }) => request.includes(url));

describe('a paid request', () => {
  test('moves the money, makes one job and answers with the settlement record', async () => {
    const payer = await richWallet(shop, 1_000_000);
    const proof = await proofFor(shop, payer, entry);
    const received = await balanceOf(entry.payTo);
    const answer = await send(shop, header(proof));
    expect(answer.status).toBe(202);
    const job = shop.jobs().find(({ id }) => id === answer.body.jobId);
    expect(decode(answer.headers.get('x-payment-response'))).toEqual({
      success: true,
      transaction: `0x${createHash('sha256')
        .update(job?.payment_id ?? '')
        .digest('hex')}`,
      network: 'base-sepolia',
      payer: payer.address.toLowerCase(),
    });
    expect(await balanceOf(payer.address)).toBe(700_000);
    expect((await balanceOf(entry.payTo)) - received).toBe(300_000);
  });

  test('in version 2 is answered in version 2', async () => {
    const proof = await proofFor(shop, wallet, entry);
    const answer = await send(shop, headerV2(proof, entryV2(entry)), { name: 'PAYMENT-SIGNATURE' });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('x-payment-response')).toBeNull();
    expect(decode(answer.headers.get('payment-response'))).toMatchObject({ success: true, network: 'eip155:84532' });
  });

  test('stands in the ledger with challenge, payer, amount, nonce, transaction, job and times', async () => {
    const proof = await proofFor(shop, wallet, entry);
    const answer = await send(shop, header(proof));
    const page = (await (await fetch(`${shop.url}/admin/payments?limit=1`)).json()) as { payments: unknown[] };
    expect(page.payments[0]).toMatchObject({
      status: 'settled',
      mode: 'sandbox',
      operationId: 'crawl',
      jobId: answer.body.jobId,
      payer: wallet.address.toLowerCase(),
      amount: '300000',
      price: '300000',
      nonce: proof.authorization.nonce,
      network: 'base-sepolia',
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      challenge: entry,
      verifiedAt: expect.any(String),
      settledAt: expect.any(String),
    });
  });
});

describe('the same proof again', () => {
  test('with the same request gives the same job and receipt, and takes no more money', async () => {
    const payer = await richWallet(shop, 1_000_000);
    const payment = header(await proofFor(shop, payer, entry));
    const first = await send(shop, payment);
    const again = await send(shop, payment);
    expect(again.status).toBe(202);
    expect(again.body.jobId).toBe(first.body.jobId);
    expect(again.headers.get('x-payment-response')).toBe(first.headers.get('x-payment-response'));
    expect(await balanceOf(payer.address)).toBe(700_000);
  });

  test('still gives its job after its window has closed', async () => {
    const payment = header(await proofFor(shop, wallet, entry));
    const first = await send(shop, payment);
    shop.clock.advance(DAY_MS);
    expect((await send(shop, payment)).body.jobId).toBe(first.body.jobId);
    entry = await challengeOf(shop);
  });

  test('with another request or another route is duplicate_settlement, and nothing is done', async () => {
    const proof = await proofFor(shop, wallet, entry);
    await send(shop, header(proof), { body: { url: 'https://example.com/bound' } });
    const jobs = shop.jobs().length;
    const other = await send(shop, header(proof), { body: { url: 'https://example.com/other' } });
    expect(other).toMatchObject({ status: 402, body: { error: 'duplicate_settlement' } });
    const route = await send(shop, header(proof), {
      operationId: 'extract/doc',
      body: { url: 'https://example.com/bound' },
    });
    expect(route).toMatchObject({ status: 402, body: { error: 'duplicate_settlement' } });
    const v2 = await send(shop, headerV2(proof, entryV2(entry)), {
      name: 'PAYMENT-SIGNATURE',
      body: { url: 'https://example.com/other' },
    });
    expect(v2).toMatchObject({ status: 402, body: { error: 'duplicate_settlement' } });
    expect(shop.jobs().length).toBe(jobs);
  });

  test('in disguise is the same proof: high-s twin, v as 0 or 1, other case', async () => {
    const body = { url: 'https://example.com/twins' };
    const proof = await proofFor(shop, wallet, entry);
    const first = await send(shop, header(proof), { body });
    for (const twin of [highTwin(proof), lowV(proof), { ...proof, signature: upper(proof.signature) }]) {
      const again = await send(shop, header(twin), { body });
      expect(again).toMatchObject({ status: 202, body: { jobId: first.body.jobId } });
    }
    expect(await jobsBy('twins')).toHaveLength(1);
  });

  test('of another payment with the same nonce is refused', async () => {
    const body = { url: 'https://example.com/nonce' };
    const proof = await proofFor(shop, wallet, entry);
    await send(shop, header(proof), { body });
    const other = await sign(wallet, entry, { ...proof.authorization, value: 300_001n });
    expect((await send(shop, header(other), { body })).body.error).toBe('duplicate_settlement');
  });

  test('without its signature does not give away the job: a nonce that was seen on a chain opens nothing', async () => {
    const body = { url: 'https://example.com/secret' };
    const proof = await proofFor(shop, wallet, entry);
    await send(shop, header(proof), { body });
    const forged = await sign(newWallet(), entry, proof.authorization);
    expect((await send(shop, header(forged), { body })).body.error).toBe('invalid_exact_evm_payload_signature');
  });

  test('asks what to do about its job, and a free run is used once', async () => {
    const body = { url: 'https://example.com/rerun' };
    const payment = header(await proofFor(shop, wallet, entry));
    const { jobId = '' } = (await send(shop, payment, { body })).body;
    const asked = () => shop.replays.asked.at(-1);
    await send(shop, payment, { body });
    expect(asked()).toMatchObject({ jobId, rerunAllowed: false, draft: { request: body } });

    shop.storage.transaction((tx) => shop.payments.jobFailed(tx, jobId, 'source_unreachable'));
    await send(shop, payment, { body });
    expect(asked()).toMatchObject({ rerunAllowed: false });

    shop.storage.transaction((tx) => shop.payments.jobFailed(tx, jobId, 'engine_failed'));
    shop.replays.answer = 'rerun';
    await send(shop, payment, { body });
    expect(asked()).toMatchObject({ rerunAllowed: true });
    shop.replays.answer = 'kept';
    shop.storage.transaction((tx) => shop.payments.jobFailed(tx, jobId, 'engine_failed'));
    await send(shop, payment, { body });
    expect(asked()).toMatchObject({ rerunAllowed: false });
  });

  test('offers the free run for thirty days and no longer', async () => {
    const body = { url: 'https://example.com/late' };
    const payment = header(await proofFor(shop, wallet, entry));
    const { jobId = '' } = (await send(shop, payment, { body })).body;
    shop.storage.transaction((tx) => shop.payments.jobFailed(tx, jobId, 'internal'));
    shop.clock.advance(30 * DAY_MS - 60_000);
    await send(shop, payment, { body });
    expect(shop.replays.asked.at(-1)).toMatchObject({ rerunAllowed: true });
    shop.clock.advance(120_000);
    await send(shop, payment, { body });
    expect(shop.replays.asked.at(-1)).toMatchObject({ rerunAllowed: false });
    entry = await challengeOf(shop);
  });
});

describe('at the same time', () => {
  test('a hundred requests with one proof make one job and one payment', async () => {
    const payer = await richWallet(shop, 1_000_000);
    const body = { url: 'https://example.com/hundred' };
    const payment = header(await proofFor(shop, payer, entry));
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(shop, payment, { body })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map((answer) => answer.body.jobId)).size).toBe(1);
    expect(await jobsBy('hundred')).toHaveLength(1);
    expect(await balanceOf(payer.address)).toBe(700_000);
  });

  test('three equal and two other requests with one proof: three answers, two duplicate_settlement', async () => {
    const payment = header(await proofFor(shop, wallet, entry));
    const bodies = ['five-a', 'five-a', 'five-b', 'five-a', 'five-c'].map((name) => ({
      url: `https://x.test/${name}`,
    }));
    const answers = await Promise.all(bodies.map((body) => send(shop, payment, { body })));
    const paid = answers.filter(({ status }) => status === 202);
    const refused = answers.filter((answer) => answer.body.error === 'duplicate_settlement');
    expect(paid.length + refused.length).toBe(5);
    expect(new Set(paid.map((answer) => answer.body.jobId)).size).toBe(1);
    expect(await jobsBy('five-')).toHaveLength(1);
  });

  test('two proofs with the balance for one: one job, and the other is invalid_transaction_state', async () => {
    const payer = await richWallet(shop, 400_000);
    const checked = await Promise.all(
      [0, 1].map(async () => {
        const proof = await proofFor(shop, payer, entry);
        const reading = await shop.payments.readProof({ operationId: 'crawl' }, ['x-payment', header(proof)]);
        if (reading.kind !== 'proof') throw new Error('Both proofs are good while the money is there.');
        return reading.proof;
      }),
    );
    const answers = await Promise.all(
      checked.map((proof, index) => {
        const draft = draftOf('crawl', payer.address, { url: `https://x.test/two-${index}` });
        return shop.payments.acceptPayment(proof, { requestHash: `${index}`, draft, insertJob, replay: () => 'kept' });
      }),
    );
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['accepted', 'refused']);
    expect(answers).toContainEqual({ kind: 'refused', code: 'invalid_transaction_state' });
    expect(await jobsBy('two-')).toHaveLength(1);
    expect(await balanceOf(payer.address)).toBe(100_000);
  });
});

test('when the job cannot be inserted, the money is not taken and the proof stays good', async () => {
  const payer = await richWallet(shop, 1_000_000);
  const proof = await proofFor(shop, payer, entry);
  const reading = await shop.payments.readProof({ operationId: 'crawl' }, ['x-payment', header(proof)]);
  if (reading.kind !== 'proof') throw new Error('The proof is good.');
  const draft = draftOf('crawl', payer.address, { url: 'https://example.com' });
  const failing = { requestHash: 'x', draft, replay: () => 'kept' as const };
  await expect(
    shop.payments.acceptPayment(reading.proof, {
      ...failing,
      insertJob: () => {
        throw new Error('The disk is full.');
      },
    }),
  ).rejects.toThrow('The disk is full.');
  expect(await balanceOf(payer.address)).toBe(1_000_000);
  expect((await send(shop, header(proof))).status).toBe(202);
});

function upper(signature: `0x${string}`): `0x${string}` {
  return `0x${signature.slice(2).toUpperCase()}`;
}
