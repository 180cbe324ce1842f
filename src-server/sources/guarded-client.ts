/**
 * The only way this service fetches anything for others: sources, crawled pages, webhook targets. The threats are URLs
 * that lead inside (guarded-connect.ts), redirects that do so later, bodies and waits without end, and credentials that
 * travel on to another host. Every hop is therefore a new request under the same rules, with nothing private in it.
 */
import { rename, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Agent, type Dispatcher, request as send } from 'undici';
import { QuarryError } from '../contract/index.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { KIB, SECOND_MS } from '../lib/units.ts';
import { explainFetchError, sourceTooLarge, statusError, timedOut } from './fetch-errors.ts';
import { checkUrl, type Exchange, type FetchPolicy, redirected, redirectTarget } from './fetch-policy.ts';
import { fileNameOfResponse } from './file-names.ts';
import { writeChunks } from './file-writer.ts';
import { type Connector, createGuardedConnect, type Resolver } from './guarded-connect.ts';
import { ACCEPTED_ENCODINGS, decodedBody, type ForeignBody, readCapped } from './response-body.ts';

const MAX_REDIRECTS = 5;
const MAX_CONNECTIONS_PER_HOST = 8;
const MAX_HEADER_BYTES = 64 * KIB;
const DEFAULT_HEADERS_TIMEOUT_MS = 30 * SECOND_MS;
const DEFAULT_IDLE_TIMEOUT_MS = 30 * SECOND_MS;
export interface FetchBounds {
  policy: FetchPolicy;
  /** For everything: look-up, connection, redirects, body. */
  totalTimeoutMs: number;
  /** From the request sent to the headers received. */
  headersTimeoutMs?: number | undefined;
  /** Longest silence within the body. */
  idleTimeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface FileOptions extends FetchBounds {
  /** Where the file goes, for one fetch at a time. It appears there complete or not at all. */
  path: string;
  /** On the wire and inflated. */
  maxBytes: number;
  onProgress?: ((progress: { receivedBytes: number; totalBytes: number | null }) => void) | undefined;
}

export interface FetchedFile {
  sizeBytes: number;
  sha256: string;
  /** As declared, lower-case and without parameters; a hint at most. */
  mediaType: string | null;
  fileName: string | null;
  finalUrl: string;
}

export interface RequestOptions extends FetchBounds {
  method?: 'GET' | 'HEAD' | 'POST';
  /** Lower-case names. */
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  maxResponseBytes: number;
  /** 0 gives a redirect back as the response it is. */
  followRedirects?: number;
  /** Asked once the headers are there; on false the body is not read. */
  wantsBody?(response: { status: number; headers: IncomingHttpHeaders; finalUrl: string }): boolean;
}

export interface GuardedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** Decoded, at most `maxResponseBytes`. */
  body: Buffer;
  /** Whether there was more body than was kept. */
  truncated: boolean;
  timing: { firstByteMs: number; totalMs: number };
  finalUrl: string;
}

export interface GuardedClient {
  /**
   * Streams a source to a file. Errors: `source_unreachable`, `source_forbidden`, `source_too_large`, `timeout`,
   * `cancelled`, `storage_full`.
   */
  fetchToFile(url: string, options: FileOptions): Promise<FetchedFile>;
  /** One exchange, whatever its status. Errors: `source_unreachable`, `source_forbidden`, `timeout`, `cancelled`. */
  request(url: string, options: RequestOptions): Promise<GuardedResponse>;
  /** Ends all connections; requests under way fail. */
  close(): Promise<void>;
}

export interface GuardedClientParts {
  userAgent: string;
  clock?: Clock;
  resolver?: Resolver;
  connector?: Connector;
}

interface Opened {
  url: URL;
  status: number;
  headers: IncomingHttpHeaders;
  stream: Readable;
}

export function createGuardedClient(parts: GuardedClientParts): GuardedClient {
  const { userAgent, clock = systemClock, resolver, connector } = parts;
  const agentFor = (allowPrivateNetworks: boolean) =>
    new Agent({
      connect: createGuardedConnect({ allowPrivateNetworks, resolver, connector }),
      connections: MAX_CONNECTIONS_PER_HOST,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      allowH2: false,
    });
  // Two pools: a connection that the owner opened inside must never be found open by somebody else's request.
  const publicAgent = agentFor(false);
  const privateAgent = agentFor(true);
  const hop = (url: URL, exchange: Exchange, bounds: FetchBounds, signal: AbortSignal) =>
    sendOnce(url, exchange, bounds, {
      dispatcher: bounds.policy.allowPrivateNetworks ? privateAgent : publicAgent,
      signal,
      userAgent,
    });

  return {
    fetchToFile(address, options) {
      return withinBounds(address, options, async (url, signal) => {
        const limits = { maxRedirects: MAX_REDIRECTS, policy: options.policy };
        const exchange: Exchange = { method: 'GET', headers: {}, body: null };
        const opened = await follow(url, exchange, (target, next) => hop(target, next, options, signal), limits);
        return saveFile(opened, options, clock);
      });
    },
    request(address, options) {
      return withinBounds(address, options, async (url, signal) => {
        const { method = 'GET', headers = {}, body = null, followRedirects = 0 } = options;
        const limits = { maxRedirects: Math.min(followRedirects, MAX_REDIRECTS), policy: options.policy };
        const exchange: Exchange = { method, headers, body };
        const startedAt = clock.now();
        const opened = await follow(url, exchange, (target, next) => hop(target, next, options, signal), limits);
        const firstByteMs = clock.now() - startedAt;
        const { content, truncated } = await readWanted(opened, options);
        const { status, headers: received } = opened;
        const timing = { firstByteMs, totalMs: clock.now() - startedAt };
        return { status, headers: received, body: content, truncated, timing, finalUrl: opened.url.href };
      });
    },
    async close() {
      await Promise.all([publicAgent.destroy(), privateAgent.destroy()]);
    },
  };
}

