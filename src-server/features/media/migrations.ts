import { type Kysely, sql } from 'kysely';

/** Voices that the owner asked to remember. Frozen: later changes are new migrations. */
export async function createVoices(db: Kysely<never>): Promise<void> {
  await sql`
    create table voices (
      id text primary key,
      account_id text not null,
      name text not null,
      model text not null,
      vector blob not null,
      seconds real not null,
      samples integer not null,
      created_at integer not null,
      heard_at integer not null,
      unique (account_id, model, name)
    )`.execute(db);
}
