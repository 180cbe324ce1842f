import SqliteDatabase from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, test } from 'vitest';
import { MIGRATIONS } from '../../../src-server/features.ts';
import type { Database } from '../../../src-server/platform/db/database.ts';

/**
 * Every migration is stepped on a database of the version before with a row in every table. The rows are made from the
 * tables' own definitions, so that a migration that is added later is tested without another line here.
 */
const NAMES = Object.keys(MIGRATIONS);

interface Column {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

type Row = Record<string, unknown>;

async function migrateTo(sqlite: SqliteDatabase.Database, name: string): Promise<void> {
  const db = new Kysely<Database>({ dialect: new SqliteDialect({ database: sqlite }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateTo(name);
  if (error) throw error;
}

function tablesOf(sqlite: SqliteDatabase.Database): string[] {
  const tables = sqlite.pragma('table_list') as { name: string; type: string }[];
  return tables
    .filter(({ name, type }) => type === 'table' && !name.startsWith('sqlite_') && !name.startsWith('kysely_'))
    .map(({ name }) => name)
    .sort();
}

const columnsOf = (sqlite: SqliteDatabase.Database, table: string) => sqlite.pragma(`table_info(${table})`) as Column[];

/** A row that the table takes: with every column filled where its checks allow that, else with what it must have. */
function insertRow(sqlite: SqliteDatabase.Database, table: string): void {
  const definition = String(sqlite.prepare('select sql from sqlite_master where name = ?').pluck().get(table));
  const parents = new Map(
    (sqlite.pragma(`foreign_key_list(${table})`) as { from: string; table: string; to: string }[]).map((key) => [
      key.from,
      key,
    ]),
  );
  const columns = columnsOf(sqlite, table);
  const valueFor = (column: Column): unknown => {
    const parent = parents.get(column.name);
    const [of, name] = parent ? [parent.table, parent.to] : [table, column.name];
    const allowed = new RegExp(`\\b${column.name} in \\(([^)]*)\\)`, 'i').exec(definition)?.[1];
    if (allowed !== undefined) return allowed.split(',')[0]?.trim().replaceAll("'", '');
    if (/int/i.test(column.type)) return 1;
    return /real/i.test(column.type) ? 1.5 : `${of}.${name}`;
  };
  const insert = (used: Column[]) => {
    const names = used.map(({ name }) => name);
    sqlite.prepare(`insert into ${table} (${names}) values (${names.map(() => '?')})`).run(used.map(valueFor));
  };
  try {
    insert(columns);
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_CONSTRAINT_CHECK') throw error;
    insert(columns.filter(({ notnull, pk }) => notnull === 1 || pk > 0));
  }
}

function fill(sqlite: SqliteDatabase.Database): Map<string, { columns: string[]; rows: unknown[][] }> {
  // Parents may come after their children in the alphabet; what counts is that it is whole at the end.
  sqlite.pragma('foreign_keys = OFF');
  for (const table of tablesOf(sqlite)) insertRow(sqlite, table);
  sqlite.pragma('foreign_keys = ON');
  expect(sqlite.pragma('foreign_key_check')).toEqual([]);
  return new Map(
    tablesOf(sqlite).map((table) => {
      const columns = columnsOf(sqlite, table).map(({ name }) => name);
      return [table, { columns, rows: sqlite.prepare<[], unknown[]>(`select ${columns} from ${table}`).raw().all() }];
    }),
  );
}

/** Columns that a migration renames. */
const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '021-waiting-jobs': { lane: 'queue_class' },
};

/** Columns of sizes on the disk that a migration empties, so that they are measured again. */
const MEASURED_ANEW: Readonly<Record<string, readonly string[]>> = {
  '058-originals': ['library_versions.bytes'],
};

describe('a database', () => {
  test('that is new gets every table, and a second look changes nothing', async () => {
    const sqlite = new SqliteDatabase(':memory:');
    await migrateTo(sqlite, NAMES.at(-1) ?? '');
    const schema = () => sqlite.prepare('select sql from sqlite_master order by name').pluck().all();
    const first = schema();
    expect(tablesOf(sqlite)).toContain('jobs');
    await migrateTo(sqlite, NAMES.at(-1) ?? '');
    expect(schema()).toEqual(first);
    expect(fill(sqlite).size).toBe(tablesOf(sqlite).length);
    sqlite.close();
  });

  test.each(NAMES.slice(1).map((name, index) => [name, NAMES[index] ?? '']))(
    'is stepped to %s from %s with every row kept',
    async (name, before) => {
      const sqlite = new SqliteDatabase(':memory:');
      await migrateTo(sqlite, before);
      const kept = fill(sqlite);
      expect(kept.size).toBeGreaterThan(0);
      await migrateTo(sqlite, name);
      for (const [table, { columns, rows }] of kept) {
        expect(rows, table).toHaveLength(1);
        const renamed = columns.map((column) => RENAMED[name]?.[column] ?? column);
        const measured = columns.map((column) => MEASURED_ANEW[name]?.includes(`${table}.${column}`) === true);
        const expected = rows.map((row) => row.map((value, index) => (measured[index] ? null : value)));
        expect(sqlite.prepare(`select ${renamed} from ${table}`).raw().all(), table).toEqual(expected);
      }
      expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
      expect(sqlite.pragma('foreign_key_check')).toEqual([]);
      sqlite.close();
    },
  );
});

test('017 puts wallets that paid among the accounts, and leaves a plan that was given as it is', async () => {
  const sqlite = new SqliteDatabase(':memory:');
  await migrateTo(sqlite, '015-payments-by-time');
  const [known, unknown] = ['0x'.padEnd(42, 'a'), '0x'.padEnd(42, 'b')];
  sqlite.exec(`insert into accounts values ('${known}', 'production', null, null, 5, 6)`);
  const columns = columnsOf(sqlite, 'payments').filter(({ name }) => name !== 'seq');
  for (const [number, [payer, at]] of [known, unknown, unknown].map((payer, index) => [payer, index]).entries()) {
    const fixed: Row = { payer, verified_at: at, status: 'settled', mode: 'sandbox' };
    const values = columns.map(({ name, type }) => fixed[name] ?? (/int/i.test(type) ? number : `${name} ${number}`));
    sqlite
      .prepare(`insert into payments (${columns.map(({ name }) => name)}) values (${columns.map(() => '?')})`)
      .run(values);
  }
  await migrateTo(sqlite, '017-paying-accounts');
  expect(sqlite.prepare('select account_id, plan, first_seen, last_seen from accounts order by 1').all()).toEqual([
    { account_id: known, plan: 'production', first_seen: 5, last_seen: 6 },
    { account_id: unknown, plan: null, first_seen: 1, last_seen: 2 },
  ]);
  sqlite.close();
});

test('023 and 024 count what ended and what was paid before, by hour', async () => {
  const sqlite = new SqliteDatabase(':memory:');
  await migrateTo(sqlite, '022-settled-by-mode');
  const insert = (table: string, fixed: Row, number: number) => {
    const columns = columnsOf(sqlite, table).filter(({ name }) => name !== 'seq');
    const values = columns.map(({ name, type }) =>
      name in fixed ? fixed[name] : /int|real/i.test(type) ? number : `${name} ${number}`,
    );
    const places = columns.map(() => '?');
    sqlite.prepare(`insert into ${table} (${columns.map(({ name }) => name)}) values (${places})`).run(values);
  };
  const cancelled = {
    status: 'failed',
    error: JSON.stringify({ code: 'cancelled', message: 'The job was cancelled.' }),
  };
  const jobs: Row[] = [
    { status: 'completed' },
    { status: 'failed', error: '{"code":"timeout"}' },
    cancelled,
    { status: 'completed', operation_id: 'search', account_id: 'owner' },
    { status: 'queued', ended_at: null },
  ];
  for (const [n, job] of jobs.entries()) {
    insert('jobs', { operation_id: 'crawl', ended_at: 3_600_000 + n, error: null, ...job }, n);
  }
  const payer = '0x'.padEnd(42, 'a');
  for (const [n, mode] of ['sandbox', 'sandbox', 'onchain'].entries()) {
    insert('payments', { mode, payer, status: 'settled', settled_at: 3_600_000 + n, amount: 5 }, n);
  }
  await migrateTo(sqlite, '024-earnings');
  expect(sqlite.prepare('select * from ended_jobs').raw().all()).toEqual([[3_600_000, 'crawl', 1, 1]]);
  expect(sqlite.prepare('select * from earned_hours').raw().all()).toEqual([
    ['play', 3_600_000, 2, 10],
    ['real', 3_600_000, 1, 5],
  ]);
  expect(sqlite.prepare('select * from earned_from').raw().all()).toEqual([
    ['play', payer, 2, 10],
    ['real', payer, 1, 5],
  ]);
  sqlite.close();
});

test('migrations have a number of their own each, since they run in the order of their names', () => {
  expect(NAMES).toEqual([...NAMES].sort());
  const numbers = NAMES.map((name) => name.slice(0, 4));
  expect(numbers.every((number) => /^\d{3}-$/.test(number))).toBe(true);
  expect(new Set(numbers).size).toBe(NAMES.length);
});
