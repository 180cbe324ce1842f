import { createHash } from 'node:crypto';
import {
  isTerminal,
  JOB_EVENTS,
  type JobEvent,
  normalizeEvents,
  type SubscriptionDraft,
} from '../../contract/index.ts';
import type { Tx } from '../../platform/db/schema.ts';
import { newId } from '../../platform/ids.ts';
import { type JobRow, jobById } from '../jobs/store.ts';
import { enqueueForWebhook } from './outbox.ts';
import { type WebhookRow, webhookById, webhooksForTarget, webhooksOfJob } from './store.ts';
import { holdLane } from './store-lanes.ts';
import { changeEventsOfOpenJobs, changeWebhook, insertWebhook, type WebhookChange } from './webhooks-writer.ts';

export interface Registration {
  id: string;
  accountId: string;
  /** Null for an account-level webhook. */
  jobId: string | null;
  jobHasEnded: boolean;
  draft: SubscriptionDraft;
}

/** `whk_…` of the webhook that a `webhooks` job makes: the same at every run of it, and as hard to guess as its id. */
export function webhookIdOfJob(jobId: string): string {
  return `whk_${createHash('sha256').update(`webhook of ${jobId}`).digest('base64url').slice(0, 27)}`;
}

/**
 * Registers a target once: the same account, job and URL again adds its events to the webhook there is. A second secret
 * makes a second webhook, since a receiver that checks the first one would refuse deliveries signed with the other.
 */
export async function register(tx: Tx, registration: Registration, now: number): Promise<WebhookRow> {
  const made = await webhookById(tx, registration.id);
  if (made) return made;
  const { url, secret } = registration.draft;
  const known = await webhooksForTarget(tx, { ...registration, url });
  const same = known.find((webhook) => webhook.secret === secret);
  const match = same ?? (secret === null ? known[0] : upgradable(known, registration));
  return match ? merge(tx, match, registration.draft, now) : insert(tx, registration, now);
}

/**
 * One without a secret takes the one that is given, unless its job has ended: its call was made unsigned, and would not
 * be made again.
 */
function upgradable(known: readonly WebhookRow[], { jobHasEnded }: Registration): WebhookRow | undefined {
  return jobHasEnded ? undefined : known.find((webhook) => webhook.secret === null);
}

async function merge(tx: Tx, webhook: WebhookRow, draft: SubscriptionDraft, now: number): Promise<WebhookRow> {
  const events = normalizeEvents(draft.events);
  const change: WebhookChange = {
    ...eventFlags([...eventsOf(webhook), ...events]),
    ...secretColumns(draft.secret ?? webhook.secret),
    status: 'active',
    notice: null,
    failing_since: webhook.status === 'disabled' ? null : webhook.failing_since,
  };
  if (webhook.status !== 'active') await holdLane(tx, webhook.lane_id, false);
  return changeWebhook(tx, webhook.id, change, now);
}

async function insert(tx: Tx, { id, accountId, jobId, draft }: Registration, now: number): Promise<WebhookRow> {
  return insertWebhook(tx, {
    id,
    account_id: accountId,
    job_id: jobId,
    url: draft.url,
    ...eventFlags(normalizeEvents(draft.events)),
    ...secretColumns(draft.secret),
    previous_secret: null,
    previous_secret_expires_at: null,
    status: 'active',
    notice: null,
    lane_id: jobId === null ? id : sharedLaneId(accountId, draft.url),
    failing_since: null,
    last_delivery_id: null,
    last_delivery_status: null,
    last_response_status: null,
    last_attempt_at: null,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  });
}

/** All job-level webhooks of an account with one URL share a lane: they share its fate. */
function sharedLaneId(accountId: string, url: string): string {
  return `lane_${createHash('sha256').update(`${accountId} ${url}`).digest('base64url').slice(0, 27)}`;
}

export function eventFlags(events: readonly JobEvent[]): { on_completed: number; on_failed: number } {
  return { on_completed: events.includes('job.completed') ? 1 : 0, on_failed: events.includes('job.failed') ? 1 : 0 };
}

export function eventsOf(webhook: Pick<WebhookRow, 'on_completed' | 'on_failed'>): JobEvent[] {
  return JOB_EVENTS.filter((event) => (event === 'job.completed' ? webhook.on_completed : webhook.on_failed) === 1);
}

export function secretColumns(secret: string | null): { secret: string | null; secret_mark: string } {
  return { secret, secret_mark: secret === null ? '' : createHash('sha256').update(secret).digest('hex') };
}

/**
 * Registers the targets of a request on its job and gives back the events somebody is subscribed to on it. On a job
 * that ended before (a crawl that is reused), what is new is delivered at once.
 */
export async function subscribe(
  tx: Tx,
  job: { id: string; accountId: string },
  drafts: readonly SubscriptionDraft[],
  now: number,
): Promise<JobEvent[]> {
  if (drafts.length > 0) {
    const row = await jobById(tx, job.id);
    if (row === undefined) throw new Error('A subscription names a job that is not there.');
    for (const draft of drafts) await registerOnJob(tx, row, job.accountId, draft, now);
  }
  return subscribedEvents(tx, job);
}

/** `accountId` is who registers: not always the job's account. */
export async function registerOnJob(
  tx: Tx,
  job: JobRow,
  accountId: string,
  draft: SubscriptionDraft,
  now: number,
): Promise<WebhookRow> {
  const jobHasEnded = isTerminal(job.status);
  const webhook = await register(tx, { id: newId('whk'), accountId, jobId: job.id, jobHasEnded, draft }, now);
  if (jobHasEnded && job.ended_at !== null) {
    const ended = { id: job.id, accountId: job.account_id, status: job.status, endedAt: job.ended_at };
    await enqueueForWebhook(tx, webhook, ended, now);
  }
  return webhook;
}

export async function subscribedEvents(tx: Tx, job: { id: string; accountId: string }): Promise<JobEvent[]> {
  const events = new Set((await webhooksOfJob(tx, job)).flatMap(eventsOf));
  return JOB_EVENTS.filter((event) => events.has(event));
}

/** What an account-level webhook asks for is asked of the jobs under way as well: they say so from then on. */
export async function subscribeOpenJobs(tx: Tx, webhook: WebhookRow): Promise<void> {
  if (webhook.status === 'disabled') return;
  const added = eventsOf(webhook);
  for (const some of [[], ...JOB_EVENTS.map((event) => [event])]) {
    const all = JOB_EVENTS.filter((event) => some.includes(event) || added.includes(event));
    if (all.length === some.length) continue;
    await changeEventsOfOpenJobs(tx, webhook.account_id, { from: JSON.stringify(some), to: JSON.stringify(all) });
  }
}
