import { Anchor, Button, Group, Text, Tooltip } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminPath, apiPath, requestJson, useEnvironment } from '../../api/client.ts';
import type { DeliveryDetail, WebhookEndpoint } from '../../api/generated/owner.ts';
import { deliveryQuery, endpointsQuery } from '../../api/queries.ts';
import { askFirst } from '../../components/confirm.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { joinTexts } from '../../components/format.ts';
import { KeyWords, resumeName } from '../../components/made-by-key.tsx';
import { notify } from '../../components/notify.ts';
import { CopyId, Empty, Time } from '../../components/page-elements.tsx';
import { PagedPanel } from '../../components/paged-panel.tsx';
import { perLanguage, shownLocale } from '../../language/locale.ts';
import { serverText } from '../../language/server-texts.ts';
import { texts } from '../../texts.ts';
import { AddEndpoint } from './add-endpoint.tsx';
import { byUrgency, EndpointDay, EndpointState, endpointAddress, endpointName } from './endpoint-words.tsx';
import { NameEndpoint } from './name-endpoint.tsx';
import { RotateSecret, useOldSecret } from './rotate-secret.tsx';
import { webhooks as webhooksTexts } from './texts.ts';

/** Endpoints of all accounts, failing ones first. */
export function EndpointList(): ReactNode {
  const list = useInfiniteQuery(endpointsQuery(useEnvironment()));
  const endpoints = byUrgency(list.data?.pages.flatMap((page) => page.endpoints) ?? []);
  // The account says nothing where all endpoints are the owner's.
  const isOwn = endpoints.every(({ accountId }) => accountId === 'owner');
  const t = webhooksTexts;
  return (
    <PagedPanel
      list={list}
      count={endpoints.length}
      title={t.tabs.endpoints}
      more={t.moreEndpoints}
      aside={<AddEndpoint />}
      empty={
        <Empty icon="webhook" title={t.noEndpoints}>
          {t.noEndpointsHow}
        </Empty>
      }
    >
      <DataTable
        wide
        columns={isOwn ? COLUMNS().filter((one) => one !== ACCOUNT()) : COLUMNS()}
        rows={endpoints}
        rowKey={({ webhookId }) => webhookId}
      />
    </PagedPanel>
  );
}

const { columns: titles } = webhooksTexts;

const ACCOUNT = perLanguage(
  (): Column<WebhookEndpoint> => ({
    title: titles.account,
    cell: ({ accountId }) => <CopyId value={accountId} label={titles.account} />,
  }),
);

const COLUMNS = perLanguage((): readonly Column<WebhookEndpoint>[] => [
  { title: titles.target, cell: (endpoint) => <Target endpoint={endpoint} /> },
  {
    title: titles.events,
    cell: (endpoint) => (
      <>
        <Text size="sm" title={joinTexts(endpoint.events)}>
          {calledWhen(endpoint)}
        </Text>
        <Signing endpoint={endpoint} />
      </>
    ),
  },
  { title: titles.status, cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
  { title: titles.day, cell: (endpoint) => <EndpointDay endpoint={endpoint} /> },
  {
    title: titles.last,
    cell: ({ lastDelivery }) =>
      lastDelivery === null ? (
        '–'
      ) : (
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link {...props} to="/webhooks" search={{ tab: 'deliveries', delivery: lastDelivery.deliveryId }} />
          )}
        >
          {joinTexts([lastDelivery.responseStatus ?? webhooksTexts.noAnswer, ''])}
          <Time at={lastDelivery.attemptedAt} />
        </Anchor>
      ),
  },
  ACCOUNT(),
  { title: texts.common.edit, titleHidden: true, cell: (endpoint) => <EndpointActions endpoint={endpoint} /> },
]);

function calledWhen({ events }: WebhookEndpoint): string {
  const { ends, isDone, fails, changes, alerts } = webhooksTexts.calledWhen;
  const hasSelectedEvent = (event: (typeof events)[number]) => events.includes(event);
  const whens = [
    ...(hasSelectedEvent('job.completed')
      ? [hasSelectedEvent('job.failed') ? ends : isDone]
      : hasSelectedEvent('job.failed')
        ? [fails]
        : []),
    ...(hasSelectedEvent('crawl.changed') ? [changes] : []),
    ...(hasSelectedEvent('alert.raised') || hasSelectedEvent('alert.cleared') ? [alerts] : []),
  ];
  const said = new Intl.ListFormat(shownLocale(), { type: 'disjunction' }).format(whens);
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
}

