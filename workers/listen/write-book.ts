/** Joins the finished parts of a reading into one file with marks for its chapters. */

import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { encodeId3Tags, openMp3 } from '../audio/encode.ts';
import { infoFrameBytes, infoFrameOf, Mp3Frames } from '../audio/mp3-info.ts';
import type { BookCue, SpokenFacts, WriteBookInput, WriteBookOutput } from './tasks.ts';

const HEADER_BYTES = 44;

const SAMPLE_BYTES = 2;

const RATE_AT = 24;

const RIFF_BYTES_MAX = 0xffff_ffff - HEADER_BYTES;

type Handle = Awaited<ReturnType<typeof open>>;

/** The parts are one after the other in the file: the times of captions are exact. */
export async function writeBook(input: WriteBookInput, { signal, progress }: TaskContext): Promise<WriteBookOutput> {
  const { folder, parts } = input;
  const facts = await Promise.all(parts.map((name) => readFacts(folder, name)));
  const sampleRate = await sampleRateOf(join(folder, `${parts[0] ?? ''}.wav`));
  const wave = await open(join(folder, 'book.wav.part'), 'w');
  const sound = await open(join(folder, 'book.mp3.part'), 'w');
  try {
    const book = await openBook(input, facts, sound, sampleRate);
    let samples = 0;
    for (const [index, name] of parts.entries()) {
      signal.throwIfAborted();
      const bytes = await readFile(join(folder, `${name}.wav`));
      if (index === 0) await wave.write(bytes.subarray(0, HEADER_BYTES));
      const pcm = bytes.subarray(HEADER_BYTES);
      if (samples * SAMPLE_BYTES + pcm.length <= RIFF_BYTES_MAX) await wave.write(pcm);
      await book.add(floatsOf(pcm));
      samples += pcm.length / SAMPLE_BYTES;
      progress((index / parts.length) * 100, 'joining', say`Joining the parts`);
    }
    await book.end(samples);
    await writeWaveSizes(wave, samples * SAMPLE_BYTES);
    await writeTexts(input, facts);
    return await keepBook(input, samples, sampleRate);
  } finally {
    await wave.close();
    await sound.close();
  }
}

async function sampleRateOf(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return buffer.readUInt32LE(RATE_AT);
  } finally {
    await file.close();
  }
}

/** Writes the tags, room for the frame that says how long it is, and the frames; a book is larger than the memory. */
async function openBook(
  { title, chapters }: WriteBookInput,
  facts: readonly SpokenFacts[],
  file: Handle,
  sampleRate: number,
) {
  const encoder = await openMp3(1, sampleRate);
  const frames = new Mp3Frames();
  const all = facts.reduce((sum, { seconds }) => sum + seconds, 0);
  const levels = { tempo: null, integratedLufs: null, truePeakDbtp: null };
  const tags = encodeId3Tags({ title, chapters, seconds: all, ...levels });
  await file.write(tags);
  let at = tags.length;
  const write = async (bytes: Uint8Array) => {
    if (bytes.length === 0) return;
    const isFirst = frames.bytes === 0;
    frames.addFrameBytes(bytes);
    if (isFirst) at += infoFrameBytes(frames);
    await file.write(bytes, 0, bytes.length, at);
    at += bytes.length;
  };
  return {
    add: (samples: Float32Array) => write(encoder.encode([samples])),
    async end(samples: number) {
      await write(encoder.finish());
      const frame = infoFrameOf(frames, samples);
      await file.write(frame, 0, frame.length, tags.length);
    },
  };
}

async function keepBook(input: WriteBookInput, samples: number, sampleRate: number): Promise<WriteBookOutput> {
  const { folder } = input;
  const hasWave = samples * SAMPLE_BYTES <= RIFF_BYTES_MAX;
  if (hasWave) await rename(join(folder, 'book.wav.part'), join(folder, 'book.wav'));
  else await rm(join(folder, 'book.wav.part'), { force: true });
  await rename(join(folder, 'book.mp3.part'), join(folder, 'book.mp3'));
  return { durationSeconds: samples / sampleRate, hasWave };
}

async function writeWaveSizes(wave: Handle, bytes: number): Promise<void> {
  if (bytes > RIFF_BYTES_MAX) return;
  const size = Buffer.alloc(4);
  size.writeUInt32LE(HEADER_BYTES - 8 + bytes);
  await wave.write(size, 0, 4, 4);
  size.writeUInt32LE(bytes);
  await wave.write(size, 0, 4, HEADER_BYTES - 4);
}

function floatsOf(pcm: Uint8Array): Float32Array {
  const samples = new Int16Array(new Uint8Array(pcm).buffer);
  return Float32Array.from(samples, (sample) => sample / 32_768);
}

async function readFacts(folder: string, name: string): Promise<SpokenFacts> {
  return parseOwnJson<SpokenFacts>(await readFile(join(folder, `${name}.json`), 'utf8'));
}

async function writeTexts({ folder }: WriteBookInput, facts: readonly SpokenFacts[]): Promise<void> {
  const placed: BookCue[] = [];
  let before = 0;
  for (const { cues, seconds } of facts) {
    for (const { start, end, text } of cues) placed.push({ start: before + start, end: before + end, text });
    before += seconds;
  }
  const vtt = placed.map(({ start, end, text }) => `${stamp(start)} --> ${stamp(end)}\n${escaped(text)}\n`);
  await writeFile(join(folder, 'book.vtt'), `WEBVTT\n\n${vtt.join('\n')}`);
  await writeFile(join(folder, 'book.txt'), placed.map(({ text }) => `${text}\n`).join(''));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function stamp(time: number): string {
  const whole = Math.round(time * 1000);
  const padded = (value: number, length: number) => String(value).padStart(length, '0');
  const [hours, minutes] = [Math.floor(whole / 3_600_000), Math.floor(whole / 60_000) % 60];
  const seconds = `${padded(Math.floor(whole / 1000) % 60, 2)}.${padded(whole % 1000, 3)}`;
  return `${padded(hours, 2)}:${padded(minutes, 2)}:${seconds}`;
}
