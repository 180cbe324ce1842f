/**
 * Reads foreign response bodies. Threats: endless bodies, and decompression bombs. Bytes are counted on the wire and
 * after decoding, as they pass.
 */

import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { QuarryError } from '../errors.ts';
import { streamBytes } from '../files/stream-bytes.ts';
import { say } from '../text/say.ts';
import { MIB, SECOND_MS } from '../units.ts';
import { explainFetchError, isCutOff, sourceTooLarge, timedOut } from './fetch-errors.ts';

/** The rate of a body is judged after this. */
const RATE_AFTER_MS = 5 * SECOND_MS;

/** Encodings that this client decodes, as sent in Accept-Encoding. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/**
 * Bytes allowed on the wire beyond the content limit: the overhead of the encoding, and read-ahead before the decoder
 * reports that the limit is reached.
 */
const CODING_OVERHEAD_BYTES = 1 * MIB;

/** The lower half of a zlib stream's first byte is the method, 8. A raw deflate stream starts differently. */
const ZLIB_METHOD = 8;

export interface ForeignBody {
  /** For error messages. */
  host: string;
  stream: Readable;
  /** The Content-Encoding header. */
  encoding: string | undefined;
  /** Limit on the wire. The reader limits the decoded bytes. */
  maxBytes: number;
}

/**
 * Yields the decoded bytes. Ending the iteration ends the transfer. Errors: `source_unreachable`, `timeout`,
 * `source_too_large` for bytes on the wire.
 */
export async function* decodedBody(body: ForeignBody): AsyncGenerator<Buffer> {
  try {
    yield* decodeForeignBody(body);
  } catch (error) {
    throw explainFetchError(error, body.host);
  }
}

async function* decodeForeignBody(body: ForeignBody): AsyncGenerator<Buffer> {
  const wire = countedWire(body);
  const encoding = codingOf(body);
  if (encoding === null) return yield* wire;
  const first = await wire.next();
  // A response without content may still declare an encoding.
  if (first.done) return;
  const decoder = createDecoder(encoding, first.value);
  // The pipeline passes the source's error to the decoder, which the loop below reads.
  pipeline(Readable.from(startingWith(first.value, wire)), decoder, () => undefined);
  yield* decoder;
}

/** Null when no decoding is needed. */
function codingOf({ encoding = '' }: Pick<ForeignBody, 'encoding'>): string | null {
  const coding = encoding.trim().toLowerCase();
  return coding === '' || coding === 'identity' ? null : coding;
}

/**
 * Reads at most `maxBytes` decoded bytes. `truncated` is true when there were more; `cutOff` is the error that ended
 * the transfer early, else null. Errors: as `decodedBody`, and `timeout` for a body below the least rate.
 */
export async function readCapped(
  body: ForeignBody,
  leastBytesPerSecond = 0,
): Promise<{ content: Buffer; truncated: boolean; cutOff: unknown }> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let truncated = false;
  let cutOff: unknown = null;
  const startedAt = performance.now();
  try {
    for await (const chunk of decodeForeignBody(body)) {
      const room = body.maxBytes - sizeBytes;
      truncated = chunk.length > room;
      chunks.push(truncated ? chunk.subarray(0, room) : chunk);
      sizeBytes += Math.min(chunk.length, room);
      if (truncated) break;
      const elapsedMs = performance.now() - startedAt;
      if (elapsedMs > RATE_AFTER_MS && sizeBytes * SECOND_MS < leastBytesPerSecond * elapsedMs)
        throw timedOut(body.host);
    }
  } catch (error) {
    if (error instanceof QuarryError && error.code === 'source_too_large') truncated = true;
    else if (isCutOff(error)) cutOff = explainFetchError(error, body.host);
    else throw explainFetchError(error, body.host);
  }
  return { content: Buffer.concat(chunks, sizeBytes), truncated, cutOff };
}

async function* countedWire(body: ForeignBody): AsyncGenerator<Buffer> {
  const limit = body.maxBytes + CODING_OVERHEAD_BYTES;
  let wireBytes = 0;
  for await (const chunk of streamBytes(body.stream)) {
    wireBytes += chunk.length;
    if (wireBytes > limit) throw sourceTooLarge(body.maxBytes);
    yield chunk;
  }
}

async function* startingWith(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

function createDecoder(encoding: string, start: Buffer): Transform {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      return ((start[0] ?? 0) & 0x0f) === ZLIB_METHOD ? createInflate() : createInflateRaw();
    default:
      throw new QuarryError('source_unreachable', say`The source has a content encoding that was not requested.`, {
        cause: new Error(`Content-Encoding ${encoding}`),
      });
  }
}
