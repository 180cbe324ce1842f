import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Delivery } from '../../api/generated/owner.ts';
import type { DeliveryFilter } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { CopyId, Time } from '../../components/page-elements.tsx';
import { State, type Tone } from '../../components/state.tsx';
import { perLanguage } from '../../language/locale.ts';
import { endpointAddress, endpointName } from './endpoint-words.tsx';
import { webhooks as webhooksTexts } from './texts.ts';

const TONES: Record<Delivery['status'], Tone> = {
  pending: 'warn',
  delivered: 'good',
  exhausted: 'bad',
  cancelled: 'idle',
};

/** Why a delivery is on hold: its endpoint is paused or disabled. */
export function heldBy({ status, underWay, webhookStatus }: Delivery): 'paused' | 'disabled' | null {
  const isWaiting = status === 'pending' && !underWay;
  return isWaiting && webhookStatus !== null && webhookStatus !== 'active' ? webhookStatus : null;
}

export function DeliveryState({ delivery }: { delivery: Delivery }) {
  const { statuses, underWay, retrying, held } = webhooksTexts;
  if (delivery.underWay) return <State tone="busy">{underWay}</State>;
  const holder = heldBy(delivery);
  if (holder !== null) return <State tone="idle">{held[holder]}</State>;
  const failing = delivery.status === 'pending' && delivery.attempts > 0;
  return <State tone={TONES[delivery.status]}>{failing ? retrying : statuses[delivery.status]}</State>;
}

/** The last response in short. */
export function lastAnswer(delivery: Delivery): string {
  if (delivery.lastResponseStatus !== null) return String(delivery.lastResponseStatus);
  return delivery.lastErrorClass ?? webhooksTexts.noAnswerYet;
}

type Filters = Pick<DeliveryFilter, 'status' | 'webhookId'>;

const { columns: titles } = webhooksTexts;

const COLUMNS = perLanguage((): readonly Column<Delivery>[] => [
  {
    title: titles.delivery,
    cell: ({ deliveryId, event }) => (
      <>
        <Anchor
          fw={550}
          size="sm"
          renderRoot={(props) => (
            <Link
              {...props}
              to="/webhooks"
              // Keep the filters of the list in the URL for the way back.
              search={({ status, webhookId }: Filters) => ({
                tab: 'deliveries',
                delivery: deliveryId,
                status,
                webhookId,
              })}
            />
          )}
        >
          {event}
        </Anchor>
        <CopyId value={deliveryId} label={titles.delivery} />
      </>
    ),
  },
  {
    title: titles.target,
    cell: ({ url, webhookName }) =>
      url === null ? (
        <Text size="sm" c="dimmed">
          {webhooksTexts.noAddress}
        </Text>
      ) : (
        <div title={url}>
          <Text size="sm" className="truncate" maw={260}>
            {endpointName({ name: webhookName, url })}
          </Text>
          <div className="endpoint-address truncate">{endpointAddress(url)}</div>
        </div>
      ),
  },
  { title: titles.status, cell: (delivery) => <DeliveryState delivery={delivery} /> },
  { title: titles.answer, cell: lastAnswer },
  { title: titles.attempts, cell: ({ attempts }) => attempts },
  { title: titles.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
]);

/** Deliveries, newest first, with links to their attempts. */
export function DeliveryTable({ deliveries }: { deliveries: readonly Delivery[] }) {
  return (
    <DataTable
      label={webhooksTexts.tabs.deliveries}
      columns={COLUMNS()}
      rows={deliveries}
      rowKey={({ deliveryId }) => deliveryId}
    />
  );
}
