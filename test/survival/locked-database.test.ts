import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { Job } from '../../src-server/contract/index.ts';
import { startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { steeredOperations } from '../harness/sample-operations.ts';
import { until } from '../harness/until.ts';

/** A little longer than a statement of the server waits for somebody else's lock. */
const HELD_MS = 5500;

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
