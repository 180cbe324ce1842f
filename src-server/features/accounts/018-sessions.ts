import { type Kysely, sql } from 'kysely';

/** Browsers that are signed in as the owner, in the production database. Secrets are kept as their SHA-256 only. */
export async function up(db: Kysely<never>): Promise<void> {
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
