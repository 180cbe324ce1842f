/** Consistent copies of databases that a server may be writing, and their check. */

import { rm } from 'node:fs/promises';
import { loadVectors, openSqlite, type Sqlite } from '../../platform/db/sqlite.ts';
import { say } from '../../platform/text/say.ts';
import { BackupError } from './schema.ts';

/** Pages of 4 kB that one step copies. Between steps the thread is free. */
const PAGES_PER_STEP = 2048;

const BUSY_TIMEOUT_MS = 30_000;

/** Rows of each table. */
export type RowCounts = Record<string, number>;

/**
 * Copies a database at one moment, with SQLite's online backup: a server may go on writing. The read transaction keeps
 * that moment, so that writes do not begin the copy anew.
 *
 * @returns the rows of each table at that moment
 * @throws BackupError when the copy differs
 */
export async function copyDatabase(from: string, to: string): Promise<RowCounts> {
  const source = openSqlite(from, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    source.exec('begin');
    const rows = rowCounts(source);
    await source.backup(to, { progress: () => PAGES_PER_STEP });
    source.exec('rollback');
    checkDatabase(to, rows);
    return rows;
  } finally {
    source.close();
    // Checking a copy opens it, which may leave these.
    for (const suffix of ['-wal', '-shm', '-journal']) await rm(to + suffix, { force: true });
  }
}

/** @throws BackupError when a database is damaged, or does not hold these rows */
export function checkDatabase(path: string, rows: RowCounts): void {
  const database = openSqlite(path, { fileMustExist: true });
  try {
    loadVectors(database);
    // The copy needs no log of its own until a server opens it.
    database.pragma('journal_mode = delete');
    const verdict: unknown = database.pragma('integrity_check(1)', { simple: true });
    if (verdict !== 'ok') throw new BackupError(say`The database ${path} is damaged: ${String(verdict)}`);
    const found = JSON.stringify(rowCounts(database));
    if (found !== JSON.stringify(rows)) throw new BackupError(say`The database ${path} lacks rows of the original.`);
  } finally {
    database.close();
  }
}

function rowCounts(database: Sqlite): RowCounts {
  const tables = database
    .prepare("select name from sqlite_master where type = 'table' and sql not like 'create virtual%' order by name")
    .pluck()
    .all() as string[];
  const countTableRows = (table: string) =>
    database
      .prepare(`select count(*) from "${table.replaceAll('"', '""')}"`)
      .pluck()
      .get() as number;
  return Object.fromEntries(tables.map((table) => [table, countTableRows(table)]));
}
