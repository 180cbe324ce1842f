/**
 * The only client for sources and crawled pages (webhooks: guarded-post.ts). Threats: URLs to the internal network
 * (guarded-connect.ts), redirects to it, unlimited bodies and delays, and credentials that reach another host. Each
 * redirect is a new request under the same rules, without private headers.
 */

import { rename, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { type Clock, systemClock } from '../clock.ts';
import { QuarryError } from '../errors.ts';
import { fileNameOfResponse } from '../files/file-names.ts';
import { writeChunks } from '../files/uploads.ts';
import { KIB, SECOND_MS } from '../units.ts';
import { explainFetchError, sourceTooLarge, statusError, timedOut } from './fetch-errors.ts';
import { checkUrl, type Exchange, type FetchPolicy, redirected, redirectTarget } from './fetch-policy.ts';
import { type Connector, createGuardedConnect, type Resolver } from './guarded-connect.ts';
import { ACCEPTED_ENCODINGS, decodedBody, isCoded, readCapped } from './response-body.ts';

const MAX_REDIRECTS = 5;

const MAX_CONNECTIONS_PER_HOST = 8;

const MAX_HEADER_BYTES = 64 * KIB;

const DEFAULT_HEADERS_TIMEOUT_MS = 30 * SECOND_MS;

const DEFAULT_IDLE_TIMEOUT_MS = 30 * SECOND_MS;

const STREAM: BodyUse = { kind: 'stream' };

const DROP: BodyUse = { kind: 'drop' };

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
  /** 0 returns a redirect as the response. */
  followRedirects?: number;
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
interface Opened extends Received {
  url: URL;
}

type UseOf = (status: number, headers: IncomingHttpHeaders, url: URL) => BodyUse;

export function createGuardedClient(deps: GuardedClientDeps): GuardedClient {
  const { userAgent, clock = systemClock, resolver, connector } = deps;
  const agentFor = (allowPrivateNetworks: boolean) =>
    new Agent({
      connect: createGuardedConnect({ allowPrivateNetworks, resolver, connector }),
      connections: MAX_CONNECTIONS_PER_HOST,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      allowH2: false,
    });
  // Two pools: a connection that the owner opened to a private host must never serve another caller's request.
  const publicAgent = agentFor(false);
  const privateAgent = agentFor(true);
  const dispatcherOf = ({ policy }: FetchBounds) => (policy.allowPrivateNetworks ? privateAgent : publicAgent);

  return {
    fetchToFile(address, options) {
      return withinBounds(address, options, async (url, end) => {
        const exchange: Exchange = { method: 'GET', headers: {}, body: null };
        const hops = { dispatcher: dispatcherOf(options), userAgent, end, maxRedirects: MAX_REDIRECTS };
        return saveFile(await follow(url, exchange, options, { ...hops, useOf: () => STREAM }), options, clock);
      });
    },
    request(address, options) {
      return withinBounds(address, options, async (url, end) => {
        const { method = 'GET', headers = {}, body = null, followRedirects = 0 } = options;
        const startedAt = clock.now();
        let firstByteMs = 0;
        const useOf: UseOf = (status, received, { href: finalUrl }) => {
          firstByteMs = clock.now() - startedAt;
          if (options.wantsBody?.({ status, headers: received, finalUrl }) === false) return DROP;
          return isCoded(received['content-encoding']) ? STREAM : { kind: 'keep', maxBytes: options.maxResponseBytes };
        };
        const maxRedirects = Math.min(followRedirects, MAX_REDIRECTS);
        const hops = { dispatcher: dispatcherOf(options), userAgent, end, maxRedirects, useOf };
        const opened = await follow(url, { method, headers, body }, options, hops);
        const { content, truncated } = await contentOf(opened, options.maxResponseBytes);
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

/** Runs the work under one deadline and the caller's signal, and maps every failure to a public error. */
async function withinBounds<Result>(
  address: string,
  bounds: FetchBounds,
  work: (url: URL, end: FetchEnd) => Promise<Result>,
): Promise<Result> {
  const url = checkUrl(address, undefined, bounds.policy);
  const end = new FetchEnd(bounds.totalTimeoutMs, bounds.signal);
  try {
    bounds.signal?.throwIfAborted();
    return await work(url, end);
  } catch (error) {
    // A cancel appears as the failure that it caused, so check for it first.
    if (bounds.signal?.aborted) throw cancelled(bounds.signal.reason);
    if (end.hasEnded) throw timedOut(url.host, error);
    throw error;
  } finally {
    end.release();
  }
}

function cancelled(reason: unknown): QuarryError {
  if (reason instanceof QuarryError) return reason;
  return new QuarryError('cancelled', 'The request was cancelled.', { cause: reason });
}

interface Hops {
  dispatcher: Dispatcher;
  userAgent: string;
  end: FetchEnd;
  maxRedirects: number;
  /** How to handle the body of the final response. */
  useOf: UseOf;
}

async function follow(start: URL, exchange: Exchange, bounds: FetchBounds, hops: Hops): Promise<Opened> {
  let url = start;
  let next = exchange;
  for (let redirects = 0; ; redirects++) {
    const opened = await sendOnce(url, next, bounds, hops);
    const target = targetOf(opened.status, opened.headers, hops);
    if (target === null) return opened;
    if (redirects >= hops.maxRedirects) {
      throw new QuarryError(
        'source_unreachable',
        `The host ${start.host} redirects too often; give the final address.`,
      );
    }
    url = checkUrl(target, url, bounds.policy);
    next = redirected(next, opened.status);
  }
}

function targetOf(status: number, headers: IncomingHttpHeaders, { maxRedirects }: Hops): string | null {
  return maxRedirects === 0 ? null : redirectTarget(status, headers.location);
}

async function sendOnce(url: URL, exchange: Exchange, bounds: FetchBounds, hops: Hops): Promise<Opened> {
  const options: Dispatcher.DispatchOptions = {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: exchange.method,
    headers: { 'user-agent': hops.userAgent, 'accept-encoding': ACCEPTED_ENCODINGS, ...exchange.headers },
    body: exchange.body,
    headersTimeout: bounds.headersTimeoutMs ?? DEFAULT_HEADERS_TIMEOUT_MS,
    bodyTimeout: bounds.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
  };
  const useOf = (status: number, headers: IncomingHttpHeaders) =>
    targetOf(status, headers, hops) === null ? hops.useOf(status, headers, url) : DROP;
  try {
    return { ...(await receiveResponse(hops.dispatcher, options, useOf, hops.end)), url };
  } catch (error) {
    throw explainFetchError(error, url.host);
  }
}

async function contentOf(opened: Opened, maxBytes: number): Promise<{ content: Buffer; truncated: boolean }> {
  const { stream, headers, url } = opened;
  if (stream === null) return opened;
  return readCapped({ host: url.host, stream, encoding: headers['content-encoding'], maxBytes });
}

async function saveFile(opened: Opened, options: FileOptions, clock: Clock): Promise<FetchedFile> {
  const { url, status, headers, stream } = opened;
  if (stream === null) throw new Error('A file is written from a stream.');
  const { maxBytes, onProgress } = options;
  const statedBytes = headers['content-length'] === undefined ? null : Number(headers['content-length']);
  try {
    if (status < 200 || status > 299) throw statusError(status, headers, url.host, clock);
    if (statedBytes !== null && statedBytes > maxBytes) throw sourceTooLarge(maxBytes);
    const totalBytes = headers['content-encoding'] === undefined ? statedBytes : null;
    const partialPath = `${options.path}.part`;
    // Left by an interrupted fetch. It would otherwise stay as long as its job.
    await rm(partialPath, { force: true });
    const written = await writeChunks(
      decodedBody({ host: url.host, stream, encoding: headers['content-encoding'], maxBytes }),
      partialPath,
      {
        maxBytes,
        tooLarge: () => sourceTooLarge(maxBytes),
        onProgress: onProgress && ((receivedBytes) => onProgress({ receivedBytes, totalBytes })),
      },
    );
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

/**
 * Sends one request through undici's dispatcher. Threat: the body, which is read only as far as it is wanted. Small
 * bodies are collected here, without a stream and a signal per request, which a small page does not need.
 */

/** Close the connection without reading; collect up to a limit; or stream. */
type BodyUse = { kind: 'drop' } | { kind: 'keep'; maxBytes: number } | { kind: 'stream' };

interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  /** Raw bytes; empty unless kept. */
  content: Buffer;
  /** Whether the body was longer than what was kept. */
  truncated: boolean;
  /** Set for a streamed body. Destroying it ends the transfer. */
  stream: Readable | null;
}

const NOTHING = Buffer.alloc(0);

/** Headers with a single value. Of duplicates the first counts, as in Node. */
const SINGLE_HEADERS = [
  ...['content-type', 'content-length', 'content-disposition', 'content-range', 'etag', 'last-modified', 'location'],
  ...['date', 'retry-after'],
];

interface Stoppable {
  stop(): void;
}

/** Cancels a fetch on timeout or abort, whichever request it is at. */
class FetchEnd {
  #hasEnded = false;
  #request: Stoppable | null = null;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #end = () => {
    this.#hasEnded = true;
    this.#request?.stop();
  };

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    this.#timer = setTimeout(this.#end, timeoutMs);
    this.#signal = signal;
    signal?.addEventListener('abort', this.#end, { once: true });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The current request. Stored as an object: a closure here kept every body alive for long after. */
  set request(request: Stoppable) {
    this.#request = request;
    if (this.#hasEnded) request.stop();
  }

  /** Removes timer and listener. */
  release(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#end);
    this.#request = null;
  }
}

/**
 * Sends a request. Resolves when the body is dropped, complete, or has started to stream. Rejects with the dispatcher's
 * error. @param useOf called once, with the headers.
 */
function receiveResponse(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  useOf: (status: number, headers: IncomingHttpHeaders) => BodyUse,
  end: FetchEnd,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const receiver = new Receiver(useOf, resolve, reject);
    end.request = receiver;
    if (!end.hasEnded) dispatcher.dispatch(options, receiver);
  });
}

class Receiver implements Dispatcher.DispatchHandler, Stoppable {
  readonly #useOf: (status: number, headers: IncomingHttpHeaders) => BodyUse;
  readonly #resolve: (received: Received) => void;
  readonly #reject: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #received: Received | null = null;
  #stoppedBy: Error | null = null;
  #chunks: Buffer[] = [];
  #room = 0;

  constructor(
    useOf: (status: number, headers: IncomingHttpHeaders) => BodyUse,
    resolve: (received: Received) => void,
    reject: (error: unknown) => void,
  ) {
    this.#useOf = useOf;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Also valid before the request is sent. It then ends when it gets a connection. */
  stop(): void {
    const error = new Error('The fetch was ended.');
    this.#stoppedBy = error;
    this.#received?.stream?.destroy(error);
    this.#controller?.abort(error);
    this.#reject(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#stoppedBy !== null) controller.abort(this.#stoppedBy);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    takeOnce(headers);
    const use = this.#useOf(status, headers);
    const received = { status, headers, content: NOTHING, truncated: false, stream: null };
    this.#received = received;
    if (use.kind === 'keep') {
      this.#room = use.maxBytes;
    } else if (use.kind === 'stream') {
      this.#received = { ...received, stream: streamOf(controller) };
      this.#resolve(this.#received);
    } else {
      this.#resolve(received);
      controller.abort(new Error('The body is not wanted.'));
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const stream = this.#received?.stream ?? null;
    if (stream !== null) {
      if (!stream.destroyed && !stream.push(chunk)) controller.pause();
    } else if (chunk.length <= this.#room) {
      this.#room -= chunk.length;
      this.#chunks.push(chunk);
    } else {
      this.#chunks.push(chunk.subarray(0, this.#room));
      this.#finish(true);
      controller.abort(new Error('There is more of the body than is wanted.'));
    }
  }

  onResponseEnd(): void {
    const stream = this.#received?.stream ?? null;
    if (stream === null) this.#finish(false);
    else if (!stream.destroyed) stream.push(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#reject(error);
    this.#received?.stream?.destroy(error);
  }

  #finish(truncated: boolean): void {
    if (this.#received === null) return;
    const [first = NOTHING] = this.#chunks;
    const content = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first;
    this.#chunks = [];
    this.#resolve({ ...this.#received, content, truncated });
  }
}

function streamOf(controller: Dispatcher.DispatchController): Readable {
  const stream = new Readable({
    read: () => controller.resume(),
    destroy(error, done) {
      controller.abort(error ?? new Error('The body is not wanted.'));
      done(error);
    },
  });
  // A half-read body that is dropped emits an error, which would end the process without a listener.
  return stream.on('error', () => undefined);
}

/** The dispatcher returns repeated headers as a list, where the type has a string. Keep the first. */
function takeOnce(headers: Record<string, string | string[] | undefined>): void {
  for (const name of SINGLE_HEADERS) {
    const value = headers[name];
    if (Array.isArray(value)) headers[name] = value[0];
  }
  const encoding = headers['content-encoding'];
  if (Array.isArray(encoding)) headers['content-encoding'] = encoding.join(', ');
}
