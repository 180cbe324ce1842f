import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { itemAt } from '../../src-server/platform/item-at.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { packWindows, windowSamples } from './listener.ts';
import { startSpeechChild } from './sherpa.ts';
import { SteadyTones } from './steady-tones.ts';
import type { FindSpeechInput, FindSpeechOutput, SampleRange } from './tasks.ts';

const SAMPLE_BYTES = 2;

const PORTION_BYTES = 1 << 20;

/** Less speech than both, as seconds and as a share of the sound that is not silence, is almost none. */
const SPEECH_SECONDS_MIN = 5;

const SPEECH_SHARE_MIN = 0.15;

/**
 * VAD: finds speech with a voice activity model in a child process, or by loudness without a model. Errors:
 * `engine_failed` if the model cannot be read, and the reason of the signal.
 */
export async function detectSpeechWindows(input: FindSpeechInput, context: TaskContext): Promise<FindSpeechOutput> {
  const { pcmPath, sampleRate, windowMaxSeconds, detectorPath } = input;
  const startedAt = performance.now();
  const { size } = await stat(pcmPath);
  const track = new LoudnessTrack(sampleRate);
  const tones = new SteadyTones(sampleRate, Math.floor(size / SAMPLE_BYTES));
  const reportSpeechProgress = (bytes: number) =>
    context.progress((bytes * 100) / size, 'listening', say`Looking for speech`);
  const withoutModel = detectorPath === null || size === 0;
  // Loudness always decides where stretches are cut, and how much louder the model hears the sound.
  const tracks = withoutModel ? ([track, tones] as const) : ([track] as const);
  await measureTracks(tracks, pcmPath, context.signal, withoutModel ? reportSpeechProgress : () => undefined);
  const gain = track.levelingGain();
  const ranges = withoutModel
    ? null
    : await detectSpeechByModel({ ...input, detectorPath, gain }, context, reportSpeechProgress);
  const sounds = track.soundingRanges();
  const speech = ranges === null ? sounds : withWholeSounds(ranges, sounds, sampleRate);
  const padded = withRoom([...(ranges ?? []), ...speech], sampleRate, track.samples);
  const windows = packWindows(padded, Math.floor(windowMaxSeconds * sampleRate), (from, to) =>
    track.quietestBetween(from, to),
  );
  const speechSamples = windows.reduce((sum, window) => sum + windowSamples(window), 0);
  return {
    foundBy: detectorPath === null ? 'loudness' : 'silero-vad',
    durationSeconds: track.samples / sampleRate,
    speechSeconds: speechSamples / sampleRate,
    tookSeconds: (performance.now() - startedAt) / 1000,
    windows,
    speech,
    sounds,
    lacksSpeech: ranges === null ? tones.isMusic : isAlmostNone(ranges, sounds, sampleRate),
  };
}

/** Sound in which a voice activity model hears almost no speech. */
function isAlmostNone(speech: readonly SampleRange[], sounds: readonly SampleRange[], sampleRate: number): boolean {
  const [spoken, heard] = [totalRangeSamples(speech), totalRangeSamples(sounds)];
  return spoken < SPEECH_SECONDS_MIN * sampleRate && spoken < heard * SPEECH_SHARE_MIN;
}

function totalRangeSamples(ranges: readonly SampleRange[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from, 0);
}

async function detectSpeechByModel(
  { detectorPath, pcmPath, sampleRate, gain }: FindSpeechInput & { detectorPath: string; gain: number },
  context: TaskContext,
  onBytes: (bytes: number) => void,
): Promise<SampleRange[]> {
  const child = startSpeechChild(context);
  try {
    return await child.remote.detect({ modelPath: detectorPath, pcmPath, sampleRate, gain }, onBytes);
  } finally {
    child.end();
  }
}

async function measureTracks(
  tracks: readonly [LoudnessTrack, ...SteadyTones[]],
  pcmPath: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of createReadStream(pcmPath, { highWaterMark: PORTION_BYTES, signal })) {
    const portion = rest.length === 0 ? (bytes as Buffer) : Buffer.concat([rest, bytes as Buffer]);
    const whole = portion.length - (portion.length % SAMPLE_BYTES);
    // A copy, because samples must start at an even address.
    const samples = new Int16Array(new Uint8Array(portion.subarray(0, whole)).buffer);
    for (const track of tracks) track.addSoundPortion(samples);
    rest = portion.subarray(whole);
    onBytes(tracks[0].samples * SAMPLE_BYTES);
  }
}

// Finds speech by loudness: stretches that exceed the noise around them, and everything loud, so that speech over music
// is never lost. Loudness distinguishes sound from silence, not speech from music; the recogniser and the later filters
// drop the rest.

const FRAME_SECONDS = 0.02;

/** The noise floor is the quietest tenth of a block this long, because speakers pause for breath. */
const FLOOR_BLOCK_SECONDS = 30;

const FLOOR_SHARE = 0.1;

const ABOVE_FLOOR_DB = 8;

/** Relative to the loudest frame: below the first bound always silence, above the second always sound. */
const SILENT_BELOW_LOUDEST_DB = 38;

const SOUND_BELOW_LOUDEST_DB = 18;

const LOUDEST_SHARE = 0.999;

/** The usual level of a recording's loudest parts, to which quiet ones are raised for the model. */
const USUAL_LOUDEST_DB = -25;

/** The frames above are slams and clicks. */
const USUAL_SHARE = 0.97;

const GAIN_MAX = 100;

/** A recording whose peak is lower is silent. */
const LOUDEST_MIN_DB = -65;

