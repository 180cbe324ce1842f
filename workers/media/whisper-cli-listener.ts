/**
 * whisper.cpp's own program, run once for each window: it walks through minutes of sound by itself, and a model in ggml
 * format needs no conversion. The program gets a file and gives a file; no shell is ever used.
 */
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { QuarryError } from '../../src-server/contract/index.ts';
import type { SpeechWindow } from './media-tasks.ts';
import type { Heard } from './sherpa-listener.ts';
import { windowSamples } from './speech-windows.ts';

const SAMPLE_BYTES = 2;
const WAV_HEADER_BYTES = 44;
const CAUSE_CHARS = 4000;

export interface WhisperCliOptions {
  programPath: string;
  modelPath: string;
  pcmPath: string;
  sampleRate: number;
  language: string | null;
  threads: number;
  /** For the sound of a window and what the program says of it. */
  folder: string;
  signal: AbortSignal;
  /** Share of the window that was heard. */
  onProgress(share: number): void;
}

/** What the program writes with `-oj`: times in milliseconds. */
interface WhisperOutput {
  result?: { language?: string };
  transcription?: { offsets: { from: number; to: number }; text: string }[];
}

/** Errors: `engine_failed`, and the signal's reason. */
export async function listenWithWhisperCli(options: WhisperCliOptions, window: SpeechWindow): Promise<Heard> {
  const wavPath = join(options.folder, 'window.wav');
  const outputPath = join(options.folder, 'window');
  await writeWav(options, window, wavPath);
  await rm(`${outputPath}.json`, { force: true });
  await runProgram(options, [
    ...['-m', options.modelPath, '-f', wavPath, '-t', String(options.threads)],
    ...['-l', options.language ?? 'auto', '-oj', '-of', outputPath, '-pp'],
  ]);
  const said = await readFile(`${outputPath}.json`, 'utf8').catch((error: unknown) => {
    throw failed(error);
  });
  // The program cuts a character in two where its tokens do.
  const output = JSON.parse(said.replaceAll('\uFFFD', '')) as WhisperOutput;
  const seconds = windowSamples(window) / options.sampleRate;
  const segments = (output.transcription ?? []).map(({ offsets, text }) => {
    const start = Math.min(seconds, offsets.from / 1000);
    return { start, end: Math.min(seconds, Math.max(start, offsets.to / 1000)), text: text.trim() };
  });
  await Promise.all([rm(wavPath, { force: true }), rm(`${outputPath}.json`, { force: true })]);
  return { segments, language: output.result?.language ?? null };
}

async function runProgram(options: WhisperCliOptions, args: string[]): Promise<void> {
  const { signal } = options;
  signal.throwIfAborted();
  const child = spawn(options.programPath, args, { stdio: ['ignore', 'ignore', 'pipe'], windowsHide: true });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-CAUSE_CHARS);
    const percent = [...text.matchAll(/progress\s*=\s*(\d+)%/g)].at(-1)?.[1];
    // On short sound it says more than a hundred.
    if (percent !== undefined) options.onProgress(Math.min(1, Number(percent) / 100));
  });
  const end = () => child.kill('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', (error) => reject(failed(error)));
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    if (code !== 0) throw failed(`Ended with ${code}. ${said}`);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

async function writeWav(options: WhisperCliOptions, window: SpeechWindow, path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(wavHeader(windowSamples(window) * SAMPLE_BYTES, options.sampleRate));
    for (const [from, to] of window.pieces) {
      if (from === to) continue;
      const range = { start: from * SAMPLE_BYTES, end: to * SAMPLE_BYTES - 1, signal: options.signal };
      for await (const bytes of createReadStream(options.pcmPath, range)) await file.writeFile(bytes as Buffer);
    }
  } finally {
    await file.close();
  }
}

function wavHeader(dataBytes: number, sampleRate: number): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * SAMPLE_BYTES, 28);
  header.writeUInt16LE(SAMPLE_BYTES, 32);
  header.writeUInt16LE(SAMPLE_BYTES * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes, 40);
  return header;
}

function failed(cause: unknown): QuarryError {
  const message = 'whisper-cli failed on this sound. Try again, or with another transcriptionModel.';
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}
