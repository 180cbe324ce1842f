import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import type { MadeRequest, ParcelContent } from './parcel.ts';

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

export interface WebhookParts {
  storage: Storage;
  clock: Clock;
  sender: WebhookSender;
  /** The job objects of `GET /jobs/{jobId}`, by id; what is missing is gone. */
  presentMany(jobIds: readonly string[], maxResultBytes: number): Promise<ReadonlyMap<string, JobPieces>>;
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
