/**
 * The guarded client for webhooks: one POST, no redirect followed, a few kilobytes of the answer. The threats are those
 * of every foreign target, met by the same guarded connection, and one more: a receiver that hangs, drips or never ends
 * must cost no more than its time and its bytes. It speaks to undici's dispatcher directly, since a callback is small
 * and there are many of them: the machinery for long bodies would be half of the cost.
 */
import { Agent, type Dispatcher } from 'undici';
import { QuarryError } from '../contract/index.ts';
import { KIB } from '../lib/units.ts';
import { explainFetchError, timedOut } from './fetch-errors.ts';
import { type Connector, createGuardedConnect, type Resolver } from './guarded-connect.ts';

/** More than a crawl's per host: some of a receiver's endpoints may hang while others wait for their turn. */
const MAX_CONNECTIONS_PER_HOST = 128;
const MAX_HEADER_BYTES = 16 * KIB;

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

export interface WebhookAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
  /** There was more body than was kept. */
  truncated: boolean;
}

export interface GuardedWebhookClient {
  /** Errors: `source_unreachable`, `source_forbidden`, `timeout`, `cancelled`. */
  post(url: string, post: WebhookPost): Promise<WebhookAnswer>;
  /** Ends all connections. */
  close(): Promise<void>;
}

export function createWebhookClient(parts: WebhookClientParts): GuardedWebhookClient {
  const { resolver, connector } = parts;
  const agentFor = (allowPrivateNetworks: boolean) =>
    new Agent({
      connect: createGuardedConnect({ allowPrivateNetworks, resolver, connector }),
      connections: MAX_CONNECTIONS_PER_HOST,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      allowH2: false,
    });
  // Two pools: a connection that the owner opened inside must never be found open by somebody else's webhook.
  const publicAgent = agentFor(false);
  const privateAgent = agentFor(true);
  return {
    post(address, post) {
      const url = new URL(address);
      if (url.protocol !== 'https:' && !(url.protocol === 'http:' && post.policy.allowHttp)) {
        return Promise.reject(new QuarryError('source_forbidden', 'Only https addresses are called.'));
      }
      return exchange(url, post, post.policy.allowPrivateNetworks ? privateAgent : publicAgent);
    },
    async close() {
      await Promise.all([publicAgent.destroy(), privateAgent.destroy()]);
    },
  };
}

function exchange(url: URL, post: WebhookPost, agent: Dispatcher): Promise<WebhookAnswer> {
  return new Promise((resolve, reject) => {
    const answer = new AnswerHandler(url.host, post, resolve, reject);
    const { headers, body } = post;
    const options = { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body } as const;
    // The timer of the exchange covers what these would.
    agent.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, answer);
  });
}

/** The exchanges that each signal ends. A signal looks through all its listeners for each that is added: it has one. */
const waiting = new WeakMap<AbortSignal, Set<AnswerHandler>>();

function waitingFor(signal: AbortSignal): Set<AnswerHandler> {
  const known = waiting.get(signal);
  if (known !== undefined) return known;
  const made = new Set<AnswerHandler>();
  waiting.set(signal, made);
  const endAll = () => {
    for (const exchange of made) exchange.abort();
  };
  signal.addEventListener('abort', endAll, { once: true });
  return made;
}

/** Collects one answer, up to its bounds. Whatever ends first settles it; what comes later is ignored. */
class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #host: string;
  readonly #post: WebhookPost;
  readonly #resolve: (answer: WebhookAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #status = 0;
  #headers: Record<string, string | string[]> = {};
  #chunks: Buffer[] = [];
  #sizeBytes = 0;

  constructor(
    host: string,
    post: WebhookPost,
    resolve: (answer: WebhookAnswer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#host = host;
    this.#post = post;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.#onTimeout(), post.timeoutMs);
    if (post.signal.aborted) this.abort();
    else waitingFor(post.signal).add(this);
  }

  abort(): void {
    this.#fail(new QuarryError('cancelled', 'The request was cancelled.'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('The request came too late to be sent.'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // What comes before the true answer, such as 103 Early Hints, is none.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers as Record<string, string | string[]>;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.#post.maxResponseBytes - this.#sizeBytes;
    // A copy: undici's chunk is a window on a buffer that is used again.
    this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    this.#sizeBytes += Math.min(chunk.length, room);
    if (chunk.length > room) this.#succeed(true);
  }

  onResponseEnd(): void {
    this.#succeed(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(explainFetchError(error, this.#host));
  }

  /** A receiver that has given its status has answered; the rest of what it says is not waited for. */
  #onTimeout(): void {
    if (this.#status === 0) this.#fail(timedOut(this.#host));
    else this.#succeed(true);
  }

  #succeed(truncated: boolean): void {
    if (!this.#settle()) return;
    const body = Buffer.concat(this.#chunks, this.#sizeBytes);
    this.#resolve({ status: this.#status, headers: this.#headers, body, truncated });
    if (truncated) this.#controller?.abort(new Error('The rest of the answer is not wanted.'));
  }

  #fail(error: unknown): void {
    if (!this.#settle()) return;
    this.#reject(error);
    this.#controller?.abort(new Error('The exchange is over.'));
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#timer);
    waiting.get(this.#post.signal)?.delete(this);
    return true;
  }
}
