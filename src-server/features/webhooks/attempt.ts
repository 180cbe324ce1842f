import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { Clock } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import { oneLine } from '../../platform/text/strings.ts';
import { DAY_MS, HOUR_MS, KIB, MIB, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import type { DeliveryTarget, DueDelivery, NewAttemptRow } from './delivery-store.ts';
import { TOLERANCE_MS } from './explain.ts';
import type { Payloads } from './payload.ts';
import { makeRequest, type ParcelContent, type PostResponse, type SentParcel, type WebhookDeps } from './sender.ts';
import { type Envelope, type LargePayload, type Secrets, sealLarge } from './signing.ts';
import { targetProblem } from './subscriptions.ts';

/** To resolve, connect, send and get the answer (decisions 6). */
export const ATTEMPT_TIMEOUT_MS = 10 * SECOND_MS;

/** How much of an answer is read and kept. */
const MAX_RESPONSE_BYTES = 4 * KIB;

/** Bodies shorter than this are kept as they are: deflating would gain nothing worth its time. */
const DEFLATE_FROM_BYTES = 2 * KIB;

/** A body that is longer even deflated is not kept in the log, only its length and SHA-256. */
const MAX_LOGGED_BODY_BYTES = MIB;

const GONE = 410;

const deflated = promisify(deflate);

/** Why an attempt was no success: a closed list, shown in the log. */
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

/** What became of one attempt: what the outbox has to record. */
export interface Outcome {
  delivery: DueDelivery;
  status: 'delivered' | 'pending' | 'exhausted';
  startedAt: number;
  endedAt: number;
  nextAttemptAt: number | null;
  responseStatus: number | null;
  errorClass: ErrorClass | null;
  bodySha256: string | null;
  /** Null when nothing could be sent, so that there is nothing to log. */
  attempt: NewAttemptRow | null;
}

type AttemptDeps = Pick<WebhookDeps, 'sender' | 'clock' | 'policyFor' | 'isPublicAddress' | 'log' | 'random'>;

/**
 * Sends a delivery once. Never throws, but when `signal` ends it: then nothing is known of the attempt, and it is made
 * again later.
 *
 * @param payloads of the batch the delivery is in
 */
export function attemptDelivery(
  delivery: DueDelivery,
  payloads: Payloads,
  deps: AttemptDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  // In two steps, so that what the body is made of is not kept in memory while the receiver is waited for.
  return begin(delivery, payloads, deps, signal)
    .then((begun) => (begun === null ? unsent(delivery, deps, 'job_gone') : finish(delivery, begun, deps)))
    .catch((error: unknown) => {
      if (signal.aborted) throw error;
      deps.log.error(
        { err: error, deliveryId: delivery.id },
        'A webhook delivery could not be made ready, or its sender ended.',
      );
      return unsent(delivery, deps, 'internal');
    });
}

interface Begun {
  sending: SentRequest | Promise<SentParcel>;
  startedAt: number;
  /** Of `performance.now()`. */
  began: number;
}

/** Null when the job is gone. */
async function begin(
  delivery: DueDelivery,
  payloads: Payloads,
  deps: AttemptDeps,
  signal: AbortSignal,
): Promise<Begun | null> {
  const asked = deps.policyFor(delivery.webhook.account_id);
  const policy = asked instanceof Promise ? await asked : asked;
  const making = contentOf(delivery, payloads, deps.clock);
  const ready = making instanceof Promise ? await making : making;
  if (ready === null) return null;
  const { content, startedAt, began } = ready;
  const { url } = delivery.webhook;
  const problem = targetProblem(url, policy, deps.isPublicAddress);
  if (problem !== null) {
    const answer: Answer = { errorClass: 'forbidden_target', message: `Nothing was sent. ${problem}` };
    return { sending: { ...makeRequest(url, content), answer }, startedAt, began };
  }
  const bounds = { timeoutMs: ATTEMPT_TIMEOUT_MS, maxResponseBytes: MAX_RESPONSE_BYTES };
  return { sending: deps.sender.send({ url, content, policy, signal, ...bounds }), startedAt, began };
}

async function finish(
  delivery: DueDelivery,
  { sending, startedAt, began }: Begun,
  deps: AttemptDeps,
): Promise<Outcome> {
  const sent = sending instanceof Promise ? explained(await sending, deps) : sending;
  const time = { startedAt, durationMs: performance.now() - began };
  const kept = loggedBody(delivery, sent);
  return judge(delivery, sent, time, kept instanceof Promise ? await kept : kept, deps);
}

interface Ready extends Omit<Begun, 'sending'> {
  content: ParcelContent;
}

/** Null when the job is gone. What is long is sealed here, a slice at a time; the rest by whoever sends it. */
function contentOf(delivery: DueDelivery, payloads: Payloads, clock: Clock): Ready | null | Promise<Ready | null> {
  const payload = payloads.payloadFor(delivery);
  if (payload === null) return null;
  if (payload instanceof Promise) return largeContentOf(delivery, payload, clock);
  const { startedAt, began, ...seal } = sealOf(delivery, clock);
  return { content: { ...payload, ...seal }, startedAt, began };
}

async function largeContentOf(
  delivery: DueDelivery,
  making: Promise<LargePayload | null>,
  clock: Clock,
): Promise<Ready | null> {
  const payload = await making;
  if (payload === null) return null;
  // It may have waited for a thread: its attempt begins when it is there.
  const { secrets, envelope, startedAt, began } = sealOf(delivery, clock);
  return { content: await sealLarge(payload, secrets, envelope), startedAt, began };
}

function sealOf({ id: deliveryId, event, attempts, webhook }: DueDelivery, clock: Clock) {
  const startedAt = clock.now();
  const envelope: Envelope = { deliveryId, event, attempt: attempts + 1, sentAt: startedAt };
  return { secrets: secretsOf(webhook, startedAt), envelope, startedAt, began: performance.now() };
}

/** Nothing could be sent. A job that is gone stays gone; a fault of our own may pass. */
function unsent(delivery: DueDelivery, deps: AttemptDeps, errorClass: 'job_gone' | 'internal'): Outcome {
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

/** What the log keeps of a request, and what came of it. */
type SentRequest = Omit<SentParcel, 'answer'> & { answer: Answer };

function explained(sent: SentParcel, deps: AttemptDeps): SentRequest {
  const { answer } = sent;
  return { ...sent, answer: 'response' in answer ? answer : explain(answer.error, deps) };
}

function explain(error: unknown, deps: AttemptDeps): Answer {
  if (error instanceof QuarryError) {
    if (error.code === 'timeout') return { errorClass: 'timeout', message: error.message };
    if (error.code === 'source_forbidden') return { errorClass: 'forbidden_target', message: error.message };
    if (error.code === 'source_unreachable') return { errorClass: 'unreachable', message: error.message };
  }
  deps.log.error({ err: error }, 'The webhook client failed in a way it does not name.');
  return { errorClass: 'internal', message: 'Quarry could not send the request.' };
}

function judge(
  delivery: DueDelivery,
  { answer, body, bodySha256, keptHeaders }: SentRequest,
  time: { startedAt: number; durationMs: number },
  kept: LoggedBody,
  deps: AttemptDeps,
): Outcome {
  const response = 'response' in answer ? answer.response : null;
  const errorClass = 'response' in answer ? classOf(answer.response.status) : answer.errorClass;
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
      request_headers: keptHeaders,
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

function classOf(status: number): ErrorClass | null {
  if (status >= 200 && status < 300) return null;
  if (status === GONE) return 'gone';
  return status >= 300 && status < 400 ? 'redirect' : 'http_status';
}

interface LoggedBody {
  bytes: Uint8Array | null;
  encoding: NewAttemptRow['request_body_encoding'];
}

/** Retries mostly send the same bytes again: those are kept once per delivery. */
function loggedBody(
  delivery: DueDelivery,
  { body, bodySha256 }: Pick<SentRequest, 'body' | 'bodySha256'>,
): LoggedBody | Promise<LoggedBody> {
  if (bodySha256 === delivery.body_sha256) return { bytes: null, encoding: null };
  if (body.length < DEFLATE_FROM_BYTES) return { bytes: body, encoding: 'identity' };
  return deflatedBody(body);
}

async function deflatedBody(body: Uint8Array): Promise<LoggedBody> {
  const bytes = await deflated(body);
  return bytes.length > MAX_LOGGED_BODY_BYTES ? { bytes: null, encoding: null } : { bytes, encoding: 'deflate' };
}

/** What an answer says beside its status. */

const TOO_LARGE = 413;

function headerOf(response: PostResponse | null, name: string): string | undefined {
  const value = response?.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The time of an answer by the clock of whoever gave it; null where it does not say. */
function answeredAt(response: PostResponse | null): number | null {
  const at = Date.parse(headerOf(response, 'date') ?? '');
  return Number.isNaN(at) ? null : at;
}

/** Why an answer was no success, for the log, where it is something that its owner would look for long. */
function whyRefused(
  response: PostResponse,
  errorClass: ErrorClass | null,
  { bodyBytes, now }: { bodyBytes: number; now: number },
): string | null {
  if (errorClass === 'redirect') return whyRedirected(response);
  if (response.status === TOO_LARGE) {
    return `The receiver takes no body of ${bodyBytes} bytes: raise its limit, or that of a proxy before it.`;
  }
  if (errorClass !== 'http_status' || response.status >= 500) return null;
  const aheadMs = (answeredAt(response) ?? now) - now;
  if (Math.abs(aheadMs) <= TOLERANCE_MS) return null;
  const where = aheadMs > 0 ? 'ahead of' : 'behind';
  const offset = `${spanOf(Math.abs(aheadMs))} ${where} this one`;
  return `The receiver's clock is ${offset}: it may have refused webhook-timestamp.`;
}

function whyRedirected(response: PostResponse): string {
  const location = oneLine(headerOf(response, 'location'));
  const target = location === null ? 'the address that is meant' : location;
  return `Redirects are not followed: give the webhook the URL it ends at (${target}).`;
}

function spanOf(milliseconds: number): string {
  if (milliseconds < 2 * HOUR_MS) return `${Math.round(milliseconds / MINUTE_MS)} minutes`;
  return `${Math.round(milliseconds / HOUR_MS)} hours`;
}

/** Waits before the second, third … attempt (decisions 6). One attempt more than there are waits, then it is over. */
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

/** A wait is up to this share longer, never shorter: receivers that failed together are not asked together again. */
const JITTER_SHARE = 0.2;

/** A receiver may ask for a longer wait than the schedule's, within reason. */
const MAX_RETRY_AFTER_MS = DAY_MS;

/**
 * When to try again, or null when it is over.
 *
 * @param tries attempts made in this run through the schedule, the failed one included
 */
function nextTryAt(tries: number, now: number, random: () => number, retryAfterMs: number | null): number | null {
  const delayMs = RETRY_DELAYS_MS[tries - 1];
  if (delayMs === undefined) return null;
  const spreadMs = Math.round(delayMs * (1 + JITTER_SHARE * random()));
  return now + Math.max(spreadMs, retryAfterMs ?? 0);
}

/** How a date begins (RFC 9110). `Date.parse` takes much for one that is none. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i;

/**
 * `Retry-After` in milliseconds, from seconds or an HTTP date; null where it says nothing usable.
 *
 * @param answeredAt by the receiver's own clock, where the answer tells: a date then means what the receiver means
 */
function retryAfterMs(header: string | undefined, answeredAt: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * SECOND_MS, MAX_RETRY_AFTER_MS);
  const waitMs = HTTP_DATE.test(text) ? Date.parse(text) - answeredAt : Number.NaN;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}
