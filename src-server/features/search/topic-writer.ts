import { sql } from 'kysely';
import type { FitTopicsInput, FitTopicsOutput } from '../../../workers/text/tasks.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Db, Storage } from '../../platform/db/database.ts';
import { transferWithMessage } from '../../platform/rpc/rpc.ts';
import { nearestCell } from '../../platform/text/vectors.ts';
import { chunksBySeq, readOldChunk } from './store.ts';
import { countTerms } from './terms.ts';
import {
  allTermVectors,
  type ChunkToFold,
  chunksToFold,
  deleteFit,
  fitsOf,
  fitsToRenew,
  foldIntoTopics,
  insertFit,
  knowsTerms,
  nextUnfolded,
  partsOf,
  replacedFits,
  type TermVector,
  type TopicFit,
  writeTopicVector,
} from './topic-store.ts';
import { chunksWithoutWords, noteWordsRead, sweepWords, writeWithWords } from './word-store.ts';
import { indexedWordsOf } from './words.ts';

/** Topics are learned again when the account has changed by this share since. */
const RENEWED_SHARE = 0.5;

/** Smaller accounts are learned again with every change: nearly every chunk has words that none had before. */
const SMALL_ACCOUNT_CHUNKS = 50;

/** Chunks from which topics are learned, evenly from the whole account: bounds time and memory. */
const SAMPLE_MAX = 20_000;

const VOCABULARY_MAX = 30_000;

/** From so many chunks on, a term of a single one is no topic. */
const RARE_FROM_CHUNKS = 200;

/** Terms in more than this share of the sample tell nothing apart. */
const COMMON_SHARE = 0.5;

/** Chunks that are written in one transaction, or read between two other pieces of work of the thread. */
const BATCH = 100;

/** Jobs whose days are read together, in an index that an earlier version has made. */
const JOBS_TOGETHER = 50;

/** Words that are looked for among the chunks that are left, between two other pieces of work. */
const SWEPT_TOGETHER = 500;

interface KnownSpace {
  space: TopicFit;
  terms: Map<string, TermVector>;
}

interface Spaces {
  sorter: KnownSpace;
  parts: readonly KnownSpace[];
}

/** What is to do next. */
export type TopicStep = { fit: string } | 'more' | 'done';

/** Keeps topics up with the chunks, in the thread that writes the index. */
export class TopicWriter {
  readonly #index: Storage;
  readonly #main: Db;
  /** Terms of the last used fit and its collections. Reading them again takes longer than folding a job's chunks. */
  #known: { id: number; sorter: KnownSpace; parts: KnownSpace[] } | null = null;
  #sampled: { accountId: string; chunks: number; lastSeq: number; terms: string[] } | null = null;

  constructor(index: Storage, main: Db) {
    this.#index = index;
    this.#main = main;
  }

