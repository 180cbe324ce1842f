import type { Insertable, Updateable } from 'kysely';
import { assertTransaction } from './connection.ts';
import type { Tx } from './schema.ts';
import type { WebhookAttemptsTable, WebhookDeliveriesTable } from './webhooks-tables.ts';

export type NewDeliveryRow = Omit<Insertable<WebhookDeliveriesTable>, 'seq'>;
export type NewAttemptRow = Omit<Insertable<WebhookAttemptsTable>, 'seq'>;
export type DeliveryChange = Omit<Updateable<WebhookDeliveriesTable>, 'seq' | 'id'>;

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

/** Asks for a turn of a lane at `dueAt`, or earlier if it has asked for that. */
export async function wakeLane(tx: Tx, laneId: string, dueAt: number): Promise<void> {
  assertTransaction(tx);
  await tx
    .insertInto('webhook_lanes')
    .values({ id: laneId, next_due_at: dueAt, held: 0 })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ next_due_at: dueAt })
        .where((or) =>
          or.or([or('webhook_lanes.next_due_at', 'is', null), or('webhook_lanes.next_due_at', '>', dueAt)]),
        ),
    )
    .execute();
}

export async function scheduleLane(tx: Tx, laneId: string, dueAt: number | null): Promise<void> {
  assertTransaction(tx);
  await tx.updateTable('webhook_lanes').set({ next_due_at: dueAt }).where('id', '=', laneId).execute();
}

/** Stops (or lets go) a lane: its deliveries wait where they are. */
export async function holdLane(tx: Tx, laneId: string, held: boolean): Promise<void> {
  assertTransaction(tx);
  await tx
    .insertInto('webhook_lanes')
    .values({ id: laneId, next_due_at: null, held: held ? 1 : 0 })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ held: held ? 1 : 0 }))
    .execute();
}

/** Takes deliveries for one process until `leaseEndsAt`; then they are due again, whatever became of it. */
export async function leaseDeliveries(tx: Tx, seqs: readonly number[], owner: string, endsAt: number): Promise<void> {
  assertTransaction(tx);
  await tx
    .updateTable('webhook_deliveries')
    .set({ lease_owner: owner, next_attempt_at: endsAt })
    .where('seq', 'in', seqs)
    .where('status', '=', 'pending')
    .execute();
}

/** Gives leased deliveries back at once, of one owner or (null) of every process that ever held one. */
export async function releaseLeases(tx: Tx, owner: string | null, now: number): Promise<string[]> {
  assertTransaction(tx);
  let query = tx
    .updateTable('webhook_deliveries')
    .set({ lease_owner: null, next_attempt_at: now })
    .where('lease_owner', 'is not', null);
  if (owner !== null) query = query.where('lease_owner', '=', owner);
  const rows = await query.where('status', '=', 'pending').returning('lane_id').execute();
  return [...new Set(rows.map((row) => row.lane_id))];
}

/** One change for deliveries that ended alike; a delivery that was taken over or cancelled meanwhile is left alone. */
export async function changeLeased(
  tx: Tx,
  seqs: readonly number[],
  owner: string,
  change: DeliveryChange,
): Promise<void> {
  assertTransaction(tx);
  await tx
    .updateTable('webhook_deliveries')
    .set((is) => ({ ...change, lease_owner: null, attempts: is('attempts', '+', 1), tries: is('tries', '+', 1) }))
    .where('seq', 'in', seqs)
    .where('lease_owner', '=', owner)
    .where('status', '=', 'pending')
    .execute();
}

export async function insertAttempts(tx: Tx, rows: readonly NewAttemptRow[]): Promise<void> {
  assertTransaction(tx);
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    await tx
      .insertInto('webhook_attempts')
      .values(rows.slice(start, start + ROWS_PER_STATEMENT))
      .execute();
  }
}

/** What waits for a webhook will not be sent any more. Sought through its lane, which only holds what waits. */
export async function cancelPending(tx: Tx, webhook: { id: string; laneId: string }, now: number): Promise<void> {
  assertTransaction(tx);
  await tx
    .updateTable('webhook_deliveries')
    .set({ status: 'cancelled', next_attempt_at: null, lease_owner: null, updated_at: now })
    .where('lane_id', '=', webhook.laneId)
    .where('status', '=', 'pending')
    .where('webhook_id', '=', webhook.id)
    .execute();
}

/** Removes old deliveries that are at rest, with their attempts. Returns how many. */
export async function deleteOldDeliveries(tx: Tx, createdBefore: number, limit: number): Promise<number> {
  assertTransaction(tx);
  const old = await tx
    .selectFrom('webhook_deliveries')
    .select(['seq', 'id'])
    .where('created_at', '<', createdBefore)
    .where('status', '!=', 'pending')
    .orderBy('seq')
    .limit(limit)
    .execute();
  if (old.length === 0) return 0;
  const ids = old.map((row) => row.id);
  await tx.deleteFrom('webhook_attempts').where('delivery_id', 'in', ids).execute();
  const seqs = old.map((row) => row.seq);
  await tx.deleteFrom('webhook_deliveries').where('seq', 'in', seqs).execute();
  return old.length;
}

/** Lanes in which nothing waits are made anew when something does. */
export async function deleteIdleLanes(tx: Tx): Promise<void> {
  assertTransaction(tx);
  await tx.deleteFrom('webhook_lanes').where('next_due_at', 'is', null).where('held', '=', 0).execute();
}
