/** What every delivery costs of the database: taking what is due, and recording what became of it. */
import { CompiledQuery, type Selectable, sql } from 'kysely';
import { assertTransaction } from '../../platform/db/database.ts';
import { entriesOf, orRollback, prepared } from '../../platform/db/prepared.ts';
import type { Tx } from '../../platform/db/schema.ts';
import type { DeliveryStatus, WebhookAttemptsTable, WebhookDeliveriesTable, WebhooksTable } from './webhooks-tables.ts';

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
  'job_id',
  'url',
  'secret',
  'previous_secret',
  'previous_secret_expires_at',
  'failing_since',
] as const satisfies readonly (keyof WebhooksTable)[];

/** What an attempt needs to know of the webhook; deliveries of one webhook share it. */
export type DeliveryTarget = Pick<Selectable<WebhooksTable>, (typeof TARGET_COLUMNS)[number]>;
type DueRow = Pick<Selectable<WebhookDeliveriesTable>, (typeof DUE_COLUMNS)[number]>;
/** What an attempt needs to know of a delivery. */
export type DueDelivery = DueRow & { webhook: DeliveryTarget };

const DUE = prepared<{ laneId: string; now: number; taken: string; limit: number }>()((db, value) =>
  db
    .selectFrom('webhook_deliveries')
    .select(DUE_COLUMNS)
    .where('lane_id', '=', value('laneId'))
    .where('status', '=', PENDING)
    .where('next_attempt_at', '<=', value('now'))
    .where('seq', 'not in', entriesOf<number>(value('taken')))
    .orderBy('next_attempt_at')
    .orderBy('seq')
    .limit(value('limit')),
);

const DUE_BEHIND = prepared<{ laneId: string; now: number; dueAt: number; seq: number; limit: number }>()((db, value) =>
  db
    .selectFrom('webhook_deliveries')
    .select(DUE_COLUMNS)
    .where('lane_id', '=', value('laneId'))
    .where('status', '=', PENDING)
    .where('next_attempt_at', '<=', value('now'))
    .where(sql<boolean>`(next_attempt_at, seq) > (${value('dueAt')}, ${value('seq')})`)
    .orderBy('next_attempt_at')
    .orderBy('seq')
    .limit(value('limit')),
);

/** What of a lane was taken before and is not recorded yet. */
export interface TakenOfLane {
  seqs: ReadonlySet<number>;
  /** The place of the one that stands last in the lane's order. */
  last: Pick<DueRow, 'seq' | 'next_attempt_at'>;
}

/**
 * The deliveries of a lane that are due, the longest waiting first, but for those that were taken before. While a lane
 * is busy what comes next stands behind them, so that is looked at first; what has come to stand between them (the
 * clock was set back) is found once that is less than there is room for.
 */
export async function dueDeliveries(
  tx: Tx,
  lane: { id: string; taken: TakenOfLane | null },
  now: number,
  limit: number,
): Promise<DueRow[]> {
  const { id: laneId, taken } = lane;
  if (taken === null) return (await DUE(tx, { laneId, now, taken: '[]', limit })).rows;
  const { next_attempt_at: dueAt, seq } = taken.last;
  const { rows: behind } = await DUE_BEHIND(tx, { laneId, now, dueAt: dueAt ?? 0, seq, limit });
  // One that is sent again by hand while its request is under way has moved behind: it waits for the end of that.
  const rows = behind.filter((row) => !taken.seqs.has(row.seq));
  const left = limit - rows.length;
  if (left === 0) return rows;
  const known = JSON.stringify([...taken.seqs, ...rows.map((row) => row.seq)]);
  return [...rows, ...(await DUE(tx, { laneId, now, taken: known, limit: left })).rows];
}

const TARGETS = prepared<{ ids: string }>()((db, value) =>
  db
    .selectFrom('webhooks')
    .select(TARGET_COLUMNS)
    .where('id', 'in', entriesOf<string>(value('ids'))),
);
const CANCEL = prepared<{ seqs: string; now: number }>()((db, value) =>
  db
    .updateTable('webhook_deliveries')
    .set({ status: 'cancelled', next_attempt_at: null, updated_at: value('now') })
    .where('seq', 'in', entriesOf<number>(value('seqs')))
    .where('status', '=', PENDING),
);

/** Tells each delivery of its webhook. One whose webhook is no more cannot be sent any more, so it is cancelled. */
export async function withTargets(tx: Tx, rows: readonly DueRow[], now: number): Promise<DueDelivery[]> {
  assertTransaction(tx);
  if (rows.length === 0) return [];
  const { rows: targets } = await TARGETS(tx, { ids: JSON.stringify([...new Set(rows.map((row) => row.webhook_id))]) });
  const byId = new Map(targets.map((target) => [target.id, target]));
  const due: DueDelivery[] = [];
  const lost: number[] = [];
  for (const row of rows) {
    const webhook = byId.get(row.webhook_id);
    if (webhook === undefined) lost.push(row.seq);
    else due.push(Object.assign(row, { webhook }));
  }
  if (lost.length > 0) await CANCEL(tx, { seqs: JSON.stringify(lost), now });
  return due;
}

