import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { QuarryError } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../log.ts';
import type { HttpEnv } from './env.ts';
import { type HostRules, hostGuard } from './host-guard.ts';
import { logFailure, publicError } from './problem.ts';

/**
 * The edge. Threats met here: foreign pages and rebound names (host guard, before anything else), and leaks through
 * errors (one handler turns whatever is thrown into a problem without a cause).
 */
interface AppParts {
  hosts: HostRules;
  log: Logger;
  /** Adds checks and routes, in the order in which a request meets them. */
  mount(app: Hono<HttpEnv>): void;
  /** The answer to a request that failed with `error`, which is public. */
  errorResponse(context: Context<HttpEnv>, error: QuarryError): Response;
  /** The page of a browser that asks for an unknown address; null for every other client. */
  unknownPage(context: Context<HttpEnv>): Promise<Response | null>;
}

export function createApp(deps: AppParts): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.use(requestLog(deps.log));
  app.use(unreadBody);
  app.use(hostGuard(deps.hosts));
  deps.mount(app);
  app.notFound(async (context) => {
    const error = notFound(app, context);
    const page = error.code === 'not_found' ? await deps.unknownPage(context) : null;
    return page ?? deps.errorResponse(context, error);
  });
  app.onError((error, context) => {
    const shown = publicError(error);
    logFailure(context, shown);
    return deps.errorResponse(context, shown);
  });
  return app;
}

/** Methods that bring no work. */
const READING = ['GET', 'HEAD', 'OPTIONS'];

/** Work that came now would be given to parts that close, and cut off with them. What is there can still be read. */
export function refuseWhenStopping(isStopping: () => boolean): MiddlewareHandler<HttpEnv> {
  return async (context, next) => {
    if (!isStopping() || READING.includes(context.req.method)) return next();
    throw new QuarryError('shutting_down', 'Quarry is stopping. Send the request again once it is back.');
  };
}

function requestLog(log: Logger) {
  return async (context: Context<HttpEnv>, next: () => Promise<void>) => {
    const requestId = newId('req');
    context.set('requestId', requestId);
    context.set('log', log);
    context.header('X-Request-Id', requestId);
    context.header('Cross-Origin-Resource-Policy', 'same-origin');
    const startedAt = performance.now();
    await next();
    const tookMs = Math.round(performance.now() - startedAt);
    // Path only: a query may hold what its sender would not want kept.
    const line = { requestId, method: context.req.method, path: context.req.path, status: context.res.status, tookMs };
    if (context.res.status >= 500) log.warn(line, 'request');
    else log.debug(line, 'request');
  };
}

/** 405 with Allow where the path exists with another method, else 404. */
function notFound(app: Hono<HttpEnv>, context: Context<HttpEnv>): QuarryError {
  const allowed = allowedMethods(app.routes, context.req.path);
  // A route that takes the method may still know nothing at this very address.
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

/** The methods that have a route at this path; middleware, which takes any method, does not count. */
export function allowedMethods(routes: readonly Route[], path: string): string[] {
  const found = new Set<string>();
  for (const route of routes) {
    if (!METHODS.includes(route.method) || route.path.includes('*') || !matches(route.path, path)) continue;
    found.add(route.method);
    if (route.method === 'GET') found.add('HEAD');
  }
  return METHODS.filter((method) => found.has(method));
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  const takesRest = wanted.at(-1)?.endsWith('{.+}') === true;
  if (takesRest ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]));
}

/**
 * A HEAD is handled as the GET of its address and sent without the body. Nobody reads that one: a stream of events
 * would wait for its first reader, and listen, for as long as the process lives.
 */
export const unreadBody: MiddlewareHandler<HttpEnv> = async (context, next) => {
  await next();
  if (context.req.method === 'HEAD') await context.res.body?.cancel();
};
