/**
 * One embedding model in one child process. The threat is a native engine that aborts or hangs: the text it was on
 * fails with `engine_failed`, the server goes on, and the next text starts a new process.
 */
import type { EmbeddingCommand, EmbeddingMessage } from '../../../workers/text/embedding-protocol.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { ChildProgram, StartChildProgram } from '../../platform/rpc/child-process.ts';
import { SECOND_MS } from '../../platform/units.ts';

/** Chunks are shorter than this; memory grows with it. */
const CONTEXT_TOKENS_MAX = 2048;
/** The reader of model files waits for ever for bytes that a cut-off file does not have. */
const LOAD_LIMIT_MS = 60 * SECOND_MS;
/** One text of the greatest length, on a machine that does much else. */
const EMBED_LIMIT_MS = 60 * SECOND_MS;

interface Open {
  resolve(vector: readonly number[]): void;
  reject(error: QuarryError): void;
}

export class EmbeddingProcess {
  readonly #child: ChildProgram;
  readonly #ready: Promise<void>;
  readonly #loaded = Promise.withResolvers<void>();
  #open: Open | null = null;
  #lastId = 0;
  #end: string | null = null;

  constructor(start: StartChildProgram, modelPath: string, threads: number) {
    this.#child = start('embedding', {
      onMessage: (message) => this.#hear(message as EmbeddingMessage),
      onEnd: (cause) => this.#over(cause),
    });
    this.#ready = within(this.#loaded.promise, LOAD_LIMIT_MS, () => this.end());
    // Whoever asks hears of it; a model that nobody asks for any more must not end the server.
    this.#ready.catch(() => undefined);
    this.#send({ kind: 'load', modelPath, contextTokensMax: CONTEXT_TOKENS_MAX, threads });
  }

  get ended(): boolean {
    return this.#end !== null;
  }

  /** One text at a time. Errors: `engine_unavailable` for a file that is no model, or is damaged; `engine_failed`. */
  async embed(text: string): Promise<readonly number[]> {
    await this.#ready;
    if (this.#end !== null) throw stopped(this.#end);
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>();
    this.#open = { resolve, reject };
    this.#send({ kind: 'embed', id, text });
    return within(promise, EMBED_LIMIT_MS, () => this.end()).finally(() => {
      this.#open = null;
    });
  }

  end(): void {
    this.#child.end();
  }

  #hear(message: EmbeddingMessage): void {
    if (message.kind === 'ready') this.#loaded.resolve();
    else if (message.kind === 'unusable') {
      this.#loaded.reject(unusable(message.cause));
      this.end();
    } else if (message.kind === 'embedded') this.#open?.resolve(message.vector);
    else {
      const text = 'The embedding model failed on this text. Search with other words, or with mode lexical.';
      this.#open?.reject(new QuarryError('engine_failed', text, { cause: message.cause }));
    }
  }

  #over(cause: string): void {
    this.#end = cause;
    this.#loaded.reject(unusable(cause));
    this.#open?.reject(stopped(cause));
  }

  #send(command: EmbeddingCommand): void {
    this.#child.send(command);
  }
}

/** What hangs is ended, which fails what was waited for. */
async function within<Value>(work: Promise<Value>, limitMs: number, end: () => void): Promise<Value> {
  const limit = setTimeout(end, limitMs);
  return work.finally(() => clearTimeout(limit));
}

function unusable(cause: unknown): QuarryError {
  const message = 'The embedding model could not be loaded: its file is damaged or too large. Install it anew.';
  return new QuarryError('engine_unavailable', message, { cause });
}

function stopped(cause: unknown): QuarryError {
  const message = 'The embedding model stopped unexpectedly. Send the request again.';
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}
