import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { PaymentChallenge } from '../../src-server/features/payments/schema.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { type SteeredOperations, steeredOperations } from '../harness/sample-operations.ts';
import { until } from '../harness/until.ts';
import { authorizationFor, type Entry, header, newWallet, sign } from '../payments/proofs.ts';

let steered: SteeredOperations;
let appliance: Appliance;
beforeAll(async () => {
  steered = steeredOperations();
  appliance = await startAppliance({ operations: steered.operations });
});
afterAll(() => appliance.close());

const JSON_BODY = { 'content-type': 'application/json' };
const JOBS_EACH = 12;
const STUDIO_CONCURRENCY = 10;

type Wallet = ReturnType<typeof newWallet>;

async function richWallet(): Promise<Wallet> {
  const wallet = newWallet();
  const body = JSON.stringify({ address: wallet.address, amount: 1_000_000 });
  const answer = await appliance.anonymous('/facilitator/faucet', { method: 'POST', headers: JSON_BODY, body });
  expect(answer.status).toBe(200);
  return wallet;
}

/** Challenge, payment, and the same request again: what a payer does. */
async function pay(wallet: Wallet, label: string): Promise<Job> {
  const init = { method: 'POST', headers: JSON_BODY, body: JSON.stringify({ label }) };
  const challenge = (await (await appliance.anonymous('/v1/test/held', init)).json()) as PaymentChallenge;
  const entry = challenge.accepts[0] as Entry;
  const authorization = authorizationFor(entry, wallet.address, appliance.clock.now());
  const proof = await sign(wallet, entry, authorization);
  const headers = { ...JSON_BODY, 'x-payment': header(proof) };
  const answer = await appliance.anonymous('/v1/test/held', { ...init, headers });
  expect(answer.status).toBe(202);
  return (await answer.json()) as Job;
}

const statusOf = async ({ jobId }: Job) => ((await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Job).status;

test('ten jobs of one account run at once, the others wait, and another account is not delayed by them', async () => {
  const [many, single] = [await richWallet(), await richWallet()];
  const jobs: Job[] = [];
  for (let n = 0; n < JOBS_EACH; n++) jobs.push(await pay(many, `many ${n}`));
  await until(() => steered.runs.length === STUDIO_CONCURRENCY);
  const other = await pay(single, 'single');
  await until(() => steered.runs.includes('single'));
  expect(await statusOf(other)).toBe('processing');
  const statuses = await Promise.all(jobs.map(statusOf));
  expect(statuses.filter((status) => status === 'processing')).toHaveLength(STUDIO_CONCURRENCY);
  expect(statuses.filter((status) => status === 'queued')).toHaveLength(JOBS_EACH - STUDIO_CONCURRENCY);

  // One that ends makes room for one that waits, and for no more.
  steered.release('many 0');
  await until(() => steered.runs.length === STUDIO_CONCURRENCY + 2);
  expect(await finished(appliance.owner, jobs[0]?.jobId ?? '')).toMatchObject({ status: 'completed' });
  for (const label of [...Array.from({ length: JOBS_EACH }, (_, n) => `many ${n}`), 'single']) {
    await until(() => steered.runs.includes(label));
    steered.release(label);
  }
  for (const job of [...jobs, other]) expect((await finished(appliance.owner, job.jobId)).status).toBe('completed');
});

test('jobs of a payer go on after a restart, though nobody calls', async () => {
  const wallet = await richWallet();
  const labels = ['first', 'second', 'third'];
  const jobs: Job[] = [];
  for (const label of labels) jobs.push(await pay(wallet, label));
  await until(() => labels.every((label) => steered.runs.includes(label)));
  const runsBefore = steered.runs.length;
  await appliance.restart();
  await until(() => steered.runs.length === runsBefore + labels.length);
  for (const label of labels) steered.release(label);
  for (const job of jobs) expect((await finished(appliance.owner, job.jobId)).status).toBe('completed');
});

test('jobs of a blocked account wait, others run, and they start when it has a plan again', async () => {
  const [wallet, other] = [await richWallet(), await richWallet()];
  const setPlan = async (plan: object) => {
    const init = { method: 'PUT', headers: JSON_BODY, body: JSON.stringify(plan) };
    expect((await appliance.owner(`/admin/accounts/${wallet.address.toLowerCase()}/plan`, init)).status).toBe(200);
  };
  await setPlan({ plan: 'enterprise', requestsPerMinute: 100, concurrency: 1 });
  const running = await pay(wallet, 'runs');
  await until(() => steered.runs.includes('runs'));
  const waiting = await pay(wallet, 'waits');
  await setPlan({ plan: 'blocked' });
  steered.release('runs');
  expect((await finished(appliance.owner, running.jobId)).status).toBe('completed');
  const passing = await pay(other, 'passes');
  await until(() => steered.runs.includes('passes'));
  steered.release('passes');
  expect((await finished(appliance.owner, passing.jobId)).status).toBe('completed');
  expect(await statusOf(waiting)).toBe('queued');
  expect(steered.runs).not.toContain('waits');
  await setPlan({ plan: 'studio' });
  await until(() => steered.runs.includes('waits'));
  steered.release('waits');
  expect((await finished(appliance.owner, waiting.jobId)).status).toBe('completed');
});
