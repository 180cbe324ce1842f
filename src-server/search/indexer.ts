import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Chunk } from '../contract/chunk.ts';
import type { Storage } from '../storage/connection.ts';
import { type JobRow, jobById, resultOf } from '../storage/jobs-reader.ts';
import type { Tx } from '../storage/schema.ts';
import { indexingOf, nextToIndex, pageLanguages, resultFacts } from '../storage/search-reader.ts';
import { awaitIndexing, deleteChunksOfJob, insertChunk, noteIndexed } from '../storage/search-writer.ts';
import { wordsOf } from './scope.ts';

/** Chunks per transaction: requests wait no longer than this takes. */
const BATCH = 10;

export interface IndexerParts {
  storage: Storage;
  /** Path of the file that holds all chunks of a job, where its operation writes one. */
  chunksPathOf(jobId: string): string | null;
  /** All chunks of a job are in the index. */
  onIndexed(): void;
  log: { error(fields: object, message: string): void };
}

/**
 * Puts the chunks of completed jobs into the index, right after they are completed, a few at a time. That a job waits
 * for it is written with its completion, so what a process leaves when it dies is taken up at the next start.
 */
export class Indexer {
  readonly #parts: IndexerParts;
  #working: Promise<void> | null = null;
  #closed = false;

  constructor(parts: IndexerParts) {
    this.#parts = parts;
  }

  /** In the transaction that ends a job. */
  async onTerminal(tx: Tx, job: JobRow): Promise<void> {
    if (job.status === 'completed') await awaitIndexing(tx, job.id);
    else await deleteChunksOfJob(tx, job.id);
  }

  /** In the transaction that removes a job's result. */
  async onRemoved(tx: Tx, jobId: string): Promise<void> {
    await deleteChunksOfJob(tx, jobId);
  }

  /** There may be something to index. */
  kick(): void {
    if (this.#closed) return;
    this.#working ??= this.#drain().finally(() => {
      this.#working = null;
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#working;
  }

  async #drain(): Promise<void> {
    const { storage, log } = this.#parts;
    for (;;) {
      const next = this.#closed ? undefined : await nextToIndex(storage.db);
      if (next === undefined) return;
      try {
        await this.#index(next.job_id, next.indexed_chunks);
      } catch (error) {
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
    let seen = 0;
    let batch: Chunk[] = [];
    const flush = (state: 'waiting' | 'indexed'): Promise<boolean> => {
      const chunks = batch;
      batch = [];
      return storage.transaction(async (tx) => {
        // The job may have been removed meanwhile, or have run again: then this is no longer what is to be indexed.
        if ((await indexingOf(tx, jobId))?.state !== 'waiting') return false;
        for (const chunk of chunks) await insertJobChunk(tx, job, chunk, sourceName, languageOf(chunk));
        await noteIndexed(tx, jobId, { indexedChunks: seen, state });
        return true;
      });
    };
    for await (const chunk of this.#chunksOf(jobId)) {
      seen += 1;
      if (seen <= from) continue;
      batch.push(chunk);
      if (batch.length < BATCH) continue;
      if (!(await flush('waiting')) || this.#closed) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (await flush('indexed')) this.#parts.onIndexed();
  }

  /** A large result holds only some of its chunks; their file holds all. */
  async *#chunksOf(jobId: string): AsyncGenerator<Chunk> {
    const path = this.#parts.chunksPathOf(jobId);
    if (path === null || !existsSync(path)) {
      // It was checked against its operation's schema when it was stored.
      const result = JSON.parse((await resultOf(this.#parts.storage.db, jobId)) ?? '{}') as { chunks?: Chunk[] };
      yield* result.chunks ?? [];
      return;
    }
    for await (const line of createInterface({ input: createReadStream(path, 'utf8') })) {
      if (line !== '') yield Chunk.parse(JSON.parse(line));
    }
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
