/**
 * Runs the program of whisper.cpp for many windows at once: it loads its model once and needs one encoder step per
 * window, because none is longer than a step. The program reads and writes files; no shell parses its arguments.
 */

import { createReadStream } from 'node:fs';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { itemAt } from '../../src-server/platform/item-at.ts';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import { spawnBound } from '../../src-server/platform/process/bound-process.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { GIB } from '../../src-server/platform/units.ts';
import {
  type Listener,
  type ListenerCallbacks,
  type NumberedWindow,
  timedWords,
  type WindowSegment,
  type WindowTranscript,
  windowSamples,
  wordsFromTokens,
} from './listener.ts';
import type { SpeechWindow } from './tasks.ts';

/** Twenty minutes of speech: loading even the largest model is short against that. */
const BATCH_WINDOWS = 40;

/** Twice the program's memory besides its model. */
const WORK_BYTES_MAX = 2 * GIB;

const CAUSE_CHARS = 4000;

/** `[_BEG_]`, `[_TT_150]`, `<|endoftext|>`: tokens of the model that are not speech. */
const MARK = /^(?:\[_.*\]|<\|.*\|>)$/;

interface WhisperCliOptions {
  programPath: string;
  modelPath: string;
  pcmPath: string;
  sampleRate: number;
  /** Null detects the language from the first window of the file. */
  language: string | null;
  /** Names and terms to expect. */
  vocabulary: readonly string[];
  /** Writes English, whatever is spoken. */
  toEnglish: boolean;
  threads: number;
  /** Receives the sound of windows and the program's output. */
  folder: string;
  signal: AbortSignal;
}

/** Output of `-ojf`: times in milliseconds. */
interface WhisperOutput {
  result?: { language?: string };
  transcription?: { offsets: Offsets; text: string; tokens?: { text: string; offsets?: Offsets; p?: number }[] }[];
}

interface Offsets {
  from: number;
  to: number;
}

export function openWhisperCli(options: WhisperCliOptions): Listener {
  let { language } = options;
  return {
    async listen(windows, callbacks) {
      const rest = [...windows];
      while (rest.length > 0) {
        // Detecting the language costs as much as a window, so it runs once, on the first, as in the program itself.
        const batch = rest.splice(0, language === null ? 1 : BATCH_WINDOWS);
        const run = new BatchRun(options, batch, {
          ...callbacks,
          onHeard: (index, heard) => {
            language ??= heard.language;
            return callbacks.onHeard(index, heard);
          },
        });
        await run.transcribeBatch(language ?? 'auto');
      }
    },
    close: () => undefined,
  };
}

/** The program's messages, over all its versions, for an unusable model. */
const NO_MODEL = /failed to (?:load model|initialize whisper context)/;

/** One run of the program. */
class BatchRun {
  readonly #options: WhisperCliOptions;
  readonly #batch: readonly NumberedWindow[];
  readonly #callbacks: ListenerCallbacks;
  /** Count of windows delivered, and the current window. */
  #delivered = 0;
  #at = -1;
  /** As the program says it of the current run. */
  #languageConfidence: number | null = null;
  #delivery: Promise<void> = Promise.resolve();

  constructor(options: WhisperCliOptions, batch: readonly NumberedWindow[], callbacks: ListenerCallbacks) {
    this.#options = options;
    this.#batch = batch;
    this.#callbacks = callbacks;
  }

  async transcribeBatch(language: string): Promise<void> {
    const { modelPath, threads, folder, vocabulary, toEnglish } = this.#options;
    try {
      for (const { index, window } of this.#batch) await writeWindow(this.#options, window, soundPath(folder, index));
      await this.#runWhisperCli([
        ...['-m', modelPath, '-t', String(threads), '-l', language, '-ojf', '-pp'],
        ...(toEnglish ? ['-tr'] : []),
        ...(vocabulary.length === 0 ? [] : ['--prompt', `${vocabulary.join(', ')}.`]),
        ...this.#batch.flatMap(({ index }) => ['-f', soundPath(folder, index)]),
      ]);
      await this.#deliverUpTo(this.#batch.length);
    } finally {
      await this.#delivery.catch(() => undefined);
      await Promise.all(this.#batch.map(({ index }) => removeFiles(folder, index)));
    }
  }

