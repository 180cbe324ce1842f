import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { adminPath, apiPath, ask } from '../api/client.ts';
import { useEnvironment } from '../api/environment.tsx';
import { endpointsQuery } from '../api/queries.ts';
import type { Endpoint } from '../api/types.ts';
import { askFirst } from '../components/confirm.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { CopyId, Empty, Failure, Loading, Panel, State, Time, type Tone } from '../components/parts.tsx';
import { texts } from '../texts.ts';
import { AddEndpoint } from './add-endpoint.tsx';

const TONES: Record<Endpoint['status'], Tone> = { active: 'good', paused: 'warn', disabled: 'bad' };

/** The endpoints of every account. */
export function EndpointList() {
  const list = useQuery(endpointsQuery(useEnvironment()));
  const t = texts.webhooks;
  return (
    <Panel flush title={t.tabs.endpoints} aside={<AddEndpoint />}>
      {list.isPending && <Loading rows={5} />}
      {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data?.endpoints.length === 0 && (
        <Empty icon="webhooks" title={t.noEndpoints}>
          {t.noEndpointsHow}
        </Empty>
      )}
      {list.data !== undefined && list.data.endpoints.length > 0 && (
        <DataTable columns={COLUMNS} rows={list.data.endpoints} rowKey={({ webhookId }) => webhookId} />
      )}
    </Panel>
  );
}

const { columns: titles } = texts.webhooks;

const COLUMNS: readonly Column<Endpoint>[] = [
  { title: titles.target, cell: (endpoint) => <Target endpoint={endpoint} /> },
  {
    title: titles.events,
    cell: ({ events, hasSecret }) => (
      <>
        <Text size="sm">{events.join(', ')}</Text>
        <Text size="xs" c="dimmed">
          {hasSecret ? texts.webhooks.signed : texts.webhooks.unsigned}
        </Text>
      </>
    ),
  },
  {
    title: titles.status,
    cell: ({ status }) => <State tone={TONES[status]}>{texts.webhooks.endpointStatuses[status]}</State>,
  },
  {
    title: titles.last,
    cell: ({ lastDelivery }) =>
      lastDelivery === null ? (
        '–'
      ) : (
        <Text size="sm">
          {lastDelivery.responseStatus ?? texts.webhooks.noAnswerYet}, <Time at={lastDelivery.attemptedAt} />
        </Text>
      ),
  },
  { title: titles.account, cell: ({ accountId }) => <CopyId value={accountId} label={titles.account} /> },
  { title: texts.common.edit, titleHidden: true, cell: (endpoint) => <EndpointActions endpoint={endpoint} /> },
];

function Target({ endpoint: { url, webhookId, notice } }: { endpoint: Endpoint }) {
  return (
    <>
      <Text size="sm" fw={550} className="truncate" maw={300} title={url}>
        {url}
      </Text>
      <CopyId value={webhookId} label={texts.webhooks.names.webhook} />
      {notice !== undefined && (
        <Text size="sm" c="var(--bad)">
          {notice}
        </Text>
      )}
    </>
  );
}

function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const t = texts.webhooks;
  const path = apiPath(environment, `/webhooks/${endpoint.webhookId}`);
  const done = () => client.invalidateQueries({ queryKey: endpointsQuery(environment).queryKey });
  const onError = (error: Error) => notifications.show({ color: 'red', message: error.message });
  const test = useMutation({
    mutationFn: () => ask(adminPath(environment, `/webhooks/${endpoint.webhookId}/test`), { method: 'POST', body: {} }),
    onSuccess: () => {
      notifications.show({ message: t.testSent });
      return done();
    },
    onError,
  });
  const change = useMutation({
    mutationFn: (status: 'active' | 'paused') => ask(path, { method: 'PATCH', body: { status } }),
    onSuccess: done,
    onError,
  });
  const remove = useMutation({ mutationFn: () => ask(path, { method: 'DELETE' }), onSuccess: done, onError });
  const next = endpoint.status === 'active' ? 'paused' : 'active';
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      <Button size="compact-sm" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
        {t.test}
      </Button>
      {endpoint.accountId === 'owner' && (
        <>
          <Button size="compact-sm" variant="default" onClick={() => change.mutate(next)}>
            {next === 'paused' ? t.pause : t.resume}
          </Button>
          <Button
            size="compact-sm"
            variant="outline"
            color="red"
            onClick={() =>
              askFirst({
                title: t.removeSure,
                about: t.removeAbout,
                yes: t.remove,
                no: t.keep,
                onYes: () => remove.mutate(),
              })
            }
          >
            {t.remove}
          </Button>
        </>
      )}
    </Group>
  );
}
