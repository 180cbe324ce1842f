import { assertTransaction } from '../../platform/db/database.ts';
import type { Tx } from '../../platform/db/schema.ts';
import type { AccountsTable } from './accounts-table.ts';

export interface Sighting {
  accountId: string;
  firstSeen: number;
  lastSeen: number;
}

/** Notes that accounts were seen; a new one gets a row, a known one keeps its plan and first sighting. */
export async function recordSightings(tx: Tx, sightings: readonly Sighting[]): Promise<void> {
  assertTransaction(tx);
  const rows = sightings.map(({ accountId, firstSeen, lastSeen }) => ({
    account_id: accountId,
    plan: null,
    requests_per_minute: null,
    concurrency: null,
    first_seen: firstSeen,
    last_seen: lastSeen,
  }));
  await tx
    .insertInto('accounts')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet((is) => ({ last_seen: is.ref('excluded.last_seen') })),
    )
    .execute();
}

export type PlanRow = Pick<AccountsTable, 'plan' | 'requests_per_minute' | 'concurrency'>;

/** Gives an account a plan; an account nobody saw yet is made by it. */
export async function writePlan(tx: Tx, accountId: string, plan: PlanRow, now: number): Promise<void> {
  assertTransaction(tx);
  await tx
    .insertInto('accounts')
    .values({ account_id: accountId, ...plan, first_seen: now, last_seen: now })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(plan))
    .execute();
}

/** Forgets these, but for those that were seen since `before` or given a plan meanwhile. */
export async function forgetAccounts(tx: Tx, accountIds: readonly string[], before: number): Promise<void> {
  assertTransaction(tx);
  await tx
    .deleteFrom('accounts')
    .where('account_id', 'in', accountIds)
    .where('last_seen', '<', before)
    .where('plan', 'is', null)
    .execute();
}
