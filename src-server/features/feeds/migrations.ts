import { type Kysely, sql } from 'kysely';

/** Watched feeds and the entries they had. */
export async function createFeeds(db: Kysely<never>): Promise<void> {
  await sql`
    create table feeds (
      seq integer primary key autoincrement,
      id text not null unique,
      name text,
      title text,
      url text not null,
      recipe text not null,
      takes text not null check (takes in ('auto', 'enclosure', 'link')),
      first_entries integer not null,
      every_minutes integer not null,
      time_of_day text,
      status text not null check (status in ('active', 'paused')),
      next_run_at integer,
      etag text,
      last_modified text,
      read_at integer,
      checked_at integer,
      error text,
      waiting integer not null default 0,
      processing integer not null default 0,
      completed integer not null default 0,
      failed integer not null default 0,
      skipped integer not null default 0,
      created_at integer not null,
      updated_at integer not null
    )`.execute(db);
  await sql`create index feeds_due on feeds (next_run_at) where next_run_at is not null`.execute(db);
  await sql`
    create table feed_entries (
      seq integer primary key autoincrement,
      id text not null unique,
      feed_seq integer not null,
      guid_hash text not null,
      title text,
      url text,
      published_at integer,
      job_id text,
      status text not null check (status in ('waiting', 'processing', 'completed', 'failed', 'skipped')),
      error text,
      found_at integer not null,
      ended_at integer
    )`.execute(db);
  // An entry becomes a job once.
  await sql`create unique index feed_entries_once on feed_entries (feed_seq, guid_hash)`.execute(db);
  await sql`create index feed_entries_of on feed_entries (feed_seq, seq)`.execute(db);
  await sql`create index feed_entries_in on feed_entries (feed_seq, status, seq)`.execute(db);
  // Two entries may lead to one crawl.
  await sql`create index feed_entries_of_job on feed_entries (job_id) where job_id is not null`.execute(db);
}

/** Entries up to this time have been forgotten, and are not taken again. */
export async function forgetEntries(db: Kysely<never>): Promise<void> {
  await sql`alter table feeds add column forgotten_until integer`.execute(db);
}

/** The key that made a feed; null: the owner. */
export async function nameKeysOfFeeds(db: Kysely<never>): Promise<void> {
  await sql`alter table feeds add column key_id text`.execute(db);
  await sql`alter table feeds add column key_name text`.execute(db);
}
