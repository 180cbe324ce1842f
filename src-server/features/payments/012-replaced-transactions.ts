import { type Kysely, sql } from 'kysely';

/** The transactions that an open settlement signed before its newest one: any of them may be the one that is mined. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table payments add column replaced_transactions text`.execute(db);
}
