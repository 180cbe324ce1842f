import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { say } from '../../platform/text/say.ts';
import type { FactsFilter, SearchChunksTable } from './store.ts';
import { baseLanguage } from './words.ts';

/** Neighbours by their bits that are compared by their whole vectors. */
const COMPARED_MAX = 1000;

/** Number of a model that has made no vector yet; chunks without a vector have 0. */
export const NO_EMBEDDER = -1;

/** Which chunks a search by meaning may find, and which it is asked for. */
export interface VectorReach {
  accountIds: readonly string[];
  /** Jobs of other accounts that may be seen too. */
  sharedJobIds: readonly string[];
  /** Jobs that are removed, and whose vectors are still there. */
  removedJobIds: readonly string[];
  jobId?: string | undefined;
  jobType?: string | undefined;
  kind?: string | undefined;
  language?: string | undefined;
  facts: FactsFilter;
}

export interface VectorQuery {
  embedder: number;
  bits: Uint8Array;
  bytes: Uint8Array;
}

/**
 * The chunks nearest to a vector, best first, on a connection with sqlite-vec. All that can be reached are compared by
 * their bits, the nearest of these by their whole vectors: a million take as long as 20,000 whole ones would.
 */
export function nearestChunks(db: Db, query: VectorQuery, reach: VectorReach, limit: number): number[] {
  const { embedder, bits, bytes } = query;
  const nearestSignatures = (where: RawBuilder<unknown>) => sql`
    select seq, vec_distance_hamming(vec_bit(bits), vec_bit(${bits})) as distance from search_signatures
    where ${where} and embedder = ${embedder} ${filtersOf(reach)} order by distance limit ${COMPARED_MAX}`;
  const found = reachConditions(reach).map((place) => sql`select seq from (${nearestSignatures(place)})`);
  const rows = db.queryAll(sql<{ seq: number }>`
    with near as (${sql.join(found, sql` union `)})
    select vectors.seq, vec_distance_cosine(vec_int8(vector), vec_int8(${bytes})) as distance
    from near join search_vectors as vectors on vectors.seq = near.seq and vectors.embedder = ${embedder}
    order by distance, vectors.seq desc limit ${limit}
  `);
  return rows.map(({ seq }) => seq);
}

/** Conditions that together hold for what may be seen; each is answered from an index. */
function reachConditions({ accountIds, sharedJobIds, jobId }: VectorReach): RawBuilder<unknown>[] {
  const own = sql`account_id in (${sql.join(accountIds)})`;
  const inJobs = (ids: readonly string[], whose: RawBuilder<unknown>) => sql`(account_id, seq) in
    (select account_id, seq from search_chunks where job_id in (${sql.join(ids)}) and ${whose})`;
  const anybody = sql`true`;
  if (jobId !== undefined) return [inJobs([jobId], sharedJobIds.includes(jobId) ? anybody : own)];
  return sharedJobIds.length === 0 ? [own] : [own, inJobs(sharedJobIds, anybody)];
}

/** Conditions on a table of signatures, each beginning with `and`. */
export function filtersOf(reach: Omit<VectorReach, 'accountIds' | 'sharedJobIds'>): RawBuilder<unknown> {
  const { jobType, kind, language, removedJobIds, facts } = reach;
  const filters = [facts(sql.ref('seq'))];
  if (removedJobIds.length > 0) {
    filters.push(sql`and seq not in (select seq from search_chunks where job_id in (${sql.join(removedJobIds)}))`);
  }
  if (jobType !== undefined) filters.push(sql`and job_type = ${jobType}`);
  if (kind !== undefined) filters.push(sql`and kind = ${kind}`);
  if (language !== undefined) filters.push(sql`and language = ${language}`);
  return sql.join(filters, sql` `);
}

export type ChunkToEmbed = Pick<
  Selectable<SearchChunksTable>,
  'seq' | 'account_id' | 'job_type' | 'kind' | 'language' | 'heading' | 'text'
>;

