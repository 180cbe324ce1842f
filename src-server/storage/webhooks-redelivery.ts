import type { Selectable } from 'kysely';
import { assertTransaction } from './connection.ts';
import type { Db, Tx } from './schema.ts';
import type { ListedDelivery } from './webhooks-outbox-reader.ts';
import type { WebhookSelectionsTable } from './webhooks-tables.ts';

export type SelectionRow = Selectable<WebhookSelectionsTable>;

const ROWS_PER_STATEMENT = 500;

/** Freezes a selection: from now on it names exactly these deliveries, whatever happens to the filter's answer. */
export async function insertSelection(tx: Tx, selection: SelectionRow, seqs: readonly number[]): Promise<void> {
  assertTransaction(tx);
  await tx.insertInto('webhook_selections').values(selection).execute();
  for (let start = 0; start < seqs.length; start += ROWS_PER_STATEMENT) {
    const part = seqs.slice(start, start + ROWS_PER_STATEMENT);
    await tx
      .insertInto('webhook_selection_items')
      .values(part.map((seq) => ({ selection_id: selection.id, delivery_seq: seq })))
      .execute();
  }
}

export async function selectionById(db: Db | Tx, id: string): Promise<SelectionRow | undefined> {
  return db.selectFrom('webhook_selections').selectAll().where('id', '=', id).executeTakeFirst();
}

/** What of a selection can be sent: its webhook is there and not disabled. */
function sendable(db: Db | Tx, selectionId: string) {
  return db
    .selectFrom('webhook_selection_items as i')
    .innerJoin('webhook_deliveries as d', 'd.seq', 'i.delivery_seq')
    .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .where('i.selection_id', '=', selectionId)
    .where('w.deleted_at', 'is', null)
    .where((or) => or.or([or('w.status', '!=', 'disabled'), or('w.job_id', 'is not', null)]));
}

export async function countSendable(db: Db | Tx, selectionId: string): Promise<number> {
  const row = await sendable(db, selectionId)
    .select((is) => is.fn.countAll<number>().as('deliveries'))
    .executeTakeFirstOrThrow();
  return Number(row.deliveries);
}

/** The newest few of a selection, to show what it is about. */
export async function sampleOf(db: Db | Tx, selectionId: string, limit: number): Promise<ListedDelivery[]> {
  return db
    .selectFrom('webhook_selection_items as i')
    .innerJoin('webhook_deliveries as d', 'd.seq', 'i.delivery_seq')
    .leftJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .selectAll('d')
    .select('w.url')
    .where('i.selection_id', '=', selectionId)
    .orderBy('i.delivery_seq', 'desc')
    .limit(limit)
    .execute();
}

/** Puts what can be sent of a selection at the start of the schedule. Gives back how many, and the lanes to wake. */
export async function requeueSelection(
  tx: Tx,
  selectionId: string,
  now: number,
): Promise<{ deliveries: number; laneIds: string[] }> {
  assertTransaction(tx);
  const result = await tx
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', tries: 0, manual: 1, next_attempt_at: now, updated_at: now })
    .where('seq', 'in', sendable(tx, selectionId).select('d.seq'))
    .executeTakeFirstOrThrow();
  const lanes = await tx
    .selectFrom('webhook_selection_items as i')
    .innerJoin('webhook_deliveries as d', 'd.seq', 'i.delivery_seq')
    .select('d.lane_id')
    .distinct()
    .where('i.selection_id', '=', selectionId)
    .where('d.status', '=', 'pending')
    .execute();
  await tx.updateTable('webhook_selections').set({ applied_at: now }).where('id', '=', selectionId).execute();
  return { deliveries: Number(result.numUpdatedRows), laneIds: lanes.map((lane) => lane.lane_id) };
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

export async function deleteExpiredSelections(tx: Tx, now: number): Promise<void> {
  assertTransaction(tx);
  const expired = tx.selectFrom('webhook_selections').select('id').where('expires_at', '<=', now);
  await tx.deleteFrom('webhook_selection_items').where('selection_id', 'in', expired).execute();
  await tx.deleteFrom('webhook_selections').where('expires_at', '<=', now).execute();
}
