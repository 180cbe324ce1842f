import type { Chunk } from '../../chunk.ts';
import type { Db, Tx } from '../../platform/db/schema.ts';
import type { JobRow, StoredResult } from '../jobs/store.ts';
import { insertJobChunk, mergeIndex } from './index-writer.ts';
import { awaitRemoval, beginIndexing, deleteChunksOfJob } from './search-writer.ts';
import { indexingOf, nextToIndex } from './store.ts';

/** A result up to here is indexed by the transaction that ends its job: that is less work than to come back to it. */
const SMALL_RESULT_CHARS = 32_768;
/** So many chunks are deleted by the transaction that removes their job: that takes two milliseconds. */
const DELETED_AT_ONCE_MAX = 256;

/** What the index takes from a result that it parses itself. */
interface SmallResult {
  chunks?: Chunk[];
  document?: { title: string | null; language: string | null };
  pages?: { url: string; language: string | null }[];
}

export interface IndexerParts {
  /** Writes the index of the jobs that wait for it (`IndexWorker`). */
  worker: { kick(): void };
  /** All chunks of a job are in the index. */
  onIndexed(): void;
}

/**
 * Puts the chunks of completed jobs into the index: those of a small result with the job's completion; that the others
 * wait for the thread that writes the index is written with their completion.
 */
export class Indexer {
  readonly #parts: IndexerParts;
  /** Whether a job was let wait that the thread was not told of. */
  #waits = false;
  /** Whether something was indexed that nobody was told of. */
  #untold = false;

  constructor(parts: IndexerParts) {
    this.#parts = parts;
  }

  /** At start: takes up what the process before left. */
  async start(db: Db): Promise<void> {
    if ((await nextToIndex(db)) !== undefined) this.#parts.worker.kick();
  }

  /** In the transaction that ends a job, with its result, checked by the operation's schema. */
  async onTerminal(tx: Tx, job: JobRow, result: StoredResult | null): Promise<void> {
    // A job that ran again is indexed anew.
    if (await indexingOf(tx, job.id)) await deleteChunksOfJob(tx, job.id);
    if (job.status !== 'completed') return;
    if (result === null || result.chunksBytes !== null || result.body.length > SMALL_RESULT_CHARS) {
      await beginIndexing(tx, job.id, { indexedChunks: 0, state: 'waiting' });
      this.#waits = true;
      return;
    }
    const { chunks = [], document, pages = [] } = JSON.parse(result.body) as SmallResult;
    const languages = new Map(pages.map(({ url, language }) => [url, language]));
    const sourceName = job.source_name ?? document?.title ?? null;
    for (const chunk of chunks) {
      const language = languages.get(chunk.url ?? '') ?? document?.language ?? null;
      await insertJobChunk(tx, job, chunk, sourceName, language);
    }
    await mergeIndex(tx, chunks.length);
    await beginIndexing(tx, job.id, { indexedChunks: chunks.length, state: 'indexed' });
    this.#untold = true;
  }

  /** In the transaction that removes a job's result. */
  async onRemoved(tx: Tx, jobId: string): Promise<void> {
    const indexing = await indexingOf(tx, jobId);
    if (indexing === undefined) return;
    if (indexing.indexed_chunks <= DELETED_AT_ONCE_MAX) return deleteChunksOfJob(tx, jobId);
    await awaitRemoval(tx, jobId);
    this.#waits = true;
  }

  /** A transaction is over: what it indexed, or let wait, is there now. */
  kick(): void {
    if (this.#untold) this.#parts.onIndexed();
    this.#untold = false;
    if (this.#waits) this.#parts.worker.kick();
    this.#waits = false;
  }
}
