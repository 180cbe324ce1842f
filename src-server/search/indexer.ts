import { createReadStream, existsSync } from 'node:fs';
import { Chunk } from '../contract/chunk.ts';
import { isDiskFull } from '../lib/disk-full.ts';
import { jsonLines } from '../lib/json-lines.ts';
import { ThreadShare } from '../lib/thread-share.ts';
import { SECOND_MS } from '../lib/units.ts';
import type { Storage } from '../storage/connection.ts';
import { type JobRow, jobById, resultOf, type StoredResult } from '../storage/jobs-reader.ts';
import type { Tx } from '../storage/schema.ts';
import { indexingOf, nextToIndex, pageLanguages, resultFacts } from '../storage/search-reader.ts';
import { beginIndexing, deleteChunksOfJob, insertChunk, mergeWords, noteIndexed } from '../storage/search-writer.ts';
import { wordsOf } from './scope.ts';

/** Chunks per transaction, and how long one may go on: requests wait no longer than this. */
const BATCH = 10;
const SLICE_MS = 2;
/**
 * Pages of the index that are put together for each chunk: a chunk fills a third of one, which moves up once through
 * each of some seven levels. Left to itself, the index does this for hundreds of pages at once.
 */
const MERGED_PAGES_PER_CHUNK = 3;
/** How soon the index is tried again after it could not be written. */
const RETRY_MS = SECOND_MS;
/** A result up to here is indexed by the transaction that ends its job: that is less work than to come back to it. */
const SMALL_RESULT_CHARS = 32_768;

/** What the index takes from a result that it parses itself. */
interface SmallResult {
  chunks?: Chunk[];
  document?: { title: string | null; language: string | null };
  pages?: { url: string; language: string | null }[];
}

export interface IndexerParts {
  storage: Storage;
  /** Path of the file that holds all chunks of a job, where its operation writes one. */
  chunksPathOf(jobId: string): string | null;
  /** All chunks of a job are in the index. */
  onIndexed(): void;
  log: { error(fields: object, message: string): void };
}

/**
 * Puts the chunks of completed jobs into the index: those of a small result with the job's completion, those of others
 * right after it, a few at a time. That a job waits for it is written with its completion, so what a process leaves
 * when it dies is taken up at the next start.
 */
export class Indexer {
  readonly #parts: IndexerParts;
  #working: Promise<void> | null = null;
  #closed = false;
  /** Whether a job may wait: only this process lets one wait, but for those that were left by the one before. */
  #mayWait = true;
  #retry: NodeJS.Timeout | null = null;
  /** Whether something was indexed that nobody was told of. */
  #untold = false;

  constructor(parts: IndexerParts) {
    this.#parts = parts;
  }

  /** In the transaction that ends a job, with its result, checked by the operation's schema. */
  async onTerminal(tx: Tx, job: JobRow, result: StoredResult | null): Promise<void> {
    // A job that ran again is indexed anew.
    if (await indexingOf(tx, job.id)) await deleteChunksOfJob(tx, job.id);
    if (job.status !== 'completed') return;
    if (result === null || result.chunksBytes !== null || result.body.length > SMALL_RESULT_CHARS) {
      await beginIndexing(tx, job.id, { indexedChunks: 0, state: 'waiting' });
      this.#mayWait = true;
      return;
    }
    const { chunks = [], document, pages = [] } = JSON.parse(result.body) as SmallResult;
    const languages = new Map(pages.map(({ url, language }) => [url, language]));
    const sourceName = job.source_name ?? document?.title ?? null;
    for (const chunk of chunks) {
      const language = languages.get(chunk.url ?? '') ?? document?.language ?? null;
      await insertJobChunk(tx, job, chunk, sourceName, language);
    }
    await mergeWords(tx, chunks.length * MERGED_PAGES_PER_CHUNK);
    await beginIndexing(tx, job.id, { indexedChunks: chunks.length, state: 'indexed' });
    this.#untold = true;
  }

  /** In the transaction that removes a job's result. */
  async onRemoved(tx: Tx, jobId: string): Promise<void> {
    await deleteChunksOfJob(tx, jobId);
  }

