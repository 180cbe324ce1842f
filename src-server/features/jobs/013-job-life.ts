import { type Kysely, sql } from 'kysely';

/** What a job is called where the owner sees it, and when each stage of its runs began. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table jobs add column label text not null default ''`.execute(db);
  await sql`alter table jobs add column stages text`.execute(db);
}
