import { existsSync } from 'node:fs';
import type { FitTopicsInput, FitTopicsOutput } from '../../../workers/text/tasks.ts';
import { Chunk } from '../../operation.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Db, Storage, Tx } from '../../platform/db/database.ts';
import { isStorageTrouble } from '../../platform/errors.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { jsonLinesOfFile } from '../../platform/text/json-file.ts';
import type { Found } from './found.ts';
import { hasOldTables, oldVector } from './old-index.ts';
import type { QueuedContribution, QueuedCorrection, QueueEntry } from './queue.ts';
import {
  chunkNumbersOfJob,
  chunksById,
  deleteChunks,
  deleteChunksOfContribution,
  type IndexedJob,
  indexedJob,
  insertChunk,
  isDamaged,
  mergeWords,
  type NewSearchChunk,
  pageLanguages,
  replaceText,
  resultBody,
  resultFacts,
} from './store.ts';
import { dayOf, type TopicStep } from './topic-writer.ts';
import { type ChunkToEmbed, ensureEmbedder, keepVector, type StoredVector, writeVector } from './vectors.ts';
import { writeWithWords } from './word-store.ts';
import { indexedWordsOf, PUBLIC_ACCOUNT } from './words.ts';

/** Steps per transaction. Small entries are applied between the transactions of large ones. */
const BATCH = 100;

/** Chunks that one step deletes. */
const DELETED_TOGETHER = 20;

/**
 * Pages of the full-text index that are merged for each chunk: a chunk fills a third of one, which moves up once
 * through each of some seven levels. FTS5 by itself merges hundreds of pages in one commit.
 */
const MERGED_PAGES_PER_CHUNK = 3;

/** What the thread that writes the index does for the server. */
export interface IndexApi {
  /** Makes the index equal to the main database where the entries say that it differs. Errors: of the storage. */
  apply(entries: readonly QueueEntry[]): Promise<Applied>;
  /** Keeps vectors that the model made, or that it has none for a chunk. Returns why the index has to be rebuilt. */
  writeVectors(model: string, vectors: readonly EmbeddedChunk[]): string | null;
  /** Folds some chunks into topics. */
  topicStep(): Found<TopicStep>;
  /** Terms of a sample of the chunks of an account, to learn its topics from. Errors: of the storage. */
  sampleTerms(accountId: string): Promise<FitTopicsInput>;
  /** Keeps what was learned from the last sample. */
  keepTopics(learned: FitTopicsOutput): Found<void>;
}

export interface Applied {
  /** Entries that cannot be applied, now or later. */
  failed: { subject: string; cause: string }[];
  /** Why the index has to be rebuilt; null where it is sound. */
  damage: string | null;
}

export interface EmbeddedChunk {
  chunk: ChunkToEmbed;
  vector: StoredVector | null;
}

type Step = (tx: Tx) => void;

interface IndexWriterDeps {
  index: Storage;
  /** The main database. */
  main: Db;
  /** Path of the file that holds all chunks of a job, where its operation writes one. */
  chunksPathOf(jobId: string): string;
}

/** Applies entries of the queue. Applying one begins by deleting what an earlier, unfinished try has left. */
export class IndexWriter implements Pick<IndexApi, 'apply' | 'writeVectors'> {
  readonly #deps: IndexWriterDeps;
  /** The newest entry of each subject that is being applied; an older one stops. */
  readonly #newest = new Map<string, number>();
  readonly #working = new Set<Promise<unknown>>();
  /** Whether the main database has the index of an earlier version. It never gets one again. */
  #hasOldIndex = true;
  #closed = false;

  constructor(deps: IndexWriterDeps) {
    this.#deps = deps;
  }

