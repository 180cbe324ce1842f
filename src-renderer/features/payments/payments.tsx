import { Anchor, Button, SimpleGrid, Stack, Tabs } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminPath, saveAs, useEnvironment } from '../../api/client.ts';
import type { PaymentSummary } from '../../api/generated/owner.ts';
import type { MoneyKind } from '../../api/names.ts';
import { sumsQuery } from '../../api/queries.ts';
import { Icon } from '../../components/icon.tsx';
import { Money, modeOf } from '../../components/money.tsx';
import { notify } from '../../components/notify.ts';
import { CopyId, Failure, PageHead, Panel, Skeletons } from '../../components/page-elements.tsx';
import { FigureLine } from '../../components/plots.tsx';
import { TabBar } from '../../components/tab-bar.tsx';
import { sumOf } from '../../components/work.ts';
import { DayBars, ShareBars } from './charts.tsx';
import { Ledger } from './ledger.tsx';
import { Prices } from './prices.tsx';
import { Sandbox } from './sandbox.tsx';
import { SettlementTab } from './settlement.tsx';
import { payments as paymentsTexts } from './texts.ts';

const route = getRouteApi('/payments');

const SHOWN_SHARES = 8;

export function Payments(): ReactNode {
  const environment = useEnvironment();
  const { tab = 'ledger', money } = route.useSearch();
  const navigate = route.useNavigate();
  const sums = useQuery(sumsQuery(environment));
  const t = paymentsTexts;
  const csv = useMutation({
    mutationFn: () => saveAs(adminPath(environment, '/payments.csv'), `payments-${environment}.csv`),
    onError: (error: Error) => notify({ color: 'red', message: error.message }),
  });
  const { ledger, ...otherTabs } = t.tabs;
  // Play money and real money have a tab each once both were paid; before that there is nothing to choose.
  const hasBoth = (sums.data?.kinds.length ?? 0) > 1;
  const names: Record<string, string> = { ...(hasBoth ? t.kinds : { ledger }), ...otherTabs };
  const shown = money ?? sums.data?.money;
  const selected: string = tab === 'ledger' && hasBoth && shown !== undefined ? shown : tab;
  return (
    <>
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
        value={selected}
        keepMounted={false}
        onChange={(value) =>
          void navigate({
            search: value === 'play' || value === 'real' ? { money: value } : { tab: value as typeof tab },
          })
        }
      >
        <TabBar names={names} selected={selected} />
        {(['ledger', 'play', 'real'] as const).map((value) => (
          <Tabs.Panel key={value} value={value}>
            <Paid {...(shown === undefined ? {} : { money: shown })} />
          </Tabs.Panel>
        ))}
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

/** What was paid in one kind of money; without it, in that of the settlement in use. */
function Paid({ money }: { money?: MoneyKind }) {
  const sums = useQuery(sumsQuery(useEnvironment(), money));
  if (sums.isPending) return <Skeletons rows={3} height={155} />;
  if (sums.isError) return <Failure error={sums.error} retry={() => void sums.refetch()} />;
  return (
    <Stack gap="md">
      <Earnings sums={sums.data} />
      <Ledger money={sums.data.money} />
    </Stack>
  );
}

/** What was paid in 30 days, as one figure above its plot, then by kind of work and by account. */
function Earnings({ sums }: { sums: PaymentSummary }) {
  const { money, total, challenges } = sums;
  const t = paymentsTexts;
  const asked = challengeAnswerCount(challenges.filter(({ error }) => error === null));
  const refused = challengeAnswerCount(challenges.filter(({ error }) => error !== null));
  return (
    <Stack gap="md">
      <section className="band" aria-label={t.earned}>
        <FigureLine
          value={<Money amount={total.amount} mode={modeOf(money)} />}
          about={t.earnedFrom({ payments: total.payments })}
          aside={t.challenges({ asked, refused })}
        />
        <DayBars sums={sums} />
      </section>
      {total.payments > 0 && <Shares sums={sums} />}
    </Stack>
  );
}

function challengeAnswerCount(challenges: PaymentSummary['challenges']): number {
  return challenges.reduce((sum, { answers }) => sum + answers, 0);
}

/** Sums of operations of the same kind together, largest first. */
function sharesByKind(byOperation: PaymentSummary['byOperation']) {
  const kinds = Map.groupBy(byOperation, ({ operationId }) => sumOf(operationId ?? '').key);
  return [...kinds]
    .map(([key, sums]) => ({
      key,
      name: sumOf(sums[0]?.operationId ?? key).label,
      amount: sums.reduce((sum, { amount }) => sum + Number(amount), 0),
      payments: sums.reduce((sum, { payments }) => sum + payments, 0),
    }))
    .toSorted((one, other) => other.amount - one.amount);
}

/** Earnings by kind of work and by payer. */
function Shares({ sums: { money, byOperation, byPayer } }: { sums: PaymentSummary }) {
  const t = paymentsTexts;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
      <Panel title={t.byOperation}>
        <ShareBars
          label={t.byOperation}
          kind={money}
          shares={sharesByKind(byOperation).map(({ key, name, amount, payments }) => ({
            key,
            name,
            amount: String(amount),
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
          kind={money}
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
