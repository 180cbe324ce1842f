/** Loudness according to ITU-R BS.1770-4 and EBU Tech 3342; true peak by fourfold oversampling. */

import { lengthOf, type Sound } from './sound.ts';

const BLOCK_SECONDS = 0.4;
const STEP_SECONDS = 0.1;
const ABSOLUTE_GATE_LUFS = -70;
const RELATIVE_GATE_LU = -10;
const RANGE_SECONDS = 3;
const RANGE_GATE_LU = -20;
const OVERSAMPLING = 4;
/** Shorter filters miss up to 1.6 dB of peaks near half the sample rate, such as those of crackling. */
const TAPS_PER_PHASE = 96;

export interface Loudness {
  /** Null if the sound is too short or too quiet to measure. */
  integratedLufs: number | null;
  loudnessRangeLu: number | null;
  /** Null for silence. */
  truePeakDbtp: number | null;
  rmsDbfs: number | null;
}

interface Biquad {
  b: [number, number, number];
  a: [number, number];
}

const BLOCK_STEPS = Math.round(BLOCK_SECONDS / STEP_SECONDS);

/** In LUFS; null if the sound is too short or too quiet to measure. */
export function integratedLoudness(sound: Sound): number | null {
  return gatedLoudness(windowedMeans(stepEnergies(sound), BLOCK_STEPS));
}

export function measureLoudness(sound: Sound): Loudness {
  const energies = stepEnergies(sound);
  return {
    integratedLufs: gatedLoudness(windowedMeans(energies, BLOCK_STEPS)),
    loudnessRangeLu: loudnessRangeOf(windowedMeans(energies, Math.round(RANGE_SECONDS / STEP_SECONDS))),
    truePeakDbtp: amplitudeToDecibels(truePeak(sound)),
    rmsDbfs: amplitudeToDecibels(rootMeanSquare(sound)),
  };
}

/** The two K-weighting filters for any sample rate, derived from their analogue form. */
function kWeightingFilters(sampleRate: number): [Biquad, Biquad] {
  const shelfK = Math.tan((Math.PI * 1681.974450955533) / sampleRate);
  const shelfQ = 0.7071752369554196;
  const high = 10 ** (3.999843853973347 / 20);
  const band = high ** 0.4996667741545416;
  const shelf0 = 1 + shelfK / shelfQ + shelfK * shelfK;
  const passK = Math.tan((Math.PI * 38.13547087602444) / sampleRate);
  const passQ = 0.5003270373238773;
  const pass0 = 1 + passK / passQ + passK * passK;
  return [
    {
      b: [
        (high + (band * shelfK) / shelfQ + shelfK * shelfK) / shelf0,
        (2 * (shelfK * shelfK - high)) / shelf0,
        (high - (band * shelfK) / shelfQ + shelfK * shelfK) / shelf0,
      ],
      a: [(2 * (shelfK * shelfK - 1)) / shelf0, (1 - shelfK / shelfQ + shelfK * shelfK) / shelf0],
    },
    { b: [1, -2, 1], a: [(2 * (passK * passK - 1)) / pass0, (1 - passK / passQ + passK * passK) / pass0] },
  ];
}

/** Weighted energy of each tenth of a second, summed over the channels. */
function stepEnergies({ channels, sampleRate }: Sound): Float64Array {
  const step = Math.round(STEP_SECONDS * sampleRate);
  const count = Math.floor((channels[0]?.length ?? 0) / step);
  const energies = new Float64Array(count);
  for (const channel of channels) addEnergies(channel, kWeightingFilters(sampleRate), step, energies);
  return energies;
}

function addEnergies(
  channel: Float32Array,
  [shelf, pass]: [Biquad, Biquad],
  step: number,
  energies: Float64Array,
): void {
  const [b0, b1, b2] = shelf.b;
  const [a1, a2] = shelf.a;
  const [d1, d2] = pass.a;
  let x1 = 0;
  let x2 = 0;
  let y1 = 0;
  let y2 = 0;
  let z1 = 0;
  let z2 = 0;
  for (let block = 0; block < energies.length; block += 1) {
    let sum = 0;
    const end = (block + 1) * step;
    for (let index = block * step; index < end; index += 1) {
      const x = channel[index] ?? 0;
      const y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
      // The second filter's numerator is 1, -2, 1.
      const z = y - 2 * y1 + y2 - d1 * z1 - d2 * z2;
      x2 = x1;
      x1 = x;
      y2 = y1;
      y1 = y;
      z2 = z1;
      z1 = z;
      sum += z * z;
    }
    energies[block] = (energies[block] ?? 0) + sum / step;
  }
}

/** Mean energy of every run of `steps` adjacent steps. */
function windowedMeans(energies: Float64Array, steps: number): number[] {
  const means: number[] = [];
  let sum = 0;
  for (const [index, energy] of energies.entries()) {
    sum += energy;
    if (index >= steps) sum -= energies[index - steps] ?? 0;
    if (index >= steps - 1) means.push(Math.max(0, sum) / steps);
  }
  return means;
}

