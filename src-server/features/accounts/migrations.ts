import { type Kysely, sql } from 'kysely';

/** Accounts and their plans. Frozen: later changes are new migrations. */
export async function up(db: Kysely<never>): Promise<void> {
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
