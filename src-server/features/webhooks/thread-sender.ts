import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { perContext } from '../../context.ts';
import { QuarryError } from '../../platform/errors.ts';
import { createWebhookClient } from '../../platform/net/guarded-post.ts';
import { reviveTaskError } from '../../platform/rpc/errors.ts';
import { SECOND_MS } from '../../platform/units.ts';
import {
  createSender,
  isSealed,
  type Parcel,
  type PostResponse,
  type SentParcel,
  type WebhookSender,
} from './sender.ts';
import type { FromSenderThread, SendOrder, SendResult, ToSenderThread } from './sender-protocol.ts';

/** Orders per message: the thread begins with the first of a batch while the others are still made. */
const MAX_ORDERS_PER_MESSAGE = 32;

/** How long the thread may take to end its connections. */
const CLOSE_GRACE_MS = SECOND_MS;

const NO_BYTES = Buffer.alloc(0);

interface Waiting {
  signal: AbortSignal;
  /** A body that was sealed here stays here; of any other nothing is kept meanwhile. */
  ownBody: Uint8Array;
  resolve(sent: SentParcel): void;
  reject(error: unknown): void;
}

/** Gives the next so many bytes of a message. */
type NextBytes = (length: number) => Buffer;

/**
 * The sender with a thread of its own, which the first parcel starts, and again should it end. Errors beside those of
 * `WebhookSender`: `cancelled`, `interrupted` (closed, or the thread ended or could not be started).
 */
export class ThreadSender implements WebhookSender {
  readonly #entry: URL;
  readonly #waiting = new Map<number, Waiting>();
  /** A signal looks through all its listeners for each that is added, so it has one. */
  readonly #heard = new WeakSet<AbortSignal>();
  #outgoing: SendOrder[] = [];
  #worker: Worker | null = null;
  #lastId = 0;
  #isClosed = false;

  /** @param entry the thread's file: `webhook-thread` */
  constructor(entry: URL) {
    this.#entry = entry;
  }

  send(parcel: Parcel): Promise<SentParcel> {
    const { signal, ...order } = parcel;
    const ownBody = isSealed(order.content) ? order.content.body : NO_BYTES;
    if (this.#isClosed) return Promise.reject(interrupted());
    if (signal.aborted) return Promise.reject(cancelled());
    this.#lastId += 1;
    this.#listenTo(signal);
    const { promise, resolve, reject } = Promise.withResolvers<SentParcel>();
    this.#waiting.set(this.#lastId, { signal, ownBody, resolve, reject });
    if (this.#outgoing.length === 0) setImmediate(() => this.#flush());
    this.#outgoing.push({ id: this.#lastId, ...order });
    if (this.#outgoing.length >= MAX_ORDERS_PER_MESSAGE) this.#flush();
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
      worker.postMessage('close' satisfies ToSenderThread);
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
    this.#worker?.postMessage({ cancel } satisfies ToSenderThread);
  }

  #flush(): void {
    const orders = this.#outgoing;
    if (orders.length === 0) return;
    this.#outgoing = [];
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage({ orders } satisfies ToSenderThread);
    } catch (error) {
      // The system gives no more threads: each of these is tried again at its time.
      for (const { id } of orders) this.#take(id)?.reject(interrupted(error));
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, { name: 'webhooks' });
    let cause: unknown;
    worker.on('message', (message: FromSenderThread) => this.#hear(message));
    worker.once('error', (error) => {
      cause = error;
    });
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      this.#failAll(cause);
    });
    return worker;
  }

  #hear({ results, bodies, failed }: FromSenderThread): void {
    const next = reader(bodies);
    for (const result of results) {
      const body = result.bodyBytes === null ? null : next(result.bodyBytes);
      const answer = answerOf(result.answer, next);
      const waiting = this.#take(result.id);
      if (waiting === undefined) continue;
      const { bodySha256, keptHeaders } = result;
      waiting.resolve({ body: body ?? waiting.ownBody, bodySha256, keptHeaders, answer });
    }
    for (const { id, error } of failed) this.#take(id)?.reject(reviveTaskError(error) ?? error);
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #failAll(cause: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(interrupted(cause));
    this.#waiting.clear();
  }
}

function answerOf(answer: SendResult['answer'], next: NextBytes): SentParcel['answer'] {
  if ('error' in answer) return { error: reviveTaskError(answer.error) ?? answer.error };
  const { status, headers, truncated, bodyBytes } = answer;
  const response: PostResponse = { status, headers, truncated, body: bodyBytes === 0 ? NO_BYTES : next(bodyBytes) };
  return { response };
}

function reader(bytes: ArrayBuffer): NextBytes {
  let place = 0;
  return (length) => {
    const piece = Buffer.from(bytes, place, length);
    place += length;
    return piece;
  };
}

function cancelled(): QuarryError {
  return new QuarryError('cancelled', 'The delivery was cancelled.');
}

function interrupted(cause?: unknown): QuarryError {
  return new QuarryError('interrupted', 'The service is stopping; try again later.', { cause, retryable: true });
}

/** Sends deliveries. A connector that tests inject stays on the thread it comes from. */
export const webhookSenderOf = perContext((context): WebhookSender => {
  const { workerEntry, options } = context;
  if (options.network !== undefined) {
    const client = createWebhookClient(options.network);
    context.onClose(() => client.close());
    return createSender(client);
  }
  const ending = extname(workerEntry.pathname);
  const sender = new ThreadSender(new URL(`../src-server/features/webhooks/webhook-thread${ending}`, workerEntry));
  context.onClose(() => sender.close());
  return sender;
});
