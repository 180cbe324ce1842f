import { QuarryError } from '../../src-server/platform/errors.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import type { StartChildProgram } from '../../src-server/platform/rpc/child-process.ts';
import { TaskChild } from '../task-child.ts';
import {
  type Listener,
  type ListenerCallbacks,
  type NumberedWindow,
  type WindowSegment,
  type WindowTranscript,
  wordsOf,
} from './listener.ts';
import type { SpeechCommand, SpeechMessage, SpokenSegment } from './speech-protocol.ts';

interface SherpaOptions {
  startChild: StartChildProgram;
  modelFolder: string;
  pcmPath: string;
  sampleRate: number;
  language: string | null;
  threads: number;
  signal: AbortSignal;
}

/**
 * The engine leaks about a megabyte per window. After this many windows, 45 minutes of speech, a new process takes
 * over; the time to load a model is small against that.
 */
const WINDOWS_MAX = 100;

/**
 * Loads the model in a child process. Errors: `engine_failed`, and the reason of the signal; in both cases no child is
 * left.
 */
export async function openSherpa(options: SherpaOptions, windowsMax = WINDOWS_MAX): Promise<Listener> {
  const { pcmPath, sampleRate } = options;
  let child = await load(options);
  let heardBefore = 0;
  const transcribeWindow = async ({ window }: NumberedWindow): Promise<WindowTranscript> => {
    if (heardBefore === windowsMax) {
      child.close();
      child = await load(options);
      heardBefore = 0;
    }
    heardBefore += 1;
    const heard = await child.ask({ kind: 'listen', pcmPath, sampleRate, pieces: window.pieces }, 'heard');
    return { segments: heard.segments.map(withWords), language: heard.language };
  };
  return {
    async listen(windows: readonly NumberedWindow[], { onHeard }: ListenerCallbacks) {
      for (const numbered of windows) await onHeard(numbered.index, await transcribeWindow(numbered));
    },
    close: () => child.close(),
  };
}

async function load(options: SherpaOptions) {
  const { modelFolder, language, threads } = options;
  const child = startSpeechChild(options);
  try {
    await child.ask({ kind: 'load', modelFolder, language, threads }, 'ready');
    return child;
  } catch (error) {
    child.close();
    throw error;
  }
}

function withWords({ tokens, ...segment }: SpokenSegment): WindowSegment {
  if (tokens === undefined) return segment;
  const timed = tokens.map(({ text, start, end }) => ({ bytes: Buffer.from(text, 'utf8'), start, end }));
  const words = wordsOf(timed, segment);
  return words.length === 0 ? segment : { ...segment, words };
}

/** The child process of sherpa-onnx. Errors of its requests: `engine_failed`, and the reason of the signal. */
export function startSpeechChild(
  context: Pick<TaskContext, 'startChild' | 'signal'>,
): TaskChild<SpeechCommand, SpeechMessage> {
  return new TaskChild(context, { name: 'speech', failed });
}

function failed(cause: string): QuarryError {
  const message = 'The speech recogniser stopped unexpectedly. Try again, or with another transcriptionModel.';
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}
