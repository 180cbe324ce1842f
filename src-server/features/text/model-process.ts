/**
 * One text model in one child process. The threat is a native engine that aborts or hangs: what it was writing fails
 * with `engine_failed`, the server goes on, and the next request starts a new process.
 */

import { availableParallelism, loadavg } from 'node:os';
import type { GenerateCall, ModelToLoad, TextModel, TextModelAnswer } from '../../../workers/text/tasks.ts';
import type { Clock } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { StartChildProgram } from '../../platform/rpc/child-process.ts';
import { connect, type Peer } from '../../platform/rpc/rpc.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';

/** Tokens a conversation with a model may have: more than this takes gigabytes beside the model itself. */
const CONTEXT_TOKENS_MAX = 8192;

/** A process that was asked to stop a text has this long; then it is ended, which always works. */
const ABORT_GRACE_MS = 2 * SECOND_MS;

/** The reader of model files waits for ever for bytes that a cut-off file does not have. */
const LOAD_LIMIT_MS = 180 * SECOND_MS;

interface ProcessOptions {
  threads: number;
  loadLimitMs?: number;
}

export class TextModelProcess {
  readonly #start: StartChildProgram;
  #program: Peer<TextModel>;
  readonly #ready: Promise<number>;
  /** Calls that are not answered yet. */
  #open = 0;
  #isLoading = true;
  #isEnding = false;
  #tookTooLong = false;
  #onLeft: (() => void) | null = null;

  constructor(start: StartChildProgram, modelPath: string, { threads, loadLimitMs = LOAD_LIMIT_MS }: ProcessOptions) {
    this.#start = start;
    this.#program = this.#connect();
    const model = { modelPath, contextTokensMax: CONTEXT_TOKENS_MAX, threads };
    const limit = setTimeout(() => {
      this.#tookTooLong = true;
      this.end();
    }, loadLimitMs);
    this.#ready = this.#load(model).finally(() => {
      clearTimeout(limit);
      this.#isLoading = false;
    });
    // Those that ask get the error; without any it must not end the server.
    this.#ready.catch(() => undefined).finally(() => this.#endIfLeft());
  }

  /** Whether it has ended, or is told to, which takes a moment. */
  get ended(): boolean {
    return this.#isEnding || (!this.#isLoading && this.#program.isEnded);
  }

  get loadTookTooLong(): boolean {
    return this.#tookTooLong;
  }

  /** Whether a caller waits for an answer, or for the model to be loaded. */
  get busy(): boolean {
    return !this.ended && (this.#open > 0 || this.#isLoading);
  }

  /** Tokens the model can hold. Errors: `engine_failed`. */
  contextTokens(): Promise<number> {
    return this.#ready;
  }

  async countTokens(prompt: string): Promise<number> {
    await this.#ready;
    return this.#answered(this.#program.remote.countTokens(prompt));
  }

  /** Errors: `engine_failed`, and the signal's reason. */
  async generate(call: GenerateCall, onText: (text: string) => void, signal: AbortSignal): Promise<TextModelAnswer> {
    await this.#ready;
    let grace: NodeJS.Timeout | undefined;
    const onAbort = () => {
      grace = setTimeout(() => this.end(), ABORT_GRACE_MS);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    return this.#answered(this.#program.remote.generate(call, onText, signal)).finally(() => {
      clearTimeout(grace);
      signal.removeEventListener('abort', onAbort);
    });
  }

  /** Ends it once no caller waits for it, and reports that. */
  endWhenIdle(onLeft: () => void): void {
    this.#onLeft = onLeft;
    this.#endIfLeft();
  }

  end(): void {
    this.#isEnding = true;
    this.#program.end();
  }

  #endIfLeft(): void {
    if (this.#onLeft === null) return;
    // Callers that have just got this process call it first.
    setImmediate(() => {
      if (this.busy) return;
      this.end();
      this.#onLeft?.();
    });
  }

  #connect(): Peer<TextModel> {
    return connect<TextModel>((listeners) => this.#start('text-model', listeners), {
      ended: (cause) => failed('The text model stopped unexpectedly. Send the request again.', cause),
    });
  }

  async #load(model: Omit<ModelToLoad, 'gpu'>): Promise<number> {
    try {
      return await this.#program.remote.load({ ...model, gpu: 'auto' }).catch((error: QuarryError) => {
        if (this.#isEnding || !this.#program.isEnded) throw error;
        // The drivers of the graphics processor may be what kills it: a new process loads the model without.
        process.emitWarning(`The text model died with the graphics processor; it goes on without. ${error.cause}`);
        this.#program = this.#connect();
        return this.#program.remote.load({ ...model, gpu: false });
      });
    } catch (error) {
      this.end();
      if (!this.#tookTooLong) throw error;
      throw failed('The text model could not be loaded: its file is damaged or too large.', 'It took too long.');
    }
  }

  #answered<Answer>(call: Promise<Answer>): Promise<Answer> {
    this.#open += 1;
    return call.finally(() => {
      this.#open -= 1;
      this.#endIfLeft();
    });
  }
}

