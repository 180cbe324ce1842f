import { type Kysely, sql } from 'kysely';

/** Subscriptions, the outbox with its queues, the attempt log, selections, and the built-in inbox. Frozen. */
export async function createWebhooks(db: Kysely<never>): Promise<void> {
  await createWebhooksTable(db);
  await createOutboxTables(db);
  await createAttemptsTable(db);
  await createToolTables(db);
}

async function createWebhooksTable(db: Kysely<never>): Promise<void> {
  await sql`
    create table webhooks (
      seq integer primary key autoincrement,
      id text not null unique,
      account_id text not null,
      job_id text,
      url text not null,
      on_completed integer not null,
      on_failed integer not null,
      secret text,
      previous_secret text,
      previous_secret_expires_at integer,
      secret_mark text not null,
      status text not null check (status in ('active', 'paused', 'disabled')),
      notice text,
      lane_id text not null,
      failing_since integer,
      last_delivery_id text,
      last_delivery_status text,
      last_response_status integer,
      last_attempt_at integer,
      created_at integer not null,
      updated_at integer not null,
      deleted_at integer
    )`.execute(db);
  await sql`create unique index webhooks_of_account on webhooks (account_id, url, secret_mark)
    where job_id is null and deleted_at is null`.execute(db);
  await sql`create unique index webhooks_of_job on webhooks (job_id, account_id, url, secret_mark)
    where job_id is not null`.execute(db);
  await sql`create index webhooks_rotating on webhooks (previous_secret_expires_at)
    where previous_secret_expires_at is not null`.execute(db);
  await sql`create index webhooks_deleted on webhooks (deleted_at) where deleted_at is not null`.execute(db);
}

async function createOutboxTables(db: Kysely<never>): Promise<void> {
  await sql`
    create table webhook_lanes (
      id text primary key,
      next_due_at integer,
      held integer not null,
      lease_owner text,
      lease_ends_at integer
    )`.execute(db);
  await sql`create index webhook_lanes_due on webhook_lanes (next_due_at)
    where held = 0 and next_due_at is not null`.execute(db);
  await sql`
    create table webhook_deliveries (
      seq integer primary key autoincrement,
      id text not null unique,
      webhook_id text not null,
      lane_id text not null,
      account_id text not null,
      kind text not null check (kind in ('job', 'test')),
      job_id text not null,
      event text not null,
      job_ended_at integer not null,
      status text not null check (status in ('pending', 'delivered', 'exhausted', 'cancelled')),
      attempts integer not null,
      tries integer not null,
      manual integer not null,
      next_attempt_at integer,
      last_response_status integer,
      last_error_class text,
      body_sha256 text,
      created_at integer not null,
      updated_at integer not null
    )`.execute(db);
  // Two registrations, or a registration during completion, can never make two deliveries of one transition.
  await sql`create unique index webhook_deliveries_once
    on webhook_deliveries (job_id, webhook_id, event, job_ended_at)`.execute(db);
  await sql`create index webhook_deliveries_due on webhook_deliveries (lane_id, next_attempt_at, seq)
    where status = 'pending'`.execute(db);
  await sql`create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, seq)`.execute(db);
  await sql`create index webhook_deliveries_by_status on webhook_deliveries (status, seq)`.execute(db);
}

async function createAttemptsTable(db: Kysely<never>): Promise<void> {
  await sql`
    create table webhook_attempts (
      seq integer primary key autoincrement,
      delivery_seq integer not null,
      number integer not null,
      manual integer not null,
      url text not null,
      started_at integer not null,
      duration_ms real not null,
      request_headers text not null,
      request_body_sha256 text not null,
      request_body_bytes integer not null,
      request_body blob,
      request_body_encoding text,
      response_status integer,
      response_headers text,
      response_body blob,
      response_truncated integer not null,
      error_class text,
      error_message text,
      next_attempt_at integer
    )`.execute(db);
  await sql`create index webhook_attempts_of_delivery on webhook_attempts (delivery_seq, number)`.execute(db);
}

async function createToolTables(db: Kysely<never>): Promise<void> {
  await sql`
    create table webhook_selections (
      id text primary key,
      filter text not null,
      deliveries integer not null,
      created_at integer not null,
      expires_at integer not null,
      applied_at integer
    )`.execute(db);
  await sql`
    create table webhook_selection_items (
      selection_id text not null,
      delivery_seq integer not null,
      primary key (selection_id, delivery_seq)
    )`.execute(db);
  await sql`
    create table webhook_inboxes (
      seq integer primary key autoincrement,
      name text not null unique,
      label text not null,
      secret text,
      behaviour text not null,
      created_at integer not null
    )`.execute(db);
  await sql`
    create table webhook_inbox_messages (
      seq integer primary key autoincrement,
      inbox_name text not null,
      received_at integer not null,
      headers text not null,
      body blob not null,
      body_bytes integer not null,
      verdict text not null,
      answer text not null
    )`.execute(db);
  await sql`create index webhook_inbox_messages_of on webhook_inbox_messages (inbox_name, seq)`.execute(db);
}

/** Names of endpoints; null where none was given. */
export async function nameWebhooks(db: Kysely<never>): Promise<void> {
  await sql`alter table webhooks add column name text`.execute(db);
}

/** Subscriptions to changes of watched sites. */
export async function addChangedEvent(db: Kysely<never>): Promise<void> {
  await sql`alter table webhooks add column on_changed integer not null default 0`.execute(db);
}

/** Subscriptions to alerts, and how often a webhook failed in a row. */
export async function addAlertEvents(db: Kysely<never>): Promise<void> {
  await sql`alter table webhooks add column on_alert_raised integer not null default 0`.execute(db);
  await sql`alter table webhooks add column on_alert_cleared integer not null default 0`.execute(db);
  await sql`alter table webhooks add column failures integer not null default 0`.execute(db);
}

/** The key that made a webhook; null: the owner or another account. A key's webhook is its own beside the owner's. */
export async function nameKeysOfWebhooks(db: Kysely<never>): Promise<void> {
  await sql`alter table webhooks add column key_id text`.execute(db);
  await sql`alter table webhooks add column key_name text`.execute(db);
  await sql`drop index webhooks_of_account`.execute(db);
  await sql`drop index webhooks_of_job`.execute(db);
  await sql`create unique index webhooks_of_account on webhooks (account_id, url, secret_mark, coalesce(key_id, ''))
    where job_id is null and deleted_at is null`.execute(db);
  await sql`create unique index webhooks_of_job on webhooks (job_id, account_id, url, secret_mark, coalesce(key_id, ''))
    where job_id is not null`.execute(db);
}
