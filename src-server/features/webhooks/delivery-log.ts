/**
 * What happens to deliveries after their attempts: they are shown, sent again by hand, and deleted. The exhausted ones
 * are the dead-letter queue.
 */

import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { toIsoTime } from '../../platform/clock.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/units.ts';
import {
  type AttemptRow,
  attemptBody,
  attemptsOf,
  countDeliveries,
  countSelection,
  type DeliveryFilter,
  deleteExpiredSelection,
  deleteOldDeliveries,
  deliveryById,
  insertSelection,
  type ListedDelivery,
  listDeliveries,
  markApplied,
  newestSelected,
  outboxRange,
  requeueDelivery,
  requeueSlice,
  selectionById,
  selectSlice,
  slicesOf,
} from './delivery-store.ts';
import { explainSignature } from './explain.ts';
import { deleteIdleQueues, wakeQueue } from './outbox.ts';
import type { WebhookDeps, WebhookExplanation } from './schema.ts';
import { sentHeaders } from './signing.ts';
import { deleteForgottenWebhooks, webhookById, wipeExpiredSecrets } from './store.ts';

/** Statuses are counted up to here. */
const COUNT_CEILING = 10_000;

const inflated = promisify(inflate);

/** A delivery as the dashboard sees it. */
function deliveryView(row: ListedDelivery, underWay: boolean) {
  return {
    deliveryId: row.id,
    webhookId: row.webhook_id,
    webhookName: row.webhook_name,
    webhookStatus: row.webhook_status,
    accountId: row.account_id,
    jobId: row.job_id,
    kind: row.kind,
    event: row.event,
    url: row.url,
    status: row.status,
    attempts: row.attempts,
    manual: row.manual === 1,
    underWay,
    nextAttemptAt: underWay || isHeld(row) ? null : isoOrNull(row.next_attempt_at),
    lastResponseStatus: row.last_response_status,
    lastErrorClass: row.last_error_class,
    createdAt: toIsoTime(row.created_at),
    updatedAt: toIsoTime(row.updated_at),
  };
}

type DeliveryView = ReturnType<typeof deliveryView>;

/** While an account-level webhook is not active, its deliveries have no due time. Job-level webhooks are never held. */
function isHeld(row: ListedDelivery): boolean {
  return row.lane_id === row.webhook_id && row.webhook_status !== 'active';
}

/** Whether a request of this delivery is under way. */
export type IsUnderWay = (delivery: { seq: number; lane_id: string }) => boolean;

function attemptView(row: Omit<AttemptRow, 'request_body'>, delivery: ListedDelivery) {
  return {
    number: row.number,
    manual: row.manual === 1,
    startedAt: toIsoTime(row.started_at),
    durationMs: Math.round(row.duration_ms * 10) / 10,
    request: {
      method: 'POST',
      url: row.url,
      headers: sentHeaders(row, delivery),
      bodySha256: row.request_body_sha256,
      bodyBytes: row.request_body_bytes,
    },
    response: responseView(row),
    errorClass: row.error_class,
    errorMessage: row.error_message,
    nextAttemptAt: isoOrNull(row.next_attempt_at),
  };
}

type AttemptView = ReturnType<typeof attemptView>;

function responseView(row: Omit<AttemptRow, 'request_body'>) {
  if (row.response_status === null || row.response_headers === null) return null;
  return {
    status: row.response_status,
    headers: parseOwnJson<Record<string, string | string[]>>(row.response_headers),
    body: Buffer.from(row.response_body ?? []).toString('utf8'),
    truncated: row.response_truncated === 1,
  };
}

function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toIsoTime(milliseconds);
}

/** Reads deliveries and their attempts. */
export class DeliveryLog {
  readonly #deps: WebhookDeps;
  readonly #isUnderWay: IsUnderWay;

  constructor(deps: WebhookDeps, isUnderWay: IsUnderWay) {
    this.#deps = deps;
    this.#isUnderWay = isUnderWay;
  }

