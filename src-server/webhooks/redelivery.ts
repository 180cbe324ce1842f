import { QuarryError } from '../contract/index.ts';
import { newId } from '../lib/ids.ts';
import { MINUTE_MS } from '../lib/units.ts';
import type { Tx } from '../storage/schema.ts';
import { wakeLane } from '../storage/webhooks-lanes.ts';
import {
  type DeliveryFilter,
  deliveryById,
  type ListedDelivery,
  selectDeliveries,
} from '../storage/webhooks-outbox-reader.ts';
import { webhookById } from '../storage/webhooks-reader.ts';
import {
  countSendable,
  insertSelection,
  requeueDelivery,
  requeueSelection,
  sampleOf,
  selectionById,
} from '../storage/webhooks-redelivery.ts';
import type { IsUnderWay } from './delivery-log.ts';
import type { WebhookParts } from './ports.ts';

/** Deliveries one selection may hold: more than anyone sends again on purpose. */
const MAX_SELECTED = 100_000;
const SELECTION_LIFE_MS = 15 * MINUTE_MS;
const SAMPLE = 10;

export interface RedeliveryPreview {
  selectionId: string;
  /** What the filter found. */
  deliveries: number;
  /** How many of them can be sent: their webhook is there and not disabled. */
  sendable: number;
  sample: ListedDelivery[];
  expiresAt: number;
}

/**
 * Sending again by hand. A delivery keeps its `webhook-id`, is signed with today's secret, starts at the beginning of
 * the schedule, and does not count against its webhook when it fails.
 */
export class Redelivery {
  readonly #parts: WebhookParts;
  readonly #isUnderWay: IsUnderWay;
  readonly #kick: () => void;

  constructor(parts: WebhookParts, isUnderWay: IsUnderWay, kick: () => void) {
    this.#parts = parts;
    this.#isUnderWay = isUnderWay;
    this.#kick = kick;
  }

  /** Errors: `not_found`, `conflict`, `job_expired`. */
  async one(deliveryId: string): Promise<void> {
    const { storage, clock, presentMany } = this.#parts;
    const found = await deliveryById(storage.db, deliveryId);
    if (found === undefined) throw new QuarryError('not_found', 'There is no delivery with this id.');
    if (found.kind === 'job' && !(await presentMany([found.job_id], 0)).has(found.job_id)) {
      throw new QuarryError('job_expired', 'The job is gone, so there is nothing left to deliver.');
    }
    if (this.#isUnderWay(found)) {
      throw new QuarryError('conflict', 'An attempt is under way: wait for its end, then send again.');
    }
    const now = clock.now();
    await storage.transaction(async (tx) => {
      await refuseUnreachable(tx, found);
      await requeueDelivery(tx, found.seq, now);
      await wakeLane(tx, found.lane_id, now);
    });
    this.#kick();
  }

  /** Counts and freezes what a filter finds. Errors: `invalid_request` when that is too much for one selection. */
  async preview(filter: DeliveryFilter): Promise<RedeliveryPreview> {
    const { storage, clock } = this.#parts;
    const now = clock.now();
    const id = newId('sel');
    const expiresAt = now + SELECTION_LIFE_MS;
    return storage.transaction(async (tx) => {
      const seqs = await selectDeliveries(tx, filter, MAX_SELECTED + 1);
      if (seqs.length > MAX_SELECTED) {
        const message = `The filter finds more than ${MAX_SELECTED} deliveries: narrow it, by since and until.`;
        throw new QuarryError('invalid_request', message);
      }
      const about = { filter: JSON.stringify(filter), created_at: now, expires_at: expiresAt, applied_at: null };
      await insertSelection(tx, { id, deliveries: seqs.length, ...about }, seqs);
      const sample = await sampleOf(tx, id, SAMPLE);
      return { selectionId: id, deliveries: seqs.length, sendable: await countSendable(tx, id), sample, expiresAt };
    });
  }

  /** Sends a selection again, once. Errors: `not_found`, `conflict`. */
  async apply(selectionId: string): Promise<{ requeued: number; skipped: number }> {
    const { storage, clock } = this.#parts;
    const now = clock.now();
    const counts = await storage.transaction(async (tx) => {
      const selection = await selectionById(tx, selectionId);
      if (selection === undefined || selection.expires_at <= now) {
        throw new QuarryError('not_found', 'There is no such selection any more: make a new preview.');
      }
      if (selection.applied_at !== null) throw new QuarryError('conflict', 'This selection was sent already.');
      const { deliveries, laneIds } = await requeueSelection(tx, selectionId, now);
      for (const laneId of laneIds) await wakeLane(tx, laneId, now);
      return { requeued: deliveries, skipped: selection.deliveries - deliveries };
    });
    this.#kick();
    return counts;
  }
}

/** A job's own webhook cannot be made active again, so sending to it by hand is allowed even when it is disabled. */
async function refuseUnreachable(tx: Tx, delivery: ListedDelivery): Promise<void> {
  const webhook = await webhookById(tx, delivery.webhook_id);
  if (webhook === undefined) throw new QuarryError('conflict', 'The webhook was deleted: nothing is sent to it.');
  if (webhook.status === 'disabled' && webhook.job_id === null) {
    throw new QuarryError('conflict', 'The webhook is disabled: set its status to active first.');
  }
}
