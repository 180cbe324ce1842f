import { QuarryError } from '../../src-server/platform/errors.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import type { StartChildProgram } from '../../src-server/platform/rpc/child-process.ts';
import { connectPeer, type Peer } from '../../src-server/platform/rpc/rpc.ts';
import { say } from '../../src-server/platform/text/say.ts';
import {
  type Listener,
  type ListenerCallbacks,
  type NumberedWindow,
  timedWords,
  type WindowSegment,
  type WindowTranscript,
  wordsFromTokens,
} from './listener.ts';
import type { HotwordFiles, SpokenSegment } from './sherpa-config.ts';
import type { Speech } from './speech-program.ts';
import type { SherpaModel } from './tasks.ts';

interface SherpaOptions {
  startChild: StartChildProgram;
  model: SherpaModel;
  pcmPath: string;
  sampleRate: number;
  language: string | null;
  /** Writes English, whatever is spoken. */
  toEnglish: boolean;
  threads: number;
  hotwords: HotwordFiles | null;
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
  let child = await loadSpeechChild(options);
  let heardBefore = 0;
  const transcribeWindow = async ({ window }: NumberedWindow): Promise<WindowTranscript> => {
    if (heardBefore === windowsMax) {
      child.end();
      child = await loadSpeechChild(options);
      heardBefore = 0;
    }
    heardBefore += 1;
    const { segments, language } = await child.remote.listen({ pcmPath, sampleRate, pieces: window.pieces });
    return { segments: segments.map(withWords), language };
  };
  return {
    async listen(windows: readonly NumberedWindow[], { onHeard }: ListenerCallbacks) {
      for (const numbered of windows) await onHeard(numbered.index, await transcribeWindow(numbered));
    },
    close: () => child.end(),
  };
}

async function loadSpeechChild(options: SherpaOptions) {
  const { model, language, toEnglish, threads, hotwords } = options;
  const child = startSpeechChild(options);
  try {
    await child.remote.load({ model, language, toEnglish, threads, hotwords });
    return child;
  } catch (error) {
    child.end();
    throw error;
  }
}

function withWords({ tokens, ...segment }: SpokenSegment): WindowSegment {
  if (tokens === undefined) return segment;
  const timed = tokens.map(({ text, ...token }) => ({ bytes: Buffer.from(text, 'utf8'), ...token }));
  return { ...segment, ...timedWords(wordsFromTokens(timed, segment)) };
}

const MESSAGE = say`The speech recogniser stopped unexpectedly. Try again, or with another transcriptionModel.`;

/** The child process that holds sherpa-onnx. Errors of its methods: `engine_failed`, and the signal's reason. */
export function startSpeechChild(
  { startChild, signal }: Pick<TaskContext, 'startChild' | 'signal'>,
  message = MESSAGE,
): Peer<Speech> {
  const speechChildFailure = (cause: unknown) => new QuarryError('engine_failed', message, { cause, retryable: true });
  return connectPeer<Speech>((listeners) => startChild('speech', listeners), {
    ended: speechChildFailure,
    failed: speechChildFailure,
    signal,
  });
}
