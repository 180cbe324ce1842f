import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { PageHead } from '../../components/page-elements.tsx';
import { TabBar } from '../../components/tab-bar.tsx';
import { texts } from '../../texts.ts';
import { Deliveries } from './deliveries.tsx';
import { DeliveryPage } from './delivery.tsx';
import { EndpointList } from './endpoints.tsx';
import { InboxTab } from './inbox.tsx';
import { Signatures } from './signatures.tsx';

const route = getRouteApi('/webhooks');

export function Webhooks() {
  const { tab = 'endpoints', delivery } = route.useSearch();
  const navigate = route.useNavigate();
  if (delivery !== undefined) return <DeliveryPage deliveryId={delivery} />;
  return (
    <>
      <PageHead title={texts.webhooks.title} about={texts.webhooks.about} />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) => void navigate({ search: { tab: value as typeof tab } })}
      >
        <TabBar names={texts.webhooks.tabs} selected={tab} />
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
