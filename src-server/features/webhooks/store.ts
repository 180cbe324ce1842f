import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { prepareQuery } from '../../platform/db/prepared.ts';
import { HOUR_MS } from '../../platform/units.ts';
import type { AccountEvent, AlertEvent, DayOfEndpoint, DeliveryStatus, JobEvent } from './schema.ts';

export type WebhookRow = Selectable<WebhooksTable>;

/** An account's own webhooks, oldest first, deleted ones left out. */
export function accountWebhooks(db: Db, accountId: string, limit: number): WebhookRow[] {
  return db.queryAll(
    db
      .selectFrom('webhooks')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('job_id', 'is', null)
      .where('deleted_at', 'is', null)
      .orderBy('seq')
      .limit(limit),
  );
}

/** A webhook of any account that was not deleted. */
export function webhookById(db: Db, id: string): WebhookRow | undefined {
  return db.queryFirst(db.selectFrom('webhooks').selectAll().where('id', '=', id).where('deleted_at', 'is', null));
}

/** Webhooks of one account or key for the same target: on a job, or (`jobId` null) on the account. */
export function webhooksForTarget(
  db: Db,
  target: { accountId: string; keyId: string | null; jobId: string | null; url: string },
): WebhookRow[] {
  return db.queryAll(
    db
      .selectFrom('webhooks')
      .selectAll()
      .where('account_id', '=', target.accountId)
      .where('job_id', target.jobId === null ? 'is' : '=', target.jobId)
      .where('url', '=', target.url)
      .where('key_id', 'is', target.keyId)
      .where('deleted_at', 'is', null)
      .orderBy('seq'),
  );
}

/** The account-level webhooks of an account. */
export function countAccountWebhooks(db: Db, accountId: string): number {
  const made = db.queryOne(
    db
      .selectFrom('webhooks')
      .select((is) => is.fn.countAll<number>().as('webhooks'))
      .where('account_id', '=', accountId)
      .where('job_id', 'is', null)
      .where('deleted_at', 'is', null),
  );
  return Number(made.webhooks);
}

/** The column of each event. */
export const EVENT_FLAGS = {
  'job.completed': 'on_completed',
  'job.failed': 'on_failed',
  'crawl.changed': 'on_changed',
  'alert.raised': 'on_alert_raised',
  'alert.cleared': 'on_alert_cleared',
} as const satisfies Record<AccountEvent, keyof WebhooksTable>;

export function jobWebhooks(db: Db, jobId: string): WebhookRow[] {
  return db.queryAll(db.selectFrom('webhooks').selectAll().where('job_id', '=', jobId).orderBy('seq'));
}

const enabledOfJob = prepareQuery<{ jobId: string }>()((db, of) =>
  db.selectFrom('webhooks').selectAll().where('job_id', '=', of('jobId')).where('status', '!=', 'disabled'),
);

const enabledOfAccount = prepareQuery<{ accountId: string }>()((db, of) =>
  db
    .selectFrom('webhooks')
    .selectAll()
    .where('account_id', '=', of('accountId'))
    .where('job_id', 'is', null)
    .where('deleted_at', 'is', null)
    .where('status', '!=', 'disabled'),
);

/** The webhooks that the end of a job concerns: of the job and of its account, paused ones too, disabled ones not. */
export function webhooksOfJob(db: Db, job: { id: string; accountId: string }, event?: JobEvent): WebhookRow[] {
  const webhooks = [...db.queryAll(enabledOfJob({ jobId: job.id })), ...db.queryAll(enabledOfAccount(job))];
  return event === undefined ? webhooks : webhooks.filter((webhook) => webhook[EVENT_FLAGS[event]] === 1);
}

/** The owner's account-level webhooks that hear of alerts, paused ones too, disabled ones not. */
export function webhooksOfAlerts(db: Db, ownerId: string, event: AlertEvent): WebhookRow[] {
  return db.queryAll(
    db
      .selectFrom('webhooks')
      .selectAll()
      .where('account_id', '=', ownerId)
      .where('job_id', 'is', null)
      .where('deleted_at', 'is', null)
      .where('status', '!=', 'disabled')
      .where(EVENT_FLAGS[event], '=', 1),
  );
}

