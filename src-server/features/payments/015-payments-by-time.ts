import { type Kysely, sql } from 'kysely';

/** The payments of a day or a month: a list of them went through all that came later. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create index payments_by_time on payments (verified_at)`.execute(db);
}
