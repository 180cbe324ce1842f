import { Anchor, Button, Group, SegmentedControl, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEnvironment } from '../api/environment.tsx';
import { ledgerQuery } from '../api/queries.ts';
import type { Payment } from '../api/types.ts';
import { money, shortId } from '../components/format.ts';
import { CopyId, Empty, Failure, Loading, Panel, State, Time } from '../components/parts.tsx';
import { texts } from '../texts.ts';

const route = getRouteApi('/payments');
const TONES = { settled: 'good', reserved: 'busy', failed: 'bad' } as const;

/** Every proof that was accepted, newest first. */
export function Ledger() {
  const environment = useEnvironment();
  const { status, operationId } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(ledgerQuery(environment, { status, operationId }));
  const payments = list.data?.pages.flatMap((page) => page.payments) ?? [];
  const t = texts.payments;
  return (
    <Panel
      flush
      title={t.tabs.ledger}
      aside={
        <SegmentedControl
          size="xs"
          aria-label={t.names.status}
          value={status ?? ''}
          data={[
            { value: '', label: t.anyStatus },
            ...Object.entries(t.statuses).map(([value, label]) => ({ value, label })),
          ]}
          onChange={(value) =>
            void navigate({ search: { tab: 'ledger', ...(value ? { status: value as Payment['status'] } : {}) } })
          }
        />
      }
    >
      {list.isPending && <Loading rows={5} />}
      {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data && payments.length === 0 && (
        <Empty icon="payments" title={t.noPayments}>
          {t.noPaymentsHow}
        </Empty>
      )}
      {payments.length > 0 && <LedgerTable payments={payments} />}
      {list.hasNextPage && (
        <Group justify="center" p="sm">
          <Button
            variant="default"
            size="xs"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {t.more}
          </Button>
        </Group>
      )}
    </Panel>
  );
}

function LedgerTable({ payments }: { payments: readonly Payment[] }) {
  const { names, statuses } = texts.payments;
  return (
    <div className="table-wrap">
      <Table verticalSpacing="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{names.time}</Table.Th>
            <Table.Th>{names.operation}</Table.Th>
            <Table.Th ta="right">{names.amount}</Table.Th>
            <Table.Th>{names.status}</Table.Th>
            <Table.Th>{names.payer}</Table.Th>
            <Table.Th>{names.transaction}</Table.Th>
            <Table.Th>{names.job}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {payments.map((payment) => (
            <Table.Tr key={payment.paymentId}>
              <Table.Td>
                <Time at={payment.verifiedAt} />
              </Table.Td>
              <Table.Td>{payment.operationId}</Table.Td>
              <Table.Td ta="right" className="figures">
                {money(payment.amount)}
              </Table.Td>
              <Table.Td>
                <State tone={TONES[payment.status]}>{statuses[payment.status]}</State>
                {payment.errorCode !== null && (
                  <Text size="xs" c="dimmed">
                    {payment.errorCode}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                <CopyId value={payment.payer} label={names.payer} />
              </Table.Td>
              <Table.Td>
                {payment.transaction === null ? '–' : <CopyId value={payment.transaction} label={names.transaction} />}
              </Table.Td>
              <Table.Td>{payment.jobId !== null && <JobLink jobId={payment.jobId} />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
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
