import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { QuarryError } from '../errors.ts';
import { forkChildPrograms, type StartChildProgram } from '../rpc/child-process.ts';
import { reviveTaskError } from '../rpc/errors.ts';
import { endMessage } from '../rpc/rpc.ts';
import type { ChildProgramName } from '../rpc/shell.ts';
import { MIB, SECOND_MS } from '../units.ts';
import { keepThreadsFromThrowing } from './unfailing-threads.ts';

/**
 * The one pool of threads: everything that parses foreign bytes or burns CPU runs here, under a time and a memory
 * limit. Threads are kept for ever and asked to stop; one is ended only when it does not listen (ending threads over
 * and over aborts Electron, and a thread inside a parser cannot hear).
 */

/** At least two, so that a long task never stands before a short one, also on a small machine. */
const THREADS_MIN = 2;

/** Heap of one thread; a parser that needs more fails its own job with `out_of_memory`. */
const HEAP_LIMIT_MB = 1024;

/**
 * Of it, what new objects lie in. Left alone, each thread lets this grow to about 100 MB while it works, garbage for
 * the most part, and keeps it: a crawl of 20,000 pages costs 3 % more CPU with this bound, and 165 MB less memory.
 */
const YOUNG_HEAP_LIMIT_MB = 16;

/**
 * Threads that burn CPU stand back for the one that answers requests. Linux keeps this per thread; where the whole
 * process would stand back, nothing is gained.
 */
export const NICE_INCREMENT = process.platform === 'linux' ? 10 : 0;

/** How long a task that was asked to stop has before its thread is ended. */
const GRACE_MS = 2 * SECOND_MS;

/** Memory outside the heap (WASM, buffers) is not bounded per thread: the process is watched as a whole. */
const MEMORY_WATCH_MS = SECOND_MS;

/**
 * What the pool can be asked: task name → input and output, plain data that crosses a thread by structured clone. Large
 * content travels as file paths. Each folder of `workers` adds its own tasks (`declare module`).
 */
// biome-ignore lint/suspicious/noEmptyInterface: the folders of `workers` add their tasks.
export interface TaskMap {}

export type TaskName = keyof TaskMap;

/** How far a task is. */
export interface TaskProgress {
  /** 0–100. */
  percent: number;
  stage: string;
  message: string;
}

export interface RunTaskOptions {
  signal?: AbortSignal;
  /** The account whose turn the thread is. */
  accountId: string;
  /** Long work: it never takes the last thread. */
  heavy?: boolean;
  /** Wall time from the moment a thread begins, not from when it was asked for. */
  timeLimitMs: number;
  onProgress?(progress: TaskProgress): void;
}

export type RunTask = <Name extends TaskName>(
  task: Name,
  input: TaskMap[Name]['input'],
  options: RunTaskOptions,
) => Promise<TaskMap[Name]['output']>;

export interface WorkerPool {
  /** Errors: what the task threw, `timeout`, `out_of_memory`, `engine_failed` when its thread died. */
  run: RunTask;
  figures(): PoolFigures;
  close(): Promise<void>;
}

export interface PoolFigures {
  threads: number;
  busy: number;
  waiting: number;
}

interface WorkerPoolOptions {
  /** The built or source entry of the workers. */
  entry: URL;
  /** How child programs of tasks are started; they are forked when it is not said. */
  startChild?: StartChildProgram;
  threads?: number;
  /** Resident memory of the process at which the longest-running task is ended. */
  memoryLimitBytes: number;
  /** A thread died beside its tasks, or a new one could not begin; for the log. */
  onThreadLost?: (error: unknown) => void;
}

interface PendingTask extends Waiting {
  start(): void;
}

interface ActiveTask {
  startedAt: number;
  stop(error: QuarryError): void;
}

export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  keepThreadsFromThrowing();
  const threads = options.threads ?? Math.max(THREADS_MIN, availableParallelism());
  const piscina = new Piscina({
    filename: options.entry.href,
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: 1,
    niceIncrement: NICE_INCREMENT,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_LIMIT_MB },
  });
  const scheduler = new Scheduler(threads);
  // Without a listener such an error would end the whole server. The next task that finds no thread begins a new one.
  piscina.on('error', (error: unknown) => {
    options.onThreadLost?.(error);
    // Where there is none at all, what was handed over waits for nothing.
    if (piscina.threads.length === 0) scheduler.stopAll(threadLost(error));
  });
  const startChild = options.startChild ?? forkChildPrograms(options.entry);
  const watch = setInterval(() => scheduler.relieve(options.memoryLimitBytes), MEMORY_WATCH_MS);
  watch.unref();

  return {
    run: (task, input, runOptions) =>
      scheduler.schedule(runOptions, (active) =>
        runInThread(piscina, { task, input, options: runOptions, active, startChild }),
      ),
    figures: () => ({ threads, busy: scheduler.busy, waiting: scheduler.waiting }),
    close: async () => {
      clearInterval(watch);
      await piscina.destroy();
    },
  };
}

