/** Statements on deliveries and attempts: claims and outcomes, the log, selections to send again. */

import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { jsonArrayEntries, prepareQuery } from '../../platform/db/prepared.ts';
import { BATCH_EVENT, type DeliveryStatus } from './schema.ts';
import type {
  WebhookAttemptsTable,
  WebhookDeliveriesTable,
  WebhookRow,
  WebhookSelectionsTable,
  WebhooksTable,
} from './store.ts';

/** A literal, since SQLite cannot match a parameter with the condition of a partial index. */
const PENDING = sql.lit('pending' as const);

const DUE_COLUMNS = [
  'seq',
  'id',
  'webhook_id',
  'lane_id',
  'kind',
  'job_id',
  'event',
  'job_ended_at',
  'attempts',
  'tries',
  'manual',
  'next_attempt_at',
  'body_sha256',
  'created_at',
] as const satisfies readonly (keyof WebhookDeliveriesTable)[];

const TARGET_COLUMNS = [
  'id',
  'account_id',
  'key_id',
  'job_id',
  'url',
  'secret',
  'previous_secret',
  'previous_secret_expires_at',
  'failing_since',
] as const satisfies readonly (keyof WebhooksTable)[];

/** The webhook of a delivery, as an attempt needs it. */
export type DeliveryTarget = Pick<Selectable<WebhooksTable>, (typeof TARGET_COLUMNS)[number]>;

type DueRow = Pick<Selectable<WebhookDeliveriesTable>, (typeof DUE_COLUMNS)[number]>;

/** A delivery as an attempt needs it. */
export type DueDelivery = DueRow & { webhook: DeliveryTarget };

const DUE = prepareQuery<{ queueId: string; now: number; underWay: string; limit: number }>()((db, value) =>
  db
    .selectFrom('webhook_deliveries')
    .select(DUE_COLUMNS)
    .where('lane_id', '=', value('queueId'))
    .where('status', '=', PENDING)
    .where('next_attempt_at', '<=', value('now'))
    .where('seq', 'not in', jsonArrayEntries<number>(value('underWay')))
    .orderBy('next_attempt_at')
    .orderBy('seq')
    .limit(value('limit')),
);

/** The deliveries of a queue that are due and not under way, the longest waiting first. */
export function dueDeliveries(
  tx: Tx,
  queue: { id: string; underWay: Iterable<number> },
  now: number,
  limit: number,
): DueRow[] {
  return tx.queryAll(DUE({ queueId: queue.id, now, underWay: JSON.stringify([...queue.underWay]), limit }));
}

const DUE_AFTER = prepareQuery<{ queueId: string; time: number }>()((db, value) =>
  db
    .selectFrom('webhook_deliveries')
    .select('next_attempt_at')
    .where('lane_id', '=', value('queueId'))
    .where('status', '=', PENDING)
    .where('next_attempt_at', '>', value('time'))
    .orderBy('next_attempt_at')
    .limit(sql.lit(1)),
);

/** When the next delivery of a queue is due after a time; null when none is. */
export function dueAfter(tx: Tx, queueId: string, time: number): number | null {
  return tx.queryFirst(DUE_AFTER({ queueId, time }))?.next_attempt_at ?? null;
}

const TARGETS = prepareQuery<{ ids: string }>()((db, value) =>
  db
    .selectFrom('webhooks')
    .select(TARGET_COLUMNS)
    .where('id', 'in', jsonArrayEntries<string>(value('ids'))),
);

const CANCEL = prepareQuery<{ seqs: string; now: number }>()((db, value) =>
  db
    .updateTable('webhook_deliveries')
    .set({ status: 'cancelled', next_attempt_at: null, updated_at: value('now') })
    .where('seq', 'in', jsonArrayEntries<number>(value('seqs')))
    .where('status', '=', PENDING),
);

