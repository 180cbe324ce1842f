import type { IncomingMessage } from 'node:http';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { QuarryError } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../log.ts';
import type { HttpEnv } from './env.ts';
import { type HostRules, hostGuard } from './host-guard.ts';
import { logFailure, publicError } from './problem.ts';

/**
 * The HTTP edge. Threats: foreign pages and rebound names (the host guard runs first), and leaks through errors (one
 * handler turns every error into a problem document without its cause).
 */
interface AppParts {
  hosts: HostRules;
  log: Logger;
  clientAddress(incoming: IncomingMessage): string | undefined;
  /** Adds checks and routes in the order in which they run. */
  mount(app: Hono<HttpEnv>): void;
  /** The response to a request that failed with `error`, which is public. */
  errorResponse(context: Context<HttpEnv>, error: QuarryError): Response | Promise<Response>;
}

export function createApp(deps: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.use((context, next) => {
    context.set('clientAddress', deps.clientAddress(context.env.incoming));
    return next();
  });
  app.use(requestLog(deps.log));
  app.use(unreadBody);
  app.use(hostGuard(deps.hosts));
  deps.mount(app);
  app.notFound((context) => deps.errorResponse(context, notFoundOrNotAllowed(app, context)));
  app.onError((error, context) => {
    const shown = publicError(error);
    logFailure(context, shown);
    return deps.errorResponse(context, shown);
  });
  return app;
}

/** Methods that submit no work. */
const READING = ['GET', 'HEAD', 'OPTIONS'];

/** Refuses new work while the server stops: it would be cut off. Reading still works. */
export function refuseWhenStopping(isStopping: () => boolean): MiddlewareHandler<HttpEnv> {
  return async (context, next) => {
    if (!isStopping() || READING.includes(context.req.method)) return next();
    throw new QuarryError('shutting_down', 'Quarry is stopping. Send the request again once it is back.');
  };
}

/** Fields of every answer. */
export const EVERY_ANSWER = { 'cross-origin-resource-policy': 'same-origin', 'x-content-type-options': 'nosniff' };

function requestLog(log: Logger) {
  return async (context: Context<HttpEnv>, next: () => Promise<void>) => {
    const requestId = newId('req');
    context.set('requestId', requestId);
    context.set('log', log);
    context.header('X-Request-Id', requestId);
    for (const [name, value] of Object.entries(EVERY_ANSWER)) context.header(name, value);
    const startedAt = performance.now();
    await next();
    const tookMs = Math.round(performance.now() - startedAt);
    // Path only: the query may contain private data.
    const line = { requestId, method: context.req.method, path: context.req.path, status: context.res.status, tookMs };
    if (context.res.status >= 500) log.warn(line, 'request');
    else log.debug(line, 'request');
  };
}

/** 405 with Allow when the path exists with another method, else 404. */
function notFoundOrNotAllowed(app: Hono<HttpEnv>, context: Context<HttpEnv>): QuarryError {
  const allowed = allowedMethods(app.routes, context.req.path);
  // A route may accept the method and still find nothing at this path.
  if (allowed.length === 0 || allowed.includes(context.req.method)) {
    return new QuarryError('not_found', 'There is nothing at this address. /reference lists every route.');
  }
  context.header('Allow', allowed.join(', '));
  return new QuarryError('method_not_allowed', `This address takes ${allowed.join(', ')} only.`);
}

interface Route {
  method: string;
  path: string;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The methods with a route at this path. Middleware accepts any method and does not count. */
export function allowedMethods(routes: readonly Route[], path: string): string[] {
  const found = new Set<string>();
  for (const route of routes) {
    if (!METHODS.includes(route.method) || route.path.includes('*') || !matchesRoutePattern(route.path, path)) continue;
    found.add(route.method);
    if (route.method === 'GET') found.add('HEAD');
  }
  return METHODS.filter((method) => found.has(method));
}

function matchesRoutePattern(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  const takesRest = wanted.at(-1)?.endsWith('{.+}') === true;
  if (takesRest ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]));
}

/**
 * Handles HEAD as GET and drops the body. A body without a reader must be cancelled: an event stream would otherwise
 * wait and listen for as long as the process runs.
 */
export const unreadBody: MiddlewareHandler<HttpEnv> = async (context, next) => {
  await next();
  if (context.req.method === 'HEAD') await context.res.body?.cancel();
};
