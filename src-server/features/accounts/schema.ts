/** Plans of the interface specification, section Limits, and what each allows. */
export const PLAN_NAMES = ['studio', 'production', 'enterprise'] as const;

/** What an account may do. Infinity stands for the owner, who carries no limits. */
export interface Allowance {
  requestsPerMinute: number;
  /** Jobs of the account being processed at once. */
  concurrency: number;
}

/** A plan as an account has it: the enterprise plan brings its own numbers. */
export type Plan = { plan: 'studio' } | { plan: 'production' } | ({ plan: 'enterprise' } & Allowance);

export const DEFAULT_PLAN: Plan = { plan: 'studio' };

export const FIXED_ALLOWANCES: Record<'studio' | 'production', Allowance> = {
  studio: { requestsPerMinute: 600, concurrency: 10 },
  production: { requestsPerMinute: 2400, concurrency: 30 },
};

/** Bounds of the enterprise plan. A window remembers each request of a minute in 8 bytes: 800 kB at the most. */
export const MAX_REQUESTS_PER_MINUTE = 100_000;

export const MAX_CONCURRENCY = 120;

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

export type AccountKind = 'wallet' | 'address';
