/** Plans and paid requests: the window of the payer governs once the proof verifies, the sender's before that. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { steeredOperations } from '../harness/sample-operations.ts';
import { postJson } from '../harness/text-models.ts';
import { type Customer, entryOf, newCustomer, paid } from '../harness/wallets.ts';
import type { Entry } from '../payments/proofs.ts';

const OPERATION = 'test/echo';
const AT_ONCE = 10;

let appliance: Appliance;
let entry: Entry;
let sent: number;

beforeEach(async () => {
  sent = 0;
  appliance = await startAppliance({ operations: steeredOperations().operations });
  // A window lasts a minute, which hundreds of requests may take.
  appliance.clock.stand();
  entry = await entryOf(appliance, OPERATION);
});
afterEach(() => appliance.close());

type Plan = { plan: 'production' } | { plan: 'enterprise'; requestsPerMinute: number; concurrency: number };

async function setPlan(accountId: string, plan: Plan): Promise<void> {
  const path = `/admin/accounts/${encodeURIComponent(accountId)}/plan`;
  const given = await appliance.owner(path, { ...postJson(plan), method: 'PUT' });
  expect(given.status).toBe(200);
}

const perMinute = (requestsPerMinute: number): Plan => ({ plan: 'enterprise', requestsPerMinute, concurrency: 30 });

function nextNumber(): number {
  sent += 1;
  return sent;
}

/** One request of its own, with a proof. */
function send(proof: string, label = `request ${nextNumber()}`): Promise<Response> {
  return appliance.anonymous(`/v1/${OPERATION}`, paid({ label }, proof));
}

const buy = async (customer: Customer): Promise<Response> => send(await customer.proofOf(entry));

/** How often each status came, and the last answer. */
async function many(times: number, one: () => Promise<Response>): Promise<Record<number, number>> {
  const seen: Record<number, number> = {};
  for (let begun = 0; begun < times; begun += AT_ONCE) {
    const length = Math.min(AT_ONCE, times - begun);
    for (const answer of await Promise.all(Array.from({ length }, one))) {
      await answer.arrayBuffer();
      seen[answer.status] = (seen[answer.status] ?? 0) + 1;
    }
  }
  return seen;
}

const policyOf = (answer: Response) => answer.headers.get('ratelimit-policy');

async function addressAccount(): Promise<string> {
  const { usage } = (await (await appliance.owner('/admin/limits')).json()) as { usage: { accountId: string }[] };
  const address = usage.find(({ accountId }) => accountId.startsWith('ip:'));
  if (address === undefined) throw new Error('No address is in the window.');
  return address.accountId;
}

async function passedOf(account: string): Promise<number | undefined> {
  const { usage } = (await (await appliance.owner('/admin/limits')).json()) as {
    usage: { accountId: string; requestsPassed: number }[];
  };
  return usage.find(({ accountId }) => accountId === account)?.requestsPassed;
}

