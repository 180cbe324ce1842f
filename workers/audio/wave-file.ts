import { lengthOf, type Sound } from './sound.ts';

const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;
const FULL_SCALE = 32_767;

/** RIFF, 16 bits. `clipped` counts samples that had to be cut off at full scale. */
export function encodeWave(sound: Sound): { bytes: Uint8Array; clipped: number } {
  const { channels, sampleRate } = sound;
  const length = lengthOf(sound);
  const frameBytes = channels.length * BYTES_PER_SAMPLE;
  const dataBytes = length * frameBytes;
  const bytes = new Uint8Array(HEADER_BYTES + dataBytes);
  const view = new DataView(bytes.buffer);
  const put = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
  put(0, 'RIFF');
  view.setUint32(4, HEADER_BYTES - 8 + dataBytes, true);
  put(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, channels.length, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * frameBytes, true);
  view.setUint16(32, frameBytes, true);
  view.setUint16(34, BYTES_PER_SAMPLE * 8, true);
  put(36, 'data');
  view.setUint32(40, dataBytes, true);
  let clipped = 0;
  for (const [number, channel] of channels.entries()) {
    for (let index = 0; index < length; index += 1) {
      const sample = channel[index] ?? 0;
      if (Math.abs(sample) > 1) clipped += 1;
      const value = Math.round(Math.max(-1, Math.min(1, sample)) * FULL_SCALE);
      view.setInt16(HEADER_BYTES + index * frameBytes + number * BYTES_PER_SAMPLE, value, true);
    }
  }
  return { bytes, clipped };
}
