import { type Kysely, sql } from 'kysely';

/** Corrections that were approved before they reached all files. Frozen. */
export async function correctAllFiles(db: Kysely<never>): Promise<void> {
  await sql`
    insert or ignore into corrected_files (job_id, revision)
    select distinct job_id, 1 from contributions
    where kind = 'correction' and status = 'approved' and job_id is not null`.execute(db);
}

/** Annotations quote words of their chunk, and are in the files of their jobs. Frozen. */
export async function quoteWords(db: Kysely<never>): Promise<void> {
  await sql`alter table contributions add column quote text`.execute(db);
  await sql`alter table contributions add column quote_start integer`.execute(db);
  await sql`
    insert or ignore into corrected_files (job_id, revision)
    select distinct job_id, 1 from contributions
    where kind != 'correction' and status = 'approved' and job_id is not null`.execute(db);
}

/** What the community sends in, and what became of it. Frozen: later changes are new migrations. */
export async function createContributions(db: Kysely<never>): Promise<void> {
  await sql`
    create table contributions (
      seq integer primary key autoincrement,
      id text not null unique,
      account_id text not null,
      kind text not null check (kind in ('correction', 'annotation', 'source')),
      status text not null check (status in ('pending', 'approved', 'rejected')),
      job_id text,
      chunk_id text,
      text text not null,
      url text,
      author text,
      license text,
      reason text,
      reports integer not null default 0,
      created_at integer not null,
      updated_at integer not null,
      decided_at integer,
      check (kind != 'correction' or (job_id is not null and chunk_id is not null))
    )`.execute(db);
  await sql`create index contributions_by_status on contributions (status, seq)`.execute(db);
  await sql`create index contributions_by_account on contributions (account_id, seq)`.execute(db);
  await sql`create index contributions_by_job on contributions (job_id, chunk_id) where job_id is not null`.execute(db);
  await sql`
    create table contribution_events (
      seq integer primary key autoincrement,
      contribution_id text not null,
      action text not null check (action in ('submitted', 'approved', 'rejected', 'reported')),
      actor text not null,
      reason text,
      created_at integer not null
    )`.execute(db);
  await sql`create index contribution_events_in_order on contribution_events (contribution_id, seq)`.execute(db);
}
