/**
 * One request and what comes back, straight from the dispatcher. The threat is the body: it is read only as far as it
 * is wanted. One that is wanted whole is put together here: a stream and a signal for each request are work that a
 * small page does not need.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

/** Left unread, which ends the connection; put together up to a bound; or handed on as it comes. */
export type BodyUse = { kind: 'drop' } | { kind: 'keep'; maxBytes: number } | { kind: 'stream' };

export interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  /** As it came over the wire; empty unless it was to be kept. */
  content: Buffer;
  /** Whether there was more than was kept. */
  truncated: boolean;
  /** Only of a body that is handed on. A decoder or a file reads it; destroying it ends the transfer. */
  stream: Readable | null;
}

const NOTHING = Buffer.alloc(0);
/** Headers that an answer has once. Of one that a server or a proxy sends again the first counts, as in Node's own. */
const SINGLE_HEADERS = [
  ...['content-type', 'content-length', 'content-disposition', 'content-range', 'etag', 'last-modified', 'location'],
  ...['date', 'retry-after'],
];

interface Stoppable {
  stop(): void;
}

/** Ends a fetch from outside, when its time is over or its caller asks: whatever request it is at then. */
export class FetchEnd {
  #hasEnded = false;
  #request: Stoppable | null = null;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #end = () => {
    this.#hasEnded = true;
    this.#request?.stop();
  };

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    this.#timer = setTimeout(this.#end, timeoutMs);
    this.#signal = signal;
    signal?.addEventListener('abort', this.#end, { once: true });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The request that begins now. It is kept as it is: a function for it here kept every body alive for long after. */
  set request(request: Stoppable) {
    this.#request = request;
    if (this.#hasEnded) request.stop();
  }

  /** Nothing is left to be ended. */
  release(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#end);
    this.#request = null;
  }
}

/**
 * Sends a request. Resolves when the body is dropped or whole, or has begun to stream; rejects with what the dispatcher
 * says, before any response or within a body that is kept. @param useOf asked once, when the headers are there.
 */
export function receiveResponse(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  useOf: (status: number, headers: IncomingHttpHeaders) => BodyUse,
  end: FetchEnd,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const receiver = new Receiver(useOf, resolve, reject);
    end.request = receiver;
    if (!end.hasEnded) dispatcher.dispatch(options, receiver);
  });
}

class Receiver implements Dispatcher.DispatchHandler, Stoppable {
  readonly #useOf: (status: number, headers: IncomingHttpHeaders) => BodyUse;
  readonly #resolve: (received: Received) => void;
  readonly #reject: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #received: Received | null = null;
  #stoppedBy: Error | null = null;
  #chunks: Buffer[] = [];
  #room = 0;

  constructor(
    useOf: (status: number, headers: IncomingHttpHeaders) => BodyUse,
    resolve: (received: Received) => void,
    reject: (error: unknown) => void,
  ) {
    this.#useOf = useOf;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Also before the request is sent, while it waits for a connection: it is ended then when its turn comes. */
  stop(): void {
    const error = new Error('The fetch was ended.');
    this.#stoppedBy = error;
    this.#received?.stream?.destroy(error);
    this.#controller?.abort(error);
    this.#reject(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#stoppedBy !== null) controller.abort(this.#stoppedBy);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    takeOnce(headers);
    const use = this.#useOf(status, headers);
    const received = { status, headers, content: NOTHING, truncated: false, stream: null };
    this.#received = received;
    if (use.kind === 'keep') {
      this.#room = use.maxBytes;
    } else if (use.kind === 'stream') {
      this.#received = { ...received, stream: streamOf(controller) };
      this.#resolve(this.#received);
    } else {
      this.#resolve(received);
      controller.abort(new Error('The body is not wanted.'));
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const stream = this.#received?.stream ?? null;
    if (stream !== null) {
      if (!stream.destroyed && !stream.push(chunk)) controller.pause();
    } else if (chunk.length <= this.#room) {
      this.#room -= chunk.length;
      this.#chunks.push(chunk);
    } else {
      this.#chunks.push(chunk.subarray(0, this.#room));
      this.#finish(true);
      controller.abort(new Error('There is more of the body than is wanted.'));
    }
  }

  onResponseEnd(): void {
    const stream = this.#received?.stream ?? null;
    if (stream === null) this.#finish(false);
    else if (!stream.destroyed) stream.push(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#reject(error);
    this.#received?.stream?.destroy(error);
  }

  #finish(truncated: boolean): void {
    if (this.#received === null) return;
    const [first = NOTHING] = this.#chunks;
    const content = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first;
    this.#chunks = [];
    this.#resolve({ ...this.#received, content, truncated });
  }
}

function streamOf(controller: Dispatcher.DispatchController): Readable {
  const stream = new Readable({
    read: () => controller.resume(),
    destroy(error, done) {
      controller.abort(error ?? new Error('The body is not wanted.'));
      done(error);
    },
  });
  // A body that is dropped half-read emits an error, which would end the process if nobody listened.
  return stream.on('error', () => undefined);
}

/** The dispatcher gives a header that came twice as a list, where its type, and so every reader, has one text. */
function takeOnce(headers: Record<string, string | string[] | undefined>): void {
  for (const name of SINGLE_HEADERS) {
    const value = headers[name];
    if (Array.isArray(value)) headers[name] = value[0];
  }
  const encoding = headers['content-encoding'];
  if (Array.isArray(encoding)) headers['content-encoding'] = encoding.join(', ');
}
