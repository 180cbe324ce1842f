/**
 * Drains the outbox. One cycle is one transaction: it records what became of earlier attempts and takes what is due
 * next, a queue at a time. A delivery stays pending until its outcome is recorded, and its queue is leased to this
 * process meanwhile. A process that dies leaves leases behind that run out, so its deliveries are made again, with the
 * same `webhook-id`: at least once, never lost.
 */

import { othersTurn } from '../../platform/concurrency.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Listeners } from '../../platform/listeners.ts';
import { DAY_MS, KIB, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { ATTEMPT_TIMEOUT_MS, attemptDelivery, type Outcome } from './attempt.ts';
import {
  cancelPending,
  type DeliveryNote,
  type DueDelivery,
  dueDeliveries,
  type FailedMark,
  insertAttempts,
  markDelivered,
  markFailed,
  noteDeliveries,
  type TakenOfQueue,
  withTargets,
} from './delivery-store.ts';
import { Payloads } from './payload.ts';
import { type Flight, QueueWindows } from './queue-windows.ts';
import type { WebhookDeps, WebhookLog } from './sender.ts';
import { changeWebhook } from './store.ts';
import {
  callQueues,
  dueQueues,
  holdQueue,
  isQueueDue,
  type QueueSchedule,
  queueDueAfter,
  releaseQueues,
  scheduleQueues,
} from './store-queues.ts';
import { beginWaitsAnew, waitingDeliveries, wakeWaitingQueues } from './store-waits.ts';

/** Longer than an attempt can take, so that a lease only ends when its process has. */
const LEASE_MS = ATTEMPT_TIMEOUT_MS + 20 * SECOND_MS;

/** How long a queue waits that may not open another request although none of its own is under way. */
const PARKED_MS = SECOND_MS;

const LANES_PER_CYCLE = 64;

/** A turn is worth so many deliveries, however many queues wait: each turn is a statement of its own. */
const MIN_SHARE = 16;

const OUTCOMES_PER_CYCLE = 512;

/** How much is handed over to be sent before others have their turn. */
const BYTES_PER_TURN = 256 * KIB;

/** From so many requests under way on, outcomes are gathered: until there are so many, or for so long. */
const BUSY_FROM = 16;

const FULL_BATCH = 160;

const GATHER_MS = 50;

/** How often the outbox is looked at without being told to: retries fall due, another process may have written. */
const POLL_MS = 500;

/** How often somebody who waits for rest looks again. */
const SETTLE_MS = 5;

/** How long requests under way may go on when the server stops. */
const CLOSE_GRACE_MS = 3 * SECOND_MS;

/** How long they may take to notice that they were ended. */
const ABORT_GRACE_MS = SECOND_MS;

interface Taken {
  deliveries: readonly DueDelivery[];
  /** There may be more queues that want a turn, and there are places for them. */
  queuesLeft: boolean;
}

/** A delivery as whoever follows deliveries needs to know it. */
export type MovedDelivery = Pick<DueDelivery, 'id' | 'job_id' | 'webhook_id'>;

/** What a queue's turn found. */
interface Turn {
  queueId: string;
  room: number;
  found: number;
}

const NOTHING: Taken = { deliveries: [], queuesLeft: false };

export class Dispatcher {
  readonly #deps: WebhookDeps;
  readonly #moved: Listeners<readonly MovedDelivery[]>;
  readonly #owner = newId('run');
  readonly #windows = new QueueWindows();
  readonly #aborter = new AbortController();
  readonly #taken = new TakenDeliveries();
  readonly #setBackClock: SetBackClock;
  #outcomes: Outcome[] = [];
  #poll: NodeJS.Timeout | null = null;
  #cycle: Promise<void> | null = null;
  #again = false;
  #soon: NodeJS.Timeout | null = null;
  #closing = false;
  #whenIdle: (() => void) | null = null;

  /** @param moved is told, a batch at a time, which deliveries began an attempt or ended one. */
  constructor(deps: WebhookDeps, moved: Listeners<readonly MovedDelivery[]>) {
    this.#deps = deps;
    this.#moved = moved;
    this.#setBackClock = new SetBackClock(deps, this.#taken);
  }

  start(): void {
    if (this.#deps.soleProcess) this.#release(null);
    this.#poll = setInterval(() => this.kick(), POLL_MS);
    this.kick();
  }

  /** Looks at the outbox now. Cheap; to be called whenever something was written to it. */
  kick(): void {
    if (this.#soon !== null) clearTimeout(this.#soon);
    this.#soon = null;
    if (this.#poll === null) return;
    if (this.#cycle !== null) {
      this.#again = true;
      return;
    }
    this.#cycle = this.#run();
  }

  /** Resolves once nothing that is due now is left and nothing is under way. */
  async settled(): Promise<void> {
    for (;;) {
      // While requests are under way their ends ask for cycles; one more would only part what is recorded together.
      if (this.#windows.underWay === 0) this.kick();
      await this.#cycle;
      const atRest = this.#cycle === null && this.#outcomes.length === 0 && this.#windows.underWay === 0;
      if (atRest && !this.#isSomethingDue(this.#deps.clock.now())) return;
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    }
  }

  /** Lets requests under way end, within a bound; gives the others back. */
  async close(): Promise<void> {
    if (this.#poll === null) return;
    this.#closing = true;
    clearInterval(this.#poll);
    await this.#idleWithin(CLOSE_GRACE_MS);
    this.#aborter.abort();
    await this.#idleWithin(ABORT_GRACE_MS);
    while (this.#cycle !== null) await this.#cycle;
    this.#poll = null;
    while (this.#outcomes.length > 0) this.#once();
    this.#release(this.#owner);
  }

  /** Waits for the requests under way, at most so long. */
  async #idleWithin(milliseconds: number): Promise<void> {
    if (this.#windows.underWay === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenIdle = resolve;
    const timer = setTimeout(resolve, milliseconds);
    await promise;
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    // A breath between the request for a cycle and its begin lets more outcomes and deliveries join it.
    await new Promise((resolve) => setImmediate(resolve));
    do {
      this.#again = false;
      try {
        await this.#setBackClock.mendWaits();
        this.#once();
      } catch (error) {
        // A full or locked database: nothing is lost, the next look at the outbox tries again.
        this.#deps.log.error({ err: error }, 'The webhook outbox could not be worked on.');
        break;
      }
    } while (this.#again);
    this.#cycle = null;
  }

  #once(): void {
    const { storage, clock, log } = this.#deps;
    const now = clock.now();
    if (this.#outcomes.length === 0 && !this.#isSomethingDue(now)) return;
    const outcomes = this.#outcomes.splice(0, OUTCOMES_PER_CYCLE);
    let taken: Taken;
    try {
      taken = storage.transaction((tx) => {
        recordOutcomes(tx, outcomes, now, log);
        for (const { delivery } of outcomes) this.#taken.delete(delivery);
        const touched = [...new Set(outcomes.map((outcome) => outcome.delivery.lane_id))];
        if (touched.length > 0) callQueues(tx, touched, now);
        return this.#closing ? NOTHING : this.#take(tx, now);
      });
    } catch (error) {
      for (const { delivery } of outcomes) this.#taken.add(delivery);
      this.#outcomes.unshift(...outcomes);
      throw error;
    }
    // Whatever else is due waits for a place, and each place that becomes free asks for a cycle.
    if (this.#outcomes.length >= FULL_BATCH || taken.queuesLeft) this.#again = true;
    for (const delivery of taken.deliveries) this.#taken.add(delivery);
    if (this.#moved.any) this.#moved.tell([...outcomes.map(({ delivery }) => delivery), ...taken.deliveries]);
    void this.#launch(taken.deliveries);
  }

  isUnderWay(delivery: { seq: number; lane_id: string }): boolean {
    return this.#taken.has(delivery);
  }

  #isSomethingDue(now: number): boolean {
    if (this.#closing) return false;
    return isQueueDue(this.#deps.storage.db, this.#owner, now);
  }

  /**
   * Queues take turns by how long they have waited; each may take as much as its window has room for, and its share of
   * the places: what ended together then lies together, in the outbox as in the jobs, and goes the same way.
   */
  #take(tx: Tx, now: number): Taken {
    let free = this.#windows.free();
    if (free <= 0) return NOTHING;
    const queueIds = dueQueues(tx, this.#owner, now, LANES_PER_CYCLE);
    const turns: Turn[] = [];
    const rows: Parameters<typeof withTargets>[1][number][] = [];
    for (const [index, id] of queueIds.entries()) {
      const share = Math.max(MIN_SHARE, Math.ceil(free / (queueIds.length - index)));
      const room = Math.min(this.#windows.room(id), share, free);
      const found = room > 0 ? dueDeliveries(tx, { id, taken: this.#taken.ofQueue(id) }, now, room) : [];
      rows.push(...found);
      turns.push({ queueId: id, room, found: found.length });
      free -= found.length;
      if (free <= 0) break;
    }
    const deliveries = withTargets(tx, rows, now);
    const schedules = [];
    const busy = new Set([...deliveries.map((delivery) => delivery.lane_id), ...this.#taken.queueIds]);
    for (const turn of turns) schedules.push(this.#scheduleOf(tx, turn, busy.has(turn.queueId), now));
    if (schedules.length > 0) scheduleQueues(tx, schedules);
    const lostSome = deliveries.length < rows.length;
    return { deliveries, queuesLeft: lostSome || (free > 0 && queueIds.length === LANES_PER_CYCLE) };
  }

  /**
   * A queue with requests under way is called when one of them ends, so it sleeps until then, at most until its lease
   * ends. One that was full may hold more that is due; one that was not holds only what is due later.
   */
  #scheduleOf(tx: Tx, { queueId, room, found }: Turn, isBusy: boolean, now: number): QueueSchedule {
    const endsAt = now + LEASE_MS;
    const lease = isBusy ? { owner: this.#owner, endsAt } : null;
    // Without a request under way there was no room, or all that was found has lost its webhook: then it goes on.
    if (found === room) return { queueId, dueAt: isBusy ? endsAt : now + (room === 0 ? PARKED_MS : 0), lease };
    const dueAt = queueDueAfter(tx, queueId, now);
    return { queueId, dueAt: isBusy ? Math.min(dueAt ?? endsAt, endsAt) : dueAt, lease };
  }

  /** Never throws. Places are taken at once, so that the next cycle knows of them. */
  async #launch(taken: readonly DueDelivery[]): Promise<void> {
    const flights = taken.map((delivery) => ({ delivery, flight: this.#windows.start(delivery.lane_id) }));
    if (flights.length === 0) return;
    let bytes = 0;
    const payloads = new Payloads(this.#deps, taken);
    for (const { delivery, flight } of flights) {
      const attempt = attemptDelivery(delivery, payloads, this.#deps, this.#aborter.signal);
      void this.#fly(delivery, flight, attempt);
      bytes += payloads.sizeOf(delivery);
      if (bytes < BYTES_PER_TURN) continue;
      bytes = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #fly(delivery: DueDelivery, flight: Flight, attempt: Promise<Outcome>): Promise<void> {
    try {
      const outcome = await attempt;
      this.#windows.end(flight, verdictOf(outcome));
      this.#outcomes.push(outcome);
    } catch {
      // Only the end of this process throws here; `close` gives its queues back.
      this.#taken.delete(delivery);
      this.#windows.end(flight, 'failure');
    }
    this.#landed();
  }

  #landed(): void {
    if (this.#windows.underWay === 0) this.#whenIdle?.();
    // With many under way the next outcomes are close behind: recorded together they cost a fraction.
    if (this.#windows.underWay < BUSY_FROM || this.#outcomes.length >= FULL_BATCH) this.kick();
    else this.#soon ??= setTimeout(() => this.kick(), GATHER_MS);
  }

  #release(owner: string | null): void {
    const { storage, clock } = this.#deps;
    storage.transaction((tx) => releaseQueues(tx, owner, clock.now()));
  }
}

function verdictOf(outcome: Outcome): Parameters<QueueWindows['end']>[1] {
  if (outcome.status === 'delivered') return 'success';
  return outcome.errorClass === 'timeout' ? 'silence' : 'failure';
}

/** A webhook that has not taken anything for so long, and given up on once more, is disabled. */
const DISABLE_AFTER_MS = 3 * DAY_MS;

const GONE_NOTICE =
  'The receiver answered 410 Gone: the webhook was disabled. Set its status to active to use it again.';

/** A job's own webhook cannot be made active again, but what it missed can be sent by hand. */
const JOB_GONE_NOTICE =
  'The receiver answered 410 Gone: this webhook of one job is called no more. Its delivery can be sent again by hand.';

const FAILING_NOTICE =
  'No delivery succeeded for three days: the webhook was disabled. Mend the receiver, then set its status to active. ' +
  'Jobs that end until then are not announced: GET /jobs lists them.';

/** Writes what became of a batch of attempts: in one transaction, so that a batch costs little more than one would. */
function recordOutcomes(tx: Tx, outcomes: readonly Outcome[], now: number, log: WebhookLog): void {
  insertAttempts(
    tx,
    outcomes.flatMap((outcome) => (outcome.attempt === null ? [] : [outcome.attempt])),
  );
  const delivered = outcomes.filter((outcome) => outcome.status === 'delivered');
  for (const [responseStatus, alike] of Map.groupBy(delivered, (outcome) => outcome.responseStatus)) {
    markDelivered(
      tx,
      alike.map((outcome) => outcome.delivery.seq),
      responseStatus,
      now,
    );
  }
  const failed = outcomes.flatMap((outcome) => failedMark(outcome, now));
  if (failed.length > 0) markFailed(tx, failed, now);
  const notes = lastOfEachWebhook(outcomes).map(noteOf);
  if (notes.length > 0) noteDeliveries(tx, notes);
  for (const outcome of outcomes) {
    const notice = disablingNotice(outcome, now);
    if (notice !== null) disable(tx, outcome, notice, now, log);
  }
}

function failedMark({ delivery, status, ...outcome }: Outcome, now: number): FailedMark[] {
  if (status === 'delivered') return [];
  const { nextAttemptAt: dueAt, endedAt, responseStatus, errorClass, bodySha256 } = outcome;
  // Where the clock was set back since, the wait begins now.
  const nextAttemptAt = dueAt === null ? null : dueAt - Math.max(0, endedAt - now);
  return [
    {
      seq: delivery.seq,
      dueAt: delivery.next_attempt_at,
      status,
      nextAttemptAt,
      responseStatus,
      errorClass,
      bodySha256,
    },
  ];
}

/** Job-level webhooks serve one job and show no last delivery, so only account-level ones are noted. */
function lastOfEachWebhook(outcomes: readonly Outcome[]): Outcome[] {
  const last = new Map<string, Outcome>();
  for (const outcome of outcomes) {
    if (outcome.delivery.webhook.job_id === null) last.set(outcome.delivery.webhook_id, outcome);
  }
  return [...last.values()];
}

function noteOf(outcome: Outcome): DeliveryNote {
  return {
    webhookId: outcome.delivery.webhook_id,
    deliveryId: outcome.delivery.id,
    status: outcome.status,
    responseStatus: outcome.responseStatus,
    attemptedAt: outcome.startedAt,
    counts: outcome.delivery.manual === 0 && tellsOfTarget(outcome),
  };
}

/** A job that is gone, or a fault of our own, says nothing about the receiver. */
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

/** An account's webhook keeps what waits, for when it is active again; a job's own has no later. */
function disable(tx: Tx, outcome: Outcome, notice: string, now: number, log: WebhookLog): void {
  const { webhook_id: id, lane_id: queueId, id: deliveryId } = outcome.delivery;
  changeWebhook(tx, id, { status: 'disabled', notice }, now);
  if (outcome.delivery.webhook.job_id === null) holdQueue(tx, queueId, true);
  else cancelPending(tx, { id, queueId }, now);
  log.warn({ webhookId: id, deliveryId, errorClass: outcome.errorClass }, notice);
}

type Place = Pick<DueDelivery, 'seq' | 'lane_id' | 'next_attempt_at'>;

interface TakenDelivery extends TakenOfQueue {
  seqs: Set<number>;
}

/** The deliveries that were taken from their queues and whose outcome is not recorded yet. */
class TakenDeliveries {
  readonly #queues = new Map<string, TakenDelivery>();

  /** The queues that have some. */
  get queueIds(): Iterable<string> {
    return this.#queues.keys();
  }

  ofQueue(queueId: string): TakenOfQueue | null {
    return this.#queues.get(queueId) ?? null;
  }

  has({ lane_id: queueId, seq }: { lane_id: string; seq: number }): boolean {
    return this.#queues.get(queueId)?.seqs.has(seq) ?? false;
  }

  add(delivery: Place): void {
    const queue = this.#queues.get(delivery.lane_id);
    if (queue === undefined) {
      this.#queues.set(delivery.lane_id, { seqs: new Set([delivery.seq]), last: delivery });
      return;
    }
    queue.seqs.add(delivery.seq);
    if (isBehind(delivery, queue.last)) queue.last = delivery;
  }

  delete({ lane_id: queueId, seq }: { lane_id: string; seq: number }): void {
    const queue = this.#queues.get(queueId);
    queue?.seqs.delete(seq);
    if (queue?.seqs.size === 0) this.#queues.delete(queueId);
  }
}

/** In the order of a queue. */
function isBehind(one: TakenOfQueue['last'], other: TakenOfQueue['last']): boolean {
  const difference = (one.next_attempt_at ?? 0) - (other.next_attempt_at ?? 0);
  return difference === 0 ? one.seq > other.seq : difference > 0;
}

/**
 * A wait is kept as the time of its end. When the clock is set back, one that began by the time before would be longer
 * by as much: hours, where the machine's clock was wrong by hours. Such waits begin anew, so that none is longer than
 * twice what it was to be; a wait that began before the time it is now ends when that says.
 */

/** Clocks are put right by seconds all the time; nobody minds a wait that is longer by so little. */
const TOLERATED_MS = MINUTE_MS;

/** Takes two to five milliseconds. */
const WAITS_PER_TURN = 2000;

class SetBackClock {
  readonly #deps: Pick<WebhookDeps, 'storage' | 'clock'>;
  readonly #taken: TakenDeliveries;
  /** The latest time that was seen. Null at the start: what a process before has seen is not known. */
  #latest: number | null = null;

  constructor(deps: Pick<WebhookDeps, 'storage' | 'clock'>, taken: TakenDeliveries) {
    this.#deps = deps;
    this.#taken = taken;
  }

  /** Lets waits begin anew if the clock was set back since the last time. Costs nothing if it was not. */
  async mendWaits(): Promise<void> {
    const now = this.#deps.clock.now();
    if (this.#latest !== null && now >= this.#latest - TOLERATED_MS) {
      this.#latest = Math.max(now, this.#latest);
      return;
    }
    for (let behind: number | null = -1; behind !== null; ) {
      behind = this.#mendSome(behind, now);
      await othersTurn();
    }
    this.#deps.storage.transaction((tx) => wakeWaitingQueues(tx, now));
    this.#latest = now;
  }

  /** Gives back where to go on; null at the end. */
  #mendSome(behind: number, now: number): number | null {
    return this.#deps.storage.transaction((tx) => {
      const rows = waitingDeliveries(tx, behind, WAITS_PER_TURN);
      // The outcome of one that is under way says itself what comes next.
      const wrong = rows.filter((row) => row.updated_at > now && !this.#taken.has(row));
      const seqs = wrong.map((row) => row.seq);
      if (seqs.length > 0) beginWaitsAnew(tx, seqs, now);
      return rows.length === WAITS_PER_TURN ? (rows.at(-1)?.seq ?? null) : null;
    });
  }
}
