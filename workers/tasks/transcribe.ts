import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TranscriptSegment } from '../../src-server/contract/index.ts';
import type { SpeechWindow, TranscribeInput, TranscribeOutput } from '../media/media-tasks.ts';
import { type Heard, SherpaListener } from '../media/sherpa-listener.ts';
import { placeInFile, windowSamples } from '../media/speech-windows.ts';
import { listenWithWhisperCli } from '../media/whisper-cli-listener.ts';
import type { TaskContext } from '../tasks.ts';

/** A recogniser that hears one window after the other. */
interface Listener {
  listen(window: SpeechWindow, onProgress: (share: number) => void): Promise<Heard>;
  close(): void;
}

/**
 * Listens to all windows, each kept as it is done. Errors: `engine_failed` where the child process died, and
 * `cancelled`; in either case no child is left.
 */
export async function transcribe(input: TranscribeInput, context: TaskContext): Promise<TranscribeOutput> {
  await mkdir(input.partsFolder, { recursive: true });
  const total = input.windows.reduce((sum, window) => sum + windowSamples(window), 0);
  const heard: Heard[] = [];
  let done = 0;
  let listener: Listener | null = null;
  const say = (samples: number) => {
    const message = `Heard ${minutesOf(samples, input.sampleRate)} of ${minutesOf(total, input.sampleRate)} of speech`;
    context.progress((samples / total) * 100, 'transcribing', message);
  };
  try {
    for (const [index, window] of input.windows.entries()) {
      context.signal.throwIfAborted();
      let part = await readPart(input, index);
      if (part === null) {
        listener ??= await openListener(input, context);
        part = await listener.listen(window, (share) => say(done + share * windowSamples(window)));
        await writePart(input, index, part);
      }
      heard.push(part);
      done += windowSamples(window);
      say(done);
    }
  } finally {
    listener?.close();
  }
  const segments = heard.flatMap((part, index) => placed(part, input.windows[index] as SpeechWindow, input.sampleRate));
  return { segments, language: heard.find(({ language }) => language !== null)?.language ?? null };
}

async function openListener(input: TranscribeInput, { signal, startChild }: TaskContext): Promise<Listener> {
  const { engine, pcmPath, sampleRate, language, threads, partsFolder } = input;
  const shared = { pcmPath, sampleRate, language, threads, signal };
  if (engine.kind === 'whisper.cpp') {
    const { programPath, modelPath } = engine;
    const options = { ...shared, programPath, modelPath, folder: partsFolder };
    return {
      listen: (window, onProgress) => listenWithWhisperCli({ ...options, onProgress }, window),
      close: () => undefined,
    };
  }
  const listener = new SherpaListener({ ...shared, startChild, modelFolder: engine.modelFolder });
  try {
    await listener.load();
    return listener;
  } catch (error) {
    listener.close();
    throw error;
  }
}

/** Segments with their times in the file. */
function placed({ segments }: Heard, window: SpeechWindow, sampleRate: number): TranscriptSegment[] {
  return segments.map(({ start, end, text }) => {
    const from = placeInFile(window, start * sampleRate, 'start') / sampleRate;
    const to = placeInFile(window, end * sampleRate, 'end') / sampleRate;
    return { start: rounded(from), end: rounded(Math.max(from, to)), text };
  });
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

function partPath({ partsFolder }: TranscribeInput, index: number): string {
  return join(partsFolder, `${index}.json`);
}

async function readPart(input: TranscribeInput, index: number): Promise<Heard | null> {
  const text = await readFile(partPath(input, index), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return text === null ? null : (JSON.parse(text) as Heard);
}

async function writePart(input: TranscribeInput, index: number, part: Heard): Promise<void> {
  const path = partPath(input, index);
  await writeFile(`${path}.part`, JSON.stringify(part));
  await rename(`${path}.part`, path);
}

function minutesOf(samples: number, sampleRate: number): string {
  const seconds = Math.round(samples / sampleRate);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
