/**
 * Tables of topics (latent semantic indexing). A fit is learned from the chunks of one account: it sorts them into
 * collections, which are its parts.
 */

import { type Generated, type Insertable, type Selectable, sql } from 'kysely';
import type { FitTopicsOutput, TopicSpace } from '../../../workers/text/tasks.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { prepareQuery } from '../../platform/db/prepared.ts';
import { storedForms } from './vectors.ts';
import { baseLanguage } from './words.ts';

const INT8_MAX = 127;

export interface TopicFit extends Omit<Selectable<TopicFitsTable>, 'cells'> {
  /** Centres of cells, `dimensions` numbers each. */
  cells: Float32Array;
}

/** Fits of accounts: the current one of each, and older ones that some chunks still have vectors of. */
export function fitsOf(db: Db, accountIds: readonly string[]): TopicFit[] {
  const whole = db.selectFrom('topic_fits').selectAll().where('part_of', 'is', null);
  const rows = db.queryAll(whole.where('account_id', 'in', accountIds).orderBy('id'));
  return rows.map((row) => ({ ...row, cells: floatsOf(row.cells) }));
}

/** The collections of a fit, in the order of its cells. */
export function partsOf(db: Db, fit: number): TopicFit[] {
  const rows = db.queryAll(db.selectFrom('topic_fits').selectAll().where('part_of', '=', fit).orderBy('id'));
  return rows.map((row) => ({ ...row, cells: floatsOf(row.cells) }));
}

/** Collections of accounts by their ids. */
export function partsById(db: Db, ids: readonly number[]): TopicFit[] {
  const rows = db.queryAll(db.selectFrom('topic_fits').selectAll().where('id', 'in', ids));
  return rows.map((row) => ({ ...row, cells: floatsOf(row.cells) }));
}

/** The collection of each of the chunks that has a vector, if the collection is of these accounts. */
export function collectionsOf(
  db: Db,
  seqs: readonly number[],
  accountIds: readonly string[],
): Map<number, Pick<TopicFit, 'id' | 'worth'>> {
  const rows = db.queryAll(sql<{ seq: number; id: number; worth: number }>`
    select v.seq, f.id, f.worth from json_each(${JSON.stringify(seqs)}) join topic_vectors as v on v.seq = value
    join topic_fits as f on f.id = v.fit where f.account_id in (${sql.join(accountIds)})`);
  return new Map(rows.map(({ seq, id, worth }) => [seq, { id, worth }]));
}

/** Whether accounts have topics, and how many of their chunks have no vector of topics yet, up to `most`. */
export function topicsReady(
  db: Db,
  accountIds: readonly string[],
  most: number,
): { isLearned: boolean; waiting: number } {
  const fits = db.selectFrom('topic_fits').select('id').where('account_id', 'in', accountIds);
  const waiting = db.selectFrom('search_chunks').select('seq').where('folded_by', '=', 0);
  const rows = db.queryAll(waiting.where('account_id', 'in', accountIds).limit(most));
  return { isLearned: db.queryFirst(fits) !== undefined, waiting: rows.length };
}

/** Term vectors as a search and the folding of chunks read them. */
export interface TermVector {
  weight: number;
  /** Factor of the numbers of the vector. */
  scale: number;
  vector: Int8Array;
}

/** Terms asked for together: the SQL text has a parameter for each. */
const TERMS_TOGETHER = 100;

export function termVectors(db: Db, fit: number, terms: readonly string[]): Map<string, TermVector> {
  const found = new Map<string, TermVector>();
  for (let at = 0; at < terms.length; at += TERMS_TOGETHER) {
    const some = terms.slice(at, at + TERMS_TOGETHER);
    const rows = db.selectFrom('topic_terms').selectAll().where('fit', '=', fit).where('term', 'in', some);
    for (const row of db.queryAll(rows)) found.set(row.term, termVectorOf(row));
  }
  return found;
}

/** All terms of a fit: as many as its vocabulary may have. */
export function allTermVectors(db: Db, fit: number): Map<string, TermVector> {
  const rows = db.queryAll(db.selectFrom('topic_terms').selectAll().where('fit', '=', fit));
  return new Map(rows.map((row) => [row.term, termVectorOf(row)]));
}

function termVectorOf({ weight, scale, vector }: TopicTermsTable): TermVector {
  return { weight, scale, vector: new Int8Array(vector.buffer, vector.byteOffset, vector.length) };
}

/** A space that knows a smaller share of a text's terms has learned nothing of its subject. */
const KNOWN_SHARE = 0.5;

/** Whether a space knows enough of a text's terms to compare it. */
export function knowsTerms(counts: ReadonlyMap<string, number>, terms: ReadonlyMap<string, TermVector>): boolean {
  let known = 0;
  for (const term of counts.keys()) known += Number(terms.has(term));
  return known >= counts.size * KNOWN_SHARE;
}

