import type { Context, MiddlewareHandler } from 'hono';
import { QuarryError } from '../contract/errors.ts';
import { type Limits, type RateDecision, WINDOW_SECONDS } from '../limits/limits.ts';
import type { HttpEnv } from './context.ts';

/** Name of the one quota in the `RateLimit` fields (draft-ietf-httpapi-ratelimit-headers-10). */
const POLICY = '"default"';

/**
 * Counts every request that passes through it and says in the answer what is left. Mounted on `/v1` after the caller
 * is known, before anything of the body is read. Throws `rate_limited` with the true wait. The owner is not limited,
 * so the owner's answers carry no such fields.
 */
export function rateLimit(limits: Limits): MiddlewareHandler<HttpEnv> {
  return async (context, next) => {
    const decision = await limits.take(context.get('principal'));
    // Before, for an answer that an error handler makes; after, for a handler that returns a response of its own.
    setFields(context, decision);
    if (!decision.allowed) throw refused(decision);
    await next();
    setFields(context, decision);
  };
}

function setFields(context: Context<HttpEnv>, decision: RateDecision): void {
  if (decision.limit === Number.POSITIVE_INFINITY) return;
  context.header('RateLimit-Policy', `${POLICY};q=${decision.limit};w=${WINDOW_SECONDS}`);
  context.header('RateLimit', `${POLICY};r=${decision.remaining};t=${decision.resetSeconds}`);
}

function refused({ limit, retryAfterSeconds }: RateDecision): QuarryError {
  const wait = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  return new QuarryError(
    'rate_limited',
    `Your plan allows ${limit} requests per minute: wait ${wait}, or ask the owner for a larger plan.`,
    { retryAfterSeconds, retryable: true },
  );
}
