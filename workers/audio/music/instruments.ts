/** Each instrument renders one note with a simple synthesiser. One channel, peak near 1. */

import { byName } from '../../../src-server/platform/records.ts';
import { randomOf } from './random.ts';
import type { Drum } from './score.ts';

const TURN = 2 * Math.PI;
/** Longest release of a note. */
const RELEASE_SECONDS = 0.35;

export interface Tone {
  hertz: number;
  seconds: number;
  sampleRate: number;
}

/** @param synth a sound of `resources/music/instruments.json` */
export function playNote(synth: string, tone: Tone): Float32Array {
  const sound = SOUNDS[synth];
  if (sound === undefined) throw new Error(`There is no sound ${synth}.`);
  return sound(tone);
}

const SOUNDS: Readonly<Record<string, (tone: Tone) => Float32Array>> = byName({
  piano: (tone) => additiveTone(tone, [1, 0.55, 0.3, 0.18, 0.1, 0.06], 1.6, 0.0004),
  'electric piano': (tone) =>
    frequencyModulatedTone(tone, { ratio: 1, depth: 1.4, decaySeconds: 1.2, depthDecaySeconds: 0.35 }),
  bells: (tone) => frequencyModulatedTone(tone, { ratio: 3.5, depth: 1.6, decaySeconds: 1.4, depthDecaySeconds: 0.6 }),
  marimba: (tone) =>
    frequencyModulatedTone(tone, { ratio: 4, depth: 0.8, decaySeconds: 0.35, depthDecaySeconds: 0.05 }),
  guitar: (tone) => pluckedStringTone(tone, 0.996, 0.5),
  harp: (tone) => pluckedStringTone(tone, 0.9985, 0.35),
  harpsichord: (tone) => pluckedStringTone(tone, 0.997, 0.05),
  bass: (tone) => pluckedStringTone(tone, 0.997, 0.25),
  strings: (tone) => bowedStringTone(tone, { voices: 5, detune: 0.004, brightness: 5, attackSeconds: 0.09 }),
  violin: (tone) => bowedStringTone(tone, { voices: 2, detune: 0.0025, brightness: 6, attackSeconds: 0.05 }),
  cello: (tone) => bowedStringTone(tone, { voices: 3, detune: 0.003, brightness: 6, attackSeconds: 0.06 }),
  choir: (tone) => bowedStringTone(tone, { voices: 6, detune: 0.006, brightness: 2.4, attackSeconds: 0.14 }),
  pad: (tone) => bowedStringTone(tone, { voices: 4, detune: 0.007, brightness: 3, attackSeconds: 0.18 }),
  brass: (tone) => bowedStringTone(tone, { voices: 3, detune: 0.002, brightness: 7, attackSeconds: 0.03 }),
  'soft brass': (tone) => bowedStringTone(tone, { voices: 2, detune: 0.002, brightness: 3.5, attackSeconds: 0.06 }),
  'synth lead': (tone) => bowedStringTone(tone, { voices: 2, detune: 0.003, brightness: 8, attackSeconds: 0.008 }),
  'synth bass': (tone) => bowedStringTone(tone, { voices: 2, detune: 0.002, brightness: 6, attackSeconds: 0.004 }),
  distorted: (tone) =>
    overdriveSound(bowedStringTone(tone, { voices: 2, detune: 0.003, brightness: 4, attackSeconds: 0.004 })),
  organ: (tone) => additiveTone(tone, [1, 0.8, 0.5, 0.4, 0, 0.2, 0, 0.25], 0, 0),
  reed: (tone) => additiveTone(tone, [1, 0.65, 0.7, 0.4, 0.3, 0.22, 0.15, 0.1], 0, 0),
  'reed organ': (tone) => additiveTone(tone, [1, 0.7, 0.6, 0.5, 0.35, 0.3, 0.2], 0, 0),
  'square reed': (tone) => additiveTone(tone, [1, 0.05, 0.6, 0.05, 0.35, 0.05, 0.2], 0, 0),
  square: (tone) => additiveTone(tone, [1, 0, 0.33, 0, 0.2, 0, 0.14, 0, 0.11, 0, 0.09], 0, 0),
  flute: blownTone,
});

/** An overdriven amplifier: quiet parts are louder, loud ones flat. */
function overdriveSound(sound: Float32Array): Float32Array {
  return sound.map((sample) => Math.tanh(sample * 2));
}

function toneBuffer({ seconds, sampleRate }: Tone, releaseSeconds = RELEASE_SECONDS): Float32Array {
  return new Float32Array(Math.max(1, Math.ceil((seconds + releaseSeconds) * sampleRate)));
}

