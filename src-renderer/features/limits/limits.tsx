import { Button, Group, Progress, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { Account, LimitsView } from '../../api/generated/owner.ts';
import type { AccountKind } from '../../api/names.ts';
import { accountsQuery } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { number } from '../../components/format.ts';
import { SandboxBand } from '../../components/money.tsx';
import { CopyId, Empty, Failure, PageHead, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { PagedPanel } from '../../components/paged-panel.tsx';
import { texts } from '../../texts.ts';
import { useLiveLimits } from './live-limits.ts';
import { PlanDialog } from './plan-dialog.tsx';

const CROWDED = 0.8;

/** Plans and current usage by account. */
export function Limits() {
  const environment = useEnvironment();
  const limits = useLiveLimits(environment);
  const [kind, setKind] = useState<AccountKind | 'all'>('all');
  const list = useInfiniteQuery(accountsQuery(environment, kind === 'all' ? undefined : kind));
  const accounts = list.data?.pages.flatMap((page) => page.accounts) ?? [];
  const [changing, setChanging] = useState<Account | null>(null);
  const t = texts.limits;
  return (
    <>
      <SandboxBand />
      <PageHead title={t.title} about={t.about} />
      <Stack gap="md">
        {limits.isError && <Failure error={limits.error} retry={() => void limits.refetch()} />}
        {limits.isPending && <Skeletons rows={9} />}
        {limits.data && <Plans limits={limits.data} />}
        {limits.data && <Live limits={limits.data} />}
        <PagedPanel
          list={list}
          count={accounts.length}
          title={t.accounts}
          about={t.accountsAbout}
          more={t.more}
          aside={
            <SegmentedControl
              size="xs"
              aria-label={t.show}
              value={kind}
              data={Object.entries(t.kinds).map(([value, label]) => ({ value, label }))}
              onChange={(value) => setKind(value as typeof kind)}
            />
          }
          empty={
            <Empty icon="gauge" title={t.noAccounts[kind]}>
              {t.noAccountsWhy[kind]}
            </Empty>
          }
        >
          <Accounts accounts={accounts} onChange={setChanging} />
        </PagedPanel>
      </Stack>
      {changing !== null && limits.data && (
        <PlanDialog account={changing} limits={limits.data} onClose={() => setChanging(null)} />
      )}
    </>
  );
}

function Plans({ limits }: { limits: LimitsView }) {
  const t = texts.limits;
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      {Object.entries(limits.plans).map(([name, { requestsPerMinute, concurrency }]) => (
        <Panel key={name} title={t.planNames[name] ?? name}>
          <Text size="sm">{t.planFigures(number(requestsPerMinute), number(concurrency))}</Text>
        </Panel>
      ))}
      <Panel title={t.planNames.enterprise ?? ''}>
        <Text size="sm">{t.custom}</Text>
      </Panel>
    </SimpleGrid>
  );
}

const { columns: titles } = texts.limits;

const LIVE_COLUMNS: readonly Column<LimitsView['usage'][number]>[] = [
  { title: titles.account, cell: ({ accountId }) => <CopyId value={accountId} label={titles.account} /> },
  {
    title: titles.requests,
    cell: ({ requestsPassed, allowance }) => (
      <Share used={requestsPassed} of={allowance.requestsPerMinute} label={titles.requests} />
    ),
  },
  {
    title: titles.slots,
    cell: ({ jobsProcessing, inlineOpen, allowance }) => (
      <Share used={jobsProcessing + inlineOpen} of={allowance.concurrency} label={titles.slots} />
    ),
  },
  {
    title: titles.refused,
    align: 'right',
    className: 'figures',
    cell: ({ requestsRefused }) => (
      <Text span size="sm" {...(requestsRefused > 0 ? { c: 'var(--q-bad)' } : {})}>
        {number(requestsRefused)}
      </Text>
    ),
  },
];

function Live({ limits }: { limits: LimitsView }) {
  const t = texts.limits;
  return (
    <Panel title={t.live} about={t.liveAbout(limits.windowSeconds)}>
      {limits.usage.length === 0 ? (
        <Empty icon="gauge" title={t.quiet}>
          {t.quietWhy}
        </Empty>
      ) : (
        <DataTable columns={LIVE_COLUMNS} rows={limits.usage} rowKey={({ accountId }) => accountId} />
      )}
    </Panel>
  );
}

function Share({ used, of, label }: { used: number; of: number; label: string }) {
  const share = of === 0 ? 1 : used / of;
  const said = texts.limits.of(number(used), number(of));
  return (
    <Group gap="sm" wrap="nowrap">
      <Progress
        w={120}
        value={Math.min(100, 100 * share)}
        {...(share > CROWDED ? { color: 'orange' } : {})}
        aria-label={`${label}: ${said}`}
      />
      <Text size="sm" className="figures nowrap">
        {said}
      </Text>
    </Group>
  );
}

function Accounts({ accounts, onChange }: { accounts: readonly Account[]; onChange: (account: Account) => void }) {
  const columns: readonly Column<Account>[] = [
    { title: titles.account, cell: ({ accountId }) => <CopyId value={accountId} label={titles.account} /> },
    { title: titles.plan, cell: (account) => <PlanOf account={account} /> },
    { title: titles.seen, cell: ({ lastSeen }) => <Time at={lastSeen} /> },
    {
      title: texts.limits.change,
      titleHidden: true,
      align: 'right',
      cell: (account) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`${texts.limits.change}: ${account.accountId}`}
          onClick={() => onChange(account)}
        >
          {texts.limits.change}
        </Button>
      ),
    },
  ];
  return <DataTable columns={columns} rows={accounts} rowKey={({ accountId }) => accountId} />;
}

function PlanOf({ account: { plan, allowance } }: { account: Account }) {
  const t = texts.limits;
  return (
    <>
      <Text size="sm" fw={550}>
        {t.planNames[plan.plan]}
      </Text>
      <Text size="xs" c="dimmed">
        {t.planFigures(number(allowance.requestsPerMinute), number(allowance.concurrency))}
      </Text>
    </>
  );
}