/** Adds its webhook to each delivery. Cancels deliveries whose webhook no longer exists. */
export function withTargets(tx: Tx, rows: readonly DueRow[], now: number): DueDelivery[] {
  if (rows.length === 0) return [];
  const targets = tx.queryAll(TARGETS({ ids: JSON.stringify([...new Set(rows.map((row) => row.webhook_id))]) }));
  const byId = new Map(targets.map((target) => [target.id, target]));
  const due: DueDelivery[] = [];
  const lost: number[] = [];
  for (const row of rows) {
    const webhook = byId.get(row.webhook_id);
    if (webhook === undefined) lost.push(row.seq);
    else due.push(Object.assign(row, { webhook }));
  }
  if (lost.length > 0) tx.runStatement(CANCEL({ seqs: JSON.stringify(lost), now }));
  return due;
}

/** The outcome of an attempt. */
export interface OutcomeMark {
  seq: number;
  /** When the attempt was due. */
  dueAt: number | null;
  status: 'delivered' | 'pending' | 'exhausted';
  nextAttemptAt: number | null;
  responseStatus: number | null;
  errorClass: string | null;
  /** Of the body that was sent; null when nothing was sent. */
  bodySha256: string | null;
}

/**
 * False when the delivery was changed during its request: a cancelled one stays cancelled, and one that was requeued by
 * hand stays at the start of the schedule unless the request delivered it. The attempt counts all the same.
 */
const APPLIES = sql<boolean>`status = ${PENDING}
  and (m.value ->> 'status' = 'delivered' or next_attempt_at is m.value ->> 'dueAt')`;

const MARK = prepareQuery<{ marks: string; now: number }>()((db, value) =>
  db
    .updateTable('webhook_deliveries')
    .from(sql<{ value: string }>`json_each(${value('marks')})`.as('m'))
    .set({
      status: sql`iif(${APPLIES}, m.value ->> 'status', status)`,
      next_attempt_at: sql`iif(${APPLIES}, m.value ->> 'nextAttemptAt', next_attempt_at)`,
      last_response_status: sql`m.value ->> 'responseStatus'`,
      last_error_class: sql`m.value ->> 'errorClass'`,
      body_sha256: sql`coalesce(m.value ->> 'bodySha256', body_sha256)`,
      attempts: sql`attempts + 1`,
      tries: sql`iif(${APPLIES}, tries + 1, tries)`,
      updated_at: value('now'),
    })
    .where('webhook_deliveries.seq', '=', sql<number>`m.value ->> 'seq'`),
);

export function markOutcomes(tx: Tx, marks: readonly OutcomeMark[], now: number): void {
  tx.runStatement(MARK({ marks: JSON.stringify(marks), now }));
}

/** The last delivery of a webhook. */
export interface DeliveryNote {
  webhookId: string;
  deliveryId: string;
  status: DeliveryStatus;
  responseStatus: number | null;
  attemptedAt: number;
  /** Whether a failure counts against the webhook. */
  counts: boolean;
  /** Failures since the last success, or since the note before. */
  failures: { sinceSuccess: boolean; count: number };
}

const NOTE = prepareQuery<{ notes: string }>()((db, value) =>
  db
    .updateTable('webhooks')
    .from(sql<{ value: string }>`json_each(${value('notes')})`.as('n'))
    .set({
      last_delivery_id: sql`n.value ->> 'deliveryId'`,
      last_delivery_status: sql`n.value ->> 'status'`,
      last_response_status: sql`n.value ->> 'responseStatus'`,
      last_attempt_at: sql`n.value ->> 'attemptedAt'`,
      failing_since: sql`case
        when n.value ->> 'status' = 'delivered' then null
        when n.value ->> 'counts' then
          min(coalesce(failing_since, n.value ->> 'attemptedAt'), n.value ->> 'attemptedAt')
        else failing_since end`,
      failures: sql`iif(n.value ->> '$.failures.sinceSuccess', 0, failures) + (n.value ->> '$.failures.count')`,
    })
    .where('webhooks.id', '=', sql<string>`n.value ->> 'webhookId'`),
);

/**
 * Stores the last delivery of each webhook. `updated_at` shows changes by the owner, so it stays. After the clock was
 * set back, a failure may be earlier than the first one: it then is the first one.
 */
