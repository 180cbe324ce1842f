import { type Kysely, sql } from 'kysely';

/**
 * Many chunks of a result stand in the job's file of them alone; null where the result's own text has them. And the
 * full-text index puts its pieces together only when it is told to, a little at a time.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table job_results add column chunks_bytes integer`.execute(db);
  await sql`insert into search_text (search_text, rank) values ('automerge', 0)`.execute(db);
}
