/**
 * A second connection that writes, for a thread beside the server's. It writes only while the server has lent it the
 * right to (`Storage.lend`), so that neither ever meets the other's lock.
 */

import SqliteDatabase from 'better-sqlite3';
import { Kysely } from 'kysely';
import { CarefulSqliteDialect, type Database, keepStatements, LOG_PAGES_MAX, type Storage } from './database.ts';

/** How long a statement waits for another process (a backup) before it fails. */
const BUSY_TIMEOUT_MS = 5000;

/** Enough for the parts of the full-text index that each chunk touches. */
const CACHE_KB = 16_384;

export interface WriteRight {
  /** Comes back once the server has lent the right to write. */
  borrow(): Promise<void>;
  giveBack(): void;
}

export type LentStorage = Pick<Storage, 'db' | 'transaction' | 'close'>;

/** @param path of a database that is migrated and held by the server */
export function openLentStorage(path: string, right: WriteRight): LentStorage {
  const sqlite = new SqliteDatabase(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  sqlite.pragma('synchronous = NORMAL');
  sqlite.pragma('foreign_keys = ON');
  sqlite.pragma(`cache_size = -${CACHE_KB}`);
  // The checkpoint thread carries the log over, for this connection too.
  sqlite.pragma(`wal_autocheckpoint = ${LOG_PAGES_MAX}`);
  const db = new Kysely<Database>({ dialect: new CarefulSqliteDialect(sqlite, keepStatements(sqlite)) });
  return {
    db,
    transaction: async (work) => {
      await right.borrow();
      try {
        return await db.transaction().execute(work);
      } finally {
        right.giveBack();
      }
    },
    close: () => db.destroy(),
  };
}
