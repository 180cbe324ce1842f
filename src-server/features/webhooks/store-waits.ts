/** Waits that are changed by something else than an attempt: by hand, or by a clock. Rare, so nothing is prepared. */

import { sql } from 'kysely';
import { assertTransaction, type Tx } from '../../platform/db/database.ts';
import { entriesOf } from '../../platform/db/prepared.ts';

/** A delivery that waits. */
export interface WaitingDelivery {
  seq: number;
  lane_id: string;
  updated_at: number;
}

/** What waits, in the order of acceptance, from behind a place on. */
export function waitingDeliveries(tx: Tx, behindSeq: number, limit: number): WaitingDelivery[] {
  assertTransaction(tx);
  return tx.all(
    tx
      .selectFrom('webhook_deliveries')
      .select(['seq', 'lane_id', 'updated_at'])
      .where('status', '=', 'pending')
      .where('seq', '>', behindSeq)
      .orderBy('seq')
      .limit(limit),
  );
}

/** Lets waits begin now, each as long as it was when it was written. */
export function beginWaitsAnew(tx: Tx, seqs: readonly number[], now: number): void {
  assertTransaction(tx);
  tx.run(
    tx
      .updateTable('webhook_deliveries')
      .set({ next_attempt_at: sql`${now} + max(next_attempt_at - updated_at, 0)`, updated_at: now })
      .where('seq', 'in', entriesOf<number>(sql`${JSON.stringify(seqs)}`)),
  );
}

/** Each queue that waits for a time to come looks now for what that is. */
export function wakeWaitingQueues(tx: Tx, now: number): void {
  assertTransaction(tx);
  tx.run(tx.updateTable('webhook_lanes').set({ next_due_at: now }).where('next_due_at', '>', now));
}

/** Ends the waits of a queue, so many at most. Gives back how many there were. */
export function endWaits(tx: Tx, queueId: string, now: number, limit: number): number {
  assertTransaction(tx);
  const some = tx
    .selectFrom('webhook_deliveries')
    .select('seq')
    .where('lane_id', '=', queueId)
    .where('status', '=', sql.lit('pending' as const))
    .where('next_attempt_at', '>', now)
    .limit(limit);
  return tx.run(
    tx.updateTable('webhook_deliveries').set({ next_attempt_at: now, updated_at: now }).where('seq', 'in', some),
  );
}