/** Chunks that have no vector of this embedder. */
export function chunksToEmbed(db: Db, embedder: number, limit: number): ChunkToEmbed[] {
  const columns = ['seq', 'account_id', 'job_type', 'kind', 'language', 'heading', 'text'] as const;
  // Two ranges of the index; one condition that excludes the embedder would read all of it.
  const before = db.queryAll(
    db.selectFrom('search_chunks').select(columns).where('embedded_by', '<', embedder).limit(limit),
  );
  if (before.length > 0) return before;
  return db.queryAll(db.selectFrom('search_chunks').select(columns).where('embedded_by', '>', embedder).limit(limit));
}

/** How many chunks wait for a vector of this embedder, counted up to `most`. */
export function countToEmbed(db: Db, embedder: number, most: number): number {
  const rows = db.queryAll(sql<{ count: number }>`
    select count(*) as count from (
      select 1 from search_chunks where embedded_by < ${embedder} union all
      select 1 from search_chunks where embedded_by > ${embedder} limit ${most}
    )
  `);
  return rows[0]?.count ?? 0;
}

/** @param model its key */
export function embedderOf(db: Db, model: string): { id: number } | undefined {
  return db.queryFirst(db.selectFrom('search_embedders').select('id').where('model', '=', model));
}

/** Its number, whether or not it made vectors before. */
export function ensureEmbedder(tx: Tx, model: string): number {
  const known = embedderOf(tx, model);
  return known?.id ?? tx.queryOne(tx.insertInto('search_embedders').values({ model }).returning('id')).id;
}

/** Keeps the vector of a chunk, or that it has none, unless the chunk was removed or its text has changed. */
export function writeVector(tx: Tx, chunk: ChunkToEmbed, embedder: number, vector: StoredVector | null): void {
  const { seq, account_id, text } = chunk;
  const same = tx.selectFrom('search_chunks').select('seq').where('seq', '=', seq).where('text', '=', text);
  if (tx.queryFirst(same.where('account_id', '=', account_id)) !== undefined) keepVector(tx, chunk, embedder, vector);
}

/** Keeps the vector of a chunk, or that it has none. */
export function keepVector(
  tx: Tx,
  chunk: Omit<ChunkToEmbed, 'heading' | 'text'>,
  embedder: number,
  vector: StoredVector | null,
): void {
  const { seq, account_id, job_type, kind } = chunk;
  tx.runStatement(tx.updateTable('search_chunks').set({ embedded_by: embedder }).where('seq', '=', seq));
  if (vector === null) return;
  const language = chunk.language === null ? null : baseLanguage(chunk.language);
  const signature = { account_id, seq, embedder, job_type, kind, language, bits: vector.bits };
  tx.runStatement(tx.replaceInto('search_signatures').values(signature));
  tx.runStatement(tx.replaceInto('search_vectors').values({ seq, embedder, vector: vector.bytes }));
}

// The two forms in which a vector of text is kept: compared by sqlite-vec, made here.

const BITS_PER_BYTE = 8;

const INT8_MAX = 127;

export interface StoredVector {
  /** One bit for each dimension, set where it is positive. */
  bits: Uint8Array;
  /** A signed byte for each dimension of the vector at length 1. */
  bytes: Uint8Array;
}

/** Errors: `engine_failed` for a vector that says nothing (all zeros, or not numbers). */
export function storedForms(vector: readonly number[] | Float32Array): StoredVector {
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length === 0) {
    throw new QuarryError(
      'engine_failed',
      say`The embedding model has no vector for this text. Search with other words.`,
    );
  }
  const bits = new Uint8Array(Math.ceil(vector.length / BITS_PER_BYTE));
  const bytes = new Int8Array(vector.length);
  for (const [index, value] of vector.entries()) {
    const at = Math.floor(index / BITS_PER_BYTE);
    if (value > 0) bits[at] = (bits[at] ?? 0) | (1 << (index % BITS_PER_BYTE));
    bytes[index] = Math.round((value / length) * INT8_MAX);
  }
  return { bits, bytes: new Uint8Array(bytes.buffer) };
}
