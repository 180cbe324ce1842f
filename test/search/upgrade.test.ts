/**
 * A data folder of the version before search.db: three jobs, one with a file of 350 chunks, two approved corrections,
 * one that was taken back, a source, a source that was taken back, and a vector of each chunk.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../../src-server/app.ts';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { SearchAnswer } from '../../src-server/features/search/schema.ts';
import { MovableClock } from '../harness/movable-clock.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const ARCHIVE = join(import.meta.dirname, '../fixtures/data-folders/before-search-db.tar.gz');
/** When the folder was made: its results are kept for a year from then. */
const MADE_AT = 1_795_468_716_653;
const TIDE = 'job_G7Re41MnsecMH6f-JZAum7v1Itc';
const LIGHT = 'job_QSVNaUiIsK6Qj_-ThMezYsCWUK0';
const LEDGER = 'job_jQUB3wCw_MVk6UjIF9O9bXy4WdA';
const CHUNKS = 353;

let folder: string;
let dataDir: string;
let server: RunningServer;

async function start(): Promise<void> {
  const clock = new MovableClock();
  clock.advance(MADE_AT - clock.now());
  server = await startServer({
    dataDir,
    clock,
    workerEntry: new URL('../../workers/entry.ts', import.meta.url),
    rendererFolder: null,
    resourcesFolder: new URL('../../resources/', import.meta.url),
    logLevel: process.env.QUARRY_TEST_LOG ?? 'fatal',
    knownTextServers: [],
  });
}

function owner(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${server.ownerToken}`);
  return fetch(server.url + path, { ...init, headers });
}

async function search(query: string): Promise<SearchAnswer> {
  const answer = await owner('/v1/search', postJson({ query, mode: 'lexical' }));
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await answer.json()) as SearchAnswer;
}

function read<Value>(name: string, statement: string): Value[] {
  const database = new SqliteDatabase(join(dataDir, 'production', name), { readonly: true });
  const values = database.prepare(statement).pluck().all() as Value[];
  database.close();
  return values;
}

const OLD_TABLES = `select name from sqlite_master where name glob 'search_*'
  and name not glob 'search_queue*' and name not glob 'search_shares*' and name not glob 'search_source*'`;

let old: { vectors: unknown[]; texts: unknown[] };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quarry test '));
  dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  execFileSync('tar', ['-xzf', ARCHIVE, '-C', dataDir]);
  old = {
    vectors: read('quarry.db', 'select hex(vector) from search_vectors order by 1'),
    texts: read('quarry.db', 'select text || coalesce(original_text, char(0)) from search_chunks order by 1'),
  };
  // An upgrade that is interrupted goes on at the next start.
  await start();
  await server.close();
  await start();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test('the folder is one of the version before', () => {
  expect(old.vectors).toHaveLength(CHUNKS);
  expect(old.texts).toHaveLength(CHUNKS);
});

test('jobs, results and files are as they were', async () => {
  for (const [jobId, chunks] of [
    [TIDE, 1],
    [LIGHT, 1],
    [LEDGER, 350],
  ] as const) {
    const job = (await (await owner(`/v1/jobs/${jobId}`)).json()) as Job & { result: { chunks: unknown[] } };
    expect(job).toMatchObject({ jobId, status: 'completed' });
    expect(job.result.chunks).toHaveLength(chunks);
  }
});

test('search finds everything once the index is rebuilt: corrections and sources, and nothing that was taken back', async () => {
  await until(async () => (await search('harbour')).warnings.length === 0);
  expect((await search('harbour tide')).results).toMatchObject([
    { jobId: TIDE, text: 'Ships leave the harbour when the tide is high.' },
  ]);
  expect((await search('lighthouse twenty')).results[0]).toMatchObject({
    jobId: LIGHT,
    text: 'The lighthouse was built in eighteen hundred and twenty.',
    originalText: 'The lighthouse was built in eighteen hundred and two.',
  });
  expect((await search('harpooner')).results).toMatchObject([{ jobId: LEDGER }]);
  expect((await search('keeper diaries')).results).toMatchObject([{ jobId: null, kind: 'source' }]);
  for (const query of ['zeppelin', 'umbrellas', 'never']) expect((await search(query)).results).toEqual([]);
});

test('every chunk has its text and its vector, though no model is installed', () => {
  expect(read('search.db', 'select text || coalesce(original_text, char(0)) from search_chunks order by 1')).toEqual(
    old.texts,
  );
  expect(read('search.db', 'select hex(vector) from search_vectors order by 1')).toEqual(old.vectors);
  expect(read('search.db', 'select count(*) from search_signatures')).toEqual([CHUNKS]);
  expect(read('search.db', 'select count(*) from search_chunks where embedded_by = 0')).toEqual([0]);
});

test('the main database keeps no index, and a start afterwards rebuilds nothing', async () => {
  await until(() => read('quarry.db', OLD_TABLES).length === 0);
  const [identity] = read('search.db', 'select id from search_identity');
  await server.close();
  await start();
  expect((await search('lighthouse')).warnings).toEqual([]);
  expect(read('search.db', 'select id from search_identity')).toEqual([identity]);
  expect((await search('lighthouse')).results).toHaveLength(1);
});
