/**
 * The guarded client for webhooks: one POST, no redirects, a few kilobytes of the response. Threats: those of any
 * foreign target, met by the guarded connection, and receivers that hang, drip or never end, met by limits on time and
 * bytes. It uses undici's dispatcher directly: callbacks are small and many, and stream handling would double their
 * cost.
 */

import { Agent, type buildConnector, Client, type Dispatcher } from 'undici';
import { QuarryError } from '../errors.ts';
import { remember } from '../memoize.ts';
import { KIB, SECOND_MS } from '../units.ts';
import { explainFetchError, timedOut } from './fetch-errors.ts';
import { type Connector, createGuardedConnect, type Resolver } from './guarded-connect.ts';

/** Higher than the crawl's limit per host: some endpoints of a receiver may hang while others wait. */
const MAX_CONNECTIONS_PER_HOST = 128;

const MAX_HEADER_BYTES = 16 * KIB;

/**
 * Keep-alive limit, even when the receiver offers more. A connection that was lost silently (sleep, a router that
 * dropped it) costs a whole attempt.
 */
const KEPT_MS = 4 * SECOND_MS;

/** The most frequent URLs are the same few. */
const MAX_KEPT_URLS = 1000;

const parsed = remember((address) => new URL(address), MAX_KEPT_URLS);

interface WebhookClientDeps {
  resolver?: Resolver;
  connector?: Connector;
}

interface WebhookPost {
  headers: Record<string, string>;
  body: Uint8Array;
  policy: { allowHttp: boolean; allowPrivateNetworks: boolean };
  /** For the whole exchange: DNS, connection, response. */
  timeoutMs: number;
  maxResponseBytes: number;
  signal: AbortSignal;
}

export interface GuardedWebhookClient {
  /** Errors: `source_unreachable`, `source_forbidden`, `timeout`, `cancelled`, `interrupted`. */
  post(url: string, post: WebhookPost): Promise<PostedAnswer>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** A post in the form that the connection sends. */
interface GuardedRequest extends PostedRequest {
  allowPrivateNetworks: boolean;
}

/** Errors: `source_forbidden`. */
function guardedRequest(address: string, post: Omit<WebhookPost, 'signal'>): GuardedRequest {
  const { headers, body, policy, timeoutMs, maxResponseBytes } = post;
  const url = parsed(address);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowHttp)) {
    throw new QuarryError('source_forbidden', 'Only https addresses are called.');
  }
  const { allowPrivateNetworks } = policy;
  const path = url.pathname + url.search;
  return { origin: url.origin, host: url.host, path, headers, body, allowPrivateNetworks, timeoutMs, maxResponseBytes };
}

function createGuardedPools({ resolver, connector }: WebhookClientDeps) {
  // Two pools: a connection that the owner opened inside must never be found open by somebody else's webhook.
  const publicPool = new GuardedPool(createGuardedConnect({ allowPrivateNetworks: false, resolver, connector }));
  const privatePool = new GuardedPool(createGuardedConnect({ allowPrivateNetworks: true, resolver, connector }));
  return {
    send(request: GuardedRequest, settle: Settle): Exchange {
      return new Exchange(request, request.allowPrivateNetworks ? privatePool : publicPool, settle);
    },
    async close() {
      await Promise.all([publicPool.destroy(), privatePool.destroy()]);
    },
  };
}

interface Connections {
  /** Keep-alive connections. */
  kept: Dispatcher;
  /** A connection has just opened. A request that starts now is its first. */
  isOpening: boolean;
  /** Sends over a new connection for this request only. */
  sendAfresh(origin: string, request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
}

class GuardedPool implements Connections {
  readonly kept: Agent;
  isOpening = false;
  readonly #options: Client.Options;
  /** Connections for a single request, closed afterwards. */
  readonly #single = new Set<Client>();