  async #runWhisperCli(args: string[]): Promise<void> {
    const { programPath, modelPath, signal } = this.#options;
    const { size } = await stat(modelPath).catch((error: unknown) => {
      throw unusableModelError(error);
    });
    signal.throwIfAborted();
    const child = await spawnBound(programPath, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      windowsHide: true,
      memoryBytesMax: size + WORK_BYTES_MAX,
    });
    let output = '';
    let line = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-CAUSE_CHARS);
      const lines = (line + text).split('\n');
      line = (lines.pop() ?? '').slice(-CAUSE_CHARS);
      for (const whole of lines) this.#readLine(whole);
    });
    const killWhisperCli = () => child.kill('SIGKILL');
    signal.addEventListener('abort', killWhisperCli, { once: true });
    // Cancelled during the start.
    if (signal.aborted) killWhisperCli();
    try {
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once('error', (error) => reject(whisperCliFailure(error)));
        child.once('close', resolve);
      });
      signal.throwIfAborted();
      if (code !== 0)
        throw NO_MODEL.test(output) ? unusableModelError(output) : whisperCliFailure(`Ended with ${code}. ${output}`);
    } finally {
      signal.removeEventListener('abort', killWhisperCli);
    }
  }

  /** An older program that prints less still works; only progress is missing. */
  #readLine(line: string): void {
    if (/: processing '/.test(line)) {
      this.#at += 1;
      // Read errors are reported at the end of the run, which is awaited.
      this.#deliverUpTo(this.#at).catch(() => undefined);
    }
    const detected = /auto-detected language: \w+ \(p = ([\d.]+)\)/.exec(line)?.[1];
    if (detected !== undefined) this.#languageConfidence = Math.min(1, Number(detected));
    const percent = /progress\s*=\s*(\d+)%/.exec(line)?.[1];
    const current = this.#batch[this.#at];
    // For short sound the program reports more than 100.
    if (percent !== undefined && current !== undefined) {
      this.#callbacks.onProgress(current.index, Math.min(1, Number(percent) / 100));
    }
  }

  /** Delivers the first `count` windows of the batch, each once and in order. */
  #deliverUpTo(count: number): Promise<void> {
    this.#delivery = this.#delivery.then(async () => {
      for (; this.#delivered < count; this.#delivered += 1) {
        const { index, window } = itemAt(this.#batch, this.#delivered);
        await this.#callbacks.onHeard(index, await this.#readWhisperOutput(index, window));
      }
    });
    return this.#delivery;
  }

  async #readWhisperOutput(index: number, window: SpeechWindow): Promise<WindowTranscript> {
    const { folder, sampleRate } = this.#options;
    // One character per byte: the program splits characters at token boundaries.
    const json = await readFile(`${soundPath(folder, index)}.json`, 'latin1').catch((error: unknown) => {
      throw whisperCliFailure(error);
    });
    const heard = readOutput(parseOwnJson<WhisperOutput>(json), windowSamples(window) / sampleRate);
    return this.#languageConfidence === null ? heard : { ...heard, languageConfidence: this.#languageConfidence };
  }
}

function readOutput(output: WhisperOutput, seconds: number): WindowTranscript {
  const inWindow = (milliseconds: number) => Math.min(seconds, Math.max(0, milliseconds / 1000));
  const segments = (output.transcription ?? []).map(({ offsets, text, tokens = [] }): WindowSegment => {
    const start = inWindow(offsets.from);
    const segment = { start, end: Math.max(start, inWindow(offsets.to)) };
    const timed = tokens.flatMap(({ text: piece, offsets: at, p: confidence }) => {
      if (at === undefined || MARK.test(piece)) return [];
      const token = { bytes: Buffer.from(piece, 'latin1'), start: inWindow(at.from), end: inWindow(at.to) };
      return [confidence === undefined ? token : { ...token, confidence }];
    });
    const words = wordsFromTokens(timed, segment);
    const whole = Buffer.from(text, 'latin1').toString('utf8').replaceAll('\uFFFD', '').trim();
    return { ...segment, text: whole, ...timedWords(words) };
  });
  return { segments, language: output.result?.language ?? null };
}

function soundPath(folder: string, index: number): string {
  return join(folder, `window-${index}.wav`);
}

async function removeFiles(folder: string, index: number): Promise<void> {
  const path = soundPath(folder, index);
  await Promise.all([rm(path, { force: true }), rm(`${path}.json`, { force: true })]);
}

/** The model is unusable, so a retry cannot help. */
function unusableModelError(cause: unknown): QuarryError {
  const message = say`The speech model cannot be loaded: its file is damaged, larger than the memory, or not a
    Whisper model. Remove or replace it, or set transcriptionModel to another model.`;
  return new QuarryError('engine_failed', message, { cause });
}

function whisperCliFailure(cause: unknown): QuarryError {
  const message = say`whisper-cli failed on this sound. Try again, or with another transcriptionModel.`;
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}

const SAMPLE_BYTES = 2;

const WAV_HEADER_BYTES = 44;

/** whisper.cpp ignores sound of less than a second, so a short word is padded with silence. */
const LEAST_SECONDS = 1.2;

interface Sound {
  pcmPath: string;
  sampleRate: number;
  signal: AbortSignal;
}

/** Writes the sound of a window as .wav. Errors: the reason of the signal. */
async function writeWindow(sound: Sound, window: SpeechWindow, path: string): Promise<void> {
  const dataBytes = windowSamples(window) * SAMPLE_BYTES;
  const missingBytes = Math.max(0, Math.ceil(LEAST_SECONDS * sound.sampleRate) * SAMPLE_BYTES - dataBytes);
  const file = await open(path, 'w');
  try {
    await file.writeFile(wavHeader(dataBytes + missingBytes, sound.sampleRate));
    for (const [from, to] of window.pieces) {
      if (from === to) continue;
      const range = { start: from * SAMPLE_BYTES, end: to * SAMPLE_BYTES - 1, signal: sound.signal };
      for await (const bytes of createReadStream(sound.pcmPath, range)) await file.writeFile(bytes as Buffer);
    }
    await file.writeFile(Buffer.alloc(missingBytes));
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