const SILENCE_DB = -100;

/** Pause within a word or between two words. */
const JOIN_SECONDS = 0.3;

/** Shorter sounds are clicks. */
const SHORTEST_SECONDS = 0.08;

/** Padding for the breath before a word and its decay. */
const PAD_SECONDS = 0.3;

/** Keeps one number per frame of any portions of samples: memory grows by 200 bytes per second of sound. */
export class LoudnessTrack {
  readonly #frameSamples: number;
  readonly #levels: number[] = [];
  #sum = 0;
  #count = 0;
  #before = 0;
  samples = 0;

  constructor(sampleRate: number) {
    this.#frameSamples = Math.round(sampleRate * FRAME_SECONDS);
  }

  addSoundPortion(portion: Int16Array): void {
    for (const sample of portion) {
      // Pre-emphasis suppresses hum and rumble.
      const value = (sample - 0.9 * this.#before) / 32768;
      this.#before = sample;
      this.#sum += value * value;
      this.#count += 1;
      if (this.#count === this.#frameSamples) this.#closeLoudnessFrame();
    }
    this.samples += portion.length;
  }

  /** Stretches of sound, ordered and disjoint. */
  soundingRanges(): SampleRange[] {
    if (this.#count > 0) this.#closeLoudnessFrame();
    const levels = Float32Array.from(this.#levels);
    const loudest = quantileLevel(levels, LOUDEST_SHARE);
    if (levels.length === 0 || loudest < LOUDEST_MIN_DB) return [];
    const ranges = joinNearRanges(this.#loudFrames(levels, loudest), loudnessFrameCount(JOIN_SECONDS)).filter(
      ([from, to]) => to - from >= loudnessFrameCount(SHORTEST_SECONDS),
    );
    return ranges.map(([from, to]) => [from * this.#frameSamples, Math.min(this.samples, to * this.#frameSamples)]);
  }

  /** Factor that raises a quiet recording to the usual level; at least 1. */
  levelingGain(): number {
    const loud = quantileLevel(Float32Array.from(this.#levels), USUAL_SHARE);
    return loud < LOUDEST_MIN_DB ? 1 : Math.min(GAIN_MAX, Math.max(1, 10 ** ((USUAL_LOUDEST_DB - loud) / 20)));
  }

  /** The quietest position between two samples, the best cut in a stretch without a pause. */
  quietestBetween(from: number, to: number): number {
    let best = Math.floor(from / this.#frameSamples);
    for (let frame = best; frame * this.#frameSamples < to; frame += 1) {
      if ((this.#levels[frame] ?? 0) < (this.#levels[best] ?? 0)) best = frame;
    }
    return Math.min(to, best * this.#frameSamples + (this.#frameSamples >> 1));
  }

  #closeLoudnessFrame(): void {
    const power = this.#sum / this.#count;
    this.#levels.push(power > 0 ? Math.max(SILENCE_DB, 10 * Math.log10(power)) : SILENCE_DB);
    this.#sum = 0;
    this.#count = 0;
  }

  #loudFrames(levels: Float32Array, loudest: number): SampleRange[] {
    const ranges: SampleRange[] = [];
    const block = loudnessFrameCount(FLOOR_BLOCK_SECONDS);
    for (let start = 0; start < levels.length; start += block) {
      const part = levels.subarray(start, start + block);
      const floor = quantileLevel(part, FLOOR_SHARE);
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

/** A model may notice the beginning of speech this late, as after music, and its end this early. */
const UNNOTICED_SECONDS = 0.8;

/** Ordered stretches with the whole sound that they belong to, where little of it lies outside. */
function withWholeSounds(
  ranges: readonly SampleRange[],
  sounds: readonly SampleRange[],
  sampleRate: number,
): SampleRange[] {
  const most = UNNOTICED_SECONDS * sampleRate;
  let first = 0;
  let before = 0;
  return ranges.map(([from, to], index) => {
    while (first < sounds.length && itemAt(sounds, first)[1] <= from) first += 1;
    let last = first;
    while (last + 1 < sounds.length && itemAt(sounds, last + 1)[0] < to) last += 1;
    const [onset, end] = [sounds[first]?.[0] ?? from, sounds[last]?.[1] ?? to];
    const next = ranges[index + 1]?.[0] ?? Number.POSITIVE_INFINITY;
    const isStart = onset >= before && from - onset <= most && onset < to;
    const isEnd = end <= next && end - to <= most && end > to;
    before = isEnd ? end : to;
    return [isStart ? onset : from, before];
  });
}

/** Stretches with padding, ordered and disjoint. */
function withRoom(ranges: readonly SampleRange[], sampleRate: number, samples: number): SampleRange[] {
  const pad = Math.round(PAD_SECONDS * sampleRate);
  const padded = ranges.map(([from, to]): SampleRange => [Math.max(0, from - pad), Math.min(samples, to + pad)]);
  return joinNearRanges(
    padded.sort(([one], [other]) => one - other),
    0,
  );
}

function loudnessFrameCount(seconds: number): number {
  return Math.round(seconds / FRAME_SECONDS);
}

/** Joins ranges at most `gap` apart. */
function joinNearRanges(ranges: readonly SampleRange[], gap: number): SampleRange[] {
  const result: SampleRange[] = [];
  for (const [from, to] of ranges) {
    const last = result.at(-1);
    if (last !== undefined && from - last[1] <= gap) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

function quantileLevel(values: Float32Array, share: number): number {
  if (values.length === 0) return SILENCE_DB;
  const sorted = values.slice().sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? SILENCE_DB;
}
