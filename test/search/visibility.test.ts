/** The index may lag behind the main database, which alone decides what an account finds. */
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { SearchAnswer } from '../../src-server/features/search/schema.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { postJson } from '../harness/text-models.ts';

let appliance: Appliance;

beforeAll(async () => {
  appliance = await startAppliance();
  const body = fileForm('The ferry carries lanterns across the fjord.', 'ferry.txt');
  const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body });
  await finished(appliance.owner, ((await answer.json()) as Job).jobId);
  const source = { kind: 'source', text: 'Lanterns of the archive.', url: 'https://example.com/' };
  const sent = await appliance.owner('/v1/contributions', postJson(source));
  const { contributionId } = (await sent.json()) as { contributionId: string };
  await appliance.owner(`/admin/contributions/${contributionId}/approve`, postJson({}));
});
afterAll(() => appliance.close());

/** How many chunks of jobs, and of contributions, a search finds. */
async function found(): Promise<{ jobs: number; contributions: number }> {
  const answer = await appliance.owner('/v1/search', postJson({ query: 'lanterns', mode: 'lexical' }));
  const { results } = (await answer.json()) as SearchAnswer;
  const jobs = results.filter(({ jobId }) => jobId !== null).length;
  return { jobs, contributions: results.length - jobs };
}

/** Changes the main database behind the server, which queues nothing for the index. */
function change(statement: string): void {
  const database = new SqliteDatabase(join(appliance.dataDir, 'production', 'quarry.db'));
  expect(database.prepare(statement).run().changes).toBe(1);
  database.close();
}

const JOB = "operation_id = 'extract/doc'";

test.each([
  ['is removed', `purged_at = 1`, 'purged_at = null'],
  ['belongs to another account', "account_id = 'another'", "account_id = 'owner'"],
  ['runs again', "status = 'processing'", "status = 'completed'"],
])('a job that %s is not found, whatever the index has', async (_, hidden, shown) => {
  expect(await found()).toEqual({ jobs: 1, contributions: 1 });
  change(`update jobs set ${hidden} where ${JOB}`);
  expect(await found()).toEqual({ jobs: 0, contributions: 1 });
  change(`update jobs set ${shown} where ${JOB}`);
  expect(await found()).toEqual({ jobs: 1, contributions: 1 });
});

test('nor is a contribution that is not approved', async () => {
  change("update contributions set status = 'rejected'");
  expect(await found()).toEqual({ jobs: 1, contributions: 0 });
  change("update contributions set status = 'approved'");
  expect(await found()).toEqual({ jobs: 1, contributions: 1 });
});
