import { Worker } from 'node:worker_threads';
import { reviveTaskError } from '../contract/task-error.ts';
import { SECOND_MS } from '../lib/units.ts';
import { stopping } from './fetch-errors.ts';
import { cancelled, type GuardedWebhookClient, guardedRequest, type WebhookPost } from './webhook-client.ts';
import type { PostedAnswer } from './webhook-exchange.ts';
import type { FromWebhookThread, PostOrder, PostResult, ToWebhookThread } from './webhook-protocol.ts';

/** Posts per message: the thread begins with the first of a batch while the others are still made. */
const MAX_POSTS_PER_MESSAGE = 32;
/** How long the thread may take to end its connections. */
const CLOSE_GRACE_MS = SECOND_MS;

interface Waiting {
  signal: AbortSignal;
  resolve(answer: PostedAnswer): void;
  reject(error: unknown): void;
}

/** The client whose connections are on a thread of their own. The first post starts it, and again should it end. */
export class WebhookWorker implements GuardedWebhookClient {
  readonly #entry: URL;
  readonly #waiting = new Map<number, Waiting>();
  /** A signal looks through all its listeners for each that is added, so it has one. */
  readonly #heard = new WeakSet<AbortSignal>();
  #outgoing: PostOrder[] = [];
  #worker: Worker | null = null;
  #lastId = 0;
  #isClosed = false;

  /** @param entry the thread's file: `webhook-thread` */
  constructor(entry: URL) {
    this.#entry = entry;
  }

  async post(url: string, post: WebhookPost): Promise<PostedAnswer> {
    const { signal } = post;
    if (this.#isClosed) throw stopping();
    if (signal.aborted) throw cancelled();
    this.#lastId += 1;
    const id = this.#lastId;
    const order: PostOrder = { id, ...guardedRequest(url, post) };
    this.#listenTo(signal);
    const { promise, resolve, reject } = Promise.withResolvers<PostedAnswer>();
    this.#waiting.set(id, { signal, resolve, reject });
    if (this.#outgoing.length === 0) setImmediate(() => this.#flush());
    this.#outgoing.push(order);
    if (this.#outgoing.length >= MAX_POSTS_PER_MESSAGE) this.#flush();
    return promise;
  }

  /**
   * Asked rather than ended: ending a thread inside native code takes the whole process down. A name that is being
   * looked up, or a connection being made, would keep it for seconds: that is not waited for.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#outgoing = [];
    const worker = this.#worker;
    if (worker !== null) {
      const { promise, resolve } = Promise.withResolvers<void>();
      worker.once('exit', () => resolve());
      worker.postMessage('close' satisfies ToWebhookThread);
      worker.unref();
      const timer = setTimeout(resolve, CLOSE_GRACE_MS);
      await promise;
      clearTimeout(timer);
    }
    this.#failAll(undefined);
  }

  #listenTo(signal: AbortSignal): void {
    if (this.#heard.has(signal)) return;
    this.#heard.add(signal);
    signal.addEventListener('abort', () => this.#cancel(signal), { once: true });
  }

  #cancel(signal: AbortSignal): void {
    this.#flush();
    const cancel = [...this.#waiting].flatMap(([id, waiting]) => (waiting.signal === signal ? [id] : []));
    for (const id of cancel) this.#take(id)?.reject(cancelled());
    this.#worker?.postMessage({ cancel } satisfies ToWebhookThread);
  }

  #flush(): void {
    const posts = this.#outgoing;
    if (posts.length === 0) return;
    this.#outgoing = [];
    this.#worker ??= this.#start();
    this.#worker.postMessage({ posts } satisfies ToWebhookThread, [pack(posts)]);
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, { name: 'webhooks' });
    let cause: unknown;
    worker.on('message', (results: FromWebhookThread) => {
      for (const result of results) this.#hear(result);
    });
    worker.once('error', (error) => {
      cause = error;
    });
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      this.#failAll(cause);
    });
    return worker;
  }

  #hear(result: PostResult): void {
    const waiting = this.#take(result.id);
    if ('error' in result) waiting?.reject(reviveTaskError(result.error) ?? result.error);
    else waiting?.resolve({ ...result.answer, body: Buffer.from(result.answer.body.buffer) });
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #failAll(cause: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(stopping(cause));
    this.#waiting.clear();
  }
}

/** Moves the bodies into one piece of memory, which changes threads without being copied. */
function pack(posts: readonly PostOrder[]): ArrayBuffer {
  const packable = posts.filter(({ body }) => !isShared(body));
  const bytes = new Uint8Array(packable.reduce((sum, { body }) => sum + body.length, 0));
  let place = 0;
  for (const post of packable) {
    const moved = bytes.subarray(place, place + post.body.length);
    moved.set(post.body);
    place += moved.length;
    post.body = moved;
  }
  return bytes.buffer;
}

/** A large body lies where both threads see it. */
function isShared(body: Uint8Array): boolean {
  return body.buffer instanceof SharedArrayBuffer;
}