export function noteDeliveries(tx: Tx, notes: readonly DeliveryNote[]): void {
  tx.runStatement(NOTE({ notes: JSON.stringify(notes) }));
}

export type NewAttemptRow = Omit<Selectable<WebhookAttemptsTable>, 'seq'>;

/** All columns of an attempt except the body of its request, which may be long. */
const ATTEMPT_FACTS = [
  'delivery_seq',
  'number',
  'manual',
  'url',
  'started_at',
  'duration_ms',
  'request_headers',
  'request_body_sha256',
  'request_body_bytes',
  'request_body_encoding',
  'response_status',
  'response_headers',
  'response_body',
  'response_truncated',
  'error_class',
  'error_message',
  'next_attempt_at',
] as const satisfies readonly (keyof NewAttemptRow)[];

const INSERT_ATTEMPT = prepareQuery<NewAttemptRow>()((db, value) => {
  const names = [...ATTEMPT_FACTS, 'request_body'] as const;
  return db
    .insertInto('webhook_attempts')
    .columns(names)
    .expression(sql`values (${sql.join(names.map((name) => value(name)))})`);
});

export function insertAttempts(tx: Tx, rows: readonly NewAttemptRow[]): void {
  for (const row of rows) tx.runStatement(INSERT_ATTEMPT(row));
}

/** A range of the outbox by sequence numbers: from the first up to, not including, the second. */
export interface OutboxSlice {
  from: number;
  to: number;
}

/** Takes two to five milliseconds to read. */
const SEQS_PER_SLICE = 2000;

/** Splits a range into slices, the newest first. */
export function* slicesOf(range: { first: number; last: number } | null): Generator<OutboxSlice> {
  if (range === null) return;
  for (let to = range.last + 1; to > range.first; to -= SEQS_PER_SLICE) yield { from: to - SEQS_PER_SLICE, to };
}

/** Restarts the waits that were written at a later time than it is now, each with its full length. */
export function restartWaits(tx: Tx, slice: OutboxSlice, underWay: readonly number[], now: number): void {
  tx.runStatement(
    tx
      .updateTable('webhook_deliveries')
      .set({ next_attempt_at: sql`${now} + max(next_attempt_at - updated_at, 0)`, updated_at: now })
      .where('status', '=', 'pending')
      .where('seq', '>=', slice.from)
      .where('seq', '<', slice.to)
      .where('updated_at', '>', now)
      .where('seq', 'not in', jsonArrayEntries<number>(sql`${JSON.stringify(underWay)}`)),
  );
}

/** Ends the waits of a queue, so many at most. Returns how many it ended. */
export function endWaits(tx: Tx, queueId: string, now: number, limit: number): number {
  const some = tx
    .selectFrom('webhook_deliveries')
    .select('seq')
    .where('lane_id', '=', queueId)
    .where('status', '=', PENDING)
    .where('next_attempt_at', '>', now)
    .limit(limit);
  return tx.runStatement(
    tx.updateTable('webhook_deliveries').set({ next_attempt_at: now, updated_at: now }).where('seq', 'in', some),
  );
}

export type DeliveryRow = Selectable<WebhookDeliveriesTable>;

export type AttemptRow = Selectable<WebhookAttemptsTable>;

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  webhookId?: string | undefined;
  jobId?: string | undefined;
  event?: string | undefined;
  /** Beginning of the URL. No index serves it: read a slice of the outbox at a time. */
  url?: string | undefined;
  /** Created at or after, and before: milliseconds. */
  since?: number | undefined;
  until?: number | undefined;
}

/** A query for the deliveries that a filter finds. */
function filteredDeliveries(db: Db, filter: DeliveryFilter) {
  let query = db.selectFrom('webhook_deliveries');
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.webhookId !== undefined) query = query.where('webhook_id', '=', filter.webhookId);
  if (filter.jobId !== undefined) query = query.where('job_id', '=', filter.jobId);
  if (filter.event !== undefined) query = query.where('event', '=', filter.event);
  const { url } = filter;
  if (url !== undefined) {
    query = query.where((is) =>
      is.exists(
        is
          .selectFrom('webhooks as called')
          .select('called.seq')
          .whereRef('called.id', '=', 'webhook_deliveries.webhook_id')
          .where(sql`substr(called.url, 1, length(${url}))`, '=', url),
      ),
    );
  }
  if (filter.since !== undefined) query = query.where('created_at', '>=', filter.since);
  if (filter.until !== undefined) query = query.where('created_at', '<', filter.until);
  return query;
}

