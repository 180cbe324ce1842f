import { othersTurn } from '../../platform/concurrency.ts';
import type { Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import { type IsUnderWay, slicesOf } from './delivery-log.ts';
import {
  countSelection,
  type DeliveryFilter,
  deliveryById,
  insertSelection,
  type ListedDelivery,
  markApplied,
  outboxRange,
  requeueDelivery,
  requeueSlice,
  sampleOf,
  selectionById,
  selectSlice,
} from './delivery-store.ts';
import type { WebhookDeps } from './sender.ts';
import { webhookById } from './store.ts';
import { wakeQueue } from './store-queues.ts';

/** Deliveries one selection may hold: more than anyone sends again on purpose. */
const MAX_SELECTED = 100_000;

/** Each one is a row changed and perhaps a queue woken: some five milliseconds. */
const REQUEUED_PER_TURN = 200;

const SELECTION_LIFE_MS = 15 * MINUTE_MS;

const SAMPLE = 10;

export interface RedeliveryPreview {
  selectionId: string;
  /** What the filter found. */
  deliveries: number;
  /** How many of them can be sent: their webhook is there and not disabled, and their job has not been removed. */
  sendable: number;
  sample: ListedDelivery[];
  expiresAt: number;
}

/**
 * Sending again by hand. A delivery keeps its `webhook-id`, is signed with today's secret, starts at the beginning of
 * the schedule, and does not count against its webhook when it fails.
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
  one(deliveryId: string): void {
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
   * Counts and freezes what a filter finds, a slice of the outbox at a time. What comes in meanwhile is not part of it.
   * Errors: `invalid_request` when that is too much for one selection.
   */
  async preview(filter: DeliveryFilter): Promise<RedeliveryPreview> {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    const id = newId('sel');
    const counts = { deliveries: 0, sendable: 0 };
    const expiresAt = now + SELECTION_LIFE_MS;
    const about = { filter: JSON.stringify(filter), created_at: now, expires_at: expiresAt, applied_at: null };
    // Its id is not known to anybody until it is whole; what a crash leaves of it expires.
    storage.transaction((tx) => insertSelection(tx, { id, deliveries: 0, ...about }));
    for (const slice of slicesOf(outboxRange(storage.db))) {
      const found = storage.transaction((tx) => selectSlice(tx, id, filter, slice));
      counts.deliveries += found.deliveries;
      counts.sendable += found.sendable;
      if (counts.deliveries > MAX_SELECTED) {
        const message = `The filter finds more than ${MAX_SELECTED} deliveries: narrow it, by url, since and until.`;
        throw new QuarryError('invalid_request', message);
      }
      await othersTurn();
    }
    storage.transaction((tx) => countSelection(tx, id, counts.deliveries));
    return { selectionId: id, ...counts, sample: sampleOf(storage.db, id, SAMPLE), expiresAt };
  }

  /**
   * Sends a selection again, once, a slice at a time; what a crash leaves over can be applied again.
   * Errors: `not_found`, `conflict`.
   */
  async apply(selectionId: string): Promise<{ requeued: number; skipped: number }> {
    if (this.#applying.has(selectionId)) throw new QuarryError('conflict', 'This selection is being sent already.');
    this.#applying.add(selectionId);
    try {
      return await this.#apply(selectionId);
    } finally {
      this.#applying.delete(selectionId);
    }
  }

  async #apply(selectionId: string): Promise<{ requeued: number; skipped: number }> {
    const { storage, clock } = this.#deps;
    const selection = selectionById(storage.db, selectionId);
    if (selection === undefined || selection.expires_at <= clock.now()) {
      throw new QuarryError('not_found', 'There is no such selection any more: make a new preview.');
    }
    if (selection.applied_at !== null) throw new QuarryError('conflict', 'This selection was sent already.');
    const counts = { requeued: 0, skipped: 0 };
    for (let looked = -1; looked !== 0; ) {
      const now = clock.now();
      const slice = storage.transaction((tx) => {
        const { queueIds, ...rest } = requeueSlice(tx, selectionId, REQUEUED_PER_TURN, now);
        for (const queueId of new Set(queueIds)) wakeQueue(tx, queueId, now);
        if (rest.looked === 0) markApplied(tx, selectionId, now);
        return { requeued: queueIds.length, ...rest };
      });
      looked = slice.looked;
      counts.requeued += slice.requeued;
      counts.skipped += slice.looked - slice.requeued;
      this.#kick();
      await othersTurn();
    }
    return counts;
  }
}

/** A job's own webhook cannot be made active again, so sending to it by hand is allowed even when it is disabled. */
function refuseUnreachable(tx: Tx, delivery: ListedDelivery): void {
  const webhook = webhookById(tx, delivery.webhook_id);
  if (webhook === undefined) throw new QuarryError('conflict', 'The webhook was deleted: nothing is sent to it.');
  if (webhook.status === 'disabled' && webhook.job_id === null) {
    throw new QuarryError('conflict', 'The webhook is disabled: set its status to active first.');
  }
}
