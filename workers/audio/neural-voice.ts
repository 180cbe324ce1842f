import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { QuarryError } from '../../src-server/contract/errors.ts';
import type { ChildProgram } from '../../src-server/lib/child-program.ts';
import type { VoiceCommand, VoiceMessage } from '../child/voice-protocol.ts';
import type { TaskContext } from '../tasks.ts';
import type { Speaker } from './audio-tasks.ts';
import type { Utterance } from './flite.ts';
import type { OpenSpeaker } from './speakers.ts';

type VitsSpeaker = Extract<Speaker, { engine: 'vits' }>;

/** An installed neural voice, in a child process that ends with `close`, with the signal, or with the task. */
export class NeuralVoice implements OpenSpeaker {
  readonly #child: ChildProgram;
  readonly #signal: AbortSignal;
  #waiting: { resolve(message: VoiceMessage): void; reject(error: unknown): void } | null = null;
  #end: QuarryError | null = null;

  private constructor({ startChild, signal }: TaskContext) {
    this.#signal = signal;
    this.#child = startChild('voice', {
      onMessage: (message) => this.#waiting?.resolve(message as VoiceMessage),
      onEnd: (cause) => {
        this.#end = failed(cause);
        this.#waiting?.reject(this.#end);
      },
    });
    signal.addEventListener('abort', this.#stop, { once: true });
  }

  /** Errors: `engine_failed`, and the signal's reason. */
  static async open({ modelFolder, threads }: VitsSpeaker, context: TaskContext): Promise<NeuralVoice> {
    const names = await readdir(modelFolder);
    const model = names.find((name) => name.endsWith('.onnx')) ?? '';
    const at = (name: string) => (names.includes(name) ? join(modelFolder, name) : '');
    await access(join(modelFolder, model));
    const voice = new NeuralVoice(context);
    try {
      await voice.#ask({
        kind: 'load',
        model: join(modelFolder, model),
        tokens: at('tokens.txt'),
        lexicon: at('lexicon.txt'),
        dataFolder: at('espeak-ng-data'),
        threads,
      });
      return voice;
    } catch (error) {
      voice.close();
      throw error;
    }
  }

  async speak(text: string): Promise<Utterance> {
    const message = await this.#ask({ kind: 'speak', text });
    if (message.kind !== 'spoken') throw failed(`Said ${message.kind}.`);
    const bytes = Buffer.from(message.samples, 'base64');
    // A copy of its own, since what Buffer gives may begin at an odd place.
    const samples = new Int16Array(new Uint8Array(bytes).buffer);
    return { samples, sampleRate: message.sampleRate, phones: null };
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#stop);
    this.#stop();
  }

  readonly #stop = () => this.#child.end();

  async #ask(command: VoiceCommand): Promise<VoiceMessage> {
    this.#signal.throwIfAborted();
    if (this.#end !== null) throw this.#end;
    const message = await new Promise<VoiceMessage>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#child.send(command);
    }).catch((error: unknown) => {
      this.#signal.throwIfAborted();
      throw error;
    });
    if (message.kind === 'failed') throw failed(message.cause);
    return message;
  }
}

function failed(cause: string): QuarryError {
  const message = 'The installed voice could not speak: its files are damaged, or of a kind that is not read here.';
  return new QuarryError('engine_failed', message, { cause });
}
