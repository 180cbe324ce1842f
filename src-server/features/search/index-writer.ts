import { createReadStream, existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Chunk } from '../../operation.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { isStorageTrouble } from '../../platform/errors.ts';
import { jsonLines } from '../../platform/text/json.ts';
import { SECOND_MS } from '../../platform/units.ts';
import {
  deleteSomeChunks,
  type IndexedJob,
  indexedJob,
  indexingOf,
  insertChunk,
  mergeWords,
  nextToIndex,
  noteIndexed,
  pageLanguages,
  REMOVED,
  resultBody,
  resultFacts,
} from './store.ts';
import { wordsOf } from './words.ts';

/** Chunks per transaction, and how long one may take: the server's thread waits that long to write. */
const BATCH = 10;

const SLICE_MS = 2;

/** Between transactions: SQLite's lock has no queue, so the server's thread takes it while none is open. */
const PAUSE_MS = 4;

/** Chunks per transaction that deletes. */
const DELETED_BATCH = 200;

/**
 * Pages of the index that are put together for each chunk: a chunk fills a third of one, which moves up once through
 * each of some seven levels. Left to itself, the index does this for hundreds of pages at once.
 */
const MERGED_PAGES_PER_CHUNK = 3;

/** How soon the index is tried again after it could not be written. */
const RETRY_MS = SECOND_MS;

/**
 * Puts the chunks of the jobs that wait for it into the index, a few at a time. That a job waits, and how far it is, is
 * written in the database: what a process leaves when it dies is taken up at the next start.
 */
export class IndexWriter {
  readonly #deps: IndexWriterDeps;
  #working: Promise<void> | null = null;
  #closed = false;
  #mayWait = false;
  #retry: NodeJS.Timeout | null = null;

  constructor(deps: IndexWriterDeps) {
    this.#deps = deps;
  }

  /** There may be something to index. */
  kick(): void {
    this.#mayWait = true;
    this.#work();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#retry) clearTimeout(this.#retry);
    await this.#working;
  }

