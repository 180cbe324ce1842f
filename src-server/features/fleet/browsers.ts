/**
 * Browsers of nodes for crawls of this machine. A session is ordered from one node, which answers by two kinds of
 * outgoing connections: one for the program of the browser, and one for each connection that the browser opens, which
 * leads to the proxy of the crawl and nowhere else. Its token opens both, and ends with the session.
 */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { Listeners } from '../../platform/listeners.ts';
import { joinStreams } from '../../platform/net/relay.ts';
import type { OpenLine } from '../../platform/rpc/rpc.ts';
import { type StreamTiming, streamLine } from '../../platform/rpc/stream-line.ts';
import type { NodeBrowser, NodeBrowsers } from '../crawl/schema.ts';
import type { Dispatcher, NodeState } from './dispatcher.ts';
import { type BrowserOrder, UPGRADE } from './messages.ts';

const TOKEN_BYTES = 24;

/** Chromium opens 32 to one proxy, besides those of WebSockets. */
const CONNECTIONS_MAX = 512;

/** Leases for which a node still counts that is being started again, or has not been heard since this machine was. */
const LEASES_PATIENT = 3;

interface BrowsersDeps {
  version: string;
  dispatcher: Dispatcher;
  timing: StreamTiming;
}

/** Where sessions are ordered; null while the fleet is off. */
interface BrowserLink {
  lend(node: string, order: BrowserOrder): void;
}

export class Browsers implements NodeBrowsers {
  readonly #deps: BrowsersDeps;
  /** By token. */
  readonly #sessions = new Map<string, Session>();
  /** Monotonic: until then a node is not asked again. */
  readonly #restUntil = new Map<string, number>();
  readonly #changed = new Listeners<void>();
  #link: BrowserLink | null = null;

  constructor(deps: BrowsersDeps) {
    this.#deps = deps;
  }

  attachBrowserLink(link: BrowserLink): void {
    this.#link = link;
    this.#changed.notifyListeners();
  }

