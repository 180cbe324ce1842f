/**
 * Runs one text model in a child process. Threat: a native engine that aborts or hangs. The running request then fails
 * with `engine_failed`, the server continues, and the next request starts a new process.
 */

import { availableParallelism, loadavg } from 'node:os';
import type { GenerateCall, ModelToLoad, PromptText, TextModel, TextModelAnswer } from '../../../workers/text/tasks.ts';
import type { Clock } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import { graceMs, type LimitReached, limitPhrase, limitWork } from '../../platform/process/work-limit.ts';
import type { StartChildProgram } from '../../platform/rpc/child-process.ts';
import { connectPeer, type Peer } from '../../platform/rpc/rpc.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';

/** Maximum context of a model. A larger one takes gigabytes on top of the model itself. */
const CONTEXT_TOKENS_MAX = 8192;

/** Time for an aborted generation to stop, more on a busy machine. After that the process is killed. */
const ABORT_GRACE_MS = 2 * SECOND_MS;

/** CPU time of all threads. Loading a model of gigabytes takes seconds. */
const LOAD_LIMIT_MS = 10 * MINUTE_MS;

/** Time without CPU after which loading counts as stuck. */
const STANDSTILL_MS = MINUTE_MS;

interface ProcessOptions {
  threads: number;
  loadLimitMs?: number;
  standstillMs?: number;
}

export class TextModelProcess {
  readonly #start: StartChildProgram;
  #program: Peer<TextModel>;
  readonly #ready: Promise<number>;
  /** Calls that are not answered yet. */
  #open = 0;
  #isLoading = true;
  #isEnding = false;
  #reached: LimitReached | null = null;
  #onLeft: (() => void) | null = null;

  constructor(start: StartChildProgram, modelPath: string, options: ProcessOptions) {
    const { threads, loadLimitMs = LOAD_LIMIT_MS, standstillMs = STANDSTILL_MS } = options;
    this.#start = start;
    this.#program = this.#connectTextProcess();
    const model = { modelPath, contextTokensMax: CONTEXT_TOKENS_MAX, threads };
    const limit = limitWork({
      cpuLimitMs: loadLimitMs,
      standstillMs,
      cpuMs: () => this.#program.cpuMs(),
      onLimit: (reached) => {
        this.#reached = reached;
        this.endTextProcess();
      },
    });
    this.#ready = this.#loadTextModel(model).finally(() => {
      limit.end();
      this.#isLoading = false;
    });
    // Those that ask get the error; without any it must not end the server.
    this.#ready.catch(() => undefined).finally(() => this.#endIfLeft());
  }

  /** Whether the process has exited or is exiting. */
  get hasTextProcessEnded(): boolean {
    return this.#isEnding || (!this.#isLoading && this.#program.isEnded);
  }

  get isLoaded(): boolean {
    return !this.#isLoading && !this.hasTextProcessEnded;
  }

  get loadTookTooLong(): boolean {
    return this.#reached !== null;
  }

  /** Whether a caller waits for an answer or for the model to load. */
  get isTextProcessBusy(): boolean {
    return !this.hasTextProcessEnded && (this.#open > 0 || this.#isLoading);
  }

  /** Context size of the model in tokens. Errors: `engine_failed`. */
  contextTokens(): Promise<number> {
    return this.#ready;
  }

  async countPromptTokens(prompt: PromptText): Promise<number> {
    await this.#ready;
    return this.#countOpenCall(this.#program.remote.countTokens(prompt));
  }

  /** Errors: `engine_failed`, and the signal's reason. */
  async generateAnswer(
    call: GenerateCall,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<TextModelAnswer> {
    await this.#ready;
    let grace: NodeJS.Timeout | undefined;
    const endAfterGrace = () => {
      grace = setTimeout(() => this.endTextProcess(), graceMs(ABORT_GRACE_MS));
    };
    signal.addEventListener('abort', endAfterGrace, { once: true });
    return this.#countOpenCall(this.#program.remote.generate(call, onText, signal)).finally(() => {
      clearTimeout(grace);
      signal.removeEventListener('abort', endAfterGrace);
    });
  }

  /** Ends the process once it is idle, then calls `onLeft`. */
  endWhenIdle(onLeft: () => void): void {
    this.#onLeft = onLeft;
    this.#endIfLeft();
  }

  endTextProcess(): void {
    this.#isEnding = true;
    this.#program.end();
  }

  #endIfLeft(): void {
    if (this.#onLeft === null) return;
    // Deferred, so that callers that have just received this process can send their request first.
    setImmediate(() => {
      if (this.isTextProcessBusy) return;
      this.endTextProcess();
      this.#onLeft?.();
    });
  }

  #connectTextProcess(): Peer<TextModel> {
    return connectPeer<TextModel>((listeners) => this.#start('text-model', listeners), {
      ended: (cause) => textModelFailed(say`The text model stopped unexpectedly. Send the request again.`, cause),
    });
  }

  async #loadTextModel(model: Omit<ModelToLoad, 'gpu'>): Promise<number> {
    try {
      return await this.#program.remote.load({ ...model, gpu: 'auto' }).catch((error: QuarryError) => {
        if (this.#isEnding || !this.#program.isEnded) throw error;
        // The drivers of the graphics processor may be what kills it: a new process loads the model without.
        process.emitWarning(`The text model died with the graphics processor; it goes on without. ${error.cause}`);
        this.#program = this.#connectTextProcess();
        return this.#program.remote.load({ ...model, gpu: false });
      });
    } catch (error) {
      this.endTextProcess();
      if (this.#reached === null) throw error;
      const why = say`Loading it was stopped: ${limitPhrase(this.#reached)}.`;
      throw textModelFailed(
        say`The text model could not be loaded. ${why} Its file is damaged or too large: install it again.`,
      );
    }
  }

  #countOpenCall<Answer>(call: Promise<Answer>): Promise<Answer> {
    this.#open += 1;
    return call.finally(() => {
      this.#open -= 1;
      this.#endIfLeft();
    });
  }
}