/** Applies the attack and the release, in place. */
function shapeEnvelope(sound: Float32Array, { seconds, sampleRate }: Tone, attackSeconds: number): Float32Array {
  const attack = Math.max(1, Math.round(attackSeconds * sampleRate));
  for (let index = 0; index < attack && index < sound.length; index += 1)
    sound[index] = (sound[index] ?? 0) * (index / attack);
  const over = Math.min(sound.length - 1, Math.round(seconds * sampleRate));
  const fading = sound.length - over;
  for (let index = over; index < sound.length; index += 1) {
    const left = 1 - (index - over) / fading;
    sound[index] = (sound[index] ?? 0) * left * left;
  }
  return sound;
}

/** Decaying partials; higher ones decay faster. `decaySeconds` 0 sustains them. */
function additiveTone(tone: Tone, partials: readonly number[], decaySeconds: number, stiffness: number): Float32Array {
  const sound = toneBuffer(tone);
  const { hertz, sampleRate } = tone;
  const sum = partials.reduce((total, partial) => total + partial, 0);
  for (const [order, strength] of partials.entries()) {
    const number = order + 1;
    const frequency = hertz * number * Math.sqrt(1 + stiffness * number * number);
    if (strength === 0 || frequency > sampleRate * 0.45) continue;
    // A rotating pair gives a sine without a call per sample.
    const cosine = Math.cos((TURN * frequency) / sampleRate);
    const sine = Math.sin((TURN * frequency) / sampleRate);
    const decay = decaySeconds === 0 ? 1 : Math.exp(-(number ** 0.7) / (decaySeconds * sampleRate));
    let real = strength / sum;
    let imaginary = 0;
    for (let index = 0; index < sound.length; index += 1) {
      sound[index] = (sound[index] ?? 0) + imaginary;
      const turned = real * cosine - imaginary * sine;
      imaginary = (real * sine + imaginary * cosine) * decay;
      real = turned * decay;
    }
  }
  return shapeEnvelope(sound, tone, 0.003);
}

interface Modulation {
  ratio: number;
  depth: number;
  decaySeconds: number;
  depthDecaySeconds: number;
}

/** Frequency modulation: bells, mallets, electric pianos. */
function frequencyModulatedTone(
  tone: Tone,
  { ratio, depth, decaySeconds, depthDecaySeconds }: Modulation,
): Float32Array {
  const sound = toneBuffer(tone);
  const { hertz, sampleRate } = tone;
  const step = (TURN * hertz) / sampleRate;
  const decay = Math.exp(-1 / (decaySeconds * sampleRate));
  const depthDecay = Math.exp(-1 / (depthDecaySeconds * sampleRate));
  let loudness = 1;
  let index = depth;
  for (let at = 0; at < sound.length; at += 1) {
    sound[at] = loudness * Math.sin(step * at + index * Math.sin(step * ratio * at));
    loudness *= decay;
    index *= depthDecay;
  }
  return shapeEnvelope(sound, tone, 0.002);
}

/** Karplus-Strong string: noise in a delay line, low-pass filtered on each pass. */
function pluckedStringTone(tone: Tone, keep: number, softness: number): Float32Array {
  const sound = toneBuffer(tone);
  const { hertz, sampleRate } = tone;
  const random = randomOf(`string ${hertz.toFixed(3)}`);
  const exact = sampleRate / hertz - 0.5;
  const size = Math.max(2, Math.floor(exact));
  const fraction = exact - size;
  const string = new Float32Array(size);
  let soft = 0;
  for (let index = 0; index < size; index += 1) {
    soft += (1 - softness * 0.8) * (random.next() * 2 - 1 - soft);
    string[index] = soft;
  }
  let position = 0;
  let last = 0;
  let delayed = 0;
  for (let index = 0; index < sound.length; index += 1) {
    const sample = string[position] ?? 0;
    // Interpolates the fractional delay, which keeps high notes in tune.
    const tuned = sample * (1 - fraction) + delayed * fraction;
    delayed = sample;
    sound[index] = sample;
    string[position] = keep * 0.5 * (tuned + last);
    last = tuned;
    position = position + 1 === size ? 0 : position + 1;
  }
  return shapeEnvelope(sound, tone, 0.001);
}

interface Bowing {
  voices: number;
  detune: number;
  /** Cutoff of the filter, in multiples of the pitch. */
  brightness: number;
  attackSeconds: number;
}

