import { expect, test } from 'vitest';
import { begin, complete } from '../../src-server/jobs/transition.ts';
import { Indexer } from '../../src-server/search/indexer.ts';
import type { Storage } from '../../src-server/storage/connection.ts';
import { queueJob, temporaryStorage } from '../harness/queue.ts';
import { until } from '../harness/until.ts';

const CHUNKS = Array.from({ length: 60 }, (_, n) => ({
  id: `chk_${n}`,
  text: `Chunk ${n}. `.repeat(80),
  page: 1,
  segmentIndex: n,
}));

test('a disk that is full while a job is indexed ends nothing: the index goes on once there is room', async () => {
  await using database = await temporaryStorage();
  const { storage: real } = database;
  let refusals = 0;
  const storage: Storage = {
    ...real,
    transaction: async (work) => {
      const result = await real.transaction(work);
      if (refusals >= 2) return result;
      refusals += 1;
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    },
  };
  const indexer = new Indexer({ storage, chunksPathOf: () => null, onIndexed: () => {}, log: { error: () => {} } });
  const queued = await queueJob(real);
  await real.transaction(async (tx) => {
    const job = await begin(tx, queued, { owner: 'run_x', expiresAt: 2 }, 1);
    const body = JSON.stringify({ chunks: CHUNKS });
    const onTerminal = indexer.onTerminal.bind(indexer);
    await complete(tx, job, { body, chunksBytes: null }, { now: 3, retentionMs: 1, onTerminal });
  });
  indexer.kick();
  const stateOf = async () => (await real.db.selectFrom('search_jobs').select('state').executeTakeFirst())?.state;
  await until(async () => (await stateOf()) === 'indexed');
  await indexer.close();
  expect(refusals).toBe(2);
  expect(await real.db.selectFrom('search_chunks').select('chunk_id').execute()).toHaveLength(CHUNKS.length);
});
