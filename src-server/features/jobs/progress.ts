import type { JobProgress } from '../../contract/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { StageLog } from './stages.ts';

/**
 * At most one write per job in this span, the first one after it: a chatty engine costs nothing, a job that is done in
 * a moment costs no write at all, and a reader is never further behind.
 */
const WRITE_EVERY_MS = 300;

/**
 * Takes a run's progress reports and writes the newest one at a bounded rate. Percent never goes back, also not across
 * stages that each count from 0, so what people watch only ever moves forward.
 */
export class ProgressWriter {
  readonly #stages: StageLog;
  readonly #clock: Clock;
  readonly #write: (progress: JobProgress) => Promise<void>;
  #shown: JobProgress | null = null;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(stages: StageLog, clock: Clock, write: (progress: JobProgress) => Promise<void>) {
    this.#stages = stages;
    this.#clock = clock;
    this.#write = write;
  }

  report(progress: JobProgress): void {
    if (this.#closed) return;
    this.#stages.begin(progress.stage, this.#clock.now());
    const percent = Math.min(100, Math.max(progress.percent, this.#shown?.percent ?? 0));
    this.#shown = { ...progress, percent: Math.round(percent * 10) / 10 };
    this.#timer ??= setTimeout(() => this.#flush(), WRITE_EVERY_MS);
  }

  #flush(): void {
    this.#timer = null;
    const progress = this.#shown;
    if (progress === null) return;
    // A write that fails is no reason to fail the work: the terminal transition reports a database that is ill.
    this.#writing = this.#writing.then(() => this.#write(progress)).catch(() => {});
  }

  /** No write happens after this resolves: the terminal state is the last word. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#writing;
  }
}
