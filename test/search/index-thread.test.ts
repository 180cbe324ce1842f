/** The thread that writes the index of large results: other writers beside it, and its death. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { JobRow } from '../../src-server/features/jobs/store.ts';
import { Indexer, IndexWorker } from '../../src-server/features/search/indexer.ts';
import { SearchClient } from '../../src-server/features/search/service.ts';
import type { Storage } from '../../src-server/platform/db/database.ts';
import { queueJob, temporaryStorage } from '../harness/queue.ts';
import { until } from '../harness/until.ts';
import { CHUNKS, chunks, completeLargeJob, indexingState } from './large-result.ts';

const SEARCH_ENTRY = new URL('../../src-server/features/search/search-thread.ts', import.meta.url);
const ENTRY = new URL('../../src-server/features/search/index-thread.ts', import.meta.url);

function openIndex(database: { storage: Storage; path: string }, entry = ENTRY) {
  const errors: string[] = [];
  const onIndexed = () => {};
  const worker = new IndexWorker({
    databasePath: database.path,
    jobsRoot: join(dirname(database.path), 'jobs'),
    entry,
    onIndexed,
    log: { error: (_, message) => errors.push(message) },
  });
  return { worker, indexer: new Indexer({ worker, onIndexed }), errors };
}

function indexedChunks({ db }: Storage): string[] {
  const rows = db.all(db.selectFrom('search_chunks').select('chunk_id').orderBy('seq'));
  return rows.map(({ chunk_id }) => chunk_id);
}

test('a large result is indexed by the thread, in order, while others write between its turns', async () => {
  await using database = await temporaryStorage();
  const { worker, indexer, errors } = openIndex(database);
  completeLargeJob(database.storage, indexer);
  let written = 0;
  while (indexingState(database.storage) !== 'indexed') {
    queueJob(database.storage);
    written += 1;
    await turn();
  }
  await worker.close();
  expect(written).toBeGreaterThan(CHUNKS.length / 10);
  expect(indexedChunks(database.storage)).toEqual(CHUNKS.map(({ id }) => id));
  expect(database.storage.db.all(database.storage.db.selectFrom('jobs').select('id'))).toHaveLength(written + 1);
  expect(errors).toEqual([]);
});

test('a thread that dies within a transaction gives up its lock, and the next one ends the work', async () => {
  await using database = await temporaryStorage();
  const entry = join(dirname(database.path), 'thread.ts');
  // Dies within a transaction of its own, and works from its second start on.
  await writeFile(
    entry,
    `import { existsSync, writeFileSync } from 'node:fs';
    import { parentPort, workerData } from 'node:worker_threads';
    import SqliteDatabase from ${JSON.stringify(import.meta.resolve('better-sqlite3'))};
    const mark = new URL('died', import.meta.url);
    if (existsSync(mark)) await import(${JSON.stringify(ENTRY.href)});
    else parentPort.on('message', () => {
      new SqliteDatabase(workerData.databasePath).exec('begin immediate; delete from jobs');
      writeFileSync(mark, '');
      throw new Error('It dies.');
    });`,
  );
  const { worker, indexer, errors } = openIndex(database, pathToFileURL(entry));
  completeLargeJob(database.storage, indexer);
  await until(() => indexingState(database.storage) === 'indexed');
  queueJob(database.storage);
  await worker.close();
  expect(indexedChunks(database.storage)).toHaveLength(CHUNKS.length);
  expect(errors).toEqual(['The thread that writes the index ended; it will be started again.']);
});

test('what the process before left waiting is indexed at the start', async () => {
  await using database = await temporaryStorage();
  completeLargeJob(database.storage, new Indexer({ worker: { kick: () => {} }, onIndexed: () => {} }));
  expect(indexingState(database.storage)).toBe('waiting');
  const { worker, indexer } = openIndex(database);
  indexer.start(database.storage.db);
  await until(() => indexingState(database.storage) === 'indexed');
  await worker.close();
  expect(indexedChunks(database.storage)).toHaveLength(CHUNKS.length);
});

test('no search finds a large job once it is removed, and its chunks go a few at a time', async () => {
  await using database = await temporaryStorage();
  const { storage } = database;
  const { worker, indexer } = openIndex(database);
  const many = chunks(300);
  const large = completeLargeJob(storage, indexer, many);
  const other = completeLargeJob(storage, indexer);
  const isIndexed = () => indexedChunks(storage).length === many.length + CHUNKS.length;
  await until(isIndexed);
  await worker.close();
  const client = new SearchClient({ entry: SEARCH_ENTRY, databasePath: database.path });
  const findsOf = async ({ id }: JobRow) => {
    const request = {
      accountId: 'owner',
      query: 'chunk',
      limit: 5,
      filter: { jobId: id },
      lexical: true,
      vector: null,
    };
    return (await client.search(request)).results.length;
  };
  expect(await Promise.all([large, other].map(findsOf))).toEqual([5, 5]);

  const later = openIndex(database);
  storage.transaction((tx) => later.indexer.onRemoved(tx, large.id));
  expect(isIndexed()).toBe(true);
  expect(await Promise.all([large, other].map(findsOf))).toEqual([0, 5]);
  later.indexer.kick();
  await until(() => indexedChunks(storage).length === CHUNKS.length);
  expect(storage.db.all(storage.db.selectFrom('search_jobs').select('job_id'))).toEqual([{ job_id: other.id }]);
  expect(await Promise.all([large, other].map(findsOf))).toEqual([0, 5]);
  await Promise.all([later.worker.close(), client.close()]);
});

test('an index for which the system gives no thread is tried again, and ends nothing', async () => {
  await using database = await temporaryStorage();
  const { worker, errors } = openIndex(database, new URL('http://127.0.0.1/no-thread'));
  worker.kick();
  await until(() => errors.length >= 2);
  expect(new Set(errors)).toEqual(
    new Set(['The thread that writes the index could not be started; tried again soon.']),
  );
  await worker.close();
});
