/**
 * The guarded client for webhooks: one POST, no redirect followed, a few kilobytes of the answer. The threats are those
 * of every foreign target, met by the same guarded connection, and one more: a receiver that hangs, drips or never ends
 * must cost no more than its time and its bytes. It speaks to undici's dispatcher directly, since a callback is small
 * and there are many of them: the machinery for long bodies would be half of the cost.
 */

import { Agent, type buildConnector, Client, type Dispatcher } from 'undici';
import { QuarryError } from '../errors.ts';
import { remember } from '../memoize.ts';
import { KIB, SECOND_MS } from '../units.ts';
import { explainFetchError, timedOut } from './fetch-errors.ts';
import { type Connector, createGuardedConnect, type Resolver } from './guarded-connect.ts';

/** More than a crawl's per host: some of a receiver's endpoints may hang while others wait for their turn. */
const MAX_CONNECTIONS_PER_HOST = 128;

const MAX_HEADER_BYTES = 16 * KIB;

/**
 * How long a connection is kept without a request, also where the receiver offers more: one that was lost on its way
 * meanwhile, to a machine that slept or behind a router that forgot it, takes a whole attempt to show it.
 */
const KEPT_MS = 4 * SECOND_MS;

/** Of the addresses that are called most are the same few. */
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
  /** For everything: look-up, connection, answer. */
  timeoutMs: number;
  maxResponseBytes: number;
  signal: AbortSignal;
}

export interface GuardedWebhookClient {
  /** Errors: `source_unreachable`, `source_forbidden`, `timeout`, `cancelled`, `interrupted`. */
  post(url: string, post: WebhookPost): Promise<PostedAnswer>;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** A post as its connection takes it. */
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

/** Where requests are sent. */
interface Connections {
  /** Connections that are kept open. */
  kept: Dispatcher;
  /** A connection was opened just now: the request that starts in this turn is its first. */
  isOpening: boolean;
  /** Sends over a connection that is made for this request alone. */
  sendAfresh(origin: string, request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
}

class GuardedPool implements Connections {
  readonly kept: Agent;
  isOpening = false;
  readonly #options: Client.Options;
  /** Each with one request, and closed after it. */
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

/** What a post that its sender has given up fails with. */
function cancelled(): QuarryError {
  return new QuarryError('cancelled', 'The request was cancelled.');
}

/** The client on the thread of its caller. */
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

/** A POST to one address, checked for its scheme. */
interface PostedRequest {
  /** The origin's scheme, host and port: connections are shared by requests of one origin. */
  origin: string;
  /** With the port, as errors name it. */
  host: string;
  /** Path and query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** For everything: a free connection, look-up, connection, answer. */
  timeoutMs: number;
  maxResponseBytes: number;
}

interface PostedAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
  /** There was more body than was kept. */
  truncated: boolean;
}

/** Called once. Errors: `source_unreachable`, `source_forbidden`, `timeout`, `interrupted`, or what ended it. */
type Settle = (outcome: { answer: PostedAnswer } | { error: unknown }) => void;

/** How a connection breaks off that its other side had closed already. */
const BROKEN_OFF = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'ECONNABORTED', 'EPIPE']);

/**
 * One request and its answer, collected up to its bounds. What ends first settles it; what comes later is ignored.
 *
 * A receiver may close a kept connection in the moment in which the next request goes out, without having read it. A
 * request whose kept connection breaks off before any answer is therefore sent once more, over a new one.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #host: string;
  readonly #origin: string;
  readonly #maxBodyBytes: number;
  readonly #settle: Settle;
  readonly #timer: NodeJS.Timeout;
  readonly #options: Dispatcher.DispatchOptions;
  readonly #connections: Connections;
  /** The request went out over a connection that was open before, and nothing of an answer has come. */
  #mayRepeat = false;
  #isRepeated = false;
  #controller: Dispatcher.DispatchController | null = null;
  #isSettled = false;
  #status = 0;
  #headers: PostedAnswer['headers'] = {};
  #chunks: Buffer[] = [];
  #sizeBytes = 0;

  /** Sends the request at once. */
  constructor(request: PostedRequest, connections: Connections, settle: Settle) {
    const { origin, host, path, headers, body, timeoutMs, maxResponseBytes } = request;
    this.#host = host;
    this.#origin = origin;
    this.#maxBodyBytes = maxResponseBytes;
    this.#settle = settle;
    this.#timer = setTimeout(() => this.#onTimeout(), timeoutMs);
    // The timer of the exchange covers what these would.
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
    // What comes before the true answer, such as 103 Early Hints, is none.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers as PostedAnswer['headers'];
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.#maxBodyBytes - this.#sizeBytes;
    // A copy: undici's chunk is a window on a buffer that is used again.
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

  /** A receiver that has given its status has answered; the rest of what it says is not waited for. */
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
