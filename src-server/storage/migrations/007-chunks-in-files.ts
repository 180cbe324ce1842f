import { type Kysely, sql } from 'kysely';

/** Many chunks of a result stand in the job's file of them alone; null where the result's own text has them. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table job_results add column chunks_bytes integer`.execute(db);
}
