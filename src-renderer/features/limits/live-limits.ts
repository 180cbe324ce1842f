import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { adminPath } from '../../api/client.ts';
import { follow } from '../../api/event-stream.ts';
import type { LimitsView } from '../../api/generated/owner.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { accountsKey, accountsQuery, limitsQuery } from '../../api/queries.ts';

/** Plans with who uses how much of them, as it is now. The list of accounts is read again when a new one calls. */
export function useLiveLimits(environment: EnvironmentName) {
  const client = useQueryClient();
  const limits = useQuery(limitsQuery(environment));
  const known = limits.data !== undefined;
  useEffect(() => {
    // There is nothing to renew before the plans themselves are there.
    if (!known) return;
    const { queryKey } = limitsQuery(environment);
    const accounts = accountsQuery(environment).queryKey;
    // Not all accounts need be listed: further pages are read when somebody asks for them.
    const told = new Set<string>();
    return follow(adminPath(environment, '/limits/events'), {
      hear: {
        usage: (data) => {
          const { usage } = data as Pick<LimitsView, 'usage'>;
          client.setQueryData(queryKey, (before) => before && { ...before, usage });
          const pages = client.getQueryData(accounts)?.pages ?? [];
          const listed = new Set(pages.flatMap((page) => page.accounts.map(({ accountId }) => accountId)));
          const news = usage.filter(({ accountId }) => !listed.has(accountId) && !told.has(accountId));
          for (const { accountId } of news) told.add(accountId);
          if (news.length > 0) void client.invalidateQueries({ queryKey: accountsKey(environment) });
        },
      },
    });
  }, [client, environment, known]);
  return limits;
}
