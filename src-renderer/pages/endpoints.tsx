import { Button, Group, Table, Text, VisuallyHidden } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { adminPath, apiPath, ask } from '../api/client.ts';
import { useEnvironment } from '../api/environment.tsx';
import { endpointsQuery } from '../api/queries.ts';
import type { Endpoint } from '../api/types.ts';
import { askFirst } from '../components/confirm.tsx';
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
        <div className="table-wrap">
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t.columns.target}</Table.Th>
                <Table.Th>{t.columns.events}</Table.Th>
                <Table.Th>{t.columns.status}</Table.Th>
                <Table.Th>{t.columns.last}</Table.Th>
                <Table.Th>{t.columns.account}</Table.Th>
                <Table.Th>
                  <VisuallyHidden>{texts.common.edit}</VisuallyHidden>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {list.data.endpoints.map((endpoint) => (
                <EndpointRow key={endpoint.webhookId} endpoint={endpoint} />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Panel>
  );
}

function EndpointRow({ endpoint }: { endpoint: Endpoint }) {
  const t = texts.webhooks;
  const { lastDelivery } = endpoint;
  return (
    <Table.Tr>
      <Table.Td maw={300}>
        <Text size="sm" fw={550} className="truncate" title={endpoint.url}>
          {endpoint.url}
        </Text>
        <CopyId value={endpoint.webhookId} label={t.names.webhook} />
        {endpoint.notice !== undefined && (
          <Text size="sm" c="var(--bad)">
            {endpoint.notice}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Text size="sm">{endpoint.events.join(', ')}</Text>
        <Text size="xs" c="dimmed">
          {endpoint.hasSecret ? t.signed : t.unsigned}
        </Text>
      </Table.Td>
      <Table.Td>
        <State tone={TONES[endpoint.status]}>{t.endpointStatuses[endpoint.status]}</State>
      </Table.Td>
      <Table.Td>
        {lastDelivery === null ? (
          '–'
        ) : (
          <Text size="sm">
            {lastDelivery.responseStatus ?? t.noAnswerYet}, <Time at={lastDelivery.attemptedAt} />
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <CopyId value={endpoint.accountId} label={t.columns.account} />
      </Table.Td>
      <Table.Td>
        <EndpointActions endpoint={endpoint} />
      </Table.Td>
    </Table.Tr>
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
