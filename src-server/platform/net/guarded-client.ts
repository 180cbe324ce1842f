/**
 * The only client for sources and crawled pages (webhooks: guarded-post.ts). Threats: URLs to the internal network
 * (guarded-connect.ts), redirects to it, unlimited bodies and delays, and credentials that reach another host. Each
 * redirect is a new request under the same rules, without private headers.
 */

import { rename, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import { type Clock, systemClock } from '../clock.ts';
import { QuarryError } from '../errors.ts';
import { fileNameOfResponse } from '../files/file-names.ts';
import { writeChunks } from '../files/uploads.ts';
import { say, tell } from '../text/say.ts';
import { KIB, SECOND_MS } from '../units.ts';
import { explainFetchError, sourceTooLarge, statusError, timedOut } from './fetch-errors.ts';
import {
  checkUrl,
  type Exchange,
  type FetchPolicy,
  redirectedExchange,
  redirectTarget,
  withDeadline,
} from './fetch-policy.ts';
import { type Connector, createGuardedConnect, type Resolver } from './guarded-connect.ts';
import type { PrivateHost } from './private-host.ts';
import { ACCEPTED_ENCODINGS, decodedBody, type ForeignBody, readCapped } from './response-body.ts';

const MAX_REDIRECTS = 5;

const MAX_CONNECTIONS_PER_HOST = 8;

/** Connections of older grants close once they are idle. */
const MAX_PRIVATE_POOLS = 64;

const MAX_HEADER_BYTES = 64 * KIB;

const DEFAULT_HEADERS_TIMEOUT_MS = 30 * SECOND_MS;

const DEFAULT_IDLE_TIMEOUT_MS = 30 * SECOND_MS;

interface FetchBounds {
  policy: FetchPolicy;
  /** For the whole fetch: DNS, connection, redirects, body. */
  totalTimeoutMs: number;
  /** From sending the request to receiving the headers. */
  headersTimeoutMs?: number | undefined;
  /** Longest idle time within the body. */
  idleTimeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

interface FileOptions extends FetchBounds {
  /** Target path, for one fetch at a time. The file is written atomically. */
  path: string;
  /** Limit on the wire and after decompression. */
  maxBytes: number;
  onProgress?: ((progress: { receivedBytes: number; totalBytes: number | null }) => void) | undefined;
}

interface FetchedFile {
  sizeBytes: number;
  sha256: string;
  /** As declared, in lower case and without parameters. Only a hint. */
  mediaType: string | null;
  fileName: string | null;
  finalUrl: string;
}

interface RequestOptions extends FetchBounds {
  method?: 'GET' | 'HEAD' | 'POST';
  /** Names are in lower case. */
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  maxResponseBytes: number;
  /** A body that comes more slowly, measured after some seconds, is a `timeout`. */
  leastBytesPerSecond?: number;
  /** 0 returns a redirect as the response. */
  followRedirects?: number;
  /** A body whose transfer ends early is taken as far as it came. */
  takesPart?: boolean;
  /** Called with the headers. On false the body is not read. */
  wantsBody?(response: { status: number; headers: IncomingHttpHeaders; finalUrl: string }): boolean;
}

export interface GuardedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** Decoded, at most `maxResponseBytes`. */
  body: Buffer;
  /** Whether the body was longer than what was kept. */
  truncated: boolean;
  /** Whether the connection ended within the body, or its stated length is wrong. */
  isCutOff: boolean;
  timing: { firstByteMs: number; totalMs: number };
  finalUrl: string;
}

export interface GuardedClient {
  /**
   * Streams a source to a file. Errors: `source_unreachable`, `source_forbidden`, `source_too_large`, `timeout`,
   * `cancelled`, `storage_full`.
   */
  fetchToFile(url: string, options: FileOptions): Promise<FetchedFile>;
  /**
   * Sends one request and returns any status. Errors: `source_unreachable`, `source_forbidden`, `timeout`, `cancelled`.
   */
  request(url: string, options: RequestOptions): Promise<GuardedResponse>;
  /** Closes all connections. Running requests fail. */
  close(): Promise<void>;
}

export interface GuardedClientDeps {
  userAgent: string;
  clock?: Clock;
  resolver?: Resolver;
  connector?: Connector;
}

/** A response with its URL after all redirects. */
interface Opened {
  url: URL;
  status: number;
  headers: IncomingHttpHeaders;
  body: Dispatcher.ResponseData['body'];
}

export function createGuardedClient(deps: GuardedClientDeps): GuardedClient {
  const { userAgent, clock = systemClock, resolver, connector } = deps;
  const agentFor = (privateHost: FetchPolicy['privateHost']) =>
    new Agent({
      connect: createGuardedConnect({ privateHost, resolver, connector }),
      connections: MAX_CONNECTIONS_PER_HOST,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      allowH2: false,
    });
  const publicAgent = agentFor(null);
  // A pool for each grant: a connection that the owner opened to a private host never serves another request.
  const privateAgents = new Map<PrivateHost | 'any', Agent>();
  const privateAgentOf = (grant: PrivateHost | 'any') => {
    const agent = privateAgents.get(grant) ?? agentFor(grant);
    privateAgents.delete(grant);
    privateAgents.set(grant, agent);
    const [oldest] = privateAgents.keys();
    if (privateAgents.size > MAX_PRIVATE_POOLS && oldest !== undefined) {
      // Requests that run are finished.
      void privateAgents.get(oldest)?.close();
      privateAgents.delete(oldest);
    }
    return agent;
  };
  const hopsFor = ({ policy: { privateHost } }: FetchBounds, maxRedirects: number, signal: AbortSignal): Hops => {
    const dispatcherFor = (url: URL) =>
      privateHost === 'any' || privateHost?.coversUrl(url) ? privateAgentOf(privateHost) : publicAgent;
    return { dispatcherFor, userAgent, maxRedirects, signal };
  };

  return {
    fetchToFile(address, options) {
      return withinBounds(address, options, async (url, signal) => {
        const exchange: Exchange = { method: 'GET', headers: {}, body: null };
        return saveFile(
          await followGuarded(url, exchange, options, hopsFor(options, MAX_REDIRECTS, signal)),
          options,
          clock,
        );
      });
    },
    request(address, options) {
      return withinBounds(address, options, async (url, signal) => {
        const { method = 'GET', headers = {}, body = null, followRedirects = 0, maxResponseBytes } = options;
        const startedAt = clock.now();
        const hops = hopsFor(options, Math.min(followRedirects, MAX_REDIRECTS), signal);
        const opened = await followGuarded(url, { method, headers, body }, options, hops);
        const firstByteMs = clock.now() - startedAt;
        const response = { status: opened.status, headers: opened.headers, finalUrl: opened.url.href };
        const wanted = options.wantsBody?.(response) ?? true;
        const { content, truncated, cutOff } = wanted
          ? await readCapped(foreignBodyOf(opened, maxResponseBytes), options.leastBytesPerSecond)
          : dropForeignBody(opened);
        if (cutOff !== null && options.takesPart !== true) throw cutOff;
        const timing = { firstByteMs, totalMs: clock.now() - startedAt };
        return { ...response, body: content, truncated, isCutOff: cutOff !== null, timing };
      });
    },
    async close() {
      await Promise.all([publicAgent, ...privateAgents.values()].map((agent) => agent.destroy()));
    },
  };
}

/** Runs the work under one deadline and the caller's signal, and maps every failure to a public error. */
async function withinBounds<Result>(
  address: string,
  bounds: FetchBounds,
  work: (url: URL, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const url = checkUrl(address, undefined, bounds.policy);
  const { signal, totalTimeoutMs: timeoutMs } = bounds;
  return withDeadline({ timeoutMs, signal }, async (end) => {
    try {
      return await work(url, end);
    } catch (error) {
      if (end.aborted && !signal?.aborted) throw timedOut(url.host, error);
      throw error;
    }
  }).catch((error: unknown) => {
    // A cancel appears as the failure that it caused.
    throw signal?.aborted ? requestCancelled(signal.reason) : error;
  });
}

function requestCancelled(reason: unknown): QuarryError {
  if (reason instanceof QuarryError) return reason;
  return new QuarryError('cancelled', tell`The request was cancelled.`, { cause: reason });
}

interface Hops {
  dispatcherFor(url: URL): Dispatcher;
  userAgent: string;
  maxRedirects: number;
  /** Ends the whole fetch. */
  signal: AbortSignal;
}

async function followGuarded(start: URL, exchange: Exchange, bounds: FetchBounds, hops: Hops): Promise<Opened> {
  let url = start;
  let next = exchange;
  for (let redirects = 0; ; redirects++) {
    const opened = await sendOnce(url, next, bounds, hops);
    const target = hops.maxRedirects === 0 ? null : redirectTarget(opened.status, opened.headers.location);
    if (target === null) return opened;
    dropForeignBody(opened);
    if (redirects >= hops.maxRedirects) {
      throw new QuarryError(
        'source_unreachable',
        say`The host ${start.host} redirects too often; give the final address.`,
      );
    }
    url = checkUrl(target, url, bounds.policy);
    next = redirectedExchange(next, opened.status);
  }
}

async function sendOnce(url: URL, exchange: Exchange, bounds: FetchBounds, hops: Hops): Promise<Opened> {
  const request = hops.dispatcherFor(url).request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: exchange.method,
    headers: { 'user-agent': hops.userAgent, 'accept-encoding': ACCEPTED_ENCODINGS, ...exchange.headers },
    body: exchange.body,
    headersTimeout: bounds.headersTimeoutMs ?? DEFAULT_HEADERS_TIMEOUT_MS,
    bodyTimeout: bounds.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
    signal: hops.signal,
  });
  try {
    const { statusCode: status, headers, body } = await unlessAborted(request, hops.signal);
    // A dropped body emits an error, which would end the process without a listener.
    body.on('error', () => undefined);
    takeOnce(headers);
    return { url, status, headers, body };
  } catch (error) {
    throw explainFetchError(error, url.host);
  }
}

