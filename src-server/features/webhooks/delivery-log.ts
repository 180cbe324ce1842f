import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { toIsoTime } from '../../platform/clock.ts';
import { othersTurn } from '../../platform/concurrency.ts';
import { QuarryError } from '../../platform/errors.ts';
import {
  type AttemptRow,
  attemptBody,
  attemptsOf,
  countDeliveries,
  type DeliveryFilter,
  deliveryById,
  type ListedDelivery,
  listDeliveries,
  outboxRange,
} from './delivery-store.ts';
import { type Explanation, explainSignature } from './explain.ts';
import { sentHeaders, type WebhookDeps } from './sender.ts';
import { webhookById } from './store.ts';

/** Counts stop here: what matters of a larger number is that it is large. */
const COUNT_CEILING = 10_000;

const inflated = promisify(inflate);

/** A delivery as the dashboard sees it. */
function deliveryView(row: ListedDelivery, underWay: boolean) {
  return {
    deliveryId: row.id,
    webhookId: row.webhook_id,
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

/** While an account's webhook is not active, what waits for it has no time. The webhook of one job is never held. */
function isHeld(row: ListedDelivery): boolean {
  return row.lane_id === row.webhook_id && row.webhook_status !== 'active';
}

/** Whether a request of this delivery is on its way just now. */
export type IsUnderWay = (delivery: { seq: number; lane_id: string }) => boolean;

/** An attempt: what was sent, what came back, how long it took, what comes next. */
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
    headers: JSON.parse(row.response_headers) as Record<string, string | string[]>,
    body: Buffer.from(row.response_body ?? []).toString('utf8'),
    truncated: row.response_truncated === 1,
  };
}

function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toIsoTime(milliseconds);
}

/** Reads what the deliveries left behind. */
export class DeliveryLog {
  readonly #deps: WebhookDeps;
  readonly #isUnderWay: IsUnderWay;

  constructor(deps: WebhookDeps, isUnderWay: IsUnderWay) {
    this.#deps = deps;
    this.#isUnderWay = isUnderWay;
  }

  view(row: ListedDelivery): DeliveryView {
    return deliveryView(row, this.#isUnderWay(row));
  }

  /**
   * One page, newest first. `before` is the `seq` of the last row of the page before. `next` is the cursor of the page
   * after, null on the last one.
   */
  async list(filter: DeliveryFilter, before: number | null, limit: number) {
    const { db } = this.#deps.storage;
    const page =
      filter.url === undefined ? listDeliveries(db, filter, { before }, limit) : this.#sift(filter, before, limit);
    const rows = await page;
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return { deliveries: rows.map((row) => this.view(row)), next: last ? String(last.seq) : null };
  }

  /** A page of what no index finds: a slice of the outbox at a time, with turns for others. */
  async #sift(filter: DeliveryFilter, before: number | null, limit: number): Promise<ListedDelivery[]> {
    const { db } = this.#deps.storage;
    const range = outboxRange(db);
    const rows: ListedDelivery[] = [];
    for (const { from, to } of slicesOf(range === null || before === null ? range : { ...range, last: before - 1 })) {
      rows.push(...listDeliveries(db, filter, { before: to, from }, limit - rows.length));
      if (rows.length === limit) break;
      await othersTurn();
    }
    return rows;
  }

  /** Per status, up to 10,000. */
  counts() {
    return countDeliveries(this.#deps.storage.db, COUNT_CEILING);
  }

  /** Errors: `not_found`. */
  get(deliveryId: string): DeliveryView & { attemptLog: AttemptView[] } {
    const row = this.#row(deliveryId);
    const attempts = attemptsOf(this.#deps.storage.db, row.seq);
    return { ...this.view(row), attemptLog: attempts.map((attempt) => attemptView(attempt, row)) };
  }

  /** The exact bytes that an attempt sent. Errors: `not_found`, also for a body too long to be kept. */
  async requestBody(deliveryId: string, number: number): Promise<Buffer> {
    const attempt = this.#attempt(this.#row(deliveryId), number);
    const stored = attemptBody(this.#deps.storage.db, attempt.delivery_seq, attempt.request_body_sha256);
    if (stored?.request_body === null || stored?.request_body === undefined) {
      const message = 'The body of this attempt was too long to be kept; the log has its length and SHA-256.';
      throw new QuarryError('not_found', message);
    }
    const bytes = Buffer.from(stored.request_body);
    return stored.request_body_encoding === 'deflate' ? inflated(bytes) : bytes;
  }

  /**
   * Explains the signatures of an attempt, judged at its time, with the secret of today, or the one before while that
   * is kept: what was sent before a rotation was right. Errors: `not_found`.
   */
  async explain(deliveryId: string, number: number): Promise<Explanation> {
    const row = this.#row(deliveryId);
    const attempt = this.#attempt(row, number);
    const webhook = webhookById(this.#deps.storage.db, row.webhook_id);
    const headers = sentHeaders(attempt, row);
    const body = await this.requestBody(deliveryId, number);
    const under = (secret: string | null) => explainSignature({ headers, body }, secret, attempt.started_at);
    const explanation = under(webhook?.secret ?? null);
    if (explanation.verdict === 'valid' || !webhook?.previous_secret) return explanation;
    const before = under(webhook.previous_secret);
    return before.verdict === 'valid' ? before : explanation;
  }

  #row(deliveryId: string): ListedDelivery {
    const row = deliveryById(this.#deps.storage.db, deliveryId);
    if (row === undefined) throw new QuarryError('not_found', 'There is no delivery with this id.');
    return row;
  }

  #attempt(delivery: ListedDelivery, number: number) {
    const attempts = attemptsOf(this.#deps.storage.db, delivery.seq);
    const attempt = attempts.find((one) => one.number === number);
    if (attempt === undefined) throw new QuarryError('not_found', 'There is no attempt with this number.');
    return attempt;
  }
}

/** A stretch of the outbox, by sequence numbers: from the first one up to, not including, the second. */
interface OutboxSlice {
  from: number;
  to: number;
}

/** Of the outbox, whatever a filter finds among them: takes two to five milliseconds. */
const SEQS_PER_TURN = 2000;

/** The newest first, as the log shows them. */
export function* slicesOf(range: { first: number; last: number } | null): Generator<OutboxSlice> {
  if (range === null) return;
  for (let to = range.last + 1; to > range.first; to -= SEQS_PER_TURN) yield { from: to - SEQS_PER_TURN, to };
}
