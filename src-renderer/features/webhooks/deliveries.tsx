import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminPath, requestJson, useEnvironment } from '../../api/client.ts';
import type { Delivery } from '../../api/generated/owner.ts';
import type { DeliveryStatus } from '../../api/names.ts';
import { type DeliveryFilter, deliveriesQuery } from '../../api/queries.ts';
import { choicesOf } from '../../components/choices.ts';
import { askFirst } from '../../components/confirm.tsx';
import { notify } from '../../components/notify.ts';
import { Empty } from '../../components/page-elements.tsx';
import { PagedPanel } from '../../components/paged-panel.tsx';
import { texts } from '../../texts.ts';
import { DeliveryTable } from './delivery-table.tsx';
import { EndpointPicker } from './endpoint-picker.tsx';
import { endpointName } from './endpoint-words.tsx';
import { webhooks as webhooksTexts } from './texts.ts';

const route = getRouteApi('/webhooks');

interface Preview {
  selectionId: string;
  deliveries: number;
  sendable: number;
}

/** All deliveries, newest first, by status. */
export function Deliveries(): ReactNode {
  const environment = useEnvironment();
  const { status, webhookId } = route.useSearch();
  const navigate = route.useNavigate();
  const filter: DeliveryFilter = { status: status || undefined, webhookId: webhookId || undefined };
  const list = useInfiniteQuery(deliveriesQuery(environment, filter));
  const deliveries = list.data?.pages.flatMap((page) => page.deliveries) ?? [];
  const t = webhooksTexts;
  return (
    <div className="webhook-panes">
      <EndpointPicker />
      <div>
        <Group justify="space-between" mb="md" wrap="wrap">
          <SegmentedControl
            aria-label={t.columns.status}
            value={status ?? ''}
            data={[{ value: '', label: t.allStates }, ...choicesOf(t.statuses)]}
            onChange={(value) =>
              void navigate({
                search: ({ status: _, ...rest }) => (value ? { ...rest, status: value as DeliveryStatus } : rest),
              })
            }
          />
          <RedeliverMany filter={filter} disabled={deliveries.length === 0} />
        </Group>
        {webhookId !== undefined && <OnlyOf address={nameOfFirst(deliveries) ?? webhookId} />}
        <PagedPanel
          list={list}
          count={deliveries.length}
          more={t.more}
          empty={
            <Empty icon="webhook" title={t.noDeliveries}>
              {t.noDeliveriesHow}
            </Empty>
          }
        >
          <DeliveryTable deliveries={deliveries} />
        </PagedPanel>
      </div>
    </div>
  );
}

function nameOfFirst([first]: readonly Delivery[]): string | undefined {
  return first === undefined || first.url === null
    ? undefined
    : endpointName({ name: first.webhookName, url: first.url });
}

/** Shows that the list, and "all matches", is limited to one endpoint. */
function OnlyOf({ address }: { address: string }) {
  const t = webhooksTexts;
  return (
    <Group gap="xs" mb="md" wrap="wrap">
      <Text size="sm" className="break">
        {t.onlyOf} <strong>{address}</strong>
      </Text>
      <Button
        size="compact-sm"
        variant="default"
        renderRoot={(props) => (
          <Link {...props} to="/webhooks" search={({ webhookId: _, ...rest }) => ({ ...rest, tab: 'deliveries' })} />
        )}
      >
        {t.ofAll}
      </Button>
    </Group>
  );
}

/** Sends all matches again: the server first counts and freezes them, then sends exactly those. */
function RedeliverMany({ filter, disabled }: { filter: DeliveryFilter; disabled: boolean }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const t = webhooksTexts;
  const showDeliveryListError = (error: Error) => notify({ color: 'red', message: error.message });
  const apply = useMutation({
    mutationFn: ({ selectionId }: Preview) =>
      requestJson<{ requeued: number }>(adminPath(environment, `/redeliveries/${selectionId}/apply`), {
        method: 'POST',
        body: {},
      }),
    onSuccess: async ({ requeued }) => {
      notify({ message: t.requeued({ count: requeued }) });
      await client.invalidateQueries({ queryKey: ['deliveries'] });
    },
    onError: showDeliveryListError,
  });
  const preview = useMutation({
    mutationFn: () => requestJson<Preview>(adminPath(environment, '/redeliveries'), { method: 'POST', body: filter }),
    onSuccess: (found) => {
      if (found.sendable === 0) {
        notify({ message: t.nothing });
        return;
      }
      askFirst({
        title: t.redeliverTitle({ count: found.sendable }),
        about: t.redeliverAbout({ sendable: found.sendable, all: found.deliveries }),
        yes: t.redeliverYes({ count: found.sendable }),
        no: texts.common.cancel,
        onYes: () => apply.mutate(found),
        gentle: true,
      });
    },
    onError: showDeliveryListError,
  });
  return (
    <Button variant="default" disabled={disabled} loading={preview.isPending} onClick={() => preview.mutate()}>
      {t.redeliverMany}
    </Button>
  );
}
