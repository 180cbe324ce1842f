import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { Operation } from '../../src-server/operation.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { type ApplianceProcess, startApplianceProcess } from '../harness/appliance-process.ts';
import { finished } from '../harness/jobs.ts';
import { serveWith } from '../harness/local-site.ts';
import { type SteeredOperations, steeredOperations } from '../harness/sample-operations.ts';
import { until } from '../harness/until.ts';

/** Jobs that were in work when the server died: one of them may be the cause, so they run one after the other. */
const JOBS = 4;
const LIMIT_SECONDS = 3;
const BEYOND_LIMIT_MS = 3500;
/** Below the five seconds that work that does not listen is waited for when it is told to stop. */
const AT_ONCE_MS = 4500;

test('jobs that were in work when the server was killed run one at a time, and three kills fail none of them', async () => {
  let answers = false;
  await using site = await serveWith((_request, response) => {
    if (answers) response.end('A text that arrived in the end.');
  });
  await using server = await startApplianceProcess();
  const sent: string[] = [];
  for (let n = 0; n < JOBS; n += 1) {
    const answer = await server.owner('/v1/extract/doc', {
      method: 'POST',
      body: JSON.stringify({ sourceUrl: `${site.url}/${n}.txt` }),
      headers: { 'content-type': 'application/json', prefer: 'wait=0' },
    });
    sent.push(((await answer.json()) as Job).jobId);
  }
  await until(() => site.requests.length === JOBS);
  for (const kill of [1, 2]) {
    await server.kill('SIGKILL');
    await server.restart();
    await until(() => site.requests.length === JOBS + kill);
    expect(await processing(server)).toBe(1);
  }
  await server.kill('SIGKILL');
  answers = true;
  await server.restart();

  const ends = await Promise.all(sent.map((jobId) => finished(server.owner, jobId)));
  expect(ends.map(({ status, error }) => error?.code ?? status)).toEqual(sent.map(() => 'completed'));
});

async function processing(server: ApplianceProcess): Promise<number> {
  const overview = await (await server.owner('/admin/overview')).json();
  return (overview as { queues: { byStatus: { processing: number } }[] }).queues.reduce(
    (sum, { byStatus }) => sum + byStatus.processing,
    0,
  );
}

describe('a job that waits for its turn after a death of the server', () => {
  test('spends nothing of the time it may run', async () => {
    const steered = steeredOperations();
    const held = steered.operations.find(({ id }) => id === 'test/held') as Operation;
    // Brief only after the crash, for which a slow machine takes longer.
    let timeLimitSeconds = held.timeLimitSeconds;
    const brief = {
      ...held,
      id: 'test/brief',
      get timeLimitSeconds() {
        return timeLimitSeconds;
      },
    };
    await using appliance = await startAppliance({ operations: [...steered.operations, brief] });
    await submit(appliance, 'held', 'first');
    const { jobId } = await submit(appliance, 'brief', 'second');
    await crashedOnce(appliance, steered, 2, () => {
      timeLimitSeconds = LIMIT_SECONDS;
    });
    await pause(BEYOND_LIMIT_MS);
    steered.release('first');
    await until(() => steered.runs.at(-1) === 'second');
    steered.release('second');
    expect(await finished(appliance.owner, jobId)).toMatchObject({ status: 'completed' });
  });

  test('can be cancelled at once, and does not run after that', async () => {
    const steered = steeredOperations();
    await using appliance = await startAppliance({ operations: steered.operations });
    const first = await submit(appliance, 'held', 'first');
    const { jobId } = await submit(appliance, 'held', 'second');
    const third = await submit(appliance, 'held', 'third');
    await crashedOnce(appliance, steered, 3);
    const askedAt = performance.now();
    await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' });
    expect(performance.now() - askedAt).toBeLessThan(AT_ONCE_MS);
    steered.release('first');
    await until(() => steered.runs.at(-1) === 'third');
    steered.release('third');
    await finished(appliance.owner, first.jobId);
    await finished(appliance.owner, third.jobId);
    expect(await read(appliance, jobId)).toMatchObject({ status: 'failed', progress: { stage: 'failed' } });
    expect(steered.runs.slice(3)).toEqual(['first', 'third']);
  });

  test('has its turn although the one before does not listen when it is told to stop', async () => {
    const steered = steeredOperations();
    await using appliance = await startAppliance({ operations: steered.operations });
    const deaf = await submit(appliance, 'deaf', 'first');
    const { jobId } = await submit(appliance, 'held', 'second');
    await crashedOnce(appliance, steered, 2);
    await appliance.owner(`/v1/jobs/${deaf.jobId}`, { method: 'DELETE' });
    await until(() => steered.runs.length === 4);
    steered.release('second');
    expect(await finished(appliance.owner, jobId)).toMatchObject({ status: 'completed' });
  });
});

async function submit(appliance: Appliance, operation: string, label: string): Promise<Job> {
  const answer = await appliance.owner(`/v1/test/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ label }),
  });
  return (await answer.json()) as Job;
}

/** Starts again with so many jobs as a death of the server leaves them. Resolves when the first runs again. */
async function crashedOnce(
  appliance: Appliance,
  { runs }: SteeredOperations,
  jobs: number,
  atRestart = () => {},
): Promise<void> {
  await until(() => runs.length === jobs);
  const database = new SqliteDatabase(join(appliance.dataDir, 'production', 'quarry.db'));
  database.exec("update jobs set crashes = 1 where status = 'processing'");
  database.close();
  atRestart();
  await appliance.restart();
  await until(() => runs.length === jobs + 1);
}

const read = async ({ owner }: Appliance, jobId: string) => (await (await owner(`/v1/jobs/${jobId}`)).json()) as Job;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
