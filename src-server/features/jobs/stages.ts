import type { JobRow } from './store.ts';

/** When a stage of a run began: its name, and milliseconds since 1970. It lasted until the next one, or the end. */
export type StageStart = [stage: string, startedAt: number];

/** Stage of a job whose run has begun and reports no stage of its own yet. */
export const CLAIMED_STAGE = 'starting';

/** Stage of a job that waits to run again after an attempt that did not end it. */
export const WAITING_STAGE = 'queued';

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