  viewDelivery(row: ListedDelivery): DeliveryView {
    return deliveryView(row, this.#isUnderWay(row));
  }

  /**
   * One page, newest first. `before` is the `seq` of the last row of the page before. `next` is the cursor of the page
   * after, null on the last one.
   */
  async pageOfDeliveries(filter: DeliveryFilter, before: number | null, limit: number) {
    const { db } = this.#deps.storage;
    const page =
      filter.url === undefined
        ? listDeliveries(db, filter, { before }, limit)
        : this.#siftDeliveries(filter, before, limit);
    const rows = await page;
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return { deliveries: rows.map((row) => this.viewDelivery(row)), next: last ? String(last.seq) : null };
  }

  /** A page of what no index finds: reads a slice of the outbox at a time, and yields after each. */
  async #siftDeliveries(filter: DeliveryFilter, before: number | null, limit: number): Promise<ListedDelivery[]> {
    const { db } = this.#deps.storage;
    const range = outboxRange(db);
    const rows: ListedDelivery[] = [];
    for (const { from, to } of slicesOf(range === null || before === null ? range : { ...range, last: before - 1 })) {
      rows.push(...listDeliveries(db, filter, { before: to, from }, limit - rows.length));
      if (rows.length === limit) break;
      await yieldToEventLoop();
    }
    return rows;
  }