function textModelFailed(message: Said, cause?: unknown): QuarryError {
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}

/** Maximum number of loaded models. */
const PROCESSES_MAX = 2;

/** Interval of the check for idle models. */
const IDLE_LOOK_MS = SECOND_MS;

interface Held {
  process: TextModelProcess;
  revision: string;
  /** Last time the model was in use. */
  usedAt: number;
}

export interface TextModelProcessesDeps {
  startChild: StartChildProgram;
  clock: Clock;
  /** Idle minutes after which a model is unloaded; 0 keeps it loaded. */
  idleMinutes(): number;
}

/** A model file. Its revision shows whether the file was replaced. */
interface ModelFile {
  path: string;
  revision: string;
}

/** The loaded models, as an LRU cache with an idle timeout. */
export class TextModelProcesses {
  readonly #deps: TextModelProcessesDeps;
  readonly #byPath = new Map<string, Held>();
  /** Released processes that still finish their running requests. */
  readonly #leaving = new Set<TextModelProcess>();
  readonly #idleLook: NodeJS.Timeout;

  constructor(deps: TextModelProcessesDeps) {
    this.#deps = deps;
    this.#idleLook = setInterval(() => this.#releaseIdle(), IDLE_LOOK_MS).unref();
  }

  /** The process with the current version of the file loaded. Errors: `engine_failed` when it cannot be loaded. */
  async loadedTextProcess(file: ModelFile): Promise<TextModelProcess> {
    const process = this.#textProcessOf(file);
    try {
      await process.contextTokens();
      return process;
    } catch (error) {
      // Two models may not fit into memory together. Release the others and retry.
      if (process.loadTookTooLong || !this.#releaseOthers(file.path)) throw error;
      const again = this.#textProcessOf(file);
      await again.contextTokens();
      return again;
    }
  }

  /** Files of the models that are loaded. */
  loadedModelPaths(): string[] {
    return [...this.#byPath].flatMap(([path, { process }]) => (process.isLoaded ? [path] : []));
  }

  /** Releases models whose file was removed or replaced. */
  keepOnly(files: readonly ModelFile[]): void {
    const there = new Map(files.map(({ path, revision }) => [path, revision]));
    for (const [path, { revision }] of this.#byPath) if (there.get(path) !== revision) this.releaseTextModel(path);
  }

  releaseTextModel(path: string): void {
    const held = this.#byPath.get(path);
    this.#byPath.delete(path);
    if (held === undefined) return;
    this.#leaving.add(held.process);
    held.process.endWhenIdle(() => this.#leaving.delete(held.process));
  }

  closeTextProcesses(): void {
    clearInterval(this.#idleLook);
    for (const { process } of this.#byPath.values()) process.endTextProcess();
    for (const process of this.#leaving) process.endTextProcess();
    this.#byPath.clear();
  }

  #textProcessOf({ path, revision }: ModelFile): TextModelProcess {
    const known = this.#byPath.get(path);
    const fits = known !== undefined && known.revision === revision && !known.process.hasTextProcessEnded;
    if (!fits) this.releaseTextModel(path);
    const process = fits
      ? known.process
      : new TextModelProcess(this.#deps.startChild, path, { threads: freeThreadCount() });
    // Re-inserting makes it the most recently used.
    this.#byPath.delete(path);
    this.#byPath.set(path, { process, revision, usedAt: this.#deps.clock.now() });
    this.#makeRoomBeside(process);
    return process;
  }

  /** A busy model is never released, so the number of models may exceed the limit for a while. */
  #makeRoomBeside(asked: TextModelProcess): void {
    for (const [path, { process }] of this.#byPath) {
      if (this.#byPath.size <= PROCESSES_MAX) return;
      if (process !== asked && !process.isTextProcessBusy) this.releaseTextModel(path);
    }
  }

  #releaseIdle(): void {
    const { clock, idleMinutes } = this.#deps;
    const minutes = idleMinutes();
    const now = clock.now();
    for (const [path, held] of this.#byPath) {
      // A time in the future means that the clock was set back. Restart the idle time.
      if (held.process.isTextProcessBusy || held.usedAt > now) held.usedAt = now;
      else if (minutes > 0 && now - held.usedAt >= minutes * MINUTE_MS) this.releaseTextModel(path);
    }
  }

  /** Releases the other idle models. Returns whether there were any. */
  #releaseOthers(asked: string): boolean {
    const idle = [...this.#byPath].filter(
      ([path, { process }]) => path !== asked && !process.isTextProcessBusy && !process.hasTextProcessEnded,
    );
    for (const [path] of idle) this.releaseTextModel(path);
    return idle.length > 0;
  }
}

/** llama.cpp spins while it waits for a thread. More threads than free cores make it a thousand times slower. */
function freeThreadCount(): number {
  const cores = availableParallelism();
  const free = Math.floor(cores - (loadavg()[0] ?? 0));
  return Math.max(1, Math.min(Math.floor(cores / 2), free));
}
