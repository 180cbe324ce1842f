import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryStorage } from '../harness/queue.ts';
import { until } from '../harness/until.ts';
import { CHUNKS, completeJob, indexedChunks, openIndexer, queuedEntries } from './large-result.ts';

const FOLDER = new URL('../../src-server/', import.meta.url);

test('a disk that is full, or an index that is held, while a job is indexed ends nothing: the index goes on after it', async () => {
  await using database = await temporaryStorage();
  const entry = join(dirname(database.path), 'thread.ts');
  const path = (name: string) => JSON.stringify(new URL(name, FOLDER).href);
  // Its first two transactions are refused.
  await writeFile(
    entry,
    `import { workerData } from 'node:worker_threads';
    import { openReader, openSecondStorage } from ${path('platform/db/database.ts')};
    import { IndexWriter } from ${path('features/search/index-writer.ts')};
    import { ownerLine } from ${path('platform/rpc/lines.ts')};
    import { serveMethods } from ${path('platform/rpc/rpc.ts')};
    const refusals = ['SQLITE_FULL', 'SQLITE_BUSY'];
    const real = openSecondStorage(workerData.indexPath, { synchronous: 'FULL' });
    const index = {
      ...real,
      transaction: (work) => real.transaction((tx) => {
        const result = work(tx);
        const code = refusals.shift();
        if (code !== undefined) throw Object.assign(new Error('not now'), { code });
        return result;
      }),
    };
    const main = openReader(workerData.databasePath);
    const writer = new IndexWriter({ index, main: main.db, chunksPathOf: () => 'none' });
    serveMethods({ apply: (entries) => writer.apply(entries) }, ownerLine, async () => {
      await writer.closeIndexWriter();
      real.close();
      main.close();
    });`,
  );
  const { indexer, errors } = await openIndexer(database, pathToFileURL(entry));
  completeJob(database.storage, indexer);
  await until(() => queuedEntries(database.storage) === 0);
  await indexer.closeIndexer();
  expect(errors).toEqual(Array(2).fill('The search index cannot be written; it will be tried again.'));
  expect(indexedChunks(database)).toHaveLength(CHUNKS.length);
});
