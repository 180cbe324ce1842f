import type { Selectable, Updateable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';

/** Times are milliseconds. */
interface ReadingsTable {
  id: string;
  item_id: string;
  job_id: string;
  state: 'reading' | 'ready' | 'failed';
  error_code: string | null;
  error_message: string | null;
  voice: string;
  voice_name: string;
  speed: number;
  /** In seconds. */
  position: number;
  created_at: number;
  updated_at: number;
}

interface ListenFeedsTable {
  id: string;
  name: string;
  created_at: number;
  used_at: number | null;
}

interface ListenSecretTable {
  only: number;
  secret: string;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    readings: ReadingsTable;
    listen_feeds: ListenFeedsTable;
    listen_secret: ListenSecretTable;
  }
}

export type ReadingRow = Selectable<ReadingsTable>;

export type FeedRow = Selectable<ListenFeedsTable>;

export function readingOfItem(db: Db, itemId: string): ReadingRow | undefined {
  return db.queryFirst(db.selectFrom('readings').selectAll().where('item_id', '=', itemId));
}

/** Newest first. */
export function allReadings(db: Db): ReadingRow[] {
  return db.queryAll(db.selectFrom('readings').selectAll().orderBy('created_at', 'desc'));
}

export function insertReading(tx: Tx, row: ReadingRow): void {
  tx.runStatement(tx.insertInto('readings').values(row));
}

export function changeReading(tx: Tx, id: string, change: Updateable<ReadingsTable>): void {
  tx.runStatement(tx.updateTable('readings').set(change).where('id', '=', id));
}

export function deleteReading(tx: Tx, id: string): void {
  tx.runStatement(tx.deleteFrom('readings').where('id', '=', id));
}

export function allFeeds(db: Db): FeedRow[] {
  return db.queryAll(db.selectFrom('listen_feeds').selectAll().orderBy('created_at'));
}

export function insertFeed(tx: Tx, row: FeedRow): void {
  tx.runStatement(tx.insertInto('listen_feeds').values(row));
}

export function noteFeedUse(tx: Tx, id: string, now: number): void {
  tx.runStatement(tx.updateTable('listen_feeds').set({ used_at: now }).where('id', '=', id));
}

/** Returns whether there was one. */
export function deleteFeed(tx: Tx, id: string): boolean {
  return tx.runStatement(tx.deleteFrom('listen_feeds').where('id', '=', id)) > 0;
}

/** The secret that signs the addresses of feeds; the given one where there was none. */
export function feedSecret(tx: Tx, fresh: string): string {
  const known = tx.queryFirst(tx.selectFrom('listen_secret').select('secret'));
  if (known !== undefined) return known.secret;
  tx.runStatement(tx.insertInto('listen_secret').values({ only: 1, secret: fresh }));
  return fresh;
}
