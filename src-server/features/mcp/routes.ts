import { Hono, type MiddlewareHandler } from 'hono';
import type { ScopedAddress } from '../../feature.ts';
import { QuarryError } from '../../platform/errors.ts';
import { readRequestBody } from '../../platform/http/body.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { logFailure, publicError } from '../../platform/http/problem.ts';
import { MIB } from '../../platform/units.ts';
import type { JobService } from '../jobs/service.ts';
import { mcpErrorResponse } from './errors.ts';
import type { LibraryParts } from './library-tools.ts';
import type { OpenPayment } from './payment.ts';

/**
 * The Model Context Protocol (Streamable HTTP) on the same operations, for the owner, named keys, and
 * strangers who pay per call. It has no sessions: each request is answered by a server of its own, so clients hold
 * nothing here.
 */
export interface McpDeps extends LibraryParts {
  service: JobService;
  /** Identifies the caller, and counts its requests. */
  admit: readonly MiddlewareHandler<HttpEnv>[];
  openPayment: OpenPayment;
}

/** Each tool checks the key itself. */
export const MCP_ADDRESSES: readonly ScopedAddress[] = ['POST', 'GET', 'DELETE'].map((method) => ({
  method,
  path: '/mcp',
  keyScope: 'none',
}));

/** A prompt, or a small file as a data URI. */
const BODY_BYTES_MAX = 2 * MIB;

export function mcpRoutes({ service, admit, openPayment, library, finding }: McpDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const rules = { allowsFile: false, maxFileBytes: 0, maxJsonBytes: BODY_BYTES_MAX };
  // The SDK is loaded when the first client comes.
  let handler: ReturnType<typeof loadMcpHandler> | undefined;
  const loadMcpHandler = async () =>
    (await import('./server.ts')).mcpHandler({ service, openPayment, library, finding });
  routes.onError((error, context) => {
    const shown = publicError(error);
    logFailure(context, shown);
    return mcpErrorResponse(context, shown);
  });
  for (const check of admit) routes.use('/', check);
  routes.post('/', async (context) => {
    const sender = context.get('principal');
    const caller = { payer: sender, sender, proofKey: null };
    const leave = await service.body.inFlight.enterBodyReading(caller, () => context.req.raw.signal);
    const reading = readRequestBody(context.env.incoming, rules, service.body).finally(leave);
    const { value } = await reading.catch(withAdvice);
    const { url, headers, signal } = context.req.raw;
    context.set('audited', 'elsewhere');
    const onFailure = (error: QuarryError) => logFailure(context, error);
    handler ??= loadMcpHandler();
    const answer = await handler;
    return answer(new Request(url, { method: 'POST', headers, signal }), value, {
      principal: sender,
      onFailure,
      onCall: (call) => context.get('audit')?.(call),
    });
  });
  routes.all('/', (context) => {
    context.header('Allow', 'POST');
    throw new QuarryError('method_not_allowed', 'This address takes POST only: it has no sessions and no streams.');
  });
  return routes;
}

function withAdvice(error: unknown): never {
  if (!(error instanceof QuarryError) || error.code !== 'body_too_large') throw error;
  const advice = 'Send a larger file by sourceUrl, or as multipart/form-data to the operation under /v1.';
  throw new QuarryError('body_too_large', `${error.message} ${advice}`, { cause: error });
}
