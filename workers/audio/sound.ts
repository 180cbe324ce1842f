/** Sound in memory: one array per channel, samples from -1 to 1. */
export interface Sound {
  channels: Float32Array[];
  sampleRate: number;
}

export function lengthOf(sound: Sound): number {
  return sound.channels[0]?.length ?? 0;
}

export function secondsOf(sound: Sound): number {
  return lengthOf(sound) / sound.sampleRate;
}

/** Fades in and out, in place, so that the ends do not click. */
export function fadeEnds(sound: Sound, inSeconds: number, outSeconds: number): void {
  const length = lengthOf(sound);
  const rising = Math.min(length, Math.round(inSeconds * sound.sampleRate));
  const falling = Math.min(length, Math.round(outSeconds * sound.sampleRate));
  for (const channel of sound.channels) {
    for (let index = 0; index < rising; index += 1) channel[index] = (channel[index] ?? 0) * (index / rising);
    for (let index = 0; index < falling; index += 1) {
      const at = length - 1 - index;
      channel[at] = (channel[at] ?? 0) * (index / falling);
    }
  }
}

/** Taps on each side of a sample. */
const HALF_TAPS = 12;

/** The same sound at a higher rate, by a windowed sinc. */
export function resampled(sound: Sound, sampleRate: number): Sound {
  if (sound.sampleRate === sampleRate) return sound;
  const step = sound.sampleRate / sampleRate;
  const length = Math.round(lengthOf(sound) / step);
  const channels = sound.channels.map((channel) =>
    Float32Array.from({ length }, (_, index) => {
      const at = index * step;
      const first = Math.floor(at) - HALF_TAPS + 1;
      let sum = 0;
      for (let tap = first; tap < first + 2 * HALF_TAPS; tap += 1) {
        const distance = at - tap;
        const sinc = distance === 0 ? 1 : Math.sin(Math.PI * distance) / (Math.PI * distance);
        const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / HALF_TAPS);
        sum += (channel[tap] ?? 0) * sinc * window;
      }
      return sum;
    }),
  );
  return { channels, sampleRate };
}
