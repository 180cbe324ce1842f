import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chapter } from './chapters.ts';
import { encodeMp3, encodeWave } from './encode.ts';
import { integratedLoudness, type Loudness, measureLoudness, peakEnvelope, TruePeakMeter } from './loudness.ts';
import { lengthOf, type Sound, soundLengthSeconds } from './sound.ts';
import type { FinishedSound, LoudnessGoal } from './tasks.ts';

/** Bars in the waveform of a player. */
const PEAKS = 400;

interface FinishHow {
  folder: string;
  /** File name without extension. */
  name: string;
  goal: LoudnessGoal;
  title: string;
  tempo: number | null;
  chapters?: readonly Chapter[];
  /** Called between steps; throws the reason of a cancellation. */
  pause(): void;
}

/** Normalises a sound, writes it as .wav and .mp3, and measures the written samples. */
export async function finishSound(raw: Sound, how: FinishHow): Promise<FinishedSound> {
  checkFinite(raw);
  how.pause();
  const { sound } = normalizeLevel(raw, how.goal);
  how.pause();
  const loudness = measureLoudness(sound);
  const wave = encodeWave(sound);
  await writeFile(join(how.folder, `${how.name}.wav`), wave.bytes);
  const marks = { chapters: how.chapters ?? [], seconds: soundLengthSeconds(sound) };
  const tags = { title: how.title, tempo: how.tempo, ...marks, ...loudness };
  const mp3 = await writeMp3({ raw, sound, loudness }, tags, how);
  return {
    durationSeconds: soundLengthSeconds(sound),
    sampleRate: sound.sampleRate,
    channels: sound.channels.length,
    wavBytes: wave.bytes.length,
    mp3Bytes: mp3.bytes.length,
    mp3KilobitsPerSecond: mp3.kilobitsPerSecond,
    analysis: { ...roundLoudness(loudness), clippedSamples: wave.clipped, peaks: peaksOf(sound) },
  };
}

/** Coding moves a peak by less than this. */
const CODING_DB_MAX = 3;

const CODING_TRIES = 3;

/** By how much finer measures find higher peaks than ours. */
const MEASURE_DB = 0.07;

/** What another try puts between its peak and the limit. */
const CODING_MARGIN_DB = 0.1;

/**
 * Writes the .mp3, and holds the true peak of what players decode: coding moves a peak by up to 1 dB. The sound is
 * limited further by what the decoded peak exceeds, and in the last try made softer as a whole.
 */
async function writeMp3(
  { raw, sound, loudness }: { raw: Sound; sound: Sound; loudness: Loudness },
  tags: Parameters<typeof encodeMp3>[1],
  { folder, name, goal, pause }: FinishHow,
): ReturnType<typeof encodeMp3> {
  const path = join(folder, `${name}.mp3`);
  const isFar = loudness.truePeakDbtp === null || loudness.truePeakDbtp < goal.truePeakDbtp - CODING_DB_MAX;
  let limit = goal.truePeakDbtp;
  let levelled = sound;
  for (let left = CODING_TRIES; ; left -= 1) {
    const mp3 = await encodeMp3(levelled, tags, pause);
    await writeFile(path, mp3.bytes);
    const excess = isFar ? 0 : (await decodedPeakDb(path, levelled)) + MEASURE_DB - goal.truePeakDbtp;
    if (excess <= 0 || left === 0) return mp3;
    pause();
    limit -= excess + CODING_MARGIN_DB;
    levelled =
      left > 1
        ? normalizeLevel(raw, { ...goal, truePeakDbtp: limit }).sound
        : softenSound(levelled, excess + CODING_MARGIN_DB);
  }
}

/** True peak of a file as players decode it, in dBTP. */
async function decodedPeakDb(path: string, { channels, sampleRate }: Sound): Promise<number> {
  // Most sounds are far from the limit. They need no decoder.
  const { readSoundBlocks } = await import('../media/decode-sound.ts');
  const meter = new TruePeakMeter();
  await readSoundBlocks(path, { channels: channels.length === 1 ? 1 : 2, sampleRate }, (block) =>
    meter.addBlock(block),
  );
  return meter.peakDb();
}

function softenSound({ channels, sampleRate }: Sound, decibels: number): Sound {
  const gain = 10 ** (-decibels / 20);
  return { channels: channels.map((channel) => channel.map((sample) => sample * gain)), sampleRate };
}

/** Rejects NaN and infinity, which would become a loud click. */
function checkFinite({ channels }: Sound): void {
  if (channels.some((channel) => channel.some((sample) => !Number.isFinite(sample)))) {
    throw new Error('The synthesiser produced a sample that is not a number.');
  }
}

/** Meters differ by more than a hundredth. */
function roundLoudness({ integratedLufs, loudnessRangeLu, truePeakDbtp, rmsDbfs }: Loudness): Loudness {
  const roundToHundredth = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100);
  return {
    integratedLufs: roundToHundredth(integratedLufs),
    loudnessRangeLu: roundToHundredth(loudnessRangeLu),
    truePeakDbtp: roundToHundredth(truePeakDbtp),
    rmsDbfs: roundToHundredth(rmsDbfs),
  };
}

