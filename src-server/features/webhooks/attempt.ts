import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { QuarryError } from '../../platform/errors.ts';
import { canonicalText } from '../../platform/text/canonical-json.ts';
import { sanitizeOneLine } from '../../platform/text/strings.ts';
import { countText, DAY_MS, HOUR_MS, KIB, MIB, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import type { DeliveryTarget, DueDelivery, NewAttemptRow } from './delivery-store.ts';
import { TOLERANCE_MS } from './explain.ts';
import { testPayload } from './outbox.ts';
import type { JobPieces, PostResponse, WebhookDeps } from './schema.ts';
import {
  keptHeaders,
  type Payload,
  payloadOf,
  requestHeaders,
  type SealedDelivery,
  type Secrets,
  sealInTurns,
} from './signing.ts';
import { targetProblem } from './subscriptions.ts';

/** For the whole exchange: resolve, connect, send, answer (decisions 6). */
const ATTEMPT_TIMEOUT_MS = 10 * SECOND_MS;

/** How much of an answer is read and kept. */
const MAX_RESPONSE_BYTES = 4 * KIB;

/** Shorter bodies are stored as they are: to deflate them gains too little. */
const DEFLATE_FROM_BYTES = 2 * KIB;

/** Of a body that is longer than this when deflated, the log keeps only the length and the SHA-256. */
const MAX_LOGGED_BODY_BYTES = MIB;

/** Shorter results are read many at once and made canonical on this thread, longer ones on a pool thread. */
const MAX_INLINE_RESULT_BYTES = 32 * KIB;

const GONE = 410;

const deflated = promisify(deflate);

/** Why an attempt failed: a closed list, shown in the log. */
const ERROR_CLASSES = [
  'http_status',
  'redirect',
  'gone',
  'timeout',
  'unreachable',
  'forbidden_target',
  'job_gone',
  'internal',
] as const;

type ErrorClass = (typeof ERROR_CLASSES)[number];

/** The result of one attempt, as the outbox records it. */
export interface Outcome {
  delivery: DueDelivery;
  status: 'delivered' | 'pending' | 'exhausted';
  startedAt: number;
  endedAt: number;
  nextAttemptAt: number | null;
  responseStatus: number | null;
  errorClass: ErrorClass | null;
  bodySha256: string | null;
  /** Null when nothing was sent. */
  attempt: NewAttemptRow | null;
}

type AttemptDeps = Pick<WebhookDeps, 'client' | 'clock' | 'policyFor' | 'isPublicAddress' | 'log' | 'random'>;

/** The payloads of a batch of deliveries: reads all their jobs with one statement, and each long result once. */
export class Payloads {
  readonly #deps: Pick<WebhookDeps, 'presentMany' | 'canonicalResult'>;
  readonly #jobIds: ReadonlySet<string>;
  /** Null until the first attempt asks, so that a failure to read is the failure of an attempt. */
  #pieces: ReadonlyMap<string, JobPieces> | null = null;
  readonly #longResults = new Map<string, Promise<Uint8Array | null>>();

  constructor(deps: Pick<WebhookDeps, 'presentMany' | 'canonicalResult'>, deliveries: readonly DueDelivery[]) {
    this.#deps = deps;
    this.#jobIds = new Set(deliveries.flatMap((delivery) => (delivery.kind === 'job' ? [delivery.job_id] : [])));
  }

  /** Null when the job, or its result, is gone. */
  async payloadFor(delivery: DueDelivery): Promise<Payload | null> {
    if (delivery.kind === 'test') return payloadOf(testPayload(delivery));
    this.#pieces ??= this.#deps.presentMany([...this.#jobIds], MAX_INLINE_RESULT_BYTES);
    const pieces = this.#pieces.get(delivery.job_id);
    if (pieces === undefined) return null;
    const { head, result } = pieces;
    if (result === null) return payloadOf(head);
    if (typeof result === 'string') return payloadOf(head, { result: canonicalText(result) });
    const bytes = await this.#longResult(delivery.job_id, pieces);
    return bytes === null ? null : payloadOf(head, { result: bytes });
  }

  #longResult(jobId: string, { fileUrls }: JobPieces): Promise<Uint8Array | null> {
    const known = this.#longResults.get(jobId) ?? this.#deps.canonicalResult(jobId, fileUrls);
    this.#longResults.set(jobId, known);
    return known;
  }
}

/** A request that is ready to be sent. */
export interface Prepared {
  sealed: SealedDelivery;
  startedAt: number;
  /** Of `performance.now()`. */
  began: number;
}

/** Makes and signs the request of a delivery; null when its job is gone. Nothing of `payloads` is kept. */
export async function prepareDelivery(
  delivery: DueDelivery,
  payloads: Payloads,
  clock: WebhookDeps['clock'],
): Promise<Prepared | null> {
  const payload = await payloads.payloadFor(delivery);
  if (payload === null) return null;
  const startedAt = clock.now();
  const began = performance.now();
  const { id: deliveryId, event, attempts, webhook } = delivery;
  const envelope = { deliveryId, event, attempt: attempts + 1, sentAt: startedAt };
  return { sealed: await sealInTurns(payload, secretsOf(webhook, startedAt), envelope), startedAt, began };
}

