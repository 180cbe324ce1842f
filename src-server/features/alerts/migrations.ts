import { type Kysely, sql } from 'kysely';

/** Alerts, open and cleared. One subject has at most one open alert. */
export async function createAlerts(db: Kysely<never>): Promise<void> {
  await sql`
    create table alerts (
      seq integer primary key autoincrement,
      id text not null unique,
      kind text not null,
      subject text not null,
      facts text not null,
      raised_at integer not null,
      updated_at integer not null,
      cleared_at integer
    )`.execute(db);
  await sql`create unique index alerts_open on alerts (kind, subject) where cleared_at is null`.execute(db);
}