/** The direction of a text among topics, at length 1; null where the fit knows none of its terms. */
export function foldIntoTopics(
  counts: ReadonlyMap<string, number>,
  terms: ReadonlyMap<string, TermVector>,
  dimensions: number,
): Float32Array | null {
  const out = new Float32Array(dimensions);
  for (const [term, count] of counts) {
    const known = terms.get(term);
    if (known === undefined) continue;
    const factor = Math.log1p(count) * known.weight * known.scale;
    for (let at = 0; at < dimensions; at += 1) out[at] = (out[at] ?? 0) + factor * (known.vector[at] ?? 0);
  }
  return scaleToUnit(out) ? out : null;
}

/** Scales a vector to length 1, in place; false where it is all zeros. */
export function scaleToUnit(vector: Float32Array): boolean {
  let square = 0;
  for (const value of vector) square += value * value;
  if (square === 0) return false;
  const length = Math.sqrt(square);
  for (const [at, value] of vector.entries()) vector[at] = value / length;
  return true;
}

const insertTerm = prepareQuery<TopicTermsTable>()((db, of) =>
  db.insertInto('topic_terms').values({
    fit: of('fit'),
    term: of('term'),
    weight: of('weight'),
    scale: of('scale'),
    vector: of('vector'),
  }),
);

/** A fit as it is learned. */
export interface NewFit {
  accountId: string;
  chunks: number;
  /** The newest chunk that it was learned from. */
  lastSeq: number;
  /** All terms, by their numbers. */
  terms: readonly string[];
  learned: FitTopicsOutput;
}

/** Makes it the current fit of its account. */
export function insertFit(tx: Tx, { accountId, chunks, lastSeq, terms, learned }: NewFit): void {
  tx.runStatement(tx.updateTable('topic_fits').set({ is_current: 0 }).where('account_id', '=', accountId));
  const { waiting } = tx.queryOne(
    sql<{ waiting: number }>`select count(*) as waiting from search_chunks
      where folded_by = 0 and account_id = ${accountId} and seq <= ${lastSeq}`,
  );
  // Once those that it is learned from are folded nothing has changed. Those that came since are changes.
  const row = { account_id: accountId, is_current: 1, chunks, changed: -waiting, part_of: null, worth: 0 };
  const whole = insertSpace(tx, row, learned.sorter, terms);
  const part = { account_id: accountId, is_current: 0, chunks: 0, changed: 0, part_of: whole };
  for (const { worth, ...space } of learned.collections) insertSpace(tx, { ...part, worth }, space, terms);
}

type NewSpace = Omit<Insertable<TopicFitsTable>, 'id' | 'dimensions' | 'cells'>;

function insertSpace(tx: Tx, row: NewSpace, space: TopicSpace, names: readonly string[]): number {
  const { dimensions, terms, weights, vectors, cells } = space;
  const fit = { ...row, dimensions, cells: floatBytes(cells) };
  const { id } = tx.queryOne(tx.insertInto('topic_fits').values(fit).returning('id'));
  if (dimensions === 0) return id;
  for (const [at, term] of terms.entries()) {
    const { scale, vector } = quantiseVector(vectors.subarray(at * dimensions, (at + 1) * dimensions));
    tx.runStatement(insertTerm({ fit: id, term: names[term] ?? '', weight: weights[at] ?? 0, scale, vector }));
  }
  return id;
}

export function deleteFit(tx: Tx, id: number): void {
  const all = sql`select id from topic_fits where id = ${id} or part_of = ${id}`;
  tx.runStatement(sql`delete from topic_terms where fit in (${all})`);
  tx.runStatement(sql`delete from topic_fits where id = ${id} or part_of = ${id}`);
}

function quantiseVector(values: Float32Array): { scale: number; vector: Uint8Array } {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const scale = largest / INT8_MAX;
  const whole = Int8Array.from(values, (value) => (scale === 0 ? 0 : Math.round(value / scale)));
  return { scale, vector: new Uint8Array(whole.buffer) };
}

export interface ChunkToFold {
  seq: number;
  job_type: string;
  kind: string;
  language: string | null;
  heading: string | null;
  text: string;
}

export function chunksToFold(db: Db, foldedBy: number, accountId: string, limit: number): ChunkToFold[] {
  const columns = ['seq', 'job_type', 'kind', 'language', 'heading', 'text'] as const;
  const chunks = db.selectFrom('search_chunks').select(columns).where('folded_by', '=', foldedBy);
  return db.queryAll(chunks.where('account_id', '=', accountId).limit(limit));
}

