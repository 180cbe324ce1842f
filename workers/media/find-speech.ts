import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { packWindows, windowSamples } from './listener.ts';
import { startSpeechChild } from './sherpa.ts';
import type { FindSpeechInput, FindSpeechOutput, SampleRange } from './tasks.ts';

const SAMPLE_BYTES = 2;

const PORTION_BYTES = 1 << 20;

/**
 * Where somebody speaks, by the model where there is one, in a child process of its own. Errors: `engine_failed` where
 * the model cannot be read, and the signal's reason.
 */
export async function findSpeech(input: FindSpeechInput, context: TaskContext): Promise<FindSpeechOutput> {
  const { pcmPath, sampleRate, windowMaxSeconds, detectorPath } = input;
  const startedAt = performance.now();
  const { size } = await stat(pcmPath);
  const track = new LoudnessTrack(sampleRate);
  const say = (bytes: number) => context.progress((bytes * 100) / size, 'listening', 'Looking for speech');
  // Where a stretch is cut is decided by loudness in any case; the two look at the file at the same time. When one
  // fails the other is stopped: this thread goes on to another task.
  const failed = new AbortController();
  const together = { ...context, signal: AbortSignal.any([context.signal, failed.signal]) };
  const [ranges] = await Promise.all([
    detectorPath === null || size === 0 ? null : detect({ ...input, detectorPath }, together, say),
    measure(track, pcmPath, together.signal, detectorPath === null ? say : () => undefined),
  ]).catch((error: unknown) => {
    failed.abort(error);
    throw error;
  });
  const speech = ranges === null ? track.speech() : withRoom(ranges, sampleRate, track.samples);
  const windows = packWindows(speech, Math.floor(windowMaxSeconds * sampleRate), (from, to) =>
    track.quietestBetween(from, to),
  );
  const speechSamples = windows.reduce((sum, window) => sum + windowSamples(window), 0);
  return {
    foundBy: detectorPath === null ? 'loudness' : 'silero-vad',
    durationSeconds: track.samples / sampleRate,
    speechSeconds: speechSamples / sampleRate,
    tookSeconds: (performance.now() - startedAt) / 1000,
    windows,
  };
}

async function detect(
  { detectorPath, pcmPath, sampleRate }: FindSpeechInput & { detectorPath: string },
  context: TaskContext,
  onBytes: (bytes: number) => void,
): Promise<SampleRange[]> {
  const child = startSpeechChild(context);
  try {
    return await child.remote.detect({ modelPath: detectorPath, pcmPath, sampleRate }, onBytes);
  } finally {
    child.end();
  }
}

async function measure(
  track: LoudnessTrack,
  pcmPath: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of createReadStream(pcmPath, { highWaterMark: PORTION_BYTES, signal })) {
    const portion = rest.length === 0 ? (bytes as Buffer) : Buffer.concat([rest, bytes as Buffer]);
    const whole = portion.length - (portion.length % SAMPLE_BYTES);
    // A copy, since samples must begin at an even address.
    track.add(new Int16Array(new Uint8Array(portion.subarray(0, whole)).buffer));
    rest = portion.subarray(whole);
    onBytes(track.samples * SAMPLE_BYTES);
  }
}

/**
 * Where somebody speaks, by loudness: a stretch counts when it stands out of the noise around it, and whatever is loud
 * counts in any case, so that speech over music is never lost. It tells sound from silence, not speech from music; what
 * it lets through too much, the recogniser and the guards behind it sort out.
 */

const FRAME_SECONDS = 0.02;

/** The floor is the quietest tenth of so long a stretch: people breathe. */
const FLOOR_BLOCK_SECONDS = 30;

const FLOOR_SHARE = 0.1;

const ABOVE_FLOOR_DB = 8;

/** Of the loudest there is: below the first it is silence however quiet the floor, above the second always sound. */
const SILENT_BELOW_LOUDEST_DB = 38;

const SOUND_BELOW_LOUDEST_DB = 18;

const LOUDEST_SHARE = 0.999;

/** A recording whose loudest is below this holds nothing to be heard. */
const LOUDEST_MIN_DB = -65;

const SILENCE_DB = -100;

/** A pause within a word or between two. */
const JOIN_SECONDS = 0.3;

/** A click is no word. */
const SHORTEST_SECONDS = 0.08;

