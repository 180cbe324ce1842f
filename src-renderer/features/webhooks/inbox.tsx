import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { adminPath, requestJson, useEnvironment } from '../../api/client.ts';
import type { Inbox, InboxBehaviour, InboxMessage } from '../../api/generated/owner.ts';
import { inboxesQuery, messagesQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { askFirst } from '../../components/confirm.tsx';
import { formatWholeNumber, joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { notify } from '../../components/notify.ts';
import { CopyId, Empty, Failure, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { VerdictState } from './explained.tsx';
import { webhooks as webhooksTexts } from './texts.ts';

const SLOW_MS = 5000;

const SECOND_MS = 1000;

const ERROR_STATUS = 500;

/** Messages shown first. An inbox that fails receives many retries. */
const SHOWN_FIRST = 10;

const ERROR_STATUS_MIN = 300;

/** Choices of the form. The API accepts any status, delay and count. */
const BEHAVIOURS: readonly InboxBehaviour[] = [
  { mode: 'accept' },
  { mode: 'status', status: ERROR_STATUS, times: null },
  { mode: 'timeout', times: null },
  { mode: 'slow', delayMs: SLOW_MS, times: null },
];

function statusAnswerText(status: number): string {
  const t = webhooksTexts.answers;
  return status < ERROR_STATUS_MIN ? t.accepted({ status }) : t.error({ status });
}

function inboxAnswerText(behaviour: InboxBehaviour): string {
  const t = webhooksTexts.answers;
  if (behaviour.mode === 'status') return statusAnswerText(behaviour.status);
  if (behaviour.mode === 'slow') return t.slow({ seconds: formatWholeNumber(behaviour.delayMs / SECOND_MS) });
  return t[behaviour.mode];
}

function inboxBehaviourText(behaviour: InboxBehaviour): string {
  const times = behaviour.mode === 'accept' ? null : behaviour.times;
  return inboxAnswerText(behaviour) + (times === null ? '' : webhooksTexts.answers.times({ count: times }));
}

/** The built-in receiver. It shows requests at once and can fail on purpose. */
export function InboxTab() {
  const environment = useEnvironment();
  const client = useQueryClient();
  const inboxes = useQuery(inboxesQuery(environment));
  // Wait for all, so that a growing inbox does not move the others.
  const filled = useQueries({
    queries: (inboxes.data ?? []).map(({ name }) => messagesQuery(environment, name)),
    combine: (all) => all.every(({ isPending }) => !isPending),
  });
  const t = webhooksTexts;
  const create = useMutation({
    mutationFn: () => requestJson(adminPath(environment, '/inboxes'), { method: 'POST', body: {} }),
    onSuccess: () => client.invalidateQueries({ queryKey: inboxesQuery(environment).queryKey }),
    onError: (error) => notify({ color: 'red', message: error.message }),
  });
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text c="dimmed" maw={640}>
          {t.inboxAbout}
        </Text>
        <Button leftSection={<Icon name="plus" size={14} />} loading={create.isPending} onClick={() => create.mutate()}>
          {t.newInbox}
        </Button>
      </Group>
      {(inboxes.isPending || !filled) && <Skeletons rows={8} />}
      {inboxes.isError && <Failure error={inboxes.error} retry={() => void inboxes.refetch()} />}
      {inboxes.data?.length === 0 && (
        <Panel>
          <Empty icon="webhook" title={t.noInboxes}>
            {t.noInboxesHow}
          </Empty>
        </Panel>
      )}
      {filled && inboxes.data?.map((inbox) => <InboxPanel key={inbox.name} inbox={inbox} />)}
    </Stack>
  );
}

function InboxPanel({ inbox }: { inbox: Inbox }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const t = webhooksTexts;
  const path = adminPath(environment, `/inboxes/${inbox.name}`);
  const refreshInboxes = () => client.invalidateQueries({ queryKey: inboxesQuery(environment).queryKey });
  const showInboxError = (error: Error) => notify({ color: 'red', message: error.message });
  const change = useMutation({
    mutationFn: (behaviour: InboxBehaviour) => requestJson(path, { method: 'PATCH', body: { behaviour } }),
    onSuccess: refreshInboxes,
    onError: showInboxError,
  });
  const remove = useMutation({
    mutationFn: () => requestJson(path, { method: 'DELETE' }),
    onSuccess: refreshInboxes,
    onError: showInboxError,
  });
  return (
    <Panel
      title={inbox.label || inbox.name}
      aside={
        <Button
          size="compact-sm"
          color="red"
          variant="outline"
          onClick={() =>
            askFirst({
              title: t.removeInbox,
              about: t.removeInboxAbout,
              yes: t.remove,
              no: t.keep,
              onYes: () => remove.mutate(),
            })
          }
        >
          {t.remove}
        </Button>
      }
    >
      <Stack>
        <Group align="flex-end" justify="space-between" wrap="wrap">
          <div>
            <Text size="sm" fw={500}>
              {t.inboxAddress}
            </Text>
            <CopyId value={inbox.url} full label={t.inboxAddress} />
          </div>
          <Behaviour behaviour={inbox.behaviour} onChange={change.mutate} />
        </Group>
        <Messages inbox={inbox} />
      </Stack>
    </Panel>
  );
}

/** The behaviour of an inbox. Also shows one set through the API. */
function Behaviour(props: { behaviour: InboxBehaviour; onChange: (behaviour: InboxBehaviour) => void }) {
  const { behaviour, onChange } = props;
  const now = inboxBehaviourText(behaviour);
  const offered = BEHAVIOURS.map(inboxBehaviourText);
  return (
    <Select
      label={webhooksTexts.behaviour}
      data={offered.includes(now) ? offered : [now, ...offered]}
      value={now}
      allowDeselect={false}
      onChange={(chosen) => {
        const next = BEHAVIOURS.find((one) => inboxBehaviourText(one) === chosen);
        if (next !== undefined) onChange(next);
      }}
    />
  );
}

/** Received messages, newest first. */
function Messages({ inbox }: { inbox: Inbox }) {
  const messages = useQuery(messagesQuery(useEnvironment(), inbox.name));
  const [all, setAll] = useState(false);
  const t = webhooksTexts;
  if (messages.isPending) return <Skeletons rows={2} />;
  if (messages.isError) return <Failure error={messages.error} retry={() => void messages.refetch()} />;
  if (messages.data.length === 0) {
    return (
      <Empty icon="webhook" title={t.noMessages}>
        {t.noMessagesHow}
      </Empty>
    );
  }
  const shown = all ? messages.data : messages.data.slice(0, SHOWN_FIRST);
  return (
    <>
      {shown.map((message) => (
        <Message key={inboxMessageKey(message)} message={message} />
      ))}
      {shown.length < messages.data.length && (
        <Button variant="default" onClick={() => setAll(true)} style={{ alignSelf: 'center' }}>
          {t.allMessages({ count: messages.data.length })}
        </Button>
      )}
    </>
  );
}

/** Each attempt of a delivery is a message. */
function inboxMessageKey({ receivedAt, headers }: InboxMessage): string {
  return `${receivedAt} ${headers['webhook-id'] ?? ''} ${headers['x-service-attempt'] ?? ''}`;
}

function Message({ message }: { message: InboxMessage }) {
  const t = webhooksTexts;
  const headers = Object.entries(message.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <details className="message">
      <summary>
        <Group gap="md" display="inline-flex">
          <Time at={message.receivedAt} />
          <Text span size="sm">
            {whatOf(message)}
          </Text>
          <VerdictState verdict={message.verdict} />
          <Text span size="sm" c="dimmed">
            {t.behaviour} {inboxAnswerText(message.answer)}
          </Text>
        </Group>
      </summary>
      <Stack gap="xs" mt="sm">
        <Text size="sm">{message.payload.reason}</Text>
        <Code value={headers.join('\n')} label={t.headers} maxHeight={200} />
        <Code value={message.body} label={t.body} maxHeight={260} />
      </Stack>
    </details>
  );
}

/** The event and attempt, if the sender gives them. */
function whatOf({ headers }: InboxMessage): string {
  const event = headers['x-service-event'] ?? webhooksTexts.someRequest;
  const attempt = Number(headers['x-service-attempt'] ?? 1);
  return attempt > 1 ? joinTexts([event, webhooksTexts.attempt({ number: attempt }).toLowerCase()]) : event;
}