const deleteSignature = prepareQuery<{ seq: number }>()(
  (_db, of) => sql`delete from topic_signatures where (fit, cell, seq) in
    (select fit, cell, seq from topic_vectors where seq = ${of('seq')})`,
);

const deleteVector = prepareQuery<{ seq: number }>()((db, of) =>
  db.deleteFrom('topic_vectors').where('seq', '=', of('seq')),
);

const setFoldedBy = prepareQuery<{ seq: number; fit: number }>()((db, of) =>
  db
    .updateTable('search_chunks')
    .set({ folded_by: of('fit') })
    .where('seq', '=', of('seq')),
);

const insertSignature = prepareQuery<TopicSignaturesTable>()((db, of) =>
  db.insertInto('topic_signatures').values({
    fit: of('fit'),
    cell: of('cell'),
    seq: of('seq'),
    job_type: of('job_type'),
    kind: of('kind'),
    language: of('language'),
    bits: of('bits'),
  }),
);

const insertVector = prepareQuery<TopicVectorsTable>()((db, of) =>
  db.insertInto('topic_vectors').values({ seq: of('seq'), fit: of('fit'), cell: of('cell'), vector: of('vector') }),
);

/** Replaces the vector of a chunk; null where it has none. `part` is the collection of the fit that the chunk is in. */
export function writeTopicVector(
  tx: Tx,
  chunk: ChunkToFold,
  fit: number,
  folded: { part: number; cell: number; vector: Float32Array } | null,
): void {
  const { seq, job_type, kind } = chunk;
  tx.runStatement(deleteSignature({ seq }));
  tx.runStatement(deleteVector({ seq }));
  tx.runStatement(setFoldedBy({ seq, fit }));
  if (folded === null) return;
  const { bits, bytes } = storedForms(folded.vector);
  const { part, cell } = folded;
  const language = chunk.language === null ? null : baseLanguage(chunk.language);
  tx.runStatement(insertSignature({ fit: part, cell, seq, job_type, kind, language, bits }));
  tx.runStatement(insertVector({ seq, fit: part, cell, vector: bytes }));
}

/** Current fits whose account has changed by this share, or at all if it is small, or has no chunks any more. */
export function fitsToRenew(db: Db, share: number, small: number): { id: number; account_id: string }[] {
  return db.queryAll(sql<{ id: number; account_id: string }>`
    select id, account_id from topic_fits as f where is_current and part_of is null and (
      (changed > 0 and chunks < ${small}) or changed > chunks * ${share}
      or not exists (select 1 from search_chunks as c where c.account_id = f.account_id))`);
}

export function replacedFits(db: Db): { id: number; account_id: string }[] {
  return db.queryAll(
    db
      .selectFrom('topic_fits')
      .select(['id', 'account_id'])
      .where('is_current', '=', 0)
      .where('part_of', 'is', null)
      .orderBy('id'),
  );
}

/** Whether there is anything that topics could be learned from, or be removed for. */
export function mayNeedTopics(db: Db): boolean {
  const chunk = db.selectFrom('search_chunks').select('seq').limit(1);
  return (
    db.queryFirst(chunk) !== undefined || db.queryFirst(db.selectFrom('topic_fits').select('id').limit(1)) !== undefined
  );
}

/** Accounts with chunks that no fit has a vector of, in the order of their names, after one. */
export function nextUnfolded(db: Db, after: string): string | undefined {
  const chunks = db.selectFrom('search_chunks').select('account_id').where('folded_by', '=', 0);
  return db.queryFirst(chunks.where('account_id', '>', after).orderBy('account_id').limit(1))?.account_id;
}

function floatsOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

function floatBytes(floats: Float32Array): Uint8Array {
  return new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
}

interface TopicFitsTable {
  id: Generated<number>;
  account_id: string;
  is_current: number;
  /** Chunks of the account when it was made. */
  chunks: number;
  /** Chunks that came, changed or went since. */
  changed: number;
  dimensions: number;
  /** 32-bit floats. Of a fit the centres of its collections. */
  cells: Uint8Array;
  /** The fit that this collection is a part of. */
  part_of: number | null;
  /** How much topics of this collection count beside words. */
  worth: number;
}

interface TopicTermsTable {
  fit: number;
  term: string;
  weight: number;
  scale: number;
  vector: Uint8Array;
}

interface TopicSignaturesTable {
  fit: number;
  cell: number;
  seq: number;
  job_type: string;
  kind: string;
  language: string | null;
  bits: Uint8Array;
}

interface TopicVectorsTable {
  seq: number;
  fit: number;
  cell: number;
  vector: Uint8Array;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    topic_fits: TopicFitsTable;
    topic_terms: TopicTermsTable;
    topic_signatures: TopicSignaturesTable;
    topic_vectors: TopicVectorsTable;
  }
}
