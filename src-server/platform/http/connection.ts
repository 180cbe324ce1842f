/**
 * A client's connection whose bytes reach the HTTP parser in small pieces. Threat: one packet can hold a thousand
 * pipelined requests, and Node parses all of them in one go, before it looks at another socket. So the bytes wait here
 * unparsed, the socket is paused while they wait, and the next piece is parsed only once the requests of the last one
 * are answered.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { KIB } from '../units.ts';

/** Parsed at once where requests may begin: room for a few dozen of the shortest. */
const PIECE_BYTES = KIB;

/** Parsed at once in a body of unknown length, behind which requests may begin as well. */
const CHUNKED_PIECE_BYTES = 8 * KIB;

/** Unparsed bytes from which on the socket is not read. One read brings 64 KiB at most. */
const HELD_BYTES_MAX = 4 * KIB;

type WriteCallback = (error?: Error | null) => void;

export class Connection extends Duplex {
  /** Whether its latest request carried the owner's credential: then its bytes do not wait. */
  isOwners = false;
  readonly #socket: Socket;
  /** Called whenever a piece can be parsed. */
  readonly #onReady: (connection: Connection) => void;
  readonly #held: Buffer[] = [];
  #heldBytes = 0;
  #hasEnded = false;
  #isWanted = false;
  /** Requests that are not answered yet. */
  #openRequests = 0;
  #latest: IncomingMessage | null = null;
  /** At most this much of the latest request's body is still to be parsed. */
  #bodyBytes = 0;

  constructor(socket: Socket, onReady: (connection: Connection) => void) {
    super({ allowHalfOpen: true, decodeStrings: false });
    this.#socket = socket;
    this.#onReady = onReady;
    socket.on('data', (bytes) => this.#hold(bytes));
    socket.on('end', () => this.#end());
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** Whether a piece may be parsed now. */
  get isReady(): boolean {
    if (this.destroyed || !this.#isWanted || this.#heldBytes === 0) return false;
    return this.#openRequests === 0 || this.#isInBody();
  }

  /** Whether it neither waits for an answer nor has sent anything that is still to be parsed. */
  get isIdle(): boolean {
    return this.#openRequests === 0 && this.#heldBytes === 0;
  }

  /** Gives the next piece to the parser. */
  parse(): void {
    const bytes = this.#held.shift();
    if (bytes === undefined) return;
    const piece = bytes.subarray(0, this.isOwners ? bytes.length : this.#pieceBytes());
    if (piece.length < bytes.length) this.#held.unshift(bytes.subarray(piece.length));
    this.#heldBytes -= piece.length;
    this.#bodyBytes -= piece.length;
    this.#isWanted = false;
    this.push(piece);
    if (this.#heldBytes > 0) return;
    if (this.#hasEnded) this.push(null);
    else if (this.#socket.isPaused()) this.#socket.resume();
  }

  /** To be called for each request that was parsed. */
  begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#latest = incoming;
    this.#bodyBytes = Number(incoming.headers['content-length'] ?? 0);
    this.#openRequests += 1;
    outgoing.once('close', () => {
      this.#openRequests -= 1;
      this.#announce();
    });
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#socket.remotePort;
  }

  get remoteFamily(): string | undefined {
    return this.#socket.remoteFamily;
  }

  setTimeout(milliseconds: number, onTimeout?: () => void): this {
    this.#socket.setTimeout(milliseconds);
    if (onTimeout) this.once('timeout', onTimeout);
    return this;
  }

  /** Closes once everything is written, as `Socket.destroySoon` does. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  override _read(): void {
    this.#isWanted = true;
    this.#announce();
  }

  override _write(chunk: string | Buffer, encoding: BufferEncoding, done: WriteCallback): void {
    this.#socket.write(chunk, encoding, done);
  }

  override _writev(chunks: { chunk: string | Buffer; encoding: BufferEncoding }[], done: WriteCallback): void {
    this.#socket.cork();
    const last = chunks.length - 1;
    for (const [index, { chunk, encoding }] of chunks.entries()) {
      this.#socket.write(chunk, encoding, index === last ? done : undefined);
    }
    this.#socket.uncork();
  }

  override _final(done: WriteCallback): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: WriteCallback): void {
    this.#socket.destroy();
    done(error);
  }

  #hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes >= HELD_BYTES_MAX) this.#socket.pause();
    this.#announce();
  }

  #end(): void {
    this.#hasEnded = true;
    if (this.#heldBytes === 0) this.push(null);
  }

  #announce(): void {
    if (this.isReady) this.#onReady(this);
  }

  #isInBody(): boolean {
    return this.#latest !== null && !this.#latest.complete;
  }

  #pieceBytes(): number {
    if (!this.#isInBody()) return PIECE_BYTES;
    const isChunked = this.#latest?.headers['transfer-encoding'] !== undefined;
    return isChunked ? CHUNKED_PIECE_BYTES : Math.max(PIECE_BYTES, this.#bodyBytes);
  }
}

export interface ConnectionBounds {
  /** Connections of one caller. */
  perCaller: number;
  /** Connections of all callers. */
  total: number;
}

/** Descriptors that connections leave to files, databases and child processes. */
const RESERVED_DESCRIPTORS = 256;

/** More than the system's accept queue (511) holds: what is accepted in one turn never closes itself. */
const PER_CALLER = 512;

const TOTAL_MAX = 4096;

/** Where the system names no limit (Windows). */
const DESCRIPTORS_ASSUMED = 4096;

/** Bounds that fit the descriptors this process may open. */
export function systemBounds(): ConnectionBounds {
  const descriptors = descriptorLimit();
  const total = Math.max(Math.min(TOTAL_MAX, descriptors - RESERVED_DESCRIPTORS), Math.floor(descriptors / 2));
  return { perCaller: Math.min(PER_CALLER, total), total };
}

/** The soft limit; Node raises it to the hard one when it starts. */
function descriptorLimit(): number {
  // Else a report asks the name server for the names of open connections.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : DESCRIPTORS_ASSUMED;
}

/**
 * Open connections, bounded. Threat: a caller that opens connections and sends half a header takes all descriptors. A
 * newcomer is never refused, because it may be the owner; another connection closes for it instead: an idle one of the
 * same caller where there is one, the oldest first, and never one that the owner uses.
 */
export class Connections {
  readonly #bounds: ConnectionBounds;
  readonly #all = new Set<Connection>();
  readonly #byCaller = new Map<string, Set<Connection>>();

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds;
  }

  add(caller: string, connection: Connection): void {
    const own = this.#byCaller.get(caller) ?? new Set();
    if (own.size >= this.#bounds.perCaller) closeOne(own);
    else if (this.#all.size >= this.#bounds.total) closeOne(this.#all);
    this.#byCaller.set(caller, own.add(connection));
    this.#all.add(connection);
    connection.once('close', () => {
      this.#all.delete(connection);
      own.delete(connection);
      if (own.size === 0 && this.#byCaller.get(caller) === own) this.#byCaller.delete(caller);
    });
  }
}

/** Closes the oldest idle connection; where none is idle, the oldest. Those of the owner stay open. */
function closeOne(connections: ReadonlySet<Connection>): void {
  let oldest: Connection | undefined;
  for (const connection of connections) {
    if (connection.isOwners || connection.destroyed) continue;
    if (connection.isIdle) return void connection.destroy();
    oldest ??= connection;
  }
  oldest?.destroy();
}
