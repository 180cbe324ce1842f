/**
 * The bytes of a request body, counted. The threats are a client that sends without end and one that stops in the
 * middle: both are bounded here. The request is never destroyed, because its answer still has to go out; the HTTP
 * adapter drains a bounded rest after the answer and then closes the connection.
 */
import type { IncomingMessage } from 'node:http';
import { QuarryError } from '../contract/index.ts';

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
  const silence = Promise.withResolvers<never>();
  silence.promise.catch(() => undefined);
  const timer = setTimeout(() => silence.reject(stalled()), bounds.idleTimeoutMs);
  let stalledOut = false;
  let receivedBytes = 0;
  try {
    for (;;) {
      timer.refresh();
      const next = chunks.next();
      // Whoever loses the race may fail later, when nobody listens any more.
      next.catch(() => undefined);
      const step = await Promise.race([next, silence.promise]).catch((error: unknown) => {
        stalledOut = error instanceof QuarryError;
        throw stalledOut ? error : brokenOff(error);
      });
      if (step.done) break;
      receivedBytes += step.value.length;
      if (receivedBytes > bounds.maxBytes) throw bounds.tooLarge();
      yield step.value;
    }
  } finally {
    clearTimeout(timer);
    // A stalled iterator would only end with its next chunk, so it is left to the closing of the connection.
    if (!stalledOut) await chunks.return?.();
  }
  if (!incoming.complete) throw brokenOff(undefined);
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
