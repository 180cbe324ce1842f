import type { Dispatcher } from 'undici';
import type { QuarryError } from '../../contract/index.ts';
import { explainFetchError, timedOut } from './fetch-errors.ts';

/** A POST to one address, checked for its scheme. */
export interface PostedRequest {
  /** The origin's scheme, host and port: connections are shared by requests of one origin. */
  origin: string;
  /** With the port, as errors name it. */
  host: string;
  /** Path and query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** For everything: a free connection, look-up, connection, answer. */
  timeoutMs: number;
  maxResponseBytes: number;
}

export interface PostedAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
  /** There was more body than was kept. */
  truncated: boolean;
}

/** Called once. Errors: `source_unreachable`, `source_forbidden`, `timeout`, `interrupted`, or what ended it. */
export type Settle = (outcome: { answer: PostedAnswer } | { error: unknown }) => void;

/** Where requests are sent. */
export interface Connections {
  /** Connections that are kept open. */
  kept: Dispatcher;
  /** A connection was opened just now: the request that starts in this turn is its first. */
  isOpening: boolean;
  /** Sends over a connection that is made for this request alone. */
  sendAfresh(origin: string, request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
}

/** How a connection breaks off that its other side had closed already. */
const BROKEN_OFF = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'ECONNABORTED', 'EPIPE']);

/**
 * One request and its answer, collected up to its bounds. What ends first settles it; what comes later is ignored.
 *
 * A receiver may close a kept connection in the moment in which the next request goes out, without having read it. A
 * request whose kept connection breaks off before any answer is therefore sent once more, over a new one.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #host: string;
  readonly #origin: string;
  readonly #maxBodyBytes: number;
  readonly #settle: Settle;
  readonly #timer: NodeJS.Timeout;
  readonly #options: Dispatcher.DispatchOptions;
  readonly #connections: Connections;
  /** The request went out over a connection that was open before, and nothing of an answer has come. */
  #mayRepeat = false;
  #isRepeated = false;
  #controller: Dispatcher.DispatchController | null = null;
  #isSettled = false;
  #status = 0;
  #headers: PostedAnswer['headers'] = {};
  #chunks: Buffer[] = [];
  #sizeBytes = 0;

  /** Sends the request at once. */
  constructor(request: PostedRequest, connections: Connections, settle: Settle) {
    const { origin, host, path, headers, body, timeoutMs, maxResponseBytes } = request;
    this.#host = host;
    this.#origin = origin;
    this.#maxBodyBytes = maxResponseBytes;
    this.#settle = settle;
    this.#timer = setTimeout(() => this.#onTimeout(), timeoutMs);
    // The timer of the exchange covers what these would.
    const limits = { headersTimeout: 0, bodyTimeout: 0 };
    this.#options = { origin, path, method: 'POST', headers: { ...headers }, body, ...limits };
    this.#connections = connections;
    connections.kept.dispatch(this.#options, this);
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Ends it, and the connection it has. */
  abort(error: QuarryError): void {
    this.#fail(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#mayRepeat = !this.#isRepeated && !this.#connections.isOpening;
    if (this.#isSettled) controller.abort(new Error('The request came too late to be sent.'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#mayRepeat = false;
    // What comes before the true answer, such as 103 Early Hints, is none.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers as PostedAnswer['headers'];
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.#maxBodyBytes - this.#sizeBytes;
    // A copy: undici's chunk is a window on a buffer that is used again.
    this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    this.#sizeBytes += Math.min(chunk.length, room);
    if (chunk.length > room) this.#succeed(true);
  }

  onResponseEnd(): void {
    this.#succeed(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: NodeJS.ErrnoException): void {
    if (this.#mayRepeat && !this.#isSettled && BROKEN_OFF.has(error.code ?? '')) {
      this.#isRepeated = true;
      this.#connections.sendAfresh(this.#origin, this.#options, this);
      return;
    }
    this.#fail(explainFetchError(error, this.#host));
  }

  /** A receiver that has given its status has answered; the rest of what it says is not waited for. */
  #onTimeout(): void {
    if (this.#status === 0) this.#fail(timedOut(this.#host));
    else this.#succeed(true);
  }

  #succeed(truncated: boolean): void {
    if (!this.#end()) return;
    const body = Buffer.concat(this.#chunks, this.#sizeBytes);
    this.#settle({ answer: { status: this.#status, headers: this.#headers, body, truncated } });
    if (truncated) this.#controller?.abort(new Error('The rest of the answer is not wanted.'));
  }

  #fail(error: unknown): void {
    if (!this.#end()) return;
    this.#settle({ error });
    this.#controller?.abort(new Error('The exchange is over.'));
  }

  #end(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    return true;
  }
}
