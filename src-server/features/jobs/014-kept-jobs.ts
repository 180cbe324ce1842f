import { type Kysely, sql } from 'kysely';

/** The jobs that are not removed yet: a list would go through all that are, thirty days of them, to find its end. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create index jobs_kept on jobs (seq) where purged_at is null`.execute(db);
}
