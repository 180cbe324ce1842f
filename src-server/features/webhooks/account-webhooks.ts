import {
  normalizeEvents,
  OWNER,
  QuarryError,
  type SubscriptionDraft,
  type Webhook,
  type WebhookUpdate,
} from '../../contract/index.ts';
import { toIsoTime } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/schema.ts';
import { othersTurn } from '../../platform/others-turn.ts';
import { DAY_MS, SECOND_MS } from '../../platform/units.ts';
import type { WebhookParts } from './ports.ts';
import { accountWebhooks, countAccountWebhooks, type WebhookRow, webhookById, webhooksForTarget } from './store.ts';
import { holdLane, wakeLane } from './store-lanes.ts';
import { endWaits } from './store-waits.ts';
import { eventFlags, eventsOf, register, secretColumns, subscribeOpenJobs, webhookIdOfJob } from './subscriptions.ts';
import { refuseTarget, targetProblem } from './targets.ts';
import { cancelPending } from './webhooks-outbox-writer.ts';
import { changeWebhook, type WebhookChange } from './webhooks-writer.ts';

/** Account-level webhooks one account may have. */
export const MAX_ACCOUNT_WEBHOOKS = 100;
/** Paid registrations are admitted one by one, so a few at once may exceed the limit; all of them are listed. */
const MAX_LISTED = 1000;
/** Each is a row that moves in an index: some five milliseconds. */
const WAITS_PER_TURN = 500;
const DEFAULT_OVERLAP_SECONDS = DAY_MS / SECOND_MS;

export function webhookView(row: WebhookRow, now: number): Webhook {
  const overlaps = row.previous_secret_expires_at !== null && row.previous_secret_expires_at > now;
  return {
    webhookId: row.id,
    url: row.url,
    events: eventsOf(row),
    status: row.status,
    hasSecret: row.secret !== null,
    createdAt: toIsoTime(row.created_at),
    updatedAt: toIsoTime(row.updated_at),
    lastDelivery: lastDelivery(row),
    ...(row.notice === null ? {} : { notice: row.notice }),
    ...(overlaps ? { previousSecretExpiresAt: toIsoTime(row.previous_secret_expires_at ?? 0) } : {}),
  };
}

function lastDelivery(row: WebhookRow): Webhook['lastDelivery'] {
  const { last_delivery_id: deliveryId, last_delivery_status: status, last_attempt_at: attemptedAt } = row;
  if (deliveryId === null || status === null || attemptedAt === null) return null;
  return { deliveryId, status, responseStatus: row.last_response_status, attemptedAt: toIsoTime(attemptedAt) };
}

/** The webhooks of accounts: what `/webhooks` does, and what the `webhooks` operation ends with. */
export class AccountWebhooks {
  readonly #parts: WebhookParts;
  readonly #kick: () => void;

  constructor(parts: WebhookParts, kick: () => void) {
    this.#parts = parts;
    this.#kick = kick;
  }

