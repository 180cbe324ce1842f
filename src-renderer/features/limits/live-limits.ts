import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { adminPath } from '../../api/client.ts';
import { followEventStream } from '../../api/event-stream.ts';
import type { LimitsView } from '../../api/generated/owner.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { accountsKey, accountsQuery, limitsQuery } from '../../api/queries.ts';

/** Plans with live usage. Refetches the account list when a new account appears. */
export function useLiveLimits(environment: EnvironmentName) {
  const client = useQueryClient();
  const limits = useQuery(limitsQuery(environment));
  const known = limits.data !== undefined;
  useEffect(() => {
    // Nothing to update before the plans are loaded.
    if (!known) return;
    const { queryKey } = limitsQuery(environment);
    const accounts = accountsQuery(environment).queryKey;
    // The list may be incomplete, because further pages load on request.
    const reported = new Set<string>();
    return followEventStream(adminPath(environment, '/limits/events'), {
      handlers: {
        usage: ({ usage }: Pick<LimitsView, 'usage'>) => {
          client.setQueryData(queryKey, (before) => before && { ...before, usage });
          const pages = client.getQueryData(accounts)?.pages ?? [];
          const listed = new Set(pages.flatMap((page) => page.accounts.map(({ accountId }) => accountId)));
          const unlisted = usage.filter(({ accountId }) => !listed.has(accountId) && !reported.has(accountId));
          for (const { accountId } of unlisted) reported.add(accountId);
          if (unlisted.length > 0) void client.invalidateQueries({ queryKey: accountsKey(environment) });
        },
      },
    });
  }, [client, environment, known]);
  return limits;
}