/** With the current URL and status of its webhook; null when the webhook no longer exists. */
export type ListedDelivery = DeliveryRow & {
  url: string | null;
  webhook_name: string | null;
  webhook_status: WebhookRow['status'] | null;
};

/** One page, newest first, of the deliveries before a sequence number and, if given, from another one on. */
export function listDeliveries(
  db: Db,
  filter: DeliveryFilter,
  { before, from = null }: { before: number | null; from?: number | null },
  limit: number,
): ListedDelivery[] {
  let page = filteredDeliveries(db, filter).selectAll();
  if (before !== null) page = page.where('seq', '<', before);
  if (from !== null) page = page.where('seq', '>=', from);
  return db.queryAll(
    db
      .selectFrom(page.orderBy('seq', 'desc').limit(limit).as('d'))
      .leftJoin('webhooks as w', 'w.id', 'd.webhook_id')
      .selectAll('d')
      .select(['w.url', 'w.name as webhook_name', 'w.status as webhook_status'])
      .orderBy('d.seq', 'desc'),
  );
}

export function deliveryById(db: Db, id: string): ListedDelivery | undefined {
  return db.queryFirst(
    db
      .selectFrom('webhook_deliveries as d')
      .leftJoin('webhooks as w', 'w.id', 'd.webhook_id')
      .selectAll('d')
      .select(['w.url', 'w.name as webhook_name', 'w.status as webhook_status'])
      .where('d.id', '=', id),
  );
}

/** The attempts of a delivery, the first one first, without the bodies of the requests. */
export function attemptsOf(db: Db, deliverySeq: number): Omit<AttemptRow, 'request_body'>[] {
  return db.queryAll(
    db
      .selectFrom('webhook_attempts')
      .select(['seq', ...ATTEMPT_FACTS])
      .where('delivery_seq', '=', deliverySeq)
      .orderBy('number'),
  );
}

/** The stored body of an attempt: its own, or the body of an earlier attempt that sent the same bytes. */
export function attemptBody(
  db: Db,
  deliverySeq: number,
  sha256: string,
): Pick<AttemptRow, 'request_body' | 'request_body_encoding'> | undefined {
  return db.queryFirst(
    db
      .selectFrom('webhook_attempts')
      .select(['request_body', 'request_body_encoding'])
      .where('delivery_seq', '=', deliverySeq)
      .where('request_body_sha256', '=', sha256)
      .where('request_body', 'is not', null)
      .orderBy('number')
      .limit(1),
  );
}

/** The number of deliveries in each status, counted up to `ceiling` to bound the cost. */
export function countDeliveries(db: Db, ceiling: number): Record<DeliveryStatus, number> {
  const countWithStatus = (status: DeliveryStatus): number => {
    const some = db.selectFrom('webhook_deliveries').select('seq').where('status', '=', status).limit(ceiling).as('s');
    const row = db.queryOne(db.selectFrom(some).select((is) => is.fn.countAll<number>().as('deliveries')));
    return Number(row.deliveries);
  };
  return {
    pending: countWithStatus('pending'),
    delivered: countWithStatus('delivered'),
    exhausted: countWithStatus('exhausted'),
    cancelled: countWithStatus('cancelled'),
  };
}

export type NewDeliveryRow = Omit<Insertable<WebhookDeliveriesTable>, 'seq'>;

/** Rows per INSERT: keeps the number of parameters below the limit of SQLite. */
const ROWS_PER_STATEMENT = 50;

/** Adds deliveries. A transition that already has a delivery to its webhook keeps it. */
export function insertDeliveries(tx: Tx, rows: readonly NewDeliveryRow[]): void {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    tx.runStatement(
      tx
        .insertInto('webhook_deliveries')
        .values(rows.slice(start, start + ROWS_PER_STATEMENT))
        .onConflict((conflict) => conflict.columns(['job_id', 'webhook_id', 'event', 'job_ended_at']).doNothing()),
    );
  }
}

