import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { remember } from '../../platform/memoize.ts';
import { canonicalText } from '../../platform/text/canonical-json.ts';
import type { AttemptRow, DeliveryRow } from './delivery-store.ts';
import type { JobsOfWebhooks } from './schema.ts';
import { type Envelope, payloadOf, type SealedDelivery, type Secrets, seal } from './signing.ts';

/** The sender on the thread of its caller; `ThreadSender` is the one with a thread of its own. */
export function createSender(client: WebhookClient): WebhookSender {
  return {
    async send({ url, content, ...bounds }) {
      const { headers, ...made } = makeRequest(url, content);
      try {
        const response = await client.post(url, { headers, body: made.body, ...bounds });
        return { ...made, answer: { response } };
      } catch (error) {
        if (bounds.signal.aborted) throw error;
        return { ...made, answer: { error } };
      }
    },
  };
}

/** What a target may be: decided by who registered it. */
export interface TargetPolicy {
  allowHttp: boolean;
  allowPrivateNetworks: boolean;
}

export interface PostRequest {
  headers: Record<string, string>;
  body: Uint8Array;
  policy: TargetPolicy;
  /** For the whole exchange: resolve, connect, send, answer. */
  timeoutMs: number;
  maxResponseBytes: number;
  signal: AbortSignal;
}

export interface PostResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: Uint8Array;
  /** The answer went on after `maxResponseBytes`. */
  truncated: boolean;
}

/**
 * The guarded client: checks the resolved address at connect time and follows no redirect. Throws a `QuarryError`
 * (`source_unreachable`, `source_forbidden`, `timeout`) when no answer came.
 */
export interface WebhookClient {
  post(url: string, request: PostRequest): Promise<PostResponse>;
}

/** A delivery that is to be sent once. */
export interface Parcel extends Omit<PostRequest, 'headers' | 'body'> {
  url: string;
  content: ParcelContent;
}

/** What was sent, and what came of it. */
export interface SentParcel extends Omit<MadeRequest, 'headers'> {
  /** An `error` is what `WebhookClient` throws. */
  answer: { response: PostResponse } | { error: unknown };
}

/** Makes the request of a delivery, signs and posts it. Rejects when it could not be made, or its signal ended it. */
export interface WebhookSender {
  send(parcel: Parcel): Promise<SentParcel>;
}

/** The job object in pieces. */
export interface JobPieces {
  /** All but the result. */
  head: Record<string, unknown>;
  /** JSON text of the result, or its stored length when it is over what was asked for. */
  result: string | { storedBytes: number };
  /** How a stored result names its files, and what stands there instead. */
  fileUrls: { from: string; to: string };
}

export interface WebhookLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface WebhookDeps {
  storage: Storage;
  clock: Clock;
  sender: WebhookSender;
  jobs: JobsOfWebhooks;
  /** The job objects of `GET /jobs/{jobId}`, by id; what is missing is gone. */
  presentMany(jobIds: readonly string[], maxResultBytes: number): ReadonlyMap<string, JobPieces>;
  /**
   * The canonical JSON (RFC 8785, UTF-8) of a result that `presentMany` left out, made on another thread; null when it
   * is gone.
   */
  canonicalResult(jobId: string, fileUrls: JobPieces['fileUrls']): Promise<Uint8Array | null>;
  policyFor(accountId: string): TargetPolicy | Promise<TargetPolicy>;
  /** Whether an IP address is one that anybody may reach; the guarded client's own rule. */
  isPublicAddress(address: string): boolean;
  log: WebhookLog;
  /** At least 0, under 1: spreads retries. */
  random(): number;
  /**
   * Whether this process is known to be the only one on its database (it holds the data folder's lock). Then leases of
   * a process that was killed are taken over at start instead of when they run out.
   */
  soleProcess: boolean;
}

/** A delivery on its way to whoever sends it: what its request is made of, and the request. */

