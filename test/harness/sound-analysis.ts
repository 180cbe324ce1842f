/** Measures what a sound is like: its spectrum, its attacks, its tempo and its key. */

import type { Sound } from '../../workers/audio/sound.ts';

const SIZE = 2048;

/** A fast Fourier transform in place, of a power of two. */
function transform(real: Float64Array, imaginary: Float64Array): void {
  const { length } = real;
  for (let index = 1, reversed = 0; index < length; index += 1) {
    let bit = length >> 1;
    for (; reversed & bit; bit >>= 1) reversed ^= bit;
    reversed ^= bit;
    if (index < reversed) {
      [real[index], real[reversed]] = [real[reversed] as number, real[index] as number];
      [imaginary[index], imaginary[reversed]] = [imaginary[reversed] as number, imaginary[index] as number];
    }
  }
  for (let size = 2; size <= length; size *= 2) {
    const angle = (-2 * Math.PI) / size;
    for (let start = 0; start < length; start += size) {
      for (let at = 0; at < size / 2; at += 1) {
        const [cosine, sine] = [Math.cos(angle * at), Math.sin(angle * at)];
        const [low, high] = [start + at, start + at + size / 2];
        const re = (real[high] as number) * cosine - (imaginary[high] as number) * sine;
        const im = (real[high] as number) * sine + (imaginary[high] as number) * cosine;
        real[high] = (real[low] as number) - re;
        imaginary[high] = (imaginary[low] as number) - im;
        real[low] = (real[low] as number) + re;
        imaginary[low] = (imaginary[low] as number) + im;
      }
    }
  }
}

/** Magnitudes of frames of `size` samples, `hop` apart. */
export function framesOf(samples: Float32Array, size = SIZE, hop = size / 2): Float64Array[] {
  const frames: Float64Array[] = [];
  for (let start = 0; start + size <= samples.length; start += hop) {
    const real = Float64Array.from({ length: size }, (_, at) => {
      return (samples[start + at] as number) * (0.5 - 0.5 * Math.cos((2 * Math.PI * at) / size));
    });
    const imaginary = new Float64Array(size);
    transform(real, imaginary);
    frames.push(
      Float64Array.from({ length: size / 2 }, (_, bin) => Math.hypot(real[bin] as number, imaginary[bin] as number)),
    );
  }
  return frames;
}

export function mono({ channels }: Sound): Float32Array {
  const [left = new Float32Array(), right = left] = channels;
  return left.map((sample, at) => (sample + (right[at] ?? 0)) / 2);
}

export function spectrumOf(sound: Sound): { centroid: number; peakHertz: number } {
  const size = 8192;
  const frames = framesOf(mono(sound), size);
  const mean = Float64Array.from({ length: size / 2 }, (_, bin) =>
    frames.reduce((sum, frame) => sum + (frame[bin] as number), 0),
  );
  const hertz = sound.sampleRate / size;
  const total = mean.reduce((sum, value) => sum + value, 0);
  return {
    centroid: mean.reduce((sum, value, bin) => sum + value * bin * hertz, 0) / total,
    peakHertz: mean.indexOf(Math.max(...mean)) * hertz,
  };
}

/** Octaves from 60 Hz. */
const BANDS = 8;

/** The level of each octave in decibels, its fluctuation, and the rate of attacks; of comparable weight. */
export function features(sound: Sound): number[] {
  const frames = framesOf(mono(sound), 1024);
  const hertz = sound.sampleRate / 1024;
  const bands = frames.map((frame) => {
    const levels = new Array<number>(BANDS).fill(1e-9);
    for (let bin = 1; bin < frame.length; bin += 1) {
      const band = Math.floor(Math.log2((bin * hertz) / 60));
      if (band >= 0 && band < BANDS) levels[band] = (levels[band] as number) + (frame[bin] as number) ** 2;
    }
    return levels;
  });
  const total = bands.flat().reduce((sum, value) => sum + value, 0);
  const shares = Array.from({ length: BANDS }, (_, band) => {
    return Math.max(-4, Math.log10(bands.reduce((sum, levels) => sum + (levels[band] as number), 0) / total));
  });
  const swings = Array.from({ length: BANDS }, (_, band) => {
    const levels = bands.map((all) => Math.log10(all[band] as number));
    const mean = levels.reduce((sum, level) => sum + level, 0) / levels.length;
    return Math.min(2, Math.sqrt(levels.reduce((sum, level) => sum + (level - mean) ** 2, 0) / levels.length));
  });
  return [...shares, ...swings];
}