/** Cancels what waits for a webhook. Reads only its queue. */
export function cancelPending(tx: Tx, webhook: { id: string; queueId: string }, now: number): void {
  tx.runStatement(
    tx
      .updateTable('webhook_deliveries')
      .set({ status: 'cancelled', next_attempt_at: null, updated_at: now })
      .where('lane_id', '=', webhook.queueId)
      .where('status', '=', sql.lit('pending' as const))
      .where('webhook_id', '=', webhook.id),
  );
}

/** Deletes the oldest deliveries of any status, with their attempts. Returns how many it deleted. */
export function deleteOldDeliveries(tx: Tx, createdBefore: number, limit: number): number {
  const oldest = tx.queryAll(
    tx.selectFrom('webhook_deliveries').select(['seq', 'created_at']).orderBy('seq').limit(limit),
  );
  const old = oldest.filter((row) => row.created_at < createdBefore);
  if (old.length === 0) return 0;
  const seqs = old.map((row) => row.seq);
  tx.runStatement(tx.deleteFrom('webhook_attempts').where('delivery_seq', 'in', seqs));
  tx.runStatement(tx.deleteFrom('webhook_deliveries').where('seq', 'in', seqs));
  return old.length;
}

type SelectionRow = Selectable<WebhookSelectionsTable>;

/** The first and the last sequence number; null while the outbox is empty. */
export function outboxRange(db: Db): { first: number; last: number } | null {
  // Two statements: SQLite seeks one end of an index, but reads the whole index for both.
  const first = db.queryFirst(db.selectFrom('webhook_deliveries').select((is) => is.fn.min('seq').as('seq')));
  const last = db.queryFirst(db.selectFrom('webhook_deliveries').select((is) => is.fn.max('seq').as('seq')));
  return first?.seq == null || last?.seq == null ? null : { first: first.seq, last: last.seq };
}

export function insertSelection(tx: Tx, selection: SelectionRow): void {
  tx.runStatement(tx.insertInto('webhook_selections').values(selection));
}

/** Adds to a selection what a filter finds in a slice of the outbox. */
export function selectSlice(
  tx: Tx,
  selectionId: string,
  filter: DeliveryFilter,
  { from, to }: OutboxSlice,
): { deliveries: number; sendable: number } {
  const found = filteredDeliveries(tx, filter).where('seq', '>=', from).where('seq', '<', to);
  const added = tx.runStatement(
    tx
      .insertInto('webhook_selection_items')
      .columns(['selection_id', 'delivery_seq'])
      .expression(found.select((is) => [is.val(selectionId).as('selection_id'), 'seq'])),
  );
  if (added === 0) return { deliveries: 0, sendable: 0 };
  const row = tx.queryOne(
    sendableItems(tx, selectionId)
      .where('i.delivery_seq', '>=', from)
      .where('i.delivery_seq', '<', to)
      .select((is) => is.fn.countAll<number>().as('deliveries')),
  );
  return { deliveries: added, sendable: Number(row.deliveries) };
}

export function countSelection(tx: Tx, id: string, deliveries: number): void {
  tx.runStatement(tx.updateTable('webhook_selections').set({ deliveries }).where('id', '=', id));
}

export function selectionById(db: Db, id: string): SelectionRow | undefined {
  return db.queryFirst(db.selectFrom('webhook_selections').selectAll().where('id', '=', id));
}

/** The deliveries of a selection that can be sent: the webhook exists and is not disabled, and the job exists. */
function sendableItems(db: Db, selectionId: string) {
  return db
    .selectFrom('webhook_selection_items as i')
    .innerJoin('webhook_deliveries as d', 'd.seq', 'i.delivery_seq')
    .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .where('i.selection_id', '=', selectionId)
    .where('w.deleted_at', 'is', null)
    .where((or) => or.or([or('w.status', '!=', 'disabled'), or('w.job_id', 'is not', null)]))
    .where((or) => {
      const job = or.selectFrom('jobs as j').select('j.seq').whereRef('j.id', '=', 'd.job_id');
      return or.or([
        or('d.kind', '=', 'test'),
        or('d.event', '=', BATCH_EVENT),
        or.exists(job.where('j.purged_at', 'is', null)),
      ]);
    });
}

