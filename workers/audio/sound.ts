/** Sound in memory: one array per channel, samples from -1 to 1. */
export interface Sound {
  channels: Float32Array[];
  sampleRate: number;
}

export function lengthOf(sound: Sound): number {
  return sound.channels[0]?.length ?? 0;
}

export function soundLengthSeconds(sound: Sound): number {
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
