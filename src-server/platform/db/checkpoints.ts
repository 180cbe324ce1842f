import { Worker } from 'node:worker_threads';

/** Commits that come within this span after the first are carried over together. */
const CHECKPOINT_EVERY_MS = 250;
/** A log of so many pages (8 MB) is brought to its end even if writers have to wait for it. */
const LONG_LOG_PAGES = 2048;

export interface CheckpointThreadData {
  databasePath: string;
}
export type CheckpointRequest = 'checkpoint' | 'close';
export interface CheckpointAnswer {
  /** How long the log was when the checkpoint began; 0 when there was none. */
  logPages: number;
}

/** Holds up everybody who writes until `work` is over. */
export type HoldWriters = (work: () => Promise<void>) => Promise<void>;

/**
 * Has the database's log carried over by a thread of its own (`checkpoint-thread`), a moment after something was
 * committed. Should that thread fall behind or fail, the writer does it itself once the log is long: `connection.ts`.
 */
export class Checkpoints {
  readonly #entry: URL;
  readonly #databasePath: string;
  readonly #holdWriters: HoldWriters;
  #worker: Worker | null = null;
  #timer: NodeJS.Timeout | null = null;
  #answered: ((answer: CheckpointAnswer) => void) | null = null;
  #underWay = false;
  /** Something was committed that the checkpoint under way may not have seen. */
  #again = false;
  #closed = false;

  constructor(entry: URL, databasePath: string, holdWriters: HoldWriters) {
    this.#entry = entry;
    this.#databasePath = databasePath;
    this.#holdWriters = holdWriters;
  }

  /** Something was committed. */
  due(): void {
    this.#again = this.#underWay;
    if (this.#closed || this.#timer !== null || this.#underWay) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#carryOver();
    }, CHECKPOINT_EVERY_MS).unref();
  }

  /** Asked rather than ended: ending a thread inside native code takes the whole process down. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    const worker = this.#worker;
    if (worker === null) return;
    // A process that waits for a thread and for nothing else must not end before it.
    worker.ref();
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('close' satisfies CheckpointRequest);
    await ended;
  }

  /**
   * A log begins anew only when all of it is carried over, which never happens beside a stream of commits: what came
   * meanwhile is carried over while writers wait. It is little, and the server's thread does not wait with them.
   */
  async #carryOver(): Promise<void> {
    this.#underWay = true;
    const { logPages } = await this.#ask();
    if (this.#again && logPages > LONG_LOG_PAGES) {
      await this.#holdWriters(async () => {
        await this.#ask();
        this.#again = false;
      });
    }
    this.#underWay = false;
    if (this.#again) this.due();
  }

  #ask(): Promise<CheckpointAnswer> {
    const { promise, resolve } = Promise.withResolvers<CheckpointAnswer>();
    if (this.#closed) return Promise.resolve({ logPages: 0 });
    this.#answered = resolve;
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage('checkpoint' satisfies CheckpointRequest);
    } catch {
      // The system gives no more threads: the writer's own limit holds until it does.
      resolve({ logPages: 0 });
    }
    return promise;
  }

  #start(): Worker {
    const workerData: CheckpointThreadData = { databasePath: this.#databasePath };
    const worker = new Worker(this.#entry, { name: 'checkpoint', workerData });
    worker.unref();
    worker.on('message', (answer: CheckpointAnswer) => this.#answered?.(answer));
    // A thread that ended is started again by the next commit; until then the writer's own limit holds.
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      this.#answered?.({ logPages: 0 });
    });
    return worker;
  }
}
