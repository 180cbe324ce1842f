/**
 * Tells music without speech from everything else, without a model. Notes stand still for tenths of a second, and
 * partials of a voice move all the time; speech changes between vowels and hisses, music of held notes does not. Drums
 * alone are not recognised.
 */

const BLOCK_SECONDS = 1.6;

/** Samples of a spectrum, a power of two, and from one to the next. */
const SPECTRUM = 1024;

const HOP = 512;

/** Blocks that are looked at; those of longer sound lie apart. */
const BLOCKS_MAX = 400;

/** Fewer loud blocks show nothing. */
const BLOCKS_MIN = 5;

const LOUD_DB = -60;

/** Bands of a spectrum that are looked at, about 125 to 3900 Hz at 16 kHz. */
const BANDS = { from: 8, to: 250 };

/** A partial is this much above its neighbours, and at most this far below the loudest of its block. */
const PARTIAL_DB = 6;

const BELOW_LOUDEST_DB = 60;

const NEIGHBOURS = 10;

/** The share of a block's spectra that have its steadiest partials. */
const STEADY_SHARE = 0.85;

const STEADY_PARTIALS = 5;

/** Deviation of the share of samples at which the wave crosses zero, over frames of 20 ms. */
const CROSSINGS_DEVIATION_MAX = 0.08;

const FRAME_SECONDS = 0.02;

/** Other blocks that music may have. */
const OTHER_SHARE_MAX = 0.02;

/** Takes any portions of samples; keeps one block. */
export class SteadyTones {
  readonly #block: Float64Array;
  readonly #stride: number;
  readonly #frame: number;
  /** Blocks that are not music before the whole is none. */
  readonly #otherMax: number;
  #at = 0;
  #blocks = 0;
  #steady = 0;
  #other = 0;

  constructor(sampleRate: number, samples: number) {
    const size = Math.round(BLOCK_SECONDS * sampleRate);
    this.#block = new Float64Array(size);
    this.#frame = Math.round(FRAME_SECONDS * sampleRate);
    this.#stride = Math.max(1, Math.ceil(samples / size / BLOCKS_MAX));
    this.#otherMax = Math.max(1, (samples / size / this.#stride) * OTHER_SHARE_MAX);
  }