  /** Ends all sessions. */
  endBrowserSessions(): void {
    this.#link = null;
    for (const session of this.#sessions.values()) session.loseBrowserSession();
    this.#changed.notifyListeners();
  }

  /** The nodes may have changed, also by their silence. */
  loseAbsentSessions(): void {
    const there = new Set(this.#deps.dispatcher.nodeStates.map(({ row }) => row.id));
    for (const session of this.#sessions.values()) if (!there.has(session.nodeId)) session.loseBrowserSession();
    this.#changed.notifyListeners();
  }

  /** Browsers of a node that crawls have taken. */
  takenOf(nodeId: string): number {
    return [...this.#sessions.values()].filter((session) => session.nodeId === nodeId).length;
  }

  offered(): number {
    const { dispatcher, timing, version } = this.#deps;
    const since = performance.now() - LEASES_PATIENT * timing.leaseMs;
    return dispatcher.nodeStates
      .filter(({ row, beatAt }) => row.draining === 0 && beatAt > since)
      .filter((node) => (node.presence?.version ?? version) === version && !dispatcher.isContested(node))
      .reduce((sum, { abilities }) => sum + (abilities?.browsers ?? 0), 0);
  }

  takeNodeBrowser(): NodeBrowser | null {
    const { dispatcher, timing } = this.#deps;
    const link = this.#link;
    if (link === null) return null;
    const now = performance.now();
    const freeOf = ({ row, presence }: NodeState) => (presence?.browsers ?? 0) - this.takenOf(row.id);
    const [best] = dispatcher.nodeStates
      .filter((node) => dispatcher.mayLend(node) && (this.#restUntil.get(node.row.id) ?? 0) <= now && freeOf(node) > 0)
      .sort((one, other) => freeOf(other) - freeOf(one));
    if (best === undefined) return null;
    const { id: nodeId, name } = best.row;
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    const session = new Session(nodeId);
    this.#sessions.set(token, session);
    return {
      node: name,
      get isLost() {
        return session.isLost;
      },
      open: (proxyPort, signal) =>
        session.openBrowserSession(proxyPort, () => link.lend(nodeId, { token }), timing, signal),
      leave: (isWell) => {
        session.loseBrowserSession();
        this.#sessions.delete(token);
        if (!isWell) this.#restUntil.set(nodeId, performance.now() + timing.leaseMs);
        this.#changed.notifyListeners();
      },
    };
  }

  watchNodeBrowsers(onChange: () => void): () => void {
    return this.#changed.addListener(onChange);
  }

  /** A connection of a node to the file server. */
  readonly onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy());
    if (head.length > 0) socket.unshift(head);
    const [, top, token = '', kind] = (request.url ?? '').split('/');
    const session = top === 'browsers' ? this.#sessions.get(token) : undefined;
    const isTaken =
      (kind === 'program' && session?.takeProgram(socket)) || (kind === 'network' && session?.takeConnection(socket));
    if (!isTaken) socket.end('HTTP/1.1 409 Conflict\r\nconnection: close\r\n\r\n', () => socket.destroy());
  };
}

const ACCEPTED = `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${UPGRADE}\r\n\r\n`;

class Session {
  readonly nodeId: string;
  readonly #sockets = new Set<Duplex>();
  readonly #program = Promise.withResolvers<Duplex>();
  /** Null until the session is ordered. */
  #proxyPort: number | null = null;
  #isOpen = false;
  #isOver = false;
  #isEndedHere = false;

  constructor(nodeId: string) {
    this.nodeId = nodeId;
    // Nobody waits for it until the session is ordered.
    this.#program.promise.catch(() => undefined);
  }

  get isLost(): boolean {
    return this.#isOver && !this.#isEndedHere;
  }

  async openBrowserSession(
    proxyPort: number,
    order: () => void,
    timing: StreamTiming,
    signal: AbortSignal,
  ): Promise<OpenLine> {
    signal.throwIfAborted();
    this.#proxyPort = proxyPort;
    const { promise, reject } = this.#program;
    const abortSessionOpening = () => reject(signal.reason);
    const limit = setTimeout(() => reject(new Error('The node did not take the browser in time.')), timing.leaseMs);
    signal.addEventListener('abort', abortSessionOpening, { once: true });
    try {
      order();
      const open = streamLine(await promise, timing);
      return (listeners) => {
        const line = open(listeners);
        const endBrowserLine = () => {
          this.#isEndedHere ||= !this.#isOver;
          line.end();
        };
        return { send: line.send, end: endBrowserLine };
      };
    } finally {
      clearTimeout(limit);
      signal.removeEventListener('abort', abortSessionOpening);
    }
  }

  /** The first connection is the session; its end is that of the session. */
  takeProgram(socket: Duplex): boolean {
    if (this.#isOver || this.#isOpen || this.#proxyPort === null) return false;
    this.#isOpen = true;
    this.#trackSessionSocket(socket);
    socket.once('close', () => this.loseBrowserSession());
    socket.write(ACCEPTED);
    this.#program.resolve(socket);
    return true;
  }

  takeConnection(socket: Duplex): boolean {
    const isFull = this.#sockets.size >= CONNECTIONS_MAX;
    if (this.#isOver || !this.#isOpen || this.#proxyPort === null || isFull) return false;
    const proxy = connect(this.#proxyPort, '127.0.0.1');
    this.#trackSessionSocket(socket);
    this.#trackSessionSocket(proxy);
    socket.write(ACCEPTED);
    joinStreams(socket, proxy);
    return true;
  }

  /** Nothing opens it again. */
  loseBrowserSession(): void {
    this.#isOver = true;
    this.#program.reject(new Error('The session is over.'));
    for (const socket of this.#sockets) socket.destroy();
  }

  #trackSessionSocket(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
