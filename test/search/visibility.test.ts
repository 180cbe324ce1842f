/** The index may lag behind the main database, which alone decides what an account finds. */
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { taggedJobs } from '../../src-server/features/search/queue.ts';
import type { SearchAnswer } from '../../src-server/features/search/schema.ts';
import { factsFilter, matchText } from '../../src-server/features/search/store.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { plansOf } from '../harness/query-plans.ts';
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

test('a search keeps to the jobs that have all of the tags', async () => {
  const read = async (name: string, tags: string) => {
    const body = fileForm(`The pilot boat of ${name} waits.`, `${name}.txt`);
    const headers = { 'quarry-tags': tags };
    const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body, headers });
    await finished(appliance.owner, ((await answer.json()) as Job).jobId);
  };
  await read('Hull', 'port, north');
  await read('Leith', 'port');
  const named = async (tags: string[] | undefined, mode = 'hybrid') => {
    const asked = { query: 'pilot boat', mode, facets: true, filter: tags === undefined ? {} : { tags } };
    const answer = await appliance.owner('/v1/search', postJson(asked));
    const { results, facets } = (await answer.json()) as SearchAnswer;
    expect(facets?.counted).toBe(results.length);
    return results.map(({ sourceName }) => sourceName).sort();
  };
  for (const mode of ['hybrid', 'lexical']) {
    expect(await named(undefined, mode)).toEqual(['Hull.txt', 'Leith.txt']);
    expect(await named(['port'], mode)).toEqual(['Hull.txt', 'Leith.txt']);
    expect(await named(['port', 'north'], mode)).toEqual(['Hull.txt']);
    expect(await named(['south'], mode)).toEqual([]);
  }
});

test('jobs with tags, and their chunks, are read from an index', () => {
  const path = join(appliance.dataDir, 'production', 'quarry.db');
  const [tagged] = plansOf(path, /job_tags/, ({ db }) => taggedJobs(db, 'owner', ['port', 'north'], 10));
  expect(tagged?.plan).toEqual([
    expect.stringContaining('SEARCH t USING COVERING INDEX job_tags_of_account (account_id=? AND tag=?)'),
    expect.stringContaining('SEARCH j USING INTEGER PRIMARY KEY'),
    expect.stringContaining('COVERING INDEX job_tags_of_job (seq=? AND tag=?)'),
  ]);
  const index = join(appliance.dataDir, 'production', 'search.db');
  const [chunks] = plansOf(index, /job_id in/, ({ db }) =>
    matchText(db, 'pilot', 10, 10, factsFilter(db, {}, ['job_a'])),
  );
  expect(chunks?.plan.join()).toContain('search_chunks_by_job (job_id=?)');
});

test('nor is a contribution that is not approved', async () => {
  change("update contributions set status = 'rejected'");
  expect(await found()).toEqual({ jobs: 1, contributions: 0 });
  change("update contributions set status = 'approved'");
  expect(await found()).toEqual({ jobs: 1, contributions: 1 });
});
