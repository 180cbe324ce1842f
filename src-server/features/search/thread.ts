/** Calls from the server to a thread of search: by method, in order, each with its own answer. */

import { parentPort, Worker } from 'node:worker_threads';
import type { QuarryError } from '../../platform/errors.ts';
import { reviveTaskError, toTaskError } from '../../platform/rpc/errors.ts';

type Methods<Api> = { [Name in keyof Api]: (...args: never[]) => unknown };

type Call = { id: number; method: string; args: unknown[] } | 'close';

type Reply = { id: number; value: unknown } | { id: number; error: Error };

/** The thread's side. `close` ends its work: the thread ends by itself, since ending native code aborts the process. */
export function serveThread<Api extends Methods<Api>>(api: Api, close: () => Promise<void> | void): void {
  const answer = async ({ id, method, args }: Exclude<Call, 'close'>): Promise<Reply> => {
    try {
      return { id, value: await api[method as keyof Api](...(args as never[])) };
    } catch (error) {
      return { id, error: toTaskError(error) };
    }
  };
  parentPort?.on('message', async (call: Call) => {
    if (call !== 'close') return parentPort?.postMessage(await answer(call));
    await close();
    parentPort?.close();
  });
}

interface ThreadOptions {
  name: string;
  /** The thread's file. */
  entry: URL;
  workerData: unknown;
  /** The error of a call whose thread ended, or could not be started. */
  stopped(cause: unknown): QuarryError;
}

interface OpenCall {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The server's side. The first call starts the thread, and the next one after its end starts another. */
export class Thread<Api extends Methods<Api>> {
  readonly #options: ThreadOptions;
  readonly #calls = new Map<number, OpenCall>();
  #worker: Worker | null = null;
  #lastId = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Calls without an answer. */
  get waiting(): number {
    return this.#calls.size;
  }

  /** Errors: those of the method, and `stopped`. */
  call<Name extends keyof Api & string>(
    method: Name,
    ...args: Parameters<Api[Name]>
  ): Promise<Awaited<ReturnType<Api[Name]>>> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#calls.set(id, { resolve, reject });
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage({ id, method, args } satisfies Call);
    } catch (error) {
      // The system gives no more threads.
      this.#calls.delete(id);
      reject(this.#options.stopped(error));
    }
    return promise as Promise<Awaited<ReturnType<Api[Name]>>>;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('close' satisfies Call);
    await ended;
  }

  #start(): Worker {
    const { name, entry, workerData, stopped } = this.#options;
    const worker = new Worker(entry, { name, workerData });
    let cause: unknown;
    worker.on('message', (reply: Reply) => this.#settle(reply));
    worker.once('error', (error) => {
      cause = error;
    });
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      for (const { reject } of this.#calls.values()) reject(stopped(cause));
      this.#calls.clear();
    });
    return worker;
  }

  #settle(reply: Reply): void {
    const call = this.#calls.get(reply.id);
    this.#calls.delete(reply.id);
    if ('value' in reply) call?.resolve(reply.value);
    else call?.reject(reviveTaskError(reply.error) ?? reply.error);
  }
}
