import type { Selectable } from 'kysely';
import { assertTransaction } from '../../platform/db/database.ts';
import type { Db, Tx } from '../../platform/db/schema.ts';
import { type DeliveryFilter, filteredDeliveries, type ListedDelivery } from './webhooks-outbox-reader.ts';
import type { WebhookSelectionsTable } from './webhooks-tables.ts';

export type SelectionRow = Selectable<WebhookSelectionsTable>;

/** The first and the last sequence number there is; null while the outbox is empty. */
export async function outboxRange(db: Db | Tx): Promise<{ first: number; last: number } | null> {
  // Two statements: SQLite finds one end of an index at once, but reads all of it for both.
  const first = await db
    .selectFrom('webhook_deliveries')
    .select((is) => is.fn.min('seq').as('seq'))
    .executeTakeFirst();
  const last = await db
    .selectFrom('webhook_deliveries')
    .select((is) => is.fn.max('seq').as('seq'))
    .executeTakeFirst();
  return first?.seq == null || last?.seq == null ? null : { first: first.seq, last: last.seq };
}

export async function insertSelection(tx: Tx, selection: SelectionRow): Promise<void> {
  assertTransaction(tx);
  await tx.insertInto('webhook_selections').values(selection).execute();
}

/** Adds to a selection what a filter finds among the sequence numbers from `from` up to, not including, `to`. */
export async function selectSlice(
  tx: Tx,
  selectionId: string,
  filter: DeliveryFilter,
  { from, to }: { from: number; to: number },
): Promise<{ deliveries: number; sendable: number }> {
  assertTransaction(tx);
  const found = filteredDeliveries(tx, filter).where('seq', '>=', from).where('seq', '<', to);
  const { numInsertedOrUpdatedRows: added } = await tx
    .insertInto('webhook_selection_items')
    .columns(['selection_id', 'delivery_seq'])
    .expression(found.select((is) => [is.val(selectionId).as('selection_id'), 'seq']))
    .executeTakeFirstOrThrow();
  if (!added) return { deliveries: 0, sendable: 0 };
  const row = await sendable(tx, selectionId)
    .where('i.delivery_seq', '>=', from)
    .where('i.delivery_seq', '<', to)
    .select((is) => is.fn.countAll<number>().as('deliveries'))
    .executeTakeFirstOrThrow();
  return { deliveries: Number(added), sendable: Number(row.deliveries) };
}

export async function countSelection(tx: Tx, id: string, deliveries: number): Promise<void> {
  assertTransaction(tx);
  await tx.updateTable('webhook_selections').set({ deliveries }).where('id', '=', id).execute();
}

export async function selectionById(db: Db | Tx, id: string): Promise<SelectionRow | undefined> {
  return db.selectFrom('webhook_selections').selectAll().where('id', '=', id).executeTakeFirst();
}

/** What of a selection can be sent: its webhook is there and not disabled, and so is the job it tells of. */
function sendable(db: Db | Tx, selectionId: string) {
  return db
    .selectFrom('webhook_selection_items as i')
    .innerJoin('webhook_deliveries as d', 'd.seq', 'i.delivery_seq')
    .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .where('i.selection_id', '=', selectionId)
    .where('w.deleted_at', 'is', null)
    .where((or) => or.or([or('w.status', '!=', 'disabled'), or('w.job_id', 'is not', null)]))
    .where((or) => {
      const job = or.selectFrom('jobs as j').select('j.seq').whereRef('j.id', '=', 'd.job_id');
      return or.or([or('d.kind', '=', 'test'), or.exists(job.where('j.purged_at', 'is', null))]);
    });
}

/** The newest few of a selection, to show what it is about. */
export async function sampleOf(db: Db | Tx, selectionId: string, limit: number): Promise<ListedDelivery[]> {
  return db
    .selectFrom('webhook_selection_items as i')
    .innerJoin('webhook_deliveries as d', 'd.seq', 'i.delivery_seq')
    .leftJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .selectAll('d')
    .select(['w.url', 'w.status as webhook_status'])
    .where('i.selection_id', '=', selectionId)
    .orderBy('i.delivery_seq', 'desc')
    .limit(limit)
    .execute();
}

/**
 * Puts the next few of a selection at the start of the schedule, as far as they can be sent, and takes them out of the
 * selection. Gives back how many were looked at, and the lanes of those that are sent, one entry for each of them.
 */
export async function requeueSlice(
  tx: Tx,
  selectionId: string,
  limit: number,
  now: number,
): Promise<{ looked: number; laneIds: string[] }> {
  assertTransaction(tx);
  const items = await tx
    .selectFrom('webhook_selection_items')
    .select('delivery_seq')
    .where('selection_id', '=', selectionId)
    .orderBy('delivery_seq')
    .limit(limit)
    .execute();
  const last = items.at(-1);
  if (last === undefined) return { looked: 0, laneIds: [] };
  const requeued = await tx
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', tries: 0, manual: 1, next_attempt_at: now, updated_at: now })
    .where('seq', 'in', sendable(tx, selectionId).where('i.delivery_seq', '<=', last.delivery_seq).select('d.seq'))
    .returning('lane_id')
    .execute();
  await tx
    .deleteFrom('webhook_selection_items')
    .where('selection_id', '=', selectionId)
    .where('delivery_seq', '<=', last.delivery_seq)
    .execute();
  return { looked: items.length, laneIds: requeued.map((row) => row.lane_id) };
}

export async function markApplied(tx: Tx, selectionId: string, now: number): Promise<void> {
  assertTransaction(tx);
  await tx.updateTable('webhook_selections').set({ applied_at: now }).where('id', '=', selectionId).execute();
}

/** One delivery at the start of the schedule again. */
export async function requeueDelivery(tx: Tx, seq: number, now: number): Promise<void> {
  assertTransaction(tx);
  await tx
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', tries: 0, manual: 1, next_attempt_at: now, updated_at: now })
    .where('seq', '=', seq)
    .execute();
}

/** Removes what is left of an expired selection, at most so many entries at once. Gives back whether all are gone. */
export async function deleteExpiredSelection(tx: Tx, now: number, limit: number): Promise<boolean> {
  assertTransaction(tx);
  const expired = await tx
    .selectFrom('webhook_selections')
    .select('id')
    .where('expires_at', '<=', now)
    .limit(1)
    .executeTakeFirst();
  if (expired === undefined) return true;
  const some = tx
    .selectFrom('webhook_selection_items')
    .select('delivery_seq')
    .where('selection_id', '=', expired.id)
    .limit(limit);
  const { numDeletedRows: deleted } = await tx
    .deleteFrom('webhook_selection_items')
    .where('selection_id', '=', expired.id)
    .where('delivery_seq', 'in', some)
    .executeTakeFirstOrThrow();
  if (deleted < limit) await tx.deleteFrom('webhook_selections').where('id', '=', expired.id).execute();
  return false;
}
