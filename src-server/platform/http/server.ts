/**
 * Which request is parsed and handled next. Threat: a flood of requests that cost their sender nothing (no proof, no
 * account) keeps the one thread so busy that the owner waits behind all of them. So each turn of the event loop parses
 * a few pieces and handles a few requests, callers take turns by address, and a connection's next requests are parsed
 * only once its earlier ones are answered: what waits is bounded by the connections a caller may have, and the rest
 * waits in its sender's socket. A request that carries the owner's credential is handled as soon as it is parsed. An
 * address's unpaid requests wait apart from its other ones, so a flood delays itself.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { addressGroup, anonymousAccount } from '../net/client-address.ts';
import { Connection } from './connection.ts';
import { type ConnectionBounds, Connections } from './connections.ts';
import { Rotation } from './rotation.ts';

/** Requests handled in one turn. Each takes well under a tenth of a millisecond of the thread, or waits by itself. */
const HANDLED_PER_TURN = 2;
/** Requests after which a turn parses no further piece. Parsing one takes a few microseconds. */
const PARSED_PER_TURN = 16;
/** Pieces parsed in one turn, whatever is in them. */
const PIECES_PER_TURN = 16;

export interface TurnsParts {
  /** Whether a request carries the owner's credential. */
  isOwner(incoming: IncomingMessage): boolean;
  handle: RequestListener;
  connections: ConnectionBounds;
}

/** A server whose requests are handled in fair turns. @param options those of Node's own `createServer`. */
export function fairServer(options: Parameters<typeof createServer>[0] & object, parts: TurnsParts): Server {
  const server = createServer(options);
  // Node's documentation lets any Duplex be given to the listener that makes a connection out of a socket.
  const listeners = server.listeners('connection') as ((this: Server, connection: Connection) => void)[];
  const turns = new Turns(parts, (connection) => {
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
  readonly #parts: TurnsParts;
  readonly #serve: (connection: Connection) => void;
  readonly #connections: Connections;
  readonly #callers = new WeakMap<Connection, string>();
  /** Connections with a piece to be parsed. */
  readonly #unparsed = new Rotation<Connection>();
  readonly #isUnparsed = new Set<Connection>();
  readonly #requests = new Rotation<Waiting>();
  #parsed = 0;
  #next: NodeJS.Immediate | null = null;

  constructor(parts: TurnsParts, serve: (connection: Connection) => void) {
    this.#parts = parts;
    this.#serve = serve;
    this.#connections = new Connections(parts.connections);
  }

  readonly connect = (socket: Socket): void => {
    const connection = new Connection(socket, this.#toParse);
    this.#callers.set(connection, addressGroup(socket.remoteAddress));
    this.#connections.add(anonymousAccount(socket.remoteAddress), connection);
    this.#serve(connection);
  };

  readonly take: RequestListener = (incoming, outgoing) => {
    const connection = incoming.socket as Duplex as Connection;
    connection.isOwners = this.#parts.isOwner(incoming);
    connection.begin(incoming, outgoing);
    this.#parsed += 1;
    if (connection.isOwners) return this.#parts.handle(incoming, outgoing);
    const kind = isUnpaid(incoming) ? ' unpaid' : '';
    this.#requests.add(`${this.#callers.get(connection)}${kind}`, { incoming, outgoing });
    this.#wake();
  };

  readonly #toParse = (connection: Connection): void => {
    if (connection.isOwners) {
      connection.parse();
    } else if (!this.#isUnparsed.has(connection)) {
      this.#isUnparsed.add(connection);
      this.#unparsed.add(this.#callers.get(connection) ?? '', connection);
      this.#wake();
    }
  };

  #wake(): void {
    this.#next ??= setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#parse();
    this.#handle();
    this.#next = null;
    if (this.#unparsed.size + this.#requests.size > 0) this.#wake();
  }

  #parse(): void {
    const enough = this.#parsed + PARSED_PER_TURN;
    for (let pieces = 0; pieces < PIECES_PER_TURN && this.#parsed < enough; pieces += 1) {
      const connection = this.#unparsed.next();
      if (!connection) return;
      this.#isUnparsed.delete(connection);
      if (connection.isReady) connection.parse();
    }
  }

  #handle(): void {
    for (let handled = 0; handled < HANDLED_PER_TURN; ) {
      const request = this.#requests.next();
      if (!request) return;
      const { incoming, outgoing } = request;
      // A request whose sender hung up costs nothing more.
      if (outgoing.destroyed || incoming.socket.destroyed) continue;
      handled += 1;
      this.#parts.handle(incoming, outgoing);
    }
  }
}

function isUnpaid({ method, headers }: IncomingMessage): boolean {
  return method === 'POST' && headers['x-payment'] === undefined && headers['payment-signature'] === undefined;
}
