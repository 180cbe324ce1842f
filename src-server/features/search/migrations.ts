import { type Kysely, sql } from 'kysely';

/**
 * The search index. Frozen: later changes are new migrations. The full-text table keeps no text of its own: what it
 * indexes is prepared (scripts without spaces are cut into characters), what is shown stands in search_chunks.
 * Prefixes have no index: one query word may be a prefix, and it is expanded in the main index.
 */
export async function up(db: Kysely<never>): Promise<void> {
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
