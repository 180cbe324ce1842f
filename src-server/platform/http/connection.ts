/**
 * A client connection that feeds the HTTP parser in small pieces. Threat: one packet can contain a thousand pipelined
 * requests, and Node parses all of them before it reads another socket. Bytes therefore wait here unparsed, with the
 * socket paused. The next piece is parsed once the requests of the last one are answered.
 */

import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { recordOf } from '../records.ts';
import { KIB } from '../units.ts';

/** Piece size where requests may start: a few dozen of the shortest. */
const PIECE_BYTES = KIB;

/** Piece size in a body of unknown length, which other requests may follow. */
const CHUNKED_PIECE_BYTES = 8 * KIB;

/** Unparsed bytes above which the socket is paused. One read returns at most 64 KiB. */
const HELD_BYTES_MAX = 4 * KIB;

type WriteCallback = (error?: Error | null) => void;

export class Connection extends Duplex {
  /** Whether the latest request had the owner's credential. The owner's bytes do not wait. */
  isOwners = false;
  readonly #socket: Socket;
  /** Called when a piece can be parsed. */
  readonly #onReady: (connection: Connection) => void;
  readonly #held: Buffer[] = [];
  #heldBytes = 0;
  #hasEnded = false;
  #isWanted = false;
  /** Requests without a response. */
  #openRequests = 0;
  #latest: IncomingMessage | null = null;
  /** Upper bound of the unparsed bytes of the latest body. */
  #bodyBytes = 0;

  constructor(socket: Socket, onReady: (connection: Connection) => void) {
    super({ allowHalfOpen: true, decodeStrings: false });
    this.#socket = socket;
    this.#onReady = onReady;
    socket.on('data', (bytes) => this.#holdBytes(bytes));
    socket.on('end', () => this.#endConnectionInput());
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** Whether a piece may be parsed now. */
  get isReady(): boolean {
    if (this.destroyed || !this.#isWanted || this.#heldBytes === 0) return false;
    return this.#openRequests === 0 || this.#isInBody();
  }

  /** Whether there are neither open requests nor unparsed bytes. */
  get isIdle(): boolean {
    return this.#openRequests === 0 && this.#heldBytes === 0;
  }

  /** Passes the next piece to the parser. */
  parseNextPiece(): void {
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

  /** Registers a parsed request. */
  registerRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#latest = incoming;
    this.#bodyBytes = Number(incoming.headers['content-length'] ?? 0);
    this.#openRequests += 1;
    outgoing.once('close', () => {
      this.#openRequests -= 1;
      this.#announceReadiness();
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

  /** Closes once all data is written, as `Socket.destroySoon` does. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  override _read(): void {
    this.#isWanted = true;
    this.#announceReadiness();
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

  #holdBytes(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes >= HELD_BYTES_MAX) this.#socket.pause();
    this.#announceReadiness();
  }

  #endConnectionInput(): void {
    this.#hasEnded = true;
    if (this.#heldBytes === 0) this.push(null);
  }

  #announceReadiness(): void {
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
  perCaller: number;
  /** Connections of all callers. */
  total: number;
}

/** File descriptors reserved for files, databases and child processes. */
const RESERVED_DESCRIPTORS = 256;

/** Larger than the system's accept queue (511), so that connections accepted in one turn do not close each other. */
const PER_CALLER = 512;

const TOTAL_MAX = 4096;

/** Used when the system states no limit (Windows). */
const DESCRIPTORS_ASSUMED = 4096;

/** Connection limits for the file descriptors of this process. */
export function systemBounds(): ConnectionBounds {
  const descriptors = descriptorLimit();
  const total = Math.max(Math.min(TOTAL_MAX, descriptors - RESERVED_DESCRIPTORS), Math.floor(descriptors / 2));
  return { perCaller: Math.min(PER_CALLER, total), total };
}

let knownLimit: number | null = null;

/** The soft limit, which Node raises to the hard limit at start. Read once. */
function descriptorLimit(): number {
  knownLimit ??= readDescriptorLimit();
  return knownLimit;
}

function readDescriptorLimit(): number {
  return linuxDescriptorLimit() ?? reportedDescriptorLimit();
}

/** Null on other systems. */
function linuxDescriptorLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

/** A report takes up to a tenth of a second. */
function reportedDescriptorLimit(): number {
  // Otherwise the report resolves the host names of open connections.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = recordOf(report.getReport());
  const { soft } = recordOf(recordOf(userLimits).open_files);
  return typeof soft === 'number' ? soft : DESCRIPTORS_ASSUMED;
}

/**
 * The open connections, bounded. Threat: a caller that opens connections and sends half a header exhausts all
 * descriptors. A new connection is never refused, because it may be the owner's. Another one closes instead: an idle
 * one of the same caller if possible, the oldest first, and never one of the owner's.
 */
export class Connections {
  readonly #bounds: ConnectionBounds;
  readonly #all = new Set<Connection>();
  readonly #byCaller = new Map<string, Set<Connection>>();

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds;
  }

  admitConnection(caller: string, connection: Connection): void {
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

/** Closes the oldest idle connection, or the oldest if none is idle. Skips the owner's. */
function closeOne(connections: ReadonlySet<Connection>): void {
  let oldest: Connection | undefined;
  for (const connection of connections) {
    if (connection.isOwners || connection.destroyed) continue;
    if (connection.isIdle) return void connection.destroy();
    oldest ??= connection;
  }
  oldest?.destroy();
}
