import type { Context } from 'hono';
import type { HttpEnv } from '../../platform/http/env.ts';

/** Answers with a job object, streamed when it comes in pieces. */
export function jobBody(
  context: Context<HttpEnv>,
  body: string | AsyncIterable<string | Uint8Array>,
  status: 200 | 202,
): Response {
  context.header('Content-Type', 'application/json');
  context.header('Cache-Control', 'no-store');
  return context.body(typeof body === 'string' ? body : ReadableStream.from(encodeJobPieces(body)), status);
}

async function* encodeJobPieces(pieces: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}