class Scheduler {
  readonly #queue = new FairQueue<PendingTask>();
  readonly #active = new Set<ActiveTask>();
  readonly #threads: number;
  #heavyRunning = 0;

  constructor(threads: number) {
    this.#threads = threads;
  }

  get busy(): number {
    return this.#active.size;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Runs `work` when a thread is free and it is the account's turn. */
  schedule<Result>(options: RunTaskOptions, work: (active: ActiveTask) => Promise<Result>): Promise<Result> {
    const { signal, accountId, heavy = false } = options;
    return new Promise<Result>((resolve, reject) => {
      const onAbort = () => {
        if (this.#queue.remove(pending)) reject(signal?.reason);
      };
      const pending: PendingTask = {
        accountId,
        heavy,
        start: () => {
          signal?.removeEventListener('abort', onAbort);
          const active: ActiveTask = { startedAt: performance.now(), stop: () => {} };
          this.#active.add(active);
          if (heavy) this.#heavyRunning += 1;
          work(active)
            .then(resolve, reject)
            .finally(() => {
              this.#active.delete(active);
              if (heavy) this.#heavyRunning -= 1;
              this.#dispatch();
            });
        },
      };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#queue.push(pending);
      this.#dispatch();
    });
  }

  /** Ends the task that has run longest while the process holds more memory than it may. */
  relieve(memoryLimitBytes: number): void {
    if (this.#active.size === 0 || process.memoryUsage.rss() < memoryLimitBytes) return;
    const [longest] = [...this.#active].sort((a, b) => a.startedAt - b.startedAt);
    longest?.stop(outOfMemory());
  }

  stopAll(error: QuarryError): void {
    for (const { stop } of this.#active) stop(error);
  }

  #dispatch(): void {
    while (this.#active.size < this.#threads) {
      const next = this.#queue.shift(this.#heavyRunning < this.#threads - 1);
      if (!next) return;
      next.start();
    }
  }
}

interface ThreadCall<Name extends TaskName> {
  task: Name;
  input: TaskMap[Name]['input'];
  options: RunTaskOptions;
  active: ActiveTask;
  startChild: StartChildProgram;
}

/** Hands one task to a thread and listens to it: progress out, cancel in, and an end by force as the last resort. */
async function runInThread<Name extends TaskName>(
  piscina: Piscina,
  call: ThreadCall<Name>,
): Promise<TaskMap[Name]['output']> {
  const { task, input, options, active, startChild } = call;
  const { port1, port2 } = new MessageChannel();
  const force = new AbortController();
  const retired = new Promise<TaskOutcome>((resolve) => {
    port1.on('message', (message: TaskMessage) => {
      if ('progress' in message) options.onProgress?.(message.progress);
      else if ('startChild' in message) startForTask(startChild, message.startChild);
      else resolve(message.retired);
    });
  });
  const ending = new Ending(port1, force);
  active.stop = (error) => ending.begin(error);
  const onAbort = () => ending.begin(options.signal?.reason);
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.signal?.aborted) onAbort();
  const limit = setTimeout(() => ending.begin(tookTooLong()), options.timeLimitMs);
  try {
    const run = piscina.run({ task, input, port: port2 }, { transferList: [port2], signal: force.signal });
    const outcome = await Promise.race([
      run.then((output) => ({ output })),
      retired.then((last) => endThread(last, force)),
    ]);
    if ('error' in outcome) throw outcome.error;
    return outcome.output as TaskMap[Name]['output'];
  } catch (error) {
    throw ending.reason ?? errorOfThread(error);
  } finally {
    clearTimeout(limit);
    ending.over();
    options.signal?.removeEventListener('abort', onAbort);
    port1.close();
  }
}

/** The thread did its task and waits for its end, which gives back what its engines hold. */
function endThread(outcome: TaskOutcome, force: AbortController): TaskOutcome {
  force.abort();
  return outcome;
}

/** Asks a task to stop, and ends its thread when it has not done so within the grace. */
class Ending {
  reason: unknown = null;
  readonly #port: MessagePort;
  readonly #force: AbortController;
  #timer: NodeJS.Timeout | null = null;

  constructor(port: MessagePort, force: AbortController) {
    this.#port = port;
    this.#force = force;
  }

  begin(reason: unknown): void {
    if (this.reason !== null) return;
    this.reason = reason;
    this.#port.postMessage('cancel');
    this.#timer = setTimeout(() => this.#force.abort(), GRACE_MS);
  }

  over(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }
}

function errorOfThread(error: unknown): QuarryError {
  const revived = reviveTaskError(error);
  if (revived) return revived;
  if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY') return outOfMemory(error);
  return threadLost(error);
}

function threadLost(cause: unknown): QuarryError {
  const message = 'The engine stopped unexpectedly on this source. Send it again.';
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}

function outOfMemory(cause?: unknown): QuarryError {
  const message = 'The source needs more memory than one job may have. Split it into smaller parts.';
  return new QuarryError('out_of_memory', message, { cause });
}

function tookTooLong(): QuarryError {
  return new QuarryError('timeout', 'Reading the source took too long. Try a smaller or simpler one.');
}

/** The memory watch's limit: generous, but well before the machine begins to swap. */
export function defaultMemoryLimitBytes(totalBytes: number): number {
  const FLOOR_MB = 1536;
  const CEILING_MB = 6144;
  return Math.min(CEILING_MB * MIB, Math.max(FLOOR_MB * MIB, totalBytes * 0.6));
}

/** A piece of work that waits for a thread. */
interface Waiting {
  accountId: string;
  heavy: boolean;
}

/**
 * Who gets the next free thread: light work before heavy, and within each the accounts in turn, so that neither an
 * hour of video nor somebody's thousand documents stand before another person's single page.
 */
class FairQueue<Item extends Waiting> {
  readonly #light = new Map<string, Item[]>();
  readonly #heavy = new Map<string, Item[]>();

  push(item: Item): void {
    const queue = item.heavy ? this.#heavy : this.#light;
    const items = queue.get(item.accountId);
    if (items) items.push(item);
    else queue.set(item.accountId, [item]);
  }

  /** The next item, leaving heavy work out when `allowHeavy` is false. */
  shift(allowHeavy: boolean): Item | undefined {
    return shiftFrom(this.#light) ?? (allowHeavy ? shiftFrom(this.#heavy) : undefined);
  }

  remove(item: Item): boolean {
    const queue = item.heavy ? this.#heavy : this.#light;
    const items = queue.get(item.accountId);
    const index = items?.indexOf(item) ?? -1;
    if (!items || index < 0) return false;
    items.splice(index, 1);
    if (items.length === 0) queue.delete(item.accountId);
    return true;
  }

  get size(): number {
    let size = 0;
    for (const queue of [this.#light, this.#heavy]) for (const items of queue.values()) size += items.length;
    return size;
  }
}

/** A Map keeps insertion order: the account served goes to its end. */
function shiftFrom<Item>(queue: Map<string, Item[]>): Item | undefined {
  const first = queue.entries().next();
  if (first.done) return undefined;
  const [accountId, items] = first.value;
  const item = items.shift();
  queue.delete(accountId);
  if (items.length > 0) queue.set(accountId, items);
  return item;
}

/**
 * Starts a child program for a task and relays its line to the thread. Threads cannot start one themselves where the
 * desktop shell does it; and this way the program ends with its task also when the task's thread dies.
 */
function startForTask(start: StartChildProgram, { name, port }: TaskChildRequest): void {
  const program = start(name, {
    onMessage: (message) => port.postMessage(message),
    onEnd: (cause) => {
      port.postMessage(endMessage(cause));
      port.close();
    },
  });
  port.on('message', (message) => program.send(message));
  // Also when the thread at the other end died.
  port.on('close', () => program.end());
}

/** A child program that a task starts, and the thread's line to it. */
interface TaskChildRequest {
  name: ChildProgramName;
  port: MessagePort;
}

/** What a running task says through its MessagePort. */
export type TaskMessage =
  | { progress: { percent: number; stage: string; message: string } }
  | { startChild: TaskChildRequest }
  /** How the task ended, from a thread that holds more memory than it should and waits to be ended. */
  | { retired: TaskOutcome };

/** `error` is one that `reviveTaskError` reads. */
type TaskOutcome = { output: unknown } | { error: Error };

/** The message a pool thread is handed. `port` carries TaskMessage out and the string `cancel` in. */
export interface TaskEnvelope<Name extends TaskName = TaskName> {
  task: Name;
  input: TaskMap[Name]['input'];
  port: import('node:worker_threads').MessagePort;
}

export interface TaskContext {
  /** Aborted by `cancel`, with a QuarryError `cancelled` as its reason. */
  signal: AbortSignal;
  /** Tells the watcher, and hears a `cancel` that is waiting even when the task never gives up its thread. */
  progress(percent: number, stage: string, message: string): void;
  /** Starts a child program. It ends with the thread at the latest; the task ends it when it is done with it. */
  startChild: StartChildProgram;
}

/** A task's code. It checks `signal` between units of work: a thread is ended only when it does not listen. */
export type TaskFunction<Name extends TaskName> = (
  input: TaskMap[Name]['input'],
  context: TaskContext,
) => Promise<TaskMap[Name]['output']> | TaskMap[Name]['output'];
