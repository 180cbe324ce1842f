/**
 * Sends what is due in the outbox. A cycle records the outcomes of attempts that have ended, and claims due deliveries,
 * the queue that has waited longest first. A delivery stays pending until its outcome is recorded; only memory knows
 * which ones are under way. After a crash every pending delivery is due again, under the same `webhook-id`: at least
 * once, never lost.
 */

import { OWNER } from '../../context.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Listeners } from '../../platform/listeners.ts';
import { say } from '../../platform/text/say.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { attemptDelivery, type Outcome, Payloads, prepareDelivery } from './attempt.ts';
import {
  cancelPending,
  type DeliveryNote,
  type DueDelivery,
  dueAfter,
  dueDeliveries,
  insertAttempts,
  markOutcomes,
  noteDeliveries,
  type OutcomeMark,
  outboxRange,
  restartWaits,
  slicesOf,
  withTargets,
} from './delivery-store.ts';
import { dueQueues, holdQueue, scheduleQueue, wakeAllQueues, wakeQueue } from './outbox.ts';
import type { DeliveryAttempt, EndpointListener, WebhookDeps, WebhookLog } from './schema.ts';
import { changeWebhook, webhookById } from './store.ts';
import { isPausedByKey } from './subscriptions.ts';

/** Requests under way, over all queues. */
const MAX_REQUESTS = 1024;

/** Of these, requests of failing queues. */
const MAX_FAILING_REQUESTS = 256;

/** Requests under way in one queue, by its last outcome. */
const BOUNDS = { unknown: 4, success: 16, failure: 1 } as const;

/** Queues whose last outcome is remembered. */
const MAX_REMEMBERED_QUEUES = 20_000;

const QUEUES_PER_CYCLE = 64;

const DELIVERIES_PER_CYCLE = 64;

const OUTCOMES_PER_CYCLE = 64;

/** Attempts that start per turn of the event loop. */
const ATTEMPTS_PER_TURN = 4;

/** How long outcomes are gathered, to record several in one transaction. */
const GATHER_MS = 5;

/** How often the outbox is read without a kick, for retries that become due. */
const POLL_MS = 500;

/** When a queue with requests under way is due. The end of each request wakes it earlier. */
const BUSY_MS = 30 * SECOND_MS;

/** When a failing queue is due again for which there was no room. */
const NO_ROOM_MS = SECOND_MS;

/** How often a queue looks whether its ended key holds again: the owner may extend its time. */
const KEY_LOOK_MS = MINUTE_MS;

/** How often `settled` looks again. */
const SETTLE_MS = 5;

/** How long requests under way may continue when the server stops. */
const CLOSE_GRACE_MS = 3 * SECOND_MS;

/** How long aborted requests may take to end. */
const ABORT_GRACE_MS = SECOND_MS;

/** Corrections of the clock by less than this leave waits as they are. */
const TOLERATED_MS = MINUTE_MS;

/** A delivery that began or ended an attempt. */
export type MovedDelivery = Pick<DueDelivery, 'id' | 'job_id' | 'webhook_id'>;

export class Dispatcher {
  readonly #deps: WebhookDeps;
  readonly #moved: Listeners<readonly MovedDelivery[]>;
  readonly #aborter = new AbortController();
  readonly #underWay = new UnderWay();
  /** The last outcome by queue. */
  readonly #health = new Map<string, 'success' | 'failure'>();
  #outcomes: Outcome[] = [];
  #requests = 0;
  /** The latest time of the clock; null before the first cycle. */
  #latest: number | null = null;
  #poll: NodeJS.Timeout | null = null;
  #gathering: NodeJS.Timeout | null = null;
  #cycle: Promise<void> | null = null;
  #again = false;
  #closing = false;
  #whenIdle: (() => void) | null = null;

  /** @param moved hears, a batch at a time, which deliveries began or ended an attempt */
  constructor(deps: WebhookDeps, moved: Listeners<readonly MovedDelivery[]>) {
    this.#deps = deps;
    this.#moved = moved;
  }

