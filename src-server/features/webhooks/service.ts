import { type KeyMark, OWNER, perContext } from '../../context.ts';
import { toIsoTime } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { Listeners } from '../../platform/listeners.ts';
import { openWebhookClient } from '../../platform/net/lazy-clients.ts';
import type { SubscriptionDraft, WebhookMaker } from '../jobs/schema.ts';
import { DeliveryLog, type IsUnderWay, Redelivery, WebhookRetention } from './delivery-log.ts';
import { cancelPending, countByStatus } from './delivery-store.ts';
import { Dispatcher, type MovedDelivery } from './dispatcher.ts';
import { enqueueForAlert, enqueueForBatch, enqueueForJob, enqueueTest } from './outbox.ts';
import type {
  AccountEvent,
  AlertOccasion,
  EndedJob,
  JobEvent,
  JobWebhookRequest,
  Webhook,
  WebhookClient,
  WebhookDeps,
  WebhookRequest,
} from './schema.ts';
import { dayOfEndpoint, deleteJobWebhooks, jobWebhooks, listEndpoints, type WebhookRow, webhookById } from './store.ts';
import {
  AccountWebhooks,
  refuseAlerts,
  refuseTarget,
  registerOnBatch,
  registerOnJob,
  subscribedEvents,
  subscribeJobTargets,
  targetProblem,
  webhookView,
} from './subscriptions.ts';

/** Webhooks that one account may add to a job by `POST /jobs/{jobId}/webhooks`, which costs nothing. */
export const MAX_JOB_WEBHOOKS = 20;

/** Webhooks of all other accounts on a job: a stranger may have any number of accounts. */
const MAX_FOREIGN_JOB_WEBHOOKS = 100;

/**
 * Subscriptions, the outbox, and the delivery. What belongs to the acceptance and the end of a job runs in the
 * transaction of the caller, so that a delivery exists exactly if the transition does.
 */
const COUNT_CEILING = 10_000;

export class Webhooks {
  readonly accounts: AccountWebhooks;
  readonly log: DeliveryLog;
  readonly redelivery: Redelivery;
  /** Hears, a batch at a time, which deliveries began or ended an attempt. */
  readonly moved = new Listeners<readonly MovedDelivery[]>();
  readonly #deps: WebhookDeps;
  readonly #dispatcher: Dispatcher;
  readonly #retention: WebhookRetention;

  constructor(deps: WebhookDeps) {
    const kickOutbox = () => this.kick();
    this.#deps = deps;
    this.#dispatcher = new Dispatcher(deps, this.moved);
    const isUnderWayNow: IsUnderWay = (delivery) => this.#dispatcher.isDeliveryUnderWay(delivery);
    this.accounts = new AccountWebhooks(deps, kickOutbox);
    this.log = new DeliveryLog(deps, isUnderWayNow);
    this.redelivery = new Redelivery(deps, isUnderWayNow, kickOutbox);
    this.#retention = new WebhookRetention(deps);
  }

