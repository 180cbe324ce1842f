/**
 * The bytes of a request body, counted. The threats are a client that sends without end and one that stops in the
 * middle: both are bounded here. The request is never destroyed, because its answer still has to go out; the HTTP
 * adapter drains a bounded rest after the answer and then closes the connection.
 */

import type { IncomingMessage } from 'node:http';
import { QuarryError } from '../errors.ts';

export interface BodyBounds {
  maxBytes: number;
  /** The error for one byte too many. */
  tooLarge(): QuarryError;
  /** Longest silence between two chunks. */
  idleTimeoutMs: number;
}

/** Whether the request announces a body at all (RFC 9112, section 6). */
export function hasBody(incoming: IncomingMessage): boolean {
  if (incoming.headers['transfer-encoding'] !== undefined) return true;
  return Number(incoming.headers['content-length'] ?? 0) > 0;
}

/** Throws before a byte is read when the announced length is over the bound. */
export function refuseAnnouncedExcess(incoming: IncomingMessage, bounds: Pick<BodyBounds, 'maxBytes' | 'tooLarge'>) {
  if (Number(incoming.headers['content-length'] ?? 0) > bounds.maxBytes) throw bounds.tooLarge();
}

/** Yields the body as it arrives. Errors: `bounds.tooLarge()`, `invalid_request` when the body breaks off or stalls. */
export async function* bodyChunks(incoming: IncomingMessage, bounds: BodyBounds): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = incoming.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
  let receivedBytes = 0;
  let waiting = false;
  try {
    for (;;) {
      waiting = true;
      const step = await withinSilence(chunks.next(), bounds.idleTimeoutMs);
      waiting = false;
      if (step.done) break;
      receivedBytes += step.value.length;
      if (receivedBytes > bounds.maxBytes) throw bounds.tooLarge();
      yield step.value;
    }
  } finally {
    // An iterator that still waits would end only with its next chunk, so it is left to the closing of the connection.
    if (!waiting) await chunks.return?.();
  }
  if (!incoming.complete) throw brokenOff(undefined);
}

/**
 * The next step, unless it takes too long. Each step has a timer of its own: a race against one promise that lives as
 * long as the body would keep every chunk in memory until the end.
 */
function withinSilence<Step>(next: Promise<Step>, idleTimeoutMs: number): Promise<Step> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(stalled()), idleTimeoutMs);
    next.then(resolve, (error: unknown) => reject(brokenOff(error))).finally(() => clearTimeout(timer));
  });
}

export function bodyError(message: string, cause?: unknown): QuarryError {
  return new QuarryError('invalid_request', message, { cause, fields: [{ path: '$', message }] });
}

function brokenOff(cause: unknown): QuarryError {
  return bodyError('The body broke off before its end; send the request again.', cause);
}

function stalled(): QuarryError {
  return bodyError('The body stopped arriving before its end; send the request again.');
}
