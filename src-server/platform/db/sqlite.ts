/** Opens SQLite files: the databases, and the small files that use SQLite as a format or as a lock. */

import { sep } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { getLoadablePath } from 'sqlite-vec';

export type Sqlite = SqliteDatabase.Database;
export type SqliteStatement<Parameters extends unknown[] = unknown[], Row = unknown> = SqliteDatabase.Statement<
  Parameters,
  Row
>;

export function openSqlite(path: string, options: SqliteDatabase.Options = {}): Sqlite {
  return new SqliteDatabase(path, options);
}

/**
 * Adds the vector functions of sqlite-vec to a connection. The extension is a file of a package per platform; a
 * packaged app keeps it beside its archive.
 *
 * @returns why it could not be loaded, or null
 */
export function loadVectors(sqlite: Sqlite): string | null {
  try {
    sqlite.loadExtension(getLoadablePath().replace(`app.asar${sep}`, `app.asar.unpacked${sep}`));
    return null;
  } catch (error) {
    return String(error);
  }
}
