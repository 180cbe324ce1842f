import { type Generated, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { prepareQuery } from '../../platform/db/prepared.ts';
import { type EntryTable, type MadeByKey, SourceStore, type SourceTable } from '../jobs/service.ts';
import { type BatchStatus, ITEM_STATUSES, type ItemStatus } from './schema.ts';

export type BatchRow = Selectable<BatchesTable>;

export type ItemRow = Selectable<BatchItemsTable>;

/** A literal: SQLite cannot match a parameter with the condition of a partial index. */
const PROCESSING = sql.lit('processing' as const);

export const BATCHES = new SourceStore<BatchRow, ItemRow>({
  sources: 'batches',
  entries: 'batch_items',
  owner: 'batch_seq',
  counted: ITEM_STATUSES,
});

/** Batches that were cancelled and have jobs that have not ended. */
export function cancelledBatches(db: Db): BatchRow[] {
  return db.queryAll(cancelledOnes({}));
}

const cancelledOnes = prepareQuery<object>()((db) =>
  db
    .selectFrom('batches')
    .selectAll()
    .where('status', '=', PROCESSING)
    .where('cancelled_at', 'is not', null)
    .orderBy('seq'),
);

export function countOpenBatches(db: Db, accountId: string): number {
  const open = db.selectFrom('batches').select((is) => is.fn.countAll<number>().as('open'));
  return db.queryOne(open.where('status', '=', PROCESSING).where('account_id', '=', accountId)).open;
}

/** Newest first. `before` is the `seq` of the last row of the page before. @param accountId null for all accounts */
export function listBatches(db: Db, accountId: string | null, before: number | null, limit: number): BatchRow[] {
  let query = db.selectFrom('batches').selectAll();
  if (accountId !== null) query = query.where('account_id', '=', accountId);
  if (before !== null) query = query.where('seq', '<', before);
  return db.queryAll(query.orderBy('seq', 'desc').limit(limit));
}

export function expiredBatch(db: Db, now: number): BatchRow | undefined {
  return db.queryFirst(firstExpired({ now }));
}

const firstExpired = prepareQuery<{ now: number }>()((db, of) =>
  db.selectFrom('batches').selectAll().where('expires_at', '<=', of('now')).orderBy('expires_at').limit(1),
);

export function deleteBatch(tx: Tx, seq: number): void {
  tx.runStatement(tx.deleteFrom('batch_items').where('batch_seq', '=', seq));
  tx.runStatement(tx.deleteFrom('batches').where('seq', '=', seq));
}

/** Items of a batch in their order, after the number `after`. */
export function listItems(
  db: Db,
  batchSeq: number,
  { status, after = -1, limit }: { status?: ItemStatus | undefined; after?: number | undefined; limit: number },
): ItemRow[] {
  let query = db.selectFrom('batch_items').selectAll().where('batch_seq', '=', batchSeq).where('number', '>', after);
  if (status !== undefined) query = query.where('status', '=', status);
  return db.queryAll(query.orderBy('number').limit(limit));
}

interface BatchesTable extends SourceTable, MadeByKey {
  account_id: string;
  /** The payment that bought it; null for a batch of the owner. */
  payment_id: string | null;
  /** Recipe as JSON. */
  recipe: string;
  /** Labels, as jobs store them. */
  tags: string | null;
  metadata: string | null;
  /** How its jobs deal with something missing. */
  on_missing: 'install' | 'ask' | null;
  status: BatchStatus;
  waiting: Generated<number>;
  processing: Generated<number>;
  completed: Generated<number>;
  failed: Generated<number>;
  cancelled: Generated<number>;
  cancelled_at: number | null;
  ended_at: number | null;
  expires_at: number | null;
}

interface BatchItemsTable extends EntryTable {
  batch_seq: number;
  number: number;
  /** ItemSource as JSON. */
  source: string;
  /** 1 when the batch made the job; 0 for a crawl that it shares. */
  is_own: Generated<number>;
  status: ItemStatus;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    batches: BatchesTable;
    batch_items: BatchItemsTable;
  }
}