/** Rejects at once on an abort. The dispatcher ends a request that waits for a connection only when it gets one. */
export function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const rejectWithAbortReason = () => reject(signal.reason);
    signal.addEventListener('abort', rejectWithAbortReason, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', rejectWithAbortReason));
  });
}

function foreignBodyOf({ url, headers, body }: Opened, maxBytes: number): ForeignBody {
  return { host: url.host, stream: body, encoding: headers['content-encoding'], maxBytes };
}

/** Closes the connection without reading the body. */
function dropForeignBody({ body }: Opened): { content: Buffer; truncated: boolean; cutOff: null } {
  body.destroy();
  return { content: Buffer.alloc(0), truncated: false, cutOff: null };
}

async function saveFile(opened: Opened, options: FileOptions, clock: Clock): Promise<FetchedFile> {
  const { url, status, headers } = opened;
  const { maxBytes, onProgress } = options;
  const statedBytes = headers['content-length'] === undefined ? null : Number(headers['content-length']);
  try {
    if (status < 200 || status > 299) throw statusError(status, headers, url.host, clock);
    if (statedBytes !== null && statedBytes > maxBytes) throw sourceTooLarge(maxBytes);
    const totalBytes = headers['content-encoding'] === undefined ? statedBytes : null;
    const partialPath = `${options.path}.part`;
    // Left by an interrupted fetch. It would otherwise stay as long as its job.
    await rm(partialPath, { force: true });
    const { whole: _, ...written } = await writeChunks(decodedBody(foreignBodyOf(opened, maxBytes)), partialPath, {
      maxBytes,
      tooLarge: () => sourceTooLarge(maxBytes),
      onProgress: onProgress && ((receivedBytes) => onProgress({ receivedBytes, totalBytes })),
    });
    await rename(partialPath, options.path).catch(async (error: unknown) => {
      await rm(partialPath, { force: true });
      throw error;
    });
    const mediaType = headers['content-type']?.split(';')[0]?.trim().toLowerCase() || null;
    const fileName = fileNameOfResponse(headers['content-disposition']?.toString(), url);
    return { ...written, mediaType, fileName, finalUrl: url.href };
  } catch (error) {
    dropForeignBody(opened);
    throw error;
  }
}

/** Headers with a single value. Of duplicates the first counts, as in Node. */
const SINGLE_HEADERS = [
  ...['content-type', 'content-length', 'content-disposition', 'content-range', 'etag', 'last-modified', 'location'],
  ...['date', 'retry-after'],
];

/** The dispatcher returns repeated headers as a list, where the type has a string. Keeps the first. */
function takeOnce(headers: Record<string, string | string[] | undefined>): void {
  for (const name of SINGLE_HEADERS) {
    const value = headers[name];
    if (Array.isArray(value)) headers[name] = value[0];
  }
  const encoding = headers['content-encoding'];
  if (Array.isArray(encoding)) headers['content-encoding'] = encoding.join(', ');
}
