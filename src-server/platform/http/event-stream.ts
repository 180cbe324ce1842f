import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { HttpEnv } from './env.ts';

/**
 * An answer of server-sent events, which `write` makes. Hono's own function lets caches keep them, and prints what
 * fails past the log, with all that the log leaves out.
 */
export function eventStream(context: Context<HttpEnv>, write: (stream: SSEStreamingApi) => Promise<void>): Response {
  // Proxies that gather an answer would hold each event back.
  context.header('X-Accel-Buffering', 'no');
  const response = streamSSE(context, async (stream) => {
    try {
      await write(stream);
    } catch (error) {
      const requestId = context.get('requestId');
      context.get('log').error({ err: error, requestId }, 'A stream of events ended before its end.');
    }
  });
  response.headers.set('Cache-Control', 'no-store');
  return response;
}
