import { type Kysely, sql } from 'kysely';

/**
 * Vectors of chunks, who shares a job, and whose file of chunks is to be written anew. Frozen: later changes are new
 * migrations. A chunk says which embedder made its vector (0: none yet), so that what waits is found by an index.
 * The short form of a vector (one bit for each dimension) lies with what filters ask for, in the order of accounts: a
 * search reads this and nothing else of the chunks that it does not show.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table search_embedders (
      id integer primary key,
      model text not null unique
    )`.execute(db);
  await sql`alter table search_chunks add column embedded_by integer not null default 0`.execute(db);
  await sql`create index search_chunks_by_embedder on search_chunks (embedded_by)`.execute(db);
  await sql`
    create table search_signatures (
      account_id text not null,
      seq integer not null,
      embedder integer not null,
      bits blob not null,
      job_type text not null,
      kind text not null,
      language text,
      primary key (account_id, seq)
    ) without rowid`.execute(db);
  await sql`
    create table search_vectors (
      seq integer primary key,
      embedder integer not null,
      vector blob not null
    )`.execute(db);
  await sql`
    create table search_shares (
      account_id text not null,
      job_id text not null,
      primary key (account_id, job_id)
    ) without rowid`.execute(db);
  await sql`
    create table corrected_files (
      job_id text not null primary key,
      revision integer not null
    )`.execute(db);
  await sql`create index search_shares_by_job on search_shares (job_id)`.execute(db);
}
