import type { ProgressReport, RunGuess } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { type JobRow, learnRun, runTimeOf } from './store.ts';

/**
 * Interval of writes per job, the first one after it. Frequent reports cost nothing, a job that ends within it costs no
 * write, and readers lag at most this much.
 */
const WRITE_EVERY_MS = 300;

/**
 * Writes the newest progress report of a run at a bounded rate. The percentage never decreases, also across stages that
 * each count from 0.
 */
export class ProgressWriter {
  readonly #stages: StageLog;
  readonly #clock: Clock;
  readonly #write: (progress: ProgressReport) => void;
  #shown: ProgressReport | null = null;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(stages: StageLog, clock: Clock, write: (progress: ProgressReport) => void) {
    this.#stages = stages;
    this.#clock = clock;
    this.#write = write;
  }

  reportJobProgress(progress: ProgressReport): void {
    if (this.#closed) return;
    this.#stages.beginStage(progress.stage, this.#clock.now());
    const percent = Math.min(100, Math.max(progress.percent, this.#shown?.percent ?? 0));
    this.#shown = { ...progress, percent: Math.round(percent * 10) / 10 };
    this.#timer ??= setTimeout(() => this.#flushProgress(), WRITE_EVERY_MS);
  }

  #flushProgress(): void {
    this.#timer = null;
    const progress = this.#shown;
    if (progress === null) return;
    // A failed write does not fail the work. The terminal transition reports a broken database.
    this.#writing = this.#writing.then(() => this.#write(progress)).catch(() => {});
  }

  /** No write happens after this resolves, so the terminal state is written last. */
  async closeProgressWriter(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#writing;
  }
}

/** Start of a stage: its name, and milliseconds since 1970. It lasts until the next one, or the end. */
type StageStart = [stage: string, startedAt: number];

/** Stage of a run that has not reported one yet. */
export const CLAIMED_STAGE = 'starting';

/** Stage of a job that waits for an installation. */
export const INSTALL_STAGE = 'waiting';

/** Limit of stages per job. Beyond it the last one is replaced by the current one. */
const STAGES_MAX = 60;

/**
 * The stages of a job, oldest first, over all attempts and the waits between them. They stay in memory during a run,
 * and are written with its progress and its end.
 */
export class StageLog {
  readonly #stages: StageStart[];

  constructor(kept: string | null) {
    this.#stages = stagesOf(kept);
  }

  /** The log of a new run: the stages of earlier attempts, and the claim. */
  static ofRun({ stages, started_at }: Pick<JobRow, 'stages' | 'started_at'>): StageLog {
    const log = new StageLog(stages);
    if (started_at !== null) log.beginStage(CLAIMED_STAGE, started_at);
    return log;
  }

  /** Records the start of a stage. The current stage is ignored. */
  beginStage(stage: string, now: number): void {
    if (stage === '' || this.#stages.at(-1)?.[0] === stage) return;
    if (this.#stages.length >= STAGES_MAX) this.#stages.pop();
    this.#stages.push([stage, now]);
  }

  toJson(): string {
    return JSON.stringify(this.#stages);
  }
}

export function stagesOf(kept: string | null): StageStart[] {
  return kept === null ? [] : parseOwnJson<StageStart[]>(kept);
}

/** Weight of the newest run in the moving average. */
const NEWEST_WEIGHT = 0.2;

/** Smaller sources predict the time per megabyte badly. */
const SIZED_BYTES = MIB / 4;

/** Expected milliseconds of a run, learned from runs on this machine. The first run uses the operation's guess. */
export function estimateMs(db: Db, operationId: string, sourceBytes: number, guess: RunGuess): number {
  const { runMs, runMsPerMb } = runTimeOf(db, operationId) ?? {
    runMs: guess.seconds * SECOND_MS,
    runMsPerMb: guess.secondsPerMegabyte * SECOND_MS,
  };
  // Runs of small sources have taught nothing about size.
  const perMb = runMsPerMb === 0 ? guess.secondsPerMegabyte * SECOND_MS : runMsPerMb;
  const bySize = sourceBytes >= SIZED_BYTES ? (sourceBytes / MIB) * perMb : 0;
  return Math.round(Math.max(runMs, bySize));
}

export function learnRunTime(tx: Tx, operationId: string, tookMs: number, sourceBytes: number): void {
  const runMsPerMb = sourceBytes >= SIZED_BYTES ? tookMs / (sourceBytes / MIB) : 0;
  learnRun(tx, operationId, { runMs: tookMs, runMsPerMb }, NEWEST_WEIGHT);
}
