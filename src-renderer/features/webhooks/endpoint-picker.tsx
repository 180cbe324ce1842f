import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { useEnvironment } from '../../api/client.ts';
import { endpointsQuery } from '../../api/queries.ts';
import { Failure, Skeletons } from '../../components/page-elements.tsx';
import { byUrgency, EndpointDay, EndpointState, endpointAddress, endpointName } from './endpoint-words.tsx';
import { webhooks as webhooksTexts } from './texts.ts';

const route = getRouteApi('/webhooks');

/** Otherwise the link to all endpoints would be the current page beside that to one. */
const EXACT = { exact: true };

/** The endpoints beside their deliveries, failing ones first. A click shows the deliveries of one. */
export function EndpointPicker(): ReactNode {
  const { webhookId, status } = route.useSearch();
  const shown = { tab: 'deliveries' as const, ...omitUndefined({ status: status || undefined }) };
  const list = useInfiniteQuery(endpointsQuery(useEnvironment()));
  const endpoints = byUrgency(list.data?.pages.flatMap((page) => page.endpoints) ?? []);
  const t = webhooksTexts;
  return (
    <nav aria-label={t.tabs.endpoints} className="endpoint-picker">
      {list.isPending && <Skeletons rows={4} height={40} />}
      {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
      {endpoints.length > 0 && (
        <Link
          to="/webhooks"
          search={shown}
          className="endpoint-pick"
          activeOptions={EXACT}
          data-chosen={webhookId === undefined}
        >
          <span className="label">{t.allEndpoints}</span>
        </Link>
      )}
      {endpoints.map((endpoint) => (
        <Link
          key={endpoint.webhookId}
          to="/webhooks"
          search={{ ...shown, webhookId: endpoint.webhookId }}
          className="endpoint-pick"
          title={endpoint.url}
          activeOptions={EXACT}
          data-chosen={webhookId === endpoint.webhookId}
        >
          <span className="label truncate">{endpointName(endpoint)}</span>
          <span className="endpoint-address truncate">{endpointAddress(endpoint.url)}</span>
          <span className="endpoint-facts small">
            <EndpointState endpoint={endpoint} />
            <EndpointDay endpoint={endpoint} />
          </span>
        </Link>
      ))}
      {list.hasNextPage && (
        <Button variant="subtle" size="xs" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t.moreEndpoints}
        </Button>
      )}
    </nav>
  );
}