  constructor(guarded: buildConnector.connector) {
    const connect: buildConnector.connector = (target, callback) => guarded(target, this.#noting(callback));
    const keep = { keepAliveTimeout: KEPT_MS, keepAliveMaxTimeout: KEPT_MS };
    this.#options = { connect, pipelining: 1, maxHeaderSize: MAX_HEADER_BYTES, allowH2: false, ...keep };
    this.kept = new Agent({ ...this.#options, connections: MAX_CONNECTIONS_PER_HOST });
  }

  sendAfresh(origin: string, request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const client = new Client(origin, this.#options);
    this.#single.add(client);
    client.dispatch(request, handler);
    void client.close().finally(() => this.#single.delete(client));
  }

  #noting(callback: buildConnector.Callback): buildConnector.Callback {
    return (...outcome) => {
      this.isOpening = true;
      callback(...outcome);
      this.isOpening = false;
    };
  }

  async destroy(): Promise<void> {
    await Promise.all([this.kept, ...this.#single].map((dispatcher) => dispatcher.destroy()));
  }
}

/** The error of a cancelled post. */
function cancelled(): QuarryError {
  return new QuarryError('cancelled', 'The request was cancelled.');
}

/** A client on the caller's thread. */
export function createWebhookClient(deps: WebhookClientDeps): GuardedWebhookClient {
  const pools = createGuardedPools(deps);
  return {
    async post(address, post) {
      const { signal } = post;
      if (signal.aborted) throw cancelled();
      const { promise, resolve, reject } = Promise.withResolvers<PostedAnswer>();
      const exchange = pools.send(guardedRequest(address, post), (outcome) => {
        if ('answer' in outcome) resolve(outcome.answer);
        else reject(outcome.error);
      });
      const abort = () => exchange.abort(cancelled());
      signal.addEventListener('abort', abort);
      return promise.finally(() => signal.removeEventListener('abort', abort));
    },
    close: () => pools.close(),
  };
}

/** A POST to a URL whose scheme was checked. */
interface PostedRequest {
  /** Scheme, host and port. Requests to one origin share connections. */
  origin: string;
  /** With the port, as in error messages. */
  host: string;
  /** Path and query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** For the whole exchange: a free connection, DNS, connection, response. */
  timeoutMs: number;
  maxResponseBytes: number;
}

interface PostedAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
  /** The body was longer than what was kept. */
  truncated: boolean;
}

/**
 * Called once. Errors: `source_unreachable`, `source_forbidden`, `timeout`, `interrupted`, or the reason of an abort.
 */
type Settle = (outcome: { answer: PostedAnswer } | { error: unknown }) => void;

/** Errors of a connection that the peer had already closed. */
const BROKEN_OFF = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'ECONNABORTED', 'EPIPE']);

/**
 * One request and its response, collected up to its limits. The first end settles it, later events are ignored.
 *
 * A receiver may close a keep-alive connection just as the next request is sent. A request whose reused connection
 * fails before any response is therefore sent once more, over a new connection.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #host: string;
  readonly #origin: string;
  readonly #maxBodyBytes: number;
  readonly #settle: Settle;
  readonly #timer: NodeJS.Timeout;
  readonly #options: Dispatcher.DispatchOptions;
  readonly #connections: Connections;
  /** The request used an open connection, and no response byte has arrived. */
  #mayRepeat = false;
  #isRepeated = false;
  #controller: Dispatcher.DispatchController | null = null;
  #isSettled = false;
  #status = 0;
  #headers: PostedAnswer['headers'] = {};
  #chunks: Buffer[] = [];
  #sizeBytes = 0;

  /** Sends the request immediately. */
  constructor(request: PostedRequest, connections: Connections, settle: Settle) {
    const { origin, host, path, headers, body, timeoutMs, maxResponseBytes } = request;
    this.#host = host;
    this.#origin = origin;
    this.#maxBodyBytes = maxResponseBytes;
    this.#settle = settle;
    this.#timer = setTimeout(() => this.#onTimeout(), timeoutMs);
    // The timer of the exchange replaces these limits.
    const limits = { headersTimeout: 0, bodyTimeout: 0 };
    this.#options = { origin, path, method: 'POST', headers: { ...headers }, body, ...limits };
    this.#connections = connections;
    connections.kept.dispatch(this.#options, this);
  }

  /** Ends it, and the connection it has. */
  abort(error: QuarryError): void {
    this.#fail(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#mayRepeat = !this.#isRepeated && !this.#connections.isOpening;
    if (this.#isSettled) controller.abort(new Error('The request came too late to be sent.'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#mayRepeat = false;
    // Ignore interim responses, such as 103 Early Hints.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers as PostedAnswer['headers'];
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.#maxBodyBytes - this.#sizeBytes;
    // Copy: undici reuses the buffer behind the chunk.
    this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    this.#sizeBytes += Math.min(chunk.length, room);
    if (chunk.length > room) this.#succeed(true);
  }

  onResponseEnd(): void {
    this.#succeed(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: NodeJS.ErrnoException): void {
    if (this.#mayRepeat && !this.#isSettled && BROKEN_OFF.has(error.code ?? '')) {
      this.#isRepeated = true;
      this.#connections.sendAfresh(this.#origin, this.#options, this);
      return;
    }
    this.#fail(explainFetchError(error, this.#host));
  }

  /** A timeout after the status line settles with the response. The rest of the body is dropped. */
  #onTimeout(): void {
    if (this.#status === 0) this.#fail(timedOut(this.#host));
    else this.#succeed(true);
  }

  #succeed(truncated: boolean): void {
    if (!this.#end()) return;
    const body = Buffer.concat(this.#chunks, this.#sizeBytes);
    this.#settle({ answer: { status: this.#status, headers: this.#headers, body, truncated } });
    if (truncated) this.#controller?.abort(new Error('The rest of the answer is not wanted.'));
  }

  #fail(error: unknown): void {
    if (!this.#end()) return;
    this.#settle({ error });
    this.#controller?.abort(new Error('The exchange is over.'));
  }

  #end(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    return true;
  }
}
