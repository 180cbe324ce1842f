import type { Tx } from '../../platform/db/schema.ts';
import { DAY_MS } from '../../platform/units.ts';
import type { Outcome } from './attempt.ts';
import {
  type DeliveryNote,
  type FailedMark,
  insertAttempts,
  markDelivered,
  markFailed,
  noteDeliveries,
} from './delivery-store.ts';
import type { WebhookLog } from './ports.ts';
import { holdLane } from './store-lanes.ts';
import { cancelPending } from './webhooks-outbox-writer.ts';
import { changeWebhook } from './webhooks-writer.ts';

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
export async function recordOutcomes(
  tx: Tx,
  outcomes: readonly Outcome[],
  now: number,
  log: WebhookLog,
): Promise<void> {
  await insertAttempts(
    tx,
    outcomes.flatMap((outcome) => (outcome.attempt === null ? [] : [outcome.attempt])),
  );
  const delivered = outcomes.filter((outcome) => outcome.status === 'delivered');
  for (const [responseStatus, alike] of Map.groupBy(delivered, (outcome) => outcome.responseStatus)) {
    await markDelivered(
      tx,
      alike.map((outcome) => outcome.delivery.seq),
      responseStatus,
      now,
    );
  }
  const failed = outcomes.flatMap((outcome) => failedMark(outcome, now));
  if (failed.length > 0) await markFailed(tx, failed, now);
  const notes = lastOfEachWebhook(outcomes).map(noteOf);
  if (notes.length > 0) await noteDeliveries(tx, notes);
  for (const outcome of outcomes) {
    const notice = disablingNotice(outcome, now);
    if (notice !== null) await disable(tx, outcome, notice, now, log);
  }
}

function failedMark({ delivery, status, ...outcome }: Outcome, now: number): FailedMark[] {
  if (status === 'delivered') return [];
  const { nextAttemptAt: dueAt, endedAt, responseStatus, errorClass, bodySha256 } = outcome;
  // Where the clock was set back since, the wait begins now (set-back-clock.ts).
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
async function disable(tx: Tx, outcome: Outcome, notice: string, now: number, log: WebhookLog): Promise<void> {
  const { webhook_id: id, lane_id: laneId, id: deliveryId } = outcome.delivery;
  await changeWebhook(tx, id, { status: 'disabled', notice }, now);
  if (outcome.delivery.webhook.job_id === null) await holdLane(tx, laneId, true);
  else await cancelPending(tx, { id, laneId }, now);
  log.warn({ webhookId: id, deliveryId, errorClass: outcome.errorClass }, notice);
}
