/**
 * Requests that are refused for their credential. Threat: guesses of the owner's token or a wallet's sign-in without
 * end, each of which costs a look at it. So each one counts in the window of the address it comes from, which ends in
 * 429. A credential that is right is never refused for what others of its address guessed.
 */
import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from '../../platform/http/env.ts';
import { requireOwner } from '../accounts/service.ts';
import { limitByAddress } from './rate-limit.ts';
import type { Limits } from './service.ts';

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