  /** Per status, up to 10,000. */
  deliveryCounts() {
    return countDeliveries(this.#deps.storage.db, COUNT_CEILING);
  }

  /** Errors: `not_found`. */
  deliveryWithAttempts(deliveryId: string): DeliveryView & { attemptLog: AttemptView[] } {
    const row = this.#requireDelivery(deliveryId);
    const attempts = attemptsOf(this.#deps.storage.db, row.seq);
    return { ...this.viewDelivery(row), attemptLog: attempts.map((attempt) => attemptView(attempt, row)) };
  }

  /** The exact bytes that an attempt sent. Errors: `not_found`, also for a body that is too long for the log. */
  async requestBody(deliveryId: string, number: number): Promise<Buffer> {
    const attempt = this.#requireAttempt(this.#requireDelivery(deliveryId), number);
    const stored = attemptBody(this.#deps.storage.db, attempt.delivery_seq, attempt.request_body_sha256);
    if (stored?.request_body === null || stored?.request_body === undefined) {
      const message = 'The body of this attempt was too long to be kept; the log has its length and SHA-256.';
      throw new QuarryError('not_found', message);
    }
    const bytes = Buffer.from(stored.request_body);
    return stored.request_body_encoding === 'deflate' ? inflated(bytes) : bytes;
  }

  /**
   * Explains the signatures of an attempt at its time, under the current secret, or under the previous one while it is
   * stored: attempts before a rotation were signed with it. Errors: `not_found`.
   */
  async explainDeliveryAttempt(deliveryId: string, number: number): Promise<WebhookExplanation> {
    const row = this.#requireDelivery(deliveryId);
    const attempt = this.#requireAttempt(row, number);
    const webhook = webhookById(this.#deps.storage.db, row.webhook_id);
    const headers = sentHeaders(attempt, row);
    const body = await this.requestBody(deliveryId, number);
    const explainUnderSecret = (secret: string | null) =>
      explainSignature({ headers, body }, secret, attempt.started_at);
    const explanation = explainUnderSecret(webhook?.secret ?? null);
    if (explanation.verdict === 'valid' || !webhook?.previous_secret) return explanation;
    const before = explainUnderSecret(webhook.previous_secret);
    return before.verdict === 'valid' ? before : explanation;
  }

  #requireDelivery(deliveryId: string): ListedDelivery {
    const row = deliveryById(this.#deps.storage.db, deliveryId);
    if (row === undefined) throw new QuarryError('not_found', 'There is no delivery with this id.');
    return row;
  }

  #requireAttempt(delivery: ListedDelivery, number: number) {
    const attempts = attemptsOf(this.#deps.storage.db, delivery.seq);
    const attempt = attempts.find((one) => one.number === number);
    if (attempt === undefined) throw new QuarryError('not_found', 'There is no attempt with this number.');
    return attempt;
  }
}

/** Deliveries in one selection. */
const MAX_SELECTED = 100_000;

/** Takes some five milliseconds. */
const REQUEUED_PER_TURN = 200;

const SELECTION_LIFE_MS = 15 * MINUTE_MS;

const SAMPLE = 10;

export interface RedeliveryPreview {
  selectionId: string;
  /** What the filter found. */
  deliveries: number;
  /** How many of them can be sent: their webhook exists and is not disabled, and their job exists. */
  sendable: number;
  sample: ListedDelivery[];
  expiresAt: number;
}

/**
 * Sends deliveries again by hand. A delivery keeps its `webhook-id`, is signed with the current secret, starts at the
 * beginning of the schedule, and does not count against its webhook when it fails.
 */
export class Redelivery {
  readonly #deps: WebhookDeps;
  readonly #isUnderWay: IsUnderWay;
  readonly #kick: () => void;
  readonly #applying = new Set<string>();

  constructor(deps: WebhookDeps, isUnderWay: IsUnderWay, kick: () => void) {
    this.#deps = deps;
    this.#isUnderWay = isUnderWay;
    this.#kick = kick;
  }

  /** Errors: `not_found`, `conflict`, `job_expired`. */
  redeliverOne(deliveryId: string): void {
    const { storage, clock, presentMany } = this.#deps;
    const found = deliveryById(storage.db, deliveryId);
    if (found === undefined) throw new QuarryError('not_found', 'There is no delivery with this id.');
    if (found.kind === 'job' && !presentMany([found.job_id], 0).has(found.job_id)) {
      throw new QuarryError('job_expired', 'The job is gone, so there is nothing left to deliver.');
    }
    if (this.#isUnderWay(found)) {
      throw new QuarryError('conflict', 'An attempt is under way: wait for its end, then send again.');
    }
    const now = clock.now();
    storage.transaction((tx) => {
      refuseUnreachable(tx, found);
      requeueDelivery(tx, found.seq, now);
      wakeQueue(tx, found.lane_id, now);
    });
    this.#kick();
  }

  /**
   * Counts and freezes what a filter finds, a slice of the outbox at a time. Later deliveries are not part of it.
   * Errors: `invalid_request` when it finds too many.
   */
  async freezeSelection(filter: DeliveryFilter): Promise<RedeliveryPreview> {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    const id = newId('sel');
    const counts = { deliveries: 0, sendable: 0 };
    const expiresAt = now + SELECTION_LIFE_MS;
    const about = { filter: JSON.stringify(filter), created_at: now, expires_at: expiresAt, applied_at: null };
    // No caller knows the id until the selection is complete; what a crash leaves of it expires.
    storage.transaction((tx) => insertSelection(tx, { id, deliveries: 0, ...about }));
    for (const slice of slicesOf(outboxRange(storage.db))) {
      const found = storage.transaction((tx) => selectSlice(tx, id, filter, slice));
      counts.deliveries += found.deliveries;
      counts.sendable += found.sendable;
      if (counts.deliveries > MAX_SELECTED) {
        const message = `The filter finds more than ${MAX_SELECTED} deliveries: narrow it, by url, since and until.`;
        throw new QuarryError('invalid_request', message);
      }
      await yieldToEventLoop();
    }
    storage.transaction((tx) => countSelection(tx, id, counts.deliveries));
    return { selectionId: id, ...counts, sample: newestSelected(storage.db, id, SAMPLE), expiresAt };
  }

  /**
   * Sends a selection again, once, a slice at a time. After a crash the rest can be sent by the same id.
   * Errors: `not_found`, `conflict`.
   */
  async applySelection(selectionId: string): Promise<{ requeued: number; skipped: number }> {
    if (this.#applying.has(selectionId)) throw new QuarryError('conflict', 'This selection is being sent already.');
    this.#applying.add(selectionId);
    try {
      return await this.#applyFrozenSelection(selectionId);
    } finally {
      this.#applying.delete(selectionId);
    }
  }

  async #applyFrozenSelection(selectionId: string): Promise<{ requeued: number; skipped: number }> {
    const { storage, clock } = this.#deps;
    const selection = selectionById(storage.db, selectionId);
    if (selection === undefined || selection.expires_at <= clock.now()) {
      throw new QuarryError('not_found', 'There is no such selection any more: make a new preview.');
    }
    if (selection.applied_at !== null) throw new QuarryError('conflict', 'This selection was sent already.');
    const counts = { requeued: 0, skipped: 0 };
    for (let removed = -1; removed !== 0; ) {
      const now = clock.now();
      const slice = storage.transaction((tx) => {
        const { queueIds, ...rest } = requeueSlice(tx, selectionId, REQUEUED_PER_TURN, now);
        for (const queueId of new Set(queueIds)) wakeQueue(tx, queueId, now);
        if (rest.removed === 0) markApplied(tx, selectionId, now);
        return { requeued: queueIds.length, ...rest };
      });
      removed = slice.removed;
      counts.requeued += slice.requeued;
      counts.skipped += slice.removed - slice.requeued;
      this.#kick();
      await yieldToEventLoop();
    }
    return counts;
  }
}

/** A job-level webhook cannot be made active again, so it may be disabled. */
function refuseUnreachable(tx: Tx, delivery: ListedDelivery): void {
  const webhook = webhookById(tx, delivery.webhook_id);
  if (webhook === undefined) throw new QuarryError('conflict', 'The webhook was deleted: nothing is sent to it.');
  if (webhook.status === 'disabled' && webhook.job_id === null) {
    throw new QuarryError('conflict', 'The webhook is disabled: set its status to active first.');
  }
}

/** How long a delivery and its attempts stay in the log: as long as its job. */
const DELIVERY_RETENTION_MS = 30 * DAY_MS;

const SWEEP_MS = HOUR_MS;

/** Deliveries per transaction, to bound its time. */
const DELETED_PER_TURN = 200;

/** Entries of an expired selection per transaction. */
const ITEMS_PER_TURN = 2000;

/** Deletes old deliveries, expired secrets, deleted webhooks and expired selections. */
export class WebhookRetention {
  readonly #deps: WebhookDeps;
  #timer: NodeJS.Timeout | null = null;
  #sweep: Promise<void> | null = null;
  #closing = false;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  startDeliveryRetention(): void {
    const sweepAndLogFailure = () => {
      this.#sweep ??= this.deleteDueDeliveries()
        .catch((error: unknown) => this.#deps.log.error({ err: error }, 'Old deliveries could not be removed.'))
        .finally(() => {
          this.#sweep = null;
        });
    };
    this.#timer = setInterval(sweepAndLogFailure, SWEEP_MS);
    sweepAndLogFailure();
  }

  async closeDeliveryRetention(): Promise<void> {
    this.#closing = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#sweep;
  }

  /** Deletes everything that is due. */
  async deleteDueDeliveries(): Promise<void> {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    const before = now - DELIVERY_RETENTION_MS;
    let deleted = DELETED_PER_TURN;
    while (deleted === DELETED_PER_TURN && !this.#closing) {
      deleted = storage.transaction((tx) => deleteOldDeliveries(tx, before, DELETED_PER_TURN));
      await yieldToEventLoop();
    }
    let isClean = false;
    while (!isClean && !this.#closing) {
      isClean = storage.transaction((tx) => deleteExpiredSelection(tx, now, ITEMS_PER_TURN));
      await yieldToEventLoop();
    }
    storage.transaction((tx) => {
      wipeExpiredSecrets(tx, now);
      deleteForgottenWebhooks(tx, before);
      deleteIdleQueues(tx);
    });
  }
}
