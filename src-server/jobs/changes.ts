import { EventEmitter } from 'node:events';

/**
 * Says which job changed, within this process: event streams and held 202s listen here instead of polling the
 * database. Everything they then show is read from the database, so a missed signal can only delay, never mislead.
 */
export class JobChanges {
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  changed(jobId: string): void {
    this.#emitter.emit(jobId);
    this.#emitter.emit('*', jobId);
  }

  /** Calls `listener` at every change of one job, until the returned function is called. */
  watch(jobId: string, listener: () => void): () => void {
    this.#emitter.on(jobId, listener);
    return () => this.#emitter.off(jobId, listener);
  }

  watchAll(listener: (jobId: string) => void): () => void {
    this.#emitter.on('*', listener);
    return () => this.#emitter.off('*', listener);
  }
}