  addSoundPortion(portion: Int16Array): void {
    if (this.#other > this.#otherMax) return;
    for (let from = 0; from < portion.length; ) {
      const count = Math.min(portion.length - from, this.#block.length - this.#at);
      if (this.#blocks % this.#stride === 0) {
        for (let index = 0; index < count; index += 1) {
          this.#block[this.#at + index] = (portion[from + index] ?? 0) / 32768;
        }
      }
      this.#at += count;
      from += count;
      if (this.#at === this.#block.length) this.#closeToneBlock();
    }
  }

  /** Nearly all of the sound is music without speech. */
  get isMusic(): boolean {
    const blocks = this.#steady + this.#other;
    return blocks >= BLOCKS_MIN && this.#other <= Math.max(1, blocks * OTHER_SHARE_MAX);
  }

  #closeToneBlock(): void {
    if (this.#blocks % this.#stride === 0 && toneDecibels(meanSquare(this.#block)) > LOUD_DB) {
      const isSteady =
        crossingsDeviation(this.#block, this.#frame) < CROSSINGS_DEVIATION_MAX &&
        steadyShare(this.#block) >= STEADY_SHARE;
      if (isSteady) this.#steady += 1;
      else this.#other += 1;
    }
    this.#blocks += 1;
    this.#at = 0;
  }
}

/** The mean share of spectra in which the steadiest partials stand out. */
function steadyShare(block: Float64Array): number {
  const spectra: Float64Array[] = [];
  for (let from = 0; from + SPECTRUM <= block.length; from += HOP) spectra.push(bandLevels(block, from));
  const loudest = Math.max(...spectra.map((spectrum) => Math.max(...spectrum)));
  const counts = new Uint16Array(BANDS.to);
  const sums = new Float64Array(BANDS.to + NEIGHBOURS + 2);
  for (const spectrum of spectra) {
    for (const [band, level] of spectrum.entries()) sums[band + 1] = (sums[band] ?? 0) + level;
    for (let band = BANDS.from; band < BANDS.to; band += 1) {
      const [first, next] = [Math.max(0, band - NEIGHBOURS), band + NEIGHBOURS + 1];
      const mean = ((sums[next] ?? 0) - (sums[first] ?? 0)) / (next - first);
      const level = spectrum[band] ?? 0;
      if (level - mean > PARTIAL_DB && level > loudest - BELOW_LOUDEST_DB) {
        counts[band] = (counts[band] ?? 0) + 1;
      }
    }
  }
  const most = counts.sort().subarray(-STEADY_PARTIALS);
  return most.reduce((sum, count) => sum + count, 0) / STEADY_PARTIALS / spectra.length;
}

const WINDOW = Float64Array.from({ length: SPECTRUM }, (_, index) => {
  return 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / (SPECTRUM - 1));
});

/** Levels of the bands in decibels. */
function bandLevels(block: Float64Array, from: number): Float64Array {
  const real = new Float64Array(SPECTRUM);
  const imaginary = new Float64Array(SPECTRUM);
  for (let index = 0; index < SPECTRUM; index += 1) {
    real[index] = (block[from + index] ?? 0) * (WINDOW[index] ?? 0);
  }
  fourierTransform(real, imaginary);
  const spectrum = new Float64Array(BANDS.to + NEIGHBOURS + 1);
  for (let band = 0; band < spectrum.length; band += 1) {
    spectrum[band] = toneDecibels((real[band] ?? 0) ** 2 + (imaginary[band] ?? 0) ** 2);
  }
  return spectrum;
}

const ANGLES = Float64Array.from({ length: SPECTRUM / 2 }, (_, index) => (-2 * Math.PI * index) / SPECTRUM);

const COSINES = ANGLES.map(Math.cos);

const SINES = ANGLES.map(Math.sin);

/** The fast Fourier transform of real samples, in place (radix 2). `imaginary` is zero before. */
function fourierTransform(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  for (let index = 1, other = 0; index < size; index += 1) {
    let bit = size >> 1;
    for (; (other & bit) !== 0; bit >>= 1) other ^= bit;
    other ^= bit;
    if (index >= other) continue;
    const kept = real[index] ?? 0;
    real[index] = real[other] ?? 0;
    real[other] = kept;
  }
  for (let length = 2; length <= size; length *= 2) {
    const [half, stride] = [length / 2, size / length];
    for (let step = 0; step < half; step += 1) {
      const cosine = COSINES[step * stride] ?? 0;
      const sine = SINES[step * stride] ?? 0;
      for (let first = step; first < size; first += length) {
        const second = first + half;
        const x = real[second] ?? 0;
        const y = imaginary[second] ?? 0;
        const a = x * cosine - y * sine;
        const b = x * sine + y * cosine;
        real[second] = (real[first] ?? 0) - a;
        imaginary[second] = (imaginary[first] ?? 0) - b;
        real[first] = (real[first] ?? 0) + a;
        imaginary[first] = (imaginary[first] ?? 0) + b;
      }
    }
  }
}

function crossingsDeviation(block: Float64Array, frame: number): number {
  const shares: number[] = [];
  for (let from = 0; from + frame <= block.length; from += frame) {
    let crossings = 0;
    for (let index = from + 1; index < from + frame; index += 1) {
      if (Math.sign(block[index] ?? 0) !== Math.sign(block[index - 1] ?? 0)) crossings += 1;
    }
    shares.push(crossings / (frame - 1));
  }
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return Math.sqrt(shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / shares.length);
}

function meanSquare(block: Float64Array): number {
  return block.reduce((sum, sample) => sum + sample * sample, 0) / block.length;
}

function toneDecibels(power: number): number {
  return 10 * Math.log10(power + 1e-12);
}
