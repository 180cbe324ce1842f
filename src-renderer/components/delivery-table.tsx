import { Anchor, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Delivery } from '../api/types.ts';
import { texts } from '../texts.ts';
import { CopyId, State, Time, type Tone } from './parts.tsx';

const TONES: Record<Delivery['status'], Tone> = {
  pending: 'warn',
  delivered: 'good',
  exhausted: 'bad',
  cancelled: 'idle',
};

export function DeliveryState({ delivery }: { delivery: Delivery }) {
  const { statuses, underWay, retrying } = texts.webhooks;
  if (delivery.underWay) return <State tone="busy">{underWay}</State>;
  const failing = delivery.status === 'pending' && delivery.attempts > 0;
  return <State tone={TONES[delivery.status]}>{failing ? retrying : statuses[delivery.status]}</State>;
}

/** What came back last, in short. */
export function lastAnswer(delivery: Delivery): string {
  if (delivery.lastResponseStatus !== null) return String(delivery.lastResponseStatus);
  return delivery.lastErrorClass ?? texts.webhooks.noAnswerYet;
}

/** Deliveries, newest first; each leads to its attempts. */
export function DeliveryTable({ deliveries }: { deliveries: readonly Delivery[] }) {
  const { columns } = texts.webhooks;
  return (
    <div className="table-wrap">
      <Table verticalSpacing="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{columns.delivery}</Table.Th>
            <Table.Th>{columns.target}</Table.Th>
            <Table.Th>{columns.status}</Table.Th>
            <Table.Th>{columns.answer}</Table.Th>
            <Table.Th>{columns.attempts}</Table.Th>
            <Table.Th>{columns.created}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {deliveries.map((delivery) => (
            <Table.Tr key={delivery.deliveryId}>
              <Table.Td>
                <Anchor
                  fw={550}
                  size="sm"
                  renderRoot={(props) => (
                    <Link {...props} to="/webhooks" search={{ tab: 'deliveries', delivery: delivery.deliveryId }} />
                  )}
                >
                  {delivery.event}
                </Anchor>
                <CopyId value={delivery.deliveryId} label={columns.delivery} />
              </Table.Td>
              <Table.Td className="truncate" maw={260} title={delivery.url}>
                <Text size="sm" className="truncate">
                  {delivery.url}
                </Text>
              </Table.Td>
              <Table.Td>
                <DeliveryState delivery={delivery} />
              </Table.Td>
              <Table.Td>{lastAnswer(delivery)}</Table.Td>
              <Table.Td>{delivery.attempts}</Table.Td>
              <Table.Td>
                <Time at={delivery.createdAt} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
