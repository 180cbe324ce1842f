import { access } from 'node:fs/promises';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { connectPeer } from '../../src-server/platform/rpc/rpc.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { decodeWave, synthesizeWithFlite as speakWithFlite, type Utterance } from './flite.ts';
import type { Speaker } from './tasks.ts';
import { espeakName } from './voice-config.ts';
import type { Voice } from './voice-program.ts';

/** Timeout for one sentence on a speech server. */
const SERVER_LIMIT_MS = 120_000;

/** Two minutes at 48 kHz in stereo, more than any sentence needs. */
const SERVER_BYTES_MAX = 24 * 1024 * 1024;

/** Attempts per utterance: a process that died or a server that stumbled costs one sentence, not the text. */
const ATTEMPTS = 2;

/** Models held in memory at once; a script may mix voices of several. */
const MODELS_MAX = 2;

/** Speaks utterances one after another, with any of the voices of a script. */
export interface OpenSpeakers {
  /** @param speed factor of the pace. Errors: `engine_failed`, and the reason of the signal. */
  speak(speaker: Speaker, text: string, speed: number): Promise<Utterance>;
  close(): void;
}

export function openSpeakers(context: TaskContext): OpenSpeakers {
  const models = new NeuralVoices(context);
  const attemptSpeaking = (speaker: Speaker, text: string, speed: number): Promise<Utterance> => {
    switch (speaker.engine) {
      case 'flite':
        return speakWithFlite(text, { voice: speaker.voice, stretch: 1 / speed, pitchHz: null });
      case 'neural':
        return models.speakWithModel(speaker, text, speed);
      case 'server':
        return requestSpeech(speaker, text, speed, context.signal);
    }
  };
  return {
    speak: async (speaker, text, speed) => {
      for (let tried = 1; ; tried += 1) {
        try {
          return await attemptSpeaking(speaker, text, speed);
        } catch (error) {
          context.signal.throwIfAborted();
          if (tried >= ATTEMPTS) throw error;
        }
      }
    },
    close: () => models.closeNeuralVoices(),
  };
}

type ServerSpeaker = Extract<Speaker, { engine: 'server' }>;

/** The key is sent but never appears in an error or its cause. */
async function requestSpeech(
  speaker: ServerSpeaker,
  text: string,
  speed: number,
  signal: AbortSignal,
): Promise<Utterance> {
  const limit = AbortSignal.timeout(SERVER_LIMIT_MS);
  const { model, voice } = speaker;
  try {
    const response = await fetch(`${speaker.url}/audio/speech`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...omitUndefined({ authorization: speaker.key === null ? undefined : `Bearer ${speaker.key}` }),
      },
      body: JSON.stringify({
        model,
        voice,
        input: text,
        response_format: 'wav',
        speed: speed === 1 ? undefined : speed,
      }),
      // Only the server that the owner configured is contacted.
      redirect: 'error',
      signal: AbortSignal.any([signal, limit]),
    });
    if (!response.ok || response.body === null) throw new Error(`The server answered ${response.status}.`);
    return { ...decodeWave(await readSpeechBody(response.body)), phones: null };
  } catch (cause) {
    signal.throwIfAborted();
    const message = say`The speech server did not return speech. Check that it runs, and its address, model and voice
      in the settings.`;
    throw new QuarryError('engine_failed', message, { cause, retryable: true });
  }
}

async function readSpeechBody(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > SERVER_BYTES_MAX) throw new Error('The answer exceeds the size limit of a sentence.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

type NeuralSpeaker = Extract<Speaker, { engine: 'neural' }>;

type Connection = ReturnType<typeof connectPeer<Voice>>;

/** Installed voices, one child process per model. They end on `close`, on abort, or with the task. */
class NeuralVoices {
  readonly #context: TaskContext;
  /** The least recently used first. */
  readonly #open = new Map<string, Connection>();

  constructor(context: TaskContext) {
    this.#context = context;
  }

  /** Errors: `engine_failed`, and the reason of the signal. */
  async speakWithModel(speaker: NeuralSpeaker, text: string, speed: number): Promise<Utterance> {
    const path = speaker.model.files.model;
    try {
      const voice = await this.#connectionTo(speaker);
      const manner = { speakerId: speaker.speakerId, speed, language: espeakName(speaker.language) };
      return { ...(await voice.remote.speak(text, manner)), phones: null };
    } catch (error) {
      this.#endVoiceConnection(path);
      throw error;
    }
  }

  closeNeuralVoices(): void {
    for (const path of [...this.#open.keys()]) this.#endVoiceConnection(path);
  }

  async #connectionTo({ model, threads }: NeuralSpeaker): Promise<Connection> {
    const path = model.files.model;
    const there = this.#open.get(path);
    if (there !== undefined) {
      this.#open.delete(path);
      this.#open.set(path, there);
      return there;
    }
    await access(path);
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size >= MODELS_MAX) this.#endVoiceConnection(oldest);
    const { signal } = this.#context;
    const voice = connectPeer<Voice>((listeners) => this.#context.startChild('voice', listeners), {
      ended: voiceFailed,
      failed: voiceFailed,
      signal,
    });
    this.#open.set(path, voice);
    await voice.remote.load(model, threads);
    return voice;
  }

  #endVoiceConnection(path: string): void {
    this.#open.get(path)?.end();
    this.#open.delete(path);
  }
}

function voiceFailed(cause: unknown): QuarryError {
  const message = say`The installed voice cannot speak: its files are damaged or in an unsupported format. Install it
    again.`;
  return new QuarryError('engine_failed', message, { cause });
}