/** The peak of each of PEAKS equal sections, 0 to 1. */
function peaksOf(sound: Sound): number[] {
  const length = lengthOf(sound);
  const bars = Math.min(PEAKS, length);
  return Array.from({ length: bars }, (_, bar) => {
    let peak = 0;
    const end = Math.floor(((bar + 1) * length) / bars);
    for (const channel of sound.channels) {
      for (let index = Math.floor((bar * length) / bars); index < end; index += 1) {
        peak = Math.max(peak, Math.abs(channel[index] ?? 0));
      }
    }
    return Math.round(peak * 1000) / 1000;
  });
}

// Brings a sound to a target loudness and limits its true peak.

/** The limiter reduces the gain this long before a peak and starts its release this long after it. */
const LOOK_AHEAD_SECONDS = 0.005;

const RELEASE_SECONDS = 0.08;

/** Margin for what 16-bit rounding and the measuring filter add to a peak. */
const CEILING_MARGIN_DB = 0.4;

/** Limiting lowers the loudness; the gain is corrected at most this many times. */
const CORRECTIONS_MAX = 3;

const CLOSE_ENOUGH_LU = 0.1;

/** Between samples below this share of the ceiling no interpolated peak reaches it, corrections included. */
const QUIET_SHARE = 0.4;

/** Upper bound on the gain, so that near silence does not become noise. */
const GAIN_DB_MAX = 40;

interface LoudnessTarget {
  lufs: number;
  truePeakDbtp: number;
}

/** Returns a new sound at the target. A sound too short or too quiet to measure keeps its level, under the ceiling. */
export function normalizeLevel(sound: Sound, target: LoudnessTarget): { sound: Sound; gainDb: number } {
  const before = integratedLoudness(sound);
  const ceiling = ceilingOf(target);
  let gainDb = before === null ? 0 : Math.min(GAIN_DB_MAX, target.lufs - before);
  const envelope = peakEnvelope(sound, (ceiling / fromDecibels(gainDb)) * QUIET_SHARE);
  let result = limitPeaks(sound, envelope, fromDecibels(gainDb), ceiling);
  for (let correction = 0; correction < CORRECTIONS_MAX && before !== null; correction += 1) {
    const reached = integratedLoudness(result) ?? target.lufs;
    const missingLu = target.lufs - reached;
    if (Math.abs(missingLu) < CLOSE_ENOUGH_LU || gainDb >= GAIN_DB_MAX) break;
    gainDb += missingLu;
    result = limitPeaks(sound, envelope, fromDecibels(gainDb), ceiling);
  }
  return { sound: result, gainDb };
}

/** Returns a new sound with this gain, under the ceiling of the target. */
export function applyGain(sound: Sound, gainDb: number, target: LoudnessTarget): Sound {
  const ceiling = ceilingOf(target);
  const envelope = peakEnvelope(sound, (ceiling / fromDecibels(gainDb)) * QUIET_SHARE);
  return limitPeaks(sound, envelope, fromDecibels(gainDb), ceiling);
}

function ceilingOf({ truePeakDbtp }: LoudnessTarget): number {
  return fromDecibels(truePeakDbtp - CEILING_MARGIN_DB);
}

/** Returns a new sound. All channels share one gain, so the stereo image does not move. */
function limitPeaks({ channels, sampleRate }: Sound, envelope: Float32Array, gain: number, ceiling: number): Sound {
  const reach = Math.max(1, Math.round(LOOK_AHEAD_SECONDS * sampleRate));
  const gains = smoothGains(applySlowRelease(lowestNear(envelope, ceiling / gain, reach), sampleRate), reach);
  const limited = channels.map((channel) => {
    const result = new Float32Array(channel.length);
    for (let index = 0; index < channel.length; index += 1) {
      result[index] = (channel[index] ?? 0) * gain * (gains[index] ?? 0);
    }
    return result;
  });
  return { channels: limited, sampleRate };
}

/** The lowest gain that any peak within reach requires. */
function lowestNear(envelope: Float32Array, ceiling: number, reach: number): Float32Array {
  const gains = new Float32Array(envelope.length).fill(1);
  for (let index = 0; index < envelope.length; index += 1) {
    const peak = envelope[index] ?? 0;
    if (peak <= ceiling) continue;
    const needed = ceiling / peak;
    const last = Math.min(envelope.length - 1, index + reach);
    for (let near = Math.max(0, index - reach); near <= last; near += 1) {
      if ((gains[near] ?? 1) > needed) gains[near] = needed;
    }
  }
  return gains;
}

/** Releases the gain slowly, in place. */
function applySlowRelease(gains: Float32Array, sampleRate: number): Float32Array {
  const share = 1 - Math.exp(-1 / (RELEASE_SECONDS * sampleRate));
  let gain = 1;
  for (let index = 0; index < gains.length; index += 1) {
    gain = Math.min(gains[index] ?? 0, gain + (1 - gain) * share);
    gains[index] = gain;
  }
  return gains;
}

/** The mean over the reach: the gain changes without steps and never exceeds what a peak allows. */
function smoothGains(gains: Float32Array, reach: number): Float32Array {
  const { length } = gains;
  const smoothed = new Float32Array(length);
  let sum = 0;
  for (let index = 0; index < Math.min(reach, length); index += 1) sum += gains[index] ?? 0;
  for (let index = 0; index < length; index += 1) {
    if (index + reach < length) sum += gains[index + reach] ?? 0;
    if (index - reach > 0) sum -= gains[index - reach - 1] ?? 0;
    smoothed[index] = sum / (Math.min(length, index + reach + 1) - Math.max(0, index - reach));
  }
  return smoothed;
}

function fromDecibels(decibels: number): number {
  return 10 ** (decibels / 20);
}
