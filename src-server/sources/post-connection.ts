/** One connection that carries callbacks, and one callback on it: HTTP/1.1, one request at a time. */
import type { Socket } from 'node:net';
import type { QuarryError } from '../contract/index.ts';
import { SECOND_MS } from '../lib/units.ts';
import { type AnswerHeaders, AnswerReader, BadAnswer } from './answer-reader.ts';
import { brokenOff, explainFetchError, notHttp, timedOut } from './fetch-errors.ts';

/** How long a connection is kept open for the next request, where the receiver does not say how long it does. */
const IDLE_MS = 4 * SECOND_MS;
const MAX_IDLE_MS = 60 * SECOND_MS;
/** A receiver that says when it closes is not asked in the last moments before. */
const IDLE_MARGIN_MS = 2 * SECOND_MS;
const KEEP_ALIVE_TIMEOUT = /timeout=(\d{1,6})/i;

export interface PostedRequest {
  /** The origin's scheme, host and port: connections are shared by requests of one origin. */
  origin: string;
  /** The bytes of the request, one part after the other. */
  parts: readonly Uint8Array[];
  /** For everything: a free connection, look-up, connection, answer. */
  timeoutMs: number;
  maxResponseBytes: number;
}

export interface PostedAnswer {
  status: number;
  headers: AnswerHeaders;
  body: Buffer;
  /** There was more body than was kept. */
  truncated: boolean;
}

/** Called once. */
export type Settle = (outcome: { answer: PostedAnswer } | { error: unknown }) => void;

/** One request with its answer. Whatever ends first settles it; what comes later is ignored. */
export class Exchange {
  readonly origin: string;
  readonly reader: AnswerReader;
  connection: Connection | null = null;
  readonly #underWay: Set<Exchange>;
  readonly #settle: Settle;
  readonly #timer: NodeJS.Timeout;
  #parts: readonly Uint8Array[];
  #settled = false;

  constructor(request: PostedRequest, underWay: Set<Exchange>, settle: Settle) {
    this.origin = request.origin;
    this.#parts = request.parts;
    this.reader = new AnswerReader(request.maxResponseBytes);
    this.#underWay = underWay.add(this);
    this.#settle = settle;
    this.#timer = setTimeout(onTimeout, request.timeoutMs, this);
  }

  /** What is to be sent, given out once: it is not kept in memory while the receiver is waited for. */
  takeParts(): readonly Uint8Array[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  succeed(truncated: boolean): void {
    if (this.#settled) return;
    this.#end();
    const { status, headers, body } = this.reader;
    this.#settle({ answer: { status, headers, body, truncated } });
  }

  fail(error: unknown): void {
    if (this.#settled) return;
    this.#end();
    this.#settle({ error });
  }

  /** Ends it, and the connection it has: the answer would come to somebody else. */
  abort(error: QuarryError): void {
    if (this.#settled) return;
    this.fail(error);
    this.connection?.destroy();
  }

  #end(): void {
    this.#settled = true;
    this.#underWay.delete(this);
    clearTimeout(this.#timer);
  }
}

/** A receiver that has given its status has answered; the rest of what it says is not waited for. */
function onTimeout(exchange: Exchange): void {
  if (exchange.reader.status === 0) exchange.fail(timedOut(new URL(exchange.origin).host));
  else exchange.succeed(true);
  exchange.connection?.destroy();
}

/** Whose connection it is. */
export interface ConnectionOwner {
  readonly url: URL;
  /** Its answer was read to its end: it may carry another request. */
  free(connection: Connection): void;
  /** Nothing may be sent on it any more. */
  retire(connection: Connection): void;
  /** It is closed. */
  lost(connection: Connection): void;
}

export class Connection {
  /** Of `performance.now()`: when it is closed, if nothing is sent on it before. */
  idleUntil = 0;
  readonly #socket: Socket;
  readonly #origin: ConnectionOwner;
  #exchange: Exchange | null = null;

  constructor(socket: Socket, origin: ConnectionOwner) {
    this.#socket = socket;
    this.#origin = origin;
    socket.on('data', (bytes: Buffer) => this.#onData(bytes));
    socket.on('end', () => this.#onEnd());
    socket.on('error', (error) => this.#exchange?.fail(explainFetchError(error, origin.url.host)));
    socket.on('close', () => {
      this.#exchange?.fail(brokenOff(origin.url.host));
      origin.lost(this);
    });
  }

  send(exchange: Exchange): void {
    this.#exchange = exchange;
    exchange.connection = this;
    for (const part of exchange.takeParts()) this.#socket.write(part);
  }

  destroy(): void {
    this.#origin.retire(this);
    this.#socket.destroy();
  }

  #onData(bytes: Buffer): void {
    const exchange = this.#exchange;
    // Bytes that nobody has asked for.
    if (exchange === null || exchange.isSettled) {
      this.destroy();
      return;
    }
    try {
      const progress = exchange.reader.push(bytes);
      if (progress === 'going') return;
      exchange.succeed(progress === 'cut');
      this.#release(exchange.reader, progress === 'done');
    } catch (error) {
      exchange.fail(error instanceof BadAnswer ? notHttp(this.#origin.url.host, error) : error);
      this.destroy();
    }
  }

  #onEnd(): void {
    if (this.#exchange?.reader.isEndedByClose) this.#exchange.succeed(false);
    this.destroy();
  }

  #release(reader: AnswerReader, isComplete: boolean): void {
    const idleMs = idleMsOf(reader.headers);
    // Where the request was answered before all of it was sent, its rest would stand before the next one.
    const isClean = isComplete && reader.isReusable && this.#socket.writableLength === 0;
    if (!isClean || idleMs <= 0) {
      this.destroy();
      return;
    }
    this.#exchange = null;
    this.idleUntil = performance.now() + idleMs;
    this.#origin.free(this);
  }
}

function idleMsOf(headers: AnswerHeaders): number {
  const hint = headers['keep-alive'];
  const seconds = hint === undefined ? undefined : KEEP_ALIVE_TIMEOUT.exec(String(hint))?.[1];
  if (seconds === undefined) return IDLE_MS;
  return Math.min(Number(seconds) * SECOND_MS - IDLE_MARGIN_MS, MAX_IDLE_MS);
}