/**
 * The account-level webhooks of all accounts, newest first. They are few among the job-level webhooks: the plus sign
 * keeps SQLite from scanning those in the order of the table.
 */
export function listEndpoints(db: Db, before: number | null, limit: number): WebhookRow[] {
  const seq = sql<number>`+${sql.ref('seq')}`;
  let query = db.selectFrom('webhooks').selectAll().where('job_id', 'is', null).where('deleted_at', 'is', null);
  if (before !== null) query = query.where(seq, '<', before);
  return db.queryAll(query.orderBy(seq, 'desc').limit(limit));
}

/** Deliveries of an endpoint that its day counts: a list of endpoints stays quick while one of them is flooded. */
const COUNTED_DELIVERIES = 500;

const DAY_HOURS = 24;

const hoursOf = prepareQuery<{ webhookId: string; since: number }>()((db, take) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('webhook_deliveries')
        .select(['created_at', 'status', 'attempts'])
        .where('webhook_id', '=', take('webhookId'))
        .orderBy('seq', 'desc')
        .limit(COUNTED_DELIVERIES)
        .as('newest'),
    )
    .select([
      sql<number>`min(
        cast((created_at - ${take('since')}) / ${sql.lit(HOUR_MS)} as integer),
        ${sql.lit(DAY_HOURS - 1)}
      )`.as('hour'),
      sql<number>`sum(status = 'delivered')`.as('delivered'),
      sql<number>`sum(status = 'exhausted' or (status = 'pending' and attempts > 0))`.as('failed'),
    ])
    .where('created_at', '>=', take('since'))
    .groupBy('hour'),
);

/** What came of the newest deliveries of an endpoint in the last 24 hours, by hour. */
export function dayOfEndpoint(db: Db, webhookId: string, now: number): DayOfEndpoint {
  const since = now - DAY_HOURS * HOUR_MS;
  const rows = db.queryAll(hoursOf({ webhookId, since }));
  const hours = Array.from({ length: DAY_HOURS }, (_, hour) => {
    const { delivered = 0, failed = 0 } = rows.find((row) => row.hour === hour) ?? {};
    return { delivered, failed };
  });
  const totalOfHours = (kind: 'delivered' | 'failed') => hours.reduce((sum, hour) => sum + hour[kind], 0);
  return { delivered: totalOfHours('delivered'), failed: totalOfHours('failed'), hours };
}

type NewWebhookRow = Omit<Insertable<WebhooksTable>, 'seq'>;

export type WebhookChange = Omit<Updateable<WebhooksTable>, 'seq' | 'id' | 'updated_at'>;

export function insertWebhook(tx: Tx, row: NewWebhookRow): WebhookRow {
  return tx.queryOne(tx.insertInto('webhooks').values(row).returningAll());
}

/** A change by the owner: sets `updated_at`. */
export function changeWebhook(tx: Tx, id: string, change: WebhookChange, now: number): WebhookRow {
  return tx.queryOne(
    tx
      .updateTable('webhooks')
      .set({ ...change, updated_at: now })
      .where('id', '=', id)
      .returningAll(),
  );
}

/** Deletes the webhooks of a job that is deleted. */
export function deleteJobWebhooks(tx: Tx, jobId: string): void {
  tx.runStatement(tx.deleteFrom('webhooks').where('job_id', '=', jobId));
}

/** Deletes the rows of deleted webhooks whose deliveries are gone. */
export function deleteForgottenWebhooks(tx: Tx, deletedBefore: number): void {
  tx.runStatement(tx.deleteFrom('webhooks').where('deleted_at', '<', deletedBefore));
}

