/**
 * Schedules the parsing and handling of requests fairly. Threat: a flood of requests that cost the sender nothing (no
 * proof, no account) delays the owner on the only thread. Each turn of the event loop parses a few pieces and handles a
 * few requests, round-robin by address. The next requests of a connection are parsed only once its earlier ones are
 * answered: the queue is bounded by the connections per caller, and the rest waits in the sender's socket. Requests
 * with the owner's credential are handled at once. Unpaid requests of an address have their own queue, so a flood
 * delays itself.
 */

import {
  createServer,
  type IncomingMessage,
  maxHeaderSize,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { RequestError } from '@hono/node-server';
import { QuarryError } from '../errors.ts';
import { addressGroup, anonymousAccount } from '../net/client-address.ts';
import { byName } from '../records.ts';
import { type Said, tell } from '../text/say.ts';
import { describeBytes } from '../units.ts';
import { Connection, type ConnectionBounds, Connections } from './connection.ts';
import { problemOf, publicError } from './problem.ts';
import { invalidRequest } from './validate.ts';

/** Requests handled per turn. Each takes far less than a tenth of a millisecond, or waits asynchronously. */
const HANDLED_PER_TURN = 2;

/** Parsed requests that end the parsing of a turn. Parsing one takes a few microseconds. */
const PARSED_PER_TURN = 16;

/** Pieces parsed per turn at most. */
const PIECES_PER_TURN = 16;

interface TurnsDeps {
  /** Whether a request has the owner's credential. */
  isOwner(incoming: IncomingMessage): boolean;
  /** Address of the client, also behind a trusted proxy. */
  clientAddress(incoming: IncomingMessage): string | undefined;
  handle: RequestListener;
  connections: ConnectionBounds;
}

/** Creates a server with fair scheduling. @param options those of Node's `createServer`. */
export function fairServer(options: Parameters<typeof createServer>[0] & object, deps: TurnsDeps): Server {
  const server = createServer(options);
  // Node documents that the `connection` listener accepts any Duplex.
  const listeners = server.listeners('connection') as ((this: Server, connection: Connection) => void)[];
  const turns = new Turns(deps, (connection) => {
    for (const listener of listeners) listener.call(server, connection);
  });
  server.removeAllListeners('connection').on('connection', turns.connect).on('request', turns.take);
  return server;
}

interface Waiting {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

class Turns {
  readonly #deps: TurnsDeps;
  readonly #serve: (connection: Connection) => void;
  readonly #connections: Connections;
  readonly #callers = new WeakMap<Connection, string>();
  /** Connections with bytes to parse. */
  readonly #unparsed = new Rotation<Connection>();
  readonly #isUnparsed = new Set<Connection>();
  readonly #requests = new Rotation<Waiting>();
  #parsed = 0;
  #next: NodeJS.Immediate | null = null;

  constructor(deps: TurnsDeps, serve: (connection: Connection) => void) {
    this.#deps = deps;
    this.#serve = serve;
    this.#connections = new Connections(deps.connections);
  }

  readonly connect = (socket: Socket): void => {
    const connection = new Connection(socket, this.#toParse);
    this.#callers.set(connection, addressGroup(socket.remoteAddress));
    this.#connections.admitConnection(anonymousAccount(socket.remoteAddress), connection);
    this.#serve(connection);
  };

  readonly take: RequestListener = (incoming, outgoing) => {
    const connection = incoming.socket as Duplex as Connection;
    connection.isOwners = this.#deps.isOwner(incoming);
    connection.registerRequest(incoming, outgoing);
    this.#parsed += 1;
    if (connection.isOwners) return this.#deps.handle(incoming, outgoing);
    const kind = isUnpaid(incoming) ? ' unpaid' : '';
    const caller = addressGroup(this.#deps.clientAddress(incoming));
    this.#requests.enqueueForCaller(`${caller}${kind}`, { incoming, outgoing });
    this.#scheduleTurn();
  };

  readonly #toParse = (connection: Connection): void => {
    if (connection.isOwners) {
      connection.parseNextPiece();
    } else if (!this.#isUnparsed.has(connection)) {
      this.#isUnparsed.add(connection);
      this.#unparsed.enqueueForCaller(this.#callers.get(connection) ?? '', connection);
      this.#scheduleTurn();
    }
  };

  #scheduleTurn(): void {
    this.#next ??= setImmediate(() => this.#runTurn());
  }

  #runTurn(): void {
    this.#parseHeldPieces();
    this.#handleQueuedRequests();
    this.#next = null;
    if (this.#unparsed.queuedItemCount + this.#requests.queuedItemCount > 0) this.#scheduleTurn();
  }

  #parseHeldPieces(): void {
    const enough = this.#parsed + PARSED_PER_TURN;
    for (let pieces = 0; pieces < PIECES_PER_TURN && this.#parsed < enough; pieces += 1) {
      const connection = this.#unparsed.dequeueNextCaller();
      if (!connection) return;
      this.#isUnparsed.delete(connection);
      if (connection.isReady) connection.parseNextPiece();
    }
  }

  #handleQueuedRequests(): void {
    for (let handled = 0; handled < HANDLED_PER_TURN; ) {
      const request = this.#requests.dequeueNextCaller();
      if (!request) return;
      const { incoming, outgoing } = request;
      // The client has disconnected.
      if (outgoing.destroyed || incoming.socket.destroyed) continue;
      handled += 1;
      this.#deps.handle(incoming, outgoing);
    }
  }
}

