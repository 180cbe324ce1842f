/**
 * Remote calls between threads and processes. One side serves an object of methods, the other calls them by the same
 * interface over any line that carries messages in order: a port, a thread, a child process.
 *
 * - Arguments and results are data that structured clone copies; `transfer` moves their buffers where the line can.
 * - A function among the arguments is a callback. Callbacks of a call run one after the other, in order, and the call
 *   settles after them. The promise that the method gets resolves when the callback has run: a method that awaits it
 *   sends pieces no faster than its caller takes them (backpressure), and one that does not reports progress.
 * - An AbortSignal among the arguments aborts on the other side too. The call settles when the method has, and rejects
 *   with the signal's reason.
 * - A QuarryError keeps its code and cause. Any other error becomes what `failed` makes of its stack.
 * - When the peer ends, open and later calls reject with what `ended` makes of the cause. The owner starts another.
 */

import type { Transferable } from 'node:worker_threads';
import { QuarryError, type SerializedError } from '../errors.ts';
import { ownData } from '../own-json.ts';
import { say } from '../text/say.ts';
import { reviveError, serializeError } from './errors.ts';

export interface LineListeners {
  onMessage(message: unknown): void;
  /** Called once, also when the peer could not be started. `cause` is for the log. */
  onEnd(cause: unknown): void;
}

/** One end of a line to a peer. */
export interface Line {
  /** Does nothing when the peer has ended. Throws for data that cannot be copied. */
  send(message: object, transferred?: readonly Transferable[]): void;
  /** Ends the peer, where this side owns it. */
  end(): void;
  /** CPU milliseconds of a child program so far; null where the system does not tell. Absent for other peers. */
  cpuMs?(): number | null;
}

export type OpenLine = (listeners: LineListeners) => Line;

type Method = (...args: never[]) => unknown;

/** What one side serves. */
export type Methods<Api> = { [Name in keyof Api]: Method };

/** A callback among the arguments of a method. */
export type Callback<Args extends unknown[]> = (...args: Args) => void | Promise<void>;

