import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { SearchAnswer } from '../../../src-server/features/search/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm, finished } from '../../harness/jobs.ts';
import { until } from '../../harness/until.ts';

const TEXT = `# Berthing rules

The harbour master assigns berths every morning. Vessels longer than twelve metres report by radio.

## Fees

A mooring buoy costs less than a berth; électricité is charged by the hour.

## 日本語

港は朝七時に開きます。`;

let appliance: Appliance;
let jobId: string;

async function search(body: object, client = appliance.owner): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return client('/v1/search', { method: 'POST', headers, body: JSON.stringify(body) });
}

async function find(query: string, more: object = {}): Promise<SearchAnswer> {
  const answer = await search({ query, ...more });
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await answer.json()) as SearchAnswer;
}

beforeAll(async () => {
  appliance = await startAppliance();
  const form = fileForm(TEXT, 'berths.md', { sourceName: 'Harbour rules', 'options.segmentLength': '60' });
  const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body: form });
  const job = await finished(appliance.owner, ((await answer.json()) as Job).jobId);
  expect(job.status).toBe('completed');
  ({ jobId } = job);
  await until(async () => (await find('harbour')).results.length > 0);
});
afterAll(() => appliance.close());

describe('POST /search', () => {
  test('finds a sentence, says where it stands and which way of searching found it', async () => {
    const answer = await find('who assigns a berth in the morning', { mode: 'lexical' });
    expect(answer).toMatchObject({ legs: ['lexical'], meaning: null });
    expect(answer.results[0]).toMatchObject({
      jobId,
      page: 1,
      kind: 'text',
      heading: 'Berthing rules',
      sourceName: 'Harbour rules',
      url: null,
      score: 1,
    });
    const { snippet, highlights } = answer.results[0] as SearchAnswer['results'][number];
    expect(highlights.map(({ start, end }) => snippet.slice(start, end))).toEqual([
      'Berthing',
      'assigns',
      'berths',
      'morning',
    ]);
  });

  test('says when completed jobs are not in the index whole, where the search is for them', async () => {
    const change = (statement: string) => {
      const file = new SqliteDatabase(join(appliance.dataDir, 'production', 'quarry.db'));
      file.prepare(statement).run(jobId);
      file.close();
    };
    // Nothing looks for what waits until another job ends: as it is while a large result is being indexed.
    change("insert into search_queue (kind, subject, job_id, priority) select 'job', id, id, 1 from jobs where id = ?");
    const warning = 'A job that was just completed is not in the index whole yet; search again in a moment.';
    for (const filter of [{}, { jobId }, { jobType: 'extract/doc' }]) {
      expect((await find('harbour', { mode: 'lexical', filter })).warnings).toEqual([warning]);
    }
    for (const filter of [{ jobId: 'job_of_another' }, { jobType: 'crawl' }]) {
      expect((await find('harbour', { mode: 'lexical', filter })).warnings).toEqual([]);
    }
    change('delete from search_queue where subject = ?');
    expect((await find('harbour', { mode: 'lexical' })).warnings).toEqual([]);
  });

  test.each([
    ['without regard to case', 'HARBOUR'],
    ['without regard to English endings', 'assigned'],
    ['without regard to accents', 'electricite'],
    ['in scripts without spaces', '七時'],
    ['in headings above a chunk', 'berthing fees'],
  ])('finds %s', async (_, query) => {
    expect((await find(query)).results.length).toBeGreaterThan(0);
  });

  test.each(['"', 'NEAR(', 'a OR', '* ^', "'; drop table jobs; --", 'scope:x', '{body}: x', '\u0000', '()'])(
    'takes %j for what it is: words, or none',
    async (query) => {
      expect((await search({ query: `${query} ` })).status).toBeLessThan(401);
      expect((await find(`harbour ${query}`)).results.length).toBeGreaterThan(0);
    },
  );

  test('narrows by job type, job, kind and language', async () => {
    expect((await find('harbour', { filter: { jobType: 'crawl' } })).results).toEqual([]);
    expect((await find('harbour', { mode: 'lexical', filter: { jobId } })).results).toHaveLength(1);
    expect((await find('harbour', { filter: { jobId: 'job_other' } })).results).toEqual([]);
    expect((await find('harbour', { filter: { kind: 'table' } })).results).toEqual([]);
    const filter = { jobType: 'extract/doc', kind: 'text' };
    expect((await find('harbour', { mode: 'lexical', filter })).results).toHaveLength(1);
  });

  test('narrows by source and by the days of the jobs, and counts what can be narrowed', async () => {
    const today = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
    const found = async (filter: object) => (await find('harbour', { mode: 'lexical', filter })).results.length;
    expect(await found({ source: 'Harbour rules', from: '2020-01-01', to: today })).toBe(1);
    expect(await found({ source: 'Other rules' })).toBe(0);
    expect(await found({ to: '2020-01-01' })).toBe(0);
    const { facets } = await find('harbour', { mode: 'lexical', facets: true });
    expect(facets).toEqual({
      jobTypes: [{ value: 'extract/doc', count: 1 }],
      kinds: [{ value: 'text', count: 1 }],
      sources: [{ value: 'Harbour rules', count: 1 }],
      months: [{ value: today.slice(0, 'YYYY-MM'.length), count: 1 }],
      ...{ counted: 1, isComplete: true },
    });
    expect(await find('harbour')).not.toHaveProperty('facets');
  });

  test('searches by topics of the account when no model is there', async () => {
    await until(async () => (await find('harbour', { mode: 'semantic' })).warnings.length === 0);
    const answer = await find('harbour', { mode: 'semantic' });
    expect(answer).toMatchObject({ legs: ['topics'], meaning: 'lsi', warnings: [] });
    expect(answer.results[0]?.text).toMatch(/harbour/i);
    expect(await find('harbour')).toMatchObject({ legs: ['lexical', 'topics'], meaning: 'lsi' });
  });

  test.each([
    [{ query: '' }, 'query'],
    [{ query: 'x', limit: 51 }, 'limit'],
    [{ query: 'x', filter: { jobtype: 'crawl' } }, 'filter.jobtype'],
    [{ query: 'x', filter: { jobType: 'extract/docs' } }, 'filter.jobType'],
    [{ query: 'x', filter: { from: 'yesterday' } }, 'filter.from'],
    [{ query: 'x', filter: { from: '2026-02-01', to: '2026-01-01' } }, 'filter.to'],
    [{ query: 'x'.repeat(100_000) }, 'query'],
  ])('refuses %j by its field', async (body, path) => {
    const answer = await search(body);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { errors: { path: string }[] }).errors[0]?.path).toBe(path);
  });

  test('asks for payment where nobody paid', async () => {
    expect((await search({ query: 'harbour' }, appliance.anonymous)).status).toBe(402);
  });

  test('finds after a restart, and no longer once the job is removed', async () => {
    await appliance.restart();
    expect((await find('harbour', { mode: 'lexical' })).results).toHaveLength(1);
    expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
    expect((await find('harbour')).results).toEqual([]);
  });
});
