/**
 * The thread pool. All parsing of foreign bytes and all CPU work run here, under a time and a memory limit. Threads are
 * reused and cancelled by message. A thread is terminated only when it does not respond: repeated termination aborts
 * Electron, and a thread inside a parser cannot receive messages.
 */

import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { QuarryError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { cpuMsOfThread } from '../process/cpu-time.ts';
import { graceMs, type LimitReached, limitPhrase, limitWork } from '../process/work-limit.ts';
import { forkChildPrograms, type StartChildProgram } from '../rpc/child-process.ts';
import { reviveTaskError } from '../rpc/errors.ts';
import { endMessage, type Line } from '../rpc/rpc.ts';
import type { ChildProgramName } from '../rpc/shell.ts';
import { type Said, say } from '../text/say.ts';
import { MIB, SECOND_MS } from '../units.ts';
import { keepThreadsFromThrowing, NO_THREAD_ID } from './unfailing-threads.ts';

/** At least two, so that a long task does not block a short one on a small machine. */
const THREADS_MIN = 2;

/** Heap of one thread. A parser that needs more fails its own job with `out_of_memory`. */
const HEAP_LIMIT_MB = 1024;

/**
 * The young generation within that heap. By default each thread lets it grow to about 100 MB, mostly garbage, and keeps
 * it. This bound costs a crawl of 20,000 pages 3 % more CPU and saves 165 MB.
 */
const YOUNG_HEAP_LIMIT_MB = 16;

/**
 * Lowers the priority of worker threads below the thread that answers requests. Only Linux sets it per thread. For the
 * whole process it would have no effect.
 */
export const NICE_INCREMENT = process.platform === 'linux' ? 10 : 0;

/**
 * An idle thread gives back the memory of its engines and its heap by its end: after 200 mixed documents the process
 * kept 690 MB, and keeps 300. The next task starts a thread.
 */
const THREAD_IDLE_MS = 30 * SECOND_MS;

/** Time for a cancelled task to stop before its thread is terminated; more on a busy machine. */
const GRACE_MS = 2 * SECOND_MS;

/** Memory outside the heap (WASM, buffers) is not limited per thread, so the whole process is watched. */
const MEMORY_WATCH_MS = SECOND_MS;

/**
 * The tasks of the pool: task name to input and output, plain data that is cloned between threads. Large content
 * travels as file paths. Each folder of `workers` adds its own tasks (`declare module`).
 */
// biome-ignore lint/suspicious/noEmptyInterface: the folders of `workers` add their tasks.
export interface TaskMap {}

export type TaskName = keyof TaskMap;

export interface TaskProgress {
  /** 0–100. */
  percent: number;
  stage: string;
  message: Said;
}

/** What a task sends before it ends: `part` of its entry in the map. */
export type PartOf<Name extends TaskName> = TaskMap[Name] extends { part: infer Part } ? Part : never;

export interface RunTaskOptions<Part = never> {
  signal?: AbortSignal;
  /** The account for fair scheduling. */
  accountId: string;
  /** Long work. It never takes the last free thread. */
  heavy?: boolean;
  /** CPU time of the thread and of the programs that the task starts. */
  timeLimitMs: number;
  /** Time without CPU and without progress after which the task is ended. Default: minutes. */
  standstillMs?: number;
  /** The task begins on a thread: at once, or after a wait in the queue. */
  onStart?(): void;
  onProgress?(progress: TaskProgress): void;
  /** Receives each part of the output, in order, before the task ends. */
  onPart?(part: Part): void;
}

export type RunTask = <Name extends TaskName>(
  task: Name,
  input: TaskMap[Name]['input'],
  options: RunTaskOptions<PartOf<Name>>,
) => Promise<TaskMap[Name]['output']>;

export interface WorkerPool {
  /** Errors: those of the task, `timeout`, `out_of_memory`, and `engine_failed` when its thread died. */
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
  /** Entry file of the workers, source or build. */
  entry: URL;
  /** Starts child programs for tasks. The default forks them. */
  startChild?: StartChildProgram;
  threads?: number;
  /** A thread that has had no task for this long ends. */
  idleMs?: number;
  /** Resident memory of the process above which the longest-running task is ended. */
  memoryLimitBytes: number;
  /** Called when a thread died outside a task, or could not be started. For the log. */
  onThreadLost?: (error: unknown) => void;
}

interface PendingTask extends Waiting {
  start(): void;
  refuse(): void;
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
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: options.idleMs ?? THREAD_IDLE_MS,
    concurrentTasksPerWorker: 1,
    loadBalancer: (_task, workers) => workers.find(isFree) ?? null,
    niceIncrement: NICE_INCREMENT,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_LIMIT_MB },
  });
  const scheduler = new Scheduler(threads);
  // Without a listener this error would end the server. The next task starts a new thread.
  piscina.on('error', (error: unknown) => {
    options.onThreadLost?.(error);
    // Without any thread, queued tasks would never run.
    if (piscina.threads.length === 0) scheduler.stopAll(threadLost(error));
  });
  const startChild = options.startChild ?? forkChildPrograms(options.entry);
  const watch = setInterval(() => scheduler.relieveMemory(options.memoryLimitBytes), MEMORY_WATCH_MS);
  watch.unref();

  return {
    run: (task, input, runOptions) =>
      scheduler.scheduleTask(runOptions, (active) =>
        runInThread(piscina, { task, input, options: runOptions, active, startChild }),
      ),
    figures: () => ({ threads, busy: scheduler.activeTaskCount, waiting: scheduler.waitingTaskCount }),
    close: async () => {
      clearInterval(watch);
      scheduler.refuseTasks();
      await piscina.destroy();
    },
  };
}

