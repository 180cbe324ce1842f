import { type Insertable, sql } from 'kysely';
import { assertTransaction } from '../../platform/db/database.ts';
import type { Tx } from '../../platform/db/schema.ts';
import type { WebhookDeliveriesTable } from './webhooks-tables.ts';

export type NewDeliveryRow = Omit<Insertable<WebhookDeliveriesTable>, 'seq'>;

/** Rows per INSERT, so that their values stay far under the number of parameters a statement may have. */
const ROWS_PER_STATEMENT = 50;

/** Adds deliveries; a transition that already has one for its webhook keeps that one. */
export async function insertDeliveries(tx: Tx, rows: readonly NewDeliveryRow[]): Promise<void> {
  assertTransaction(tx);
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    await tx
      .insertInto('webhook_deliveries')
      .values(rows.slice(start, start + ROWS_PER_STATEMENT))
      .onConflict((conflict) => conflict.columns(['job_id', 'webhook_id', 'event', 'job_ended_at']).doNothing())
      .execute();
  }
}

/** What waits for a webhook will not be sent any more. Sought through its lane, which only holds what waits. */
export async function cancelPending(tx: Tx, webhook: { id: string; laneId: string }, now: number): Promise<void> {
  assertTransaction(tx);
  await tx
    .updateTable('webhook_deliveries')
    .set({ status: 'cancelled', next_attempt_at: null, updated_at: now })
    .where('lane_id', '=', webhook.laneId)
    .where('status', '=', sql.lit('pending' as const))
    .where('webhook_id', '=', webhook.id)
    .execute();
}

/**
 * Removes the oldest deliveries, with their attempts, whatever became of them. Read in the order of acceptance, which
 * is that of their age, so that only what goes is looked at. Returns how many went.
 */
export async function deleteOldDeliveries(tx: Tx, createdBefore: number, limit: number): Promise<number> {
  assertTransaction(tx);
  const oldest = await tx
    .selectFrom('webhook_deliveries')
    .select(['seq', 'created_at'])
    .orderBy('seq')
    .limit(limit)
    .execute();
  const old = oldest.filter((row) => row.created_at < createdBefore);
  if (old.length === 0) return 0;
  const seqs = old.map((row) => row.seq);
  await tx.deleteFrom('webhook_attempts').where('delivery_seq', 'in', seqs).execute();
  await tx.deleteFrom('webhook_deliveries').where('seq', 'in', seqs).execute();
  return old.length;
}
