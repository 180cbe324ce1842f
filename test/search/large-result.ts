import { dirname, join } from 'node:path';
import type { JobRow } from '../../src-server/features/jobs/store.ts';
import { beginJob, completeJobRow } from '../../src-server/features/jobs/transition.ts';
import { Indexer } from '../../src-server/features/search/indexer.ts';
import type { Chunk } from '../../src-server/operation.ts';
import { openReader, type Storage } from '../../src-server/platform/db/database.ts';
import { queueJob } from '../harness/queue.ts';

export const INDEX_ENTRY = new URL('../../src-server/features/search/index-thread.ts', import.meta.url);

/** Chunks of a result that is too large to be indexed before others. */
export const CHUNKS = chunks(60);

export function chunks(count: number): Chunk[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `chk_${n}`,
    text: `Chunk ${n}. `.repeat(80),
    page: 1,
    segmentIndex: n,
  }));
}

export function indexPathOf(database: { path: string }): string {
  return join(dirname(database.path), 'search.db');
}

/** The indexer of a database, and the messages it has logged. */
export async function openIndexer(
  database: { storage: Storage; path: string },
  entry = INDEX_ENTRY,
  threadRestMs?: number,
) {
  const errors: string[] = [];
  const indexer = await Indexer.openIndexer({
    storage: database.storage,
    databasePath: database.path,
    indexPath: indexPathOf(database),
    jobsRoot: join(dirname(database.path), 'jobs'),
    entry,
    ...(threadRestMs === undefined ? {} : { threadRestMs }),
    onIndexed: () => {},
    republish: () => {},
    closeReaders: async () => {},
    log: { error: (_, message) => errors.push(message) },
  });
  indexer.prepareIndexer();
  return { indexer, errors };
}

/** Completes a job with these chunks. */
export function completeJob(storage: Storage, indexer: Pick<Indexer, 'onTerminal' | 'kick'>, chunks = CHUNKS): JobRow {
  const queued = queueJob(storage);
  storage.transaction((tx) => {
    const job = beginJob(tx, queued, { owner: 'run_x', expiresAt: 2 }, 1);
    const body = JSON.stringify({ chunks });
    const onTerminal = indexer.onTerminal.bind(indexer);
    completeJobRow(tx, job, { body, chunksBytes: null }, { now: 3, retentionMs: 1, onTerminal });
  });
  indexer.kick();
  return queued;
}

/** How many entries wait for the index. */
export function queuedEntries({ db }: Storage): number {
  return db.queryAll(db.selectFrom('search_queue').select('seq')).length;
}

/** Ids of the chunks in the index, in its order. */
export function indexedChunks(database: { path: string }): string[] {
  const { db, close } = openReader(indexPathOf(database));
  const rows = db.queryAll(db.selectFrom('search_chunks').select('chunk_id').orderBy('seq'));
  close();
  return rows.map(({ chunk_id }) => chunk_id);
}
