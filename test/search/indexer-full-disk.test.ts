import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { IndexWriter } from '../../src-server/features/search/index-writer.ts';
import { Indexer } from '../../src-server/features/search/indexer.ts';
import type { Storage } from '../../src-server/platform/db/database.ts';
import { temporaryStorage } from '../harness/queue.ts';
import { until } from '../harness/until.ts';
import { CHUNKS, completeLargeJob, indexingState } from './large-result.ts';

test('a disk that is full, or a database that is held, while a job is indexed ends nothing: the index goes on after it', async () => {
  await using database = await temporaryStorage();
  const { storage: real } = database;
  let refusals = 0;
  const storage: Storage = {
    ...real,
    transaction: (work) => {
      const result = real.transaction(work);
      if (refusals >= 2) return result;
      refusals += 1;
      throw Object.assign(new Error('not now'), { code: refusals === 1 ? 'SQLITE_FULL' : 'SQLITE_BUSY' });
    },
  };
  const failures: string[] = [];
  const onIndexed = () => {};
  const writer = new IndexWriter({
    storage,
    chunksPathOf: () => join(dirname(database.path), 'none'),
    onIndexed,
    onFailed: (_, __, message) => failures.push(message),
  });
  completeLargeJob(real, new Indexer({ worker: writer, onIndexed }));
  await until(() => indexingState(real) === 'indexed');
  await writer.close();
  expect(refusals).toBe(2);
  expect(failures).toEqual(Array(2).fill('The index cannot be written; it will be tried again.'));
  expect(real.db.all(real.db.selectFrom('search_chunks').select('chunk_id'))).toHaveLength(CHUNKS.length);
});
