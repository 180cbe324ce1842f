import { type Kysely, sql } from 'kysely';

/** Watched sites, their runs, and the versions of their pages. Texts and diffs are files beside the database. */
export async function createSiteWatches(db: Kysely<never>): Promise<void> {
  await sql`
    create table site_watches (
      seq integer primary key autoincrement,
      id text not null unique,
      name text,
      crawl text not null,
      every_minutes integer not null,
      time_of_day text,
      webhook text,
      status text not null check (status in ('active', 'paused')),
      next_run_at integer,
      baseline_run integer,
      last_run integer,
      last_change_at integer,
      created_at integer not null,
      updated_at integer not null
    )`.execute(db);
  await sql`create index site_watches_due on site_watches (next_run_at) where next_run_at is not null`.execute(db);
  await sql`
    create table site_watch_runs (
      seq integer primary key autoincrement,
      watch_seq integer not null,
      job_id text not null unique,
      cause text not null check (cause in ('schedule', 'owner')),
      status text not null check (status in ('running', 'completed', 'failed')),
      baseline_run integer,
      is_first integer,
      counts text,
      changes integer not null default 0,
      error text,
      diff_bytes integer not null default 0,
      begun_at integer not null,
      ended_at integer
    )`.execute(db);
  await sql`create index site_watch_runs_of on site_watch_runs (watch_seq, seq)`.execute(db);
  // A watch never runs twice at once.
  await sql`create unique index site_watch_runs_open on site_watch_runs (watch_seq) where status = 'running'`.execute(
    db,
  );
  await sql`
    create table site_page_versions (
      watch_seq integer not null,
      url text not null,
      run_seq integer not null,
      change text not null,
      title text,
      moved_to text,
      before text,
      after text,
      added_lines integer,
      removed_lines integer,
      changed_share real,
      diff_at integer not null,
      diff_bytes integer not null,
      diff_truncated integer not null,
      primary key (watch_seq, url, run_seq)
    ) without rowid`.execute(db);
  await sql`create index site_page_versions_of_run on site_page_versions (watch_seq, run_seq, url)`.execute(db);
}

/** The key that made a watch; null: the owner. */
export async function nameKeysOfWatches(db: Kysely<never>): Promise<void> {
  await sql`alter table site_watches add column key_id text`.execute(db);
  await sql`alter table site_watches add column key_name text`.execute(db);
}
