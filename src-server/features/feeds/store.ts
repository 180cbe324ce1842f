import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { EntryStatus, Feed } from './schema.ts';

export type FeedRow = Selectable<FeedsTable>;

export type EntryRow = Selectable<FeedEntriesTable>;

export function insertFeed(tx: Tx, row: Insertable<FeedsTable>): FeedRow {
  return tx.one(tx.insertInto('feeds').values(row).returningAll());
}

export function changeFeed(tx: Tx, seq: number, change: Updateable<FeedsTable>): FeedRow | undefined {
  return tx.first(tx.updateTable('feeds').set(change).where('seq', '=', seq).returningAll());
}

export function feedById(db: Db, id: string): FeedRow | undefined {
  return db.first(db.selectFrom('feeds').selectAll().where('id', '=', id));
}

export function feedBySeq(db: Db, seq: number): FeedRow | undefined {
  return db.first(db.selectFrom('feeds').selectAll().where('seq', '=', seq));
}

/** Newest first. */
export function listFeeds(db: Db): FeedRow[] {
  return db.all(db.selectFrom('feeds').selectAll().orderBy('seq', 'desc'));
}

/** The feed that has been due longest. */
export function dueFeed(db: Db, now: number): FeedRow | undefined {
  return db.first(db.selectFrom('feeds').selectAll().where('next_run_at', '<=', now).orderBy('next_run_at').limit(1));
}

/** The feed that is due last. */
export function lastDueFeed(db: Db): FeedRow | undefined {
  return db.first(
    db.selectFrom('feeds').selectAll().where('next_run_at', 'is not', null).orderBy('next_run_at', 'desc').limit(1),
  );
}

export function deleteFeed(tx: Tx, seq: number): void {
  tx.run(tx.deleteFrom('feeds').where('seq', '=', seq));
}

/** Adds to the counts of a feed. They are kept, since a list would otherwise count all entries. */
function count(tx: Tx, seq: number, status: EntryStatus, added: number): void {
  const set = { [status]: sql`${sql.ref(status)} + ${added}` };
  tx.run(tx.updateTable('feeds').set(set).where('seq', '=', seq));
}

/** Whether the entry was new. */
export function insertEntry(tx: Tx, row: Insertable<FeedEntriesTable>): boolean {
  const insertion = tx.insertInto('feed_entries').values(row);
  const isNew = tx.run(insertion.onConflict((conflict) => conflict.columns(['feed_seq', 'guid_hash']).doNothing())) > 0;
  if (isNew) count(tx, row.feed_seq, row.status, 1);
  return isNew;
}

export function changeEntry(tx: Tx, entry: EntryRow, change: Updateable<FeedEntriesTable>): void {
  tx.run(tx.updateTable('feed_entries').set(change).where('seq', '=', entry.seq));
  if (change.status === undefined || change.status === entry.status) return;
  count(tx, entry.feed_seq, entry.status, -1);
  count(tx, entry.feed_seq, change.status, 1);
}

export function entryBySeq(db: Db, seq: number): EntryRow | undefined {
  return db.first(db.selectFrom('feed_entries').selectAll().where('seq', '=', seq));
}

export function entriesOfJob(db: Db, jobId: string): EntryRow[] {
  return db.all(db.selectFrom('feed_entries').selectAll().where('job_id', '=', jobId));
}

/** The entries that become jobs next. */
export function waitingEntries(db: Db, feedSeq: number, limit: number): EntryRow[] {
  return db.all(
    db
      .selectFrom('feed_entries')
      .selectAll()
      .where('feed_seq', '=', feedSeq)
      .where('status', '=', 'waiting')
      .orderBy('seq')
      .limit(limit),
  );
}

/** One page, newest first. `before` is the `seq` of the last row of the page before. */
export function listEntries(db: Db, feedSeq: number, before: number | null, limit: number): EntryRow[] {
  let query = db.selectFrom('feed_entries').selectAll().where('feed_seq', '=', feedSeq);
  if (before !== null) query = query.where('seq', '<', before);
  return db.all(query.orderBy('seq', 'desc').limit(limit));
}

/** Deletes entries of a feed, in a slice. Returns how many. */
export function deleteEntries(tx: Tx, feedSeq: number, limit: number): number {
  const some = tx.selectFrom('feed_entries').select('seq').where('feed_seq', '=', feedSeq).limit(limit);
  return tx.run(tx.deleteFrom('feed_entries').where('seq', 'in', some));
}

/** Ended entries of a feed beyond the newest ones, the oldest first. */
export function oldEntries(db: Db, feedSeq: number, newest: number, limit: number): EntryRow[] {
  const ofFeed = db.selectFrom('feed_entries').where('feed_seq', '=', feedSeq);
  const oldestKept = ofFeed
    .select('seq')
    .orderBy('seq', 'desc')
    .limit(1)
    .offset(newest - 1);
  const ended = ofFeed.selectAll().where('status', 'in', ['completed', 'failed', 'skipped']);
  return db.all(ended.where('seq', '<', oldestKept).orderBy('seq').limit(limit));
}

/** The counts of the feed stay: they say what became of all its entries. */
export function forgetEntry(tx: Tx, seq: number): void {
  tx.run(tx.deleteFrom('feed_entries').where('seq', '=', seq));
}

/** Feeds that are gone and have left entries. */
export function orphans(db: Db): number[] {
  const left = db
    .selectFrom('feed_entries')
    .select('feed_seq')
    .distinct()
    .where('feed_seq', 'not in', db.selectFrom('feeds').select('seq'));
  return db.all(left).map(({ feed_seq }) => feed_seq);
}

interface FeedsTable {
  seq: Generated<number>;
  id: string;
  /** The key that made it; null for the owner. */
  key_id: string | null;
  key_name: string | null;
  name: string | null;
  title: string | null;
  url: string;
  /** Recipe as JSON. */
  recipe: string;
  takes: Feed['takes'];
  first_entries: number;
  every_minutes: number;
  time_of_day: string | null;
  status: Feed['status'];
  /** Null while paused. */
  next_run_at: number | null;
  etag: string | null;
  last_modified: string | null;
  /** Entries published until then have been forgotten; null: none. */
  forgotten_until: Generated<number | null>;
  /** When its entries were last read; null: never. */
  read_at: number | null;
  checked_at: number | null;
  error: string | null;
  waiting: Generated<number>;
  processing: Generated<number>;
  completed: Generated<number>;
  failed: Generated<number>;
  skipped: Generated<number>;
  created_at: number;
  updated_at: number;
}

interface FeedEntriesTable {
  seq: Generated<number>;
  id: string;
  feed_seq: number;
  guid_hash: string;
  title: string | null;
  url: string | null;
  published_at: number | null;
  job_id: string | null;
  status: EntryStatus;
  /** JobError as JSON. */
  error: string | null;
  found_at: number;
  ended_at: number | null;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    feeds: FeedsTable;
    feed_entries: FeedEntriesTable;
  }
}
