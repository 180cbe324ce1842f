/**
 * Connections that carry callbacks, kept open for the next one. A callback is one POST whose answer nobody reads beyond
 * 4 kB, and there are thousands of them a second: for that, a client made for every kind of request costs twice as much
 * as the sockets do (decisions/040).
 */
import type { buildConnector } from 'undici';
import { SECOND_MS } from '../lib/units.ts';
import { explainFetchError, stopping } from './fetch-errors.ts';
import { Connection, type ConnectionOwner, Exchange, type PostedRequest, type Settle } from './post-connection.ts';

/** More than a crawl's per host: some of a receiver's endpoints may hang while others wait for their turn. */
const MAX_CONNECTIONS = 128;
/** How often connections that nobody uses are looked for. */
const SWEEP_MS = SECOND_MS;

/** The connections to one origin, and who waits for one. */
class Origin implements ConnectionOwner {
  readonly url: URL;
  readonly #connect: buildConnector.connector;
  readonly #open = new Set<Connection>();
  /** The one used last is used next, so that those a quiet time leaves over close. */
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<Exchange>();
  #connecting = 0;
  #isClosed = false;

  constructor(origin: string, connect: buildConnector.connector) {
    this.url = new URL(origin);
    this.#connect = connect;
  }

  get isUnused(): boolean {
    return this.#open.size === 0 && this.#connecting === 0;
  }

  send(exchange: Exchange): void {
    const connection = this.#idle.pop();
    if (connection !== undefined) connection.send(exchange);
    else if (this.#open.size + this.#connecting < MAX_CONNECTIONS) this.#connectFor(exchange);
    else this.#waiting.add(exchange);
  }

  free(connection: Connection): void {
    const next = this.#next();
    if (next === undefined) this.#idle.push(connection);
    else connection.send(next);
  }

  retire(connection: Connection): void {
    const place = this.#idle.indexOf(connection);
    if (place !== -1) this.#idle.splice(place, 1);
  }

  lost(connection: Connection): void {
    this.retire(connection);
    this.#open.delete(connection);
    this.#refill();
  }

  closeIdle(now: number): void {
    for (const connection of this.#idle.filter(({ idleUntil }) => idleUntil < now)) connection.destroy();
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#open) connection.destroy();
  }

  #next(): Exchange | undefined {
    for (const exchange of this.#waiting) {
      this.#waiting.delete(exchange);
      if (!exchange.isSettled) return exchange;
    }
    return undefined;
  }

  /** There is a place again: whoever waits gets a connection of their own. */
  #refill(): void {
    const next = this.#next();
    if (next !== undefined) this.#connectFor(next);
  }

  /** A connection that cannot be made fails the exchange it was for, and no other. */
  #connectFor(exchange: Exchange): void {
    const { hostname, host, protocol, port } = this.url;
    this.#connecting += 1;
    this.#connect({ hostname, host, protocol, port }, (error, socket) => {
      this.#connecting -= 1;
      if (error !== null) {
        exchange.fail(explainFetchError(error, host));
        this.#refill();
        return;
      }
      const connection = new Connection(socket, this);
      this.#open.add(connection);
      if (this.#isClosed) connection.destroy();
      // Whoever it was made for may have given up meanwhile.
      else if (exchange.isSettled) this.free(connection);
      else connection.send(exchange);
    });
  }
}

/** Posts to whatever `connect` lets through; connections of one pool are used by nobody else. */
export class PostPool {
  readonly #connect: buildConnector.connector;
  readonly #origins = new Map<string, Origin>();
  readonly #underWay = new Set<Exchange>();
  #sweep: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(connect: buildConnector.connector) {
    this.#connect = connect;
  }

  /** Errors, through `settle`: `source_unreachable`, `source_forbidden`, `timeout`, `interrupted`. */
  send(request: PostedRequest, settle: Settle): Exchange {
    const exchange = new Exchange(request, this.#underWay, settle);
    if (this.#isClosed) {
      exchange.fail(stopping());
      return exchange;
    }
    const origin = this.#origins.get(request.origin) ?? new Origin(request.origin, this.#connect);
    this.#origins.set(request.origin, origin);
    this.#sweep ??= setInterval(() => this.#closeIdle(), SWEEP_MS).unref();
    origin.send(exchange);
    return exchange;
  }

  /** Ends all connections, and what is under way on them. */
  close(): void {
    this.#isClosed = true;
    if (this.#sweep !== null) clearInterval(this.#sweep);
    for (const exchange of this.#underWay) exchange.abort(stopping());
    for (const origin of this.#origins.values()) origin.close();
  }

  #closeIdle(): void {
    for (const [name, origin] of this.#origins) {
      origin.closeIdle(performance.now());
      if (origin.isUnused) this.#origins.delete(name);
    }
  }
}