function gatedLoudness(blocks: readonly number[]): number | null {
  const audible = blocks.filter((energy) => energyToLufs(energy) > ABSOLUTE_GATE_LUFS);
  if (audible.length === 0) return null;
  const gate = energyToLufs(meanEnergy(audible)) + RELATIVE_GATE_LU;
  const counted = audible.filter((energy) => energyToLufs(energy) > gate);
  return energyToLufs(meanEnergy(counted));
}

function loudnessRangeOf(blocks: readonly number[]): number | null {
  const audible = blocks.filter((energy) => energyToLufs(energy) > ABSOLUTE_GATE_LUFS);
  if (audible.length === 0) return null;
  const gate = energyToLufs(meanEnergy(audible)) + RANGE_GATE_LU;
  const levels = audible.map(energyToLufs).filter((level) => level > gate);
  levels.sort((one, other) => one - other);
  const loudnessPercentile = (share: number) => levels[Math.round((levels.length - 1) * share)] ?? 0;
  return loudnessPercentile(0.95) - loudnessPercentile(0.1);
}

const energyToLufs = (energy: number) => -0.691 + 10 * Math.log10(energy);
const meanEnergy = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function amplitudeToDecibels(amplitude: number): number | null {
  return amplitude > 0 ? 20 * Math.log10(amplitude) : null;
}

function rootMeanSquare(sound: Sound): number {
  let sum = 0;
  for (const channel of sound.channels) {
    for (let index = 0; index < channel.length; index += 1) sum += (channel[index] ?? 0) ** 2;
  }
  const count = lengthOf(sound) * sound.channels.length;
  return count === 0 ? 0 : Math.sqrt(sum / count);
}

const PHASES = sincInterpolator();

/** A windowed sinc, one row per position between two samples. */
function sincInterpolator(): Float64Array[] {
  const half = TAPS_PER_PHASE / 2;
  return Array.from({ length: OVERSAMPLING - 1 }, (_, phase) => {
    const offset = (phase + 1) / OVERSAMPLING;
    const taps = Float64Array.from({ length: TAPS_PER_PHASE }, (_tap, index) => {
      const distance = index - (half - 1) - offset;
      const sinc = Math.sin(Math.PI * distance) / (Math.PI * distance);
      return sinc * (0.5 + 0.5 * Math.cos((Math.PI * distance) / half));
    });
    const sum = taps.reduce((total, tap) => total + tap, 0);
    return taps.map((tap) => tap / sum);
  });
}

/** The peak of the interpolated wave. Skips stretches that cannot reach it. */
export function truePeak({ channels }: Sound): number {
  let peak = 0;
  for (const channel of channels) {
    for (let index = 0; index < channel.length; index += 1) peak = Math.max(peak, Math.abs(channel[index] ?? 0));
  }
  // In practice the wave exceeds its samples by at most 6 dB, so quieter places are skipped.
  const floor = peak / 2;
  for (const channel of channels) {
    for (let index = 0; index < channel.length - 1; index += 1) {
      if (Math.abs(channel[index] ?? 0) < floor && Math.abs(channel[index + 1] ?? 0) < floor) continue;
      for (const taps of PHASES) peak = Math.max(peak, Math.abs(interpolateSample(channel, index, taps)));
    }
  }
  return peak;
}

/** The true peak of a sound that comes in blocks. */
export class TruePeakMeter {
  #tails: Float32Array[] = [];
  #peak = 0;

  addBlock(block: readonly Float32Array[]): void {
    const joined = block.map((samples, channel) => {
      const tail = this.#tails[channel] ?? new Float32Array(0);
      const both = new Float32Array(tail.length + samples.length);
      both.set(tail);
      both.set(samples, tail.length);
      return both;
    });
    this.#tails = joined.map((samples) => samples.slice(-TAPS_PER_PHASE));
    this.#peak = Math.max(this.#peak, truePeak({ channels: joined, sampleRate: 1 }));
  }

  /** In dBTP; minus infinity for silence. */
  peakDb(): number {
    return amplitudeToDecibels(this.#peak) ?? Number.NEGATIVE_INFINITY;
  }
}

/** The wave between samples `index` and `index + 1`. */
export function interpolateSample(channel: Float32Array, index: number, taps: Float64Array): number {
  const first = index - TAPS_PER_PHASE / 2 + 1;
  let sum = 0;
  for (let tap = 0; tap < TAPS_PER_PHASE; tap += 1) sum += (channel[first + tap] ?? 0) * (taps[tap] ?? 0);
  return sum;
}

/**
 * The peak of the wave around each sample: the sample itself and the interpolated places before the next one.
 * Interpolation is skipped where the samples are below `quiet`.
 */
export function peakEnvelope({ channels }: Sound, quiet: number): Float32Array {
  const envelope = new Float32Array(channels[0]?.length ?? 0);
  for (const channel of channels) {
    for (let index = 0; index < channel.length; index += 1) {
      let peak = Math.abs(channel[index] ?? 0);
      const next = Math.abs(channel[index + 1] ?? 0);
      if (peak > quiet || next > quiet) {
        for (const taps of PHASES) peak = Math.max(peak, Math.abs(interpolateSample(channel, index, taps)));
      }
      if (peak > (envelope[index] ?? 0)) envelope[index] = peak;
    }
  }
  return envelope;
}
