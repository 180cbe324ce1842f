/** What makes single sounds: bodies that are struck, throats, motors, and grains. */

import type { Random } from '../music/random.ts';
import { highPass, lowPass, noiseOf, TURN } from './noise.ts';

/** What the maker of one sound knows. */
export interface Making {
  random: Random;
  sampleRate: number;
  /** 0 light, 1 heavy. */
  intensity: number;
  /** What is stepped on; null for the usual ground. */
  ground: string | null;
}

/** From `low` to `high`, evenly by ratio. */
export function between(random: Random, low: number, high: number): number {
  return low * (high / low) ** random.next();
}

/** A share of a mode: its frequency as a multiple, its level, and the seconds until it is a third. */
export type Mode = readonly [ratio: number, level: number, decay: number];

export interface Body {
  hertz: number;
  modes: readonly Mode[];
  seconds: number;
  /** The click of the blow: its level, its band and its decay. */
  click?: { level: number; low: number; high: number; decay: number };
  /** How far modes of one blow differ from those of another. */
  wander?: number;
}

/** A body that rings after a blow. Peak 1. */
export function strike(
  { hertz, modes, seconds, click, wander = 0.02 }: Body,
  { random, sampleRate }: Making,
): Float32Array {
  const sound = new Float32Array(Math.max(1, Math.round(seconds * sampleRate)));
  for (const [ratio, level, decay] of modes) {
    const pitch = hertz * ratio * (1 + wander * (random.next() - 0.5));
    if (pitch > sampleRate * 0.45) continue;
    const radius = Math.exp(-1 / (decay * sampleRate));
    const turn = 2 * radius * Math.cos((TURN * pitch) / sampleRate);
    let [one, two] = [0, -level * (0.7 + 0.6 * random.next()) * Math.sin((TURN * pitch) / sampleRate)];
    for (let index = 0; index < sound.length; index += 1) {
      const next = turn * one - radius * radius * two;
      two = one;
      one = next;
      sound[index] = (sound[index] ?? 0) + next;
    }
  }
  if (click !== undefined)
    mixInto(sound, burst({ seconds: click.decay * 6, ...click }, { random, sampleRate }), 0, click.level);
  return toPeak(fadeTail(sound, sampleRate));
}

/** A burst of noise in a band, two poles a side, that decays. Peak 1. */
export function burst(
  { seconds, decay, low, high, attack = 0.001 }: Burst,
  { random, sampleRate }: Pick<Making, 'random' | 'sampleRate'>,
): Float32Array {
  const sound = bandOf(noiseOf('white', Math.max(2, Math.round(seconds * sampleRate)), random), low, high, sampleRate);
  for (let index = 0; index < sound.length; index += 1) {
    const time = index / sampleRate;
    sound[index] =
      (sound[index] ?? 0) * Math.min(1, time / attack) * Math.exp(-time / decay) * (1 - index / sound.length);
  }
  return toPeak(sound);
}

export interface Burst {
  seconds: number;
  decay: number;
  low: number;
  high: number;
  attack?: number;
}

/** Keeps a band, in place. */
export function bandOf(sound: Float32Array, low: number, high: number, sampleRate: number): Float32Array {
  for (let pole = 0; pole < 2; pole += 1) {
    if (high < sampleRate * 0.45) lowPass(sound, high, sampleRate);
    if (low > 0) highPass(sound, low, sampleRate);
  }
  return sound;
}

/** Two poles at a frequency: what of a sound rings there. */
export function resonate(sound: Float32Array, hertz: number, width: number, sampleRate: number): Float32Array {
  const radius = Math.exp((-Math.PI * width) / sampleRate);
  const turn = 2 * radius * Math.cos((TURN * Math.min(hertz, sampleRate * 0.45)) / sampleRate);
  const gain = (1 - radius * radius) / 2;
  const ringing = new Float32Array(sound.length);
  let [one, two, before, last] = [0, 0, 0, 0];
  for (let index = 0; index < sound.length; index += 1) {
    const sample = sound[index] ?? 0;
    const next = turn * one - radius * radius * two + gain * (sample - before);
    before = last;
    last = sample;
    two = one;
    one = next;
    ringing[index] = next;
  }
  return ringing;
}

export type Formant = readonly [hertz: number, width: number, level: number];

export interface Cry {
  seconds: number;
  /** In Hz, at equal distances. */
  pitch: readonly number[];
  formants: readonly Formant[];
  /** Share of noise, 0 to 1. */
  breath?: number;
  /** How uneven the pulses of the throat are, 0 to 1. */
  rough?: number;
  /** Shares of the length for rise and fall. */
  rise?: number;
  fall?: number;
  /** Vibrato in Hz and its depth as a share. */
  vibrato?: readonly [hertz: number, depth: number];
}

