import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context, MiddlewareHandler } from 'hono';
import type { Principal } from '../contract/account.ts';
import { QuarryError } from '../contract/errors.ts';
import { anonymousAccount } from '../limits/anonymous-account.ts';
import { type Limits, type RateDecision, WINDOW_SECONDS } from '../limits/limits.ts';
import type { HttpEnv } from './context.ts';

/** Name of the one quota in the `RateLimit` fields (draft-ietf-httpapi-ratelimit-headers-10). */
const POLICY = '"default"';
const POLICY_FIELD = 'RateLimit-Policy';

/**
 * Counts every request that passes through it and says in the answer what is left. Mounted on `/v1` after the caller
 * is known, before anything of the body is read. Throws `rate_limited` with the true wait. The owner is not limited,
 * so the owner's answers carry no such fields.
 */
export function rateLimit(limits: Limits): MiddlewareHandler<HttpEnv> {
  return async (context, next) => {
    const decision = await count(limits, context, context.get('principal'));
    await next();
    // Once more, for a handler that returned a response of its own; else the answer would be built anew for nothing.
    if (!context.res.headers.has(POLICY_FIELD)) setFields(context, decision);
  };
}

/**
 * The same as a call, for routes outside `/v1` that are limited in part and ask nobody who they are: the caller is
 * counted by address. Throws `rate_limited`.
 */
export function limitByAddress(limits: Limits): (context: Context<HttpEnv>) => Promise<void> {
  return async (context) => {
    const accountId = anonymousAccount(getConnInfo(context).remote.address);
    await count(limits, context, { kind: 'anonymous', accountId });
  };
}

async function count(limits: Limits, context: Context<HttpEnv>, principal: Principal): Promise<RateDecision> {
  const decision = await limits.take(principal);
  setFields(context, decision);
  if (!decision.allowed) throw overLimit(decision);
  return decision;
}

function setFields(context: Context<HttpEnv>, decision: RateDecision): void {
  for (const [name, value] of Object.entries(rateFields(decision))) context.header(name, value);
}

/** What an answer says of the caller's window. Nothing of the owner's, who has none. */
export function rateFields({ limit, remaining, resetSeconds }: RateDecision): Record<string, string> {
  if (limit === Number.POSITIVE_INFINITY) return {};
  return {
    [POLICY_FIELD]: `${POLICY};q=${limit};w=${WINDOW_SECONDS}`,
    RateLimit: `${POLICY};r=${remaining};t=${resetSeconds}`,
  };
}

/** Why a request over the limit is refused, with the true wait. */
export function overLimit({ limit, retryAfterSeconds }: RateDecision): QuarryError {
  const wait = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  return new QuarryError(
    'rate_limited',
    `Your plan allows ${limit} requests per minute: wait ${wait}, or ask the owner for a larger plan.`,
    { retryAfterSeconds, retryable: true },
  );
}
