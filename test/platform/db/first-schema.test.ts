/** A new database takes its schema from a generated file: it must be what the migrations make, or lead there. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MIGRATIONS } from '../../../src-server/features.ts';
import { type Migrations, openStorage } from '../../../src-server/platform/db/database.ts';
import { firstSchemaText } from '../../../src-server/platform/db/first-schema.ts';

const firstSchema = readFileSync(new URL('../../../resources/database/schema.sql', import.meta.url), 'utf8');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarry schema '));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Everything in the schema, and the names of the steps. */
async function contentsOf(name: string, options: { migrations: Migrations; firstSchema?: string }) {
  const path = join(folder, name);
  (await openStorage(path, options)).close();
  const sqlite = new SqliteDatabase(path, { readonly: true });
  const schema = sqlite.prepare('select type, name, tbl_name, sql from sqlite_master order by type, name').all();
  const steps = sqlite.prepare('select name from kysely_migration order by name').pluck().all();
  const rows = sqlite
    .prepare("select name from sqlite_master where type = 'table' order by name")
    .pluck()
    .all() as string[];
  const filled = rows.filter((table) => sqlite.prepare(`select 1 from "${table}"`).get() !== undefined);
  sqlite.close();
  return { schema, steps, filled };
}

test('the file makes what the migrations make, to the letter', async () => {
  const made = await contentsOf('steps.db', { migrations: MIGRATIONS });
  expect(await contentsOf('file.db', { migrations: MIGRATIONS, firstSchema })).toEqual(made);
  // Rows that a migration writes would be missing in the file.
  expect(made.filled).toEqual(['kysely_migration', 'kysely_migration_lock']);
});

test('steps that the file does not have yet run after it', async () => {
  const names = Object.keys(MIGRATIONS).sort();
  const fewer = Object.fromEntries(names.slice(0, -5).map((name) => [name, MIGRATIONS[name] as Migrations[string]]));
  const storage = await openStorage(':memory:', { migrations: fewer });
  const older = firstSchemaText(storage.db);
  storage.close();
  const all = await contentsOf('older.db', { migrations: MIGRATIONS, firstSchema: older });
  expect(all).toEqual(await contentsOf('current.db', { migrations: MIGRATIONS }));
});

test('a database that has its steps keeps its tables as they are', async () => {
  const path = join(folder, 'used.db');
  const storage = await openStorage(path, { migrations: MIGRATIONS, firstSchema });
  storage.close();
  const again = await contentsOf('used.db', { migrations: MIGRATIONS, firstSchema: 'create table wrong (id)' });
  expect(JSON.stringify(again)).not.toContain('wrong');
});

test('a step that is not known is refused, with and without the file', async () => {
  const names = Object.keys(MIGRATIONS).sort();
  const fewer = Object.fromEntries(names.slice(0, -1).map((name) => [name, MIGRATIONS[name] as Migrations[string]]));
  await contentsOf('newer.db', { migrations: MIGRATIONS, firstSchema });
  const refusal = /written by another version/;
  await expect(openStorage(join(folder, 'newer.db'), { migrations: fewer, firstSchema })).rejects.toThrow(refusal);
});
