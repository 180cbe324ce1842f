import { Button, SimpleGrid, Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { adminPath } from '../api/client.ts';
import { useEnvironment } from '../api/environment.tsx';
import { sumsQuery } from '../api/queries.ts';
import { DayBars } from '../components/day-bars.tsx';
import { money, number, shortId } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { Failure, Figure, Loading, PageHead, Panel } from '../components/parts.tsx';
import { texts } from '../texts.ts';
import { Ledger } from './ledger.tsx';
import { Prices } from './prices.tsx';
import { Sandbox } from './sandbox.tsx';
import { SettlementTab } from './settlement.tsx';

const route = getRouteApi('/payments');

/** What was earned, what things cost, and how payments become money. */
export function Payments() {
  const environment = useEnvironment();
  const { tab = 'ledger' } = route.useSearch();
  const navigate = route.useNavigate();
  const t = texts.payments;
  return (
    <>
      <PageHead title={t.title} about={t.about}>
        <Button
          component="a"
          href={adminPath(environment, '/payments.csv')}
          download
          variant="default"
          leftSection={<Icon name="download" size={16} />}
        >
          {t.csv}
        </Button>
      </PageHead>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) => void navigate({ search: { tab: value as typeof tab } })}
      >
        <Tabs.List mb="md">
          {Object.entries(t.tabs).map(([name, label]) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
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

function Earnings() {
  const sums = useQuery(sumsQuery(useEnvironment()));
  const t = texts.payments;
  if (sums.isPending) return <Loading rows={3} height={60} />;
  if (sums.isError) return <Failure error={sums.error} retry={() => void sums.refetch()} />;
  const { total, byDay, byOperation, byPayer, challenges, from, to } = sums.data;
  const asked = challenges.filter(({ error }) => error === null).reduce((sum, { answers }) => sum + answers, 0);
  const refused = challenges.filter(({ error }) => error !== null);
  const reasons = [...new Set(refused.map(({ error }) => error))].join(', ');
  const best = byOperation[0];
  const payer = byPayer[0];
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="md">
        <Figure label={t.earned} value={money(total.amount)} note={t.count(number(total.payments))} />
        <Figure
          label={t.byOperation}
          value={best === undefined ? '–' : money(best.amount)}
          note={best?.operationId ?? undefined}
        />
        <Figure
          label={t.byPayer}
          value={payer === undefined ? '–' : money(payer.amount)}
          note={payer && shortId(payer.payer)}
        />
        <Figure
          label={t.challenges}
          value={number(asked)}
          note={refused.length > 0 ? `${t.refused}: ${reasons}` : t.challengesNote}
        />
      </SimpleGrid>
      <Panel title={t.perDay} about={t.perDayAbout}>
        <DayBars days={byDay} from={from} to={to} />
      </Panel>
    </Stack>
  );
}