  async apply(entries: readonly QueueEntry[]): Promise<Applied> {
    const work = this.#applyAll(entries);
    this.#working.add(work);
    return work.finally(() => this.#working.delete(work));
  }

  writeVectors(model: string, vectors: readonly EmbeddedChunk[]): string | null {
    try {
      this.#deps.index.transaction((tx) => {
        const embedder = ensureEmbedder(tx, model);
        for (const { chunk, vector } of vectors) writeVector(tx, chunk, embedder, vector);
      });
      return null;
    } catch (error) {
      if (isDamaged(error)) return String(error);
      throw error;
    }
  }

  /** Stops between two transactions. */
  async closeIndexWriter(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#working);
  }

  async #applyAll(entries: readonly QueueEntry[]): Promise<Applied> {
    for (const { subject, seq } of entries) this.#newest.set(subject, seq);
    try {
      return { failed: await this.#applyEachThatCan(entries), damage: null };
    } catch (error) {
      if (!(error instanceof IndexDamage)) throw error;
      return { failed: [], damage: String(error.cause) };
    } finally {
      for (const { subject, seq } of entries) {
        if (this.#newest.get(subject) === seq) this.#newest.delete(subject);
      }
    }
  }

  /** Applies entries together; where one of them cannot be applied, each by itself. Returns those that cannot. */
  async #applyEachThatCan(entries: readonly QueueEntry[]): Promise<Applied['failed']> {
    try {
      await this.#applyTogether(entries);
      return [];
    } catch (error) {
      if (this.#closed || isStorageTrouble(error) || error instanceof IndexDamage) throw error;
      const [entry, ...others] = entries;
      if (entry !== undefined && others.length === 0) return [{ subject: entry.subject, cause: String(error) }];
    }
    const failed: Applied['failed'] = [];
    for (const entry of entries) failed.push(...(await this.#applyEachThatCan([entry])));
    return failed;
  }

  async #applyTogether(entries: readonly QueueEntry[]): Promise<void> {
    this.#hasOldIndex &&= hasOldTables(this.#deps.main);
    let batch: { entry: QueueEntry; step: Step }[] = [];
    const writeBatch = () => {
      const steps = batch.filter(({ entry }) => this.#isNewest(entry)).map(({ step }) => step);
      batch = [];
      if (steps.length > 0) this.#writeIndexSteps(steps);
    };
    for (const entry of entries) {
      for (const step of this.#stepsOf(entry)) {
        if (!this.#isNewest(entry)) break;
        batch.push({ entry, step });
        if (batch.length < BATCH) continue;
        writeBatch();
        await yieldToEventLoop();
        if (this.#closed) throw new Error('The thread that writes the index is closing.');
      }
    }
    writeBatch();
  }

  #isNewest({ subject, seq }: QueueEntry): boolean {
    return this.#newest.get(subject) === seq;
  }

  #writeIndexSteps(steps: readonly Step[]): void {
    const { index } = this.#deps;
    noticingDamage(() =>
      writeWithWords(index, (tx) => {
        for (const step of steps) step(tx);
        mergeWords(tx, steps.length * MERGED_PAGES_PER_CHUNK);
      }),
    );
  }

  *#stepsOf(entry: QueueEntry): Generator<Step> {
    const { kind, subject, payload } = entry;
    if (kind === 'correction') {
      const correction = parseOwnJson<QueuedCorrection>(payload ?? '');
      yield (tx) => correctIndexedChunk(tx, entry.job_id ?? '', correction);
      return;
    }
    if (kind === 'contribution') {
      yield (tx) => deleteChunksOfContribution(tx, subject);
      if (payload === null) return;
      yield this.#chunkInsertion(contributedChunk(parseOwnJson<QueuedContribution>(payload)));
      return;
    }
    const before = noticingDamage(() => chunkNumbersOfJob(this.#deps.index.db, subject));
    for (let at = 0; at < before.length; at += DELETED_TOGETHER) {
      yield (tx) => deleteChunks(tx, before.slice(at, at + DELETED_TOGETHER));
    }
    const job = kind === 'removal' ? undefined : indexedJob(this.#deps.main, subject);
    if (job !== undefined) yield* this.#stepsOfJob(job);
  }

  *#stepsOfJob(job: IndexedJob): Generator<Step> {
    const { main } = this.#deps;
    const { title, language, hasPages } = resultFacts(main, job.id);
    const languages = hasPages ? pageLanguages(main, job.id) : new Map<string, string | null>();
    for (const chunk of this.#readJobChunks(job.id)) {
      const source = {
        name: job.source_name ?? title ?? (job.label || null),
        language: languages.get(chunk.url ?? '') ?? language,
      };
      yield this.#chunkInsertion(extractedChunk(job, chunk, source), dayOf(job.created_at));
    }
  }

  #chunkInsertion(chunk: NewSearchChunk, day: string | null = null): Step {
    return (tx) => {
      const seq = insertChunk(tx, chunk, indexedWordsOf(chunk), day);
      const vector = this.#hasOldIndex ? oldVector(this.#deps.main, chunk) : null;
      if (vector === null) return;
      const language = chunk.language ?? null;
      keepVector(tx, { ...chunk, seq, language }, ensureEmbedder(tx, vector.model), vector.forms);
    };
  }

  /** A large result holds only some of its chunks; their file holds all. */
  *#readJobChunks(jobId: string): Generator<Chunk> {
    const path = this.#deps.chunksPathOf(jobId);
    if (!existsSync(path)) {
      // It was checked against its operation's schema when it was stored.
      const result = parseOwnJson<{ chunks?: Chunk[] }>(resultBody(this.#deps.main, jobId) ?? '{}');
      yield* result.chunks ?? [];
      return;
    }
    // Synchronous: no other work of this thread is urgent, and each step of a stream costs more than a small file.
    for (const line of jsonLinesOfFile(path)) yield Chunk.parse(JSON.parse(line));
  }
}

/** The index is damaged, not the main database. */
class IndexDamage extends Error {}

function noticingDamage<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw isDamaged(error) ? new IndexDamage('The search index is damaged.', { cause: error }) : error;
  }
}

function extractedChunk(
  job: IndexedJob,
  chunk: Chunk,
  source: { name: string | null; language: string | null },
): NewSearchChunk {
  return {
    account_id: job.account_id,
    job_id: job.id,
    job_type: job.operation_id,
    contribution_id: null,
    chunk_id: chunk.id,
    kind: chunk.kind ?? 'text',
    language: source.language,
    page: chunk.page,
    heading: chunk.heading ?? chunk.speaker ?? null,
    url: chunk.url ?? null,
    source_name: source.name,
    start_seconds: chunk.startSeconds ?? null,
    text: chunk.text,
    original_text: chunk.originalText ?? null,
  };
}

/** Every account finds a contribution. It names no job. */
function contributedChunk({ id, kind, url, author, text }: QueuedContribution): NewSearchChunk {
  return {
    account_id: PUBLIC_ACCOUNT,
    job_id: null,
    job_type: 'contribution',
    contribution_id: id,
    chunk_id: id,
    kind,
    language: null,
    page: 1,
    heading: null,
    url,
    source_name: author,
    start_seconds: null,
    text,
    original_text: null,
  };
}

/** A chunk whose text repeats in its job is in the index more than once. */
function correctIndexedChunk(tx: Tx, jobId: string, { chunkId, text }: QueuedCorrection): void {
  for (const row of chunksById(tx, jobId, chunkId)) {
    const original = row.original_text ?? row.text;
    const change = { text: text ?? original, originalText: text === null ? null : original };
    // It may have been indexed from a result that was corrected already; its vector stays.
    if (row.text === change.text && row.original_text === change.originalText) continue;
    replaceText(tx, row, change, indexedWordsOf({ ...row, text: change.text }));
  }
}