/** The newest deliveries of a selection. */
export function newestSelected(db: Db, selectionId: string, limit: number): ListedDelivery[] {
  return db.queryAll(
    db
      .selectFrom('webhook_selection_items as i')
      .innerJoin('webhook_deliveries as d', 'd.seq', 'i.delivery_seq')
      .leftJoin('webhooks as w', 'w.id', 'd.webhook_id')
      .selectAll('d')
      .select(['w.url', 'w.name as webhook_name', 'w.status as webhook_status'])
      .where('i.selection_id', '=', selectionId)
      .orderBy('i.delivery_seq', 'desc')
      .limit(limit),
  );
}

/**
 * Removes the next deliveries from a selection, and puts those that can be sent at the start of the schedule. Returns
 * how many it removed, and the queue of each that is sent.
 */
export function requeueSlice(
  tx: Tx,
  selectionId: string,
  limit: number,
  now: number,
): { removed: number; queueIds: string[] } {
  const items = tx.queryAll(
    tx
      .selectFrom('webhook_selection_items')
      .select('delivery_seq')
      .where('selection_id', '=', selectionId)
      .orderBy('delivery_seq')
      .limit(limit),
  );
  const last = items.at(-1);
  if (last === undefined) return { removed: 0, queueIds: [] };
  const requeued = tx.queryAll(
    tx
      .updateTable('webhook_deliveries')
      .set({ status: 'pending', tries: 0, manual: 1, next_attempt_at: now, updated_at: now })
      .where(
        'seq',
        'in',
        sendableItems(tx, selectionId).where('i.delivery_seq', '<=', last.delivery_seq).select('d.seq'),
      )
      .returning('lane_id'),
  );
  tx.runStatement(
    tx
      .deleteFrom('webhook_selection_items')
      .where('selection_id', '=', selectionId)
      .where('delivery_seq', '<=', last.delivery_seq),
  );
  return { removed: items.length, queueIds: requeued.map((row) => row.lane_id) };
}

export function markApplied(tx: Tx, selectionId: string, now: number): void {
  tx.runStatement(tx.updateTable('webhook_selections').set({ applied_at: now }).where('id', '=', selectionId));
}

/** Puts one delivery at the start of the schedule. */
export function requeueDelivery(tx: Tx, seq: number, now: number): void {
  tx.runStatement(
    tx
      .updateTable('webhook_deliveries')
      .set({ status: 'pending', tries: 0, manual: 1, next_attempt_at: now, updated_at: now })
      .where('seq', '=', seq),
  );
}

/** Deletes at most `limit` entries of an expired selection. Returns whether no expired selection is left. */
export function deleteExpiredSelection(tx: Tx, now: number, limit: number): boolean {
  const expired = tx.queryFirst(
    tx.selectFrom('webhook_selections').select('id').where('expires_at', '<=', now).limit(1),
  );
  if (expired === undefined) return true;
  const some = tx
    .selectFrom('webhook_selection_items')
    .select('delivery_seq')
    .where('selection_id', '=', expired.id)
    .limit(limit);
  const deleted = tx.runStatement(
    tx.deleteFrom('webhook_selection_items').where('selection_id', '=', expired.id).where('delivery_seq', 'in', some),
  );
  if (deleted < limit) tx.runStatement(tx.deleteFrom('webhook_selections').where('id', '=', expired.id));
  return false;
}

/** Deliveries in a status, counted up to `ceiling`. */
export function countByStatus(db: Db, status: DeliveryStatus, ceiling: number): number {
  const some = db.selectFrom('webhook_deliveries').select('seq').where('status', '=', status).limit(ceiling).as('some');
  return db.queryOne(db.selectFrom(some).select((is) => is.fn.countAll<number>().as('n'))).n;
}
