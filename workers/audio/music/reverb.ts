import type { Sound } from '../sound.ts';

/** Schroeder reverb: feedback echoes through all-pass filters, with different lengths on each side for width. */
const COMBS_SECONDS = [0.0297, 0.0371, 0.0411, 0.0437];

const ALL_PASSES_SECONDS = [0.005, 0.0017];

const FEEDBACK = 0.78;

const DAMPING = 0.35;

const ALL_PASS_GAIN = 0.5;

/** Factor on the echo lengths of the right side. */
const SPREAD = 1.037;

/** Adds the reverb of `send` to both channels, in place. */
export function addReverb({ channels, sampleRate }: Sound, send: Float32Array): void {
  for (const [side, channel] of channels.entries()) {
    const scale = sampleRate * (side === 0 ? 1 : SPREAD);
    const wet = new Float32Array(send.length);
    for (const seconds of COMBS_SECONDS) applyCombFilter(send, wet, Math.round(seconds * scale));
    for (const seconds of ALL_PASSES_SECONDS) allPass(wet, Math.round(seconds * scale));
    for (let index = 0; index < channel.length; index += 1) {
      channel[index] = (channel[index] ?? 0) + (wet[index] ?? 0) / COMBS_SECONDS.length;
    }
  }
}

function applyCombFilter(input: Float32Array, output: Float32Array, size: number): void {
  const line = new Float32Array(size);
  let position = 0;
  let dull = 0;
  for (let index = 0; index < input.length; index += 1) {
    const echo = line[position] ?? 0;
    dull += (1 - DAMPING) * (echo - dull);
    line[position] = (input[index] ?? 0) + dull * FEEDBACK;
    output[index] = (output[index] ?? 0) + echo;
    position = position + 1 === size ? 0 : position + 1;
  }
}

function allPass(sound: Float32Array, size: number): void {
  const line = new Float32Array(size);
  let position = 0;
  for (let index = 0; index < sound.length; index += 1) {
    const echo = line[position] ?? 0;
    const mixed = (sound[index] ?? 0) + echo * ALL_PASS_GAIN;
    line[position] = mixed;
    sound[index] = echo - mixed * ALL_PASS_GAIN;
    position = position + 1 === size ? 0 : position + 1;
  }
}
