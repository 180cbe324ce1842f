import { Button, Group, Progress, SimpleGrid, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useEnvironment } from '../api/environment.tsx';
import { accountsQuery, limitsQuery } from '../api/queries.ts';
import type { Account, LimitsView } from '../api/types.ts';
import { number } from '../components/format.ts';
import { CopyId, Empty, Failure, Loading, PageHead, Panel, Time } from '../components/parts.tsx';
import { texts } from '../texts.ts';
import { PlanDialog } from './plan-dialog.tsx';

const CROWDED = 0.8;

/** Plans, who uses how much of them now, and what another plan would do. */
export function Limits() {
  const environment = useEnvironment();
  const limits = useQuery(limitsQuery(environment));
  const accounts = useQuery(accountsQuery(environment));
  const [changing, setChanging] = useState<Account | null>(null);
  const t = texts.limits;
  return (
    <>
      <PageHead title={t.title} about={t.about} />
      <Stack gap="md">
        {limits.isError && <Failure error={limits.error} retry={() => void limits.refetch()} />}
        {limits.isPending && <Loading rows={4} />}
        {limits.data && <Plans limits={limits.data} />}
        {limits.data && <Live limits={limits.data} />}
        <Panel flush title={t.accounts} about={t.accountsAbout}>
          {accounts.isPending && <Loading rows={4} />}
          {accounts.isError && <Failure error={accounts.error} retry={() => void accounts.refetch()} />}
          {accounts.data?.length === 0 && (
            <Empty icon="limits" title={t.noAccounts}>
              {t.noAccountsWhy}
            </Empty>
          )}
          {accounts.data !== undefined && accounts.data.length > 0 && (
            <Accounts accounts={accounts.data} onChange={setChanging} />
          )}
        </Panel>
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

function Live({ limits }: { limits: LimitsView }) {
  const t = texts.limits;
  return (
    <Panel flush title={t.live} about={t.liveAbout(limits.windowSeconds)}>
      {limits.usage.length === 0 ? (
        <Empty icon="limits" title={t.quiet}>
          {t.quietWhy}
        </Empty>
      ) : (
        <div className="table-wrap">
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t.columns.account}</Table.Th>
                <Table.Th>{t.columns.requests}</Table.Th>
                <Table.Th>{t.columns.slots}</Table.Th>
                <Table.Th ta="right">{t.columns.refused}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {limits.usage.map((row) => (
                <Table.Tr key={row.accountId}>
                  <Table.Td>
                    <CopyId value={row.accountId} label={t.columns.account} />
                  </Table.Td>
                  <Table.Td>
                    <Share used={row.requestsPassed} of={row.allowance.requestsPerMinute} label={t.columns.requests} />
                  </Table.Td>
                  <Table.Td>
                    <Share
                      used={row.jobsProcessing + row.inlineOpen}
                      of={row.allowance.concurrency}
                      label={t.columns.slots}
                    />
                  </Table.Td>
                  <Table.Td ta="right" className="figures" {...(row.requestsRefused > 0 ? { c: 'var(--bad)' } : {})}>
                    {number(row.requestsRefused)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
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
  const t = texts.limits;
  return (
    <div className="table-wrap">
      <Table verticalSpacing="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.columns.account}</Table.Th>
            <Table.Th>{t.columns.plan}</Table.Th>
            <Table.Th>{t.columns.seen}</Table.Th>
            <Table.Th>
              <VisuallyHidden>{t.change}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {accounts.map((account) => (
            <Table.Tr key={account.accountId}>
              <Table.Td>
                <CopyId value={account.accountId} label={t.columns.account} />
              </Table.Td>
              <Table.Td>
                <Text size="sm" fw={550}>
                  {t.planNames[account.plan.plan]}
                </Text>
                <Text size="xs" c="dimmed">
                  {t.planFigures(number(account.allowance.requestsPerMinute), number(account.allowance.concurrency))}
                </Text>
              </Table.Td>
              <Table.Td>
                <Time at={account.lastSeen} />
              </Table.Td>
              <Table.Td ta="right">
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`${t.change}: ${account.accountId}`}
                  onClick={() => onChange(account)}
                >
                  {t.change}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
