import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from './env.ts';

/**
 * A HEAD is handled as the GET of its address and sent without the body. Nobody reads that one: a stream of events
 * would wait for its first reader, and listen, for as long as the process lives.
 */
export const unreadBody: MiddlewareHandler<HttpEnv> = async (context, next) => {
  await next();
  if (context.req.method === 'HEAD') await context.res.body?.cancel();
};
