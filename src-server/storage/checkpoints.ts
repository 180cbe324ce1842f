import { Worker } from 'node:worker_threads';

/** Commits that come within this span after the first are carried over together. */
const CHECKPOINT_EVERY_MS = 250;

export interface CheckpointThreadData {
  databasePath: string;
}
export type CheckpointRequest = 'checkpoint' | 'close';
export type CheckpointAnswer = 'done';

/**
 * Has the database's log carried over by a thread of its own (`checkpoint-thread`), a moment after something was
 * committed. Should that thread fall behind or fail, the writer does it itself once the log is long: `connection.ts`.
 */
export class Checkpoints {
  readonly #entry: URL;
  readonly #databasePath: string;
  #worker: Worker | null = null;
  #timer: NodeJS.Timeout | null = null;
  #underWay = false;
  /** Something was committed that the checkpoint under way may not have seen. */
  #again = false;
  #closed = false;

  constructor(entry: URL, databasePath: string) {
    this.#entry = entry;
    this.#databasePath = databasePath;
  }

  /** Something was committed. */
  due(): void {
    this.#again = this.#underWay;
    if (this.#closed || this.#timer !== null || this.#underWay) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#underWay = true;
      this.#worker ??= this.#start();
      this.#worker.postMessage('checkpoint' satisfies CheckpointRequest);
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

  #start(): Worker {
    const workerData: CheckpointThreadData = { databasePath: this.#databasePath };
    const worker = new Worker(this.#entry, { name: 'checkpoint', workerData });
    worker.unref();
    worker.on('message', () => this.#over());
    // A thread that ended is started again by the next commit; until then the writer's own limit holds.
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      this.#over();
    });
    return worker;
  }

  #over(): void {
    this.#underWay = false;
    if (this.#again) this.due();
  }
}