test('a wallet with 2 requests a minute makes 2; the third says when, and its proof is not spent', async () => {
  const slow = await newCustomer(appliance);
  await setPlan(slow.accountId, perMinute(2));
  expect(await many(2, () => buy(slow))).toEqual({ 200: 2 });
  const proof = await slow.proofOf(entry);
  const refused = await send(proof, 'the third');
  expect([refused.status, policyOf(refused)]).toEqual([429, '"default";q=2;w=60']);
  expect(refused.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
  expect(refused.headers.get('content-type')).toBe('application/problem+json');
  expect(await many(9, () => buy(slow))).toEqual({ 429: 9 });

  const waitSeconds = Number(refused.headers.get('retry-after'));
  expect(waitSeconds).toBeGreaterThan(0);
  const ledger = (await (await appliance.owner('/admin/payments')).json()) as { payments: object[] };
  expect(ledger.payments).toHaveLength(2);
  appliance.clock.advance(waitSeconds * 1000);
  const passed = await send(proof, 'the third');
  expect([passed.status, policyOf(passed)]).toEqual([200, '"default";q=2;w=60']);
});

test('a production wallet makes 700 of 700, and the address they come from has its own window left', async () => {
  const large = await newCustomer(appliance);
  await setPlan(large.accountId, { plan: 'production' });
  const before = await passedOf(await addressAccount());
  expect(await many(700, () => buy(large))).toEqual({ 200: 700 });
  expect(await passedOf(large.accountId)).toBe(700);
  expect(await passedOf(await addressAccount())).toBe(before);
  const answer = await buy(large);
  expect([policyOf(answer), answer.headers.get('ratelimit')]).toEqual(['"default";q=2400;w=60', expect.any(String)]);
});

test('unpaid requests of an address that is over its limit keep no paid one out', async () => {
  const customer = await newCustomer(appliance);
  await setPlan(await addressAccount(), perMinute(3));
  await many(5, () => appliance.anonymous(`/v1/${OPERATION}`, { method: 'POST' }));
  expect((await appliance.anonymous(`/v1/${OPERATION}`, { method: 'POST' })).status).toBe(429);
  const answer = await buy(customer);
  expect([answer.status, policyOf(answer)]).toEqual([200, '"default";q=600;w=60']);
});

test('proofs that do not verify count for the address, and end in 429', async () => {
  const customer = await newCustomer(appliance);
  const address = await addressAccount();
  const room = 4;
  const before = (await passedOf(address)) ?? 0;
  await setPlan(address, perMinute(before + room));
  const good = await customer.proofOf(entry);
  const fields = JSON.parse(Buffer.from(good, 'base64').toString()) as { payload: { signature: string } };
  fields.payload.signature = `0x${'11'.repeat(64)}1b`;
  const bad = Buffer.from(JSON.stringify(fields)).toString('base64');
  expect(await many(room + 6, () => send(bad))).toEqual({ 402: room, 429: 6 });
  expect(await passedOf(customer.accountId)).toBeUndefined();
  const refused = await send(bad);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await passedOf(address)).toBe(before + room);
});

test('once an address has sent as many worthless proofs as its plan allows, no more are verified', async () => {
  const customer = await newCustomer(appliance);
  const address = await addressAccount();
  await setPlan(address, perMinute(3));
  const good = await customer.proofOf(entry);
  expect(await many(3, () => send('bm90IGEgcHJvb2Y='))).toMatchObject({ 429: expect.any(Number) });
  const refused = await send(good, 'good');
  expect([refused.status, policyOf(refused)]).toEqual([429, '"default";q=3;w=60']);
  appliance.clock.advance(60_000);
  expect((await send(good, 'good')).status).toBe(200);
});

test('a proof that a stranger has read and sends again uses up the window of the stranger', async () => {
  const payer = await newCustomer(appliance);
  await setPlan(payer.accountId, perMinute(2));
  const proof = await payer.proofOf(entry);
  expect((await send(proof, 'bought')).status).toBe(200);
  const replayed = await send(proof, 'bought');
  expect([replayed.status, policyOf(replayed)]).toEqual([200, '"default";q=600;w=60']);
  expect(await many(5, () => send(proof))).toEqual({ 402: 5 });
  expect(await passedOf(payer.accountId)).toBe(1);
  expect((await buy(payer)).status).toBe(200);
});

test('the plan of a wallet is set where wallets that paid are listed', async () => {
  const customer = await newCustomer(appliance);
  expect((await buy(customer)).status).toBe(200);
  const { accounts } = (await (await appliance.owner('/admin/accounts?kind=wallet')).json()) as {
    accounts: { accountId: string; plan: object }[];
  };
  expect(accounts).toMatchObject([{ accountId: customer.accountId, plan: { plan: 'studio' } }]);
  await setPlan(customer.accountId, perMinute(1));
  expect((await buy(customer)).status).toBe(429);
});
