/**
 * One text model in one child process. The threat is a native engine that aborts or hangs: what it was writing fails
 * with `engine_failed`, the server goes on, and the next request starts a new process.
 */
import type { TextModelAnswer, TextModelCommand, TextModelMessage } from '../../../workers/text/text-model-protocol.ts';
import { QuarryError } from '../../contract/index.ts';
import type { ChildProgram, StartChildProgram } from '../../platform/rpc/child-process.ts';
import { SECOND_MS } from '../../platform/units.ts';

/** Tokens a conversation with a model may have: more than this takes gigabytes beside the model itself. */
const CONTEXT_TOKENS_MAX = 8192;
/** A process that was asked to stop a text has this long; then it is ended, which always works. */
const ABORT_GRACE_MS = 2 * SECOND_MS;
/** The reader of model files waits for ever for bytes that a cut-off file does not have. */
const LOAD_LIMIT_MS = 180 * SECOND_MS;

export interface GenerateCall {
  prompt: string;
  maxTokens: number;
  temperature: number;
  seed: number;
}

export interface ProcessOptions {
  threads: number;
  loadLimitMs?: number;
}

interface Loading {
  ready(contextTokens: number): void;
  unusable(cause: unknown): void;
  fail(error: QuarryError): void;
  /** Stops the clock of loading. */
  over(): void;
  /** Loads it into a new process, without the graphics processor, whose drivers may be what kills it. */
  again: (() => void) | null;
}

type ModelToLoad = Omit<Extract<TextModelCommand, { kind: 'load' }>, 'kind' | 'gpu'>;

interface Open {
  hear(message: TextModelMessage): void;
  fail(error: QuarryError): void;
}

export class TextModelProcess {
  readonly #start: StartChildProgram;
  #child: ChildProgram;
  readonly #open = new Map<number, Open>();
  readonly #ready: Promise<number>;
  #lastId = 0;
  #loading: Loading | null = null;
  #end: string | null = null;
  #isEnding = false;
  #tookTooLong = false;
  #onLeft: (() => void) | null = null;

  constructor(start: StartChildProgram, modelPath: string, { threads, loadLimitMs = LOAD_LIMIT_MS }: ProcessOptions) {
    this.#start = start;
    this.#child = this.#startChild();
    this.#ready = this.#load({ modelPath, contextTokensMax: CONTEXT_TOKENS_MAX, threads }, loadLimitMs);
    // Whoever asks hears of it; a model that nobody asks for any more must not end the server.
    this.#ready.catch(() => undefined).finally(() => this.#endIfLeft());
  }

  /** Whether it has ended, or is told to, which takes a moment. */
  get ended(): boolean {
    return this.#isEnding || this.#end !== null;
  }

  get loadTookTooLong(): boolean {
    return this.#tookTooLong;
  }

  /** Whether somebody waits for it: for an answer, or for the model to be loaded. */
  get busy(): boolean {
    return !this.ended && (this.#open.size > 0 || this.#loading !== null);
  }

  /** Tokens the model can hold. Errors: `engine_failed`. */
  contextTokens(): Promise<number> {
    return this.#ready;
  }

  async countTokens(prompt: string): Promise<number> {
    await this.#ready;
    return this.#ask<number>({ kind: 'count', prompt }, (message, { resolve }) => {
      if (message.kind === 'counted') resolve(message.promptTokens);
    });
  }

  /** Errors: `engine_failed`, and the signal's reason. */
  async generate(call: GenerateCall, onText: (text: string) => void, signal: AbortSignal): Promise<TextModelAnswer> {
    await this.#ready;
    signal.throwIfAborted();
    let grace: NodeJS.Timeout | undefined;
    const id = this.#lastId + 1;
    const onAbort = () => {
      this.#send({ kind: 'abort', id });
      grace = setTimeout(() => this.end(), ABORT_GRACE_MS);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const answer = await this.#ask<TextModelAnswer>({ kind: 'generate', ...call }, (message, { resolve }) => {
        if (message.kind === 'text') onText(message.text);
        if (message.kind === 'generated') resolve(message.answer);
      });
      signal.throwIfAborted();
      return answer;
    } finally {
      clearTimeout(grace);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Ends it once nobody waits for it any more, and says so. */
  endWhenIdle(onLeft: () => void): void {
    this.#onLeft = onLeft;
    this.#endIfLeft();
  }

  end(): void {
    this.#isEnding = true;
    // Whoever ends it while it loads does not want it again.
    if (this.#loading !== null) this.#loading.again = null;
    this.#child.end();
  }

  #endIfLeft(): void {
    if (this.#onLeft === null) return;
    // Behind those who were handed it just now and have not asked it yet.
    setImmediate(() => {
      if (this.busy) return;
      this.end();
      this.#onLeft?.();
    });
  }

  #startChild(): ChildProgram {
    return this.#start('text-model', {
      onMessage: (message) => this.#hear(message as TextModelMessage),
      onEnd: (cause) => this.#over(cause),
    });
  }

  #load(model: ModelToLoad, limitMs: number): Promise<number> {
    return new Promise<number>((resolve, reject) => {
      const unusable = (cause: unknown) => {
        reject(failed('The text model could not be loaded: its file is damaged or too large.', cause));
        this.end();
      };
      const limit = setTimeout(() => {
        this.#tookTooLong = true;
        unusable('It took too long.');
      }, limitMs);
      this.#loading = {
        ready: resolve,
        unusable,
        fail: reject,
        over: () => clearTimeout(limit),
        again: () => this.#send({ kind: 'load', ...model, gpu: false }),
      };
      this.#send({ kind: 'load', ...model, gpu: 'auto' });
    });
  }

  #hear(message: TextModelMessage): void {
    if (message.kind === 'ready') {
      this.#loading?.over();
      this.#loading?.ready(message.contextTokens);
      this.#loading = null;
    } else if (message.kind === 'unusable') this.#loading?.unusable(message.cause);
    else if (message.kind !== 'able') this.#open.get(message.id)?.hear(message);
  }

  #over(cause: string): void {
    const again = this.#loading?.again;
    if (this.#loading !== null && again) {
      process.emitWarning(`The text model died with the graphics processor; it goes on without. ${cause}`);
      this.#loading.again = null;
      this.#child = this.#startChild();
      again();
      return;
    }
    this.#end = cause;
    const error = failed('The text model stopped unexpectedly. Send the request again.', cause);
    this.#loading?.over();
    this.#loading?.fail(error);
    for (const { fail } of this.#open.values()) fail(error);
    this.#open.clear();
  }

  #ask<Answer>(
    command: { kind: 'count'; prompt: string } | ({ kind: 'generate' } & GenerateCall),
    hear: (message: TextModelMessage, settle: { resolve(answer: Answer): void }) => void,
  ): Promise<Answer> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<Answer>((resolve, reject) => {
      if (this.#end !== null)
        return reject(failed('The text model stopped unexpectedly. Send the request again.', this.#end));
      this.#open.set(id, {
        hear: (message) => {
          if (message.kind === 'failed') reject(failed('The text model failed on this request.', message.cause));
          else hear(message, { resolve });
        },
        fail: reject,
      });
      this.#send({ ...command, id });
    }).finally(() => {
      this.#open.delete(id);
      this.#endIfLeft();
    });
  }

  #send(command: TextModelCommand): void {
    this.#child.send(command);
  }
}

function failed(message: string, cause: unknown): QuarryError {
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}
