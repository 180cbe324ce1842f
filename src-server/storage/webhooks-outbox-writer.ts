import { CompiledQuery, type Insertable, sql, type Updateable } from 'kysely';
import { assertTransaction } from './connection.ts';
import { asFixedList } from './fixed-list.ts';
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
    .values({ id: laneId, next_due_at: dueAt, held: 0, lease_owner: null, lease_ends_at: null })
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

/** What a lane waits for next, and whose it is meanwhile. */
export async function scheduleLane(
  tx: Tx,
  laneId: string,
  dueAt: number | null,
  lease: { owner: string; endsAt: number } | null,
): Promise<void> {
  assertTransaction(tx);
  await tx
    .updateTable('webhook_lanes')
    .set({ next_due_at: dueAt, lease_owner: lease?.owner ?? null, lease_ends_at: lease?.endsAt ?? null })
    .where('id', '=', laneId)
    .execute();
}

/** Lanes that have something to look at again: they want a turn now, behind those that have waited longer. */
export async function callLanes(tx: Tx, laneIds: readonly string[], now: number): Promise<void> {
  assertTransaction(tx);
  await tx.updateTable('webhook_lanes').set({ next_due_at: now }).where('id', 'in', laneIds).execute();
}

/** Gives the lanes of one process, or (null) of every process there ever was, back to whoever comes. */
export async function releaseLanes(tx: Tx, owner: string | null, now: number): Promise<void> {
  assertTransaction(tx);
  const query = tx
    .updateTable('webhook_lanes')
    .set({ next_due_at: now, lease_owner: null, lease_ends_at: null })
    .where('lease_owner', 'is not', null);
  await (owner === null ? query : query.where('lease_owner', '=', owner)).execute();
}

/** Stops (or lets go) a lane: its deliveries wait where they are. */
export async function holdLane(tx: Tx, laneId: string, held: boolean): Promise<void> {
  assertTransaction(tx);
  await tx
    .insertInto('webhook_lanes')
    .values({ id: laneId, next_due_at: null, held: held ? 1 : 0, lease_owner: null, lease_ends_at: null })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ held: held ? 1 : 0 }))
    .execute();
}

/** One change for deliveries whose attempts ended alike; what was cancelled meanwhile stays cancelled. */
export async function markAttempted(tx: Tx, seqs: readonly number[], change: DeliveryChange): Promise<void> {
  assertTransaction(tx);
  await tx
    .updateTable('webhook_deliveries')
    .set((is) => ({ ...change, attempts: is('attempts', '+', 1), tries: is('tries', '+', 1) }))
    .where('seq', 'in', asFixedList(seqs))
    .where('status', '=', 'pending')
    .execute();
}

/** Rows per INSERT: few lengths, so that each text is there from the start and its statement is found ready. */
const ATTEMPTS_PER_STATEMENT = [64, 8, 1];

const ATTEMPT_COLUMNS = [
  'delivery_seq',
  'number',
  'manual',
  'url',
  'started_at',
  'duration_ms',
  'request_headers',
  'request_body_sha256',
  'request_body_bytes',
  'request_body',
  'request_body_encoding',
  'response_status',
  'response_headers',
  'response_body',
  'response_truncated',
  'error_class',
  'error_message',
  'next_attempt_at',
] as const satisfies readonly (keyof NewAttemptRow)[];

const ATTEMPT_INSERTS = new Map(ATTEMPTS_PER_STATEMENT.map((length) => [length, attemptInsert(length)]));

function attemptInsert(length: number): string {
  const row = `(${ATTEMPT_COLUMNS.map(() => '?').join(', ')})`;
  const names = ATTEMPT_COLUMNS.join(', ');
  return `insert into webhook_attempts (${names}) values ${Array.from({ length }, () => row).join(', ')}`;
}

function attemptValues(row: NewAttemptRow): unknown[] {
  return ATTEMPT_COLUMNS.map((name) => row[name]);
}

/** As text made once, not through the query builder: this is the widest and most frequent write of the outbox. */
export async function insertAttempts(tx: Tx, rows: readonly NewAttemptRow[]): Promise<void> {
  assertTransaction(tx);
  let start = 0;
  for (const length of ATTEMPTS_PER_STATEMENT) {
    for (; rows.length - start >= length; start += length) {
      const parameters = rows.slice(start, start + length).flatMap(attemptValues);
      await tx.executeQuery(CompiledQuery.raw(ATTEMPT_INSERTS.get(length) ?? '', parameters));
    }
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

/** Lanes in which nothing waits are made anew when something does. */
export async function deleteIdleLanes(tx: Tx): Promise<void> {
  assertTransaction(tx);
  await tx.deleteFrom('webhook_lanes').where('next_due_at', 'is', null).where('held', '=', 0).execute();
}
