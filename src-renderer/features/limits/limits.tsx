import '../../styles/limits.css';
import { TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { LimitsView } from '../../api/generated/owner.ts';
import { accountsQuery } from '../../api/queries.ts';
import { serverNow } from '../../api/server-time.ts';
import { clockOfDay, formatWholeNumber } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { usePageSearch } from '../../components/keys.ts';
import { Failure, PageHead, Panel, Skeletons } from '../../components/page-elements.tsx';
import { PagedPanel } from '../../components/paged-panel.tsx';
import { Bars } from '../../components/plots.tsx';
import { AccountTable, isAccountFull } from './account-table.tsx';
import type { PlannedAccount } from './change-plan.ts';
import { useLiveLimits } from './live-limits.ts';
import { PlanDialog } from './plan-dialog.tsx';
import { limits as limitsTexts } from './texts.ts';

/** Plans, and all accounts with their current usage. */
export function Limits(): ReactNode {
  const environment = useEnvironment();
  const limits = useLiveLimits(environment);
  const list = useInfiniteQuery(accountsQuery(environment));
  const accounts = list.data?.pages.flatMap((page) => page.accounts) ?? [];
  const [search, setSearch] = useState('');
  const [changing, setChanging] = useState<PlannedAccount | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const t = limitsTexts;
  const wanted = search.trim().toLowerCase();
  usePageSearch(field, t.search);
  // A search covers all accounts, so it loads the pages that are missing.
  const { hasNextPage, isFetching, isError, fetchNextPage } = list;
  useEffect(() => {
    if (wanted !== '' && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [wanted, hasNextPage, isFetching, isError, fetchNextPage]);
  return (
    <>
      <PageHead title={t.title} {...(limits.data === undefined ? {} : { facts: limitsFacts(limits.data) })}>
        <TextInput
          ref={field}
          type="search"
          aria-label={t.search}
          placeholder={t.searchHint}
          leftSection={<Icon name="search" size={14} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </PageHead>
      {limits.isError && <Failure error={limits.error} retry={() => void limits.refetch()} />}
      {limits.isPending && <Skeletons rows={9} />}
      {limits.data && (
        <>
          <Plans limits={limits.data} />
          <LastHour limits={limits.data} />
          <PagedPanel list={list} count={accounts.length + 1} more={t.more} empty={null}>
            {list.data !== undefined && (
              <AccountTable accounts={accounts} limits={limits.data} search={wanted} onCustom={setChanging} />
            )}
          </PagedPanel>
        </>
      )}
      {changing !== null && limits.data && (
        <PlanDialog account={changing} bounds={limits.data.bounds} onClose={() => setChanging(null)} />
      )}
    </>
  );
}

function limitsFacts({ usage }: LimitsView) {
  const t = limitsTexts;
  const full = usage.filter(isAccountFull).length;
  return [
    t.active({ accounts: usage.length }),
    ...(full === 0 ? [] : [{ said: t.atLimit({ accounts: full }), tone: 'bad' as const }]),
  ];
}

/** The three plans, side by side. */
function Plans({ limits: { plans } }: { limits: LimitsView }) {
  const t = limitsTexts;
  return (
    <section className="band plans" aria-label={t.plans}>
      {(['studio', 'production', 'enterprise'] as const).map((name) => (
        <div key={name}>
          <h2 className="label">{t.planNames[name]}</h2>
          <div className="small dim">
            {name === 'enterprise'
              ? t.custom
              : t.planFigures({ requests: plans[name].requestsPerMinute, jobs: plans[name].concurrency })}
          </div>
          <div className="small faint">{t.planUses[name]}</div>
        </div>
      ))}
    </section>
  );
}

const MINUTE_MS = 60_000;

/** Requests of the last hour by minute, of all accounts together. */
function LastHour({ limits: { lastHour } }: { limits: LimitsView }) {
  const t = limitsTexts;
  const { passed, refused } = lastHour;
  // The server's minutes end now; the page may have got them a moment ago.
  const now = serverNow();
  const rows = passed.map((count, minute) => ({
    at: clockOfDay(new Date(now - (passed.length - 1 - minute) * MINUTE_MS).toISOString()),
    passed: count,
    refused: refused[minute] ?? 0,
  }));
  const most = Math.max(...rows.map((row) => row.passed + row.refused));
  return (
    <Panel title={t.lastHour} about={t.lastHourAbout}>
      <Bars
        rows={rows}
        series={[
          { name: 'passed', label: t.answered, colour: 'var(--q-line-control)' },
          { name: 'refused', label: t.refusedOnes, colour: 'var(--q-bad)' },
        ]}
        label={t.lastHour}
        top={t.aMinute({ most: formatWholeNumber(most) })}
        height={72}
        legend
      />
    </Panel>
  );
}
