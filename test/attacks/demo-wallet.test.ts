/** Callers that pay with the sandbox's demo wallets share no account, although they all have one address here. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, type Client, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { postJson } from '../harness/text-models.ts';
import { entryOf, paid } from '../harness/wallets.ts';
import { decode } from '../payments/proofs.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

interface Signed {
  payload: string;
  wallet?: string;
}

/** Lets a demo wallet sign. @param wallet name of the one to use again. */
async function sign(client: Client, operationId: string, wallet?: string): Promise<Signed> {
  const request = postJson(await entryOf(appliance, operationId));
  const headers = { 'content-type': 'application/json', ...(wallet === undefined ? {} : { 'X-Demo-Wallet': wallet }) };
  const answer = await client('/facilitator/pay', { ...request, headers });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Signed;
}

const payerOf = ({ payload }: Signed) =>
  (decode(payload) as { payload: { authorization: { from: string } } }).payload.authorization.from;

async function extract(text: string, signed: Signed): Promise<void> {
  const body = { file: `data:text/plain;base64,${Buffer.from(text).toString('base64')}` };
  const accepted = await appliance.anonymous('/v1/extract/doc', paid(body, signed.payload));
  expect(accepted.status).toBe(202);
  const { jobId } = (await accepted.json()) as { jobId: string };
  expect((await finished(appliance.anonymous, jobId)).status).toBe('completed');
}

async function found(query: string, signed: Signed): Promise<string[]> {
  const body = { query, mode: 'lexical' };
  const answer = await appliance.anonymous('/v1/search', paid(body, signed.payload));
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { results: { text: string }[] }).results.map(({ text }) => text);
}

test('what one caller had extracted, no other finds, not even from the same address; the caller does', async () => {
  const mine = await sign(appliance.anonymous, 'extract/doc');
  await extract('The zeppelin is moored at Borkum.', mine);
  const { wallet } = mine;
  expect(wallet).toMatch(/^dwl_[\w-]{27}$/);
  await expect.poll(async () => found('zeppelin', await sign(appliance.anonymous, 'search', wallet))).toHaveLength(1);
  expect(await found('zeppelin', await sign(appliance.anonymous, 'search'))).toEqual([]);
  const another = (await sign(appliance.anonymous, 'search')).wallet;
  expect(await found('zeppelin', await sign(appliance.anonymous, 'search', another))).toEqual([]);
});

test("a stranger does not get the owner's demo wallet, and the owner has the same one each time", async () => {
  const owners = payerOf(await sign(appliance.owner, 'search'));
  expect(payerOf(await sign(appliance.owner, 'search'))).toBe(owners);
  const strange = await sign(appliance.anonymous, 'search');
  expect(payerOf(strange)).not.toBe(owners);
  const { wallets } = (await (await appliance.owner('/admin/sandbox')).json()) as { wallets: object[] };
  expect(wallets[0]).toMatchObject({ address: owners, demo: true });
  // The name itself is a secret.
  expect(JSON.stringify(wallets)).not.toContain(strange.wallet);
});

test('a wallet keeps its address and its money over a new start, and staging has others', async () => {
  const first = await sign(appliance.anonymous, 'search');
  const fill = async () => {
    const headers = { 'content-type': 'application/json', 'X-Demo-Wallet': first.wallet ?? '' };
    const answer = await appliance.anonymous('/facilitator/faucet', { ...postJson({ amount: 1 }), headers });
    return (await answer.json()) as { address: string; balance: number; demo: boolean };
  };
  expect(await fill()).toMatchObject({ address: payerOf(first), balance: 1_000_000_001, demo: true });
  await appliance.restart();
  expect(payerOf(await sign(appliance.anonymous, 'search', first.wallet))).toBe(payerOf(first));
  expect(await fill()).toMatchObject({ balance: 1_000_000_002 });
  const unpaid = await appliance.anonymous('/staging/v1/search', { method: 'POST' });
  const { accepts } = (await unpaid.json()) as { accepts: [object] };
  const headers = { 'content-type': 'application/json', 'X-Demo-Wallet': first.wallet ?? '' };
  const staged = await appliance.anonymous('/staging/facilitator/pay', { ...postJson(accepts[0]), headers });
  expect(payerOf((await staged.json()) as Signed)).not.toBe(payerOf(first));
});

test.each(['', 'owner', 'dwl_short', `dwl_${'a'.repeat(28)}`])(
  'no wallet is called %j: 400 names the header',
  async (name) => {
    const request = postJson(await entryOf(appliance, 'search'));
    const headers = { 'content-type': 'application/json', 'X-Demo-Wallet': name };
    const refused = await appliance.anonymous('/facilitator/pay', { ...request, headers });
    expect([refused.status, await refused.json()]).toMatchObject([400, { errors: [{ path: 'X-Demo-Wallet' }] }]);
  },
);
