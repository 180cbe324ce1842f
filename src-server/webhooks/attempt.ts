import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { QuarryError } from '../contract/index.ts';
import { KIB, MIB, SECOND_MS } from '../lib/units.ts';
import type { DeliveryTarget, DueDelivery, NewAttemptRow } from '../storage/webhooks-attempts.ts';
import { keptHeaders, requestHeaders } from './attempt-headers.ts';
import { isLarge, sealLarge } from './large-payload.ts';
import type { Payloads } from './payloads.ts';
import type { PostResponse, WebhookParts } from './ports.ts';
import { nextTryAt, retryAfterMs } from './schedule.ts';
import { type Envelope, type SealedDelivery, type Secrets, seal } from './signing.ts';
import { targetProblem } from './targets.ts';

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
export const ERROR_CLASSES = [
  'http_status',
  'redirect',
  'gone',
  'timeout',
  'unreachable',
  'forbidden_target',
  'job_gone',
  'internal',
] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/** What became of one attempt: what the outbox has to record. */
export interface Outcome {
  delivery: DueDelivery;
  status: 'delivered' | 'pending' | 'exhausted';
  startedAt: number;
  nextAttemptAt: number | null;
  responseStatus: number | null;
  errorClass: ErrorClass | null;
  bodySha256: string | null;
  /** Null when nothing could be sent, so that there is nothing to log. */
  attempt: NewAttemptRow | null;
}

export type AttemptParts = Pick<WebhookParts, 'client' | 'clock' | 'policyFor' | 'isPublicAddress' | 'log' | 'random'>;

/**
 * Sends a delivery once. Never throws, but when `signal` ends it: then nothing is known of the attempt, and it is made
 * again later.
 *
 * @param payloads of the batch the delivery is in
 */
export function attemptDelivery(
  delivery: DueDelivery,
  payloads: Payloads | Promise<Payloads>,
  parts: AttemptParts,
  signal: AbortSignal,
): Promise<Outcome> {
  // In two steps, so that what the body was made of is not kept in memory while the receiver is waited for.
  return makeReady(delivery, payloads, parts.clock)
    .then((ready) => (ready === null ? unsent(delivery, parts, 'job_gone') : send(delivery, ready, parts, signal)))
    .catch((error: unknown) => {
      if (signal.aborted) throw error;
      parts.log.error({ err: error, deliveryId: delivery.id }, 'A webhook delivery could not be made ready.');
      return unsent(delivery, parts, 'internal');
    });
}

interface Ready {
  sealed: SealedDelivery;
  startedAt: number;
  /** Of `performance.now()`. */
  began: number;
}

/** Null when the job is gone. */
async function makeReady(
  delivery: DueDelivery,
  payloads: Payloads | Promise<Payloads>,
  clock: AttemptParts['clock'],
): Promise<Ready | null> {
  const made = (payloads instanceof Promise ? await payloads : payloads).payloadFor(delivery);
  const payload = made instanceof Promise ? await made : made;
  if (payload === null) return null;
  // A large one may have waited for a thread: its attempt begins when it is there.
  const startedAt = clock.now();
  const began = performance.now();
  const { id: deliveryId, event, attempts } = delivery;
  const envelope: Envelope = { deliveryId, event, attempt: attempts + 1, sentAt: startedAt };
  const secrets = secretsOf(delivery.webhook, startedAt);
  const sealed = isLarge(payload) ? await sealLarge(payload, secrets, envelope) : seal(payload, secrets, envelope);
  return { sealed, startedAt, began };
}

/** Nothing could be sent. A job that is gone stays gone; a fault of our own may pass. */
function unsent(delivery: DueDelivery, parts: AttemptParts, errorClass: 'job_gone' | 'internal'): Outcome {
  const startedAt = parts.clock.now();
  const nextAttemptAt = errorClass === 'job_gone' ? null : nextTryAt(delivery.tries + 1, startedAt, parts.random, null);
  const status = nextAttemptAt === null ? 'exhausted' : 'pending';
  const nothing = { responseStatus: null, bodySha256: null, attempt: null };
  return { delivery, status, startedAt, nextAttemptAt, errorClass, ...nothing };
}

async function send(
  delivery: DueDelivery,
  { sealed, startedAt, began }: Ready,
  parts: AttemptParts,
  signal: AbortSignal,
): Promise<Outcome> {
  const headers = requestHeaders(sealed);
  const answer = await answerOf(delivery, sealed, headers, parts, signal);
  const time = { startedAt, durationMs: performance.now() - began };
  const kept = loggedBody(delivery, sealed);
  return judge(delivery, sealed, headers, answer, time, kept instanceof Promise ? await kept : kept, parts);
}

