import type { Drum } from './compose.ts';
import type { Instrument } from './genres.ts';
import { randomOf } from './random.ts';

/** Each instrument renders one note with a simple synthesiser. One channel, peak near 1. */

const TURN = 2 * Math.PI;
/** Longest release of a note. */
const RELEASE_SECONDS = 0.35;

export interface Tone {
  hertz: number;
  seconds: number;
  sampleRate: number;
}

export function playNote(instrument: Instrument, tone: Tone): Float32Array {
  switch (instrument) {
    case 'piano':
      return additive(tone, [1, 0.55, 0.3, 0.18, 0.1, 0.06], 1.6, 0.0004);
    case 'electric piano':
      return modulated(tone, { ratio: 1, depth: 1.4, decaySeconds: 1.2, depthDecaySeconds: 0.35 });
    case 'bells':
      return modulated(tone, { ratio: 3.5, depth: 1.6, decaySeconds: 1.4, depthDecaySeconds: 0.6 });
    case 'marimba':
      return modulated(tone, { ratio: 4, depth: 0.8, decaySeconds: 0.35, depthDecaySeconds: 0.05 });
    case 'guitar':
      return plucked(tone, 0.996, 0.5);
    case 'harp':
      return plucked(tone, 0.9985, 0.35);
    case 'strings':
      return bowed(tone, { voices: 5, detune: 0.004, brightness: 5, attackSeconds: 0.09 });
    case 'pad':
      return bowed(tone, { voices: 4, detune: 0.007, brightness: 3, attackSeconds: 0.18 });
    case 'synth lead':
      return bowed(tone, { voices: 2, detune: 0.003, brightness: 8, attackSeconds: 0.008 });
    case 'synth bass':
      return bowed(tone, { voices: 2, detune: 0.002, brightness: 6, attackSeconds: 0.004 });
    case 'organ':
      return additive(tone, [1, 0.8, 0.5, 0.4, 0, 0.2, 0, 0.25], 0, 0);
    case 'flute':
      return blown(tone);
    case 'bass':
      return plucked(tone, 0.997, 0.25);
  }
}

/** Relative loudness of the instruments. */
export const BALANCE: Readonly<Record<Instrument, number>> = {
  piano: 0.5,
  'electric piano': 0.55,
  guitar: 0.6,
  harp: 0.6,
  strings: 0.42,
  pad: 0.4,
  flute: 0.5,
  bells: 0.4,
  marimba: 0.6,
  organ: 0.25,
  'synth lead': 0.4,
  bass: 1.1,
  'synth bass': 0.75,
};

function frames({ seconds, sampleRate }: Tone, releaseSeconds = RELEASE_SECONDS): Float32Array {
  return new Float32Array(Math.max(1, Math.ceil((seconds + releaseSeconds) * sampleRate)));
}

/** Applies the attack and the release, in place. */
function shape(sound: Float32Array, { seconds, sampleRate }: Tone, attackSeconds: number): Float32Array {
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
function additive(tone: Tone, partials: readonly number[], decaySeconds: number, stiffness: number): Float32Array {
  const sound = frames(tone);
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
  return shape(sound, tone, 0.003);
}

interface Modulation {
  ratio: number;
  depth: number;
  decaySeconds: number;
  depthDecaySeconds: number;
}

/** Frequency modulation: bells, mallets, electric pianos. */
function modulated(tone: Tone, { ratio, depth, decaySeconds, depthDecaySeconds }: Modulation): Float32Array {
  const sound = frames(tone);
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
  return shape(sound, tone, 0.002);
}

/** Karplus-Strong string: noise in a delay line, low-pass filtered on each pass. */
function plucked(tone: Tone, keep: number, softness: number): Float32Array {
  const sound = frames(tone);
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
  return shape(sound, tone, 0.001);
}

interface Bowing {
  voices: number;
  detune: number;
  /** Cutoff of the filter, in multiples of the pitch. */
  brightness: number;
  attackSeconds: number;
}

/** Detuned saw waves behind a filter. */
function bowed(tone: Tone, { voices, detune, brightness, attackSeconds }: Bowing): Float32Array {
  const sound = frames(tone);
  const { hertz, sampleRate } = tone;
  for (let voice = 0; voice < voices; voice += 1) {
    const offset = voices === 1 ? 0 : (voice / (voices - 1)) * 2 - 1;
    const step = (hertz * (1 + detune * offset)) / sampleRate;
    let phase = (voice * 0.37) % 1;
    for (let index = 0; index < sound.length; index += 1) {
      phase += step;
      if (phase >= 1) phase -= 1;
      sound[index] = (sound[index] ?? 0) + (2 * phase - 1 - corner(phase, step)) / voices;
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
  return shape(sound, tone, attackSeconds);
}

/** Rounds the edge of a saw wave to prevent aliasing. */
function corner(phase: number, step: number): number {
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
function blown(tone: Tone): Float32Array {
  const sound = frames(tone, 0.15);
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
  return shape(sound, tone, 0.04);
}

const DRUM_SECONDS: Readonly<Record<Drum, number>> = { kick: 0.35, snare: 0.25, hat: 0.09, crash: 1.6 };

export function playDrum(drum: Drum, sampleRate: number): Float32Array {
  const sound = new Float32Array(Math.ceil(DRUM_SECONDS[drum] * sampleRate));
  const random = randomOf(`drum ${drum}`);
  if (drum === 'kick') return kick(sound, sampleRate);
  const decay = DRUM_SECONDS[drum] / 5;
  let low = 0;
  for (let index = 0; index < sound.length; index += 1) {
    const seconds = index / sampleRate;
    const noise = random.next() * 2 - 1;
    low += (drum === 'snare' ? 0.25 : 0.65) * (noise - low);
    const hiss = (noise - low) * Math.exp(-seconds / decay);
    const body = drum === 'snare' ? 0.6 * Math.sin(TURN * 185 * seconds) * Math.exp(-seconds / 0.06) : 0;
    sound[index] = 0.7 * hiss + body;
  }
  return sound;
}

function kick(sound: Float32Array, sampleRate: number): Float32Array {
  let phase = 0;
  for (let index = 0; index < sound.length; index += 1) {
    const seconds = index / sampleRate;
    phase += (48 + 110 * Math.exp(-seconds / 0.03)) / sampleRate;
    sound[index] = Math.sin(TURN * phase) * Math.exp(-seconds / 0.11);
  }
  return sound;
}
