/** The connection of a thread that searches: it can compare vectors, and it can only read. */

import { Db } from '../../platform/db/database.ts';
import { loadVectors, openSqlite } from '../../platform/db/sqlite.ts';

/** How long a statement waits for the writer, which blocks a reader only while it resets the log. */
const BUSY_TIMEOUT_MS = 5000;

/** Lists of the words that are asked for again and again; what is more the system's own cache holds. */
const CACHE_KB = 32_768;

interface SearchConnection {
  db: Db;
  /** Why vectors cannot be compared on this machine; null where they can. */
  vectorsMissing: string | null;
  close(): void;
}

/** @param path of a search.db that the server has opened */
export function openSearchConnection(path: string): SearchConnection {
  const sqlite = openSqlite(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  sqlite.pragma(`cache_size = -${CACHE_KB}`);
  const vectorsMissing = loadVectors(sqlite);
  return { db: new Db(sqlite), vectorsMissing, close: () => sqlite.close() };
}
