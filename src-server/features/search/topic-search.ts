/** Search by topics: on a connection with sqlite-vec. */

import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { nearnessOf } from '../../platform/text/vectors.ts';
import { countTerms } from './terms.ts';
import { fitsOf, foldIntoTopics, scaleToUnit, type TopicFit, termVectors } from './topic-store.ts';
import { storedForms } from './vectors.ts';

/** Chunks whose short forms a search reads: of a larger account it reads the nearest cells alone. */
const SCANNED_MAX = 100_000;

/** The nearest of these are compared by their whole vectors. */
const COMPARED_MAX = 300;

/** Chunks of one job that are compared when a search is limited to it. */
const JOB_CHUNKS_MAX = 20_000;

/** A chunk that is farther from the query has nothing to do with it (1 less the cosine). */
const DISTANCE_MAX = 0.8;

/** Weight of the first results beside the query's own words (Rocchio). */
const FEEDBACK_WEIGHT = 0.5;

/** What topics may find. */
export interface TopicReach {
  accountIds: readonly string[];
  jobId?: string | undefined;
  /** Conditions on the columns `seq`, `job_type`, `kind` and `language`, each beginning with `and`. */
  filters: RawBuilder<unknown>;
}

interface Near {
  seq: number;
  distance: number;
}

/** The chunks nearest to a text by the topics of their accounts, best first, at most some hundred. */
export function nearestTopics(db: Db, text: string, reach: TopicReach): number[] {
  const counts = countTerms(text);
  const near: Near[] = [];
  for (const fit of fitsOf(db, reach.accountIds)) {
    const query = foldIntoTopics(counts, termVectors(db, fit.id, [...counts.keys()]), fit.dimensions);
    if (query !== null) near.push(...nearestOf(db, fit, query, reach));
  }
  return nearestInOrder(near);
}

/**
 * The same chunks in a better order: the query moves towards the first results of all ways of searching. Words that the
 * results share with other chunks count then, though nobody asked for them.
 */
export function movedTopics(
  db: Db,
  text: string,
  { accountIds }: Pick<TopicReach, 'accountIds'>,
  candidates: readonly number[],
  first: readonly number[],
): number[] {
  const counts = countTerms(text);
  const near: Near[] = [];
  for (const fit of fitsOf(db, accountIds)) {
    const query = foldIntoTopics(counts, termVectors(db, fit.id, [...counts.keys()]), fit.dimensions);
    if (query === null) continue;
    moveTowards(query, vectorsOf(db, fit.id, first));
    near.push(...compareWholeVectors(db, fit.id, query, candidates));
  }
  return nearestInOrder(near);
}

function nearestInOrder(near: readonly Near[]): number[] {
  return near
    .filter(({ distance }) => distance <= DISTANCE_MAX)
    .toSorted((one, other) => one.distance - other.distance || other.seq - one.seq)
    .slice(0, COMPARED_MAX)
    .map(({ seq }) => seq);
}

function nearestOf(db: Db, fit: TopicFit, query: Float32Array, reach: TopicReach): Near[] {
  const { bits } = storedForms(query);
  if (reach.jobId !== undefined) {
    const ofJob = sql<{ seq: number }>`
      select seq from topic_signatures where (fit, cell, seq) in
        (select fit, cell, seq from topic_vectors where fit = ${fit.id} and seq in
          (select seq from search_chunks where job_id = ${reach.jobId} limit ${JOB_CHUNKS_MAX})) ${reach.filters}`;
    return compareWholeVectors(db, fit.id, query, seqsOf(db.queryAll(ofJob)));
  }
  const cells = sql.join(cellsToRead(fit, query));
  const rows = db.queryAll(sql<{ seq: number }>`
    select seq, vec_distance_hamming(vec_bit(bits), vec_bit(${bits})) as distance from topic_signatures
    where fit = ${fit.id} and cell in (${cells}) ${reach.filters} order by distance limit ${COMPARED_MAX}`);
  return compareWholeVectors(db, fit.id, query, seqsOf(rows));
}

function seqsOf(rows: readonly { seq: number }[]): number[] {
  return rows.map(({ seq }) => seq);
}

/** The cells nearest to the query, as many as hold about the bound. */
function cellsToRead({ cells, chunks, changed }: TopicFit, query: Float32Array): number[] {
  const near = nearnessOf(cells, query);
  const share = Math.min(1, SCANNED_MAX / Math.max(1, chunks + changed));
  const order = Array.from(near.keys()).sort((one, other) => (near[other] ?? 0) - (near[one] ?? 0));
  return order.slice(0, Math.max(1, Math.ceil(near.length * share)));
}

/** By whole vectors; chunks without a vector of this fit are left out. */
function compareWholeVectors(db: Db, fit: number, query: Float32Array, seqs: readonly number[]): Near[] {
  const { bytes } = storedForms(query);
  return db.queryAll(sql<Near>`
    select seq, vec_distance_cosine(vec_int8(vector), vec_int8(${bytes})) as distance
    from json_each(${JSON.stringify(seqs)}) join topic_vectors on seq = value where fit = ${fit}`);
}

function vectorsOf(db: Db, fit: number, seqs: readonly number[]): Int8Array[] {
  const rows = db.queryAll(
    db.selectFrom('topic_vectors').select('vector').where('fit', '=', fit).where('seq', 'in', seqs),
  );
  return rows.map(({ vector }) => new Int8Array(vector.buffer, vector.byteOffset, vector.length));
}

/** Moves a query towards the middle of vectors, in place; it keeps the length 1. */
function moveTowards(query: Float32Array, vectors: readonly Int8Array[]): void {
  for (const vector of vectors) {
    const length = Math.hypot(...vector) * vectors.length;
    for (let at = 0; at < query.length; at += 1) {
      query[at] = (query[at] ?? 0) + (FEEDBACK_WEIGHT * (vector[at] ?? 0)) / length;
    }
  }
  scaleToUnit(query);
}
