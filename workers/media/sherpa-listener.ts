import { QuarryError } from '../../src-server/contract/index.ts';
import type { ChildProgram, StartChildProgram } from '../../src-server/lib/child-program.ts';
import type { SpeechCommand, SpeechMessage } from '../child/speech-protocol.ts';
import type { SpeechWindow } from './media-tasks.ts';

/** Seconds from the beginning of the window. */
export interface HeardSegment {
  start: number;
  end: number;
  text: string;
}

export interface Heard {
  segments: HeardSegment[];
  language: string | null;
}

export interface SherpaOptions {
  startChild: StartChildProgram;
  modelFolder: string;
  pcmPath: string;
  sampleRate: number;
  language: string | null;
  threads: number;
  signal: AbortSignal;
}

/** The child process that listens. It is ended with `close`, or at once by the signal. */
export class SherpaListener {
  readonly #child: ChildProgram;
  readonly #options: SherpaOptions;
  #waiting: { resolve(message: SpeechMessage): void; reject(error: unknown): void } | null = null;
  #over: QuarryError | null = null;

  constructor(options: SherpaOptions) {
    this.#options = options;
    this.#child = options.startChild('speech', {
      onMessage: (message) => this.#waiting?.resolve(message as SpeechMessage),
      onEnd: (cause) => this.#end(cause),
    });
    options.signal.addEventListener('abort', this.#kill, { once: true });
  }

  /** Errors: `engine_failed`, and the signal's reason. */
  async load(): Promise<void> {
    const { modelFolder, language, threads } = this.#options;
    await this.#ask({ kind: 'load', modelFolder, language, threads });
  }

  /** Errors: `engine_failed`, and the signal's reason. */
  async listen({ pieces }: SpeechWindow): Promise<Heard> {
    const { pcmPath, sampleRate } = this.#options;
    const message = await this.#ask({ kind: 'listen', pcmPath, sampleRate, pieces });
    if (message.kind !== 'heard') throw failed(`Said ${message.kind}.`);
    return message;
  }

  close(): void {
    this.#options.signal.removeEventListener('abort', this.#kill);
    this.#kill();
  }

  readonly #kill = () => {
    this.#child.end();
  };

  async #ask(command: SpeechCommand): Promise<SpeechMessage> {
    this.#options.signal.throwIfAborted();
    if (this.#over !== null) throw this.#over;
    const message = await new Promise<SpeechMessage>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#child.send(command);
    }).catch((error: unknown) => {
      this.#options.signal.throwIfAborted();
      throw error;
    });
    if (message.kind === 'failed') throw failed(message.cause);
    return message;
  }

  #end(cause: string): void {
    this.#over = failed(cause);
    this.#waiting?.reject(this.#over);
  }
}

function failed(cause: unknown): QuarryError {
  const message = 'The speech recogniser stopped unexpectedly. Try again, or with another transcriptionModel.';
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}
