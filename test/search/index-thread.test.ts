/** The thread that writes the index of large results: its turns among the other writers, and its death. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { JobRow } from '../../src-server/features/jobs/store.ts';
import { Indexer, IndexWorker } from '../../src-server/features/search/indexer.ts';
import { SearchClient } from '../../src-server/features/search/service.ts';
import type { Storage } from '../../src-server/platform/db/database.ts';
import { openLentStorage } from '../../src-server/platform/db/lent-connection.ts';
import { queueJob, temporaryStorage } from '../harness/queue.ts';
import { until } from '../harness/until.ts';
import { CHUNKS, chunks, completeLargeJob, indexingState } from './large-result.ts';

const SEARCH_ENTRY = new URL('../../src-server/features/search/search-thread.ts', import.meta.url);
const ENTRY = new URL('../../src-server/features/search/index-thread.ts', import.meta.url);

function openIndex(database: { storage: Storage; path: string }, entry = ENTRY) {
  const errors: string[] = [];
  const onIndexed = () => {};
  const worker = new IndexWorker({
    storage: database.storage,
    databasePath: database.path,
    jobsRoot: join(dirname(database.path), 'jobs'),
    entry,
    onIndexed,
    log: { error: (_, message) => errors.push(message) },
  });
  return { worker, indexer: new Indexer({ worker, onIndexed }), errors };
}

async function indexedChunks({ db }: Storage): Promise<string[]> {
  const rows = db.all(db.selectFrom('search_chunks').select('chunk_id').orderBy('seq'));
  return rows.map(({ chunk_id }) => chunk_id);
}

test('while the right to write is lent, reading goes on and a transaction waits for its turn', async () => {
  await using database = await temporaryStorage();
  const { storage, path } = database;
  const before = await queueJob(storage);
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const lent = storage.lend(() => over);
  const order: string[] = [];
  const queued = queueJob(storage).then(() => order.push('written'));
  expect(storage.db.all(storage.db.selectFrom('jobs').select('id'))).toEqual([{ id: before.id }]);
  const other = openLentStorage(path, { borrow: async () => {}, giveBack: () => order.push('given back') });
  await other.transaction((tx) => storage.db.all(tx.updateTable('jobs').set({ source_name: 'read.txt' })));
  end();
  await Promise.all([lent, queued]);
  await other.close();
  expect(order).toEqual(['given back', 'written']);
  const names = storage.db.all(storage.db.selectFrom('jobs').select('source_name').orderBy('source_name'));
  expect(names.map(({ source_name }) => source_name)).toEqual([null, 'read.txt']);
});

test('a loan that fails ends as one: who waited writes', async () => {
  await using database = await temporaryStorage();
  const { storage } = database;
  await expect(storage.lend(() => Promise.reject(new Error('It broke.')))).rejects.toThrow('It broke.');
  await queueJob(storage);
  expect(storage.db.all(storage.db.selectFrom('jobs').select('id'))).toHaveLength(1);
});

test('a large result is indexed by the thread, in order, while others write between its turns', async () => {
  await using database = await temporaryStorage();
  const { worker, indexer, errors } = openIndex(database);
  await completeLargeJob(database.storage, indexer);
  let written = 0;
  while ((await indexingState(database.storage)) !== 'indexed') {
    await queueJob(database.storage);
    written += 1;
    await turn();
  }
  await worker.close();
  expect(written).toBeGreaterThan(CHUNKS.length / 10);
  expect(await indexedChunks(database.storage)).toEqual(CHUNKS.map(({ id }) => id));
  expect(database.storage.db.all(database.storage.db.selectFrom('jobs').select('id'))).toHaveLength(written + 1);
  expect(errors).toEqual([]);
});

test('a thread that dies while it may write gives the right back, and the next one ends the work', async () => {
  await using database = await temporaryStorage();
  const entry = join(dirname(database.path), 'thread.ts');
  // Dies once it was granted the right to write, and works from its second start on.
  await writeFile(
    entry,
    `import { existsSync, writeFileSync } from 'node:fs';
    import { parentPort } from 'node:worker_threads';
    const mark = new URL('died', import.meta.url);
    if (existsSync(mark)) await import(${JSON.stringify(ENTRY.href)});
    else parentPort.on('message', (order) => {
      if (order === 'kick') return parentPort.postMessage({ kind: 'borrow' });
      writeFileSync(mark, '');
      throw new Error('It dies.');
    });`,
  );
  const { worker, indexer, errors } = openIndex(database, pathToFileURL(entry));
  await completeLargeJob(database.storage, indexer);
  await until(async () => (await indexingState(database.storage)) === 'indexed');
  await queueJob(database.storage);
  await worker.close();
  expect(await indexedChunks(database.storage)).toHaveLength(CHUNKS.length);
  expect(errors).toEqual(['The thread that writes the index ended; it will be started again.']);
});

test('what the process before left waiting is indexed at the start', async () => {
  await using database = await temporaryStorage();
  await completeLargeJob(database.storage, new Indexer({ worker: { kick: () => {} }, onIndexed: () => {} }));
  expect(await indexingState(database.storage)).toBe('waiting');
  const { worker, indexer } = openIndex(database);
  await indexer.start(database.storage.db);
  await until(async () => (await indexingState(database.storage)) === 'indexed');
  await worker.close();
  expect(await indexedChunks(database.storage)).toHaveLength(CHUNKS.length);
});

test('no search finds a large job once it is removed, and its chunks go a few at a time', async () => {
  await using database = await temporaryStorage();
  const { storage } = database;
  const { worker, indexer } = openIndex(database);
  const many = chunks(300);
  const large = await completeLargeJob(storage, indexer, many);
  const other = await completeLargeJob(storage, indexer);
  const isIndexed = async () => (await indexedChunks(storage)).length === many.length + CHUNKS.length;
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
  await storage.transaction((tx) => later.indexer.onRemoved(tx, large.id));
  expect(await isIndexed()).toBe(true);
  expect(await Promise.all([large, other].map(findsOf))).toEqual([0, 5]);
  later.indexer.kick();
  await until(async () => (await indexedChunks(storage)).length === CHUNKS.length);
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
