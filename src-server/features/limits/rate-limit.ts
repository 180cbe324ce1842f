import type { Context, MiddlewareHandler } from 'hono';
import type { Principal } from '../../context.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { anonymousAccount } from '../../platform/net/client-address.ts';
import { requireOwner } from '../accounts/service.ts';
import { type Limits, WINDOW_SECONDS } from './service.ts';
import type { RateDecision } from './window.ts';

/** Name of the one quota in the `RateLimit` fields (draft-ietf-httpapi-ratelimit-headers-10). */
const POLICY = '"default"';

const POLICY_FIELD = 'RateLimit-Policy';

/**
 * Counts every request that passes through it, unless it was counted for its payer already, and says in the answer what
 * is left in that window. Mounted on `/v1` after the caller is known, before anything of the body is read. Throws
 * `rate_limited` with the true wait. The owner is not limited, so the owner's answers carry no such fields.
 */
export function rateLimit(limits: Limits): MiddlewareHandler<HttpEnv> {
  return async (context, next) => {
    const decision = context.get('counted') ?? limits.take(context.get('principal'));
    setRateFields(context, decision);
    refuseOverLimit(decision);
    await next();
    // Only a handler that returned a response of its own lost them: setting them again rebuilds the response.
    if (!context.res.headers.has(POLICY_FIELD)) setRateFields(context, decision);
  };
}

/**
 * The same as a call, for routes outside `/v1` that are limited in part and ask nobody who they are: the caller is
 * counted by address. Throws `rate_limited`.
 */
export function limitByAddress(limits: Limits): (context: Context<HttpEnv>) => Promise<void> {
  return async (context) => {
    const accountId = anonymousAccount(context.env.incoming.socket.remoteAddress);
    count(limits, context, { kind: 'anonymous', accountId });
  };
}

/** The same for routes that identify some callers: these count as their principal. */
export function limitCaller(limits: Limits): (context: Context<HttpEnv>) => Promise<void> {
  const byAddress = limitByAddress(limits);
  return async (context) => {
    const principal: Principal | undefined = context.get('principal');
    if (principal === undefined) await byAddress(context);
    else count(limits, context, principal);
  };
}

/** Counts a request in the window of `principal`. Throws `rate_limited`. */
export function count(limits: Limits, context: Context<HttpEnv>, principal: Principal): void {
  const decision = limits.take(principal);
  setRateFields(context, decision);
  refuseOverLimit(decision);
}

/** Errors: `rate_limited`. */
export function refuseOverLimit(decision: RateDecision): void {
  if (!decision.allowed) throw overLimit(decision);
}

export function setRateFields(context: Context<HttpEnv>, decision: RateDecision): void {
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

/**
 * Requests that are refused for their credential. Threat: guesses of the owner's token or a wallet's sign-in without
 * end, each of which costs a look at it. So each one counts in the window of the address it comes from, which ends in
 * 429. A credential that is right is never refused for what others of its address guessed.
 */
type Check = MiddlewareHandler<HttpEnv>;

/** `check`, with what it refuses counted against the address. Errors of what comes after it are not counted. */
export function countingRefusals(check: Check, limits: Limits): Check {
  const count = limitByAddress(limits);
  return async (context, next) => {
    let passed = false;
    try {
      return await check(context, async () => {
        passed = true;
        await next();
      });
    } catch (error) {
      if (!passed) await count(context);
      throw error;
    }
  };
}

/** For routes that only the owner may use: identifies the caller and refuses everybody else, counting that. */
export function ownerOnly(identify: Check, limits: Limits): Check {
  return countingRefusals(
    (context, next) => identify(context, async () => void (await requireOwner(context, next))),
    limits,
  );
}

declare module '../../platform/http/env.ts' {
  interface HttpVariables {
    /** Set where the request was counted already: the decision of that window. */
    counted?: RateDecision;
  }
}