/** Detuned saw waves behind a filter. */
function bowedStringTone(tone: Tone, { voices, detune, brightness, attackSeconds }: Bowing): Float32Array {
  const sound = toneBuffer(tone);
  const { hertz, sampleRate } = tone;
  for (let voice = 0; voice < voices; voice += 1) {
    const offset = voices === 1 ? 0 : (voice / (voices - 1)) * 2 - 1;
    const step = (hertz * (1 + detune * offset)) / sampleRate;
    let phase = (voice * 0.37) % 1;
    for (let index = 0; index < sound.length; index += 1) {
      phase += step;
      if (phase >= 1) phase -= 1;
      sound[index] = (sound[index] ?? 0) + (2 * phase - 1 - sawCornerCorrection(phase, step)) / voices;
    }
  }
  const cutoff = Math.min(hertz * brightness, sampleRate * 0.3);
  const share = 1 - Math.exp((-TURN * cutoff) / sampleRate);
  let first = 0;
  let second = 0;
  for (let index = 0; index < sound.length; index += 1) {
    first += share * ((sound[index] ?? 0) - first);
    second += share * (first - second);
    sound[index] = second * 1.3;
  }
  return shapeEnvelope(sound, tone, attackSeconds);
}

/** Rounds the edge of a saw wave to prevent aliasing. */
function sawCornerCorrection(phase: number, step: number): number {
  if (phase < step) {
    const near = phase / step;
    return near + near - near * near - 1;
  }
  if (phase > 1 - step) {
    const near = (phase - 1) / step;
    return near * near + near + near + 1;
  }
  return 0;
}

/** A sine with breath noise and a delayed vibrato. */
function blownTone(tone: Tone): Float32Array {
  const sound = toneBuffer(tone, 0.15);
  const { hertz, sampleRate } = tone;
  const random = randomOf(`breath ${hertz.toFixed(3)}`);
  let phase = 0;
  let breath = 0;
  for (let index = 0; index < sound.length; index += 1) {
    const seconds = index / sampleRate;
    const depth = 0.006 * Math.min(1, seconds / 0.5);
    phase += (hertz * (1 + depth * Math.sin(TURN * 5 * seconds))) / sampleRate;
    breath += 0.15 * (random.next() * 2 - 1 - breath);
    sound[index] = 0.8 * Math.sin(TURN * phase) + 0.16 * Math.sin(2 * TURN * phase) + 0.12 * breath;
  }
  return shapeEnvelope(sound, tone, 0.04);
}

interface DrumSound {
  seconds: number;
  /** Decay of the noise, in seconds; 0 for none. */
  noise: number;
  /** Share of the low frequencies that are removed from the noise. */
  bright: number;
  /** A pitched body: where it starts and ends, and its decay in seconds. */
  body: { from: number; to: number; decay: number; level: number } | null;
}

const DRUM_SOUNDS: Readonly<Record<Drum, DrumSound>> = {
  kick: { seconds: 0.35, noise: 0, bright: 0, body: { from: 158, to: 48, decay: 0.11, level: 1 } },
  snare: { seconds: 0.25, noise: 0.05, bright: 0.25, body: { from: 190, to: 185, decay: 0.05, level: 0.5 } },
  clap: { seconds: 0.25, noise: 0.06, bright: 0.4, body: null },
  hat: { seconds: 0.09, noise: 0.018, bright: 0.65, body: null },
  open: { seconds: 0.4, noise: 0.09, bright: 0.65, body: null },
  ride: { seconds: 0.7, noise: 0.14, bright: 0.8, body: { from: 5300, to: 5300, decay: 0.12, level: 0.12 } },
  rim: { seconds: 0.08, noise: 0.006, bright: 0.5, body: { from: 1700, to: 1650, decay: 0.015, level: 0.8 } },
  tom: { seconds: 0.4, noise: 0.012, bright: 0.3, body: { from: 150, to: 105, decay: 0.12, level: 0.9 } },
  shaker: { seconds: 0.1, noise: 0.025, bright: 0.55, body: null },
  crash: { seconds: 1.6, noise: 0.32, bright: 0.65, body: null },
};

export function playDrum(drum: Drum, sampleRate: number): Float32Array {
  const { seconds: length, noise: decay, bright, body } = DRUM_SOUNDS[drum];
  const sound = new Float32Array(Math.ceil(length * sampleRate));
  const random = randomOf(`drum ${drum}`);
  let low = 0;
  let phase = 0;
  for (let index = 0; index < sound.length; index += 1) {
    const seconds = index / sampleRate;
    let sample = 0;
    if (decay > 0) {
      const noise = random.next() * 2 - 1;
      low += bright * (noise - low);
      sample += 0.7 * (noise - low) * Math.exp(-seconds / decay);
    }
    if (body !== null) {
      phase += (body.to + (body.from - body.to) * Math.exp(-seconds / 0.03)) / sampleRate;
      sample += body.level * Math.sin(TURN * phase) * Math.exp(-seconds / body.decay);
    }
    sound[index] = sample;
  }
  return sound;
}
