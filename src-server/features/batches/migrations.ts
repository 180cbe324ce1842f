import { type Kysely, sql } from 'kysely';

/** Batches and their items. */
export async function createBatches(db: Kysely<never>): Promise<void> {
  await sql`
    create table batches (
      seq integer primary key autoincrement,
      id text not null unique,
      recipe text not null,
      key_id text,
      status text not null check (status in ('processing', 'completed', 'cancelled')),
      waiting integer not null default 0,
      processing integer not null default 0,
      completed integer not null default 0,
      failed integer not null default 0,
      cancelled integer not null default 0,
      created_at integer not null,
      cancelled_at integer,
      ended_at integer,
      expires_at integer
    )`.execute(db);
  await sql`create index batches_open on batches (seq) where status = 'processing'`.execute(db);
  await sql`create index batches_expiring on batches (expires_at) where expires_at is not null`.execute(db);
  await sql`
    create table batch_items (
      seq integer primary key autoincrement,
      batch_seq integer not null,
      number integer not null,
      source text not null,
      job_id text,
      is_own integer not null default 0,
      status text not null check (status in ('waiting', 'processing', 'completed', 'failed', 'cancelled')),
      error text,
      ended_at integer
    )`.execute(db);
  await sql`create unique index batch_items_of on batch_items (batch_seq, number)`.execute(db);
  await sql`create index batch_items_in on batch_items (batch_seq, status, number)`.execute(db);
  // Two items may lead to one crawl.
  await sql`create index batch_items_of_job on batch_items (job_id) where job_id is not null`.execute(db);
}

/** Batches of accounts that pay, and what single jobs have: labels, and the wish to install what is missing. */
export async function addPaidBatches(db: Kysely<never>): Promise<void> {
  await sql`alter table batches add column account_id text not null default 'owner'`.execute(db);
  await sql`alter table batches add column payment_id text`.execute(db);
  await sql`alter table batches add column tags text`.execute(db);
  await sql`alter table batches add column metadata text`.execute(db);
  await sql`alter table batches add column on_missing text check (on_missing in ('install', 'ask'))`.execute(db);
  await sql`create index batches_of_account on batches (account_id, seq)`.execute(db);
}

/** The name of the key that made a batch, which outlives the key. */
export async function nameKeysOfBatches(db: Kysely<never>): Promise<void> {
  await sql`alter table batches add column key_name text`.execute(db);
  await sql`update batches set key_name = (select name from keys where keys.id = batches.key_id)`.execute(db);
}
