import { Anchor, SegmentedControl, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { Payment } from '../../api/generated/owner.ts';
import type { MoneyKind } from '../../api/names.ts';
import { ledgerQuery } from '../../api/queries.ts';
import { choicesOf } from '../../components/choices.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { shortId } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Money } from '../../components/money.tsx';
import { CopyId, Empty, Time } from '../../components/page-elements.tsx';
import { PagedPanel } from '../../components/paged-panel.tsx';
import { State } from '../../components/state.tsx';
import { operationName, workOfOperation } from '../../components/work.ts';
import { perLanguage } from '../../language/locale.ts';
import { payments as paymentsTexts } from './texts.ts';

const route = getRouteApi('/payments');

const TONES = { settled: 'good', reserved: 'busy', failed: 'bad' } as const;

/** Accepted payments of one kind of money, newest first. */
export function Ledger({ money }: { money: MoneyKind }): ReactNode {
  const environment = useEnvironment();
  const { status, operationId } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(ledgerQuery(environment, { status, operationId, money }));
  const payments = list.data?.pages.flatMap((page) => page.payments) ?? [];
  const t = paymentsTexts;
  return (
    <PagedPanel
      list={list}
      count={payments.length}
      title={t.everyPayment}
      more={t.more}
      aside={
        <SegmentedControl
          size="xs"
          aria-label={t.names.status}
          value={status ?? ''}
          data={[{ value: '', label: t.anyStatus }, ...choicesOf(t.statuses)]}
          onChange={(value) =>
            void navigate({
              search: ({ status: _, ...rest }) => (value ? { ...rest, status: value as Payment['status'] } : rest),
            })
          }
        />
      }
      empty={
        <Empty icon="wallet" title={t.noPayments}>
          {money === 'play' ? t.noPaymentsHow : t.noRealHow}
        </Empty>
      }
    >
      <DataTable columns={COLUMNS()} rows={payments} rowKey={({ paymentId }) => paymentId} />
    </PagedPanel>
  );
}

const { names } = paymentsTexts;

const COLUMNS = perLanguage((): readonly Column<Payment>[] => [
  { title: names.time, cell: ({ verifiedAt }) => <Time at={verifiedAt} /> },
  { title: names.operation, cell: ({ operationId }) => <Operation operationId={operationId} /> },
  {
    title: paymentsTexts.amountIn,
    align: 'right',
    className: 'figures',
    cell: ({ amount, mode }) => <Money amount={amount} mode={mode} />,
  },
  { title: names.status, cell: (payment) => <PaymentState payment={payment} /> },
  { title: names.payer, cell: ({ payer }) => <CopyId value={payer} label={names.payer} /> },
  {
    title: names.transaction,
    cell: ({ transaction }) => (transaction === null ? '–' : <CopyId value={transaction} label={names.transaction} />),
  },
  {
    title: names.job,
    cell: ({ jobId, batchId }) =>
      jobId !== null ? <JobLink jobId={jobId} /> : batchId !== null && <BatchLink batchId={batchId} />,
  },
]);

function PaymentState({ payment: { status, errorCode } }: { payment: Payment }) {
  return (
    <>
      <State tone={TONES[status]}>{paymentsTexts.statuses[status]}</State>
      {errorCode !== null && (
        <Text size="xs" c="dimmed">
          {errorCode}
        </Text>
      )}
    </>
  );
}

function Operation({ operationId }: { operationId: string | null }) {
  return (
    <span className="kind" title={operationId ?? ''}>
      <Icon name={workOfOperation(operationId ?? '').icon} size={14} />
      {operationName(operationId)}
    </span>
  );
}

function BatchLink({ batchId }: { batchId: string }) {
  return (
    <Anchor
      size="sm"
      ff="monospace"
      renderRoot={(props) => <Link {...props} to="/jobs/batches/$batchId" params={{ batchId }} />}
    >
      {shortId(batchId)}
    </Anchor>
  );
}

function JobLink({ jobId }: { jobId: string }) {
  return (
    <Anchor
      size="sm"
      ff="monospace"
      renderRoot={(props) => <Link {...props} to="/jobs/$jobId" params={{ jobId }} search={{ tab: 'payment' }} />}
    >
      {shortId(jobId)}
    </Anchor>
  );
}