  /** Deliveries in a status, counted up to 10,000. */
  countDeliveries(status: 'pending' | 'exhausted'): number {
    return countByStatus(this.#deps.storage.db, status, COUNT_CEILING);
  }

  startWebhooks(): void {
    this.#dispatcher.startDispatcher();
    this.#retention.startDeliveryRetention();
  }

  /** Ends requests under way within seconds; the next start sends what is pending. */
  async closeWebhooks(): Promise<void> {
    await this.#retention.closeDeliveryRetention();
    await this.#dispatcher.closeDispatcher();
  }

  /** The time by which signatures are checked, in milliseconds. */
  signatureTime(): number {
    return this.#deps.clock.now();
  }

  /** Reads the outbox now instead of within half a second. */
  kick(): void {
    this.#dispatcher.kickDispatcher();
  }

  /** Resolves when everything that is due was tried. */
  async whenWebhooksSettled(): Promise<void> {
    await this.#dispatcher.whenDispatcherIdle();
  }

  /**
   * Before a request is charged: whether its targets may be called on behalf of its maker.
   * Errors: `invalid_request`, naming the field by its `path` (`webhookUrl`, `notify.url`).
   */
  async checkTargets(maker: WebhookMaker, targets: readonly { path: string; url: string }[]): Promise<void> {
    const policy = await this.#deps.policyFor(maker);
    for (const { path, url } of targets) {
      const problem = targetProblem(url, policy, this.#deps.isPublicAddress);
      if (problem !== null) throw refuseTarget(path, problem);
    }
  }

  /** Before an account-level registration is charged. Errors: `invalid_request`, `conflict` at the limit. */
  async admitAccountWebhook(
    maker: WebhookMaker,
    { url, events }: Pick<WebhookRequest, 'url' | 'events'>,
  ): Promise<void> {
    const { accountId } = maker;
    refuseAlerts(accountId, events);
    await this.checkTargets(maker, [{ path: 'url', url }]);
    this.accounts.checkRoom(accountId);
  }

  /**
   * Registers the targets of a request on its job, in the transaction of the acceptance. Returns the subscribed events,
   * for `events` of the job. On a job that has ended (a reused crawl), new targets are called at once.
   */
  subscribeJob(
    tx: Tx,
    jobId: string,
    accountId: string,
    drafts: readonly SubscriptionDraft[],
    key?: KeyMark,
  ): JobEvent[] {
    return subscribeJobTargets(tx, { id: jobId, accountId, key }, drafts, this.#deps);
  }

  /** Writes the outbox, in the transaction that ends the job. Call `kick` once it is committed. */
  onTerminal(tx: Tx, job: EndedJob): void {
    enqueueForJob(tx, job, this.#deps.clock.now());
  }

  /** Registers the target of a batch, in the transaction that inserts it. `onJobRemoved` removes it. */
  subscribeBatch(
    tx: Tx,
    batchId: string,
    accountId: string,
    target: { url: string; secret: string | null },
    key?: KeyMark,
  ): void {
    registerOnBatch(tx, batchId, { accountId, key }, target, this.#deps.clock.now());
  }

  /** Writes the outbox, in the transaction that ends the batch. Call `kick` once it is committed. */
  onBatchEnded(tx: Tx, batch: { id: string; endedAt: number }): void {
    enqueueForBatch(tx, batch, this.#deps.clock.now());
  }

  /** Writes the outbox, in the transaction that raises or clears an alert. Call `kick` once it is committed. */
  onAlert(tx: Tx, occasion: AlertOccasion): void {
    enqueueForAlert(tx, OWNER.accountId, occasion, this.#deps.clock.now());
  }

  /** Cancels what waits for the webhooks of a job whose result is deleted. */
  onJobRemoved(tx: Tx, jobId: string): void {
    const now = this.#deps.clock.now();
    for (const webhook of jobWebhooks(tx, jobId)) {
      cancelPending(tx, { id: webhook.id, queueId: webhook.lane_id }, now);
    }
    deleteJobWebhooks(tx, jobId);
  }

  /**
   * `POST /jobs/{jobId}/webhooks`. The id is the right to do it; the account decides what may be called.
   * Errors: `not_found`, `job_expired`, `invalid_request`, `conflict` at the limit.
   */
  async registerOnJob(accountId: string, jobId: string, request: JobWebhookRequest, key?: KeyMark): Promise<void> {
    const { storage, clock, jobs } = this.#deps;
    await this.checkTargets({ accountId, key }, [{ path: 'url', url: request.url }]);
    const draft = subscriptionDraftOf(request);
    const now = clock.now();
    storage.transaction((tx) => {
      const job = jobs.find(tx, jobId);
      if (job === undefined) throw new QuarryError('not_found', 'There is no job with this id.');
      const expired = job.isPurged || (job.expiresAt !== null && job.expiresAt <= now);
      if (expired) throw new QuarryError('job_expired', 'This job has expired: its result was removed.');
      registerOnJob(tx, job, { accountId, key }, draft, now);
      refuseCrowd(jobWebhooks(tx, jobId), accountId, job.accountId);
      jobs.setEvents(tx, jobId, subscribedEvents(tx, job), now);
    });
    this.kick();
  }

  /** Account-level webhooks of all accounts, newest first. */
  pageOfEndpoints(before: number | null, limit: number) {
    const now = this.#deps.clock.now();
    const { db } = this.#deps.storage;
    const rows = listEndpoints(db, before, limit);
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return {
      endpoints: rows.map((row) => ({
        ...webhookView(row, now, this.#deps.keyOf),
        accountId: row.account_id,
        failingSince: row.failing_since === null ? null : toIsoTime(row.failing_since),
        lastDay: dayOfEndpoint(db, row.id, now),
      })),
      next: last ? String(last.seq) : null,
    };
  }

  /** Sends a sample job or alert to a webhook. Returns the id of the delivery. Errors: `not_found`, `conflict`. */
  sendTest(webhookId: string, event: AccountEvent): string {
    const { storage, clock } = this.#deps;
    const deliveryId = storage.transaction((tx) => {
      const webhook = webhookById(tx, webhookId);
      if (webhook === undefined) throw new QuarryError('not_found', 'There is no webhook with this id.');
      refuseUntestable(webhook);
      return enqueueTest(tx, webhook, event, clock.now());
    });
    this.kick();
    return deliveryId;
  }

  /** The work of the `webhooks` job; see AccountWebhooks.create. */
  createForJob(job: { id: string; accountId: string }, request: WebhookRequest): Webhook {
    const draft = subscriptionDraftOf(request);
    return this.accounts.createAccountWebhook(job, draft);
  }
}

function subscriptionDraftOf({ url, events, secret, name }: WebhookRequest): SubscriptionDraft {
  return { url, events: events ?? [], secret: secret ?? null, name };
}

/** Counts webhooks by account: a stranger with the jobId cannot use up the webhooks of the account of the job. */
function refuseCrowd(webhooks: readonly WebhookRow[], accountId: string, ownerId: string): void {
  const own = webhooks.filter(({ account_id }) => account_id === accountId);
  if (own.length > MAX_JOB_WEBHOOKS) {
    const message = `An account can add at most ${MAX_JOB_WEBHOOKS} webhooks to a job, and yours has them already.`;
    throw new QuarryError('conflict', message);
  }
  const foreign = webhooks.filter(({ account_id }) => account_id !== ownerId);
  if (accountId !== ownerId && foreign.length > MAX_FOREIGN_JOB_WEBHOOKS) {
    throw new QuarryError('conflict', 'Other accounts have added as many webhooks to this job as it takes.');
  }
}

/** Errors: `conflict` for a webhook that is not active. */
function refuseUntestable({ status, job_id: jobId }: WebhookRow): void {
  if (status === 'active') return;
  const advice =
    jobId === null
      ? 'its account has to set its status to active first, by PATCH /webhooks/{webhookId}.'
      : 'a webhook of one job stays so, but its delivery can be sent again.';
  throw new QuarryError('conflict', `The webhook is ${status}: ${advice}`);
}

/** The client that all environments share. */
export const webhookClientOf = perContext((context): WebhookClient => {
  const client = openWebhookClient(context.options.network ?? {});
  context.onClose(() => client.close());
  return client;
});

export type { Inboxes } from './inbox.ts';
export { payloadOf, sealDelivery } from './signing.ts';