/** A job object that is not canonical yet, and what it is to be signed with. */
export interface UnsealedDelivery {
  /** All but the result. */
  head: Record<string, unknown>;
  /** JSON text of the result; null when it stands in `head`, or when there is none. */
  result: string | null;
  secrets: Secrets | null;
  envelope: Envelope;
}

/** A body that has changed threads is plain bytes. */
type SealedContent = Omit<SealedDelivery, 'body'> & { body: Uint8Array };

export type ParcelContent = UnsealedDelivery | SealedContent;

/** The request of a delivery, and what the log keeps of it. */
export interface MadeRequest {
  headers: Record<string, string>;
  body: Uint8Array;
  bodySha256: string;
  /** JSON for the column `request_headers`. */
  keptHeaders: string;
}

export function isSealed(content: ParcelContent): content is SealedContent {
  return 'body' in content;
}

/** Makes the body canonical and signs it, where that is not done yet. The objects of the head may be put in order. */
export function makeRequest(url: string, content: ParcelContent): MadeRequest {
  const sealed = isSealed(content) ? content : sealNow(content);
  const headers = requestHeaders(sealed.headers, sealed.body.length);
  return { headers, body: sealed.body, bodySha256: sealed.bodySha256, keptHeaders: keptHeaders(url, headers) };
}

function sealNow({ head, result, secrets, envelope }: UnsealedDelivery): SealedDelivery {
  return seal(payloadOf(head, result === null ? {} : { result: canonicalText(result) }), secrets, envelope);
}

/**
 * The log shows the headers of a request exactly as they were sent, but keeps only what the rest of the attempt does
 * not say already: two rows of a short callback then fit on one page of the database, and writing pages is what
 * recording an attempt costs most of.
 */

/** Says by which rules the headers were left out. Form 1 is what this file does; another Quarry adds form 2. */
const FORM = 1;

const USER_AGENT = 'Quarry-Webhooks/1';

const MAX_KEPT_HOSTS = 1000;

const hostOf = remember((url) => new URL(url).host, MAX_KEPT_HOSTS);

interface KeptHeaders {
  form: typeof FORM;
  host: string;
  timestamp: string | undefined;
  standard: string | undefined;
  signature: string | undefined;
}

/** What is sent beside `host` and `connection`, which the connection adds. */
function requestHeaders(signed: Record<string, string>, bodyBytes: number): Record<string, string> {
  return { ...fixedHeaders(bodyBytes), ...signed };
}

function fixedHeaders(bodyBytes: number): Record<string, string> {
  return {
    'user-agent': USER_AGENT,
    accept: '*/*',
    // The answer is kept as it came; nobody wants to inflate 4 kB of it first.
    'accept-encoding': 'identity',
    'content-length': String(bodyBytes),
  };
}

/** JSON for the column `request_headers`. */
function keptHeaders(url: string, headers: Record<string, string>): string {
  const kept: KeptHeaders = {
    form: FORM,
    host: hostOf(url),
    timestamp: headers['webhook-timestamp'],
    standard: headers['webhook-signature'],
    signature: headers['x-service-signature'],
  };
  return JSON.stringify(kept);
}

/** The headers as they were sent. */
export function sentHeaders(
  attempt: Pick<AttemptRow, 'request_headers' | 'request_body_bytes' | 'number'>,
  delivery: Pick<DeliveryRow, 'id' | 'event'>,
): Record<string, string> {
  const kept = JSON.parse(attempt.request_headers) as KeptHeaders | Record<string, string>;
  if (kept.form !== FORM) return kept as Record<string, string>;
  const { host, timestamp, standard, signature } = kept as KeptHeaders;
  return {
    host,
    connection: 'keep-alive',
    ...fixedHeaders(attempt.request_body_bytes),
    'content-type': 'application/json',
    'webhook-id': delivery.id,
    ...(timestamp === undefined ? {} : { 'webhook-timestamp': timestamp }),
    'x-service-event': delivery.event,
    'x-service-attempt': String(attempt.number),
    ...(standard === undefined ? {} : { 'webhook-signature': standard }),
    ...(signature === undefined ? {} : { 'x-service-signature': signature }),
  };
}
