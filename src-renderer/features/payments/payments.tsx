import { Anchor, Button, SimpleGrid, Stack, Tabs } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminPath, saveAs, useEnvironment } from '../../api/client.ts';
import type { PaymentSummary } from '../../api/generated/owner.ts';
import { sumsQuery } from '../../api/queries.ts';
import { number } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Money, SandboxBand } from '../../components/money.tsx';
import { CopyId, Failure, PageHead, Panel, Skeletons } from '../../components/page-elements.tsx';
import { FigureLine } from '../../components/plots.tsx';
import { TabBar } from '../../components/tab-bar.tsx';
import { texts } from '../../texts.ts';
import { DayBars, ShareBars } from './charts.tsx';
import { Ledger } from './ledger.tsx';
import { Prices } from './prices.tsx';
import { Sandbox } from './sandbox.tsx';
import { SettlementTab } from './settlement.tsx';

const route = getRouteApi('/payments');

const SHOWN_SHARES = 8;

export function Payments(): ReactNode {
  const environment = useEnvironment();
  const { tab = 'ledger' } = route.useSearch();
  const navigate = route.useNavigate();
  const t = texts.payments;
  const csv = useMutation({
    mutationFn: () => saveAs(adminPath(environment, '/payments.csv'), `payments-${environment}.csv`),
    onError: (error: Error) => notifications.show({ color: 'red', message: error.message }),
  });
  return (
    <>
      <SandboxBand />
      <PageHead title={t.title}>
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          loading={csv.isPending}
          onClick={() => csv.mutate()}
        >
          {t.csv}
        </Button>
      </PageHead>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) => void navigate({ search: { tab: value as typeof tab } })}
      >
        <TabBar names={t.tabs} selected={tab} />
        <Tabs.Panel value="ledger">
          <Stack gap="md">
            <Earnings />
            <Ledger />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="prices">
          <Prices />
        </Tabs.Panel>
        <Tabs.Panel value="settlement">
          <SettlementTab />
        </Tabs.Panel>
        <Tabs.Panel value="sandbox">
          <Sandbox />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** What was paid in 30 days, as one figure above its plot, then by operation and by account. */
function Earnings() {
  const sums = useQuery(sumsQuery(useEnvironment()));
  const t = texts.payments;
  if (sums.isPending) return <Skeletons rows={3} height={155} />;
  if (sums.isError) return <Failure error={sums.error} retry={() => void sums.refetch()} />;
  const { total, challenges } = sums.data;
  const asked = answersOf(challenges.filter(({ error }) => error === null));
  const refused = answersOf(challenges.filter(({ error }) => error !== null));
  return (
    <Stack gap="md">
      <section className="band" aria-label={t.earned}>
        <FigureLine
          value={<Money amount={total.amount} />}
          about={t.earnedFrom(number(total.payments))}
          aside={t.challenges(number(asked), number(refused))}
        />
        <DayBars sums={sums.data} />
      </section>
      {total.payments > 0 && <Shares sums={sums.data} />}
    </Stack>
  );
}

function answersOf(challenges: PaymentSummary['challenges']): number {
  return challenges.reduce((sum, { answers }) => sum + answers, 0);
}

/** Earnings by operation and by payer. */
function Shares({ sums: { byOperation, byPayer } }: { sums: PaymentSummary }) {
  const t = texts.payments;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
      <Panel title={t.byOperation}>
        <ShareBars
          label={t.byOperation}
          shares={byOperation.slice(0, SHOWN_SHARES).map(({ operationId, amount, payments }) => ({
            key: operationId ?? '',
            name: <span title={operationId ?? ''}>{operationId ?? '–'}</span>,
            amount,
            payments,
          }))}
        />
      </Panel>
      <Panel
        title={t.byPayer}
        aside={
          <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/limits" />}>
            {t.allAccounts}
          </Anchor>
        }
      >
        <ShareBars
          label={t.byPayer}
          shares={byPayer.slice(0, SHOWN_SHARES).map(({ payer, amount, payments }) => ({
            key: payer,
            name: <CopyId value={payer} label={t.names.payer} />,
            amount,
            payments,
          }))}
        />
      </Panel>
    </SimpleGrid>
  );
}
