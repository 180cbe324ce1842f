import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { QuarryError } from '../../src-server/platform/errors.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { connect } from '../../src-server/platform/rpc/rpc.ts';
import { decodeWave, speak as speakWithFlite, type Utterance } from './flite.ts';
import type { Speaker } from './tasks.ts';
import type { Voice } from './voice-program.ts';

/** Timeout for one sentence on a speech server. */
const SERVER_LIMIT_MS = 120_000;

/** Two minutes at 48 kHz in stereo, more than any sentence needs. */
const SERVER_BYTES_MAX = 24 * 1024 * 1024;

/** Speaks utterances one after another. */
export interface OpenSpeaker {
  /** Errors: `engine_failed`, and the reason of the signal. */
  speak(text: string): Promise<Utterance>;
  close(): void;
}

/** Errors: `engine_failed` if a neural voice cannot be loaded. */
export async function openSpeaker(speaker: Speaker, context: TaskContext): Promise<OpenSpeaker> {
  switch (speaker.engine) {
    case 'flite':
      return { speak: (text) => speakWithFlite(text, speaker), close: () => undefined };
    case 'vits':
      return openNeuralVoice(speaker, context);
    case 'server':
      return { speak: (text) => requestSpeech(speaker, text, context.signal), close: () => undefined };
  }
}

type ServerSpeaker = Extract<Speaker, { engine: 'server' }>;

/** The key is sent but never appears in an error or its cause. */
async function requestSpeech(speaker: ServerSpeaker, text: string, signal: AbortSignal): Promise<Utterance> {
  const limit = AbortSignal.timeout(SERVER_LIMIT_MS);
  try {
    const response = await fetch(`${speaker.url}/audio/speech`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(speaker.key === null ? {} : { authorization: `Bearer ${speaker.key}` }),
      },
      body: JSON.stringify({ model: speaker.model, voice: speaker.voice, input: text, response_format: 'wav' }),
      // Only the server that the owner configured is contacted.
      redirect: 'error',
      signal: AbortSignal.any([signal, limit]),
    });
    if (!response.ok || response.body === null) throw new Error(`The server answered ${response.status}.`);
    return { ...decodeWave(await readBody(response.body)), phones: null };
  } catch (cause) {
    signal.throwIfAborted();
    const message =
      'The speech server did not return speech. Check that it runs, and its address, model and voice in the settings.';
    throw new QuarryError('engine_failed', message, { cause, retryable: true });
  }
}

async function readBody(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > SERVER_BYTES_MAX) throw new Error('The answer exceeds the size limit of a sentence.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

type VitsSpeaker = Extract<Speaker, { engine: 'vits' }>;

/**
 * An installed neural voice in a child process. The process ends on `close`, on abort, or with the task. Errors, also
 * while speaking: `engine_failed`, and the reason of the signal.
 */
async function openNeuralVoice({ modelFolder, threads }: VitsSpeaker, context: TaskContext): Promise<OpenSpeaker> {
  const names = await readdir(modelFolder);
  const model = names.find((name) => name.endsWith('.onnx')) ?? '';
  const at = (name: string) => (names.includes(name) ? join(modelFolder, name) : '');
  await access(join(modelFolder, model));
  const voice = connect<Voice>((listeners) => context.startChild('voice', listeners), {
    ended: failed,
    failed,
    signal: context.signal,
  });
  const files = {
    model: join(modelFolder, model),
    tokens: at('tokens.txt'),
    lexicon: at('lexicon.txt'),
    dataFolder: at('espeak-ng-data'),
  };
  try {
    await voice.remote.load(files, threads);
  } catch (error) {
    voice.end();
    throw error;
  }
  return {
    speak: async (text) => ({ ...(await voice.remote.speak(text)), phones: null }),
    close: () => voice.end(),
  };
}

function failed(cause: unknown): QuarryError {
  const message =
    'The installed voice cannot speak: its files are damaged or in an unsupported format. Install it again.';
  return new QuarryError('engine_failed', message, { cause });
}
