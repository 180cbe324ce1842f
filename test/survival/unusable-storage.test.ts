import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { Problem } from '../../src-server/platform/http/problem.ts';
import { publicError } from '../../src-server/platform/http/problem.ts';
import { startAppliance } from '../harness/appliance.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { steeredOperations } from '../harness/sample-operations.ts';
import { until } from '../harness/until.ts';

/** A little longer than a statement of the server waits for somebody else's lock. */
const HELD_MS = 5500;
const SOMEWHERE: RequestInit = {
  method: 'POST',
  headers: { 'content-type': 'application/json', prefer: 'wait=0' },
  body: JSON.stringify({ sourceUrl: 'http://127.0.0.1:1/a.docx' }),
};

test('a job that ends while another program holds the database ends as it did, once that program lets go', async () => {
  const steered = steeredOperations();
  await using appliance = await startAppliance({ operations: steered.operations });
  const answer = await appliance.owner('/v1/test/held', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ label: 'a' }),
  });
  const { jobId } = (await answer.json()) as Job;
  await until(() => steered.runs.length === 1);
  const other = new SqliteDatabase(join(appliance.dataDir, 'production', 'quarry.db'));
  other.exec('begin immediate');
  const released = new Promise<void>((resolve) => {
    setTimeout(() => {
      other.close();
      resolve();
    }, HELD_MS);
  });
  steered.release('a');
  await released;

  const job = await finished(appliance.owner, jobId);
  expect(job).toMatchObject({ status: 'completed', result: { label: 'a', attempt: 1 } });
  expect(steered.runs).toEqual(['a']);
});

test('a data folder that cannot be used is told as that, to who asks, of a job and by the readiness, until it can', async () => {
  await using appliance = await startAppliance();
  const { dataDir, owner } = appliance;
  const [uploads, jobs] = ['uploads', 'jobs'].map((name) => join(dataDir, 'production', name)) as [string, string];
  const send = () =>
    owner('/v1/extract/doc', { method: 'POST', body: fileForm(wordDocument(['Some text.']), 'a.docx') });

  await rename(uploads, `${uploads} taken away`);
  const refused = await send();
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const problem = (await refused.json()) as Problem;
  expect(problem.code).toBe('storage_unavailable');
  expect(problem.detail).toContain('owner must see to the data folder');
  await rename(`${uploads} taken away`, uploads);

  await rename(jobs, `${jobs} taken away`);
  await writeFile(jobs, 'A file where a folder was.');
  const { jobId } = (await (await owner('/v1/extract/doc', SOMEWHERE)).json()) as Job;
  const read = async () => (await (await owner(`/v1/jobs/${jobId}`)).json()) as Job;
  await until(async () => (await read()).progress.message.includes('owner must see to the data folder'));
  await rm(jobs);
  await rename(`${jobs} taken away`, jobs);

  const lock = join(dataDir, 'lock.db');
  await rename(lock, `${lock} taken away`);
  const ready = await fetch(`${appliance.url}/ready`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({
    checks: { disk: { ok: false, message: expect.stringContaining('data folder is gone') } },
  });
  await rename(`${lock} taken away`, lock);
  expect((await fetch(`${appliance.url}/ready`)).status).toBe(200);
  expect((await finished(owner, ((await (await send()).json()) as Job).jobId)).status).toBe('completed');
});

test.each([['SQLITE_BUSY'], ['SQLITE_READONLY'], ['SQLITE_IOERR_READ']])(
  'a request that meets %s is told that the storage cannot be used, and none of its words',
  (code) => {
    const error = publicError(Object.assign(new Error('database is locked'), { code }));
    expect(error).toMatchObject({ code: 'storage_unavailable', retryable: true });
    expect(error.message).not.toMatch(/SQLITE|locked/);
  },
);