/** A throat: pulses and breath through formants. Peak 1. */
export function cry(
  { seconds, pitch, formants, breath = 0.1, rough = 0.1, rise = 0.1, fall = 0.3, vibrato = [5, 0] }: Cry,
  { random, sampleRate }: Making,
): Float32Array {
  const length = Math.max(2, Math.round(seconds * sampleRate));
  const throat = new Float32Array(length);
  const tune = 1 + 0.06 * (random.next() - 0.5);
  let [phase, strength, drift] = [0, 1, 1];
  for (let index = 0; index < length; index += 1) {
    const share = index / length;
    const bend = 1 + vibrato[1] * Math.sin((TURN * vibrato[0] * index) / sampleRate);
    phase += (curveAt(pitch, share) * tune * drift * bend) / sampleRate;
    if (phase >= 1) {
      phase -= 1;
      strength = 1 - rough * random.next();
      drift = 1 + 0.12 * rough * (random.next() - 0.5);
    }
    const pulse = phase < 0.4 ? Math.sin((Math.PI * phase) / 0.4) ** 2 : phase < 0.5 ? -2.5 * (0.5 - phase) : 0;
    throat[index] = (1 - breath) * strength * pulse + breath * (random.next() * 2 - 1) * 0.7;
  }
  highPass(throat, Math.min(...pitch) * 0.5, sampleRate);
  const sound = new Float32Array(length);
  for (const [hertz, width, level] of formants) mixInto(sound, resonate(throat, hertz, width, sampleRate), 0, level);
  for (let index = 0; index < length; index += 1) {
    const share = index / length;
    sound[index] = (sound[index] ?? 0) * Math.min(1, share / rise, (1 - share) / fall) ** 0.8;
  }
  return toPeak(sound);
}

/** The value of a curve through points at equal distances. */
export function curveAt(points: readonly number[], share: number): number {
  const place = Math.min(0.999_999, Math.max(0, share)) * (points.length - 1);
  const at = Math.floor(place);
  const from = points[at] ?? 0;
  return from + ((points[at + 1] ?? from) - from) * (place - at);
}

/** Pulses at a moving rate, each a little different. */
export function pulses(
  length: number,
  hertz: (index: number) => number,
  pulse: Float32Array,
  { random, sampleRate, rough }: { random: Random; sampleRate: number; rough: number },
): Float32Array {
  const sound = new Float32Array(length);
  let at = 0;
  while (at < length) {
    mixInto(sound, pulse, Math.round(at), 1 - rough * random.next());
    at += (sampleRate / Math.max(0.1, hertz(Math.round(at)))) * (1 + 0.08 * rough * (random.next() - 0.5));
  }
  return sound;
}

export interface Grains extends Burst {
  count: number;
  /** Time over which they are strewn; `seconds` is that of one. */
  over: number;
  /** Where most of them lie: 0 early, 0.5 in the middle, 1 late. */
  peak?: number;
}

/** Many small bursts close together: gravel, paper, leaves. Peak 1. */
export function grains({ count, over, peak = 0.4, ...one }: Grains, making: Making): Float32Array {
  const { random, sampleRate } = making;
  const sound = new Float32Array(Math.round((over + one.seconds) * sampleRate) + 1);
  const few = Array.from({ length: 6 }, () => {
    const tilt = between(random, 0.75, 1.33);
    return burst({ ...one, low: one.low * tilt, high: one.high * tilt }, making);
  });
  for (let grain = 0; grain < count; grain += 1) {
    const side = random.next() + random.next() - 1;
    const share = side < 0 ? peak * (1 + side) : peak + (1 - peak) * side;
    mixInto(sound, random.pick(few), Math.round(share * over * sampleRate), 0.15 + 0.85 * random.next() ** 2);
  }
  return toPeak(sound);
}

/** Adds a sound to another from a place on, in place. */
export function mixInto(target: Float32Array, sound: Float32Array, start: number, gain = 1): Float32Array {
  const end = Math.min(sound.length, target.length - start);
  for (let index = Math.max(0, -start); index < end; index += 1) {
    target[start + index] = (target[start + index] ?? 0) + (sound[index] ?? 0) * gain;
  }
  return target;
}

/** Sounds one after another or over each other: each with its beginning in seconds and its level. Peak 1. */
export function together(
  parts: readonly (readonly [sound: Float32Array, seconds?: number, level?: number])[],
  sampleRate: number,
): Float32Array {
  const starts = parts.map(([, seconds = 0]) => Math.round(seconds * sampleRate));
  const length = Math.max(...parts.map(([sound], index) => (starts[index] ?? 0) + sound.length));
  const whole = new Float32Array(length);
  for (const [index, [sound, , level = 1]] of parts.entries()) mixInto(whole, sound, starts[index] ?? 0, level);
  return toPeak(whole);
}

/** Shapes a sound by a curve of levels, in place. */
export function shaped(sound: Float32Array, levels: readonly number[]): Float32Array {
  for (let index = 0; index < sound.length; index += 1) {
    sound[index] = (sound[index] ?? 0) * curveAt(levels, index / sound.length);
  }
  return sound;
}

export function toPeak(sound: Float32Array): Float32Array {
  let most = 1e-9;
  for (const sample of sound) most = Math.max(most, Math.abs(sample));
  for (let index = 0; index < sound.length; index += 1) sound[index] = (sound[index] ?? 0) / most;
  return sound;
}

function fadeTail(sound: Float32Array, sampleRate: number): Float32Array {
  const tail = Math.min(sound.length, Math.round(0.03 * sampleRate));
  for (let index = 0; index < tail; index += 1) {
    const at = sound.length - 1 - index;
    sound[at] = (sound[at] ?? 0) * (index / tail);
  }
  return sound;
}
