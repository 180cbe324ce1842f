/** Estimates stage durations on this machine from its own earlier runs. Feeds the time left that jobs report. */
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { SECOND_MS } from '../../platform/units.ts';

/** Weight of the latest run in the moving average. */
const NEWEST_WEIGHT = 0.3;
/** Shorter runs are ignored: most of their time is process start-up. */
const LEARN_FROM_SECONDS = 0.05;
/** Defaults before the first run, for two cores and a small model, in seconds of work per second of media. */
const FIRST_GUESS = { audio: 0.001, speech: 0.005, transcribe: 0.2, speakers: 0.1, frames: 0.02 };
/** Assumed share of speech before speech detection has run. */
const SPEECH_SHARE = 0.8;
/** Assumed duration when the file states none. */
const UNKNOWN_SECONDS = 600;
const WRITING_SECONDS = 0.1;
/** The last percent is saving the result. */
const PERCENT_MAX = 99;

const KnownPaces = z.record(z.string(), z.number().positive());

type PacedStage = keyof typeof FIRST_GUESS;
export type Stage = PacedStage | 'writing';
const ORDER: readonly Stage[] = ['audio', 'speech', 'speakers', 'transcribe', 'frames', 'writing'];

export interface StagePace {
  /** Seconds of work per second of stage input. `model` selects the pace of one transcription model. */
  of(stage: PacedStage, model?: string): number;
  /** Resolves when the measurement is saved, or saving has failed. */
  learn(
    stage: PacedStage,
    run: { mediaSeconds: number; tookSeconds: number; model: string | undefined },
  ): Promise<void>;
}

/**
 * Keeps the measurements in a file. An unreadable file is replaced. A write error goes to `onUnwritable` and fails no
 * job: the measurements stay in memory.
 */
export function openStagePace(path: string, onUnwritable: (error: unknown) => void): StagePace {
  const known = new Map<string, number>(Object.entries(readPaces(path)));
  let writing: Promise<void> = Promise.resolve();
  const paceName = (stage: string, model?: string) => (model === undefined ? stage : `${stage} ${model}`);
  return {
    of: (stage, model) => known.get(paceName(stage, model)) ?? FIRST_GUESS[stage],
    async learn(stage, { mediaSeconds, tookSeconds, model }) {
      if (mediaSeconds <= 0 || tookSeconds < LEARN_FROM_SECONDS) return;
      const name = paceName(stage, model);
      const newest = tookSeconds / mediaSeconds;
      const old = known.get(name) ?? newest;
      known.set(name, old * (1 - NEWEST_WEIGHT) + newest * NEWEST_WEIGHT);
      writing = writing.then(() => savePaces(path, known)).catch(onUnwritable);
      await writing;
    },
  };
}

function readPaces(path: string): Record<string, number> {
  try {
    return KnownPaces.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // The file is missing or invalid. The pace starts from the defaults.
    return {};
  }
}

async function savePaces(path: string, known: ReadonlyMap<string, number>): Promise<void> {
  await writeFile(`${path}.part`, JSON.stringify(Object.fromEntries(known)));
  await rename(`${path}.part`, path);
}

export interface PlannedFile {
  durationSeconds: number | null;
  model: string;
  sound: boolean;
  speakers: boolean;
  frames: boolean;
  /** Seconds this run has already spent on fetching the file. */
  spentSeconds: number;
}

/** Weights the stages of one file by their expected time, so that percent done is a share of time. */
export class StagePlan {
  readonly #pace: StagePace;
  readonly #model: string;
  readonly #seconds: Record<Stage, number>;
  readonly #transcribePace: number;
  readonly #spentSeconds: number;

  constructor(pace: StagePace, file: PlannedFile) {
    this.#pace = pace;
    this.#model = file.model;
    this.#spentSeconds = file.spentSeconds;
    const duration = file.durationSeconds ?? UNKNOWN_SECONDS;
    const heard = file.sound ? duration : 0;
    this.#transcribePace = pace.of('transcribe', file.model);
    this.#seconds = {
      audio: heard * pace.of('audio'),
      speech: heard * pace.of('speech'),
      transcribe: heard * SPEECH_SHARE * this.#transcribePace,
      speakers: file.speakers ? heard * pace.of('speakers') : 0,
      frames: file.frames ? duration * pace.of('frames') : 0,
      writing: WRITING_SECONDS,
    };
  }

  /** Sets the amount of speech once it is known. */
  knowSpeech(speechSeconds: number): void {
    this.#seconds.transcribe = speechSeconds * this.#transcribePace;
  }

  /** Expected time of all stages, without the time already spent. */
  get totalSeconds(): number {
    return ORDER.reduce((sum, name) => sum + this.#seconds[name], 0);
  }

  /** Overall percent when a stage is done by `share` (0 to 1). */
  percentAt(stage: Stage, share: number): number {
    const before = ORDER.slice(0, ORDER.indexOf(stage)).reduce((sum, name) => sum + this.#seconds[name], 0);
    const done = this.#spentSeconds + before + this.#seconds[stage] * Math.min(1, Math.max(0, share));
    return (done / (this.#spentSeconds + this.totalSeconds)) * PERCENT_MAX;
  }

  /** Runs a stage and learns from its duration. */
  async runTimedStage<Value>(
    stage: 'audio' | 'frames',
    mediaSeconds: number,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const startedAt = performance.now();
    const value = await work();
    await this.learnStagePace(stage, mediaSeconds, (performance.now() - startedAt) / SECOND_MS);
    return value;
  }

  async learnStagePace(stage: PacedStage, mediaSeconds: number, tookSeconds: number): Promise<void> {
    const model = stage === 'transcribe' ? this.#model : undefined;
    await this.#pace.learn(stage, { mediaSeconds, tookSeconds, model });
  }
}
