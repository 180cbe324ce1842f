import type { JobProgress, RunGuess } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { type JobRow, learnRun, runTimeOf } from './store.ts';

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
  readonly #write: (progress: JobProgress) => void;
  #shown: JobProgress | null = null;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(stages: StageLog, clock: Clock, write: (progress: JobProgress) => void) {
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

/** When a stage of a run began: its name, and milliseconds since 1970. It lasted until the next one, or the end. */
type StageStart = [stage: string, startedAt: number];

/** Stage of a job whose run has begun and reports no stage of its own yet. */
export const CLAIMED_STAGE = 'starting';

/** Stage of a job that waits to run again after an attempt that did not end it. */
export const WAITING_STAGE = 'queued';

/** Stage of a job that waits for an installation. */
export const INSTALL_STAGE = 'waiting';

/** An engine that goes to and fro between stages is told by its first ones and the one it is in. */
const STAGES_MAX = 60;

/**
 * The stages of a job's runs, oldest first, as they are kept with the job: over all attempts, the waits between them
 * included. Kept in memory during a run, and written with what is written anyway: progress and the end.
 */
export class StageLog {
  readonly #stages: StageStart[];

  constructor(kept: string | null) {
    this.#stages = stagesOf(kept);
  }

  /** For a run that begins: what is kept of earlier attempts, and that this one was claimed. */
  static ofRun({ stages, started_at }: Pick<JobRow, 'stages' | 'started_at'>): StageLog {
    const log = new StageLog(stages);
    if (started_at !== null) log.begin(CLAIMED_STAGE, started_at);
    return log;
  }

  /** A stage has begun. The one it is in already is no news. */
  begin(stage: string, now: number): void {
    if (stage === '' || this.#stages.at(-1)?.[0] === stage) return;
    if (this.#stages.length >= STAGES_MAX) this.#stages.pop();
    this.#stages.push([stage, now]);
  }

  toJson(): string {
    return JSON.stringify(this.#stages);
  }
}

export function stagesOf(kept: string | null): StageStart[] {
  return kept === null ? [] : (JSON.parse(kept) as StageStart[]);
}

/** Weight of the newest run in the moving average. */
const NEWEST_WEIGHT = 0.2;

/** Sources below this size say little about the time per megabyte. */
const SIZED_BYTES = MIB / 4;

/** Expected milliseconds of a run, learned from this machine's own runs; before the first one it is the guess. */
export function estimateMs(db: Db, operationId: string, sourceBytes: number, guess: RunGuess): number {
  const { runMs, runMsPerMb } = runTimeOf(db, operationId) ?? {
    runMs: guess.seconds * SECOND_MS,
    runMsPerMb: guess.secondsPerMegabyte * SECOND_MS,
  };
  const bySize = sourceBytes >= SIZED_BYTES ? (sourceBytes / MIB) * runMsPerMb : 0;
  return Math.round(Math.max(runMs, bySize));
}

export function learnRunTime(tx: Tx, operationId: string, tookMs: number, sourceBytes: number): void {
  const runMsPerMb = sourceBytes >= SIZED_BYTES ? tookMs / (sourceBytes / MIB) : 0;
  learnRun(tx, operationId, { runMs: tookMs, runMsPerMb }, NEWEST_WEIGHT);
}
