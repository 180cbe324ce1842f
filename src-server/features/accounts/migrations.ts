import { type Kysely, sql } from 'kysely';

/** Accounts and their plans. Frozen: later changes are new migrations. */
export async function createAccounts(db: Kysely<never>): Promise<void> {
  await sql`
    create table accounts (
      account_id text not null primary key,
      plan text check (plan in ('studio', 'production', 'enterprise')),
      requests_per_minute integer,
      concurrency integer,
      first_seen integer not null,
      last_seen integer not null,
      check ((plan is not null and plan = 'enterprise') = (requests_per_minute is not null)),
      check ((plan is not null and plan = 'enterprise') = (concurrency is not null))
    )`.execute(db);
  await sql`create index accounts_by_last_seen on accounts (last_seen, account_id)`.execute(db);
  await sql`create index accounts_with_plan on accounts (account_id) where plan is not null`.execute(db);
}

/** Wallets that paid while paid requests counted for the address only: accounts that the owner can give a plan. */
export async function addPayingAccounts(db: Kysely<never>): Promise<void> {
  await sql`
    insert into accounts (account_id, plan, requests_per_minute, concurrency, first_seen, last_seen)
    select payer, null, null, null, min(verified_at), max(verified_at) from payments
    where payer like '0x%' group by payer
    on conflict do nothing`.execute(db);
}

/** Accounts that the owner blocks. */
export async function blockAccounts(db: Kysely<never>): Promise<void> {
  await sql`alter table accounts add column blocked integer not null default 0 check (blocked in (0, 1))`.execute(db);
}

/** Browsers that are signed in as the owner, in the production database. Secrets are kept as their SHA-256 only. */
export async function createSessions(db: Kysely<never>): Promise<void> {
  await sql`
    create table sessions (
      id text not null primary key,
      cookie_hash text not null unique,
      secret_hash text not null,
      user_agent text not null,
      created_at integer not null,
      last_used_at integer not null
    )`.execute(db);
}

/** Named keys of local tools, in the production database. Keys are kept as their SHA-256 only. */
export async function createKeys(db: Kysely<never>): Promise<void> {
  await sql`
    create table keys (
      id text not null primary key,
      hash text not null unique,
      shown text not null,
      name text not null unique,
      scopes text not null,
      requests_per_minute integer,
      open_jobs integer,
      created_at integer not null,
      expires_at integer,
      last_used_at integer
    )`.execute(db);
  await sql`alter table jobs add column key_id text`.execute(db);
  await sql`alter table jobs add column key_name text`.execute(db);
  await sql`
    create index jobs_open_by_key on jobs (key_id)
    where key_id is not null and status in ('queued', 'processing')`.execute(db);
}

/** Actions of the owner and of named keys, in the production database. */
export async function createAudit(db: Kysely<never>): Promise<void> {
  await sql`
    create table audit (
      seq integer primary key autoincrement,
      at integer not null,
      kind text not null check (kind in ('change', 'run')),
      key_id text,
      key_name text,
      method text not null,
      route text not null,
      target text,
      status integer not null,
      code text,
      request_id text not null
    )`.execute(db);
  await sql`create index audit_by_time on audit (at)`.execute(db);
  await sql`create index audit_by_kind on audit (kind, seq)`.execute(db);
  await sql`create index audit_by_key on audit (key_id, seq)`.execute(db);
}

/** Linked devices have sessions of their own, which carry their name. */
export async function nameDevices(db: Kysely<never>): Promise<void> {
  await sql`alter table sessions add column device_name text`.execute(db);
}
