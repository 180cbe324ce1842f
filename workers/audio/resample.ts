/** Zero crossings of the sinc on each side. */
const REACH = 16;

/** Longest repetition looked for; from 16 to 44.1 kHz it is 441. */
const PERIOD_MAX = 640;

/** In samples. */
const TOLERANCE = 1e-9;

/**
 * Changes the number of samples by a factor with a windowed sinc, below the lower of both half rates. Used between
 * sample rates, and for the pitch: the same samples played at another rate.
 */
export function resampleSound(samples: Float32Array, factor: number): Float32Array {
  if (factor === 1) return samples;
  const result = new Float32Array(Math.round(samples.length * factor));
  const cutoff = Math.min(1, factor);
  const reach = Math.ceil(REACH / cutoff);
  const weights = new Float64Array(2 * reach + 1);
  const { period, steps } = repetitionOf(factor) ?? { period: result.length, steps: 0 };
  for (let phase = 0; phase < Math.min(period, result.length); phase += 1) {
    const at = phase / factor;
    let middle = Math.floor(at + TOLERANCE);
    for (let tap = 0; tap < weights.length; tap += 1) {
      weights[tap] = cutoff * windowedSincKernel((tap - reach - (at - middle)) * cutoff);
    }
    for (let index = phase; index < result.length; index += period) {
      result[index] = weightedSampleSum(samples, middle - reach, weights);
      middle += steps;
    }
  }
  return result;
}

/** After `period` results and `steps` samples, results lie between samples as before; null if that is far. */
function repetitionOf(factor: number): { period: number; steps: number } | null {
  for (let period = 1; period <= PERIOD_MAX; period += 1) {
    const steps = Math.round(period / factor);
    if (Math.abs(period / factor - steps) < TOLERANCE) return { period, steps };
  }
  return null;
}

function weightedSampleSum(samples: Float32Array, first: number, weights: Float64Array): number {
  let sum = 0;
  const last = Math.min(weights.length, samples.length - first);
  for (let tap = Math.max(0, -first); tap < last; tap += 1) {
    sum += (samples[first + tap] ?? 0) * (weights[tap] ?? 0);
  }
  return sum;
}

function windowedSincKernel(distance: number): number {
  if (distance === 0) return 1;
  if (Math.abs(distance) > REACH) return 0;
  const angle = Math.PI * distance;
  return (Math.sin(angle) / angle) * (0.5 + 0.5 * Math.cos(angle / REACH));
}