function isUnpaid({ method, headers }: IncomingMessage): boolean {
  return method === 'POST' && headers['x-payment'] === undefined && headers['payment-signature'] === undefined;
}

// Requests that fail before routing: invalid HTTP, oversized headers, an invalid Host. Node and the adapter would
// answer with a bare status. They get a problem document like all others.

/** Error codes of Node's parser. */
const CODES: Record<string, () => QuarryError> = byName({
  HPE_HEADER_OVERFLOW: () =>
    new QuarryError(
      'header_too_large',
      `The header is larger than ${describeBytes(maxHeaderSize)}. Send a shorter one.`,
    ),
  ERR_HTTP_REQUEST_TIMEOUT: () =>
    unreadableRequest(tell`The header stopped arriving before its end; send the request again.`),
});

/** Answers requests that Node's parser refuses. Only the socket is known. */
export function answerMalformed(server: Server): void {
  const answers = new WeakMap<object, ServerResponse>();
  server.on('request', (incoming, outgoing) => answers.set(incoming.socket, outgoing));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket);
    // No response when the client has disconnected, or inside another response.
    if (!socket.writable || error.code === 'ECONNRESET' || (answer?.headersSent && !answer.writableFinished)) {
      socket.destroy();
      return;
    }
    socket.write(
      rawAnswer((CODES[error.code ?? ''] ?? (() => unreadableRequest(tell`The bytes are not an HTTP request.`)))()),
    );
    (socket as Socket).destroySoon();
  });
  server.on('checkExpectation', (_incoming, outgoing) => {
    const { status, fields, body } = rawProblemAnswer(
      invalidRequest([{ path: 'Expect', message: tell`Give 100-continue.` }]),
    );
    outgoing.writeHead(status, fields).end(body);
  });
}

/** Maps requests that the HTTP adapter cannot convert. */
export function adapterError(error: unknown): Response {
  const shown =
    error instanceof RequestError
      ? invalidRequest([{ path: 'Host', message: tell`The Host header and the path do not form a valid URL.` }])
      : publicError(error);
  const { status, fields, body } = rawProblemAnswer(shown);
  return new Response(body, { status, headers: fields });
}

function unreadableRequest(message: Said): QuarryError {
  return new QuarryError('invalid_request', message, { fields: [{ path: '$', message }] });
}

function rawProblemAnswer(error: QuarryError): { status: number; fields: Record<string, string>; body: string } {
  const problem = problemOf(error);
  const body = JSON.stringify(problem);
  const fields = {
    'Content-Type': 'application/problem+json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    Connection: 'close',
  };
  return { status: problem.status, fields, body };
}

function rawAnswer(error: QuarryError): string {
  const { status, fields, body } = rawProblemAnswer(error);
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

/** A round-robin queue: each caller's items in order, one item per caller and round. */
class Rotation<Item> {
  /** By caller, in the order of their next turn. No queue is empty. */
  readonly #queues = new Map<string, Item[]>();
  #size = 0;

  get queuedItemCount(): number {
    return this.#size;
  }

  enqueueForCaller(caller: string, item: Item): void {
    const queue = this.#queues.get(caller);
    if (queue) queue.push(item);
    else this.#queues.set(caller, [item]);
    this.#size += 1;
  }

  /** Removes the oldest item of the next caller, and moves that caller to the end. */
  dequeueNextCaller(): Item | undefined {
    for (const [caller, queue] of this.#queues) {
      this.#queues.delete(caller);
      const item = queue.shift();
      if (queue.length > 0) this.#queues.set(caller, queue);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }
}
