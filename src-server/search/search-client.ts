import { Worker } from 'node:worker_threads';
import { QuarryError } from '../contract/errors.ts';
import { reviveTaskError } from '../contract/task-error.ts';
import type { SearchRequest } from './search.ts';
import type { ThreadAnswer, ThreadData, ThreadRequest } from './search-protocol.ts';

/** Searches that may wait for the thread; a search takes tens of milliseconds at most. */
const WAITING_MAX = 256;
const RETRY_AFTER_SECONDS = 1;

export type FoundByThread = Extract<ThreadAnswer, { answer: object }>;

interface Waiting {
  resolve(found: FoundByThread): void;
  reject(error: Error): void;
}

export interface SearchClientParts {
  /** The thread's file: `search-thread`. */
  entry: URL;
  databasePath: string;
}

/** The server's side of the thread that searches. It is started by the first search, and again should it end. */
export class SearchClient {
  readonly #parts: SearchClientParts;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #lastId = 0;

  constructor(parts: SearchClientParts) {
    this.#parts = parts;
  }

  /** Errors: `rate_limited` where too many wait, `engine_failed` where the thread ended. */
  search(request: SearchRequest): Promise<FoundByThread> {
    if (this.#waiting.size >= WAITING_MAX) {
      const message = `${WAITING_MAX} searches wait already. Come back in a moment.`;
      throw new QuarryError('rate_limited', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker ??= this.#start();
      this.#worker.postMessage({ kind: 'search', id, request } satisfies ThreadRequest);
    });
  }

  /** Asked rather than ended: ending a thread inside native code takes the whole process down. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage({ kind: 'close' } satisfies ThreadRequest);
    await ended;
  }

  #start(): Worker {
    const workerData: ThreadData = { databasePath: this.#parts.databasePath };
    const worker = new Worker(this.#parts.entry, { name: 'search', workerData });
    let cause: unknown;
    worker.on('message', (message: ThreadAnswer) => this.#hear(message));
    worker.once('error', (error) => {
      cause = error;
    });
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      const error = new QuarryError('engine_failed', 'The search stopped unexpectedly. Send the request again.', {
        cause,
        retryable: true,
      });
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
    return worker;
  }

  #hear(message: ThreadAnswer): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('answer' in message) waiting?.resolve(message);
    else waiting?.reject(reviveTaskError(message.error) ?? message.error);
  }
}
