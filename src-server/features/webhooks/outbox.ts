import { toIsoTime } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { DAY_MS } from '../../platform/units.ts';
import { type DueDelivery, insertDeliveries, type NewDeliveryRow } from './delivery-store.ts';
import type { EndedJob, JobEvent } from './schema.ts';
import { type WebhookRow, webhooksOfJob } from './store.ts';
import { wakeQueue } from './store-queues.ts';

/** Writes the deliveries of a job's end, in the transaction of that end. Gives back how many there are. */
export function enqueueForJob(tx: Tx, job: EndedJob, now: number): number {
  const webhooks = webhooksOfJob(tx, job, job.event);
  enqueue(tx, webhooks, job, now);
  return webhooks.length;
}

/** A webhook that was registered after the job's end gets its delivery at once. */
export function enqueueForWebhook(tx: Tx, webhook: WebhookRow, job: EndedJob, now: number): void {
  const wanted = job.event === 'job.completed' ? webhook.on_completed : webhook.on_failed;
  if (wanted === 1) enqueue(tx, [webhook], job, now);
}

function enqueue(tx: Tx, webhooks: readonly WebhookRow[], job: EndedJob, now: number): void {
  const occasion = { kind: 'job', jobId: job.id, event: job.event } as const;
  const rows = webhooks.map((webhook) => newDelivery(webhook, occasion, job.endedAt, now));
  insertDeliveries(tx, rows);
  for (const queueId of new Set(webhooks.map((webhook) => webhook.lane_id))) wakeQueue(tx, queueId, now);
}

/** A delivery of a made-up job, sent like any other. Gives back its id. */
export function enqueueTest(tx: Tx, webhook: WebhookRow, event: JobEvent, now: number): string {
  const row = newDelivery(webhook, { kind: 'test', jobId: newId('job'), event }, now, now);
  insertDeliveries(tx, [row]);
  wakeQueue(tx, webhook.lane_id, now);
  return row.id;
}

interface Occasion {
  kind: 'job' | 'test';
  jobId: string;
  event: JobEvent;
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

/** Where the job of a test event would be; the name cannot be resolved, so nobody polls it by mistake. */
const TEST_STATUS_URL = 'https://quarry.invalid/v1/jobs';

/** The job object of a test event: of the true shape, the same at every attempt, and marked in `result` or `error`. */
export function testPayload(delivery: Pick<DueDelivery, 'job_id' | 'event' | 'created_at'>): Record<string, unknown> {
  const at = toIsoTime(delivery.created_at);
  const completed = delivery.event === 'job.completed';
  const message = 'This is a test event from Quarry.';
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
    ...(completed ? {} : { error: { code: 'cancelled', message, retryable: false, attempts: 0 } }),
  };
}
