/**
 * Who is answered first. Threat: a flood of requests that cost their sender nothing (no proof, no account) keeps the
 * one thread so busy that the owner waits behind all of them. So only what carries the owner's credential is handled as
 * it arrives. Everything else waits here, and a few are handled in each turn of the event loop: whatever arrived
 * meanwhile, the owner's calls among it, is read between two turns. Callers take turns too, by address, and an
 * address's unpaid requests wait apart from its other ones, so a flood holds up itself. What waits is bounded: a
 * connection can send a thousand requests in one packet.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { QuarryError } from '../contract/errors.ts';
import { problemOf } from './problem.ts';

/** Requests handled in one turn. Each takes well under a tenth of a millisecond of the thread, or waits by itself. */
const HANDLED_PER_TURN = 2;
/** Requests that wait at most, of all callers. */
const WAITING_MAX = 1024;
/** A second is a long time for a queue that a thread empties thousands of times in it. */
const RETRY_AFTER_SECONDS = 1;

const REFUSAL = problemOf(
  new QuarryError('rate_limited', 'More requests wait here than can be answered soon: send yours again in a second.'),
);

interface Waiting {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

export interface TurnsParts {
  /** Whether a request carries the owner's credential. */
  isOwner(incoming: IncomingMessage): boolean;
  handle: RequestListener;
}

/** A server whose requests are handled in fair turns. @param options those of Node's own `createServer`. */
export function fairServer(options: Parameters<typeof createServer>[0] & object, parts: TurnsParts): Server {
  return createServer(options, new Turns(parts).take);
}

class Turns {
  readonly #parts: TurnsParts;
  /** By caller, in the order of their next turn. No queue in it is empty. */
  readonly #queues = new Map<string, Waiting[]>();
  #waiting = 0;
  #next: NodeJS.Immediate | null = null;
  readonly #refusalBytes = Buffer.from(JSON.stringify(REFUSAL));

  constructor(parts: TurnsParts) {
    this.#parts = parts;
  }

  readonly take: RequestListener = (incoming, outgoing) => {
    if (this.#parts.isOwner(incoming)) this.#parts.handle(incoming, outgoing);
    else if (this.#waiting >= WAITING_MAX) this.#refuse(outgoing);
    else this.#enqueue(callerOf(incoming), { incoming, outgoing });
  };

  #enqueue(caller: string, request: Waiting): void {
    const queue = this.#queues.get(caller);
    if (queue) queue.push(request);
    else this.#queues.set(caller, [request]);
    this.#waiting += 1;
    this.#next ??= setImmediate(() => this.#turn());
  }

  #turn(): void {
    for (let handled = 0; handled < HANDLED_PER_TURN && this.#waiting > 0; ) {
      const { incoming, outgoing } = this.#dequeue();
      // Whoever hung up meanwhile costs nothing more.
      if (outgoing.destroyed || incoming.socket.destroyed) continue;
      handled += 1;
      this.#parts.handle(incoming, outgoing);
    }
    this.#next = this.#waiting > 0 ? setImmediate(() => this.#turn()) : null;
  }

  /** The oldest request of the caller whose turn it is; the caller then stands behind all others. */
  #dequeue(): Waiting {
    for (const [caller, queue] of this.#queues) {
      this.#queues.delete(caller);
      const request = queue.shift();
      if (request === undefined) continue;
      if (queue.length > 0) this.#queues.set(caller, queue);
      this.#waiting -= 1;
      return request;
    }
    throw new Error('Requests are counted that wait nowhere.');
  }

  #refuse(outgoing: ServerResponse): void {
    outgoing
      .writeHead(REFUSAL.status, {
        'Content-Type': 'application/problem+json',
        'Cache-Control': 'no-store',
        'Retry-After': RETRY_AFTER_SECONDS,
        'Content-Length': this.#refusalBytes.length,
      })
      .end(this.#refusalBytes);
  }
}

function callerOf({ method, headers, socket }: IncomingMessage): string {
  const paid = headers['x-payment'] !== undefined || headers['payment-signature'] !== undefined;
  const unpaid = method === 'POST' && !paid;
  return `${socket.remoteAddress ?? ''}${unpaid ? ' unpaid' : ''}`;
}
