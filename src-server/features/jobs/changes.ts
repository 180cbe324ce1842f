import { EventEmitter } from 'node:events';
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
