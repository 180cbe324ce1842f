/** A paid job that ends failed: by our fault it is run again once for its payer, by the payer's own it is not. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { Batch } from '../../src-server/features/batches/schema.ts';
import { defineOperation } from '../../src-server/operation.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';
import { TEST_WORDS } from '../harness/words.ts';

const DAY_MS = 86_400_000;

let appliance: Appliance;
let runs: number;
/** What the next runs fail with, in order; beyond them they succeed. */
let failures: ('engine_failed' | 'corrupt_input')[];

const declared = {
  summary: 'Fails as it is told',
  description: 'For tests.',
  words: TEST_WORDS,
  mode: 'job' as const,
  price: { amount: 1000, timeoutSeconds: 60 },
  idPrefix: 'job' as const,
  queueClass: 'light' as const,
  result: z.object({ run: z.number() }),
  retry: { attempts: 1, baseDelaySeconds: 1 },
  timeLimitSeconds: 60,
  firstRun: { seconds: 1, secondsPerMegabyte: 0 },
  run: async () => {
    runs += 1;
    const failure = failures.shift();
    if (failure) throw new QuarryError(failure, say`It failed as it was told.`);
    return { run: runs };
  },
};

const faulty = defineOperation({
  ...declared,
  id: 'test/faulty',
  request: z.strictObject({ label: z.string() }),
  example: { request: { label: 'one' } },
});

/** The same for files, which a batch can have. */
const faultyFiles = defineOperation({
  ...declared,
  id: 'test/files',
  request: z.strictObject({
    file: z.string().optional(),
    sourceUrl: z.string().optional(),
    sourceName: z.string().optional(),
  }),
  source: { kinds: ['text'], sizeLimit: 'document' },
  example: { request: { sourceUrl: 'https://source.example/' } },
});

beforeEach(async () => {
  runs = 0;
  failures = [];
  appliance = await startAppliance({ operations: [faulty, faultyFiles] });
});
afterEach(() => appliance.close());

/** Pays for one request, and gives back how to send it with its proof: the job's id each time. */
async function buy(): Promise<() => Promise<string>> {
  const send = await pay();
  return async () => {
    const answer = await send();
    expect(answer.status).toBe(202);
    return ((await answer.json()) as { jobId: string }).jobId;
  };
}

async function pay(): Promise<() => Promise<Response>> {
  const request = postJson({ label: 'paid' });
  const unpaid = await appliance.anonymous('/v1/test/faulty', request);
  const { accepts } = (await unpaid.json()) as { accepts: [object] };
  const { payload } = (await (await appliance.anonymous('/facilitator/pay', postJson(accepts[0]))).json()) as {
    payload: string;
  };
  const headers = { ...(request.headers as Record<string, string>), 'X-PAYMENT': payload };
  return () => appliance.anonymous('/v1/test/faulty', { ...request, headers });
}

async function ledger() {
  const answer = await appliance.owner('/admin/payments');
  return ((await answer.json()) as { payments: { rerun: { usedAt: string | null } | null }[] }).payments;
}

test('by our fault: the same proof runs it again, once, and is charged once', async () => {
  failures = ['engine_failed', 'engine_failed'];
  const send = await buy();
  const jobId = await send();
  expect(await finished(appliance.anonymous, jobId)).toMatchObject({ error: { code: 'engine_failed' } });
  expect(await ledger()).toMatchObject([{ rerun: { usedAt: null } }]);
  expect(await send()).toBe(jobId);
  expect(await finished(appliance.anonymous, jobId)).toMatchObject({ status: 'failed' });
  expect(await send()).toBe(jobId);
  expect(await finished(appliance.anonymous, jobId)).toMatchObject({ status: 'failed' });
  expect(runs).toBe(2);
  expect(await ledger()).toMatchObject([{ rerun: { usedAt: expect.any(String) } }]);
});