/**
 * Sends a delivery once. Throws only when `signal` ends the attempt: its outcome is then unknown, and the delivery is
 * sent again later.
 */
export async function attemptDelivery(
  delivery: DueDelivery,
  preparing: Promise<Prepared | null>,
  deps: AttemptDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const prepared = await preparing;
    if (prepared === null) return unsentOutcome(delivery, deps, 'job_gone');
    const { sealed, startedAt, began } = prepared;
    const answer = await postDelivery(delivery.webhook, sealed, deps, signal);
    const time = { startedAt, durationMs: performance.now() - began };
    return judgeDeliveryAnswer(delivery, { sealed, answer, time, kept: await loggedBody(delivery, sealed) }, deps);
  } catch (error) {
    if (signal.aborted) throw error;
    deps.log.error({ err: error, deliveryId: delivery.id }, 'A webhook delivery could not be prepared.');
    return unsentOutcome(delivery, deps, 'internal');
  }
}

/** Nothing was sent. A job that is gone cannot be delivered later; an internal error may pass. */
function unsentOutcome(delivery: DueDelivery, deps: AttemptDeps, errorClass: 'job_gone' | 'internal'): Outcome {
  const startedAt = deps.clock.now();
  const nextAttemptAt = errorClass === 'job_gone' ? null : nextTryAt(delivery.tries + 1, startedAt, deps.random, null);
  const status = nextAttemptAt === null ? 'exhausted' : 'pending';
  const nothing = { responseStatus: null, bodySha256: null, attempt: null };
  return { delivery, status, startedAt, endedAt: startedAt, nextAttemptAt, errorClass, ...nothing };
}

function secretsOf(target: DeliveryTarget, now: number): Secrets | null {
  const { secret, previous_secret: previous, previous_secret_expires_at: expiresAt } = target;
  if (secret === null) return null;
  return { current: secret, previous: expiresAt !== null && expiresAt > now ? previous : null };
}

type Answer = { response: PostResponse } | { errorClass: ErrorClass; message: string };

async function postDelivery(
  { account_id: accountId, key_id: keyId, url }: DeliveryTarget,
  sealed: SealedDelivery,
  deps: AttemptDeps,
  signal: AbortSignal,
): Promise<Answer> {
  const policy = await deps.policyFor({ accountId, key: keyId === null ? undefined : { id: keyId } });
  const problem = targetProblem(url, policy, deps.isPublicAddress);
  if (problem !== null) return { errorClass: 'forbidden_target', message: `Nothing was sent. ${problem}` };
  const bounds = { timeoutMs: ATTEMPT_TIMEOUT_MS, maxResponseBytes: MAX_RESPONSE_BYTES };
  const request = { headers: requestHeaders(sealed), body: sealed.body, policy, signal, ...bounds };
  try {
    return { response: await deps.client.post(url, request) };
  } catch (error) {
    if (signal.aborted) throw error;
    return explainDeliveryError(error, deps);
  }
}

function explainDeliveryError(error: unknown, deps: AttemptDeps): Answer {
  if (error instanceof QuarryError) {
    if (error.code === 'timeout') return { errorClass: 'timeout', message: error.message };
    if (error.code === 'source_forbidden') return { errorClass: 'forbidden_target', message: error.message };
    if (error.code === 'source_unreachable') return { errorClass: 'unreachable', message: error.message };
  }
  deps.log.error({ err: error }, 'The webhook client failed with an unknown error.');
  return { errorClass: 'internal', message: 'Quarry could not send the request.' };
}

/** An attempt that was made, and what the log keeps of its body. */
interface Made {
  sealed: SealedDelivery;
  answer: Answer;
  time: { startedAt: number; durationMs: number };
  kept: LoggedBody;
}

function judgeDeliveryAnswer(delivery: DueDelivery, { sealed, answer, time, kept }: Made, deps: AttemptDeps): Outcome {
  const { body, bodySha256 } = sealed;
  const response = 'response' in answer ? answer.response : null;
  const errorClass = 'response' in answer ? statusErrorClass(answer.response.status) : answer.errorClass;
  const endedAt = deps.clock.now();
  const wanted = retryAfterMs(headerOf(response, 'retry-after'), answeredAt(response) ?? endedAt);
  const mayRetry = errorClass !== null && errorClass !== 'gone';
  const nextAttemptAt = mayRetry ? nextTryAt(delivery.tries + 1, endedAt, deps.random, wanted) : null;
  const failed = nextAttemptAt === null ? 'exhausted' : 'pending';
  return {
    delivery,
    startedAt: time.startedAt,
    endedAt,
    status: errorClass === null ? 'delivered' : failed,
    nextAttemptAt,
    responseStatus: response?.status ?? null,
    errorClass,
    bodySha256,
    attempt: {
      delivery_seq: delivery.seq,
      number: delivery.attempts + 1,
      manual: delivery.manual,
      url: delivery.webhook.url,
      started_at: time.startedAt,
      duration_ms: time.durationMs,
      request_headers: keptHeaders(delivery.webhook.url, sealed),
      request_body_sha256: bodySha256,
      request_body_bytes: body.length,
      request_body: kept.bytes,
      request_body_encoding: kept.encoding,
      response_status: response?.status ?? null,
      response_headers: response === null ? null : JSON.stringify(response.headers),
      response_body: response?.body ?? null,
      response_truncated: response?.truncated ? 1 : 0,
      error_class: errorClass,
      error_message:
        'message' in answer
          ? answer.message
          : whyRefused(answer.response, errorClass, { bodyBytes: body.length, now: endedAt }),
      next_attempt_at: nextAttemptAt,
    },
  };
}