function failed(message: string, cause: unknown): QuarryError {
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}

/** Models held in memory at once. */
const PROCESSES_MAX = 2;

/** How often models that nobody asks are looked for. */
const IDLE_LOOK_MS = SECOND_MS;

interface Held {
  process: TextModelProcess;
  revision: string;
  /** When somebody was last seen to wait for it. */
  usedAt: number;
}

export interface TextModelProcessesDeps {
  startChild: StartChildProgram;
  clock: Clock;
  /** Minutes that nobody asks a model for until it gives its memory back; 0 means that it never does. */
  idleMinutes(): number;
}

/** A model's file, told from others that had its name. */
interface ModelFile {
  path: string;
  revision: string;
}

/** The loaded models; the one asked for longest ago makes room for another, and who is not asked at all goes. */
export class TextModelProcesses {
  readonly #deps: TextModelProcessesDeps;
  readonly #byPath = new Map<string, Held>();
  /** They write what they were asked for to its end. */
  readonly #leaving = new Set<TextModelProcess>();
  readonly #idleLook: NodeJS.Timeout;

  constructor(deps: TextModelProcessesDeps) {
    this.#deps = deps;
    this.#idleLook = setInterval(() => this.#releaseIdle(), IDLE_LOOK_MS).unref();
  }

  /** The process that holds the file as it is now. Errors: `engine_failed` where it cannot be loaded. */
  async loaded(file: ModelFile): Promise<TextModelProcess> {
    const process = this.#of(file);
    try {
      await process.contextTokens();
      return process;
    } catch (error) {
      // Two that do not fit into the memory together are held one after the other.
      if (process.loadTookTooLong || !this.#releaseOthers(file.path)) throw error;
      const again = this.#of(file);
      await again.contextTokens();
      return again;
    }
  }

  /** Lets go of files that are there no longer, or are others by now. */
  keepOnly(files: readonly ModelFile[]): void {
    const there = new Map(files.map(({ path, revision }) => [path, revision]));
    for (const [path, { revision }] of this.#byPath) if (there.get(path) !== revision) this.release(path);
  }

  release(path: string): void {
    const held = this.#byPath.get(path);
    this.#byPath.delete(path);
    if (held === undefined) return;
    this.#leaving.add(held.process);
    held.process.endWhenIdle(() => this.#leaving.delete(held.process));
  }

  close(): void {
    clearInterval(this.#idleLook);
    for (const { process } of this.#byPath.values()) process.end();
    for (const process of this.#leaving) process.end();
    this.#byPath.clear();
  }

  #of({ path, revision }: ModelFile): TextModelProcess {
    const known = this.#byPath.get(path);
    const fits = known !== undefined && known.revision === revision && !known.process.ended;
    if (!fits) this.release(path);
    const process = fits ? known.process : new TextModelProcess(this.#deps.startChild, path, { threads: threads() });
    // As the last that was asked for.
    this.#byPath.delete(path);
    this.#byPath.set(path, { process, revision, usedAt: this.#deps.clock.now() });
    this.#makeRoomBeside(process);
    return process;
  }

  /** Whoever waits for a model keeps it: there may be more for a while than there should be. */
  #makeRoomBeside(asked: TextModelProcess): void {
    for (const [path, { process }] of this.#byPath) {
      if (this.#byPath.size <= PROCESSES_MAX) return;
      if (process !== asked && !process.busy) this.release(path);
    }
  }

  #releaseIdle(): void {
    const { clock, idleMinutes } = this.#deps;
    const minutes = idleMinutes();
    const now = clock.now();
    for (const [path, held] of this.#byPath) {
      // A clock that was set back has measured nothing.
      if (held.process.busy || held.usedAt > now) held.usedAt = now;
      else if (minutes > 0 && now - held.usedAt >= minutes * MINUTE_MS) this.release(path);
    }
  }

  /** Whether there was one that nobody waits for. */
  #releaseOthers(asked: string): boolean {
    const idle = [...this.#byPath].filter(([path, { process }]) => path !== asked && !process.busy && !process.ended);
    for (const [path] of idle) this.release(path);
    return idle.length > 0;
  }
}

/** llama.cpp spins where it waits for a thread: more threads than free cores make it a thousand times slower. */
function threads(): number {
  const cores = availableParallelism();
  const free = Math.floor(cores - (loadavg()[0] ?? 0));
  return Math.max(1, Math.min(Math.floor(cores / 2), free));
}