/** Piscina's own balancer also gives tasks to threads that could not be started, until their error arrives. */
function isFree({ id, currentUsage }: { id: number; currentUsage: number }): boolean {
  return id !== NO_THREAD_ID && currentUsage === 0;
}

class Scheduler {
  readonly #queue = new FairQueue<PendingTask>();
  readonly #active = new Set<ActiveTask>();
  readonly #threads: number;
  #heavyRunning = 0;
  #isClosed = false;

  constructor(threads: number) {
    this.#threads = threads;
  }

  get activeTaskCount(): number {
    return this.#active.size;
  }

  get waitingTaskCount(): number {
    return this.#queue.queueLength;
  }

  /** Runs `work` when a thread is free and it is the account's turn. */
  scheduleTask<Result>(options: RunTaskOptions, work: (active: ActiveTask) => Promise<Result>): Promise<Result> {
    const { signal, accountId, heavy = false } = options;
    return new Promise<Result>((resolve, reject) => {
      const removeAbortedTask = () => {
        if (this.#queue.removeQueuedItem(pending)) reject(signal?.reason);
      };
      const pending: PendingTask = {
        accountId,
        heavy,
        refuse: () => {
          signal?.removeEventListener('abort', removeAbortedTask);
          reject(threadLost(new Error('The pool of threads has ended.')));
        },
        start: () => {
          signal?.removeEventListener('abort', removeAbortedTask);
          const active: ActiveTask = { startedAt: performance.now(), stop: () => {} };
          this.#active.add(active);
          if (heavy) this.#heavyRunning += 1;
          options.onStart?.();
          work(active)
            .then(resolve, reject)
            .finally(() => {
              this.#active.delete(active);
              if (heavy) this.#heavyRunning -= 1;
              this.#dispatchWaitingTasks();
            });
        },
      };
      if (signal?.aborted) return reject(signal.reason);
      if (this.#isClosed) return pending.refuse();
      signal?.addEventListener('abort', removeAbortedTask, { once: true });
      this.#queue.enqueueFairly(pending);
      this.#dispatchWaitingTasks();
    });
  }

  /** Ends the longest-running task when the process exceeds its memory limit. */
  relieveMemory(memoryLimitBytes: number): void {
    if (this.#active.size === 0 || process.memoryUsage.rss() < memoryLimitBytes) return;
    const [longest] = [...this.#active].sort((a, b) => a.startedAt - b.startedAt);
    longest?.stop(outOfMemory());
  }

  stopAll(error: QuarryError): void {
    for (const { stop } of this.#active) stop(error);
  }

  /** Ends the queue: a task that began after the threads were destroyed would run on a thread that nobody ends. */
  refuseTasks(): void {
    this.#isClosed = true;
    for (let next = this.#queue.dequeueFairly(true); next; next = this.#queue.dequeueFairly(true)) next.refuse();
  }

  #dispatchWaitingTasks(): void {
    while (this.#active.size < this.#threads) {
      const next = this.#queue.dequeueFairly(this.#heavyRunning < this.#threads - 1);
      if (!next) return;
      next.start();
    }
  }
}

interface ThreadCall<Name extends TaskName> {
  task: Name;
  input: TaskMap[Name]['input'];
  options: RunTaskOptions<PartOf<Name>>;
  active: ActiveTask;
  startChild: StartChildProgram;
}

/** Runs one task in a thread: receives progress, sends cancel, and terminates the thread as the last resort. */
async function runInThread<Name extends TaskName>(
  piscina: Piscina,
  call: ThreadCall<Name>,
): Promise<TaskMap[Name]['output']> {
  const { task, input, options, active, startChild } = call;
  const { port1, port2 } = new MessageChannel();
  const force = new AbortController();
  const meter = new TaskMeter();
  const ending = new Ending(port1, force);
  const limit = limitWork({
    cpuLimitMs: options.timeLimitMs,
    ...omitUndefined({ standstillMs: options.standstillMs }),
    cpuMs: () => meter.cpuMs(),
    onLimit: (reached) => ending.beginEnding(taskTookTooLong(reached)),
  });
  const retired = new Promise<TaskOutcome>((resolve) => {
    port1.on('message', (message: TaskMessage) => {
      limit.moved();
      if ('progress' in message) options.onProgress?.(message.progress);
      else if ('part' in message) options.onPart?.(message.part as PartOf<Name>);
      else if ('startChild' in message) meter.meterChildLine(startForTask(startChild, message.startChild));
      else if ('started' in message) meter.beginMetering(message.started);
      else resolve(message.retired);
    });
  });
  active.stop = (error) => ending.beginEnding(error);
  const endTaskOnAbort = () => ending.beginEnding(options.signal?.reason);
  options.signal?.addEventListener('abort', endTaskOnAbort, { once: true });
  if (options.signal?.aborted) endTaskOnAbort();
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
    limit.end();
    ending.clearEndingTimer();
    options.signal?.removeEventListener('abort', endTaskOnAbort);
    port1.close();
  }
}

/** The task is done and its thread asks to be terminated, which frees the memory of its engines. */
function endThread(outcome: TaskOutcome, force: AbortController): TaskOutcome {
  force.abort();
  return outcome;
}

/** Cancels a task, and terminates its thread when the task has not stopped within the grace time. */
class Ending {
  reason: unknown = null;
  readonly #port: MessagePort;
  readonly #force: AbortController;
  #timer: NodeJS.Timeout | null = null;

  constructor(port: MessagePort, force: AbortController) {
    this.#port = port;
    this.#force = force;
  }

  beginEnding(reason: unknown): void {
    if (this.reason !== null) return;
    this.reason = reason;
    this.#port.postMessage('cancel');
    this.#timer = setTimeout(() => this.#force.abort(), graceMs(GRACE_MS));
  }

  clearEndingTimer(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }
}

/** CPU time of a task: that of its thread since the task began, and that of the programs it started. */
class TaskMeter {
  readonly #programs: { line: Line; lastMs: number }[] = [];
  #thread: { id: number | null; beganMs: number; lastMs: number } | null = null;

  beginMetering({ threadId, cpuMs }: ThreadStart): void {
    this.#thread = { id: threadId, beganMs: cpuMs, lastMs: cpuMs };
  }

  meterChildLine(line: Line): void {
    this.#programs.push({ line, lastMs: 0 });
  }

  /** Zero before the task has begun; null where the system does not tell CPU times. */
  cpuMs(): number | null {
    const thread = this.#thread;
    if (thread === null) return 0;
    if (thread.id === null) return null;
    thread.lastMs = cpuMsOfThread(thread.id) ?? thread.lastMs;
    let sum = Math.max(0, thread.lastMs - thread.beganMs);
    for (const program of this.#programs) {
      program.lastMs = Math.max(program.lastMs, program.line.cpuMs?.() ?? 0);
      sum += program.lastMs;
    }
    return sum;
  }
}

function errorOfThread(error: unknown): QuarryError {
  const revived = reviveTaskError(error);
  if (revived) return revived;
  if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY') return outOfMemory(error);
  return threadLost(error);
}

function threadLost(cause: unknown): QuarryError {
  const message = say`The engine stopped unexpectedly on this source. Send it again.`;
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}

function outOfMemory(cause?: unknown): QuarryError {
  const message = say`The source exceeds the memory limit of a job. Split it into smaller parts.`;
  return new QuarryError('out_of_memory', message, { cause });
}

function taskTookTooLong(reached: LimitReached): QuarryError {
  const isStuck = reached.kind === 'standstill';
  const stopped = limitPhrase(reached);
  const message = isStuck
    ? say`Reading the source was stopped: ${stopped}. Send it again.`
    : say`Reading the source was stopped: ${stopped}. Try a smaller or simpler one.`;
  return new QuarryError('timeout', message, { retryable: isStuck });
}

/** Default memory limit: generous, but well below the point where the machine swaps. */
export function defaultMemoryLimitBytes(totalBytes: number): number {
  const FLOOR_MB = 1536;
  const CEILING_MB = 6144;
  return Math.min(CEILING_MB * MIB, Math.max(FLOOR_MB * MIB, totalBytes * 0.6));
}

/** Work that waits for a thread. */
interface Waiting {
  accountId: string;
  heavy: boolean;
}

/**
 * Fair queue: light work before heavy work, and round-robin over accounts within each. Neither an hour of video nor one
 * account's thousand documents delay another account's single page.
 */
class FairQueue<Item extends Waiting> {
  readonly #light = new Map<string, Item[]>();
  readonly #heavy = new Map<string, Item[]>();

  enqueueFairly(item: Item): void {
    const queue = item.heavy ? this.#heavy : this.#light;
    const items = queue.get(item.accountId);
    if (items) items.push(item);
    else queue.set(item.accountId, [item]);
  }

  /** The next item. Skips heavy work when `allowHeavy` is false. */
  dequeueFairly(allowHeavy: boolean): Item | undefined {
    return shiftFrom(this.#light) ?? (allowHeavy ? shiftFrom(this.#heavy) : undefined);
  }

  removeQueuedItem(item: Item): boolean {
    const queue = item.heavy ? this.#heavy : this.#light;
    const items = queue.get(item.accountId);
    const index = items?.indexOf(item) ?? -1;
    if (!items || index < 0) return false;
    items.splice(index, 1);
    if (items.length === 0) queue.delete(item.accountId);
    return true;
  }

  get queueLength(): number {
    let size = 0;
    for (const queue of [this.#light, this.#heavy]) for (const items of queue.values()) size += items.length;
    return size;
  }
}

/** A Map keeps insertion order: the served account moves to the end. */
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
 * Starts a child program for a task and relays messages between the two. In the desktop app, threads cannot start
 * programs themselves. The program also ends when the task's thread dies.
 */
function startForTask(start: StartChildProgram, { name, port }: TaskChildRequest): Line {
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
  return program;
}

/** A child program that a task starts, and the thread's line to it. */
interface TaskChildRequest {
  name: ChildProgramName;
  port: MessagePort;
}

/** What a running task says through its MessagePort. */
export type TaskMessage =
  | { progress: TaskProgress }
  | { part: unknown }
  | { startChild: TaskChildRequest }
  /** The task has begun on its thread. */
  | { started: ThreadStart }
  /** The outcome of a task whose thread exceeds its memory and waits to be terminated. */
  | { retired: TaskOutcome };

/** The thread of a task: its number in the kernel, where that is known, and its CPU time before the task. */
interface ThreadStart {
  threadId: number | null;
  cpuMs: number;
}

/** `reviveTaskError` reads `error`. */
type TaskOutcome = { output: unknown } | { error: Error };

/** The message that starts a task on a pool thread. `port` carries TaskMessage out and the string `cancel` in. */
export interface TaskEnvelope<Name extends TaskName = TaskName> {
  task: Name;
  input: TaskMap[Name]['input'];
  port: import('node:worker_threads').MessagePort;
}

export interface TaskContext {
  /** Aborted by `cancel`, with a QuarryError `cancelled` as its reason. */
  signal: AbortSignal;
  /** Reports progress. Also receives a pending `cancel` when the task never yields its thread. */
  progress(percent: number, stage: string, message: Said): void;
  /** Starts a child program. The task ends it when done. It ends with the thread at the latest. */
  startChild: StartChildProgram;
}

/** For a task with parts. */
export interface PartContext<Part> extends TaskContext {
  /** Sends a part of the output to the caller. */
  part(part: Part): void;
}

export type ContextOf<Name extends TaskName> = TaskMap[Name] extends { part: infer Part }
  ? PartContext<Part>
  : TaskContext;

/** The code of a task. It checks `signal` between units of work: a thread that does not respond is terminated. */
export type TaskFunction<Name extends TaskName> = (
  input: TaskMap[Name]['input'],
  context: ContextOf<Name>,
) => Promise<TaskMap[Name]['output']> | TaskMap[Name]['output'];
