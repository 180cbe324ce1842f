import type { HttpBindings } from '@hono/node-server';
import type { Logger } from '../log.ts';

/** What every handler finds in its Hono context. `c.env.incoming` is Node's own request. */
export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: HttpVariables;
}

/** The features that set more of them declare those here, with `declare module`. */
export interface HttpVariables {
  /** `req_…`, also in the answer's X-Request-Id and in every log line of the request. */
  requestId: string;
  /** For what fails once the answer has begun; before that it is thrown. */
  log: Pick<Logger, 'error'>;
}
