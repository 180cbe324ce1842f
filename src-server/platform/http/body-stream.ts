/**
 * Reads a request body with a size limit and an idle timeout. Threats: a client that sends without end, and one that
 * stalls. The request is never destroyed, because its response must still be sent. The HTTP adapter drains a bounded
 * rest after the response and then closes the connection.
 */

import type { IncomingMessage } from 'node:http';
import { QuarryError } from '../errors.ts';

export interface BodyBounds {
  maxBytes: number;
  /** The error when the body exceeds the limit. */
  tooLarge(): QuarryError;
  /** Longest idle time between two chunks. */
  idleTimeoutMs: number;
}

/** Whether the request has a body (RFC 9112, section 6). */
export function hasBody(incoming: IncomingMessage): boolean {
  if (incoming.headers['transfer-encoding'] !== undefined) return true;
  return Number(incoming.headers['content-length'] ?? 0) > 0;
}

/** Throws before reading when the declared length exceeds the limit. */
export function refuseAnnouncedExcess(incoming: IncomingMessage, bounds: Pick<BodyBounds, 'maxBytes' | 'tooLarge'>) {
  if (Number(incoming.headers['content-length'] ?? 0) > bounds.maxBytes) throw bounds.tooLarge();
}

/** Yields the body as it arrives. Errors: `bounds.tooLarge()`, `invalid_request` when the body ends early or stalls. */
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
    // A pending iterator ends only with its next chunk. Closing the connection ends it.
    if (!waiting) await chunks.return?.();
  }
  if (!incoming.complete) throw brokenOff(undefined);
}

/**
 * The next chunk, with a timeout. Each step has its own timer: racing one promise for the whole body would keep every
 * chunk in memory until the end.
 */
function withinSilence<Step>(next: Promise<Step>, idleTimeoutMs: number): Promise<Step> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(bodyStalledError()), idleTimeoutMs);
    next.then(resolve, (error: unknown) => reject(brokenOff(error))).finally(() => clearTimeout(timer));
  });
}

export function bodyError(message: string, cause?: unknown): QuarryError {
  return new QuarryError('invalid_request', message, { cause, fields: [{ path: '$', message }] });
}

function brokenOff(cause: unknown): QuarryError {
  return bodyError('The body ended early. Send the request again.', cause);
}

function bodyStalledError(): QuarryError {
  return bodyError('The body stopped arriving. Send the request again.');
}
