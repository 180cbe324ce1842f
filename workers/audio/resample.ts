/** Zero crossings of the sinc on each side. */
const REACH = 16;

/**
 * Changes the number of samples by a factor with a windowed sinc, below the lower of both half rates. Used between
 * sample rates, and for the pitch: the same samples played at another rate.
 */
export function resample(samples: Float32Array, factor: number): Float32Array {
  if (factor === 1) return samples;
  const length = Math.round(samples.length * factor);
  const result = new Float32Array(length);
  const cutoff = Math.min(1, factor);
  const reach = REACH / cutoff;
  for (let index = 0; index < length; index += 1) {
    const at = index / factor;
    const first = Math.max(0, Math.ceil(at - reach));
    const last = Math.min(samples.length - 1, Math.floor(at + reach));
    let sum = 0;
    for (let near = first; near <= last; near += 1) sum += (samples[near] as number) * kernel((near - at) * cutoff);
    result[index] = sum * cutoff;
  }
  return result;
}

function kernel(distance: number): number {
  if (distance === 0) return 1;
  const angle = Math.PI * distance;
  return (Math.sin(angle) / angle) * (0.5 + 0.5 * Math.cos(angle / REACH));
}
