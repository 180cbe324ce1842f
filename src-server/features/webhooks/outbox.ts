import { isTerminal, type JobEvent, type JobStatus } from '../../contract/index.ts';
import type { Tx } from '../../platform/db/schema.ts';
import { newId } from '../../platform/ids.ts';
import { type WebhookRow, webhooksOfJob } from './store.ts';
import { wakeLane } from './store-lanes.ts';
import { insertDeliveries, type NewDeliveryRow } from './webhooks-outbox-writer.ts';

/** A job that has ended, as the outbox needs to know it. */
export interface TerminalJob {
  id: string;
  accountId: string;
  status: JobStatus;
  /** Milliseconds; tells two ends of one job apart (a failed job can be resumed). */
  endedAt: number;
}

export function eventOf(status: JobStatus): JobEvent {
  if (!isTerminal(status)) throw new Error(`A job that is ${status} has no event.`);
  return status === 'completed' ? 'job.completed' : 'job.failed';
}

/** Writes the deliveries of a job's end, in the transaction of that end. Gives back how many there are. */
export async function enqueueForJob(tx: Tx, job: TerminalJob, now: number): Promise<number> {
  const webhooks = await webhooksOfJob(tx, job, eventOf(job.status));
  await enqueue(tx, webhooks, job, now);
  return webhooks.length;
}

/** A webhook that was registered after the job's end gets its delivery at once. */
export async function enqueueForWebhook(tx: Tx, webhook: WebhookRow, job: TerminalJob, now: number): Promise<void> {
  const wanted = eventOf(job.status) === 'job.completed' ? webhook.on_completed : webhook.on_failed;
  if (wanted === 1) await enqueue(tx, [webhook], job, now);
}

async function enqueue(tx: Tx, webhooks: readonly WebhookRow[], job: TerminalJob, now: number): Promise<void> {
  const event = eventOf(job.status);
  const rows = webhooks.map((webhook) => newDelivery(webhook, { kind: 'job', jobId: job.id, event }, job.endedAt, now));
  await insertDeliveries(tx, rows);
  for (const laneId of new Set(webhooks.map((webhook) => webhook.lane_id))) await wakeLane(tx, laneId, now);
}

/** A delivery of a made-up job, sent like any other. Gives back its id. */
export async function enqueueTest(tx: Tx, webhook: WebhookRow, event: JobEvent, now: number): Promise<string> {
  const row = newDelivery(webhook, { kind: 'test', jobId: newId('job'), event }, now, now);
  await insertDeliveries(tx, [row]);
  await wakeLane(tx, webhook.lane_id, now);
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
