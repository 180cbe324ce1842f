import { Worker } from 'node:worker_threads';
import type { Storage } from '../../platform/db/database.ts';
import type { IndexNotice, IndexOrder, IndexThreadData } from './index-protocol.ts';

/** How soon a thread that died is started again. */
const RESTART_AFTER_MS = 1000;

export interface IndexWorkerParts extends IndexThreadData {
  /** The thread's file: `index-thread`. */
  entry: URL;
  storage: Pick<Storage, 'lend'>;
  /** All chunks of a job are in the index. */
  onIndexed(): void;
  log: { error(fields: object, message: string): void };
}

/** The server's side of the thread that writes the index. It is started by the first job that waits for it. */
export class IndexWorker {
  readonly #parts: IndexWorkerParts;
  #worker: Worker | null = null;
  /** Ends the loan that the thread has, or waits for. */
  #giveBack: (() => void) | null = null;
  #restart: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(parts: IndexWorkerParts) {
    this.#parts = parts;
  }

  /** There is something to index. */
  kick(): void {
    if (this.#closed || this.#restart !== null) return;
    try {
      this.#worker ??= this.#start();
      order(this.#worker, 'kick');
    } catch (error) {
      // The system gives no more threads.
      this.#parts.log.error({ err: error }, 'The thread that writes the index could not be started; tried again soon.');
      this.#kickLater();
    }
  }

  /** Asked rather than ended: ending a thread inside native code takes the whole process down. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#restart) clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    order(worker, 'close');
    await ended;
  }

  #start(): Worker {
    const { databasePath, jobsRoot, entry, log } = this.#parts;
    const workerData: IndexThreadData = { databasePath, jobsRoot };
    const worker = new Worker(entry, { name: 'index', workerData });
    let cause: unknown = null;
    worker.on('message', (notice: IndexNotice) => this.#hear(worker, notice));
    worker.once('error', (error) => {
      cause = error;
    });
    worker.once('exit', () => {
      this.#worker = null;
      this.#giveBack?.();
      if (this.#closed) return;
      log.error({ err: cause }, 'The thread that writes the index ended; it will be started again.');
      this.#kickLater();
    });
    return worker;
  }

  #kickLater(): void {
    this.#restart = setTimeout(() => {
      this.#restart = null;
      this.kick();
    }, RESTART_AFTER_MS).unref();
  }

  #hear(worker: Worker, notice: IndexNotice): void {
    if (notice.kind === 'borrow') void this.#lend(worker);
    else if (notice.kind === 'give-back') this.#giveBack?.();
    else if (notice.kind === 'indexed') this.#parts.onIndexed();
    else this.#parts.log.error({ err: notice.error, jobId: notice.jobId }, notice.message);
  }

  /** A thread that died before its turn is granted nothing, and gives back at once. */
  #lend(worker: Worker): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#giveBack = resolve;
    return this.#parts.storage.lend(() => {
      order(worker, 'granted');
      return promise;
    });
  }
}

function order(worker: Worker, what: IndexOrder): void {
  worker.postMessage(what);
}