/** How much each moment is brighter or louder than the one before. */
export function onsetsOf(samples: Float32Array, sampleRate: number, hopSeconds = 0.01): Float32Array {
  const hop = Math.round(hopSeconds * sampleRate);
  const frames = framesOf(samples, 1024, hop);
  let before: Float64Array | null = null;
  return Float32Array.from(frames, (frame) => {
    const last = before;
    before = frame;
    if (last === null) return 0;
    return frame.reduce(
      (sum, value, bin) => sum + Math.max(0, Math.log1p(value * 20) - Math.log1p((last[bin] as number) * 20)),
      0,
    );
  });
}

/** The tempo near which the onsets repeat, between `low` and `high` beats per minute. */
export function tempoOf(sound: Sound, low: number, high: number): number {
  const strength = onsetsOf(mono(sound), sound.sampleRate);
  const mean = strength.reduce((sum, value) => sum + value, 0) / strength.length;
  const even = strength.map((value) => value - mean);
  // Frames have a whole number of samples.
  const framesPerSecond = sound.sampleRate / Math.round(0.01 * sound.sampleRate);
  let best = { tempo: 0, score: Number.NEGATIVE_INFINITY };
  for (let tempo = low; tempo <= high; tempo += 0.1) {
    let score = 0;
    for (const beats of [1, 2, 4, 8]) score += correlationAt(even, (60 / tempo) * beats * framesPerSecond);
    if (score > best.score) best = { tempo, score };
  }
  return best.tempo;
}

function correlationAt(values: Float32Array, lag: number): number {
  const whole = Math.floor(lag);
  const share = lag - whole;
  let sum = 0;
  for (let at = 0; at + whole + 1 < values.length; at += 1) {
    const later = (values[at + whole] as number) * (1 - share) + (values[at + whole + 1] as number) * share;
    sum += (values[at] as number) * later;
  }
  return sum / Math.max(1, values.length - lag);
}

const NOTES = ['C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B'];

/** How well each pitch class fits a key, from experiments of Krumhansl and Kessler. */
const PROFILES = {
  major: [6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88],
  minor: [6.33, 2.68, 3.52, 5.38, 2.6, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17],
};

/** The key whose profile fits the pitch classes best, such as `D minor`. */
export function keyOf(sound: Sound): string {
  const size = 8192;
  const chroma = new Array<number>(12).fill(0);
  for (const frame of framesOf(mono(sound), size)) {
    for (let bin = 1; bin < frame.length; bin += 1) {
      const hertz = (bin * sound.sampleRate) / size;
      if (hertz < 110 || hertz > 1800) continue;
      const peak = frame[bin] as number;
      // Only peaks: a drum's noise has none.
      if (peak < (frame[bin - 1] as number) || peak < (frame[bin + 1] ?? 0)) continue;
      const pitch = Math.round(69 + 12 * Math.log2(hertz / 440));
      chroma[((pitch % 12) + 12) % 12] = (chroma[((pitch % 12) + 12) % 12] as number) + Math.sqrt(peak);
    }
  }
  let best = { key: '', score: -2 };
  for (const [mode, profile] of Object.entries(PROFILES)) {
    for (let tonic = 0; tonic < 12; tonic += 1) {
      const score = pearson(
        chroma,
        profile.map((_, at) => profile[(at - tonic + 12) % 12] as number),
      );
      if (score > best.score) best = { key: `${NOTES[tonic]} ${mode}`, score };
    }
  }
  return best.key;
}

function pearson(one: readonly number[], other: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [a, b] = [mean(one), mean(other)];
  let [product, first, second] = [0, 0, 0];
  for (const [at, value] of one.entries()) {
    const [x, y] = [value - a, (other[at] as number) - b];
    product += x * y;
    first += x * x;
    second += y * y;
  }
  return product / Math.sqrt(first * second);
}
