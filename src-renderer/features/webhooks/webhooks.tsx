import { Tabs } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/client.ts';
import { endpointsQuery, isFailing } from '../../api/queries.ts';
import { formatWholeNumber } from '../../components/format.ts';
import { type Fact, PageHead } from '../../components/page-elements.tsx';
import { TabBar } from '../../components/tab-bar.tsx';
import { Deliveries } from './deliveries.tsx';
import { DeliveryPage } from './delivery.tsx';
import { EndpointList } from './endpoints.tsx';
import { InboxTab } from './inbox.tsx';
import { Signatures } from './signatures.tsx';
import { webhooks as webhooksTexts } from './texts.ts';

const route = getRouteApi('/webhooks');

export function Webhooks(): ReactNode {
  const { tab = 'endpoints', delivery } = route.useSearch();
  const navigate = route.useNavigate();
  const facts = useFacts();
  if (delivery !== undefined) return <DeliveryPage deliveryId={delivery} />;
  return (
    <>
      <PageHead title={webhooksTexts.title} facts={facts} />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) => void navigate({ search: { tab: value as typeof tab } })}
      >
        <TabBar names={webhooksTexts.tabs} selected={tab} />
        <Tabs.Panel value="endpoints">
          <EndpointList />
        </Tabs.Panel>
        <Tabs.Panel value="deliveries">
          <Deliveries />
        </Tabs.Panel>
        <Tabs.Panel value="signatures">
          <Signatures />
        </Tabs.Panel>
        <Tabs.Panel value="inbox">
          <InboxTab />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** How many endpoints there are, and how many of them fail. */
function useFacts(): Fact[] {
  const list = useInfiniteQuery(endpointsQuery(useEnvironment()));
  const endpoints = list.data?.pages.flatMap((page) => page.endpoints) ?? [];
  const failing = endpoints.filter(isFailing).length;
  const t = webhooksTexts;
  if (endpoints.length === 0) return [];
  const all = `${formatWholeNumber(endpoints.length)}${list.hasNextPage ? '+' : ''}`;
  return failing === 0
    ? [{ said: t.endpoints({ count: endpoints.length, shown: all }) }]
    : [{ said: t.failingOf({ failing: formatWholeNumber(failing), all }), tone: 'bad' }];
}
