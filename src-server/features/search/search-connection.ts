/**
 * A connection that only reads, for the thread that searches. Threat: what is asked of it holds words of strangers; it
 * cannot change anything, whatever it is asked.
 */

import { sep } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { Kysely } from 'kysely';
import { getLoadablePath } from 'sqlite-vec';
import { CarefulSqliteDialect, type Database, type Db, keepStatements } from '../../platform/db/database.ts';

/** How long a statement waits for the writer, who holds a reader up only while the log is being reset. */
const BUSY_TIMEOUT_MS = 5000;

/** Lists of the words that are asked for again and again; what is more the system's own cache holds. */
const CACHE_KB = 32_768;

interface SearchConnection {
  db: Db;
  /** Why vectors cannot be compared on this machine; null where they can. */
  vectorsMissing: string | null;
  close(): Promise<void>;
}

/** @param path of a database that is migrated and held by the server */
export function openSearchConnection(path: string): SearchConnection {
  const sqlite = new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  sqlite.pragma(`cache_size = -${CACHE_KB}`);
  const vectorsMissing = loadVectors(sqlite);
  const db = new Kysely<Database>({ dialect: new CarefulSqliteDialect(sqlite, keepStatements(sqlite)) });
  return { db, vectorsMissing, close: () => db.destroy() };
}

/** The extension is a file of a package for each platform; a packaged app has it beside its archive. */
function loadVectors(sqlite: SqliteDatabase.Database): string | null {
  try {
    sqlite.loadExtension(getLoadablePath().replace(`app.asar${sep}`, `app.asar.unpacked${sep}`));
    return null;
  } catch (error) {
    return String(error);
  }
}