function statusErrorClass(status: number): ErrorClass | null {
  if (status >= 200 && status < 300) return null;
  if (status === GONE) return 'gone';
  return status >= 300 && status < 400 ? 'redirect' : 'http_status';
}

interface LoggedBody {
  bytes: Uint8Array | null;
  encoding: NewAttemptRow['request_body_encoding'];
}

/** Most retries send the same bytes: those are stored once per delivery. */
async function loggedBody(delivery: DueDelivery, { body, bodySha256 }: SealedDelivery): Promise<LoggedBody> {
  if (bodySha256 === delivery.body_sha256) return { bytes: null, encoding: null };
  if (body.length < DEFLATE_FROM_BYTES) return { bytes: body, encoding: 'identity' };
  const bytes = await deflated(body);
  return bytes.length > MAX_LOGGED_BODY_BYTES ? { bytes: null, encoding: null } : { bytes, encoding: 'deflate' };
}

const TOO_LARGE = 413;

function headerOf(response: PostResponse | null, name: string): string | undefined {
  const value = response?.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The time of an answer by the clock of the receiver; null when the answer has no date. */
function answeredAt(response: PostResponse | null): number | null {
  const at = Date.parse(headerOf(response, 'date') ?? '');
  return Number.isNaN(at) ? null : at;
}

/** A hint for the log where the status alone does not show why the attempt failed. */
function whyRefused(
  response: PostResponse,
  errorClass: ErrorClass | null,
  { bodyBytes, now }: { bodyBytes: number; now: number },
): string | null {
  if (errorClass === 'redirect') return whyRedirected(response);
  if (response.status === TOO_LARGE) {
    return `The receiver takes no body of ${countText(bodyBytes, 'byte')}: raise its limit, or that of its proxy.`;
  }
  if (errorClass !== 'http_status' || response.status >= 500) return null;
  const aheadMs = (answeredAt(response) ?? now) - now;
  if (Math.abs(aheadMs) <= TOLERANCE_MS) return null;
  const where = aheadMs > 0 ? 'ahead of' : 'behind';
  const offset = `${roughDuration(Math.abs(aheadMs))} ${where} this one`;
  return `The receiver's clock is ${offset}: it may have refused webhook-timestamp.`;
}

function whyRedirected(response: PostResponse): string {
  const location = sanitizeOneLine(headerOf(response, 'location'));
  const target = location === null ? 'the address that is meant' : location;
  return `Redirects are not followed: give the webhook the URL it ends at (${target}).`;
}

function roughDuration(milliseconds: number): string {
  if (milliseconds < 2 * HOUR_MS) return countText(Math.round(milliseconds / MINUTE_MS), 'minute');
  return countText(Math.round(milliseconds / HOUR_MS), 'hour');
}

/** Waits before the second, third … attempt (decisions 6). The attempt after the last wait is the last one. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
];

/** A wait is up to this share longer, never shorter: deliveries that failed together are retried at different times. */
const JITTER_SHARE = 0.2;

/** The longest wait that a receiver may ask for. */
const MAX_RETRY_AFTER_MS = DAY_MS;

/**
 * When to try again; null after the last attempt.
 *
 * @param tries attempts made in this run through the schedule, the failed one included
 */
function nextTryAt(tries: number, now: number, random: () => number, retryAfterMs: number | null): number | null {
  const delayMs = RETRY_DELAYS_MS[tries - 1];
  if (delayMs === undefined) return null;
  const spreadMs = Math.round(delayMs * (1 + JITTER_SHARE * random()));
  return now + Math.max(spreadMs, retryAfterMs ?? 0);
}

/** The beginning of a date (RFC 9110). `Date.parse` accepts much that is no date. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i;

/**
 * `Retry-After` in milliseconds, from seconds or an HTTP date; null when it is neither.
 *
 * @param answeredAt by the clock of the receiver if known, since dates are relative to it
 */
function retryAfterMs(header: string | undefined, answeredAt: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * SECOND_MS, MAX_RETRY_AFTER_MS);
  const waitMs = HTTP_DATE.test(text) ? Date.parse(text) - answeredAt : Number.NaN;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}