  async list(accountId: string): Promise<Webhook[]> {
    const now = this.#parts.clock.now();
    const rows = await accountWebhooks(this.#parts.storage.db, accountId, MAX_LISTED);
    return rows.map((row) => webhookView(row, now));
  }

  /** Errors: `not_found`, also for a webhook of somebody else, unless the owner asks. */
  async get(accountId: string, webhookId: string): Promise<Webhook> {
    const row = own(await webhookById(this.#parts.storage.db, webhookId), accountId);
    return webhookView(row, this.#parts.clock.now());
  }

  /** Before a registration is paid for. Errors: `conflict` at the limit. */
  async checkRoom(accountId: string): Promise<void> {
    if ((await countAccountWebhooks(this.#parts.storage.db, accountId)) < MAX_ACCOUNT_WEBHOOKS) return;
    throw new QuarryError('conflict', `This account has ${MAX_ACCOUNT_WEBHOOKS} webhooks already: delete one first.`);
  }

  /** What the `webhooks` job does. A run that is repeated finds the webhook of the run before. */
  async create(job: { id: string; accountId: string }, draft: SubscriptionDraft): Promise<Webhook> {
    const { storage, clock } = this.#parts;
    const now = clock.now();
    const id = webhookIdOfJob(job.id);
    const registration = { id, accountId: job.accountId, jobId: null, jobHasEnded: false, draft };
    const row = await storage.transaction(async (tx) => {
      const webhook = await register(tx, registration, now);
      await subscribeOpenJobs(tx, webhook);
      return webhook;
    });
    return webhookView(row, now);
  }

  /** Errors: `not_found`, `invalid_request`, `conflict`, `forbidden`. */
  async update(accountId: string, webhookId: string, update: WebhookUpdate): Promise<Webhook> {
    const { storage, clock, isPublicAddress } = this.#parts;
    const now = clock.now();
    if (update.url !== undefined) {
      const policy = await this.#parts.policyFor(accountId);
      const problem = targetProblem(update.url, policy, isPublicAddress);
      if (problem !== null) throw refuseTarget('url', problem);
    }
    if (Object.keys(update).length === 0) return this.get(accountId, webhookId);
    const { before, row } = await storage.transaction(async (tx) => {
      const webhook = own(await webhookById(tx, webhookId), accountId);
      if (webhook.account_id !== accountId) refuseMoreThanStatus(update);
      const change = { ...secretChange(webhook, update, now), ...plainChange(update) };
      await refuseTwin(tx, webhook, change);
      const changed = await changeWebhook(tx, webhookId, change, now);
      if (changed.status !== webhook.status) await this.#moveLane(tx, changed, now);
      await subscribeOpenJobs(tx, changed);
      return { before: webhook, row: changed };
    });
    if (row.status === 'active' && before.status !== 'active') await this.#endWaits(row.lane_id, now);
    this.#kick();
    return webhookView(row, now);
  }

  /** Deliveries that wait are cancelled; the log of the others stays. Errors: `not_found`. */
  async remove(accountId: string, webhookId: string): Promise<void> {
    const { storage, clock } = this.#parts;
    const now = clock.now();
    await storage.transaction(async (tx) => {
      const webhook = own(await webhookById(tx, webhookId), accountId);
      await cancelPending(tx, { id: webhook.id, laneId: webhook.lane_id }, now);
      await holdLane(tx, webhook.lane_id, false);
      const secrets = { ...secretColumns(null), previous_secret: null, previous_secret_expires_at: null };
      await changeWebhook(tx, webhookId, { ...secrets, deleted_at: now }, now);
    });
  }

  /** Who makes a webhook active again has mended something: nobody waits hours more to see whether it works. */
  async #endWaits(laneId: string, now: number): Promise<void> {
    for (let ended = WAITS_PER_TURN; ended === WAITS_PER_TURN; ) {
      ended = await this.#parts.storage.transaction((tx) => endWaits(tx, laneId, now, WAITS_PER_TURN));
      await othersTurn();
    }
    await this.#parts.storage.transaction((tx) => wakeLane(tx, laneId, now));
  }

  async #moveLane(tx: Tx, webhook: WebhookRow, now: number): Promise<void> {
    await holdLane(tx, webhook.lane_id, webhook.status !== 'active');
    if (webhook.status === 'active') await wakeLane(tx, webhook.lane_id, now);
  }
}

/** A webhook of somebody else is as unknown as one that never was, but to the owner, whose machine makes the calls. */
function own(webhook: WebhookRow | undefined, accountId: string): WebhookRow {
  const isTheirs = webhook?.account_id === accountId || accountId === OWNER.accountId;
  if (webhook?.job_id === null && isTheirs) return webhook;
  throw new QuarryError('not_found', 'There is no webhook of this account with this id.');
}

/** What is sent, and to whom, is for the account to say whose jobs it tells of. */
function refuseMoreThanStatus(update: WebhookUpdate): void {
  if (Object.keys(update).every((name) => name === 'status')) return;
  throw new QuarryError('forbidden', "Of another account's webhook only the status is for the owner to change.");
}

function plainChange(update: WebhookUpdate): WebhookChange {
  return {
    ...(update.url === undefined ? {} : { url: update.url }),
    ...(update.events === undefined ? {} : eventFlags(normalizeEvents(update.events))),
    ...(update.status === undefined ? {} : { status: update.status }),
    ...(update.status === 'active' ? { notice: null, failing_since: null } : {}),
  };
}

/** The old secret, while it still signs. */
function overlapping({ previous_secret: secret, previous_secret_expires_at: expiresAt }: WebhookRow, now: number) {
  return expiresAt !== null && expiresAt > now ? secret : null;
}

function secretChange(webhook: WebhookRow, update: WebhookUpdate, now: number): WebhookChange {
  const { secret = webhook.secret, secretOverlapSeconds = DEFAULT_OVERLAP_SECONDS } = update;
  const isSame = secret === webhook.secret;
  if (isSame && update.secretOverlapSeconds === undefined) return {};
  // With the secret there is, the overlap is what changes: an old secret that got out can be ended at once, also by
  // somebody who has neither at hand.
  const previous = isSame ? overlapping(webhook, now) : webhook.secret;
  if (update.secret === undefined && previous === null && secretOverlapSeconds > 0) {
    throw refuseTarget('secretOverlapSeconds', 'No old secret signs any more: give it together with a new secret.');
  }
  const overlaps = secret !== null && previous !== null && secretOverlapSeconds > 0;
  return {
    ...secretColumns(secret),
    previous_secret: overlaps ? previous : null,
    previous_secret_expires_at: overlaps ? now + secretOverlapSeconds * SECOND_MS : null,
  };
}

async function refuseTwin(tx: Tx, webhook: WebhookRow, change: WebhookChange): Promise<void> {
  const url = change.url ?? webhook.url;
  const secret = change.secret === undefined ? webhook.secret : change.secret;
  const known = await webhooksForTarget(tx, { accountId: webhook.account_id, jobId: null, url });
  if (!known.some((other) => other.id !== webhook.id && other.secret === secret)) return;
  throw new QuarryError('conflict', 'This account has another webhook with this URL and secret: change that one.');
}
