/** Building blocks of soundscapes: noises, filters, and events in random order. */

import { type Random, randomOf } from '../music/random.ts';

export const TURN = 2 * Math.PI;

/** Stereo buffers with what a scene needs to fill them. */
export interface Canvas {
  left: Float32Array;
  right: Float32Array;
  sampleRate: number;
  /** A stream of its own for each name, so that a change of one part leaves the others. */
  random(name: string): Random;
}

export function canvasOf(length: number, sampleRate: number, seed: string): Canvas {
  return {
    left: new Float32Array(length),
    right: new Float32Array(length),
    sampleRate,
    random: (name) => randomOf(`${seed} ${name}`),
  };
}

export type NoiseColour = 'white' | 'pink' | 'brown';

/** Noise with a level near that of white noise of peak 1. */
export function noiseOf(colour: NoiseColour, length: number, random: Random): Float32Array {
  const sound = new Float32Array(length);
  if (colour === 'white') {
    for (let index = 0; index < length; index += 1) sound[index] = random.next() * 2 - 1;
    return sound;
  }
  if (colour === 'brown') {
    let level = 0;
    for (let index = 0; index < length; index += 1) {
      level = level * 0.998 + (random.next() * 2 - 1) * 0.06;
      sound[index] = level;
    }
    return sound;
  }
  // A sum of one-pole filters falls by 3 dB an octave.
  const poles = [0.99886, 0.99332, 0.969, 0.8665, 0.55];
  const gains = [0.0555179, 0.0750759, 0.153852, 0.3104856, 0.5329522];
  const state = poles.map(() => 0);
  for (let index = 0; index < length; index += 1) {
    const white = random.next() * 2 - 1;
    let sum = white * 0.5362;
    for (let pole = 0; pole < poles.length; pole += 1) {
      const next = (poles[pole] ?? 0) * (state[pole] ?? 0) + (gains[pole] ?? 0) * white;
      state[pole] = next;
      sum += next;
    }
    sound[index] = sum * 0.25;
  }
  return sound;
}

/** One-pole low-pass, in place. */
export function lowPass(sound: Float32Array, hertz: number, sampleRate: number): Float32Array {
  const share = 1 - Math.exp((-TURN * Math.min(hertz, sampleRate * 0.45)) / sampleRate);
  let level = 0;
  for (let index = 0; index < sound.length; index += 1) {
    level += share * ((sound[index] ?? 0) - level);
    sound[index] = level;
  }
  return sound;
}

/** One-pole high-pass, in place. */
export function highPass(sound: Float32Array, hertz: number, sampleRate: number): Float32Array {
  const share = 1 - Math.exp((-TURN * hertz) / sampleRate);
  let level = 0;
  for (let index = 0; index < sound.length; index += 1) {
    level += share * ((sound[index] ?? 0) - level);
    sound[index] = (sound[index] ?? 0) - level;
  }
  return sound;
}

/** A band-pass whose centre moves, in place. */
export function movingBand(
  sound: Float32Array,
  centre: (index: number) => number,
  resonance: number,
  sampleRate: number,
): Float32Array {
  let low = 0;
  let band = 0;
  let tuning = 0;
  for (let index = 0; index < sound.length; index += 1) {
    if (index % 32 === 0) tuning = 2 * Math.sin((Math.PI * Math.min(centre(index), sampleRate / 7)) / sampleRate);
    low += tuning * band;
    band += tuning * ((sound[index] ?? 0) - low - band / resonance);
    sound[index] = band;
  }
  return sound;
}

/** A smooth random curve from 0 to 1 with a turn every `seconds` on average. */
export function randomWanderCurve(random: Random, seconds: number, sampleRate: number): (index: number) => number {
  const step = Math.max(1, Math.round(seconds * sampleRate));
  const points: number[] = [];
  return (index) => {
    const at = Math.floor(index / step);
    while (points.length < at + 2) points.push(random.next());
    const share = (1 - Math.cos((Math.PI * (index % step)) / step)) / 2;
    return (points[at] ?? 0) * (1 - share) + (points[at + 1] ?? 0) * share;
  };
}

/** Calls `play` at random times, `perSecond` on average, in order. */
export function scatterInTime(
  { left, sampleRate }: Canvas,
  random: Random,
  perSecond: number,
  play: (start: number) => void,
): void {
  let seconds = -Math.log(1 - random.next()) / perSecond;
  while (seconds * sampleRate < left.length) {
    play(Math.floor(seconds * sampleRate));
    seconds += -Math.log(1 - random.next()) / perSecond;
  }
}

/** Adds a sound at a place: left -1, right 1. */
export function placeSoundOnCanvas(
  { left, right }: Canvas,
  sound: Float32Array,
  start: number,
  gain: number,
  place: number,
): void {
  const angle = ((place + 1) * Math.PI) / 4;
  const toLeft = gain * Math.cos(angle);
  const toRight = gain * Math.sin(angle);
  const count = Math.min(sound.length, left.length - start);
  for (let index = Math.max(0, -start); index < count; index += 1) {
    const sample = sound[index] ?? 0;
    left[start + index] = (left[start + index] ?? 0) + sample * toLeft;
    right[start + index] = (right[start + index] ?? 0) + sample * toRight;
  }
}

/** Adds two sounds of the canvas' length. */
export function addStereoSounds({ left, right }: Canvas, one: Float32Array, other: Float32Array, gain: number): void {
  for (let index = 0; index < left.length; index += 1) {
    left[index] = (left[index] ?? 0) + (one[index] ?? 0) * gain;
    right[index] = (right[index] ?? 0) + (other[index] ?? 0) * gain;
  }
}

interface Sweep {
  from: number;
  to: number;
  seconds: number;
  /** Levels of the partials from the first. */
  partials?: readonly number[];
  /** Decay in seconds; without one the sound swells and falls. */
  decay?: number;
  /** Vibrato in Hz and its depth as a share. */
  vibrato?: readonly [hertz: number, depth: number];
}

/** A gliding tone. */
export function synthesizeSweep(
  { from, to, seconds, partials = [1], decay, vibrato }: Sweep,
  sampleRate: number,
): Float32Array {
  const sound = new Float32Array(Math.max(1, Math.round(seconds * sampleRate)));
  let phase = 0;
  for (let index = 0; index < sound.length; index += 1) {
    const share = index / sound.length;
    const time = index / sampleRate;
    const bend = vibrato === undefined ? 1 : 1 + vibrato[1] * Math.sin(TURN * vibrato[0] * time);
    phase += ((from + (to - from) * share) * bend) / sampleRate;
    let sum = 0;
    for (let partial = 0; partial < partials.length; partial += 1) {
      sum += (partials[partial] ?? 0) * Math.sin(TURN * phase * (partial + 1));
    }
    const rise = Math.min(1, time / 0.004);
    sound[index] =
      sum * (decay === undefined ? Math.sin(Math.PI * share) : rise * Math.exp(-time / decay) * (1 - share));
  }
  return sound;
}

/** A burst of noise that decays. */
export function synthesizeNoiseBurst(
  { seconds, decay, low = 0, high }: { seconds: number; decay: number; low?: number; high?: number },
  random: Random,
  sampleRate: number,
): Float32Array {
  const sound = noiseOf('white', Math.max(1, Math.round(seconds * sampleRate)), random);
  if (high !== undefined) lowPass(sound, high, sampleRate);
  if (low > 0) highPass(sound, low, sampleRate);
  for (let index = 0; index < sound.length; index += 1) {
    const time = index / sampleRate;
    sound[index] = (sound[index] ?? 0) * Math.exp(-time / decay) * (1 - index / sound.length);
  }
  return sound;
}