/** Runs the work under one deadline and the caller's signal, and makes every failure a public error. */
async function withinBounds<Result>(
  address: string,
  bounds: FetchBounds,
  work: (url: URL, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const url = checkUrl(address, undefined, bounds.policy);
  // One controller for both ends: a signal made of two costs a third of what the whole request does.
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, bounds.totalTimeoutMs);
  bounds.signal?.addEventListener('abort', end, { once: true });
  try {
    bounds.signal?.throwIfAborted();
    return await work(url, ending.signal);
  } catch (error) {
    // An abort shows up as whatever it broke, so it is asked for first.
    if (bounds.signal?.aborted) throw cancelled(bounds.signal.reason);
    if (ending.signal.aborted) throw timedOut(url.host, error);
    throw error;
  } finally {
    clearTimeout(timer);
    bounds.signal?.removeEventListener('abort', end);
  }
}

function cancelled(reason: unknown): QuarryError {
  if (reason instanceof QuarryError) return reason;
  return new QuarryError('cancelled', 'The request was cancelled.', { cause: reason });
}

async function follow(
  start: URL,
  exchange: Exchange,
  hop: (url: URL, exchange: Exchange) => Promise<Opened>,
  { maxRedirects, policy }: { maxRedirects: number; policy: FetchPolicy },
): Promise<Opened> {
  let url = start;
  let next = exchange;
  for (let redirects = 0; ; redirects++) {
    const opened = await hop(url, next);
    const target = maxRedirects === 0 ? null : redirectTarget(opened.status, opened.headers.location);
    if (target === null) return opened;
    opened.stream.destroy();
    if (redirects >= maxRedirects) {
      throw new QuarryError(
        'source_unreachable',
        `The host ${start.host} redirects too often; give the final address.`,
      );
    }
    url = checkUrl(target, url, policy);
    next = redirected(next, opened.status);
  }
}

async function sendOnce(
  url: URL,
  exchange: Exchange,
  bounds: FetchBounds,
  parts: { dispatcher: Dispatcher; signal: AbortSignal; userAgent: string },
): Promise<Opened> {
  const response = await send(url, {
    dispatcher: parts.dispatcher,
    signal: parts.signal,
    method: exchange.method,
    headers: { 'user-agent': parts.userAgent, 'accept-encoding': ACCEPTED_ENCODINGS, ...exchange.headers },
    body: exchange.body,
    headersTimeout: bounds.headersTimeoutMs ?? DEFAULT_HEADERS_TIMEOUT_MS,
    bodyTimeout: bounds.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
  }).catch((error: unknown) => {
    throw explainFetchError(error, url.host);
  });
  // A body that is dropped half-read emits an error, which would end the process if nobody listened.
  response.body.on('error', () => undefined);
  return { url, status: response.statusCode, headers: response.headers, stream: response.body };
}

function foreignBody(opened: Opened, maxBytes: number): ForeignBody {
  const encoding = opened.headers['content-encoding'];
  return { host: opened.url.host, stream: opened.stream, encoding, maxBytes };
}

async function readWanted(opened: Opened, options: RequestOptions): Promise<{ content: Buffer; truncated: boolean }> {
  const { status, headers, url, stream } = opened;
  if (options.wantsBody?.({ status, headers, finalUrl: url.href }) === false) {
    stream.destroy();
    return { content: Buffer.alloc(0), truncated: false };
  }
  return readCapped(foreignBody(opened, options.maxResponseBytes));
}

async function saveFile(opened: Opened, options: FileOptions, clock: Clock): Promise<FetchedFile> {
  const { url, status, headers, stream } = opened;
  const { maxBytes, onProgress } = options;
  const statedBytes = headers['content-length'] === undefined ? null : Number(headers['content-length']);
  try {
    if (status < 200 || status > 299) throw statusError(status, headers, url.host, clock);
    if (statedBytes !== null && statedBytes > maxBytes) throw sourceTooLarge(maxBytes);
    const totalBytes = headers['content-encoding'] === undefined ? statedBytes : null;
    const partialPath = `${options.path}.part`;
    // Of a fetch that was interrupted: it is begun again, and would otherwise lie there as long as its job.
    await rm(partialPath, { force: true });
    const written = await writeChunks(decodedBody(foreignBody(opened, maxBytes)), partialPath, {
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
    stream.destroy();
    throw error;
  }
}
