import type { StartChildProgram } from '../../src-server/lib/child-program.ts';
import type { SpokenSegment } from '../child/speech-protocol.ts';
import type { Heard, HeardSegment, HeardWatch, Listener, NumberedWindow } from './heard.ts';
import { startSpeechChild } from './speech-child.ts';
import { wordsOf } from './words.ts';

export interface SherpaOptions {
  startChild: StartChildProgram;
  modelFolder: string;
  pcmPath: string;
  sampleRate: number;
  language: string | null;
  threads: number;
  signal: AbortSignal;
}

/** Loads the model in a child process. Errors: `engine_failed`, and the signal's reason; then no child is left. */
export async function openSherpa(options: SherpaOptions): Promise<Listener> {
  const { modelFolder, language, threads, pcmPath, sampleRate } = options;
  const child = startSpeechChild(options);
  try {
    await child.ask({ kind: 'load', modelFolder, language, threads }, 'ready');
  } catch (error) {
    child.close();
    throw error;
  }
  const hear = async ({ window }: NumberedWindow): Promise<Heard> => {
    const heard = await child.ask({ kind: 'listen', pcmPath, sampleRate, pieces: window.pieces }, 'heard');
    return { segments: heard.segments.map(withWords), language: heard.language };
  };
  return {
    async listen(windows: readonly NumberedWindow[], { onHeard }: HeardWatch) {
      for (const numbered of windows) await onHeard(numbered.index, await hear(numbered));
    },
    close: () => child.close(),
  };
}

function withWords({ tokens, ...segment }: SpokenSegment): HeardSegment {
  if (tokens === undefined) return segment;
  const timed = tokens.map(({ text, start, end }) => ({ bytes: Buffer.from(text, 'utf8'), start, end }));
  const words = wordsOf(timed, segment);
  return words.length === 0 ? segment : { ...segment, words };
}
