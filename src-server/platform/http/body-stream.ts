/**
 * Reads a request body with a size limit and an idle timeout. Threats: a client that sends without end, and one that
 * stalls. The request is never destroyed, because its response must still be sent: a connection that closes while the
 * client sends takes the response with it. So a bounded rest of a refused body is read before the response. The HTTP
 * adapter closes the connection of a longer one.
 */

import type { IncomingMessage } from 'node:http';
import { QuarryError } from '../errors.ts';
import { type Said, tell } from '../text/say.ts';
import { MIB, SECOND_MS } from '../units.ts';

/** Of a refused body, what is read and dropped. */
const REST_BYTES_MAX = 64 * MIB;

const REST_MS_MAX = 20 * SECOND_MS;

/** A client that is silent for this long waits for the response. */
const REST_SILENCE_MS = SECOND_MS;

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

/** Runs a reader of a body. When it refuses the body, the rest is dropped before the error goes on. */
export async function readAnswerably<Value>(incoming: IncomingMessage, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (Number(incoming.headers['content-length'] ?? 0) <= REST_BYTES_MAX) await dropRest(incoming);
    throw error;
  }
}

/** Resolves at the end of the body, and at any bound. */
function dropRest(incoming: IncomingMessage): Promise<void> {
  if (incoming.complete || incoming.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    const endDropping = () => {
      clearTimeout(whole);
      clearTimeout(silence);
      incoming.off('data', dropChunk).off('end', endDropping).off('close', endDropping).off('error', endDropping);
      resolve();
    };
    const dropChunk = (chunk: Buffer) => {
      bytes += chunk.length;
      silence.refresh();
      if (bytes > REST_BYTES_MAX) endDropping();
    };
    const whole = setTimeout(endDropping, REST_MS_MAX);
    const silence = setTimeout(endDropping, REST_SILENCE_MS);
    incoming.on('data', dropChunk).on('end', endDropping).on('close', endDropping).on('error', endDropping);
    incoming.resume();
  });
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

export function bodyError(message: Said, cause?: unknown): QuarryError {
  return new QuarryError('invalid_request', message, { cause, fields: [{ path: '$', message }] });
}

function brokenOff(cause: unknown): QuarryError {
  return bodyError(tell`The body ended early. Send the request again.`, cause);
}

function bodyStalledError(): QuarryError {
  return bodyError(tell`The body stopped arriving. Send the request again.`);
}