function secretsOf(target: DeliveryTarget, now: number): Secrets | null {
  const { secret, previous_secret: previous, previous_secret_expires_at: expiresAt } = target;
  if (secret === null) return null;
  return { current: secret, previous: expiresAt !== null && expiresAt > now ? previous : null };
}

type Answer = { response: PostResponse } | { errorClass: ErrorClass; message: string };

async function answerOf(
  delivery: DueDelivery,
  sealed: SealedDelivery,
  headers: Record<string, string>,
  parts: AttemptParts,
  signal: AbortSignal,
): Promise<Answer> {
  const asked = parts.policyFor(delivery.webhook.account_id);
  const policy = asked instanceof Promise ? await asked : asked;
  const problem = targetProblem(delivery.webhook.url, policy, parts.isPublicAddress);
  if (problem !== null) return { errorClass: 'forbidden_target', message: `Nothing was sent. ${problem}` };
  const bounds = { timeoutMs: ATTEMPT_TIMEOUT_MS, maxResponseBytes: MAX_RESPONSE_BYTES };
  try {
    const response = await parts.client.post(delivery.webhook.url, {
      headers,
      body: sealed.body,
      policy,
      signal,
      ...bounds,
    });
    return { response };
  } catch (error) {
    if (signal.aborted) throw error;
    return explain(error, parts);
  }
}

function explain(error: unknown, parts: AttemptParts): Answer {
  if (error instanceof QuarryError) {
    if (error.code === 'timeout') return { errorClass: 'timeout', message: error.message };
    if (error.code === 'source_forbidden') return { errorClass: 'forbidden_target', message: error.message };
    if (error.code === 'source_unreachable') return { errorClass: 'unreachable', message: error.message };
  }
  parts.log.error({ err: error }, 'The webhook client failed in a way it does not name.');
  return { errorClass: 'internal', message: 'Quarry could not send the request.' };
}

function judge(
  delivery: DueDelivery,
  sealed: SealedDelivery,
  headers: Record<string, string>,
  answer: Answer,
  time: { startedAt: number; durationMs: number },
  kept: LoggedBody,
  parts: AttemptParts,
): Outcome {
  const response = 'response' in answer ? answer.response : null;
  const errorClass = 'response' in answer ? classOf(answer.response.status) : answer.errorClass;
  const endedAt = parts.clock.now();
  const wanted = retryAfterMs(headerOf(response, 'retry-after'), endedAt);
  const mayRetry = errorClass !== null && errorClass !== 'gone';
  const nextAttemptAt = mayRetry ? nextTryAt(delivery.tries + 1, endedAt, parts.random, wanted) : null;
  const failed = nextAttemptAt === null ? 'exhausted' : 'pending';
  return {
    delivery,
    startedAt: time.startedAt,
    status: errorClass === null ? 'delivered' : failed,
    nextAttemptAt,
    responseStatus: response?.status ?? null,
    errorClass,
    bodySha256: sealed.bodySha256,
    attempt: {
      delivery_seq: delivery.seq,
      number: delivery.attempts + 1,
      manual: delivery.manual,
      url: delivery.webhook.url,
      started_at: time.startedAt,
      duration_ms: time.durationMs,
      request_headers: keptHeaders(delivery.webhook.url, headers),
      request_body_sha256: sealed.bodySha256,
      request_body_bytes: sealed.body.length,
      request_body: kept.bytes,
      request_body_encoding: kept.encoding,
      response_status: response?.status ?? null,
      response_headers: response === null ? null : JSON.stringify(response.headers),
      response_body: response?.body ?? null,
      response_truncated: response?.truncated ? 1 : 0,
      error_class: errorClass,
      error_message: 'message' in answer ? answer.message : null,
      next_attempt_at: nextAttemptAt,
    },
  };
}

function classOf(status: number): ErrorClass | null {
  if (status >= 200 && status < 300) return null;
  if (status === GONE) return 'gone';
  return status >= 300 && status < 400 ? 'redirect' : 'http_status';
}

function headerOf(response: PostResponse | null, name: string): string | undefined {
  const value = response?.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

interface LoggedBody {
  bytes: Buffer | null;
  encoding: NewAttemptRow['request_body_encoding'];
}

/** Retries mostly send the same bytes again: those are kept once per delivery. */
function loggedBody(delivery: DueDelivery, sealed: SealedDelivery): LoggedBody | Promise<LoggedBody> {
  if (sealed.bodySha256 === delivery.body_sha256) return { bytes: null, encoding: null };
  if (sealed.body.length < DEFLATE_FROM_BYTES) return { bytes: sealed.body, encoding: 'identity' };
  return deflatedBody(sealed.body);
}

async function deflatedBody(body: Buffer): Promise<LoggedBody> {
  const bytes = await deflated(body);
  return bytes.length > MAX_LOGGED_BODY_BYTES ? { bytes: null, encoding: null } : { bytes, encoding: 'deflate' };
}
