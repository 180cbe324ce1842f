import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import type { Logger } from '../log.ts';

/** The Hono environment of every handler. `c.env.incoming` is Node's request. */
export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: HttpVariables;
}

export type HttpMiddleware = MiddlewareHandler<HttpEnv>;

/** Context variables. Features declare further ones with `declare module`. */
export interface HttpVariables {
  /** Of the client, also behind a trusted proxy; undefined when the connection has closed. */
  clientAddress: string | undefined;
  /** `req_…`, also in the X-Request-Id header and in the log lines of the request. */
  requestId: string;
  /** For errors after the response has started. Earlier errors are thrown. */
  log: Pick<Logger, 'error'>;
}
