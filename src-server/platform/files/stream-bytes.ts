import type { Readable } from 'node:stream';

/** The pieces of a stream of bytes, whose type the stream does not say. */
export function streamBytes(stream: Readable): AsyncIterable<Buffer> {
  return stream as AsyncIterable<Buffer>;
}