  /** Folds some chunks into the topics of their accounts; names an account whose topics have to be learned first. */
  stepTopics(): TopicStep {
    const { db } = this.#index;
    if (this.#fillDays() || this.#readOldWords() || sweepWords(this.#index, SWEPT_TOGETHER)) return 'more';
    const [outgrown] = fitsToRenew(db, RENEWED_SHARE, SMALL_ACCOUNT_CHUNKS);
    if (outgrown !== undefined) return { fit: outgrown.account_id };
    const [replaced] = replacedFits(db);
    if (replaced !== undefined) {
      this.#refoldChunks(replaced);
      return 'more';
    }
    const accountId = nextUnfolded(db, '');
    if (accountId === undefined) return 'done';
    const fit = currentFit(db, accountId);
    if (fit === undefined) return { fit: accountId };
    this.#writeTopicVectors(fit, chunksToFold(db, 0, accountId, BATCH));
    return 'more';
  }

  /** Terms of a sample of an account's chunks, as numbers. */
  async sampleAccountTerms(accountId: string): Promise<FitTopicsInput> {
    const { db } = this.#index;
    const chunks = db.selectFrom('search_chunks').select('seq').where('account_id', '=', accountId);
    const seqs = db.queryAll(chunks.orderBy('seq'));
    const stride = Math.max(1, seqs.length / SAMPLE_MAX);
    const counted: Map<string, number>[] = [];
    const found = new Map<string, number>();
    for (let at = 0; at < seqs.length; at += stride * BATCH) {
      const some = Array.from({ length: BATCH }, (_, step) => seqs[Math.floor(at + step * stride)]?.seq ?? -1);
      const chunks = db.selectFrom('search_chunks').select(['heading', 'text']).where('seq', 'in', some);
      for (const { heading, text } of db.queryAll(chunks)) {
        const counts = countTerms(`${heading ?? ''} ${text}`);
        counted.push(counts);
        for (const term of counts.keys()) found.set(term, (found.get(term) ?? 0) + 1);
      }
      await yieldToEventLoop();
    }
    const terms = vocabularyOf(found, counted.length);
    this.#sampled = { accountId, chunks: seqs.length, lastSeq: seqs.at(-1)?.seq ?? 0, terms };
    const input = sparseTermRows(counted, terms);
    return transferWithMessage(input, [
      input.starts.buffer,
      input.indexes.buffer,
      input.counts.buffer,
    ] as ArrayBuffer[]);
  }

  /** Keeps what was learned from the last sample. */
  keepLearnedTopics(learned: FitTopicsOutput): void {
    const sampled = this.#sampled;
    if (sampled === null) return;
    this.#sampled = null;
    const { accountId, chunks, lastSeq, terms } = sampled;
    this.#index.transaction((tx) => {
      if (chunks === 0) for (const { id } of fitsOf(tx, [accountId])) deleteFit(tx, id);
      else insertFit(tx, { accountId, chunks, lastSeq, terms, learned });
    });
  }

  /** Gives chunks of a replaced fit vectors of the current one; without such chunks the fit goes. */
  #refoldChunks({ id, account_id }: { id: number; account_id: string }): void {
    const { db, transaction } = this.#index;
    const chunks = chunksToFold(db, id, account_id, BATCH);
    const current = currentFit(db, account_id);
    if (chunks.length === 0 || current === undefined) transaction((tx) => deleteFit(tx, id));
    else this.#writeTopicVectors(current, chunks, { isNew: false });
  }

  #writeTopicVectors(fit: TopicFit, chunks: readonly ChunkToFold[], { isNew } = { isNew: true }): void {
    const { id } = fit;
    const spaces = this.#knownSpaces(fit);
    this.#index.transaction((tx) => {
      for (const chunk of chunks) {
        writeTopicVector(tx, chunk, id, foldIntoCollection(countTerms(`${chunk.heading ?? ''} ${chunk.text}`), spaces));
      }
      // The first chunks are those that it was learned from.
      if (!isNew) return;
      tx.runStatement(sql`update topic_fits set changed = changed + ${chunks.length} where id = ${id}`);
    });
  }

  #knownSpaces(fit: TopicFit): Spaces {
    if (this.#known?.id === fit.id) return this.#known;
    const { db } = this.#index;
    const spaceOf = (space: TopicFit) => ({ space, terms: allTermVectors(db, space.id) });
    this.#known = { id: fit.id, sorter: spaceOf(fit), parts: partsOf(db, fit.id).map(spaceOf) };
    return this.#known;
  }

  /** Keeps the words of chunks in an index of an earlier version. Returns whether there were any. */
  #readOldWords(): boolean {
    const seqs = chunksWithoutWords(this.#index.db, BATCH).map(({ seq }) => seq);
    const last = seqs.at(-1);
    if (last === undefined) return false;
    writeWithWords(this.#index, (tx) => {
      for (const chunk of chunksBySeq(tx, seqs)) readOldChunk(tx, chunk, indexedWordsOf(chunk));
      noteWordsRead(tx, last);
    });
    return true;
  }

  /** Reads when jobs of chunks were submitted, in an index of an earlier version. Returns whether there were any. */
  #fillDays(): boolean {
    const { db, transaction } = this.#index;
    const rows = db.queryAll(sql<{ job_id: string | null }>`
      select distinct job_id from (select seq from search_facts where day = '' limit ${BATCH})
      join search_chunks using (seq) limit ${JOBS_TOGETHER}`);
    if (rows.length === 0) return false;
    const ids = rows.flatMap(({ job_id }) => job_id ?? []);
    const jobs = this.#main.queryAll(this.#main.selectFrom('jobs').select(['id', 'created_at']).where('id', 'in', ids));
    const days = new Map(jobs.map(({ id, created_at }) => [id, dayOf(created_at)]));
    transaction((tx) => {
      for (const id of ids) {
        tx.runStatement(sql`update search_facts set day = ${days.get(id) ?? null}
          where seq in (select seq from search_chunks where job_id = ${id})`);
      }
      tx.runStatement(sql`update search_facts set day = null
        where day = '' and seq in (select seq from search_chunks where contribution_id is not null)`);
    });
    return true;
  }
}

/** The place of a chunk in its collection; null where what was learned says nothing of it. */
function foldIntoCollection(
  counts: ReadonlyMap<string, number>,
  { sorter, parts }: Spaces,
): { part: number; cell: number; vector: Float32Array } | null {
  const sorted = foldIntoTopics(counts, sorter.terms, sorter.space.dimensions);
  const part = parts[sorted === null ? 0 : nearestCell(sorter.space.cells, sorted)];
  if (part === undefined || !knowsTerms(counts, part.terms)) return null;
  const vector = foldIntoTopics(counts, part.terms, part.space.dimensions);
  return vector === null ? null : { part: part.space.id, cell: nearestCell(part.space.cells, vector), vector };
}

/** YYYY-MM-DD of a time in milliseconds, in UTC. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

function currentFit(db: Db, accountId: string): TopicFit | undefined {
  return fitsOf(db, [accountId]).findLast(({ is_current }) => is_current === 1);
}

/** The terms of topics: those of several chunks, and not of most. */
function vocabularyOf(found: ReadonlyMap<string, number>, chunks: number): string[] {
  const isLarge = chunks >= RARE_FROM_CHUNKS;
  const fitting = [...found].filter(([, count]) => !isLarge || (count > 1 && count <= chunks * COMMON_SHARE));
  // A corpus may be one repeated text.
  const often = (fitting.length > 0 ? fitting : [...found]).sort(([, one], [, other]) => other - one);
  return often.slice(0, VOCABULARY_MAX).map(([term]) => term);
}

function sparseTermRows(counted: readonly ReadonlyMap<string, number>[], terms: readonly string[]): FitTopicsInput {
  const numbers = new Map(terms.map((term, number) => [term, number]));
  const starts = new Uint32Array(counted.length + 1);
  const indexes: number[] = [];
  const counts: number[] = [];
  for (const [row, chunk] of counted.entries()) {
    for (const [term, count] of chunk) {
      const number = numbers.get(term);
      if (number === undefined) continue;
      indexes.push(number);
      counts.push(count);
    }
    starts[row + 1] = indexes.length;
  }
  return {
    terms: terms.length,
    starts,
    indexes: Uint32Array.from(indexes),
    counts: Uint16Array.from(counts),
    seed: 1,
  };
}
