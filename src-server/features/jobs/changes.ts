import { EventEmitter } from 'node:events';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import { LiveEvents } from './live-events.ts';
import type { JobRow } from './store.ts';

/**
 * Announces changed jobs within this process. Event streams and held 202s listen here instead of polling the database.
 * They show the committed row, so a missed signal can delay but never mislead.
 */
export class JobChanges {
  /** Events of running jobs. `changed` announces them. */
  readonly live = new LiveEvents();
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  /** Call this after the commit. @param row the job after the change, if the caller has it */
  announceJobChange(jobId: string, row?: JobRow): void {
    this.#emitter.emit(jobId, row);
    this.#emitter.emit('*', jobId);
  }

  /** Calls `listener` at each change of one job. Returns a function that unsubscribes. */
  watchJobChanges(jobId: string, listener: (row?: JobRow) => void): () => void {
    this.#emitter.on(jobId, listener);
    return () => this.#emitter.off(jobId, listener);
  }

  watchAll(listener: (jobId: string) => void): () => void {
    this.#emitter.on('*', listener);
    return () => this.#emitter.off('*', listener);
  }
}

/** Watchers notified per turn of the event loop. Each then writes to its client. */
const NOTIFIED_PER_TURN = 64;

/** A watch on one job. */
export interface JobWatch {
  /** The row after the last change; undefined when the job is gone. All watchers get the same object. */
  newest(): JobRow | undefined;
  stop(): void;
}

interface Watched {
  listeners: Set<() => void>;
  /** Null since the last change. The first watcher that asks reads it for all. */
  newest: { row: JobRow | undefined } | null;
  /** Stops listening for changes. */
  end(): void;
}

/** Watchers of one job share a single read of its row, so thousands of clients cost one query per change. */
export class WatchedJobs {
  readonly #changes: JobChanges;
  readonly #read: (jobId: string) => JobRow | undefined;
  readonly #jobs = new Map<string, Watched>();

  constructor(changes: JobChanges, read: (jobId: string) => JobRow | undefined) {
    this.#changes = changes;
    this.#read = read;
  }

  /** Calls `listener` after each change, until the watch is stopped. */
  watchSharedJob(jobId: string, listener: () => void): JobWatch {
    const watched = this.#jobs.get(jobId) ?? this.#beginSharedWatch(jobId);
    watched.listeners.add(listener);
    return {
      newest: () => this.#newestWatchedRow(jobId, watched),
      stop: () => {
        watched.listeners.delete(listener);
        if (watched.listeners.size > 0 || this.#jobs.get(jobId) !== watched) return;
        this.#jobs.delete(jobId);
        watched.end();
      },
    };
  }

  #beginSharedWatch(jobId: string): Watched {
    const listeners = new Set<() => void>();
    const end = this.#changes.watchJobChanges(jobId, () => {
      watched.newest = null;
      void notifyWatchers(listeners);
    });
    const watched: Watched = { listeners, newest: null, end };
    this.#jobs.set(jobId, watched);
    return watched;
  }

  #newestWatchedRow(jobId: string, watched: Watched): JobRow | undefined {
    watched.newest ??= { row: this.#read(jobId) };
    return watched.newest.row;
  }
}

async function notifyWatchers(listeners: ReadonlySet<() => void>): Promise<void> {
  let notified = 0;
  for (const listener of listeners) {
    listener();
    notified += 1;
    if (notified % NOTIFIED_PER_TURN === 0) await yieldToEventLoop();
  }
}
