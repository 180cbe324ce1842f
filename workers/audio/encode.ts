/** MP3 through LAME compiled to WebAssembly: the same bytes on every machine, without ffmpeg. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createEncoder } from 'wasm-media-encoders';
import type { Chapter } from './chapters.ts';
import { mp3InfoFrame } from './mp3-info.ts';
import { lengthOf, type Sound } from './sound.ts';

/**
 * Bit rates, and the factor by which LAME attenuates at each. The samples are amplified by its inverse before encoding.
 */
const MONO = { kilobits: 96, scale: 0.95 } as const;

const STEREO = { kilobits: 192, scale: 0.97 } as const;

/** Samples per call: large enough for speed, small enough to check for cancellation between calls. */
const BLOCK_SAMPLES = 441_000;

/** Reference loudness of ReplayGain. */
const REPLAY_GAIN_LUFS = -18;

interface Tags {
  title: string;
  /** Beats per minute; music only. */
  tempo: number | null;
  chapters: readonly Chapter[];
  /** Length of the sound. */
  seconds: number;
  integratedLufs: number | null;
  truePeakDbtp: number | null;
}

interface Mp3 {
  bytes: Uint8Array;
  kilobitsPerSecond: number;
}

/** Calls `pause` between blocks; it may throw. */
export async function encodeMp3(sound: Sound, tags: Tags, pause: () => void): Promise<Mp3> {
  const { channels, sampleRate } = sound;
  const encoder = await openMp3(channels.length as 1 | 2, sampleRate);
  const parts: Uint8Array[] = [];
  for (let start = 0; start < lengthOf(sound); start += BLOCK_SAMPLES) {
    pause();
    parts.push(encoder.encode(channels.map((channel) => channel.subarray(start, start + BLOCK_SAMPLES))));
  }
  parts.push(encoder.finish());
  const audio = Buffer.concat(parts);
  const bytes = Buffer.concat([encodeId3Tags(tags), mp3InfoFrame(audio, lengthOf(sound)), audio]);
  return { bytes, kilobitsPerSecond: encoder.kilobits };
}

/** LAME, compiled once in a thread: compiling it costs as much as encoding ten seconds. */
let lame: Parameters<NonNullable<Parameters<typeof createEncoder>[2]>>[0] | null = null;

function loadLame(): Promise<Uint8Array> {
  return readFile(createRequire(import.meta.url).resolve('wasm-media-encoders/wasm/mp3'));
}

/** Encodes a sound that arrives in blocks. The bytes follow each other in the file, after the tags. */
export async function openMp3(channels: 1 | 2, sampleRate: number) {
  const { kilobits, scale } = channels === 1 ? MONO : STEREO;
  const encoder = await createEncoder('audio/mpeg', lame ?? (await loadLame()), (module) => {
    lame = module;
  });
  encoder.configure({ sampleRate: sampleRate as 44_100, channels, bitrate: kilobits });
  return {
    kilobits,
    // The encoder returns a view of memory that it overwrites.
    encode: (block: readonly Float32Array[]): Uint8Array =>
      encoder.encode(block.map((channel) => channel.map((sample) => sample / scale)) as [Float32Array]).slice(),
    finish: (): Uint8Array => encoder.finalize().slice(),
  };
}

/** ID3v2.4 tags: the fields players show, and the loudness they normalise by. */
export function encodeId3Tags({ title, tempo, chapters, seconds, integratedLufs, truePeakDbtp }: Tags): Uint8Array {
  const frames = [id3TextFrame('TIT2', title), id3TextFrame('TPE1', 'Quarry'), id3TextFrame('TSSE', 'Quarry, LAME')];
  if (tempo !== null) frames.push(id3TextFrame('TBPM', String(Math.round(tempo))));
  if (integratedLufs !== null && truePeakDbtp !== null) {
    const gain = (REPLAY_GAIN_LUFS - integratedLufs).toFixed(2);
    frames.push(id3TextFrame('TXXX', `replaygain_track_gain\0${gain} dB`));
    frames.push(id3TextFrame('TXXX', `replaygain_track_peak\0${(10 ** (truePeakDbtp / 20)).toFixed(6)}`));
  }
  frames.push(...chapterFrames(chapters, seconds));
  const body = Buffer.concat(frames);
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, 0]), syncSafe(body.length), body]);
}

/** Chapters of ID3v2: a table of contents, and a frame with times and title for each. */
function chapterFrames(chapters: readonly Chapter[], seconds: number): Buffer[] {
  if (chapters.length === 0) return [];
  const names = chapters.map((_, index) => `chp${index}\0`);
  const TOP_LEVEL_AND_ORDERED = 3;
  const contents = Buffer.from([...Buffer.from('toc\0'), TOP_LEVEL_AND_ORDERED, chapters.length]);
  const all = chapters.map(({ title, startSeconds }, index) => {
    const times = Buffer.alloc(16, 0xff);
    times.writeUInt32BE(Math.round(startSeconds * 1000), 0);
    times.writeUInt32BE(Math.round((chapters[index + 1]?.startSeconds ?? seconds) * 1000), 4);
    return rawFrame('CHAP', Buffer.concat([Buffer.from(names[index] ?? ''), times, id3TextFrame('TIT2', title)]));
  });
  return [rawFrame('CTOC', Buffer.concat([contents, Buffer.from(names.join(''))])), ...all];
}

function id3TextFrame(id: string, text: string): Buffer {
  const UTF8 = 3;
  return rawFrame(id, Buffer.concat([Buffer.from([UTF8]), Buffer.from(text, 'utf8')]));
}

function rawFrame(id: string, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(id, 'latin1'), syncSafe(content.length), Buffer.from([0, 0]), content]);
}

function syncSafe(value: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f));
}

const HEADER_BYTES = 44;

const BYTES_PER_SAMPLE = 2;

const FULL_SCALE = 32_767;

/** RIFF, 16 bits. `clipped` counts the samples clipped at full scale. */
export function encodeWave(sound: Sound): { bytes: Uint8Array; clipped: number } {
  const { channels, sampleRate } = sound;
  const length = lengthOf(sound);
  const frameBytes = channels.length * BYTES_PER_SAMPLE;
  const dataBytes = length * frameBytes;
  const bytes = new Uint8Array(HEADER_BYTES + dataBytes);
  const view = new DataView(bytes.buffer);
  const writeHeaderText = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
  writeHeaderText(0, 'RIFF');
  view.setUint32(4, HEADER_BYTES - 8 + dataBytes, true);
  writeHeaderText(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, channels.length, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * frameBytes, true);
  view.setUint16(32, frameBytes, true);
  view.setUint16(34, BYTES_PER_SAMPLE * 8, true);
  writeHeaderText(36, 'data');
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

/** The samples alone: 16 bits, little endian. */
export function encodePcm(sound: Sound): Uint8Array {
  return encodeWave(sound).bytes.slice(HEADER_BYTES);
}

/** The header of a mono .wav whose length is not known yet: both sizes have the highest value, as players expect. */
export function openWave(sampleRate: number): Uint8Array {
  const { bytes } = encodeWave({ channels: [new Float32Array(0)], sampleRate });
  const view = new DataView(bytes.buffer);
  for (const at of [4, HEADER_BYTES - 4]) view.setUint32(at, 0xff_ff_ff_ff, true);
  return bytes;
}
