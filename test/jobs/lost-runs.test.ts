import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { MINUTE_MS } from '../../src-server/platform/units.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { type SteeredOperations, steeredOperations } from '../harness/sample-operations.ts';
import { until } from '../harness/until.ts';

let steered: SteeredOperations;
let appliance: Appliance;
let database: InstanceType<typeof Database>;
beforeEach(async () => {
  steered = steeredOperations();
  appliance = await startAppliance({ operations: steered.operations });
  database = new Database(join(appliance.dataDir, 'production', 'quarry.db'));
});
afterEach(async () => {
  database.close();
  await appliance.close();
});

const read = async (jobId: string) => (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Job;

async function running(label: string, count = 1): Promise<string> {
  const body = JSON.stringify({ label });
  const headers = { 'content-type': 'application/json' };
  const answer = await appliance.owner('/v1/test/held', { method: 'POST', headers, body });
  const { jobId } = (await answer.json()) as Job;
  await until(async () => (await read(jobId)).progress.stage === 'holding');
  expect(steered.runs).toHaveLength(count);
  return jobId;
}

/** Makes the job the one of another run, as if this one's lease had expired and a second had begun. */
function takeAway(jobId: string): void {
  const until = appliance.clock.now() + MINUTE_MS;
  const sql = "update jobs set runs = runs + 1, lease_owner = 'another', lease_expires_at = ? where id = ?";
  expect(database.prepare(sql).run(until, jobId).changes).toBe(1);
}

const completedRuns = () =>
  database.prepare("select coalesce(sum(completed + failed), 0) as n from ended_jobs where operation_id = 'test/held'");

test('the end of a run that lost its job changes nothing, and the job runs again when its lease has expired', async () => {
  const jobId = await running('late');
  takeAway(jobId);
  steered.release('late');
  // The same run is over when another job of the queue has ended after it.
  await running('next', 2);
  steered.release('next');
  await until(() => (completedRuns().get() as { n: number }).n === 1);
  expect(await read(jobId)).toMatchObject({ status: 'processing', result: null });
  appliance.clock.advance(2 * MINUTE_MS);
  await until(() => steered.runs.length === 3);
  steered.release('late');
  expect(await finished(appliance.owner, jobId)).toMatchObject({ status: 'completed', result: { attempt: 2 } });
  expect(completedRuns().get()).toEqual({ n: 2 });
});

test('a clock that jumps past the lease of a run takes nothing from it', async () => {
  const jobId = await running('asleep');
  appliance.clock.advance(60 * MINUTE_MS);
  await running('awake', 2);
  steered.release('awake');
  await until(() => (completedRuns().get() as { n: number }).n === 1);
  steered.release('asleep');
  expect(await finished(appliance.owner, jobId)).toMatchObject({ status: 'completed', result: { attempt: 1 } });
});

test('a job whose runs are lost three times fails with what to do', async () => {
  const jobId = await running('poison');
  for (const runs of [2, 3]) {
    takeAway(jobId);
    steered.release('poison');
    appliance.clock.advance(2 * MINUTE_MS);
    await until(() => steered.runs.length === runs);
  }
  takeAway(jobId);
  steered.release('poison');
  appliance.clock.advance(2 * MINUTE_MS);
  expect(await finished(appliance.owner, jobId)).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
});
