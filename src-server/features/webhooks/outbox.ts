/**
 * Fills the outbox: deliveries, and the endpoint queues they are in. A queue (table `webhook_lanes`) holds the
 * deliveries of one account-level webhook, or of all job-level webhooks of an account with the same URL.
 */

import { sql } from 'kysely';
import { toIsoTime } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { prepareQuery } from '../../platform/db/prepared.ts';
import { newId } from '../../platform/ids.ts';
import { DAY_MS } from '../../platform/units.ts';
import { type DueDelivery, insertDeliveries, type NewDeliveryRow } from './delivery-store.ts';
import { type AccountEvent, type AlertOccasion, BATCH_EVENT, type EndedJob } from './schema.ts';
import { EVENT_FLAGS, jobWebhooks, type WebhookRow, webhooksOfAlerts, webhooksOfJob } from './store.ts';

/** Writes the deliveries of the end of a job, in the same transaction. */
export function enqueueForJob(tx: Tx, job: EndedJob, now: number): void {
  for (const event of job.events) enqueueJobEvent(tx, webhooksOfJob(tx, job, event), { ...job, event }, now);
}

/** Delivers to a webhook that was registered after the end of the job. */
export function enqueueForWebhook(tx: Tx, webhook: WebhookRow, job: EndedJob, now: number): void {
  for (const event of job.events) {
    if (webhook[EVENT_FLAGS[event]] === 1) enqueueJobEvent(tx, [webhook], { ...job, event }, now);
  }
}

/** Delivers the end of a batch to the webhooks that were registered on it. */
export function enqueueForBatch(tx: Tx, batch: { id: string; endedAt: number }, now: number): void {
  const webhooks = jobWebhooks(tx, batch.id).filter(({ status }) => status !== 'disabled');
  enqueueJobEvent(tx, webhooks, { ...batch, event: BATCH_EVENT }, now);
}

/** Delivers an alert to the owner. Its deliveries name it in place of a job. */
export function enqueueForAlert(tx: Tx, ownerId: string, occasion: AlertOccasion, now: number): void {
  const { alertId: id, event, at: endedAt, exceptWebhookId } = occasion;
  const webhooks = webhooksOfAlerts(tx, ownerId, event).filter((webhook) => webhook.id !== exceptWebhookId);
  enqueueJobEvent(tx, webhooks, { id, event, endedAt }, now);
}

interface EventOfJob extends Pick<EndedJob, 'id' | 'endedAt'> {
  event: DeliveryEvent;
}

type DeliveryEvent = AccountEvent | typeof BATCH_EVENT;

function enqueueJobEvent(tx: Tx, webhooks: readonly WebhookRow[], job: EventOfJob, now: number): void {
  const occasion = { kind: 'job', jobId: job.id, event: job.event } as const;
  const rows = webhooks.map((webhook) => newDelivery(webhook, occasion, job.endedAt, now));
  insertDeliveries(tx, rows);
  for (const queueId of new Set(webhooks.map((webhook) => webhook.lane_id))) wakeQueue(tx, queueId, now);
}

/** Delivers a sample job. Returns the id of the delivery. */
export function enqueueTest(tx: Tx, webhook: WebhookRow, event: AccountEvent, now: number): string {
  const row = newDelivery(webhook, { kind: 'test', jobId: newId('job'), event }, now, now);
  insertDeliveries(tx, [row]);
  wakeQueue(tx, webhook.lane_id, now);
  return row.id;
}

interface Occasion {
  kind: 'job' | 'test';
  jobId: string;
  event: DeliveryEvent;
}

function newDelivery(webhook: WebhookRow, occasion: Occasion, endedAt: number, now: number): NewDeliveryRow {
  return {
    id: newId('dlv'),
    webhook_id: webhook.id,
    lane_id: webhook.lane_id,
    account_id: webhook.account_id,
    kind: occasion.kind,
    job_id: occasion.jobId,
    event: occasion.event,
    job_ended_at: endedAt,
    status: 'pending',
    attempts: 0,
    tries: 0,
    manual: 0,
    next_attempt_at: now,
    last_response_status: null,
    last_error_class: null,
    body_sha256: null,
    created_at: now,
    updated_at: now,
  };
}

/** A name that cannot be resolved: the job of a test event does not exist. */
const TEST_STATUS_URL = 'https://quarry.invalid/v1/jobs';

