/**
 * The guarded client for webhooks: one POST, no redirect followed, a few kilobytes of the answer. The threats are those
 * of every foreign target, met by the same guarded connection, and one more: a receiver that hangs, drips or never ends
 * must cost no more than its time and its bytes. It speaks to undici's dispatcher directly, since a callback is small
 * and there are many of them: the machinery for long bodies would be half of the cost.
 */
import { Agent, type buildConnector, Client, type Dispatcher } from 'undici';
import { QuarryError } from '../../contract/index.ts';
import { remember } from '../memoize.ts';
import { KIB, SECOND_MS } from '../units.ts';
import { type Connector, createGuardedConnect, type Resolver } from './guarded-connect.ts';
import { type Connections, Exchange, type PostedAnswer, type PostedRequest, type Settle } from './webhook-exchange.ts';

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

export interface WebhookClientParts {
  resolver?: Resolver;
  connector?: Connector;
}

export interface WebhookPost {
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
export interface GuardedRequest extends PostedRequest {
  allowPrivateNetworks: boolean;
}

/** Errors: `source_forbidden`. */
export function guardedRequest(address: string, post: Omit<WebhookPost, 'signal'>): GuardedRequest {
  const { headers, body, policy, timeoutMs, maxResponseBytes } = post;
  const url = parsed(address);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowHttp)) {
    throw new QuarryError('source_forbidden', 'Only https addresses are called.');
  }
  const { allowPrivateNetworks } = policy;
  const path = url.pathname + url.search;
  return { origin: url.origin, host: url.host, path, headers, body, allowPrivateNetworks, timeoutMs, maxResponseBytes };
}

export function createGuardedPools({ resolver, connector }: WebhookClientParts) {
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
export function cancelled(): QuarryError {
  return new QuarryError('cancelled', 'The request was cancelled.');
}

/** The client on the thread of its caller. */
export function createWebhookClient(parts: WebhookClientParts): GuardedWebhookClient {
  const pools = createGuardedPools(parts);
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
