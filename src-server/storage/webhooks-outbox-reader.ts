import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from './schema.ts';
import type { DeliveryStatus, WebhookAttemptsTable, WebhookDeliveriesTable, WebhooksTable } from './webhooks-tables.ts';

export type DeliveryRow = Selectable<WebhookDeliveriesTable>;
export type AttemptRow = Selectable<WebhookAttemptsTable>;

/** Literals, since SQLite cannot match a parameter with the condition of a partial index. */
const PENDING = sql.lit('pending' as const);
const NOT_HELD = sql.lit(0);

/** What an attempt needs to know of a delivery and its webhook. */
export type DueDelivery = Pick<
  DeliveryRow,
  | 'seq'
  | 'id'
  | 'webhook_id'
  | 'lane_id'
  | 'kind'
  | 'job_id'
  | 'event'
  | 'attempts'
  | 'tries'
  | 'manual'
  | 'body_sha256'
  | 'created_at'
> &
  Pick<
    Selectable<WebhooksTable>,
    'account_id' | 'url' | 'secret' | 'previous_secret' | 'previous_secret_expires_at' | 'status' | 'failing_since'
  > & { webhook_job_id: string | null };

/** Lanes that want a turn by now, but for those that are held and those that another process has leased. */
function openLanes(db: Db | Tx, owner: string, now: number) {
  return db
    .selectFrom('webhook_lanes')
    .select('id')
    .where('held', '=', NOT_HELD)
    .where('next_due_at', 'is not', null)
    .where('next_due_at', '<=', now)
    .where((or) =>
      or.or([or('lease_owner', 'is', null), or('lease_owner', '=', owner), or('lease_ends_at', '<=', now)]),
    );
}

/** The lanes that want a turn of this process, the longest waiting first. */
export async function dueLanes(tx: Tx, owner: string, now: number, limit: number): Promise<string[]> {
  const rows = await openLanes(tx, owner, now).orderBy('next_due_at').limit(limit).execute();
  return rows.map((row) => row.id);
}

export async function isLaneDue(db: Db, owner: string, now: number): Promise<boolean> {
  return (await openLanes(db, owner, now).limit(1).executeTakeFirst()) !== undefined;
}

/** The deliveries of a lane that are due, the longest waiting first. */
export async function dueDeliveries(tx: Tx, laneId: string, now: number, limit: number): Promise<DueDelivery[]> {
  return tx
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .select([
      'd.seq',
      'd.id',
      'd.webhook_id',
      'd.lane_id',
      'd.kind',
      'd.job_id',
      'd.event',
      'd.attempts',
      'd.tries',
      'd.manual',
      'd.body_sha256',
      'd.created_at',
      'w.account_id',
      'w.job_id as webhook_job_id',
      'w.url',
      'w.secret',
      'w.previous_secret',
      'w.previous_secret_expires_at',
      'w.status',
      'w.failing_since',
    ])
    .where('d.lane_id', '=', laneId)
    .where('d.status', '=', PENDING)
    .where('d.next_attempt_at', '<=', now)
    .orderBy('d.next_attempt_at')
    .orderBy('d.seq')
    .limit(limit)
    .execute();
}

/** When the next delivery of a lane is due after a time; null when none is. */
export async function laneDueAfter(tx: Tx, laneId: string, time: number): Promise<number | null> {
  const row = await tx
    .selectFrom('webhook_deliveries')
    .select('next_attempt_at')
    .where('lane_id', '=', laneId)
    .where('status', '=', PENDING)
    .where('next_attempt_at', '>', time)
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_attempt_at ?? null;
}

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  webhookId?: string | undefined;
  jobId?: string | undefined;
  event?: string | undefined;
  /** Created at or after, and before: milliseconds. */
  since?: number | undefined;
  until?: number | undefined;
}

function filtered(db: Db | Tx, filter: DeliveryFilter) {
  let query = db.selectFrom('webhook_deliveries');
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.webhookId !== undefined) query = query.where('webhook_id', '=', filter.webhookId);
  if (filter.jobId !== undefined) query = query.where('job_id', '=', filter.jobId);
  if (filter.event !== undefined) query = query.where('event', '=', filter.event);
  if (filter.since !== undefined) query = query.where('created_at', '>=', filter.since);
  if (filter.until !== undefined) query = query.where('created_at', '<', filter.until);
  return query;
}

export type ListedDelivery = DeliveryRow & { url: string | null };

/** One page, newest first. `before` is the `seq` of the last row of the page before. */
export async function listDeliveries(
  db: Db,
  filter: DeliveryFilter,
  before: number | null,
  limit: number,
): Promise<ListedDelivery[]> {
  let page = filtered(db, filter).selectAll();
  if (before !== null) page = page.where('seq', '<', before);
  return db
    .selectFrom(page.orderBy('seq', 'desc').limit(limit).as('d'))
    .leftJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .selectAll('d')
    .select('w.url')
    .orderBy('d.seq', 'desc')
    .execute();
}

export async function deliveryById(db: Db | Tx, id: string): Promise<ListedDelivery | undefined> {
  return db
    .selectFrom('webhook_deliveries as d')
    .leftJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .selectAll('d')
    .select('w.url')
    .where('d.id', '=', id)
    .executeTakeFirst();
}

/** Sequence numbers of everything a filter finds, newest first, at most `limit`. */
export async function selectDeliveries(tx: Tx, filter: DeliveryFilter, limit: number): Promise<number[]> {
  const rows = await filtered(tx, filter).select('seq').orderBy('seq', 'desc').limit(limit).execute();
  return rows.map((row) => row.seq);
}

/** The attempts of a delivery, the first one first, without the bodies of the requests. */
export async function attemptsOf(db: Db, deliverySeq: number): Promise<Omit<AttemptRow, 'request_body'>[]> {
  return db
    .selectFrom('webhook_attempts')
    .select([
      'seq',
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
    ])
    .where('delivery_seq', '=', deliverySeq)
    .orderBy('number')
    .execute();
}

/** The stored body of an attempt: its own, or that of an earlier attempt that sent the same bytes. */
export async function attemptBody(
  db: Db,
  deliverySeq: number,
  sha256: string,
): Promise<Pick<AttemptRow, 'request_body' | 'request_body_encoding'> | undefined> {
  return db
    .selectFrom('webhook_attempts')
    .select(['request_body', 'request_body_encoding'])
    .where('delivery_seq', '=', deliverySeq)
    .where('request_body_sha256', '=', sha256)
    .where('request_body', 'is not', null)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
}

/** How many deliveries are in each status, each counted up to `ceiling` so that the answer stays cheap. */
export async function countDeliveries(db: Db, ceiling: number): Promise<Record<DeliveryStatus, number>> {
  const count = async (status: DeliveryStatus): Promise<number> => {
    const some = db.selectFrom('webhook_deliveries').select('seq').where('status', '=', status).limit(ceiling).as('s');
    const row = await db
      .selectFrom(some)
      .select((is) => is.fn.countAll<number>().as('deliveries'))
      .executeTakeFirstOrThrow();
    return Number(row.deliveries);
  };
  return {
    pending: await count('pending'),
    delivered: await count('delivered'),
    exhausted: await count('exhausted'),
    cancelled: await count('cancelled'),
  };
}
