import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/schema.ts';
import { ATTEMPT_FACTS } from './delivery-store.ts';
import type { WebhookRow } from './store.ts';
import type { DeliveryStatus, WebhookAttemptsTable, WebhookDeliveriesTable } from './webhooks-tables.ts';

export type DeliveryRow = Selectable<WebhookDeliveriesTable>;
export type AttemptRow = Selectable<WebhookAttemptsTable>;

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  webhookId?: string | undefined;
  jobId?: string | undefined;
  event?: string | undefined;
  /** How the address that is called begins. Nothing seeks by it: ask for a slice of the outbox at a time. */
  url?: string | undefined;
  /** Created at or after, and before: milliseconds. */
  since?: number | undefined;
  until?: number | undefined;
}

/** The deliveries that a filter finds, for a query to go on with. */
export function filteredDeliveries(db: Db | Tx, filter: DeliveryFilter) {
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

/** With what its webhook is now; nulls when that is gone. */
export type ListedDelivery = DeliveryRow & { url: string | null; webhook_status: WebhookRow['status'] | null };

/** One page, newest first, of what lies before a sequence number, and perhaps from another one on. */
export async function listDeliveries(
  db: Db,
  filter: DeliveryFilter,
  { before, from = null }: { before: number | null; from?: number | null },
  limit: number,
): Promise<ListedDelivery[]> {
  let page = filteredDeliveries(db, filter).selectAll();
  if (before !== null) page = page.where('seq', '<', before);
  if (from !== null) page = page.where('seq', '>=', from);
  return db
    .selectFrom(page.orderBy('seq', 'desc').limit(limit).as('d'))
    .leftJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .selectAll('d')
    .select(['w.url', 'w.status as webhook_status'])
    .orderBy('d.seq', 'desc')
    .execute();
}

export async function deliveryById(db: Db | Tx, id: string): Promise<ListedDelivery | undefined> {
  return db
    .selectFrom('webhook_deliveries as d')
    .leftJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .selectAll('d')
    .select(['w.url', 'w.status as webhook_status'])
    .where('d.id', '=', id)
    .executeTakeFirst();
}

/** The attempts of a delivery, the first one first, without the bodies of the requests. */
export async function attemptsOf(db: Db, deliverySeq: number): Promise<Omit<AttemptRow, 'request_body'>[]> {
  return db
    .selectFrom('webhook_attempts')
    .select(['seq', ...ATTEMPT_FACTS])
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