  startDispatcher(): void {
    this.#poll = setInterval(() => this.kickDispatcher(), POLL_MS);
    this.kickDispatcher();
  }

  /** Reads the outbox now. Call it after each write to the outbox. */
  kickDispatcher(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    this.#gathering = null;
    if (this.#poll === null) return;
    this.#again = true;
    this.#cycle ??= this.#runDispatchCycle();
  }

  /** Resolves when nothing is due and nothing is under way. */
  async whenDispatcherIdle(): Promise<void> {
    for (;;) {
      if (this.#underWay.size === 0) this.kickDispatcher();
      await this.#cycle;
      if (this.#cycle === null && this.#underWay.size === 0 && !this.#isDue()) return;
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    }
  }

  isDeliveryUnderWay(delivery: { seq: number; lane_id: string }): boolean {
    return this.#underWay.hasPlace(delivery);
  }

  /** Waits for requests under way, within a bound, and aborts the others: they are sent again after the next start. */
  async closeDispatcher(): Promise<void> {
    if (this.#poll === null) return;
    this.#closing = true;
    clearInterval(this.#poll);
    await this.#idleWithin(CLOSE_GRACE_MS);
    this.#aborter.abort();
    await this.#idleWithin(ABORT_GRACE_MS);
    while (this.#cycle !== null) await this.#cycle;
    this.#poll = null;
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    while (this.#outcomes.length > 0) this.#recordReadyOutcomes();
  }

  async #idleWithin(milliseconds: number): Promise<void> {
    if (this.#requests === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenIdle = resolve;
    const timer = setTimeout(resolve, milliseconds);
    await promise;
    clearTimeout(timer);
  }

  async #runDispatchCycle(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        await yieldToEventLoop();
        await this.#followClock();
        this.#recordReadyOutcomes();
        await this.#launchAttempts(this.#claimDueDeliveries());
      }
    } catch (error) {
      // A full or locked database: nothing is lost, the next poll tries again.
      this.#deps.log.error({ err: error }, 'The webhook outbox could not be read or written.');
    }
    this.#cycle = null;
  }

  #isDue(): boolean {
    return !this.#closing && dueQueues(this.#deps.storage.db, this.#deps.clock.now(), 1).length > 0;
  }

  #recordReadyOutcomes(): void {
    const { storage } = this.#deps;
    const outcomes = this.#outcomes.slice(0, OUTCOMES_PER_CYCLE);
    if (outcomes.length === 0) return;
    storage.transaction((tx) => recordOutcomes(tx, outcomes, this.#deps));
    this.#outcomes = this.#outcomes.slice(outcomes.length);
    for (const { delivery } of outcomes) this.#underWay.deletePlace(delivery);
    if (this.#moved.hasListeners) this.#moved.notifyListeners(outcomes.map(({ delivery }) => delivery));
    if (this.#outcomes.length > 0) this.#again = true;
  }

  /** Gives each due queue a turn, as far as there is room. */
  #claimDueDeliveries(): DueDelivery[] {
    const { storage, clock } = this.#deps;
    if (this.#underWay.size >= MAX_REQUESTS || !this.#isDue()) return [];
    const now = clock.now();
    const room = {
      all: Math.min(DELIVERIES_PER_CYCLE, MAX_REQUESTS - this.#underWay.size),
      failing: MAX_FAILING_REQUESTS - this.#failingRequests(),
    };
    const claimed = storage.transaction((tx) => {
      const deliveries: DueDelivery[] = [];
      for (const queueId of dueQueues(tx, now, QUEUES_PER_CYCLE)) {
        if (room.all === 0) break;
        deliveries.push(...this.#claimQueueTurn(tx, queueId, room, now));
      }
      return deliveries;
    });
    for (const delivery of claimed) this.#underWay.addPlace(delivery);
    if (claimed.length > 0) this.#moved.notifyListeners(claimed);
    this.#again = true;
    return claimed;
  }

  /** Claims what is due in a queue, as far as there is room, and sets when the queue is due next. */
  #claimQueueTurn(tx: Tx, queueId: string, room: { all: number; failing: number }, now: number): DueDelivery[] {
    const underWay = this.#underWay.ofQueue(queueId);
    const health = this.#health.get(queueId) ?? 'unknown';
    const ownRoom = Math.max(0, BOUNDS[health] - underWay.size);
    const wanted = health === 'failure' ? Math.min(ownRoom, Math.max(0, room.failing)) : ownRoom;
    const limit = Math.min(wanted, room.all);
    const found = limit > 0 ? dueDeliveries(tx, { id: queueId, underWay }, now, limit) : [];
    const claimed = withTargets(tx, found, now);
    // A queue has one key.
    if (claimed.some(({ webhook }) => isPausedByKey(this.#deps.keyOf, webhook))) {
      scheduleQueue(tx, queueId, now + KEY_LOOK_MS);
      return [];
    }
    room.all -= claimed.length;
    if (health === 'failure') room.failing -= claimed.length;
    const wakesAt = underWay.size + claimed.length > 0 ? now + BUSY_MS : null;
    // With less than it asked for, the queue waits for a later delivery; else it may hold more that is due.
    if (found.length < limit) scheduleQueue(tx, queueId, earlierTime(dueAfter(tx, queueId, now), wakesAt));
    else if (limit < wanted) scheduleQueue(tx, queueId, now);
    else scheduleQueue(tx, queueId, wakesAt ?? (wanted === 0 ? now + NO_ROOM_MS : now));
    return claimed;
  }

  #failingRequests(): number {
    let requests = 0;
    for (const [queueId, seqs] of this.#underWay.queues) {
      if (this.#health.get(queueId) === 'failure') requests += seqs.size;
    }
    return requests;
  }

  /** Starts the attempts, and yields to the event loop between portions. */
  async #launchAttempts(deliveries: readonly DueDelivery[]): Promise<void> {
    const payloads = new Payloads(this.#deps, deliveries);
    for (const [index, delivery] of deliveries.entries()) {
      if (index > 0 && index % ATTEMPTS_PER_TURN === 0) await yieldToEventLoop();
      void this.#attemptClaimed(delivery, prepareDelivery(delivery, payloads, this.#deps.clock));
    }
  }

  async #attemptClaimed(delivery: DueDelivery, preparing: ReturnType<typeof prepareDelivery>): Promise<void> {
    this.#requests += 1;
    try {
      const outcome = await attemptDelivery(delivery, preparing, this.#deps, this.#aborter.signal);
      this.#rememberHealth(outcome);
      if (delivery.kind === 'job') this.#deps.onAttempt(attemptOf(outcome));
      this.#outcomes.push(outcome);
    } catch {
      // Only the end of the process aborts an attempt: the delivery stays pending.
      this.#underWay.deletePlace(delivery);
    }
    this.#requests -= 1;
    if (this.#requests === 0) this.#whenIdle?.();
    this.#gathering ??= setTimeout(() => this.kickDispatcher(), GATHER_MS);
  }

  #rememberHealth(outcome: Outcome): void {
    if (!tellsOfTarget(outcome)) return;
    if (this.#health.size >= MAX_REMEMBERED_QUEUES) this.#health.clear();
    this.#health.set(outcome.delivery.lane_id, outcome.status === 'delivered' ? 'success' : 'failure');
  }

  /**
   * Waits are stored as the time of their end, so a clock that is set back by hours would lengthen them by hours: they
   * start again. The first cycle does the same, since the clock may have been set back before the start, and makes
   * every queue due, since a crash leaves busy queues with a time in the future.
   */
  async #followClock(): Promise<void> {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    if (this.#latest !== null && now >= this.#latest - TOLERATED_MS) {
      this.#latest = Math.max(now, this.#latest);
      return;
    }
    for (const slice of slicesOf(outboxRange(storage.db))) {
      // The outcome of a delivery under way sets its next wait.
      storage.transaction((tx) => restartWaits(tx, slice, this.#underWay.seqsUnderWay(), now));
      await yieldToEventLoop();
    }
    storage.transaction((tx) => wakeAllQueues(tx, now));
    this.#latest = now;
  }
}

function earlierTime(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

function attemptOf({ delivery, startedAt, endedAt, responseStatus, errorClass }: Outcome): DeliveryAttempt {
  const { job_id: jobId, job_ended_at: jobEndedAt, event, attempts } = delivery;
  return { jobId, jobEndedAt, event, number: attempts + 1, startedAt, endedAt, responseStatus, errorClass };
}

type Place = Pick<DueDelivery, 'seq' | 'lane_id'>;

/** Deliveries that were claimed and whose outcome is not recorded yet. */
class UnderWay {
  readonly queues = new Map<string, Set<number>>();
  size = 0;

  ofQueue(queueId: string): ReadonlySet<number> {
    return this.queues.get(queueId) ?? new Set();
  }

  seqsUnderWay(): number[] {
    return [...this.queues.values()].flatMap((seqs) => [...seqs]);
  }

  hasPlace({ lane_id: queueId, seq }: Place): boolean {
    return this.queues.get(queueId)?.has(seq) ?? false;
  }

  addPlace({ lane_id: queueId, seq }: Place): void {
    const seqs = this.queues.get(queueId) ?? new Set();
    this.queues.set(queueId, seqs.add(seq));
    this.size += 1;
  }

  deletePlace({ lane_id: queueId, seq }: Place): void {
    const seqs = this.queues.get(queueId);
    if (seqs?.delete(seq) !== true) return;
    this.size -= 1;
    if (seqs.size === 0) this.queues.delete(queueId);
  }
}

/** A webhook without a success for so long is disabled when the next delivery is exhausted. */
const DISABLE_AFTER_MS = 3 * DAY_MS;

/** Failed attempts in a row after which a webhook counts as failing, before its delivery is exhausted. */
const FAILURES_MIN = 5;

const GONE_NOTICE = say`The receiver answered 410 Gone: the webhook was disabled. Set its status to active to use it
  again.`;

/** A webhook of one job cannot be made active again, but its delivery can be sent again by hand. */
const JOB_GONE_NOTICE = say`The receiver answered 410 Gone: this webhook of one job is called no more. Its delivery can
  be sent again by hand.`;

const FAILING_NOTICE = say`No delivery succeeded for three days: the webhook was disabled. Repair the receiving program,
  then set the webhook to active. Jobs that end until then are not announced: GET /jobs lists them.`;

/** Writes the outcomes of a batch of attempts, and wakes their queues. */
function recordOutcomes(
  tx: Tx,
  outcomes: readonly Outcome[],
  { clock, log, endpoints }: Pick<WebhookDeps, 'clock' | 'log' | 'endpoints'>,
): void {
  const now = clock.now();
  insertAttempts(
    tx,
    outcomes.flatMap((outcome) => (outcome.attempt === null ? [] : [outcome.attempt])),
  );
  markOutcomes(
    tx,
    outcomes.map((outcome) => markOf(outcome, now)),
    now,
  );
  const last = lastOfEachWebhook(outcomes);
  if (last.length > 0) {
    const notes = last.map((outcome) => noteOf(outcome, outcomes));
    noteDeliveries(tx, notes);
  }
  for (const outcome of outcomes) {
    const notice = disablingNotice(outcome, now);
    if (notice !== null) disableWebhook(tx, outcome, notice, now, log);
  }
  for (const outcome of last) tellEndpoint(tx, outcome, endpoints);
  for (const queueId of new Set(outcomes.map((outcome) => outcome.delivery.lane_id))) wakeQueue(tx, queueId, now);
}

function markOf({ delivery, status, ...outcome }: Outcome, now: number): OutcomeMark {
  const { nextAttemptAt: nextAt, endedAt, responseStatus, errorClass } = outcome;
  // When the clock was set back since the end of the attempt, the wait begins now.
  const nextAttemptAt = nextAt === null ? null : nextAt - Math.max(0, endedAt - now);
  const { seq, next_attempt_at: dueAt } = delivery;
  // Only a retry compares its body with the last one.
  const bodySha256 = status === 'delivered' ? null : outcome.bodySha256;
  return { seq, dueAt, status, nextAttemptAt, responseStatus, errorClass, bodySha256 };
}

/** Only of account-level webhooks: the others show no last delivery. */
function lastOfEachWebhook(outcomes: readonly Outcome[]): Outcome[] {
  const last = new Map<string, Outcome>();
  for (const outcome of outcomes) {
    if (outcome.delivery.webhook.job_id === null) last.set(outcome.delivery.webhook_id, outcome);
  }
  return [...last.values()];
}

/** @param outcomes of all webhooks */
function noteOf(outcome: Outcome, outcomes: readonly Outcome[]): DeliveryNote {
  const own = outcomes.filter(({ delivery }) => delivery.webhook_id === outcome.delivery.webhook_id);
  const success = own.findLastIndex(({ status }) => status === 'delivered');
  return {
    failures: { sinceSuccess: success >= 0, count: own.slice(success + 1).filter(countsAgainstWebhook).length },
    webhookId: outcome.delivery.webhook_id,
    deliveryId: outcome.delivery.id,
    status: outcome.status,
    responseStatus: outcome.responseStatus,
    attemptedAt: outcome.startedAt,
    counts: countsAgainstWebhook(outcome),
  };
}

/** Whether a failure counts against the webhook. */
function countsAgainstWebhook(outcome: Outcome): boolean {
  return outcome.delivery.manual === 0 && tellsOfTarget(outcome);
}

/** Of account-level webhooks of the owner: those of payers are not the owner's to mend. */
function tellEndpoint(tx: Tx, outcome: Outcome, endpoints: EndpointListener): void {
  const { webhook_id: webhookId, webhook } = outcome.delivery;
  if (webhook.account_id !== OWNER.accountId) return;
  if (outcome.status === 'delivered') {
    endpoints.onEndpointMended(tx, webhookId);
    return;
  }
  const row = webhookById(tx, webhookId);
  if (row === undefined || !countsAgainstWebhook(outcome)) return;
  const gaveUp = outcome.status === 'exhausted' || row.status === 'disabled';
  if (!gaveUp && row.failures < FAILURES_MIN) return;
  const { name, url, notice } = row;
  const { responseStatus, errorClass } = outcome;
  endpoints.onEndpointFailing(tx, { webhookId, name, url, notice, responseStatus, errorClass });
}

/** False when the attempt says nothing about the receiver. */
function tellsOfTarget(outcome: Outcome): boolean {
  return outcome.errorClass !== 'job_gone' && outcome.errorClass !== 'internal';
}

function disablingNotice(outcome: Outcome, now: number): string | null {
  const { manual, webhook } = outcome.delivery;
  if (outcome.errorClass === 'gone') return webhook.job_id === null ? GONE_NOTICE : JOB_GONE_NOTICE;
  const { failing_since: failingSince } = webhook;
  const gaveUp = outcome.status === 'exhausted' && manual === 0 && tellsOfTarget(outcome);
  return gaveUp && failingSince !== null && now - failingSince >= DISABLE_AFTER_MS ? FAILING_NOTICE : null;
}

/** Circuit breaker: deliveries to an account-level webhook wait until it is active again; a job-level one never is. */
function disableWebhook(tx: Tx, outcome: Outcome, notice: string, now: number, log: WebhookLog): void {
  const { webhook_id: id, lane_id: queueId, id: deliveryId } = outcome.delivery;
  changeWebhook(tx, id, { status: 'disabled', notice }, now);
  if (outcome.delivery.webhook.job_id === null) holdQueue(tx, queueId, true);
  else cancelPending(tx, { id, queueId }, now);
  log.warn({ webhookId: id, deliveryId, errorClass: outcome.errorClass }, notice);
}
