/**
 * The guarded client for webhooks: one POST, no redirects, a few kilobytes of the response. Threats: those of any
 * foreign target, met by the guarded connection, and receivers that hang, drip or never end, met by limits on time and
 * bytes.
 */

import { Agent, type buildConnector, Client, type Dispatcher } from 'undici';
import { QuarryError } from '../errors.ts';
import { streamBytes } from '../files/stream-bytes.ts';
import { tell } from '../text/say.ts';
import { KIB, SECOND_MS } from '../units.ts';
import { isPublicAddress } from './address-policy.ts';
import { explainFetchError, timedOut } from './fetch-errors.ts';
import { withDeadline } from './fetch-policy.ts';
import { unlessAborted } from './guarded-client.ts';
import { type Connector, createGuardedConnect, type Resolver, systemResolver } from './guarded-connect.ts';

/** Higher than the crawl's limit per host: some endpoints of a receiver may hang while others wait. */
const MAX_CONNECTIONS_PER_HOST = 128;

const MAX_HEADER_BYTES = 16 * KIB;

/**
 * Keep-alive limit, even when the receiver offers more. A connection that was lost silently (sleep, a router that
 * dropped it) costs a whole attempt.
 */
const KEPT_MS = 4 * SECOND_MS;

/** Names whose first addresses are remembered; the oldest is forgotten first. */
const MAX_KNOWN_NAMES = 10_000;

export interface WebhookClientDeps {
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

interface PostedAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
  /** The body was longer than what was kept. */
  truncated: boolean;
}

export interface GuardedWebhookClient {
  /** Errors: `source_unreachable`, `source_forbidden`, `timeout`, `cancelled`, `interrupted`. */
  post(url: string, post: WebhookPost): Promise<PostedAnswer>;
  /** Closes all connections. */
  close(): Promise<void>;
}

export function createWebhookClient({ resolver, connector }: WebhookClientDeps): GuardedWebhookClient {
  // Two pools: a connection that the owner opened to a private host must never serve another account's webhook.
  const publicPool = new GuardedPool(createGuardedConnect({ privateHost: null, resolver, connector }));
  const steady = refuseTurnedNames(resolver ?? systemResolver);
  const privatePool = new GuardedPool(createGuardedConnect({ privateHost: 'any', resolver: steady, connector }));
  return {
    async post(address, post) {
      const url = new URL(address);
      if (url.protocol !== 'https:' && !(url.protocol === 'http:' && post.policy.allowHttp)) {
        throw new QuarryError('source_forbidden', tell`Only https addresses are called.`);
      }
      const pool = post.policy.allowPrivateNetworks ? privatePool : publicPool;
      return withDeadline(post, async (end) => {
        try {
          return await sendGuardedPost(pool, url, post, end);
        } catch (error) {
          throw end.aborted ? timedOut(url.host) : explainFetchError(error, url.host);
        }
      }).catch((error: unknown) => {
        throw post.signal.aborted ? new QuarryError('cancelled', tell`The request was cancelled.`) : error;
      });
    },
    async close() {
      await Promise.all([publicPool.destroyGuardedPool(), privatePool.destroyGuardedPool()]);
    },
  };
}

/**
 * Refuses a name that had public addresses and now has private ones (DNS rebinding): who controls it would send
 * deliveries to a service inside. The address of a host on the local network may change as it likes.
 */
function refuseTurnedNames(resolve: Resolver): Resolver {
  const publicNames = new Set<string>();
  return async (name) => {
    const addresses = await resolve(name);
    const isPublic = addresses.every(({ address }) => isPublicAddress(address));
    if (!isPublic && publicNames.has(name)) {
      const message = tell`The host ${name} was on the public internet and now names a private address: nothing is
        sent.`;
      throw new QuarryError('source_forbidden', message);
    }
    if (!isPublic || addresses.length === 0) return addresses;
    publicNames.delete(name);
    publicNames.add(name);
    const [oldest] = publicNames;
    if (publicNames.size > MAX_KNOWN_NAMES && oldest !== undefined) publicNames.delete(oldest);
    return addresses;
  };
}

async function sendGuardedPost(
  pool: GuardedPool,
  url: URL,
  post: WebhookPost,
  signal: AbortSignal,
): Promise<PostedAnswer> {
  const { headers, body: content, maxResponseBytes } = post;
  const path = url.pathname + url.search;
  // The timer of the whole exchange replaces the dispatcher's limits.
  const limits = { headersTimeout: 0, bodyTimeout: 0, signal };
  const request = pool.dispatcher.request({
    origin: url.origin,
    path,
    method: 'POST',
    headers,
    body: content,
    ...limits,
  });
  const { statusCode: status, headers: received, body } = await unlessAborted(request, signal);
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of streamBytes(body)) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > maxResponseBytes) break;
    }
  } catch (error) {
    // A timeout after the status line: the answer counts, the rest of its body is dropped.
    if (!signal.aborted || post.signal.aborted) throw error;
    sizeBytes = maxResponseBytes + 1;
  }
  const truncated = sizeBytes > maxResponseBytes;
  const kept = Buffer.concat(chunks).subarray(0, maxResponseBytes);
  return { status, headers: received as PostedAnswer['headers'], body: kept, truncated };
}

/** Errors of a connection that the peer had already closed. */
const BROKEN_OFF = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'ECONNABORTED', 'EPIPE']);

/**
 * A receiver may close a keep-alive connection just as the next request is sent. A request whose reused connection
 * fails before any response is therefore sent once more, over a new connection.
 */
class GuardedPool {
  readonly dispatcher: Dispatcher;
  readonly #agent: Agent;
  readonly #options: Client.Options;
  /** Connections for a single request, closed afterwards. */
  readonly #single = new Set<Client>();
  /** A connection has just opened: a request that starts now is its first. */
  #isOpening = false;

  constructor(guarded: buildConnector.connector) {
    const connectGuarded: buildConnector.connector = (target, callback) =>
      guarded(target, (...outcome) => {
        this.#isOpening = true;
        callback(...outcome);
        this.#isOpening = false;
      });
    const keep = { keepAliveTimeout: KEPT_MS, keepAliveMaxTimeout: KEPT_MS };
    this.#options = {
      connect: connectGuarded,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      allowH2: false,
      ...keep,
    };
    this.#agent = new Agent({ ...this.#options, connections: MAX_CONNECTIONS_PER_HOST });
    this.dispatcher = this.#agent.compose(
      (dispatch) => (request, handler) => dispatch(request, this.#repeatingHandler(request, handler)),
    );
  }

  async destroyGuardedPool(): Promise<void> {
    await Promise.all([this.#agent, ...this.#single].map((dispatcher) => dispatcher.destroy()));
  }

  #repeatingHandler(
    request: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): Dispatcher.DispatchHandler {
    let mayRepeat = false;
    return {
      onRequestStart: (controller, context) => {
        mayRepeat = !this.#isOpening;
        handler.onRequestStart?.(controller, context);
      },
      onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
      onResponseStart: (...head) => {
        mayRepeat = false;
        handler.onResponseStart?.(...head);
      },
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (controller, error: NodeJS.ErrnoException) => {
        if (mayRepeat && BROKEN_OFF.has(error.code ?? '')) this.#sendAfresh(request, handler);
        else handler.onResponseError?.(controller, error);
      },
    };
  }

  #sendAfresh(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const client = new Client(request.origin as string, this.#options);
    this.#single.add(client);
    client.dispatch(request, handler);
    void client.close().finally(() => this.#single.delete(client));
  }
}
