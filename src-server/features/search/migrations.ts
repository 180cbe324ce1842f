import { type Kysely, sql } from 'kysely';

/**
 * The search index. Frozen: later changes are new migrations. The full-text table keeps no text of its own: what it
 * indexes is prepared (scripts without spaces are cut into characters), what is shown stands in search_chunks.
 * Prefixes have no index: one query word may be a prefix, and it is expanded in the main index.
 */
export async function createSearch(db: Kysely<never>): Promise<void> {
  await sql`
    create table search_chunks (
      seq integer primary key,
      account_id text not null,
      job_id text,
      job_type text not null,
      contribution_id text,
      chunk_id text not null,
      kind text not null,
      language text,
      page integer not null,
      heading text,
      url text,
      source_name text,
      start_seconds real,
      text text not null,
      original_text text
    )`.execute(db);
  await sql`create index search_chunks_by_job on search_chunks (job_id, chunk_id) where job_id is not null`.execute(db);
  await sql`create index search_chunks_by_contribution on search_chunks (contribution_id)
    where contribution_id is not null`.execute(db);
  await sql`
    create virtual table search_text using fts5 (
      scope, heading, body, content = '', contentless_delete = 1,
      tokenize = 'porter unicode61 remove_diacritics 2'
    )`.execute(db);
  await sql`insert into search_text (search_text, rank) values ('rank', 'bm25(0.0, 2.0, 1.0)')`.execute(db);
  await sql`
    create table search_jobs (
      job_id text not null primary key,
      indexed_chunks integer not null,
      state text not null check (state in ('waiting', 'indexed', 'failed'))
    )`.execute(db);
  await sql`create index search_jobs_waiting on search_jobs (job_id) where state = 'waiting'`.execute(db);
}

/**
 * Vectors of chunks, who shares a job, and whose file of chunks is to be written anew. Frozen: later changes are new
 * migrations. A chunk says which embedder made its vector (0: none yet), so that what waits is found by an index.
 * The short form of a vector (one bit for each dimension) lies with what filters ask for, in the order of accounts: a
 * search reads this and nothing else of the chunks that it does not show.
 */
export async function addSearchByMeaning(db: Kysely<never>): Promise<void> {
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
