import { Worker } from 'node:worker_threads';
import { QuarryError } from '../../platform/errors.ts';
import { reviveTaskError } from '../../platform/rpc/errors.ts';
import type { ThreadAnswers, ThreadData, ThreadMessage, ThreadQuestion, ThreadReply } from './search-protocol.ts';

/** Questions that may wait for a thread; one takes tens of milliseconds at most. */
const WAITING_MAX = 256;
const RETRY_AFTER_SECONDS = 1;

interface Waiting {
  resolve(answer: ThreadAnswers[keyof ThreadAnswers]): void;
  reject(error: Error): void;
}

export interface SearchWorkerParts {
  /** The thread's file: `search-thread`. */
  entry: URL;
  databasePath: string;
}

/** The server's side of one thread that searches. It is started by the first question, and again should it end. */
export class SearchWorker {
  readonly #parts: SearchWorkerParts;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #lastId = 0;

  constructor(parts: SearchWorkerParts) {
    this.#parts = parts;
  }

  /** Errors: the question's own, `rate_limited` where too many wait, `engine_failed` where the thread ended. */
  ask<Question extends ThreadQuestion>(question: Question): Promise<ThreadAnswers[Question['kind']]> {
    if (this.#waiting.size >= WAITING_MAX) {
      const message = `${WAITING_MAX} searches wait already. Come back in a moment.`;
      return Promise.reject(new QuarryError('rate_limited', message, { retryAfterSeconds: RETRY_AFTER_SECONDS }));
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswers[keyof ThreadAnswers]>();
    this.#waiting.set(id, { resolve, reject });
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage({ id, question } satisfies ThreadMessage);
    } catch (error) {
      // The system gives no more threads.
      this.#waiting.delete(id);
      reject(stopped(error));
    }
    // The thread answers a question by its kind.
    return promise as Promise<ThreadAnswers[Question['kind']]>;
  }

  /** Asked rather than ended: ending a thread inside native code takes the whole process down. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('close' satisfies ThreadMessage);
    await ended;
  }

  #start(): Worker {
    const workerData: ThreadData = { databasePath: this.#parts.databasePath };
    const worker = new Worker(this.#parts.entry, { name: 'search', workerData });
    let cause: unknown;
    worker.on('message', (reply: ThreadReply) => this.#hear(reply));
    worker.once('error', (error) => {
      cause = error;
    });
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      const error = stopped(cause);
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
    return worker;
  }

  #hear(reply: ThreadReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('answer' in reply) waiting?.resolve(reply.answer);
    else waiting?.reject(reviveTaskError(reply.error) ?? reply.error);
  }
}

function stopped(cause: unknown): QuarryError {
  const message = 'The search stopped unexpectedly. Send the request again.';
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}
