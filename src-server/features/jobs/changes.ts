import { EventEmitter } from 'node:events';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { JobRow } from './store.ts';

/**
 * Says which job changed, within this process: event streams and held 202s listen here instead of polling the
 * database. What they then show is the row that was committed, or read from the database, so a missed signal can only
 * delay, never mislead.
 */
export class JobChanges {
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  /** @param row the job as the change left it, where whoever made it has it; call this once it is committed. */
  changed(jobId: string, row?: JobRow): void {
    this.#emitter.emit(jobId, row);
    this.#emitter.emit('*', jobId);
  }

  /** Calls `listener` at every change of one job, until the returned function is called. */
  watch(jobId: string, listener: (row?: JobRow) => void): () => void {
    this.#emitter.on(jobId, listener);
    return () => this.#emitter.off(jobId, listener);
  }

  watchAll(listener: (jobId: string) => void): () => void {
    this.#emitter.on('*', listener);
    return () => this.#emitter.off('*', listener);
  }
}

/** Watchers that hear of a change in one turn of the event loop: each then writes to its client. */
const TOLD_PER_TURN = 64;

/** A watch on one job. */
export interface JobWatch {
  /** The row as of the last change, or nothing when the job is gone: the same object for all watchers. */
  newest(): JobRow | undefined;
  stop(): void;
}

interface Watched {
  listeners: Set<() => void>;
  /** Null since the last change: the first watcher that asks reads it for all. */
  newest: { row: JobRow | undefined } | null;
  /** Ends listening for changes. */
  end(): void;
}

/**
 * Watchers of one job share a single read of its row, so thousands of them cost one query per change. A job looks the
 * same to all that may watch it.
 */
export class WatchedJobs {
  readonly #changes: JobChanges;
  readonly #read: (jobId: string) => JobRow | undefined;
  readonly #jobs = new Map<string, Watched>();

  constructor(changes: JobChanges, read: (jobId: string) => JobRow | undefined) {
    this.#changes = changes;
    this.#read = read;
  }

  /** Calls `listener` after every change, until it is stopped. */
  watch(jobId: string, listener: () => void): JobWatch {
    const watched = this.#jobs.get(jobId) ?? this.#begin(jobId);
    watched.listeners.add(listener);
    return {
      newest: () => this.#newest(jobId, watched),
      stop: () => {
        watched.listeners.delete(listener);
        if (watched.listeners.size > 0 || this.#jobs.get(jobId) !== watched) return;
        this.#jobs.delete(jobId);
        watched.end();
      },
    };
  }

  #begin(jobId: string): Watched {
    const listeners = new Set<() => void>();
    const end = this.#changes.watch(jobId, () => {
      watched.newest = null;
      void tell(listeners);
    });
    const watched: Watched = { listeners, newest: null, end };
    this.#jobs.set(jobId, watched);
    return watched;
  }

  #newest(jobId: string, watched: Watched): JobRow | undefined {
    watched.newest ??= { row: this.#read(jobId) };
    return watched.newest.row;
  }
}

async function tell(listeners: ReadonlySet<() => void>): Promise<void> {
  let told = 0;
  for (const listener of listeners) {
    listener();
    told += 1;
    if (told % TOLD_PER_TURN === 0) await yieldToEventLoop();
  }
}
