import { QuarryError } from '../../src-server/contract/index.ts';
import type { ChildProgram, StartChildProgram } from '../../src-server/lib/child-program.ts';
import type { SpeechCommand, SpeechMessage } from '../child/speech-protocol.ts';

/** The child process that holds sherpa-onnx. It is ended with `close`, or at once by the signal. */
export class SpeechChild {
  readonly #child: ChildProgram;
  readonly #signal: AbortSignal;
  #waiting: { resolve(message: SpeechMessage): void; reject(error: unknown): void } | null = null;
  #onBytes: (bytes: number) => void = () => undefined;
  #over: QuarryError | null = null;

  constructor(startChild: StartChildProgram, signal: AbortSignal) {
    this.#signal = signal;
    this.#child = startChild('speech', {
      onMessage: (message) => this.#hear(message as SpeechMessage),
      onEnd: (cause) => this.#end(cause),
    });
    signal.addEventListener('abort', this.#kill, { once: true });
  }

  /** One question after the other. Errors: `engine_failed`, and the signal's reason. */
  async ask<Kind extends SpeechMessage['kind']>(
    command: SpeechCommand,
    kind: Kind,
    onBytes: (bytes: number) => void = () => undefined,
  ): Promise<Extract<SpeechMessage, { kind: Kind }>> {
    this.#signal.throwIfAborted();
    if (this.#over !== null) throw this.#over;
    this.#onBytes = onBytes;
    const message = await new Promise<SpeechMessage>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#child.send(command);
    }).catch((error: unknown) => {
      this.#signal.throwIfAborted();
      throw error;
    });
    if (message.kind === 'failed') throw failed(message.cause);
    if (message.kind !== kind) throw failed(`Said ${message.kind}.`);
    return message as Extract<SpeechMessage, { kind: Kind }>;
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#kill);
    this.#kill();
  }

  readonly #kill = () => {
    this.#child.end();
  };

  #hear(message: SpeechMessage): void {
    if (message.kind === 'detecting') this.#onBytes(message.bytes);
    else this.#waiting?.resolve(message);
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