/** Deletes previous secrets that have expired. */
export function wipeExpiredSecrets(tx: Tx, now: number): void {
  tx.runStatement(
    tx
      .updateTable('webhooks')
      .set({ previous_secret: null, previous_secret_expires_at: null })
      .where('previous_secret_expires_at', '<=', now),
  );
}

/** A subscription: of an account (`job_id` null) or of one job. */
export interface WebhooksTable {
  seq: Generated<number>;
  id: string;
  /** The account that registered it: decides which targets are allowed, also for a job of another account. */
  account_id: string;
  job_id: string | null;
  /** The key that made it; null for the owner and other accounts. */
  key_id: string | null;
  key_name: string | null;
  /** Null when none was given. */
  name: string | null;
  url: string;
  on_completed: number;
  on_failed: number;
  on_changed: number;
  on_alert_raised: Generated<number>;
  on_alert_cleared: Generated<number>;
  secret: string | null;
  /** The secret before a rotation: signs as well until it expires. */
  previous_secret: string | null;
  previous_secret_expires_at: number | null;
  /** SHA-256 of the secret, empty without one: makes target and secret unique in an index. */
  secret_mark: string;
  status: 'active' | 'paused' | 'disabled';
  /** Why it was disabled, as a sentence for its owner. */
  notice: string | null;
  lane_id: string;
  /** First failed attempt since the last success. */
  failing_since: number | null;
  /** Failed attempts since the last success. */
  failures: Generated<number>;
  last_delivery_id: string | null;
  last_delivery_status: DeliveryStatus | null;
  last_response_status: number | null;
  last_attempt_at: number | null;
  created_at: number;
  updated_at: number;
  /** Kept for the delivery log until its deliveries go; its secrets are wiped at once. */
  deleted_at: number | null;
}

/** Deliveries to one endpoint: an account-level webhook, or all job-level webhooks of an account with the same URL. */
interface WebhookQueuesTable {
  id: string;
  /** When the queue is due; null when nothing waits in it. */
  next_due_at: number | null;
  /** 1 while its webhook is paused or disabled. */
  held: number;
}

/** The outbox: one row per (webhook, job, transition to terminal), written with the transition. */
export interface WebhookDeliveriesTable {
  seq: Generated<number>;
  /** `dlv_…`: the `webhook-id` of every attempt. */
  id: string;
  webhook_id: string;
  lane_id: string;
  account_id: string;
  kind: 'job' | 'test';
  job_id: string;
  event: string;
  /** When the job reached the terminal state that this delivery reports. */
  job_ended_at: number;
  status: DeliveryStatus;
  /** All attempts so far. */
  attempts: number;
  /** Attempts of the current run through the schedule; a redelivery starts a new one. */
  tries: number;
  /** 1 after a redelivery by hand: its failures do not count against the webhook. */
  manual: number;
  /** When the next attempt is due; null when nothing is to be tried. */
  next_attempt_at: number | null;
  last_response_status: number | null;
  last_error_class: string | null;
  /** SHA-256 of the body sent last. */
  body_sha256: string | null;
  created_at: number;
  updated_at: number;
}

export interface WebhookAttemptsTable {
  seq: Generated<number>;
  /** By number, not by id: attempts of the same time then lie side by side in the index. */
  delivery_seq: number;
  number: number;
  manual: number;
  url: string;
  started_at: number;
  duration_ms: number;
  /** JSON: what the other columns do not say. */
  request_headers: string;
  request_body_sha256: string;
  request_body_bytes: number;
  /** The exact bytes, deflated where that is shorter; null when an earlier attempt sent the same, or when too long. */
  request_body: Uint8Array | null;
  request_body_encoding: 'identity' | 'deflate' | null;
  response_status: number | null;
  /** JSON object. */
  response_headers: string | null;
  response_body: Uint8Array | null;
  response_truncated: number;
  error_class: string | null;
  error_message: string | null;
  next_attempt_at: number | null;
}