  /** There may be something to index. */
  kick(): void {
    if (this.#closed) return;
    if (this.#untold) this.#parts.onIndexed();
    this.#untold = false;
    if (!this.#mayWait || this.#retry !== null) return;
    this.#working ??= this.#drain()
      .catch((error: unknown) => this.#tryLater(error))
      .finally(() => {
        this.#working = null;
        if (this.#mayWait) this.kick();
      });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#working;
  }

  /** Nothing is lost: what waits for the index says so in the database, and goes on once that can be written. */
  #tryLater(error: unknown): void {
    this.#parts.log.error({ err: error }, 'The index cannot be written; it will be tried again.');
    this.#mayWait = true;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.kick();
    }, RETRY_MS).unref();
  }

  async #drain(): Promise<void> {
    const { storage, log } = this.#parts;
    for (;;) {
      if (this.#closed) return;
      this.#mayWait = false;
      const next = await nextToIndex(storage.db);
      if (next === undefined) return;
      this.#mayWait = true;
      try {
        await this.#index(next.job_id, next.indexed_chunks);
      } catch (error) {
        if (isDiskFull(error)) throw error;
        log.error({ err: error, jobId: next.job_id }, 'A job could not be indexed.');
        const change = { indexedChunks: next.indexed_chunks, state: 'failed' } as const;
        await storage.transaction((tx) => noteIndexed(tx, next.job_id, change));
      }
    }
  }

  async #index(jobId: string, from: number): Promise<void> {
    const { storage } = this.#parts;
    const job = await jobById(storage.db, jobId);
    if (job === undefined) return storage.transaction((tx) => deleteChunksOfJob(tx, jobId));
    const { title, language } = await resultFacts(storage.db, jobId);
    const languages = await pageLanguages(storage.db, jobId);
    const languageOf = (chunk: Chunk) => languages.get(chunk.url ?? '') ?? language;
    const sourceName = job.source_name ?? title;
    let indexed = from;
    let batch: Chunk[] = [];
    const share = new ThreadShare();
    let startedAt = 0;
    /** Indexes what is read, or as much of it as time allows; false when the job is not to be indexed any more. */
    const flush = (isLast: boolean): Promise<boolean> =>
      storage.transaction(async (tx) => {
        // The job may have been removed meanwhile, or have run again: then this is no longer what is to be indexed.
        if ((await indexingOf(tx, jobId))?.state !== 'waiting') return false;
        startedAt = performance.now();
        let done = 0;
        do {
          const chunk = batch[done];
          if (chunk === undefined) break;
          await insertJobChunk(tx, job, chunk, sourceName, languageOf(chunk));
          done += 1;
        } while (performance.now() - startedAt < SLICE_MS);
        await mergeWords(tx, done * MERGED_PAGES_PER_CHUNK);
        batch = batch.slice(done);
        indexed += done;
        const state = isLast && batch.length === 0 ? 'indexed' : 'waiting';
        await noteIndexed(tx, jobId, { indexedChunks: indexed, state });
        return true;
      });
    let passed = 0;
    for await (const chunk of this.#chunksOf(jobId)) {
      passed += 1;
      if (passed <= from) continue;
      batch.push(chunk);
      while (batch.length >= BATCH) {
        if (!(await flush(false)) || this.#closed) return;
        await share.rest(performance.now() - startedAt);
      }
    }
    do {
      if (!(await flush(true)) || this.#closed) return;
      await share.rest(performance.now() - startedAt);
    } while (batch.length > 0);
    this.#parts.onIndexed();
  }

  /** A large result holds only some of its chunks; their file holds all. */
  async *#chunksOf(jobId: string): AsyncGenerator<Chunk> {
    const path = this.#parts.chunksPathOf(jobId);
    if (path === null || !existsSync(path)) {
      // It was checked against its operation's schema when it was stored.
      const result = JSON.parse((await resultOf(this.#parts.storage.db, jobId))?.body ?? '{}') as { chunks?: Chunk[] };
      yield* result.chunks ?? [];
      return;
    }
    for await (const line of jsonLines(createReadStream(path, 'utf8'))) yield Chunk.parse(JSON.parse(line));
  }
}

async function insertJobChunk(
  tx: Tx,
  job: JobRow,
  chunk: Chunk,
  sourceName: string | null,
  language: string | null,
): Promise<void> {
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
  await insertChunk(tx, row, wordsOf(row));
}
