import type { Context, MiddlewareHandler } from 'hono';
import { type Principal, requireOwner } from '../../context.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { anonymousAccount } from '../../platform/net/client-address.ts';
import { countText } from '../../platform/units.ts';
import { type Limits, WINDOW_SECONDS } from './service.ts';
import type { RateDecision } from './window.ts';

/** Name of the one quota in the `RateLimit` fields (draft-ietf-httpapi-ratelimit-headers-10). */
const POLICY = '"default"';

const POLICY_FIELD = 'RateLimit-Policy';

/**
 * Counts each request, unless it was counted for its payer already, and sets the `RateLimit` fields. Mounted on `/v1`
 * after the caller is identified and before the body is read. The owner has no limits and no such fields. Errors:
 * `rate_limited` with the true wait; `forbidden` for a blocked account.
 */
export function rateLimit(limits: Limits): MiddlewareHandler<HttpEnv> {
  return async (context, next) => {
    const decision = context.get('counted') ?? limits.takeRateToken(context.get('principal'));
    setRateFields(context, decision);
    refuseOverLimit(decision);
    await next();
    // Only a handler with its own response lost them: setting them again rebuilds the response.
    if (!context.res.headers.has(POLICY_FIELD)) setRateFields(context, decision);
  };
}

/**
 * The same as a function, for routes outside `/v1` that identify no caller: counts by address. Errors: `rate_limited`.
 */
export function limitByAddress(limits: Limits): (context: Context<HttpEnv>) => Promise<void> {
  return async (context) => {
    const accountId = anonymousAccount(context.get('clientAddress'));
    countAgainstLimits(limits, context, { kind: 'anonymous', accountId });
  };
}

/** The same for routes that identify some callers: these count as their principal. */
export function limitCaller(limits: Limits): (context: Context<HttpEnv>) => Promise<void> {
  const byAddress = limitByAddress(limits);
  return async (context) => {
    const principal: Principal | undefined = context.get('principal');
    if (principal === undefined) await byAddress(context);
    else countAgainstLimits(limits, context, principal);
  };
}

/** Counts a request in the window of `principal`. Throws `rate_limited`. */
export function countAgainstLimits(limits: Limits, context: Context<HttpEnv>, principal: Principal): void {
  const decision = limits.takeRateToken(principal);
  setRateFields(context, decision);
  refuseOverLimit(decision);
}

/** Errors: `rate_limited`; `forbidden` for a blocked account. */
export function refuseOverLimit(decision: RateDecision): void {
  if (!decision.allowed) throw overLimit(decision);
}

export function setRateFields(context: Context<HttpEnv>, decision: RateDecision): void {
  for (const [name, value] of Object.entries(rateFields(decision))) context.header(name, value);
}

/** The `RateLimit` fields of a window. The owner has none, and a blocked account neither. */
export function rateFields({ limit, remaining, resetSeconds }: RateDecision): Record<string, string> {
  if (limit === Number.POSITIVE_INFINITY || limit === 0) return {};
  return {
    [POLICY_FIELD]: `${POLICY};q=${limit};w=${WINDOW_SECONDS}`,
    RateLimit: `${POLICY};r=${remaining};t=${resetSeconds}`,
  };
}

/** Why a request over the limit, or of a blocked account, is refused, with the true wait. */
export function overLimit({ limit, retryAfterSeconds }: RateDecision): QuarryError {
  if (limit === 0) return new QuarryError('forbidden', 'The owner of this server has blocked this account.');
  const wait = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  return new QuarryError(
    'rate_limited',
    `Your plan or key allows ${countText(limit, 'request')} per minute: wait ${wait}, or ask the owner for more.`,
    { retryAfterSeconds },
  );
}

/**
 * Counts requests with a wrong credential. Threat: endless guesses of the owner's token or a wallet's sign-in, each of
 * which costs a verification. Each counts in the window of its address, which ends in 429. A correct credential is
 * never refused because of other guesses from its address.
 */
type Check = MiddlewareHandler<HttpEnv>;

/**
 * Runs `check` and counts its refusals against the address; those of a valid key against the key, since they guess
 * nothing. Errors of later handlers are not counted.
 */
export function countingRefusals(check: Check, limits: Limits): Check {
  const countAddress = limitByAddress(limits);
  return async (context, next) => {
    let passed = false;
    try {
      return await check(context, async () => {
        passed = true;
        await next();
      });
    } catch (error) {
      const key = context.get('actor')?.key;
      if (!passed && key === undefined) await countAddress(context);
      if (!passed && key !== undefined) countAgainstLimits(limits, context, { kind: 'owner', accountId: 'owner', key });
      throw error;
    }
  };
}

/** For the owner's routes: identifies the caller, and refuses and counts all others. */
export function ownerOnly(identify: Check, limits: Limits): Check {
  return countingRefusals(
    (context, next) =>
      identify(context, async () => {
        const principal = context.get('principal');
        if (principal.kind === 'owner' && principal.key !== undefined) refuseOverLimit(limits.takeRateToken(principal));
        await requireOwner(context, next);
      }),
    limits,
  );
}

declare module '../../platform/http/env.ts' {
  interface HttpVariables {
    /** Set where the request was counted already: the decision of that window. */
    counted?: RateDecision;
  }
}
