/**
 * The search index that the main database had before migration 019. It is read for its vectors while the new one is
 * built, and dropped afterwards.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Db, storageOn } from '../../platform/db/database.ts';
import { openSqlite } from '../../platform/db/sqlite.ts';
import { OLD_TABLES } from './migrations.ts';
import type { NewSearchChunk } from './store.ts';
import type { StoredVector } from './vectors.ts';

/** Rows per transaction: what one deletes is a pause of the server's thread. */
const EMPTIED_ROWS = 100;

const PAUSE_MS = 5;

const BUSY_TIMEOUT_MS = 5000;

/** What identifies a row of a table that has no rowid. */
const KEYS: Partial<Record<string, string>> = { search_signatures: 'account_id, seq', search_jobs: 'job_id' };

export function hasOldTables(db: Db): boolean {
  return OLD_TABLES.some((table) => hasTable(db, table));
}

function hasTable(db: Db, name: string): boolean {
  return db.queryFirst(sql`select 1 from sqlite_master where type = 'table' and name = ${name}`) !== undefined;
}

/** Empties and drops the tables a few rows at a time: to drop one with a million rows at once takes seconds. */
export async function dropOldTables(databasePath: string, signal: AbortSignal): Promise<void> {
  const sqlite = openSqlite(databasePath, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  // The tables in which a full-text index keeps its data may not be changed otherwise.
  sqlite.unsafeMode();
  const { db, transaction } = storageOn(sqlite);
  try {
    for (const table of OLD_TABLES) {
      while (hasTable(db, table)) {
        if (signal.aborted) return;
        transaction((tx) => {
          if (deleteSomeRows(tx, table === 'search_text' ? 'search_text_data' : table) === 0) {
            tx.runStatement(sql`drop table ${sql.table(table)}`);
          }
        });
        await delay(PAUSE_MS);
      }
    }
  } finally {
    sqlite.close();
  }
}

function deleteSomeRows(db: Db, table: string): number {
  const key = sql.raw(KEYS[table] ?? 'rowid');
  const rows = sql.table(table);
  return db.runStatement(sql`delete from ${rows} where (${key}) in (select ${key} from ${rows} limit ${EMPTIED_ROWS})`);
}

/** A vector, or that its model had none for the text. */
interface OldVector {
  model: string;
  forms: StoredVector | null;
}

/**
 * The vector of a chunk with the same text: to make it again takes hours for a large folder. Null where there is none,
 * and once the tables are being dropped, which begins with the first of them.
 */
export function oldVector(main: Db, { job_id, contribution_id, chunk_id, text }: NewSearchChunk): OldVector | null {
  if (!hasTable(main, OLD_TABLES[0])) return null;
  const where = job_id === null ? sql`c.contribution_id = ${contribution_id}` : sql`c.job_id = ${job_id}`;
  const row = main.queryFirst(sql<{ model: string; vector: Uint8Array | null; bits: Uint8Array | null }>`
    select e.model, v.vector, s.bits from search_chunks as c
    join search_embedders as e on e.id = c.embedded_by
    left join search_vectors as v on v.seq = c.seq and v.embedder = c.embedded_by
    left join search_signatures as s
      on s.account_id = c.account_id and s.seq = c.seq and s.embedder = c.embedded_by
    where ${where} and c.chunk_id = ${chunk_id} and c.text = ${text} limit 1
  `);
  if (row === undefined) return null;
  const { model, vector, bits } = row;
  return { model, forms: vector === null || bits === null ? null : { bits, bytes: vector } };
}
