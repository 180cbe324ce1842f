import { createHash } from 'node:crypto';
import { type KeyIdentity, type KeyMark, OWNER } from '../../context.ts';
import { toIsoTime } from '../../platform/clock.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type FieldError, QuarryError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { namesPrivateHost } from '../../platform/net/address-policy.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { type Said, say, tell } from '../../platform/text/say.ts';
import { DAY_MS, SECOND_MS } from '../../platform/units.ts';
import { checkOwnMade, hasMakerKeyEnded, keyEndedNotice, madeBy, makerOf, requireScope } from '../accounts/service.ts';
import type { SubscriptionDraft } from '../jobs/schema.ts';
import { cancelPending, endWaits } from './delivery-store.ts';
import { enqueueForWebhook, holdQueue, wakeQueue } from './outbox.ts';
import {
  ACCOUNT_EVENTS,
  type AccountEvent,
  ALERT_EVENTS,
  JOB_EVENTS,
  type JobEvent,
  type JobsOfWebhooks,
  normalizeEvents,
  type SubscribableJob,
  type TargetPolicy,
  type Webhook,
  type WebhookDeps,
  type WebhookUpdate,
} from './schema.ts';
import {
  accountWebhooks,
  changeWebhook,
  countAccountWebhooks,
  EVENT_FLAGS,
  insertWebhook,
  type WebhookChange,
  type WebhookRow,
  webhookById,
  webhooksForTarget,
  webhooksOfJob,
} from './store.ts';

interface Registration {
  id: string;
  accountId: string;
  /** The key that registers; undefined for all other callers. */
  key: KeyMark | undefined;
  /** Null for an account-level webhook. */
  jobId: string | null;
  jobHasEnded: boolean;
  draft: SubscriptionDraft;
}

/** The id of the webhook that a `webhooks` job creates: the same at every run, and as hard to guess as the job id. */
function webhookIdOfJob(jobId: string): string {
  return `whk_${createHash('sha256').update(`webhook of ${jobId}`).digest('base64url').slice(0, 27)}`;
}

/**
 * Registers a target once: the same account or key, job and URL again adds its events to the existing webhook. A second
 * secret creates a second webhook, since a receiver that checks the first one would refuse deliveries signed with the
 * other.
 */
function registerTarget(tx: Tx, registration: Registration, now: number): WebhookRow {
  const made = webhookById(tx, registration.id);
  if (made) return made;
  const { url, secret } = registration.draft;
  const known = webhooksForTarget(tx, { ...registration, keyId: registration.key?.id ?? null, url });
  const same = known.find((webhook) => webhook.secret === secret);
  const match = same ?? (secret === null ? known[0] : webhookToUpgrade(known, registration));
  return match ? mergeRegistration(tx, match, registration.draft, now) : insertRegistration(tx, registration, now);
}

/** A webhook without a secret takes the new secret, unless its job has ended: then its delivery was sent unsigned. */
function webhookToUpgrade(known: readonly WebhookRow[], { jobHasEnded }: Registration): WebhookRow | undefined {
  return jobHasEnded ? undefined : known.find((webhook) => webhook.secret === null);
}

function mergeRegistration(tx: Tx, webhook: WebhookRow, draft: SubscriptionDraft, now: number): WebhookRow {
  const events = normalizeEvents(draft.events);
  const change: WebhookChange = {
    ...eventFlags([...subscribedEventsOf(webhook), ...events]),
    ...secretColumns(draft.secret ?? webhook.secret),
    name: draft.name ?? webhook.name,
    status: 'active',
    notice: null,
    ...omitUndefined({
      failing_since: webhook.status === 'disabled' ? null : undefined,
      failures: webhook.status === 'disabled' ? 0 : undefined,
    }),
  };
  if (webhook.status !== 'active') holdQueue(tx, webhook.lane_id, false);
  return changeWebhook(tx, webhook.id, change, now);
}

