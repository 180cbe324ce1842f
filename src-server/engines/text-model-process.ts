/**
 * One text model in one child process. The threat is a native engine that aborts or hangs: what it was writing fails
 * with `engine_failed`, the server goes on, and the next request starts a new process.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TextModelAnswer, TextModelCommand, TextModelMessage } from '../../workers/child/text-model-protocol.ts';
import { QuarryError } from '../contract/index.ts';
import { SECOND_MS } from '../lib/units.ts';

/** Tokens a conversation with a model may have: more than this takes gigabytes beside the model itself. */
const CONTEXT_TOKENS_MAX = 8192;
/** A process that was asked to stop a text has this long; then it is ended, which always works. */
const ABORT_GRACE_MS = 2 * SECOND_MS;
/** The reader of model files waits for ever for bytes that a cut-off file does not have. */
const LOAD_LIMIT_MS = 180 * SECOND_MS;
const CAUSE_CHARS = 4000;

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

interface Open {
  hear(message: TextModelMessage): void;
  fail(error: QuarryError): void;
}

export class TextModelProcess {
  readonly #child: ChildProcess;
  readonly #open = new Map<number, Open>();
  readonly #ready: Promise<number>;
  #lastId = 0;
  #said = '';
  #ended = false;

  constructor(entry: URL, modelPath: string, { threads, loadLimitMs = LOAD_LIMIT_MS }: ProcessOptions) {
    this.#child = fork(fileURLToPath(entry), [], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // Flags of the server, such as a debugger's port, are not the child's.
      execArgv: [],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-CAUSE_CHARS);
    });
    this.#ready = this.#load(modelPath, threads, loadLimitMs);
    // Whoever asks hears of it; a model that nobody asks for any more must not end the server.
    this.#ready.catch(() => undefined);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Whether somebody waits for it. */
  get busy(): boolean {
    return this.#open.size > 0;
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

  end(): void {
    this.#child.kill('SIGKILL');
  }

  #load(modelPath: string, threads: number, limitMs: number): Promise<number> {
    return new Promise<number>((resolve, reject) => {
      const unusable = (cause: unknown) => {
        reject(failed('The text model could not be loaded: its file is damaged or too large.', cause));
        this.end();
      };
      const limit = setTimeout(() => unusable('It took too long.'), limitMs);
      this.#child.on('message', (message: TextModelMessage) => {
        if (message.kind === 'ready') {
          clearTimeout(limit);
          resolve(message.contextTokens);
        } else if (message.kind === 'unusable') unusable(message.cause);
        else this.#open.get(message.id)?.hear(message);
      });
      const over = (cause: unknown) => {
        this.#ended = true;
        clearTimeout(limit);
        const error = failed('The text model stopped unexpectedly. Send the request again.', cause);
        reject(error);
        for (const { fail } of this.#open.values()) fail(error);
        this.#open.clear();
      };
      this.#child.once('error', over);
      this.#child.once('exit', (code, signal) => over(`Ended with ${code ?? signal}. ${this.#said}`));
      this.#send({ kind: 'load', modelPath, contextTokensMax: CONTEXT_TOKENS_MAX, threads });
    });
  }

  #ask<Answer>(
    command: { kind: 'count'; prompt: string } | ({ kind: 'generate' } & GenerateCall),
    hear: (message: TextModelMessage, settle: { resolve(answer: Answer): void }) => void,
  ): Promise<Answer> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<Answer>((resolve, reject) => {
      if (this.#ended)
        return reject(failed('The text model stopped unexpectedly. Send the request again.', this.#said));
      this.#open.set(id, {
        hear: (message) => {
          if (message.kind === 'failed') reject(failed('The text model failed on this request.', message.cause));
          else hear(message, { resolve });
        },
        fail: reject,
      });
      this.#send({ ...command, id });
    }).finally(() => this.#open.delete(id));
  }

  #send(command: TextModelCommand): void {
    if (this.#child.connected) this.#child.send(command);
  }
}

function failed(message: string, cause: unknown): QuarryError {
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}