function Target({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { url, webhookId, notice, accountId, keyName } = endpoint;
  const name = endpointName(endpoint);
  return (
    <>
      <Group gap={4} wrap="nowrap">
        <Anchor
          size="sm"
          fw={550}
          className="truncate"
          maw={280}
          title={webhooksTexts.deliveriesOf({ address: url })}
          aria-label={joinTexts([name, url])}
          renderRoot={(props) => <Link {...props} to="/webhooks" search={{ tab: 'deliveries', webhookId }} />}
        >
          {name}
        </Anchor>
        {accountId === 'owner' && <NameEndpoint endpoint={endpoint} />}
      </Group>
      <div className="endpoint-address truncate" title={url}>
        {endpointAddress(url)}
      </div>
      <CopyId value={webhookId} label={webhooksTexts.names.webhook} />
      <KeyWords made={endpoint} />
      {notice !== undefined && keyName === undefined && (
        <Text size="sm" c="var(--q-bad)">
          {serverText(notice)}
        </Text>
      )}
    </>
  );
}

function Signing({ endpoint }: { endpoint: WebhookEndpoint }) {
  const until = useOldSecret(endpoint);
  const t = webhooksTexts;
  return (
    <Text size="xs" c="dimmed">
      {endpoint.hasSecret ? t.signed : t.unsigned}
      {until !== null && (
        <>
          {joinTexts(['', t.rotation.oldEnds])} <Time at={until} />
        </>
      )}
    </Text>
  );
}

/** A receiver has ten seconds to connect and answer. */
const OUTCOME_LOOKS = 24;

const OUTCOME_LOOK_MS = 500;

/** A delivery after its first attempt; null if that takes too long. */
async function firstOutcome(look: () => Promise<DeliveryDetail>): Promise<DeliveryDetail | null> {
  for (let looks = 0; looks < OUTCOME_LOOKS; looks += 1) {
    const delivery = await look();
    if (delivery.status !== 'pending' || (delivery.attempts > 0 && !delivery.underWay)) return delivery;
    await new Promise((resolve) => setTimeout(resolve, OUTCOME_LOOK_MS));
  }
  return null;
}

/** What became of a test event, in one sentence. */
function testOutcome(delivery: DeliveryDetail | null): string {
  const { arrived, delivered, answered, unanswered, waits } = webhooksTexts.testOutcomes;
  if (delivery === null) return waits;
  const { status, lastResponseStatus } = delivery;
  if (status === 'delivered') {
    return lastResponseStatus === null ? arrived : delivered({ status: lastResponseStatus });
  }
  return lastResponseStatus === null ? unanswered : answered({ status: lastResponseStatus });
}

function EndpointActions({ endpoint }: { endpoint: WebhookEndpoint }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const t = webhooksTexts;
  const path = apiPath(environment, `/webhooks/${endpoint.webhookId}`);
  const refreshEndpoints = () => client.invalidateQueries({ queryKey: endpointsQuery(environment).queryKey });
  const showEndpointError = (error: Error) => notify({ color: 'red', message: error.message });
  const test = useMutation({
    mutationFn: async () => {
      const sent = adminPath(environment, `/webhooks/${endpoint.webhookId}/test`);
      const { deliveryId } = await requestJson<{ deliveryId: string }>(sent, { method: 'POST', body: {} });
      return firstOutcome(() => client.fetchQuery({ ...deliveryQuery(environment, deliveryId), staleTime: 0 }));
    },
    onSuccess: (delivery) => {
      const isDelivered = delivery?.status === 'delivered';
      notify({ color: isDelivered ? 'green' : 'red', message: testOutcome(delivery) });
      return refreshEndpoints();
    },
    onError: showEndpointError,
  });
  const change = useMutation({
    mutationFn: (status: 'active' | 'paused') => requestJson(path, { method: 'PATCH', body: { status } }),
    onSuccess: refreshEndpoints,
    onError: showEndpointError,
  });
  const remove = useMutation({
    mutationFn: () => requestJson(path, { method: 'DELETE' }),
    onSuccess: refreshEndpoints,
    onError: showEndpointError,
  });
  const next = endpoint.status === 'active' ? 'paused' : 'active';
  const nextName = next === 'paused' ? t.pause : resumeName(endpoint, t.resume);
  return (
    <Group gap={6} wrap="wrap" justify="flex-end" miw={210}>
      <SendTest endpoint={endpoint} loading={test.isPending} onSend={() => test.mutate()} />
      {endpoint.accountId === 'owner' && <RotateSecret endpoint={endpoint} />}
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t.ofEndpoint({ what: nextName, url: endpoint.url })}
        onClick={() => change.mutate(next)}
      >
        {nextName}
      </Button>
      <Button
        size="compact-sm"
        variant="outline"
        color="red"
        aria-label={t.ofEndpoint({ what: t.remove, url: endpoint.url })}
        onClick={() =>
          askFirst({
            title: t.removeSure,
            about: t.removeAbout({ url: endpoint.url }),
            yes: t.remove,
            no: t.keep,
            onYes: () => remove.mutate(),
          })
        }
      >
        {t.remove}
      </Button>
    </Group>
  );
}

/** The button stays focusable if a test is not possible, to show the reason. */
function SendTest({ endpoint, loading, onSend }: { endpoint: WebhookEndpoint; loading: boolean; onSend: () => void }) {
  const t = webhooksTexts;
  const { status, url } = endpoint;
  const whyNot = status === 'active' ? null : t.testNot[status];
  return (
    <Tooltip
      label={whyNot}
      disabled={whyNot === null}
      events={{ hover: true, focus: true, touch: true }}
      multiline
      w={280}
    >
      <Button
        size="compact-sm"
        variant="default"
        loading={loading}
        aria-label={t.ofEndpoint({ what: t.test, url })}
        {...(whyNot === null ? {} : { 'data-disabled': true, 'aria-disabled': true, 'aria-description': whyNot })}
        onClick={whyNot === null ? onSend : undefined}
      >
        {t.test}
      </Button>
    </Tooltip>
  );
}
