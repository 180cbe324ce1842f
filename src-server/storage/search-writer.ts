import { type Insertable, type RawBuilder, sql } from 'kysely';
import { assertTransaction } from './connection.ts';
import type { Tx } from './schema.ts';
import type { SearchChunksTable } from './search-tables.ts';

export type NewSearchChunk = Omit<Insertable<SearchChunksTable>, 'seq' | 'embedded_by'>;

/** The words a chunk is found by: prepared for the full-text table, which keeps none of it. */
export interface IndexedWords {
  scope: string;
  heading: string;
  body: string;
}

export async function insertChunk(tx: Tx, chunk: NewSearchChunk, words: IndexedWords): Promise<void> {
  assertTransaction(tx);
  const { seq } = await tx.insertInto('search_chunks').values(chunk).returning('seq').executeTakeFirstOrThrow();
  await insertWords(tx, seq, words);
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

export async function deleteChunksOfJob(tx: Tx, jobId: string): Promise<void> {
  assertTransaction(tx);
  await sql`delete from search_text where rowid in (select seq from search_chunks where job_id = ${jobId})`.execute(tx);
  await deleteVectors(tx, sql`job_id = ${jobId}`);
  await tx.deleteFrom('search_chunks').where('job_id', '=', jobId).execute();
  await tx.deleteFrom('search_jobs').where('job_id', '=', jobId).execute();
}

export async function deleteChunksOfContribution(tx: Tx, contributionId: string): Promise<void> {
  assertTransaction(tx);
  await sql`delete from search_text where rowid in
    (select seq from search_chunks where contribution_id = ${contributionId})`.execute(tx);
  await deleteVectors(tx, sql`contribution_id = ${contributionId}`);
  await tx.deleteFrom('search_chunks').where('contribution_id', '=', contributionId).execute();
}

/** A job's chunks are to be indexed; a job that ran again is indexed anew. */
export async function awaitIndexing(tx: Tx, jobId: string): Promise<void> {
  assertTransaction(tx);
  await deleteChunksOfJob(tx, jobId);
  await tx.insertInto('search_jobs').values({ job_id: jobId, indexed_chunks: 0, state: 'waiting' }).execute();
}

export async function noteIndexed(
  tx: Tx,
  jobId: string,
  change: { indexedChunks: number; state: 'waiting' | 'indexed' | 'failed' },
): Promise<void> {
  assertTransaction(tx);
  await tx
    .updateTable('search_jobs')
    .set({ indexed_chunks: change.indexedChunks, state: change.state })
    .where('job_id', '=', jobId)
    .execute();
}

async function insertWords(tx: Tx, seq: number, { scope, heading, body }: IndexedWords): Promise<void> {
  const values = sql`${seq}, ${scope}, ${heading}, ${body}`;
  await sql`insert into search_text (rowid, scope, heading, body) values (${values})`.execute(tx);
}

/** @param which condition on search_chunks, whose rows must still be there */
async function deleteVectors(tx: Tx, which: RawBuilder<unknown>): Promise<void> {
  await sql`delete from search_vectors where seq in
    (select seq from search_chunks where ${which} and embedded_by != 0)`.execute(tx);
  await sql`delete from search_signatures where (account_id, seq) in
    (select account_id, seq from search_chunks where ${which} and embedded_by != 0)`.execute(tx);
}