  #work(): void {
    if (this.#closed || !this.#mayWait || this.#retry !== null) return;
    this.#working ??= this.#drain()
      .catch((error: unknown) => this.#tryLater(error))
      .finally(() => {
        this.#working = null;
        this.#work();
      });
  }

  /** Nothing is lost: what waits for the index says so in the database, and goes on once that can be written. */
  #tryLater(error: unknown): void {
    this.#deps.onFailed(error, null, 'The index cannot be written; it will be tried again.');
    this.#mayWait = true;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.#work();
    }, RETRY_MS);
  }

  async #drain(): Promise<void> {
    const { storage, onFailed } = this.#deps;
    for (;;) {
      if (this.#closed) return;
      this.#mayWait = false;
      const next = nextToIndex(storage.db);
      if (next === undefined) return;
      this.#mayWait = true;
      try {
        if (next.indexed_chunks === REMOVED) await this.#remove(next.job_id);
        else await this.#index(next.job_id, next.indexed_chunks);
      } catch (error) {
        if (isStorageTrouble(error) || next.indexed_chunks === REMOVED) throw error;
        onFailed(error, next.job_id, 'A job could not be indexed.');
        const change = { indexedChunks: next.indexed_chunks, state: 'failed' } as const;
        storage.transaction((tx) => noteIndexed(tx, next.job_id, change));
      }
    }
  }

  async #index(jobId: string, from: number): Promise<void> {
    const { storage } = this.#deps;
    const job = indexedJob(storage.db, jobId);
    if (job === undefined) return this.#remove(jobId);
    const { title, language } = resultFacts(storage.db, jobId);
    const languages = pageLanguages(storage.db, jobId);
    const languageOf = (chunk: Chunk) => languages.get(chunk.url ?? '') ?? language;
    const work: Indexed = { job, sourceName: job.source_name ?? title, languageOf, indexed: from };
    let passed = 0;
    let batch: Chunk[] = [];
    for await (const chunk of this.#chunksOf(jobId)) {
      passed += 1;
      if (passed <= from) continue;
      batch.push(chunk);
      if (batch.length < BATCH) continue;
      const rest = await this.#write(work, batch, false);
      if (rest === null || this.#closed) return;
      batch = rest;
    }
    do {
      const rest = await this.#write(work, batch, true);
      if (rest === null || this.#closed) return;
      batch = rest;
    } while (batch.length > 0);
    this.#deps.onIndexed();
  }

  async #remove(jobId: string): Promise<void> {
    while (!this.#closed) {
      if (!this.#deps.storage.transaction((tx) => deleteSomeChunks(tx, jobId, DELETED_BATCH))) return;
      await delay(PAUSE_MS);
    }
  }

  /** Writes chunks, or as many as time allows, and returns the others; null when the job is not to be indexed. */
  async #write(work: Indexed, chunks: readonly Chunk[], isLast: boolean): Promise<Chunk[] | null> {
    await delay(PAUSE_MS);
    return this.#deps.storage.transaction((tx) => {
      const { job } = work;
      // The job may have been removed meanwhile, or have run again: then this is no longer what is to be indexed.
      const indexing = indexingOf(tx, job.id);
      if (indexing?.state !== 'waiting' || indexing.indexed_chunks !== work.indexed) return null;
      const startedAt = performance.now();
      let done = 0;
      for (const chunk of chunks) {
        insertJobChunk(tx, job, chunk, work.sourceName, work.languageOf(chunk));
        done += 1;
        if (performance.now() - startedAt >= SLICE_MS) break;
      }
      mergeIndex(tx, done);
      work.indexed += done;
      const rest = chunks.slice(done);
      const state = isLast && rest.length === 0 ? 'indexed' : 'waiting';
      noteIndexed(tx, job.id, { indexedChunks: work.indexed, state });
      return rest;
    });
  }

  /** A large result holds only some of its chunks; their file holds all. */
  async *#chunksOf(jobId: string): AsyncGenerator<Chunk> {
    const path = this.#deps.chunksPathOf(jobId);
    if (!existsSync(path)) {
      // It was checked against its operation's schema when it was stored.
      const result = JSON.parse(resultBody(this.#deps.storage.db, jobId) ?? '{}') as { chunks?: Chunk[] };
      yield* result.chunks ?? [];
      return;
    }
    for await (const line of jsonLines(createReadStream(path, 'utf8'))) yield Chunk.parse(JSON.parse(line));
  }
}

interface IndexWriterDeps {
  storage: Storage;
  /** Path of the file that holds all chunks of a job, where its operation writes one. */
  chunksPathOf(jobId: string): string;
  /** All chunks of a job are in the index. */
  onIndexed(): void;
  onFailed(error: unknown, jobId: string | null, message: string): void;
}

/** What one job's chunks are indexed with, and how far that is. */
interface Indexed {
  job: IndexedJob;
  sourceName: string | null;
  languageOf(chunk: Chunk): string | null;
  indexed: number;
}

/** What the index would put together by itself after so many chunks, were it let to. */
export function mergeIndex(tx: Tx, chunks: number): void {
  mergeWords(tx, chunks * MERGED_PAGES_PER_CHUNK);
}

export function insertJobChunk(
  tx: Tx,
  job: IndexedJob,
  chunk: Chunk,
  sourceName: string | null,
  language: string | null,
): void {
  const row = {
    account_id: job.account_id,
    job_id: job.id,
    job_type: job.operation_id,
    contribution_id: null,
    chunk_id: chunk.id,
    kind: chunk.kind ?? 'text',
    language,
    page: chunk.page,
    heading: chunk.heading ?? null,
    url: chunk.url ?? null,
    source_name: sourceName,
    start_seconds: chunk.startSeconds ?? null,
    text: chunk.text,
    original_text: chunk.originalText ?? null,
  };
  insertChunk(tx, row, wordsOf(row));
}
