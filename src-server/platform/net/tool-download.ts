import { EventEmitter } from 'node:events';
import { tell } from '../../platform/text/say.ts';
import type { Clock } from '../clock.ts';
import { QuarryError } from '../errors.ts';
import {
  changeDownload,
  type DownloadProgress,
  downloadErrorOf,
  isDownloadUnderWay,
  newDownloadProgress,
} from './download.ts';

/** Runs the installation of a program, one at a time, and reports its progress. */
export class ToolDownload {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #progress: DownloadProgress | null = null;
  #abort = new AbortController();
  #done: Promise<void> = Promise.resolve();

  constructor(name: string, clock: Clock) {
    this.#name = name;
    this.#clock = clock;
  }

  /** Starts the work, or returns the progress of the running one. */
  startToolDownload(
    totalBytes: number,
    work: (signal: AbortSignal, say: (change: Partial<DownloadProgress>) => void) => Promise<void>,
  ): DownloadProgress {
    if (this.#progress !== null && isDownloadUnderWay(this.#progress)) return { ...this.#progress };
    this.#progress = newDownloadProgress(this.#name, totalBytes, this.#clock);
    this.#abort = new AbortController();
    this.#done = this.#runDownloadWork(work);
    return { ...this.#progress };
  }

  /** Null when none was started in this process. */
  toolDownloadProgress(): DownloadProgress | null {
    return this.#progress === null ? null : { ...this.#progress };
  }

  watchToolDownload(onChange: () => void): () => void {
    this.#changes.on('change', onChange);
    return () => this.#changes.off('change', onChange);
  }

  /** Cancels the running work. What is there is kept for the next attempt. Errors: `not_found` when none runs. */
  async cancelToolDownload(): Promise<void> {
    if (this.#progress === null || !isDownloadUnderWay(this.#progress)) {
      throw new QuarryError('not_found', `No installation of ${this.#name} runs.`);
    }
    this.#abort.abort(new QuarryError('cancelled', tell`The installation was cancelled.`));
    await this.#done;
  }

  /** Stops the running work. The next attempt resumes it. */
  async closeToolDownload(): Promise<void> {
    this.#abort.abort(new QuarryError('shutting_down', 'Quarry is stopping.'));
    await this.#done;
  }

  async #runDownloadWork(work: Parameters<ToolDownload['startToolDownload']>[1]): Promise<void> {
    const { signal } = this.#abort;
    try {
      await work(signal, (change) => this.#updateToolDownload(change));
      this.#updateToolDownload({ status: 'installed' });
    } catch (error) {
      if (signal.aborted) this.#updateToolDownload({ status: 'cancelled' });
      else this.#updateToolDownload({ status: 'failed', error: downloadErrorOf(error) });
    }
  }

  #updateToolDownload(change: Partial<DownloadProgress>): void {
    if (this.#progress !== null) changeDownload(this.#progress, change, this.#clock);
    this.#changes.emit('change');
  }
}