/** The methods as their caller sees them. */
export type Remote<Api> = {
  readonly [Name in keyof Api]: Api[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

export interface Peer<Api> {
  readonly remote: Remote<Api>;
  /** Calls that are not answered yet. */
  readonly open: number;
  readonly isEnded: boolean;
  /** Resolves when the peer has ended. */
  readonly ended: Promise<void>;
  end(): void;
  /** CPU milliseconds of the peer so far; null where nobody tells. */
  cpuMs(): number | null;
}

interface ConnectOptions {
  /** The error of calls to a peer that has ended. */
  ended(cause: unknown): QuarryError;
  /** The error of a method that threw one without a code: `internal` by default. */
  failed?(cause: unknown): QuarryError;
  /** Ends the peer. Open and later calls reject with its reason. */
  signal?: AbortSignal;
}

interface CallMessage {
  kind: 'call';
  id: number;
  method: string;
  args: unknown[];
  /** Places of the arguments that are functions, and signals. */
  callbacks: number[];
  signals: number[];
}

/** `handled` answers the `callback` of the same number. `ended` announces the end of its sender, or asks for it. */
type ToServer = CallMessage | { kind: 'abort'; id: number } | { kind: 'handled'; id: number; run: number } | Ended;

interface CallbackMessage {
  kind: 'callback';
  id: number;
  run: number;
  place: number;
  args: unknown[];
}

type ToCaller =
  | CallbackMessage
  | { kind: 'returned'; id: number; value: unknown }
  | { kind: 'threw'; id: number; error: unknown }
  | Ended;

interface Ended {
  kind: 'ended';
  cause: unknown;
}

/** For lines on which an end has no other sign. */
export function endMessage(cause: unknown): Ended {
  return { kind: 'ended', cause };
}

const transfers = new WeakMap<object, readonly Transferable[]>();

/** Marks buffers and ports of an argument or a result that move to the other thread. Processes get a copy. */
export function transferWithMessage<Value extends object>(value: Value, moved: readonly Transferable[]): Value {
  transfers.set(value, moved);
  return value;
}

function transferredOf(values: readonly unknown[]): Transferable[] {
  return values.flatMap((value) => (typeof value === 'object' && value !== null ? (transfers.get(value) ?? []) : []));
}

/** Calls the methods that the other side serves. A line that cannot be opened is a peer that has ended. */
export function connectPeer<Api extends Methods<Api>>(open: OpenLine, options: ConnectOptions): Peer<Api> {
  options.signal?.throwIfAborted();
  const caller = new Caller(open, options);
  const remote = new Proxy({} as Remote<Api>, {
    // Without a `then` it is no promise to those that await it.
    get: (_target, method) =>
      method === 'then' ? undefined : (...args: unknown[]) => caller.callRemoteMethod(String(method), args),
  });
  return {
    remote,
    get open() {
      return caller.openCallCount;
    },
    get isEnded() {
      return caller.hasPeerEnded;
    },
    ended: caller.whenPeerEnded,
    end: () => caller.end(),
    cpuMs: () => caller.cpuMs(),
  };
}

/** A peer that the first call starts, and the next call after its end starts again. */
export class OnDemand<Api extends Methods<Api>> {
  readonly #open: OpenLine;
  readonly #options: ConnectOptions;
  #peer: Peer<Api> | null = null;

  constructor(open: OpenLine, options: ConnectOptions) {
    this.#open = open;
    this.#options = options;
  }

  get remoteMethods(): Remote<Api> {
    if (this.#peer === null || this.#peer.isEnded) this.#peer = connectPeer<Api>(this.#open, this.#options);
    return this.#peer.remote;
  }

  /** Calls that are not answered yet. */
  get unansweredCallCount(): number {
    return this.#peer?.open ?? 0;
  }

  /** Ends the peer, if it runs, and waits for its end. */
  async closePeer(): Promise<void> {
    this.#peer?.end();
    await this.#peer?.ended;
  }
}

interface OpenCall {
  args: readonly unknown[];
  /** The callbacks so far, one after the other. */
  callbacks: Promise<void>;
  /** What a callback threw. */
  failure: { error: unknown } | null;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

class Caller {
  readonly #ended: ConnectOptions['ended'];
  readonly #failed: ConnectOptions['failed'];
  readonly #signal: AbortSignal | undefined;
  readonly #calls = new Map<number, OpenCall>();
  readonly #gone = Promise.withResolvers<void>();
  readonly #line: Line | null;
  #end: { cause: unknown } | null = null;
  #lastId = 0;

  constructor(open: OpenLine, { ended, failed, signal }: ConnectOptions) {
    this.#ended = ended;
    this.#failed = failed;
    this.#signal = signal;
    this.#line = this.#openPeerLine(open);
    if (!this.hasPeerEnded) signal?.addEventListener('abort', this.end, { once: true });
  }

  get openCallCount(): number {
    return this.#calls.size;
  }

  get hasPeerEnded(): boolean {
    return this.#end !== null;
  }

  get whenPeerEnded(): Promise<void> {
    return this.#gone.promise;
  }

  readonly end = (): void => this.#line?.end();

  cpuMs(): number | null {
    return this.#line?.cpuMs?.() ?? null;
  }

  async callRemoteMethod(method: string, args: readonly unknown[]): Promise<unknown> {
    const signals = argumentPlaces(args, (arg) => arg instanceof AbortSignal);
    const callbacks = argumentPlaces(args, (arg) => typeof arg === 'function');
    const aborts = args.filter((arg) => arg instanceof AbortSignal);
    const all = this.#signal === undefined ? aborts : [...aborts, this.#signal];
    const throwIfAborted = () => {
      for (const signal of all) signal.throwIfAborted();
    };
    throwIfAborted();
    if (this.#end !== null) throw this.#ended(this.#end.cause);
    this.#lastId += 1;
    const id = this.#lastId;
    const data = args.map((arg, place) => (signals.includes(place) || callbacks.includes(place) ? null : arg));
    const sendAbortMessage = () => this.#sendToServingSide({ kind: 'abort', id });
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#calls.set(id, { args, callbacks: Promise.resolve(), failure: null, resolve, reject });
    for (const signal of aborts) signal.addEventListener('abort', sendAbortMessage, { once: true });
    try {
      this.#sendToServingSide({ kind: 'call', id, method, args: data, callbacks, signals }, transferredOf(data));
      const value = await promise;
      throwIfAborted();
      return value;
    } catch (error) {
      throwIfAborted();
      throw error;
    } finally {
      this.#calls.delete(id);
      for (const signal of aborts) signal.removeEventListener('abort', sendAbortMessage);
    }
  }

  #openPeerLine(open: OpenLine): Line | null {
    try {
      return open({
        // A program that a hostile file has taken over may send anything.
        onMessage: (message) => void (message !== null && this.#hearCallerMessage(message as ToCaller)),
        onEnd: (cause) => this.#endAllCalls(cause),
      });
    } catch (error) {
      this.#endAllCalls(error);
      return null;
    }
  }

  #sendToServingSide(message: ToServer, transferred: readonly Transferable[] = []): void {
    if (this.#end === null) this.#line?.send(message, transferred);
  }

  #hearCallerMessage(message: ToCaller): void {
    if (message.kind === 'ended') {
      this.#endAllCalls(message.cause);
      return;
    }
    const call = this.#calls.get(message.id);
    if (call === undefined) return;
    if (message.kind === 'callback') this.#runCallback(call, message);
    else {
      this.#calls.delete(message.id);
      void call.callbacks.then(() => this.#settleCall(call, message));
    }
  }

  /** A callback that throws fails its call: the method is asked to stop, and the rest of its callbacks do not run. */
  #runCallback(call: OpenCall, { id, run, place, args }: CallbackMessage): void {
    const callback = call.args[place];
    call.callbacks = call.callbacks
      .then(() => {
        if (call.failure !== null) return undefined;
        if (typeof callback !== 'function') throw new TypeError(`Argument ${place} is not a function.`);
        return callback(...args);
      })
      .catch((error: unknown) => {
        call.failure = { error };
        this.#sendToServingSide({ kind: 'abort', id });
      })
      .then(() => this.#sendToServingSide({ kind: 'handled', id, run }));
  }

  #settleCall(call: OpenCall, message: Exclude<ToCaller, CallbackMessage | Ended>): void {
    if (call.failure !== null) call.reject(call.failure.error);
    else if (message.kind === 'returned') call.resolve(message.value);
    else {
      const error = reviveError(message.error) ?? unreadableMessage(message.error);
      call.reject(error.code === 'internal' ? (this.#failed?.(error.cause) ?? error) : error);
    }
  }

  #endAllCalls(cause: unknown): void {
    if (this.#end !== null) return;
    this.#end = { cause };
    this.#signal?.removeEventListener('abort', this.end);
    for (const call of this.#calls.values()) {
      // Its callbacks that have not begun do not run.
      call.failure = { error: this.#ended(cause) };
      call.reject(call.failure.error);
    }
    this.#gone.resolve();
  }
}

function unreadableMessage(error: unknown): QuarryError {
  return new QuarryError('internal', say`Something went wrong inside the service. Please report it.`, { cause: error });
}

function argumentPlaces(args: readonly unknown[], fits: (arg: unknown) => boolean): number[] {
  return args.flatMap((arg, place) => (fits(arg) ? [place] : []));
}

/** A call that a method is working on. */
interface Running {
  abort: AbortController;
  /** Resolvers of the callbacks that the caller has not run yet, by their numbers. */
  waiting: Map<number, () => void>;
}

/**
 * Answers calls with these methods. Several may run at once. When the other side ends, the signals of all abort.
 *
 * @param onEnd releases what the methods hold; then the line ends
 */
export function serveMethods<Api extends Methods<Api>>(
  methods: Api,
  open: OpenLine,
  onEnd?: () => void | Promise<void>,
): void {
  const running = new Map<number, Running>();
  let isOver = false;
  const endServing = async () => {
    if (isOver) return;
    isOver = true;
    for (const { abort, waiting } of running.values()) {
      abort.abort();
      for (const resolve of waiting.values()) resolve();
    }
    await onEnd?.();
    line.end();
  };
  const answerCall = async (call: CallMessage) => {
    const current: Running = { abort: new AbortController(), waiting: new Map() };
    running.set(call.id, current);
    try {
      const value = await runServedMethod(methods, call, reviveArguments(call, current, line));
      line.send({ kind: 'returned', id: call.id, value } satisfies ToCaller, transferredOf([value]));
    } catch (error) {
      const serialized: SerializedError = serializeError(error);
      line.send({ kind: 'threw', id: call.id, error: serialized } satisfies ToCaller);
    }
    running.delete(call.id);
  };
  const line = open({
    onMessage: (heard) => {
      const message = ownData<ToServer>(heard);
      if (message.kind === 'call') void answerCall(message);
      else if (message.kind === 'abort') running.get(message.id)?.abort.abort();
      else if (message.kind === 'handled') running.get(message.id)?.waiting.get(message.run)?.();
      else void endServing();
    },
    onEnd: () => void endServing(),
  });
}

async function runServedMethod<Api extends Methods<Api>>(
  methods: Api,
  { method }: CallMessage,
  args: unknown[],
): Promise<unknown> {
  const served: unknown = Object.hasOwn(methods, method) ? Reflect.get(methods, method) : undefined;
  if (typeof served !== 'function') throw new TypeError(`No method is named ${method}.`);
  // The caller's types are those of the same interface.
  return served.apply(methods, args);
}

function reviveArguments(
  { id, args, callbacks, signals }: CallMessage,
  { abort, waiting }: Running,
  line: Line,
): unknown[] {
  let runs = 0;
  const callbackAtPlace =
    (place: number) =>
    async (...given: unknown[]) => {
      runs += 1;
      const number = runs;
      const message: CallbackMessage = { kind: 'callback', id, run: number, place, args: given };
      line.send(message, transferredOf(given));
      await new Promise<void>((resolve) => waiting.set(number, resolve));
      waiting.delete(number);
    };
  return args.map((arg, place) => {
    if (callbacks.includes(place)) return callbackAtPlace(place);
    return signals.includes(place) ? abort.signal : arg;
  });
}
