/**
 * The schema of a new database as SQL. To run all migrations one after another takes ten times as long, since SQLite
 * reads its schema again for each changed table.
 */

import { sql } from 'kysely';
import type { Db } from './database.ts';

const HEADER = '-- What the migrations make of a new database. Generated: npm run generate';

const NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

/** SQL for `firstSchema` of `openStorage`. @param db a database without rows, made by the migrations alone */
export function firstSchemaText(db: Db): string {
  const made = sql<{ sql: string }>`
    select sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by rowid`;
  const names = db.queryAll(sql<{ name: string }>`select name from kysely_migration order by name`);
  const statements = [
    ...db.queryAll(made).map((row) => row.sql),
    `insert into kysely_migration (name, timestamp) values\n${names
      .map(({ name }) => `  ('${name}', ${NOW})`)
      .join(',\n')}`,
    "insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0)",
  ];
  return `${[HEADER, ...statements.map((statement) => `${statement};`)].join('\n')}\n`;
}