test('by our fault, and asked for again after its result has gone: it still runs, from the request made again', async () => {
  failures = ['engine_failed'];
  const send = await buy();
  const jobId = await send();
  await finished(appliance.anonymous, jobId);
  appliance.clock.advance(4 * DAY_MS);
  await appliance.restart();
  await until(async () => (await appliance.anonymous(`/v1/jobs/${jobId}`)).status === 410);
  expect(await send()).toBe(jobId);
  expect(await finished(appliance.anonymous, jobId)).toMatchObject({ status: 'completed', result: { run: 2 } });
});

test('once it is gone: its proof says so and what to do, since sending it again brings nothing', async () => {
  const [expiring, removed] = [await pay(), await pay()];
  const idOf = async (answer: Response) => ((await answer.json()) as { jobId: string }).jobId;
  const [jobId, removedId] = [await idOf(await expiring()), await idOf(await removed())];
  for (const id of [jobId, removedId]) await finished(appliance.anonymous, id);
  expect((await appliance.owner(`/v1/jobs/${removedId}`, { method: 'DELETE' })).status).toBe(204);
  appliance.clock.advance(4 * DAY_MS);
  await appliance.restart();
  await until(async () => (await appliance.anonymous(`/v1/jobs/${jobId}`)).status === 410);
  const detail = expect.stringContaining('without the proof');
  expect(await (await expiring()).json()).toMatchObject({ status: 410, code: 'job_expired', detail });
  expect(await (await removed()).json()).toMatchObject({ status: 404, code: 'not_found', detail });
  expect(runs).toBe(2);
});

test("by the payer's own: the same proof gives the failed job, and nothing runs again", async () => {
  failures = ['corrupt_input'];
  const send = await buy();
  const jobId = await send();
  expect(await finished(appliance.anonymous, jobId)).toMatchObject({ error: { code: 'corrupt_input' } });
  expect(await send()).toBe(jobId);
  expect(await finished(appliance.anonymous, jobId)).toMatchObject({ status: 'failed' });
  expect(runs).toBe(1);
  expect(await ledger()).toMatchObject([{ rerun: null }]);
});

test('in a batch: the same proof runs what failed by our fault once more, from the files sent again', async () => {
  failures = ['engine_failed', 'corrupt_input', 'engine_failed'];
  const path = '/v1/batches?operation=test/files&items=3';
  const unpaid = await appliance.anonymous(path, { method: 'POST' });
  const { accepts } = (await unpaid.json()) as { accepts: [object] };
  const paid = await appliance.anonymous('/facilitator/pay', postJson(accepts[0]));
  const { payload } = (await paid.json()) as { payload: string };
  const send = async () => {
    const body = new FormData();
    body.set('batch', JSON.stringify({ operation: 'test/files' }));
    for (const name of ['one', 'two', 'three']) body.append('file', new Blob([`The file ${name}.`]), `${name}.txt`);
    const answer = await appliance.anonymous(path, { method: 'POST', body, headers: { 'X-PAYMENT': payload } });
    expect(answer.status).toBe(202);
    return ((await answer.json()) as { batchId: string }).batchId;
  };
  const batchId = await send();
  const ended = async () => {
    const read = async () => (await (await appliance.anonymous(`/v1/batches/${batchId}`)).json()) as Batch;
    await until(async () => (await read()).status === 'completed');
    return read();
  };
  expect(await ended()).toMatchObject({ counts: { completed: 0, failed: 3 } });
  expect(await ledger()).toMatchObject([{ rerun: { usedAt: null } }]);
  failures = ['engine_failed'];
  expect(await send()).toBe(batchId);
  expect(await ended()).toMatchObject({ counts: { completed: 1, failed: 2 } });
  expect(runs).toBe(5);
  expect(await send()).toBe(batchId);
  expect(await ended()).toMatchObject({ counts: { completed: 1, failed: 2 } });
  expect(runs).toBe(5);
  expect(await ledger()).toMatchObject([{ rerun: { usedAt: expect.any(String) } }]);
});