/** False for what was cancelled while its request was on its way: that counts as an attempt, and cancelled it stays. */
const IS_PENDING = sql<boolean>`status = ${PENDING}`;

const MARK_DELIVERED = prepared<{ seqs: string; responseStatus: number | null; now: number }>()((db, value) =>
  orRollback(
    db
      .updateTable('webhook_deliveries')
      .set({
        status: sql`iif(${IS_PENDING}, 'delivered', status)`,
        next_attempt_at: null,
        last_response_status: value('responseStatus'),
        last_error_class: null,
        attempts: sql`attempts + 1`,
        tries: sql`tries + 1`,
        updated_at: value('now'),
      })
      .where('seq', 'in', entriesOf<number>(value('seqs'))),
  ),
);

/** Deliveries that were answered alike; what was cancelled meanwhile stays cancelled. */
export async function markDelivered(
  tx: Tx,
  seqs: readonly number[],
  responseStatus: number | null,
  now: number,
): Promise<void> {
  assertTransaction(tx);
  await MARK_DELIVERED(tx, { seqs: JSON.stringify(seqs), responseStatus, now });
}

/** An attempt that was no success, and what comes next. */
export interface FailedMark {
  seq: number;
  /** When the attempt was due. */
  dueAt: number | null;
  status: 'pending' | 'exhausted';
  nextAttemptAt: number | null;
  responseStatus: number | null;
  errorClass: string | null;
  /** Of the body that was sent; null when none was. */
  bodySha256: string | null;
}

/** False as well for what was put at the start of the schedule again meanwhile: there it stays. */
const IS_AS_TAKEN = sql<boolean>`${IS_PENDING} and next_attempt_at is m.value ->> 'dueAt'`;

const MARK_FAILED = prepared<{ marks: string; now: number }>()((db, value) =>
  db
    .updateTable('webhook_deliveries')
    .from(sql<{ value: string }>`json_each(${value('marks')})`.as('m'))
    .set({
      status: sql`iif(${IS_AS_TAKEN}, m.value ->> 'status', status)`,
      next_attempt_at: sql`iif(${IS_AS_TAKEN}, m.value ->> 'nextAttemptAt', next_attempt_at)`,
      last_response_status: sql`m.value ->> 'responseStatus'`,
      last_error_class: sql`m.value ->> 'errorClass'`,
      body_sha256: sql`coalesce(m.value ->> 'bodySha256', body_sha256)`,
      attempts: sql`attempts + 1`,
      tries: sql`iif(${IS_AS_TAKEN}, tries + 1, tries)`,
      updated_at: value('now'),
    })
    .where('webhook_deliveries.seq', '=', sql<number>`m.value ->> 'seq'`),
);

/** What was cancelled meanwhile stays cancelled, and what is to be sent again is. */
export async function markFailed(tx: Tx, marks: readonly FailedMark[], now: number): Promise<void> {
  assertTransaction(tx);
  await MARK_FAILED(tx, { marks: JSON.stringify(marks), now });
}

/** What the delivery found out about a webhook. */
export interface DeliveryNote {
  webhookId: string;
  deliveryId: string;
  status: DeliveryStatus;
  responseStatus: number | null;
  attemptedAt: number;
  /** Whether it tells of the target's health: a redelivery by hand that failed does not. */
  counts: boolean;
}

const NOTE = prepared<{ notes: string }>()((db, value) =>
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
    })
    .where('webhooks.id', '=', sql<string>`n.value ->> 'webhookId'`),
);

/**
 * Notes the last delivery of each webhook. It is no change of its owner's, so `updated_at` stays. A failure before the
 * first one, since the clock was set back, is the first one.
 */
export async function noteDeliveries(tx: Tx, notes: readonly DeliveryNote[]): Promise<void> {
  assertTransaction(tx);
  await NOTE(tx, { notes: JSON.stringify(notes) });
}

export type NewAttemptRow = Omit<Selectable<WebhookAttemptsTable>, 'seq'>;

/** Rows per INSERT: few lengths, so that each text is there from the start and its statement is found ready. */
const ATTEMPTS_PER_STATEMENT = [64, 8, 1];

/** All that is known of an attempt but the body of its request, which may be long. */
export const ATTEMPT_FACTS = [
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
const ATTEMPT_COLUMNS = [...ATTEMPT_FACTS, 'request_body'] as const;

const ATTEMPT_INSERTS = new Map(ATTEMPTS_PER_STATEMENT.map((length) => [length, attemptInsert(length)]));

function attemptInsert(length: number): string {
  const row = `(${ATTEMPT_COLUMNS.map(() => '?').join(', ')})`;
  const names = ATTEMPT_COLUMNS.join(', ');
  // OR ROLLBACK for the reason that `orRollback` gives.
  return `insert or rollback into webhook_attempts (${names}) values ${Array.from({ length }, () => row).join(', ')}`;
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
