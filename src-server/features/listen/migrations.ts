import { type Kysely, sql } from 'kysely';

/** Items that are read aloud, and the addresses of feeds. Frozen: later changes are new migrations. */
export async function createListening(db: Kysely<never>): Promise<void> {
  await sql`
    create table readings (
      id text primary key,
      item_id text not null unique,
      job_id text not null,
      state text not null check (state in ('reading', 'ready', 'failed')),
      error_code text,
      error_message text,
      voice text not null,
      voice_name text not null,
      speed real not null,
      position real not null default 0,
      created_at integer not null,
      updated_at integer not null
    )`.execute(db);
  await sql`
    create table listen_feeds (
      id text primary key,
      name text not null,
      created_at integer not null,
      used_at integer
    )`.execute(db);
  await sql`create table listen_secret (only integer primary key check (only = 1), secret text not null)`.execute(db);
}
