/** Thousands may watch one job: what that costs must not be thousands of reads, nor one long turn for everybody else. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { JobChanges } from '../../src-server/features/jobs/changes.ts';
import { Jobs, type JobsDeps } from '../../src-server/features/jobs/jobs.ts';
import { streamJob } from '../../src-server/features/jobs/routes.ts';
import type { JobRow, StoredResult } from '../../src-server/features/jobs/store.ts';
import { changeJob } from '../../src-server/features/jobs/store.ts';
import { beginJob, completeJobRow } from '../../src-server/features/jobs/transition.ts';
import { systemClock } from '../../src-server/platform/clock.ts';
import type { Tx } from '../../src-server/platform/db/database.ts';
import type { HttpEnv } from '../../src-server/platform/http/env.ts';
import { eventsOf, readEvents } from '../harness/events.ts';
import { ObservedDb } from '../harness/query-plans.ts';
import { queueJob, temporaryStorage } from '../harness/queue.ts';
import { until } from '../harness/until.ts';

const WATCHERS = 300;

let folder: string;
let database: Awaited<ReturnType<typeof temporaryStorage>>;
let sqlite: SqliteDatabase.Database;
let reads: string[];
let changes: JobChanges;
let jobs: Jobs;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry test '));
  database = await temporaryStorage();
  reads = [];
  sqlite = new SqliteDatabase(database.path);
  const db = new ObservedDb(sqlite, (sql) => void reads.push(/from "(\w+)"/.exec(sql)?.[1] ?? sql));
  changes = new JobChanges();
  const baseUrl = () => 'http://127.0.0.1:8402/v1';
  const chunksPathOf = () => join(folder, 'chunks.jsonl');
  const parts = {
    storage: { ...database.storage, db },
    clock: systemClock,
    changes,
    baseUrl,
    chunksPathOf,
    progressOf: () => null,
  };
  jobs = new Jobs(parts as unknown as JobsDeps);
});
afterEach(async () => {
  sqlite.close();
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Opens so many streams of a job's events; `texts` is what each has said once it has ended. */
async function watched(job: JobRow, watchers: number) {
  const app = new Hono<HttpEnv>();
  app.get('/', (context) => streamJob(context, jobs, job));
  const answers = await Promise.all(Array.from({ length: watchers }, async () => app.request('/')));
  const heard = answers.map(() => 0);
  const events = answers.map((answer, index) => {
    const counted = new TransformStream({
      transform: (piece, controller) => {
        heard[index] = (heard[index] ?? 0) + 1;
        controller.enqueue(piece);
      },
    });
    return readEvents(new Response(answer.body?.pipeThrough(counted)));
  });
  const haveHeard = (pieces: number) => heard.filter((count) => count >= pieces).length;
  await until(() => haveHeard(1) === watchers);
  return { events, haveHeard };
}

function change(work: (tx: Tx) => JobRow): JobRow {
  const row = database.storage.transaction(work);
  changes.announceJobChange(row.id);
  return row;
}

const begun = (job: JobRow) => (tx: Tx) => beginJob(tx, job, { owner: 'run_test', expiresAt: 1 }, 1);
const completed = (job: JobRow, result: StoredResult) => (tx: Tx) =>
  completeJobRow(tx, job, result, { now: 2, onTerminal: () => {}, retentionMs: 1000 });

test('all who watch a job are told of each change by one read of it, also of the change that brings the result', async () => {
  const queued = queueJob(database.storage);
  const { events, haveHeard } = await watched(queued, WATCHERS);
  reads = [];
  const running = change(begun(queued));
  await until(() => haveHeard(2) === WATCHERS);
  expect(reads).toEqual(['jobs']);
  const further = change((tx) => changeJob(tx, running.seq, { progress_percent: 40 }, 2));
  await until(() => haveHeard(3) === WATCHERS);
  expect(reads).toEqual(['jobs', 'jobs']);
  change(completed(further, { body: '{"label":"a"}', chunksBytes: null }));
  const said = await Promise.all(events);
  expect(reads).toEqual(['jobs', 'jobs', 'jobs', 'job_results']);
  expect(new Set(said.map((heard) => JSON.stringify(heard))).size).toBe(1);
  const [heard = []] = said;
  expect(heard.map(({ id }) => Number(id))).toEqual([1, 2, 3, 4]);
  expect(JSON.parse(heard.at(-1)?.data ?? '')).toMatchObject({ status: 'completed', result: { label: 'a' } });
});

test('whoever else waits for the server has a turn before the last of them is told', async () => {
  const queued = queueJob(database.storage);
  const { haveHeard } = await watched(queued, WATCHERS);
  const somebodyElse = new Promise<number>((resolve) => {
    setImmediate(() => setImmediate(() => resolve(haveHeard(2))));
  });
  change(begun(queued));
  expect(await somebodyElse).toBeLessThan(WATCHERS);
  await until(() => haveHeard(2) === WATCHERS);
});

test('a large result comes as one event, read from its file for each who takes it', async () => {
  const chunks = Array.from({ length: 4000 }, (_value, index) => ({ chunkId: `c${index}`, text: 'Pier und Kran.' }));
  await writeFile(join(folder, 'chunks.jsonl'), chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join(''));
  const queued = queueJob(database.storage);
  const { events } = await watched(queued, 3);
  const running = change(begun(queued));
  change(completed(running, { body: '{"chunks":[],"document":{"pages":7}}', chunksBytes: 200_000 }));
  for (const heard of await Promise.all(events)) {
    const last = JSON.parse(heard.at(-1)?.data ?? '') as { result: unknown };
    expect(last.result).toEqual({ chunks, document: { pages: 7 } });
  }
});

test('events of a run have numbers, resume after the last one, and are kept up to a limit', async () => {
  const job = change(begun(queueJob(database.storage)));
  const { revision } = job;
  const emit = (text: string) => changes.live.addLiveEvent(job.id, 'segments', { text });
  /** The first events of a stream that begins now. */
  const take = async (lastId: string, count: number) => {
    const app = new Hono<HttpEnv>();
    app.get('/', (context) => streamJob(context, jobs, jobs.row(job.id)));
    const ids: string[] = [];
    for await (const { event, id } of eventsOf(await app.request('/', { headers: { 'last-event-id': lastId } }))) {
      ids.push(`${event} ${id}`);
      if (ids.length === count) break;
    }
    return ids;
  };
  const both = [`segments ${revision}.1`, `segments ${revision}.2`];
  emit('first');
  expect(await take('', 2)).toEqual([`job ${revision}`, both[0]]);
  emit('second');
  expect(await take(`${revision}.1`, 1)).toEqual([both[1]]);
  expect(await take(`${revision}.1.1`, 3)).toEqual([`job ${revision}`, ...both]);
  for (let index = 0; index < 5; index += 1) emit('a'.repeat(400_000));
  expect(await take(`${revision}.2`, 2)).toEqual([`segments ${revision}.6`, `segments ${revision}.7`]);
  changes.live.endLiveEvents(job.id);
  change(completed(job, { body: '{}', chunksBytes: null }));
  expect(await take(`${revision}.7`, 1)).toEqual([`job ${revision + 1}.7`]);
});
