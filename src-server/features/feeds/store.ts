import type { Generated, Selectable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type EntryTable, type ScheduledTable, SourceStore } from '../jobs/service.ts';
import { ENTRY_STATUSES, type EntryStatus, type Feed } from './schema.ts';

export type FeedRow = Selectable<FeedsTable>;

export type EntryRow = Selectable<FeedEntriesTable>;

export const FEEDS = new SourceStore<FeedRow, EntryRow>({
  sources: 'feeds',
  entries: 'feed_entries',
  owner: 'feed_seq',
  counted: ENTRY_STATUSES,
});

export function isKnownFeedEntry(db: Db, feedSeq: number, guidHash: string): boolean {
  const query = db.selectFrom('feed_entries').select('seq').where('feed_seq', '=', feedSeq);
  return db.queryFirst(query.where('guid_hash', '=', guidHash)) !== undefined;
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
  return db.queryAll(ended.where('seq', '<', oldestKept).orderBy('seq').limit(limit));
}

/** The counts of the feed stay: they say what became of all its entries. */
export function forgetEntry(tx: Tx, seq: number): void {
  tx.runStatement(tx.deleteFrom('feed_entries').where('seq', '=', seq));
}

interface FeedsTable extends ScheduledTable {
  title: string | null;
  url: string;
  /** Recipe as JSON. */
  recipe: string;
  takes: Feed['takes'];
  first_entries: number;
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
}

interface FeedEntriesTable extends EntryTable {
  id: string;
  feed_seq: number;
  guid_hash: string;
  title: string | null;
  url: string | null;
  published_at: number | null;
  status: EntryStatus;
  found_at: number;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    feeds: FeedsTable;
    feed_entries: FeedEntriesTable;
  }
}
