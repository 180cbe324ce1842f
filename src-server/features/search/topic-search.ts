/**
 * Search by topics: on a connection with sqlite-vec. The first results by words say in which collections of like chunks
 * to look, and how much the topics of these are worth.
 */

import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { nearnessOf } from '../../platform/text/vectors.ts';
import { countTerms } from './terms.ts';
import { collectionsOf, foldIntoTopics, partsById, scaleToUnit, type TopicFit, termVectors } from './topic-store.ts';
import { storedForms } from './vectors.ts';

/** Chunks whose short forms a search reads: of a larger collection it reads the nearest cells alone. */
const SCANNED_MAX = 100_000;

/** The nearest of these are compared by their whole vectors. */
const COMPARED_MAX = 300;

/** Chunks of one job that are compared when a search is limited to it. */
const JOB_CHUNKS_MAX = 20_000;

/** A chunk that is farther from the query has nothing to do with it (1 less the cosine). */
const DISTANCE_MAX = 0.8;

/** Weight of the first results beside the query's own words (Rocchio). */
const FEEDBACK_WEIGHT = 0.5;

/** First results by words that say where to look. */
export const VOTERS = 30;

/** Dampens the difference between the first votes. */
const VOTE_CONSTANT = 5;

/** Collections that are looked in, those with the most votes. */
const COLLECTIONS_MAX = 5;

/** What topics may find. */
export interface TopicReach {
  accountIds: readonly string[];
  jobId?: string | undefined;
  /** Conditions on the columns `seq`, `job_type`, `kind` and `language`, each beginning with `and`. */
  filters: RawBuilder<unknown>;
}

/** Where to look. */
export interface Votes {
  /** Share of the votes of each collection, those with the most first. */
  shares: ReadonlyMap<number, number>;
  /** How much topics count beside words, which count 1. */
  worth: number;
  /** Voters that topics know nothing of yet. */
  unknown: readonly number[];
}

interface Near {
  seq: number;
  distance: number;
}

/** @param voters the first results by words, best first */
export function countVotes(db: Db, voters: readonly number[], accountIds: readonly string[]): Votes {
  const first = voters.slice(0, VOTERS);
  const known = collectionsOf(db, voters, accountIds);
  const voteOf = (place: number) => 1 / (place + VOTE_CONSTANT);
  const total = first.reduce((sum, _, place) => sum + voteOf(place), 0);
  const shares = new Map<number, number>();
  let worth = 0;
  for (const [place, seq] of first.entries()) {
    const collection = known.get(seq);
    if (collection === undefined) continue;
    const share = voteOf(place) / total;
    shares.set(collection.id, (shares.get(collection.id) ?? 0) + share);
    worth += share * collection.worth;
  }
  const most = [...shares].sort(([, one], [, other]) => other - one).slice(0, COLLECTIONS_MAX);
  return { shares: new Map(most), worth, unknown: voters.filter((seq) => !known.has(seq)) };
}

/** The chunks nearest to a text by the topics of these collections, best first, at most some hundred. */
export function nearestTopics(db: Db, text: string, reach: TopicReach, { shares }: Votes): number[] {
  return inCollections(db, text, shares, (fit, query) => nearestOf(db, fit, query, reach));
}

/**
 * The same chunks in a better order: the query moves towards the first results of all ways of searching. Words that the
 * results share with other chunks count then, though nobody asked for them.
 */
export function movedTopics(
  db: Db,
  text: string,
  { shares }: Votes,
  candidates: readonly number[],
  first: readonly number[],
): number[] {
  return inCollections(db, text, shares, ({ id }, query) => {
    moveTowards(query, vectorsOf(db, id, first));
    return compareWholeVectors(db, id, query, candidates);
  });
}

/**
 * Nearest chunks of several collections in one order. Cosines of two spaces are not comparable, so that of a collection
 * with fewer votes counts less.
 */
function inCollections(
  db: Db,
  text: string,
  shares: Votes['shares'],
  nearIn: (fit: TopicFit, query: Float32Array) => Near[],
): number[] {
  const counts = countTerms(text);
  const found: { seq: number; nearness: number }[] = [];
  for (const fit of partsById(db, [...shares.keys()])) {
    const query = foldIntoTopics(counts, termVectors(db, fit.id, [...counts.keys()]), fit.dimensions);
    if (query === null) continue;
    const factor = Math.sqrt(shares.get(fit.id) ?? 0);
    for (const { seq, distance } of nearIn(fit, query)) {
      if (distance <= DISTANCE_MAX) found.push({ seq, nearness: factor * (1 - distance) });
    }
  }
  return found
    .sort((one, other) => other.nearness - one.nearness || other.seq - one.seq)
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
  const cells = sql.join(cellsToRead(db, fit, query));
  const rows = db.queryAll(sql<{ seq: number }>`
    select seq, vec_distance_hamming(vec_bit(bits), vec_bit(${bits})) as distance from topic_signatures
    where fit = ${fit.id} and cell in (${cells}) ${reach.filters} order by distance limit ${COMPARED_MAX}`);
  return compareWholeVectors(db, fit.id, query, seqsOf(rows));
}

function seqsOf(rows: readonly { seq: number }[]): number[] {
  return rows.map(({ seq }) => seq);
}

/** The cells nearest to the query, until they hold the bound. */
function cellsToRead(db: Db, { id, cells }: TopicFit, query: Float32Array): number[] {
  const near = nearnessOf(cells, query);
  const order = Array.from(near.keys()).sort((one, other) => (near[other] ?? 0) - (near[one] ?? 0));
  const read: number[] = [];
  let scanned = 0;
  for (const cell of order) {
    const rows = db.queryOne(sql<{ chunks: number }>`select count(*) as chunks from (
      select 1 from topic_signatures where fit = ${id} and cell = ${cell} limit ${SCANNED_MAX})`);
    scanned += rows.chunks;
    if (read.length > 0 && scanned > SCANNED_MAX) break;
    read.push(cell);
  }
  return read;
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
