/** How long the stages of a transcription take on this machine, learned from its own runs: how time left is known. */
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { SECOND_MS } from '../../platform/units.ts';

/** Weight of the newest run in the moving average. */
const NEWEST_WEIGHT = 0.3;
/** Shorter work says little: starting a process is most of it. */
const LEARN_FROM_SECONDS = 0.05;
/** Before the first run: guesses for two cores and a small model. Seconds of work for a second of the file. */
const FIRST_GUESS = { audio: 0.001, speech: 0.001, transcribe: 0.2, frames: 0.02 };
/** Of the file: before it was listened to, so much of it is taken for speech. */
const SPEECH_SHARE = 0.8;
/** Where the file does not state its length. */
const UNKNOWN_SECONDS = 600;
const WRITING_SECONDS = 0.1;
/** The rest is the writing of the job itself. */
const PERCENT_MAX = 99;

const KnownPaces = z.record(z.string(), z.number().positive());

type PacedStage = keyof typeof FIRST_GUESS;
export type Stage = PacedStage | 'writing';
const ORDER: readonly Stage[] = ['audio', 'speech', 'transcribe', 'frames', 'writing'];

export interface StagePace {
  /** Seconds of work for a second of what the stage works on. `model` tells transcriptions apart. */
  of(stage: PacedStage, model?: string): number;
  /** Resolves when it is written down, or could not be. */
  learn(
    stage: PacedStage,
    run: { mediaSeconds: number; tookSeconds: number; model: string | undefined },
  ): Promise<void>;
}

/**
 * What was learned is kept in a file; one that cannot be read is begun anew. A file that cannot be written is told to
 * `onUnwritable`, and takes no result away: this process goes on with what it has learned.
 */
export function openStagePace(path: string, onUnwritable: (error: unknown) => void): StagePace {
  const known = new Map<string, number>(Object.entries(read(path)));
  let writing: Promise<void> = Promise.resolve();
  const nameOf = (stage: string, model?: string) => (model === undefined ? stage : `${stage} ${model}`);
  return {
    of: (stage, model) => known.get(nameOf(stage, model)) ?? FIRST_GUESS[stage],
    async learn(stage, { mediaSeconds, tookSeconds, model }) {
      if (mediaSeconds <= 0 || tookSeconds < LEARN_FROM_SECONDS) return;
      const name = nameOf(stage, model);
      const newest = tookSeconds / mediaSeconds;
      const old = known.get(name) ?? newest;
      known.set(name, old * (1 - NEWEST_WEIGHT) + newest * NEWEST_WEIGHT);
      writing = writing.then(() => save(path, known)).catch(onUnwritable);
      await writing;
    },
  };
}

function read(path: string): Record<string, number> {
  try {
    return KnownPaces.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // Not there yet, or not ours: nothing but the first estimates is lost.
    return {};
  }
}

async function save(path: string, known: ReadonlyMap<string, number>): Promise<void> {
  await writeFile(`${path}.part`, JSON.stringify(Object.fromEntries(known)));
  await rename(`${path}.part`, path);
}

export interface PlannedFile {
  durationSeconds: number | null;
  model: string;
  sound: boolean;
  frames: boolean;
  /** What the run took before: fetching the file. */
  spentSeconds: number;
}

/** The work that one file makes, so that the share that is done is a share of the time. */
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
      frames: file.frames ? duration * pace.of('frames') : 0,
      writing: WRITING_SECONDS,
    };
  }

  /** Now it is known how much is to be listened to. */
  knowSpeech(speechSeconds: number): void {
    this.#seconds.transcribe = speechSeconds * this.#transcribePace;
  }

  /** All stages, without what was spent before them. */
  get totalSeconds(): number {
    return ORDER.reduce((sum, name) => sum + this.#seconds[name], 0);
  }

  /** Percent of the whole, where a share (0 to 1) of a stage is done. */
  percentAt(stage: Stage, share: number): number {
    const before = ORDER.slice(0, ORDER.indexOf(stage)).reduce((sum, name) => sum + this.#seconds[name], 0);
    const done = this.#spentSeconds + before + this.#seconds[stage] * Math.min(1, Math.max(0, share));
    return (done / (this.#spentSeconds + this.totalSeconds)) * PERCENT_MAX;
  }

  /** Does a stage, and learns from how long it took. */
  async timed<Value>(stage: 'audio' | 'frames', mediaSeconds: number, work: () => Promise<Value>): Promise<Value> {
    const startedAt = performance.now();
    const value = await work();
    await this.learn(stage, mediaSeconds, (performance.now() - startedAt) / SECOND_MS);
    return value;
  }

  async learn(stage: PacedStage, mediaSeconds: number, tookSeconds: number): Promise<void> {
    const model = stage === 'transcribe' ? this.#model : undefined;
    await this.#pace.learn(stage, { mediaSeconds, tookSeconds, model });
  }
}