function insertRegistration(tx: Tx, { id, accountId, key, jobId, draft }: Registration, now: number): WebhookRow {
  return insertWebhook(tx, {
    id,
    account_id: accountId,
    job_id: jobId,
    ...madeBy(key),
    name: draft.name ?? null,
    url: draft.url,
    ...eventFlags(normalizeEvents(draft.events)),
    ...secretColumns(draft.secret),
    previous_secret: null,
    previous_secret_expires_at: null,
    status: 'active',
    notice: null,
    lane_id: jobId === null ? id : sharedQueueId(accountId, key, draft.url),
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

/** All job-level webhooks of an account or key with one URL share a queue. */
function sharedQueueId(accountId: string, key: KeyMark | undefined, url: string): string {
  const maker = key === undefined ? accountId : `${accountId} ${key.id}`;
  return `lane_${createHash('sha256').update(`${maker} ${url}`).digest('base64url').slice(0, 27)}`;
}

type EventFlags = Pick<WebhookRow, (typeof EVENT_FLAGS)[AccountEvent]>;

function eventFlags(events: readonly AccountEvent[]): EventFlags {
  const flags = ACCOUNT_EVENTS.map((event) => [EVENT_FLAGS[event], events.includes(event) ? 1 : 0]);
  return Object.fromEntries(flags) as EventFlags;
}

function subscribedEventsOf(webhook: EventFlags): AccountEvent[] {
  return ACCOUNT_EVENTS.filter((event) => webhook[EVENT_FLAGS[event]] === 1);
}

function secretColumns(secret: string | null): { secret: string | null; secret_mark: string } {
  return { secret, secret_mark: secret === null ? '' : createHash('sha256').update(secret).digest('hex') };
}

/**
 * Registers the targets of a request on its job, and returns the subscribed events of the job. On a job that has ended
 * (a reused crawl), new targets are called at once.
 */
export function subscribeJobTargets(
  tx: Tx,
  job: { id: string; accountId: string; key: KeyMark | undefined },
  drafts: readonly SubscriptionDraft[],
  { jobs, clock }: Pick<WebhookDeps, 'jobs' | 'clock'>,
): JobEvent[] {
  if (drafts.length > 0) {
    const found = jobs.find(tx, job.id);
    if (found === undefined) throw new Error('A subscription names a job that is not there.');
    for (const draft of drafts) registerOnJob(tx, found, job, draft, clock.now());
  }
  return subscribedEvents(tx, job);
}

/** Who registers a webhook: not always the account or the key of the job. */
interface Registrant {
  accountId: string;
  key: KeyMark | undefined;
}

export function registerOnJob(
  tx: Tx,
  job: SubscribableJob,
  { accountId, key }: Registrant,
  draft: SubscriptionDraft,
  now: number,
): WebhookRow {
  const jobHasEnded = job.ended !== null;
  const webhook = registerTarget(tx, { id: newId('whk'), accountId, key, jobId: job.id, jobHasEnded, draft }, now);
  if (job.ended !== null) enqueueForWebhook(tx, webhook, job.ended, now);
  return webhook;
}

/** Registers the target of a batch, in the transaction that inserts the batch. */
export function registerOnBatch(
  tx: Tx,
  batchId: string,
  { accountId, key }: Registrant,
  target: { url: string; secret: string | null },
  now: number,
): void {
  const draft = { ...target, events: [] };
  registerTarget(tx, { id: newId('whk'), accountId, key, jobId: batchId, jobHasEnded: false, draft }, now);
}

export function subscribedEvents(tx: Tx, job: { id: string; accountId: string }): JobEvent[] {
  const events = new Set(webhooksOfJob(tx, job).flatMap(subscribedEventsOf));
  return JOB_EVENTS.filter((event) => events.has(event));
}

/** Adds the events of an account-level webhook to the open jobs of its account. */
function subscribeOpenJobs(tx: Tx, webhook: WebhookRow, jobs: JobsOfWebhooks): void {
  if (webhook.status === 'disabled') return;
  const added = subscribedEventsOf(webhook);
  for (const some of subsetsOf(JOB_EVENTS)) {
    const all = JOB_EVENTS.filter((event) => some.includes(event) || added.includes(event));
    if (all.length === some.length) continue;
    jobs.changeEventsOfOpen(tx, webhook.account_id, { from: some, to: all });
  }
}

/** All subsets, each in the order of the list. */
function subsetsOf<Item>(items: readonly Item[]): Item[][] {
  const sets: Item[][] = [[]];
  for (const item of items) sets.push(...sets.map((set) => [...set, item]));
  return sets;
}

/** Account-level webhooks one account may have. */
const MAX_ACCOUNT_WEBHOOKS = 100;

/** More than the limit: paid registrations at the same time may exceed it by a few. */
const MAX_LISTED = 1000;

/** Takes some five milliseconds. */
const WAITS_PER_TURN = 500;

const DEFAULT_OVERLAP_SECONDS = DAY_MS / SECOND_MS;

/** An account-level webhook sends results of all jobs, so its key needs `read`; that of a job only its own. */
export function isPausedByKey(keyOf: WebhookDeps['keyOf'], row: Pick<WebhookRow, 'key_id' | 'job_id'>): boolean {
  return hasMakerKeyEnded(keyOf, row, row.job_id === null ? 'read' : 'none');
}

export function webhookView(row: WebhookRow, now: number, keyOf: WebhookDeps['keyOf']): Webhook {
  const isPaused = row.status !== 'disabled' && isPausedByKey(keyOf, row);
  const notice = isPaused ? keyEndedNotice(row) : row.notice;
  const overlaps = row.previous_secret_expires_at !== null && row.previous_secret_expires_at > now;
  return {
    webhookId: row.id,
    name: row.name ?? undefined,
    url: row.url,
    events: subscribedEventsOf(row),
    status: isPaused ? 'paused' : row.status,
    hasSecret: row.secret !== null,
    createdAt: toIsoTime(row.created_at),
    updatedAt: toIsoTime(row.updated_at),
    lastDelivery: lastDelivery(row),
    ...makerOf(row),
    ...omitUndefined({
      notice: notice ?? undefined,
      previousSecretExpiresAt: overlaps ? toIsoTime(row.previous_secret_expires_at ?? 0) : undefined,
    }),
  };
}

function lastDelivery(row: WebhookRow): Webhook['lastDelivery'] {
  const { last_delivery_id: deliveryId, last_delivery_status: status, last_attempt_at: attemptedAt } = row;
  if (deliveryId === null || status === null || attemptedAt === null) return null;
  return { deliveryId, status, responseStatus: row.last_response_status, attemptedAt: toIsoTime(attemptedAt) };
}

/** Account-level webhooks: `/webhooks` and the `webhooks` operation. */
export class AccountWebhooks {
  readonly #deps: WebhookDeps;
  readonly #kick: () => void;

  constructor(deps: WebhookDeps, kick: () => void) {
    this.#deps = deps;
    this.#kick = kick;
  }

  listAccountWebhooks(accountId: string): Webhook[] {
    const now = this.#deps.clock.now();
    const rows = accountWebhooks(this.#deps.storage.db, accountId, MAX_LISTED);
    return rows.map((row) => webhookView(row, now, this.#deps.keyOf));
  }

  /** Errors: `not_found`, also for a webhook of another account, unless the owner asks. */
  viewAccountWebhook(accountId: string, webhookId: string): Webhook {
    const row = requireOwnWebhook(webhookById(this.#deps.storage.db, webhookId), accountId);
    return webhookView(row, this.#deps.clock.now(), this.#deps.keyOf);
  }

  /** Before a registration is paid for. Errors: `conflict` at the limit. */
  checkRoom(accountId: string): void {
    const { storage, jobs } = this.#deps;
    const made = countAccountWebhooks(storage.db, accountId);
    // Each open job of the operation `webhooks` will create one.
    if (made + jobs.countOpen(storage.db, accountId, 'webhooks') < MAX_ACCOUNT_WEBHOOKS) return;
    throw new QuarryError('conflict', `This account has ${MAX_ACCOUNT_WEBHOOKS} webhooks already: delete one first.`);
  }

  /** The work of the `webhooks` job. A repeated run finds the webhook of the first run. */
  createAccountWebhook(job: { id: string; accountId: string }, draft: SubscriptionDraft): Webhook {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    const id = webhookIdOfJob(job.id);
    const row = storage.transaction((tx) => {
      const key = this.#deps.jobs.find(tx, job.id)?.key;
      const registration = { id, accountId: job.accountId, key, jobId: null, jobHasEnded: false, draft };
      const webhook = registerTarget(tx, registration, now);
      subscribeOpenJobs(tx, webhook, this.#deps.jobs);
      return webhook;
    });
    return webhookView(row, now, this.#deps.keyOf);
  }

  /**
   * A key changes what it made, and needs `read`: the results of all jobs go to the webhook. The owner makes a webhook
   * whose key has ended their own by setting it to active. Errors: `not_found`, `invalid_request`, `conflict`,
   * `forbidden`.
   */
  async updateAccountWebhook(
    accountId: string,
    webhookId: string,
    update: WebhookUpdate,
    key?: KeyIdentity,
  ): Promise<Webhook> {
    const { storage, clock, isPublicAddress, keyOf } = this.#deps;
    const now = clock.now();
    requireScope(key, ['read']);
    refuseAlerts(accountId, update.events);
    if (update.url !== undefined) {
      const policy = await this.#deps.policyFor({ accountId, key });
      const problem = targetProblem(update.url, policy, isPublicAddress);
      if (problem !== null) throw refuseTarget('url', problem);
    }
    if (Object.keys(update).length === 0) return this.viewAccountWebhook(accountId, webhookId);
    const { resumed, row } = storage.transaction((tx) => {
      const webhook = requireOwnWebhook(webhookById(tx, webhookId), accountId);
      checkOwnMade(key, webhook, update);
      if (webhook.account_id !== accountId) refuseMoreThanStatus(update);
      const isFreed = key === undefined && update.status === 'active' && isPausedByKey(keyOf, webhook);
      const change = {
        ...secretChange(webhook, update, now),
        ...plainChange(update),
        ...(isFreed ? madeBy(undefined) : {}),
      };
      refuseTwin(tx, webhook, change);
      const changed = changeWebhook(tx, webhookId, change, now);
      if (changed.status !== webhook.status || isFreed) this.#moveQueue(tx, changed, now);
      subscribeOpenJobs(tx, changed, this.#deps.jobs);
      return { resumed: changed.status === 'active' && (webhook.status !== 'active' || isFreed), row: changed };
    });
    if (resumed) await this.#endWaits(row.lane_id, now);
    this.#kick();
    return webhookView(row, now, keyOf);
  }

  /** Cancels pending deliveries; the log of the others stays. Errors: `not_found`, `forbidden`. */
  removeAccountWebhook(accountId: string, webhookId: string, key?: KeyIdentity): void {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    storage.transaction((tx) => {
      const webhook = requireOwnWebhook(webhookById(tx, webhookId), accountId);
      checkOwnMade(key, webhook);
      cancelPending(tx, { id: webhook.id, queueId: webhook.lane_id }, now);
      holdQueue(tx, webhook.lane_id, false);
      this.#deps.endpoints.onEndpointMended(tx, webhookId);
      const secrets = { ...secretColumns(null), previous_secret: null, previous_secret_expires_at: null };
      changeWebhook(tx, webhookId, { ...secrets, deleted_at: now }, now);
    });
  }

  /** A receiver that was repaired gets at once what waits. */
  async #endWaits(queueId: string, now: number): Promise<void> {
    for (let ended = WAITS_PER_TURN; ended === WAITS_PER_TURN; ) {
      ended = this.#deps.storage.transaction((tx) => endWaits(tx, queueId, now, WAITS_PER_TURN));
      await yieldToEventLoop();
    }
    this.#deps.storage.transaction((tx) => wakeQueue(tx, queueId, now));
  }

  #moveQueue(tx: Tx, webhook: WebhookRow, now: number): void {
    holdQueue(tx, webhook.lane_id, webhook.status !== 'active');
    if (webhook.status === 'active') wakeQueue(tx, webhook.lane_id, now);
  }
}

/** Hides webhooks of other accounts, except from the owner, whose machine sends the requests. */
function requireOwnWebhook(webhook: WebhookRow | undefined, accountId: string): WebhookRow {
  const isTheirs = webhook?.account_id === accountId || accountId === OWNER.accountId;
  if (webhook?.job_id === null && isTheirs) return webhook;
  throw new QuarryError('not_found', 'There is no webhook of this account with this id.');
}

/** Alerts tell of the owner's machine and jobs. Errors: `invalid_request`. */
export function refuseAlerts(accountId: string, events: readonly string[] = []): void {
  if (accountId === OWNER.accountId || !ALERT_EVENTS.some((event) => events.includes(event))) return;
  throw refuseTarget('events', tell`Alerts are for the owner of the appliance only.`);
}

/** Only the account of a webhook may change what is sent and where. */
function refuseMoreThanStatus(update: WebhookUpdate): void {
  if (Object.keys(update).every((name) => name === 'status')) return;
  throw new QuarryError('forbidden', "Of another account's webhook only the status is for the owner to change.");
}

function plainChange(update: WebhookUpdate): WebhookChange {
  return {
    name: update.name,
    url: update.url,
    ...(update.events === undefined ? {} : eventFlags(normalizeEvents(update.events))),
    ...omitUndefined({ status: update.status }),
    ...(update.status === 'active' ? { notice: null, failing_since: null, failures: 0 } : {}),
  };
}

/** The previous secret, until it expires. */
function overlappingSecret(
  { previous_secret: secret, previous_secret_expires_at: expiresAt }: WebhookRow,
  now: number,
) {
  return expiresAt !== null && expiresAt > now ? secret : null;
}

function secretChange(webhook: WebhookRow, update: WebhookUpdate, now: number): WebhookChange {
  const { secret = webhook.secret, secretOverlapSeconds = DEFAULT_OVERLAP_SECONDS } = update;
  const isSame = secret === webhook.secret;
  if (isSame && update.secretOverlapSeconds === undefined) return {};
  // The same secret, or none, changes only the overlap: a leaked old secret can be ended without knowing the new one.
  const previous = isSame ? overlappingSecret(webhook, now) : webhook.secret;
  if (update.secret === undefined && previous === null && secretOverlapSeconds > 0) {
    throw refuseTarget('secretOverlapSeconds', say`No old secret signs any more: give it together with a new secret.`);
  }
  const overlaps = secret !== null && previous !== null && secretOverlapSeconds > 0;
  return {
    ...secretColumns(secret),
    previous_secret: overlaps ? previous : null,
    previous_secret_expires_at: overlaps ? now + secretOverlapSeconds * SECOND_MS : null,
  };
}

function refuseTwin(tx: Tx, webhook: WebhookRow, change: WebhookChange): void {
  const url = change.url ?? webhook.url;
  const secret = change.secret === undefined ? webhook.secret : change.secret;
  const keyId = change.key_id === undefined ? webhook.key_id : change.key_id;
  const known = webhooksForTarget(tx, { accountId: webhook.account_id, keyId, jobId: null, url });
  if (!known.some((other) => other.id !== webhook.id && other.secret === secret)) return;
  throw new QuarryError('conflict', 'This account has another webhook with this URL and secret: change that one.');
}

/**
 * Why a target is refused, or null. The threat is a webhook that reaches private networks: this check refuses what the
 * URL shows; the guarded client checks the resolved address at each attempt.
 */
export function targetProblem(
  target: string,
  policy: TargetPolicy,
  isPublicAddress: WebhookDeps['isPublicAddress'],
): Said | null {
  const url = URL.parse(target);
  if (url === null) return say`Give an absolute https URL.`;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowHttp)) {
    return say`Give an https URL: http is taken from the owner of the appliance only.`;
  }
  if (url.username !== '' || url.password !== '') return say`Give a URL without user name and password.`;
  if (policy.allowPrivateNetworks || !namesPrivateHost(url, isPublicAddress)) return null;
  return say`Give a public address: private networks are open to the owner, and to keys with the scope
    private-network.`;
}

export function refuseTarget(path: string, message: Said): QuarryError {
  const fields: FieldError[] = [{ path, message }];
  return new QuarryError('invalid_request', `${path}: ${message}`, { fields });
}
