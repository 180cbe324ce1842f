import { hash } from 'node:crypto';
import { type Generated, type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { preparedForColumns, prepareQuery } from '../../platform/db/prepared.ts';
import { insertChunkWords, queueWordSweep } from './word-store.ts';
import { isIndexedAnew, type Scopes } from './words.ts';

export type SearchChunkRow = Selectable<SearchChunksTable>;

/** What SQLite says of a file that is damaged, or is no database. Longer codes begin with these. */
const DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/;

/** Whether the index has to be rebuilt. */
export function isDamaged(error: unknown): boolean {
  return DAMAGE.test(String((error as { code?: unknown } | null)?.code));
}

/**
 * The best matches of a full-text expression by bm25, best first, among the newest `ranked` ones. The rank is asked for
 * row by row from the newest on: `order by rank` would rank all matches, whatever limits stand beside it.
 */
export function matchText(
  db: Db,
  expression: string,
  ranked: number,
  limit: number,
  facts: FactsFilter = NO_FACTS,
): number[] {
  const rows = db.queryAll(sql<{ seq: number }>`
    select seq from (
      select rowid as seq, rank as score from search_text where search_text match ${expression}
      ${facts(sql`search_text.rowid`)} order by rowid desc limit ${ranked}
    ) order by score, seq desc limit ${limit}
  `);
  return rows.map(({ seq }) => seq);
}

/** The newest matches, unranked. */
export function newestMatches(db: Db, expression: string, limit: number, facts: FactsFilter): number[] {
  const rows = db.queryAll(sql<{ seq: number }>`
    select rowid as seq from search_text where search_text match ${expression}
    ${facts(sql`search_text.rowid`)} order by rowid desc limit ${limit}`);
  return rows.map(({ seq }) => seq);
}

/** A condition on a column with a chunk's number, beginning with `and`. */
export type FactsFilter = (seq: RawBuilder<unknown>) => RawBuilder<unknown>;

export const NO_FACTS: FactsFilter = () => sql``;

/** Limits of a search by words. */
export interface Matches {
  scopes: Scopes;
  facts: FactsFilter;
}

interface AskedFacts {
  source?: string | undefined;
  /** YYYY-MM-DD, the first and the last day. */
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * Limits a search by source, days and jobs. Chunks of a source or of some days lie together, so the first and the last
 * of them bound what is read.
 */
export function factsFilter(db: Db, asked: AskedFacts, jobIds?: readonly string[]): FactsFilter {
  const facts = boundFacts(db, asked);
  if (jobIds === undefined) return facts;
  const jobs = sql`select value from json_each(${JSON.stringify(jobIds)})`;
  return (seq) => sql`${facts(seq)} and ${seq} in (select seq from search_chunks where job_id in (${jobs}))`;
}

function boundFacts(db: Db, { source, from, to }: AskedFacts): FactsFilter {
  const conditions: RawBuilder<unknown>[] = [];
  if (source !== undefined) conditions.push(sql`source = ${source}`);
  if (from !== undefined) conditions.push(sql`day >= ${from}`);
  if (to !== undefined) conditions.push(sql`day <= ${to} and day > ''`);
  if (conditions.length === 0) return NO_FACTS;
  const all = sql.join(conditions, sql` and `);
  const bounds = sql<{ first: number | null; last: number | null }>`
    select min(seq) as first, max(seq) as last from search_facts where ${all}`;
  const { first, last } = db.queryOne(bounds);
  if (first === null || last === null) return () => sql`and false`;
  return (seq) => sql`and ${seq} between ${first} and ${last}
    and exists (select 1 from search_facts where search_facts.seq = ${seq} and ${all})`;
}

/** Facts of chunks, for facets. */
export function factsOfChunks(db: Db, seqs: readonly number[]): Omit<SearchFactsTable, 'seq' | 'text_key'>[] {
  return db.queryAll(sql<Omit<SearchFactsTable, 'seq' | 'text_key'>>`
    select job_type, kind, source, day from json_each(${JSON.stringify(seqs)}) join search_facts on seq = value`);
}

/** How many of some chunks each job has. */
export function countByJob(db: Db, seqs: readonly number[]): { jobId: string; chunks: number }[] {
  return db.queryAll(sql<{ jobId: string; chunks: number }>`
    select job_id as jobId, count(*) as chunks from json_each(${JSON.stringify(seqs)})
    join search_chunks on seq = value where job_id is not null group by job_id`);
}

/** How many chunks match, counted from the oldest up to `most`, and the last that was counted. */
export function countMatches(
  db: Db,
  expression: string,
  most: number,
  facts: FactsFilter = NO_FACTS,
): { chunks: number; lastSeq: number | null } {
  const rows = db.queryAll(sql<{ chunks: number; lastSeq: number | null }>`
    select count(*) as chunks, max(seq) as lastSeq from (
      select rowid as seq from search_text where search_text match ${expression}
      ${facts(sql`search_text.rowid`)} order by rowid limit ${most}
    )
  `);
  return rows[0] ?? { chunks: 0, lastSeq: null };
}

/** First and last chunk; zeros where there are none. */
export function seqRange(db: Db): { first: number; last: number } {
  const chunks = db.selectFrom('search_chunks');
  const first = db.queryFirst(chunks.select('seq').orderBy('seq').limit(1));
  const last = db.queryFirst(chunks.select('seq').orderBy('seq', 'desc').limit(1));
  return { first: first?.seq ?? 0, last: last?.seq ?? 0 };
}

/** Chunks by their numbers. */
export function chunksBySeq(db: Db, seqs: readonly number[]): SearchChunkRow[] {
  if (seqs.length === 0) return [];
  return db.queryAll(db.selectFrom('search_chunks').selectAll().where('seq', 'in', seqs));
}

const chunkNumbers = prepareQuery<{ jobId: string }>()((db, of) =>
  db.selectFrom('search_chunks').select('seq').where('job_id', '=', of('jobId')),
);

export function chunkNumbersOfJob(db: Db, jobId: string): number[] {
  return db.queryAll(chunkNumbers({ jobId })).map(({ seq }) => seq);
}

/** Identity of the index: another one has other content. */
export function indexIdentity(db: Db): string {
  return db.queryOne(db.selectFrom('search_identity').select('id')).id;
}

/** The indexed chunks of a job with this id: one, unless the job's text repeats itself. */
export function chunksById(db: Db, jobId: string, chunkId: string): SearchChunkRow[] {
  return db.queryAll(
    db.selectFrom('search_chunks').selectAll().where('job_id', '=', jobId).where('chunk_id', '=', chunkId),
  );
}

interface ResultFacts {
  title: string | null;
  language: string | null;
  /** Whether its pages have languages of their own. */
  hasPages: boolean;
}

const factsOfResult = prepareQuery<{ jobId: string }>()(
  (_db, of) => sql<Omit<ResultFacts, 'hasPages'> & { pages: string | null }>`
    select json_extract(body, '$.document.title') as title, json_extract(body, '$.document.language') as language,
      json_type(body, '$.pages') as pages
    from job_results where job_id = ${of('jobId')}`,
);

/** What the index says of each chunk of a job, read by SQLite: a result of megabytes is not parsed for it here. */
export function resultFacts(db: Db, jobId: string): ResultFacts {
  const found = db.queryFirst(factsOfResult({ jobId }));
  return { title: found?.title ?? null, language: found?.language ?? null, hasPages: found?.pages === 'array' };
}

/** The languages of a crawl's pages, by their URLs. */
export function pageLanguages(db: Db, jobId: string): Map<string, string | null> {
  const rows = db.queryAll(sql<{ url: string; language: string | null }>`
    select json_extract(page.value, '$.url') as url, json_extract(page.value, '$.language') as language
    from job_results, json_each(body, '$.pages') as page where job_id = ${jobId}
  `);
  return new Map(rows.map(({ url, language }) => [url, language]));
}

export type NewSearchChunk = Omit<Insertable<SearchChunksTable>, 'seq' | 'embedded_by' | 'folded_by'>;

/** Host of a web page, or the name of a file or recording. */
export function chunkSourceOf({ url, source_name }: Pick<NewSearchChunk, 'url' | 'source_name'>): string | null {
  return (url == null ? null : URL.parse(url)?.host) || (source_name ?? null);
}

/** The words a chunk is found by: prepared for the full-text table, which keeps none of it. */
interface IndexedWords {
  scope: string;
  heading: string;
  body: string;
}

const insertChunkRow = preparedForColumns<NewSearchChunk>()((db, row) =>
  db.insertInto('search_chunks').values(row).returning('seq'),
);

const insertFacts = prepareQuery<SearchFactsTable>()((db, of) =>
  db.insertInto('search_facts').values({
    seq: of('seq'),
    job_type: of('job_type'),
    kind: of('kind'),
    source: of('source'),
    day: of('day'),
    text_key: of('text_key'),
  }),
);

/** Hexadecimal digits of a hash that a number holds exactly. */
const KEY_HEX_CHARS = 12;

/** White space that is not one space. */
const UNEVEN_SPACE = /[^\S ]| {2}/;

/** Texts that differ by white space alone have the same key. */
export function textKeyOf({ kind, text }: { kind: string; text: string }): number {
  const trimmed = text.trim();
  const plain = UNEVEN_SPACE.test(trimmed) ? trimmed.replace(/\s+/g, ' ') : trimmed;
  const digest = hash('sha1', `${kind} ${plain}`);
  return Number.parseInt(digest.slice(0, KEY_HEX_CHARS), 16);
}

/** The chunks without those whose text an earlier one has. */
export function withoutCopies(db: Db, seqs: readonly number[]): number[] {
  if (seqs.length < 2) return [...seqs];
  const rows = db.queryAll(sql<{ seq: number; text_key: number | null }>`
    select seq, text_key from json_each(${JSON.stringify(seqs)}) join search_facts on seq = value`);
  const keys = new Map(rows.map(({ seq, text_key }) => [seq, text_key ?? -seq]));
  const first = new Map<number, number>();
  for (const seq of seqs) {
    const key = keys.get(seq) ?? -seq;
    if (!first.has(key)) first.set(key, seq);
  }
  return [...first.values()];
}

/** The document of each chunk: its job, and the page of a site. */
export function documentsOfChunks(db: Db, seqs: readonly number[]): Map<number, string> {
  const rows = db.queryAll(sql<{ seq: number; document: string }>`
    select seq, coalesce(job_id, seq) || ' ' || coalesce(url, '') as document
    from json_each(${JSON.stringify(seqs)}) join search_chunks on seq = value`);
  return new Map(rows.map(({ seq, document }) => [seq, document]));
}

/** @param day when its job was submitted (YYYY-MM-DD, UTC). Returns its number. */
export function insertChunk(tx: Tx, chunk: NewSearchChunk, words: IndexedWords, day: string | null = null): number {
  const { seq } = tx.queryOne(insertChunkRow(chunk, {}));
  const { job_type, kind } = chunk;
  tx.runStatement(insertFacts({ seq, job_type, kind, source: chunkSourceOf(chunk), day, text_key: textKeyOf(chunk) }));
  insertWords(tx, seq, words);
  insertChunkWords(tx, chunk);
  return seq;
}

/** A chunk's text is replaced, and it is found by the new one from now on. */
export function replaceText(
  tx: Tx,
  { seq, kind, heading, language }: Pick<SearchChunkRow, 'seq' | 'kind' | 'heading' | 'language'>,
  change: { text: string; originalText: string | null },
  words: IndexedWords,
): void {
  deleteVectors(tx, sql`seq = ${seq}`);
  tx.runStatement(
    tx
      .updateTable('search_chunks')
      .set({ text: change.text, original_text: change.originalText, embedded_by: 0, folded_by: 0 })
      .where('seq', '=', seq),
  );
  const key = textKeyOf({ kind, text: change.text });
  tx.runStatement(sql`update search_facts set text_key = ${key} where seq = ${seq}`);
  replaceWords(tx, seq, words);
  insertChunkWords(tx, { text: change.text, heading, language });
  queueWordSweep(tx);
}

function replaceWords(tx: Tx, seq: number, words: IndexedWords): void {
  tx.runStatement(sql`delete from search_text where rowid = ${seq}`);
  insertWords(tx, seq, words);
}

/** Keeps what an earlier version of the index did not: words of a chunk, and the key of its text. */
export function readOldChunk(tx: Tx, chunk: SearchChunkRow, words: IndexedWords): void {
  const { seq, text } = chunk;
  tx.runStatement(sql`update search_facts set text_key = ${textKeyOf(chunk)} where seq = ${seq}`);
  if (isIndexedAnew(text)) replaceWords(tx, seq, words);
  insertChunkWords(tx, chunk);
}

export function deleteChunks(tx: Tx, seqs: readonly number[]): void {
  const chunks = sql`seq in (${sql.join(seqs)})`;
  tx.runStatement(sql`delete from search_text where rowid in (select seq from search_chunks where ${chunks})`);
  deleteVectors(tx, chunks);
  tx.runStatement(sql`delete from search_facts where seq in (select seq from search_chunks where ${chunks})`);
  tx.runStatement(sql`delete from search_chunks where ${chunks}`);
  queueWordSweep(tx);
}

export function deleteChunksOfContribution(tx: Tx, contributionId: string): void {
  tx.runStatement(sql`delete from search_text where rowid in
    (select seq from search_chunks where contribution_id = ${contributionId})`);
  deleteVectors(tx, sql`contribution_id = ${contributionId}`);
  tx.runStatement(sql`delete from search_facts where seq in
    (select seq from search_chunks where contribution_id = ${contributionId})`);
  tx.runStatement(tx.deleteFrom('search_chunks').where('contribution_id', '=', contributionId));
  queueWordSweep(tx);
}

const insertText = prepareQuery<IndexedWords & { seq: number }>()((_db, of) => {
  const values = sql`${of('seq')}, ${of('scope')}, ${of('heading')}, ${of('body')}`;
  return sql`insert into search_text (rowid, scope, heading, body) values (${values})`;
});

function insertWords(tx: Tx, seq: number, words: IndexedWords): void {
  tx.runStatement(insertText({ seq, ...words }));
}

const mergeText = prepareQuery<{ pages: number }>()(
  (_db, of) => sql`insert into search_text (search_text, rank) values ('merge', ${of('pages')})`,
);

/**
 * Puts pieces of the full-text index together, up to so many pages: as much as writing left behind, since the index
 * does none of it by itself (migration 007).
 */
export function mergeWords(tx: Tx, pages: number): void {
  tx.runStatement(mergeText({ pages }));
}

/** @param which condition on search_chunks, whose rows must still be there */
function deleteVectors(tx: Tx, which: RawBuilder<unknown>): void {
  tx.runStatement(sql`delete from search_vectors where seq in
    (select seq from search_chunks where ${which} and embedded_by != 0)`);
  tx.runStatement(sql`delete from search_signatures where (account_id, seq) in
    (select account_id, seq from search_chunks where ${which} and embedded_by != 0)`);
  const folded = sql`select seq from search_chunks where ${which} and folded_by != 0`;
  tx.runStatement(sql`update topic_fits set changed = changed + (select count(*) from (${folded}))
    where is_current and part_of is null and account_id in (select account_id from search_chunks where ${which})`);
  tx.runStatement(sql`delete from topic_signatures where (fit, cell, seq) in
    (select fit, cell, seq from topic_vectors where seq in (${folded}))`);
  tx.runStatement(sql`delete from topic_vectors where seq in (${folded})`);
}

/** What search can find: chunks of completed jobs, and approved contributions. */
export interface SearchChunksTable {
  seq: Generated<number>;
  /** Whose it is; `public` for contributions. */
  account_id: string;
  job_id: string | null;
  job_type: string;
  contribution_id: string | null;
  chunk_id: string;
  kind: string;
  language: string | null;
  page: number;
  heading: string | null;
  url: string | null;
  source_name: string | null;
  start_seconds: number | null;
  text: string;
  /** The text before an approved correction. */
  original_text: string | null;
  /** Which embedder made its vector; 0 while none has. */
  embedded_by: Generated<number>;
  /** Which fit of topics made its vector of topics; 0 while none has. */
  folded_by: Generated<number>;
}

/** What facets and filters ask of a chunk. */
interface SearchFactsTable {
  seq: number;
  job_type: string;
  kind: string;
  source: string | null;
  /** YYYY-MM-DD; empty until the writer has read it from the main database. */
  day: string | null;
  /** The same for chunks of the same text; null until the writer has read it. */
  text_key: number | null;
}

interface SearchIdentityTable {
  id: string;
}

/** Models that made vectors. */
interface SearchEmbeddersTable {
  id: Generated<number>;
  /** Name and fingerprint of the model's file: another file under an old name makes other vectors. */
  model: string;
}

/** What a search by meaning reads of every chunk: one bit for each dimension, and what filters ask for. */
interface SearchSignaturesTable {
  account_id: string;
  seq: number;
  embedder: number;
  job_type: string;
  kind: string;
  language: string | null;
  bits: Uint8Array;
}

/** What it reads of the nearest ones: a signed byte for each dimension. */
interface SearchVectorsTable {
  seq: number;
  embedder: number;
  vector: Uint8Array;
}

/** What the index takes from a job's row. */
export interface IndexedJob {
  id: string;
  account_id: string;
  operation_id: string;
  source_name: string | null;
  /** Its name in lists, empty for old jobs. Names a source that has no other name. */
  label: string;
  created_at: number;
}

const completedJob = prepareQuery<{ jobId: string }>()((db, of) =>
  db
    .selectFrom('jobs')
    .select(['id', 'account_id', 'operation_id', 'source_name', 'label', 'created_at'])
    .where('id', '=', of('jobId'))
    .where('status', '=', 'completed')
    .where('purged_at', 'is', null),
);

/** A job that has a result. */
export function indexedJob(db: Db, jobId: string): IndexedJob | undefined {
  return db.queryFirst(completedJob({ jobId }));
}

/** JSON text of a job's stored result. */
export function resultBody(db: Db, jobId: string): string | undefined {
  return db.queryFirst(db.selectFrom('job_results').select('body').where('job_id', '=', jobId))?.body;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    search_identity: SearchIdentityTable;
    search_chunks: SearchChunksTable;
    search_facts: SearchFactsTable;
    search_embedders: SearchEmbeddersTable;
    search_signatures: SearchSignaturesTable;
    search_vectors: SearchVectorsTable;
  }
}
