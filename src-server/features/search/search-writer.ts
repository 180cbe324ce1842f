import { type Insertable, type RawBuilder, sql } from 'kysely';
import { assertTransaction } from '../../platform/db/database.ts';
import { prepared, preparedForColumns } from '../../platform/db/prepared.ts';
import type { Tx } from '../../platform/db/schema.ts';
import { REMOVED, type SearchChunksTable } from './search-tables.ts';

/** Chunks named in one statement. */
const DELETED_TOGETHER = 1000;

export type NewSearchChunk = Omit<Insertable<SearchChunksTable>, 'seq' | 'embedded_by'>;

/** The words a chunk is found by: prepared for the full-text table, which keeps none of it. */
export interface IndexedWords {
  scope: string;
  heading: string;
  body: string;
}

const insertRow = preparedForColumns<NewSearchChunk>()((db, row) =>
  db
    .insertInto('search_chunks')
    .values(row as never)
    .returning('seq'),
);

export async function insertChunk(tx: Tx, chunk: NewSearchChunk, words: IndexedWords): Promise<void> {
  assertTransaction(tx);
  const [row] = (await insertRow(tx, chunk, {})).rows;
  if (row === undefined) throw new Error('A chunk was not inserted.');
  await insertWords(tx, row.seq, words);
}

/** A chunk's text is replaced, and it is found by the new one from now on. */
export async function replaceText(
  tx: Tx,
  seq: number,
  change: { text: string; originalText: string | null },
  words: IndexedWords,
): Promise<void> {
  assertTransaction(tx);
  await deleteVectors(tx, sql`seq = ${seq}`);
  await tx
    .updateTable('search_chunks')
    .set({ text: change.text, original_text: change.originalText, embedded_by: 0 })
    .where('seq', '=', seq)
    .execute();
  await sql`delete from search_text where rowid = ${seq}`.execute(tx);
  await insertWords(tx, seq, words);
}

/** At once, for as long as it takes: see `awaitRemoval` for jobs with many chunks. */
export async function deleteChunksOfJob(tx: Tx, jobId: string): Promise<void> {
  while (await deleteSomeChunks(tx, jobId, DELETED_TOGETHER));
}

/** Deletes up to `most` chunks of a job; false when these were the last, and the index knows nothing of it any more. */
export async function deleteSomeChunks(tx: Tx, jobId: string, most: number): Promise<boolean> {
  assertTransaction(tx);
  const rows = await tx.selectFrom('search_chunks').select('seq').where('job_id', '=', jobId).limit(most).execute();
  if (rows.length > 0) {
    const chunks = sql`seq in (${sql.join(rows.map(({ seq }) => seq))})`;
    await sql`delete from search_text where rowid in (select seq from search_chunks where ${chunks})`.execute(tx);
    await deleteVectors(tx, chunks);
    await sql`delete from search_chunks where ${chunks}`.execute(tx);
  }
  if (rows.length === most) return true;
  await tx.deleteFrom('search_jobs').where('job_id', '=', jobId).execute();
  return false;
}

/** The job is removed: no search finds its chunks from now on, and the index is to delete them. */
export async function awaitRemoval(tx: Tx, jobId: string): Promise<void> {
  await noteIndexed(tx, jobId, { indexedChunks: REMOVED, state: 'waiting' });
}

export async function deleteChunksOfContribution(tx: Tx, contributionId: string): Promise<void> {
  assertTransaction(tx);
  await sql`delete from search_text where rowid in
    (select seq from search_chunks where contribution_id = ${contributionId})`.execute(tx);
  await deleteVectors(tx, sql`contribution_id = ${contributionId}`);
  await tx.deleteFrom('search_chunks').where('contribution_id', '=', contributionId).execute();
}

export interface Indexing {
  indexedChunks: number;
  state: 'waiting' | 'indexed' | 'failed';
}

const beginRow = prepared<Indexing & { jobId: string }>()((db, of) =>
  db.insertInto('search_jobs').values({ job_id: of('jobId'), indexed_chunks: of('indexedChunks'), state: of('state') }),
);

/** How far the index is with a job that it knew nothing of. */
export async function beginIndexing(tx: Tx, jobId: string, indexing: Indexing): Promise<void> {
  assertTransaction(tx);
  await beginRow(tx, { jobId, ...indexing });
}

const noteRow = prepared<Indexing & { jobId: string }>()((db, of) =>
  db
    .updateTable('search_jobs')
    .set({ indexed_chunks: of('indexedChunks'), state: of('state') })
    .where('job_id', '=', of('jobId')),
);

export async function noteIndexed(tx: Tx, jobId: string, indexing: Indexing): Promise<void> {
  assertTransaction(tx);
  await noteRow(tx, { jobId, ...indexing });
}

const insertText = prepared<IndexedWords & { seq: number }>()((db, of) => {
  const values = sql`${of('seq')}, ${of('scope')}, ${of('heading')}, ${of('body')}`;
  const insert = sql`insert into search_text (rowid, scope, heading, body) values (${values})`;
  return { compile: () => insert.compile(db) };
});

async function insertWords(tx: Tx, seq: number, words: IndexedWords): Promise<void> {
  await insertText(tx, { seq, ...words });
}

const mergeText = prepared<{ pages: number }>()((db, of) => {
  const merge = sql`insert into search_text (search_text, rank) values ('merge', ${of('pages')})`;
  return { compile: () => merge.compile(db) };
});

/**
 * Puts pieces of the full-text index together, up to so many pages: as much as writing left behind, since the index
 * does none of it by itself (migration 007).
 */
export async function mergeWords(tx: Tx, pages: number): Promise<void> {
  assertTransaction(tx);
  await mergeText(tx, { pages });
}

/** @param which condition on search_chunks, whose rows must still be there */
async function deleteVectors(tx: Tx, which: RawBuilder<unknown>): Promise<void> {
  await sql`delete from search_vectors where seq in
    (select seq from search_chunks where ${which} and embedded_by != 0)`.execute(tx);
  await sql`delete from search_signatures where (account_id, seq) in
    (select account_id, seq from search_chunks where ${which} and embedded_by != 0)`.execute(tx);
}