/** A frozen selection of deliveries: a preview counts it, and its confirmation sends it again. */
export interface WebhookSelectionsTable {
  id: string;
  /** JSON of the filter. */
  filter: string;
  deliveries: number;
  created_at: number;
  expires_at: number;
  applied_at: number | null;
}

interface WebhookSelectionItemsTable {
  selection_id: string;
  delivery_seq: number;
}

/** A built-in receiver for tests by hand. Its unguessable name is the right to post to it. */
interface WebhookInboxesTable {
  seq: Generated<number>;
  name: string;
  label: string;
  secret: string | null;
  /** JSON: how it answers. */
  behaviour: string;
  created_at: number;
}

interface WebhookInboxMessagesTable {
  seq: Generated<number>;
  inbox_name: string;
  received_at: number;
  headers: string;
  body: Uint8Array;
  body_bytes: number;
  /** JSON: whether the signatures are right, and why not. */
  verdict: string;
  answer: string;
}

export type InboxRow = Selectable<WebhookInboxesTable>;

export type InboxMessageRow = Selectable<WebhookInboxMessagesTable>;

export function listInboxes(db: Db, limit: number): InboxRow[] {
  return db.queryAll(db.selectFrom('webhook_inboxes').selectAll().orderBy('seq', 'desc').limit(limit));
}

export function inboxByName(db: Db, name: string): InboxRow | undefined {
  return db.queryFirst(db.selectFrom('webhook_inboxes').selectAll().where('name', '=', name));
}

/** One page of messages, newest first. `before` is the `seq` of the last row of the previous page. */
export function inboxMessages(db: Db, name: string, before: number | null, limit: number): InboxMessageRow[] {
  let query = db.selectFrom('webhook_inbox_messages').selectAll().where('inbox_name', '=', name);
  if (before !== null) query = query.where('seq', '<', before);
  return db.queryAll(query.orderBy('seq', 'desc').limit(limit));
}

export function insertInbox(tx: Tx, row: Omit<Insertable<WebhookInboxesTable>, 'seq'>): InboxRow {
  return tx.queryOne(tx.insertInto('webhook_inboxes').values(row).returningAll());
}

export function changeInbox(
  tx: Tx,
  name: string,
  change: Partial<Pick<InboxRow, 'label' | 'secret' | 'behaviour'>>,
): InboxRow {
  const query = tx.updateTable('webhook_inboxes').set(change).where('name', '=', name);
  return tx.queryOne(query.returningAll());
}

export function deleteInbox(tx: Tx, name: string): void {
  tx.runStatement(tx.deleteFrom('webhook_inbox_messages').where('inbox_name', '=', name));
  tx.runStatement(tx.deleteFrom('webhook_inboxes').where('name', '=', name));
}

/** Adds a message and deletes the oldest beyond `keep`. */
export function insertInboxMessage(
  tx: Tx,
  row: Omit<Insertable<WebhookInboxMessagesTable>, 'seq'>,
  keep: number,
): void {
  tx.runStatement(tx.insertInto('webhook_inbox_messages').values(row));
  const last = tx.queryFirst(
    tx
      .selectFrom('webhook_inbox_messages')
      .select('seq')
      .where('inbox_name', '=', row.inbox_name)
      .orderBy('seq', 'desc')
      .offset(keep)
      .limit(1),
  );
  if (last === undefined) return;
  tx.runStatement(
    tx.deleteFrom('webhook_inbox_messages').where('inbox_name', '=', row.inbox_name).where('seq', '<=', last.seq),
  );
}

declare module '../../platform/db/database.ts' {
  interface Database {
    webhooks: WebhooksTable;
    webhook_lanes: WebhookQueuesTable;
    webhook_deliveries: WebhookDeliveriesTable;
    webhook_attempts: WebhookAttemptsTable;
    webhook_selections: WebhookSelectionsTable;
    webhook_selection_items: WebhookSelectionItemsTable;
    webhook_inboxes: WebhookInboxesTable;
    webhook_inbox_messages: WebhookInboxMessagesTable;
  }
}
