import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { DEFAULT_PLAN, type Plan } from './schema.ts';
import { type AccountRow, accountsWithPlan, type PlanRow, writePlan } from './store.ts';

/** Plans given by hand that are kept in memory. */
const MAX_ASSIGNED_PLANS = 10_000;

/**
 * The plans the owner gave, all of them in memory from the start: asking for the plan of an unknown account costs
 * nothing, so a flood of new addresses is no flood of queries.
 */
export interface PlanBook {
  planOf(accountId: string): Plan;
  setPlan(accountId: string, plan: Plan): void;
}

export function openPlanBook(storage: Storage, clock: Clock): PlanBook {
  const rows = accountsWithPlan(storage.db, MAX_ASSIGNED_PLANS);
  const plans = new Map(rows.map((row) => [row.account_id, toPlan(row)]));
  return {
    planOf: (accountId) => plans.get(accountId) ?? DEFAULT_PLAN,
    setPlan(accountId, plan) {
      if (accountId === 'owner') {
        throw new QuarryError('conflict', 'The owner carries no limits: give plans to other accounts.');
      }
      if (!plans.has(accountId) && plans.size >= MAX_ASSIGNED_PLANS) {
        throw new QuarryError('conflict', `At most ${MAX_ASSIGNED_PLANS} accounts can have a plan of their own.`);
      }
      storage.transaction((tx) => writePlan(tx, accountId, toRow(plan), clock.now()));
      plans.set(accountId, plan);
    },
  };
}

/** The plan a stored account has. */
export function toPlan(row: Pick<AccountRow, 'plan' | 'requests_per_minute' | 'concurrency'>): Plan {
  if (row.plan === null) return DEFAULT_PLAN;
  if (row.plan !== 'enterprise') return { plan: row.plan };
  if (row.requests_per_minute === null || row.concurrency === null)
    throw new Error('An enterprise plan has no numbers.');
  return { plan: 'enterprise', requestsPerMinute: row.requests_per_minute, concurrency: row.concurrency };
}

function toRow(plan: Plan): PlanRow {
  const custom = plan.plan === 'enterprise';
  return {
    plan: plan.plan,
    requests_per_minute: custom ? plan.requestsPerMinute : null,
    concurrency: custom ? plan.concurrency : null,
  };
}