/** Room for the breath before a word and its fading after it. */
const PAD_SECONDS = 0.3;

/** Takes samples in any portions and keeps one number for each frame: memory grows by 200 bytes a second. */
export class LoudnessTrack {
  readonly #sampleRate: number;
  readonly #frameSamples: number;
  readonly #levels: number[] = [];
  #sum = 0;
  #count = 0;
  #before = 0;
  samples = 0;

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate;
    this.#frameSamples = Math.round(sampleRate * FRAME_SECONDS);
  }

  add(portion: Int16Array): void {
    for (const sample of portion) {
      // The difference lets hum and rumble pass by, which are loud and say nothing.
      const value = (sample - 0.9 * this.#before) / 32768;
      this.#before = sample;
      this.#sum += value * value;
      this.#count += 1;
      if (this.#count === this.#frameSamples) this.#close();
    }
    this.samples += portion.length;
  }

  /** Stretches of sound with some room around them, in order and apart from each other. */
  speech(): SampleRange[] {
    if (this.#count > 0) this.#close();
    const levels = Float32Array.from(this.#levels);
    const loudest = quantile(levels, LOUDEST_SHARE);
    if (levels.length === 0 || loudest < LOUDEST_MIN_DB) return [];
    const ranges = joined(this.#loudFrames(levels, loudest), framesOf(JOIN_SECONDS)).filter(
      ([from, to]) => to - from >= framesOf(SHORTEST_SECONDS),
    );
    const inSamples = ranges.map(([from, to]): SampleRange => [from * this.#frameSamples, to * this.#frameSamples]);
    return withRoom(inSamples, this.#sampleRate, this.samples);
  }

  /** The quietest place between two samples: where a stretch without a pause is best cut. */
  quietestBetween(from: number, to: number): number {
    let best = Math.floor(from / this.#frameSamples);
    for (let frame = best; frame * this.#frameSamples < to; frame += 1) {
      if ((this.#levels[frame] ?? 0) < (this.#levels[best] ?? 0)) best = frame;
    }
    return Math.min(to, best * this.#frameSamples + (this.#frameSamples >> 1));
  }

  #close(): void {
    const power = this.#sum / this.#count;
    this.#levels.push(power > 0 ? Math.max(SILENCE_DB, 10 * Math.log10(power)) : SILENCE_DB);
    this.#sum = 0;
    this.#count = 0;
  }

  #loudFrames(levels: Float32Array, loudest: number): SampleRange[] {
    const ranges: SampleRange[] = [];
    const block = framesOf(FLOOR_BLOCK_SECONDS);
    for (let start = 0; start < levels.length; start += block) {
      const part = levels.subarray(start, start + block);
      const floor = quantile(part, FLOOR_SHARE);
      const least = Math.max(LOUDEST_MIN_DB, loudest - SILENT_BELOW_LOUDEST_DB);
      const threshold = Math.min(Math.max(floor + ABOVE_FLOOR_DB, least), loudest - SOUND_BELOW_LOUDEST_DB);
      for (const [index, level] of part.entries()) {
        if (level <= threshold) continue;
        const frame = start + index;
        const last = ranges.at(-1);
        if (last !== undefined && last[1] === frame) last[1] = frame + 1;
        else ranges.push([frame, frame + 1]);
      }
    }
    return ranges;
  }
}

/** Stretches with room around them, in order and apart from each other. */
export function withRoom(ranges: readonly SampleRange[], sampleRate: number, samples: number): SampleRange[] {
  const pad = Math.round(PAD_SECONDS * sampleRate);
  const padded = ranges.map(([from, to]): SampleRange => [Math.max(0, from - pad), Math.min(samples, to + pad)]);
  return joined(padded, 0);
}

function framesOf(seconds: number): number {
  return Math.round(seconds / FRAME_SECONDS);
}

/** Ranges no further apart than `gap` become one. */
function joined(ranges: readonly SampleRange[], gap: number): SampleRange[] {
  const result: SampleRange[] = [];
  for (const [from, to] of ranges) {
    const last = result.at(-1);
    if (last !== undefined && from - last[1] <= gap) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

function quantile(values: Float32Array, share: number): number {
  if (values.length === 0) return SILENCE_DB;
  const sorted = values.slice().sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? SILENCE_DB;
}