/** The job object of a test event: has the shape of any other, is the same at every attempt, and says what it is. */
export function testPayload(delivery: Pick<DueDelivery, 'job_id' | 'event' | 'created_at'>): Record<string, unknown> {
  const at = toIsoTime(delivery.created_at);
  const completed = delivery.event !== 'job.failed';
  const message = 'This is a test event from Quarry.';
  if (delivery.event.startsWith('alert.')) return testAlert(delivery, at, message);
  return {
    jobId: delivery.job_id,
    jobType: 'webhooks',
    status: completed ? 'completed' : 'failed',
    createdAt: at,
    updatedAt: at,
    statusUrl: `${TEST_STATUS_URL}/${delivery.job_id}`,
    result: completed ? { test: true, message } : null,
    events: ['job.completed', 'job.failed'],
    progress: { percent: completed ? 100 : 0, stage: completed ? 'completed' : 'failed', message },
    expiresAt: toIsoTime(delivery.created_at + DAY_MS),
    error: completed ? undefined : { code: 'cancelled', message, retryable: false, attempts: 0 },
  };
}

function testAlert({ job_id: alertId, event }: Pick<DueDelivery, 'job_id' | 'event'>, at: string, message: string) {
  const isCleared = event === 'alert.cleared';
  return {
    alertId,
    environment: 'production',
    kind: 'disk-low',
    subject: 'test',
    status: isCleared ? 'cleared' : 'open',
    title: 'Test',
    message,
    page: '/webhooks',
    waitingJobs: 0,
    jobId: null,
    install: null,
    installing: false,
    raisedAt: at,
    updatedAt: at,
    clearedAt: isCleared ? at : null,
  };
}

/** A literal: SQLite cannot match a parameter with the condition of a partial index. */
const NOT_HELD = sql.lit(0);

const DUE_QUEUES = prepareQuery<{ now: number; limit: number }>()((db, value) =>
  db
    .selectFrom('webhook_lanes')
    .select('id')
    .where('held', '=', NOT_HELD)
    .where('next_due_at', 'is not', null)
    .where('next_due_at', '<=', value('now'))
    .orderBy('next_due_at')
    .limit(value('limit')),
);

/** The queues that are due, the longest waiting first. */
export function dueQueues(db: Db, now: number, limit: number): string[] {
  return db.queryAll(DUE_QUEUES({ now, limit })).map((row) => row.id);
}

const WAKE = prepareQuery<{ queueId: string; dueAt: number }>()((db, value) =>
  db
    .insertInto('webhook_lanes')
    .values({ id: value('queueId'), next_due_at: value('dueAt'), held: 0 })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ next_due_at: value('dueAt') })
        .where((or) =>
          or.or([or('webhook_lanes.next_due_at', 'is', null), or('webhook_lanes.next_due_at', '>', value('dueAt'))]),
        ),
    ),
);

/** Makes a queue due at `dueAt`, unless it is due earlier. */
export function wakeQueue(tx: Tx, queueId: string, dueAt: number): void {
  tx.runStatement(WAKE({ queueId, dueAt }));
}

const SCHEDULE = prepareQuery<{ queueId: string; dueAt: number | null }>()((db, value) =>
  db
    .updateTable('webhook_lanes')
    .set({ next_due_at: value('dueAt') })
    .where('id', '=', value('queueId')),
);

/** Sets when a queue is due next; null when nothing waits in it. */
export function scheduleQueue(tx: Tx, queueId: string, dueAt: number | null): void {
  tx.runStatement(SCHEDULE({ queueId, dueAt }));
}

/** Makes every queue that waits for a later time due now. */
export function wakeAllQueues(tx: Tx, now: number): void {
  tx.runStatement(tx.updateTable('webhook_lanes').set({ next_due_at: now }).where('next_due_at', '>', now));
}

/** Stops or resumes a queue. */
export function holdQueue(tx: Tx, queueId: string, isHeld: boolean): void {
  const held = isHeld ? 1 : 0;
  tx.runStatement(
    tx
      .insertInto('webhook_lanes')
      .values({ id: queueId, next_due_at: null, held })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ held })),
  );
}

/** Deletes queues in which nothing waits; the next delivery creates its queue again. */
export function deleteIdleQueues(tx: Tx): void {
  tx.runStatement(tx.deleteFrom('webhook_lanes').where('next_due_at', 'is', null).where('held', '=', 0));
}
