import { z } from 'zod';

/** Plans of the interface specification, section Limits, and what each allows; a blocked account may do nothing. */
export const PLAN_NAMES = ['studio', 'production', 'enterprise', 'blocked'] as const;

/** Bounds of the enterprise plan. A window remembers each request of a minute in 8 bytes: 800 kB at the most. */
export const MAX_REQUESTS_PER_MINUTE = 100_000;

export const MAX_CONCURRENCY = 120;

/** What an account may do; nothing when it is blocked. Infinity for the owner, who has no limits. */
export const Allowance = z
  .object({
    requestsPerMinute: z.int().min(0).max(MAX_REQUESTS_PER_MINUTE),
    concurrency: z.int().min(0).max(MAX_CONCURRENCY).describe('Jobs of the account that are processed at once.'),
  })
  .meta({ id: 'Allowance' });

export type Allowance = z.infer<typeof Allowance>;

/** A plan as an account has it: the enterprise plan brings its own numbers, and no other does. */
export const Plan = z
  .discriminatedUnion('plan', [
    z.strictObject({ plan: z.literal('studio') }),
    z.strictObject({ plan: z.literal('production') }),
    z.strictObject({
      plan: z.literal('enterprise'),
      requestsPerMinute: Allowance.shape.requestsPerMinute.min(1),
      concurrency: Allowance.shape.concurrency.min(1),
    }),
    z.strictObject({ plan: z.literal('blocked') }),
  ])
  .meta({ id: 'Plan' });

export type Plan = z.infer<typeof Plan>;

export const DEFAULT_PLAN: Plan = { plan: 'studio' };

export const FIXED_ALLOWANCES: Record<'studio' | 'production' | 'blocked', Allowance> = {
  studio: { requestsPerMinute: 600, concurrency: 10 },
  production: { requestsPerMinute: 2400, concurrency: 30 },
  blocked: { requestsPerMinute: 0, concurrency: 0 },
};

export const OWNER_ALLOWANCE: Allowance = {
  requestsPerMinute: Number.POSITIVE_INFINITY,
  concurrency: Number.POSITIVE_INFINITY,
};

export function allowanceOf(plan: Plan): Allowance {
  if (plan.plan !== 'enterprise') return FIXED_ALLOWANCES[plan.plan];
  return { requestsPerMinute: plan.requestsPerMinute, concurrency: plan.concurrency };
}

/** Place in the list of accounts: the last row of the page before. */
export interface AccountCursor {
  lastSeen: number;
  accountId: string;
}

/** A wallet that paid or signed in, or a network address. */
export const ACCOUNT_KINDS = ['wallet', 'address'] as const;

export type AccountKind = (typeof ACCOUNT_KINDS)[number];
