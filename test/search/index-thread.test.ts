/** The thread that writes the index: other writers beside it, its death, and work that is applied twice. */
import type { EventEmitter } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { JobRow } from '../../src-server/features/jobs/store.ts';
import { IndexWriter } from '../../src-server/features/search/index-writer.ts';
import { nextEntries, queueJob as queueForIndex, searchedJobs } from '../../src-server/features/search/queue.ts';
import { SearchClient } from '../../src-server/features/search/service.ts';
import { openSecondStorage, type Tx } from '../../src-server/platform/db/database.ts';
import { queueJob, temporaryStorage } from '../harness/queue.ts';
import { until } from '../harness/until.ts';
import {
  CHUNKS,
  chunks,
  completeJob,
  INDEX_ENTRY,
  indexedChunks,
  indexPathOf,
  openIndexer,
  queuedEntries,
} from './large-result.ts';

const SEARCH_ENTRY = new URL('../../src-server/features/search/search-thread.ts', import.meta.url);

const NOT_WRITTEN = 'The search index cannot be written; it will be tried again.';

const ALL = CHUNKS.map(({ id }) => id);

test('a large result is indexed by the thread, in order, while others write to the main database', async () => {
  await using database = await temporaryStorage();
  const { indexer, errors } = await openIndexer(database);
  completeJob(database.storage, indexer);
  let written = 0;
  while (queuedEntries(database.storage) > 0) {
    queueJob(database.storage);
    written += 1;
    await turn();
  }
  await indexer.closeIndexer();
  expect(written).toBeGreaterThan(CHUNKS.length / 10);
  expect(indexedChunks(database)).toEqual(ALL);
  expect(database.storage.db.queryAll(database.storage.db.selectFrom('jobs').select('id'))).toHaveLength(written + 1);
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
    if (existsSync(mark)) await import(${JSON.stringify(INDEX_ENTRY.href)});
    else parentPort.on('message', () => {
      new SqliteDatabase(workerData.indexPath).exec('begin immediate; delete from search_identity');
      writeFileSync(mark, '');
      throw new Error('It dies.');
    });`,
  );
  const { indexer, errors } = await openIndexer(database, pathToFileURL(entry));
  completeJob(database.storage, indexer);
  await until(() => queuedEntries(database.storage) === 0);
  await indexer.closeIndexer();
  expect(indexedChunks(database)).toEqual(ALL);
  expect(errors).toEqual([NOT_WRITTEN]);
});

test('a thread without entries ends, and the next entry starts another', async () => {
  await using database = await temporaryStorage();
  const { indexer, errors } = await openIndexer(database, INDEX_ENTRY, 1);
  const running = new Set<EventEmitter>();
  let started = 0;
  const count = (worker: EventEmitter) => {
    started += 1;
    running.add(worker);
    worker.once('exit', () => running.delete(worker));
  };
  const threads: EventEmitter = process;
  threads.on('worker', count);
  for (const expected of [1, 2, 3]) {
    completeJob(database.storage, indexer, chunks(expected));
    await until(() => queuedEntries(database.storage) === 0 && running.size === 0 && started >= expected);
  }
  // Also in the middle of going to rest.
  for (let job = 0; job < 20; job += 1) {
    completeJob(database.storage, indexer, chunks(1));
    await turn();
  }
  await until(() => queuedEntries(database.storage) === 0 && running.size === 0);
  threads.off('worker', count);
  await indexer.closeIndexer();
  expect(errors).toEqual([]);
});

test('what the process before left waiting is indexed at the start', async () => {
  await using database = await temporaryStorage();
  const before = await openIndexer(database);
  completeJob(database.storage, { onTerminal: (tx, job) => queueForIndex(tx, job.id, 'large'), kick: () => {} });
  await before.indexer.closeIndexer();
  expect(indexedChunks(database)).toEqual([]);
  const { indexer } = await openIndexer(database);
  indexer.startIndexer();
  await until(() => queuedEntries(database.storage) === 0);
  await indexer.closeIndexer();
  expect(indexedChunks(database)).toEqual(ALL);
});

test('an entry that is applied again, after half of it or all of it was, leaves each chunk once', async () => {
  await using database = await temporaryStorage();
  await (await openIndexer(database)).indexer.closeIndexer();
  const { db, transaction } = database.storage;
  completeJob(
    database.storage,
    { onTerminal: (tx, job) => queueForIndex(tx, job.id, 'large'), kick: () => {} },
    chunks(250),
  );
  const real = openSecondStorage(indexPathOf(database), { synchronous: 'NORMAL' });
  let writes = 0;
  const index: typeof real = {
    ...real,
    transaction: (work) => {
      writes += 1;
      if (writes === 2) throw Object.assign(new Error('It dies.'), { code: 'SQLITE_IOERR' });
      return real.transaction(work);
    },
  };
  const writer = new IndexWriter({ index, main: db, chunksPathOf: () => 'none' });
  const entries = nextEntries(db, 'background', 10);
  await expect(writer.apply(entries)).rejects.toThrow('It dies.');
  expect(indexedChunks(database)).toHaveLength(100);
  const every = chunks(250).map(({ id }) => id);
  for (let times = 0; times < 2; times += 1) {
    expect(await writer.apply(entries)).toEqual({ failed: [], damage: null });
    expect(indexedChunks(database)).toEqual(every);
  }
  transaction((tx) => tx.runStatement(tx.updateTable('jobs').set({ purged_at: 1 })));
  await writer.apply(entries);
  expect(indexedChunks(database)).toEqual([]);
  real.close();
});

test('an entry that is replaced while it is applied stays in the queue, and the older one stops', async () => {
  await using database = await temporaryStorage();
  await (await openIndexer(database)).indexer.closeIndexer();
  const { db, transaction } = database.storage;
  const queue = { onTerminal: (tx: Tx, { id }: { id: string }) => queueForIndex(tx, id, 'large'), kick: () => {} };
  const job = completeJob(database.storage, queue, chunks(250));
  const [older] = nextEntries(db, 'background', 1);
  transaction((tx) => queueForIndex(tx, job.id, 'large'));
  const [newer] = nextEntries(db, 'background', 1);
  if (older === undefined || newer === undefined) throw new Error('Nothing is queued.');
  expect(newer.seq).toBeGreaterThan(older.seq);
  const index = openSecondStorage(indexPathOf(database), { synchronous: 'NORMAL' });
  const writer = new IndexWriter({ index, main: db, chunksPathOf: () => 'none' });
  await Promise.all([writer.apply([older]), writer.apply([newer])]);
  expect(indexedChunks(database)).toEqual(chunks(250).map(({ id }) => id));
  index.close();
});

test('a small result is indexed while a large one is, and does not wait for its end', async () => {
  await using database = await temporaryStorage();
  await (await openIndexer(database)).indexer.closeIndexer();
  const { db } = database.storage;
  const sizes = ['large', 'small'] as const;
  for (const size of sizes) {
    const queue = { onTerminal: (tx: Tx, job: { id: string }) => queueForIndex(tx, job.id, size), kick: () => {} };
    completeJob(database.storage, queue, chunks(size === 'large' ? 1000 : 10));
  }
  const index = openSecondStorage(indexPathOf(database), { synchronous: 'NORMAL' });
  const writer = new IndexWriter({ index, main: db, chunksPathOf: () => 'none' });
  const large = writer.apply(nextEntries(db, 'background', 1));
  await writer.apply(nextEntries(db, 'small', 1));
  expect(indexedChunks(database).length).toBeLessThan(1000);
  await large;
  expect(indexedChunks(database)).toHaveLength(1010);
  index.close();
});

test('no search finds a large job once it is removed, and its chunks go later', async () => {
  await using database = await temporaryStorage();
  const { storage } = database;
  const { indexer } = await openIndexer(database);
  const many = chunks(300);
  const large = completeJob(storage, indexer, many);
  const other = completeJob(storage, indexer);
  await until(() => queuedEntries(storage) === 0);
  const client = new SearchClient({ entry: SEARCH_ENTRY, indexPath: indexPathOf(database) });
  const findsOf = async ({ id }: JobRow) => {
    const request = {
      accountId: 'owner',
      jobs: searchedJobs(storage.db, 'owner'),
      query: 'chunk',
      limit: 5,
      filter: { jobId: id },
      lexical: true,
      vector: null,
    };
    return (await client.searchIndex(request)).results.length;
  };
  expect(await Promise.all([large, other].map(findsOf))).toEqual([5, 5]);

  storage.transaction((tx) => indexer.onRemoved(tx, large.id));
  expect(indexedChunks(database)).toHaveLength(many.length + CHUNKS.length);
  expect(await Promise.all([large, other].map(findsOf))).toEqual([0, 5]);
  indexer.kick();
  await until(() => queuedEntries(storage) === 0);
  expect(indexedChunks(database)).toEqual(ALL);
  expect(await Promise.all([large, other].map(findsOf))).toEqual([0, 5]);
  await indexer.closeIndexer();
  await client.closeSearchClient();
});

test('an index for which the system gives no thread is tried again, and ends nothing', async () => {
  await using database = await temporaryStorage();
  const { indexer, errors } = await openIndexer(database, new URL('http://127.0.0.1/no-thread'));
  completeJob(database.storage, indexer);
  await until(() => errors.length >= 2);
  expect(new Set(errors)).toEqual(new Set([NOT_WRITTEN]));
  await indexer.closeIndexer();
});
