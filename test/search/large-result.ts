import type { JobRow } from '../../src-server/features/jobs/store.ts';
import { begin, complete } from '../../src-server/features/jobs/transition.ts';
import type { Indexer } from '../../src-server/features/search/indexer.ts';
import type { Chunk } from '../../src-server/operation.ts';
import type { Storage } from '../../src-server/platform/db/database.ts';
import { queueJob } from '../harness/queue.ts';

/** Chunks of a result that is too large to be indexed with the completion of its job. */
export const CHUNKS = chunks(60);

export function chunks(count: number): Chunk[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `chk_${n}`,
    text: `Chunk ${n}. `.repeat(80),
    page: 1,
    segmentIndex: n,
  }));
}

/** Completes a job whose result has these chunks, so that it waits for the index. */
export function completeLargeJob(storage: Storage, indexer: Indexer, chunks = CHUNKS): JobRow {
  const queued = queueJob(storage);
  storage.transaction((tx) => {
    const job = begin(tx, queued, { owner: 'run_x', expiresAt: 2 }, 1);
    const body = JSON.stringify({ chunks });
    const onTerminal = indexer.onTerminal.bind(indexer);
    complete(tx, job, { body, chunksBytes: null }, { now: 3, retentionMs: 1, onTerminal });
  });
  indexer.kick();
  return queued;
}

/** How far the index is with the only job. */
export function indexingState(storage: Storage): string | undefined {
  return storage.db.first(storage.db.selectFrom('search_jobs').select('state'))?.state;
}
