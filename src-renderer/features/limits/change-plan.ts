import type { UseMutationResult } from '@tanstack/react-query';
import { useChange } from '../../api/changes.ts';
import { owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { Account, Plan } from '../../api/generated/owner.ts';
import { accountsKey, limitsQuery } from '../../api/queries.ts';
import { shortId } from '../../components/format.ts';
import { showToast } from '../../components/toast.tsx';
import { limits as limitsTexts } from './texts.ts';

/** An account with its plan and limits, from the list or from live usage. */
export type PlannedAccount = Pick<Account, 'accountId' | 'plan' | 'allowance'>;

interface PlanChange {
  to: Plan;
  /** The plan that Undo restores; null while Undo runs. */
  before: Plan | null;
}

/** The address of an account without its prefix, shortened: `0x7c1f0a2…e41a`, `192.0.2.44`. */
export function accountName(accountId: string): string {
  return shortId(accountId.replace(/^ip:/, ''));
}

/** Changes the plan of an account from its next request on; the toast offers Undo. */
export function usePlanChange(
  { accountId }: PlannedAccount,
  showsError = false,
): UseMutationResult<unknown, Error, PlanChange> {
  const environment = useEnvironment();
  const t = limitsTexts;
  const change = useChange(
    ({ to }: PlanChange) =>
      owner.PUT('/admin/accounts/{accountId}/plan', {
        params: { path: { accountId }, query: queryIn(environment, {}) },
        body: to,
      }),
    {
      renews: [accountsKey(environment), limitsQuery(environment).queryKey],
      showsError,
      onDone: (_, { to, before }) => {
        const id = `plan ${accountId}`;
        const said = { account: accountName(accountId), plan: t.planNames[to.plan] };
        if (before === null) showToast({ id, message: t.undone(said) });
        else
          showToast({
            id,
            message: to.plan === 'blocked' ? t.blocked(said) : t.saved(said),
            onUndo: () => change.mutate({ to: before, before: null }),
          });
      },
    },
  );
  return change;
}
