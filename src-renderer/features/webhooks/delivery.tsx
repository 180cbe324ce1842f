import { Accordion, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { adminPath, errorOf, fetchApi, requestJson, useEnvironment } from '../../api/client.ts';
import type { Delivery, DeliveryAttempt, DeliveryDetail, WebhookExplanation } from '../../api/generated/owner.ts';
import { deliveryQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { formatElapsedTime, formatWholeNumber, joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { pair } from '../../components/literals.ts';
import { notify } from '../../components/notify.ts';
import { CopyId, Empty, Facts, Failure, PageHead, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { texts } from '../../texts.ts';
import { DeliveryState, heldBy, lastAnswer } from './delivery-table.tsx';
import { endpointName } from './endpoint-words.tsx';
import { ExplainedView } from './explained.tsx';
import { webhooks as webhooksTexts } from './texts.ts';

/** One delivery with all attempts: request bytes, response and error. */
export function DeliveryPage({ deliveryId }: { deliveryId: string }) {
  const delivery = useQuery(deliveryQuery(useEnvironment(), deliveryId));
  const [sentAfter, setSentAfter] = useState<{ deliveryId: string; attempts: number } | null>(null);
  const t = webhooksTexts;
  const back = (
    <Anchor
      size="sm"
      renderRoot={(props) => (
        <Link {...props} to="/webhooks" search={({ delivery: _, ...rest }) => ({ ...rest, tab: 'deliveries' })} />
      )}
    >
      {t.back}
    </Anchor>
  );
  if (delivery.isPending) {
    return (
      <Stack>
        {back}
        <PageHead title={t.columns.delivery} />
        <Skeletons rows={8} />
      </Stack>
    );
  }
  if (delivery.isError && delivery.data === undefined) {
    return (
      <Stack>
        {back}
        <PageHead title={t.columns.delivery} />
        <Failure error={delivery.error} retry={() => void delivery.refetch()} />
      </Stack>
    );
  }
  const { data } = delivery;
  const asked = sentAfter?.deliveryId === deliveryId ? sentAfter.attempts : null;
  const attempts = [...data.attemptLog].reverse();
  return (
    <Stack gap="md">
      {back}
      <PageHead title={`${t.columns.delivery}: ${data.event}`}>
        <Redeliver delivery={data} onSent={() => setSentAfter({ deliveryId, attempts: data.attempts })} />
      </PageHead>
      {asked !== null && <WhatCame delivery={data} after={asked} />}
      {delivery.isError && <Failure error={delivery.error} retry={() => void delivery.refetch()} />}
      <DeliverySummary delivery={data} />
      <Panel title={t.attempts}>
        {attempts.length === 0 ? (
          <Empty icon="webhook" title={t.noAttempts} />
        ) : (
          <Accordion
            // After Send again, the attempt that it makes opens.
            key={asked === null ? 'as-read' : attempts[0]?.number}
            chevronPosition="left"
            defaultValue={String(attempts[0]?.number)}
            className="attempts"
          >
            {attempts.map((attempt) => (
              <AttemptItem key={attempt.number} deliveryId={deliveryId} attempt={attempt} />
            ))}
          </Accordion>
        )}
      </Panel>
    </Stack>
  );
}

/** What came of Send again: the answer, and whether a failure is the same as before. */
function WhatCame({ delivery, after }: { delivery: DeliveryDetail; after: number }): ReactNode {
  const t = webhooksTexts.came;
  const attempt = delivery.attemptLog.find((one) => one.number > after);
  if (attempt === undefined) {
    return heldBy(delivery) === null ? (
      <div role="status">
        <State tone="busy">{t.under}</State>
      </div>
    ) : null;
  }
  const before = delivery.attemptLog.find((one) => one.number === attempt.number - 1);
  const answer = deliveryAnswerText(attempt);
  const count = formatWholeNumber(attempt.number);
  const isGood = isSuccessfulAttempt(attempt);
  const isSame = before !== undefined && deliveryAnswerText(before) === answer;
  return (
    <div role="status" className="what-came" data-bad={!isGood}>
      <State tone={isGood ? 'good' : 'bad'}>
        {attempt.response === null
          ? t.unanswered({ why: answer, attempt: count })
          : t.answered({ status: answer, attempt: count })}
      </State>
      {!isGood && <span className="small">{isSame ? t.same : t.other}</span>}
    </div>
  );
}

/** Status of the response, or the class of the error where none came. */
function deliveryAnswerText({ response, errorClass }: DeliveryAttempt): string {
  return response === null ? (errorClass ?? webhooksTexts.noAnswer) : String(response.status);
}

function isSuccessfulAttempt({ response }: DeliveryAttempt): boolean {
  return response !== null && response.status >= 200 && response.status < 300;
}

function Redeliver({ delivery, onSent }: { delivery: DeliveryDetail; onSent: () => void }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () =>
      requestJson<Delivery>(adminPath(environment, `/deliveries/${delivery.deliveryId}/redeliver`), {
        method: 'POST',
        body: {},
      }),
    onSuccess: async (now) => {
      onSent();
      const holder = heldBy(now);
      const { redelivered, redeliveredOnce, heldUntil } = webhooksTexts;
      notify({ message: holder === null ? redelivered : redeliveredOnce({ when: heldUntil[holder] }) });
      await client.invalidateQueries({ queryKey: ['deliveries'] });
    },
    onError: (error) => notify({ color: 'red', message: error.message }),
  });
  return (
    <Button leftSection={<Icon name="rotate-cw" size={16} />} loading={again.isPending} onClick={() => again.mutate()}>
      {webhooksTexts.redeliver}
    </Button>
  );
}

function DeliverySummary({ delivery }: { delivery: DeliveryDetail }) {
  const { names, next, columns, heldUntil } = webhooksTexts;
  const holder = heldBy(delivery);
  const due = delivery.nextAttemptAt === null ? '–' : <Time key="next" at={delivery.nextAttemptAt} />;
  return (
    <Panel>
      <Facts
        rows={[
          [columns.status, <DeliveryState key="state" delivery={delivery} />],
          [columns.answer, lastAnswer(delivery)],
          ...(delivery.url === null
            ? []
            : [pair(columns.target, endpointName({ name: delivery.webhookName, url: delivery.url }))]),
          [
            names.url,
            delivery.url === null ? (
              webhooksTexts.noAddress
            ) : (
              <CopyId key="url" value={delivery.url} full label={names.url} />
            ),
          ],
          [
            names.job,
            <Anchor
              key="job"
              size="sm"
              ff="monospace"
              renderRoot={(props) => <Link {...props} to="/jobs/$jobId" params={{ jobId: delivery.jobId }} />}
            >
              {delivery.jobId}
            </Anchor>,
          ],
          [columns.delivery, <CopyId key="id" value={delivery.deliveryId} full label={columns.delivery} />],
          [names.created, <Time key="created" at={delivery.createdAt} />],
          [next, holder === null ? due : heldUntil[holder]],
        ]}
      />
    </Panel>
  );
}

function AttemptItem({ deliveryId, attempt }: { deliveryId: string; attempt: DeliveryAttempt }) {
  const t = webhooksTexts;
  return (
    <Accordion.Item value={String(attempt.number)}>
      <Accordion.Control>
        <Group gap="md" wrap="wrap">
          <Text fw={600}>{t.attempt({ number: attempt.number })}</Text>
          <State tone={isSuccessfulAttempt(attempt) ? 'good' : 'bad'}>{deliveryAnswerText(attempt)}</State>
          <Text size="sm" c="dimmed">
            {joinTexts([formatElapsedTime(attempt.durationMs), ...(attempt.manual ? [t.byHand] : []), ''])}
            <Time at={attempt.startedAt} />
          </Text>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="md">
          {attempt.errorMessage !== null && (
            <Text size="sm">
              <strong>{t.why}:</strong> {attempt.errorMessage}
            </Text>
          )}
          <div className="sent-received">
            <Sent deliveryId={deliveryId} attempt={attempt} />
            <Received attempt={attempt} />
          </div>
          <Signature deliveryId={deliveryId} number={attempt.number} />
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}

function headerText(headers: Record<string, string | string[]>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : value}`)
    .join('\n');
}

function Sent({ deliveryId, attempt }: { deliveryId: string; attempt: DeliveryAttempt }) {
  const environment = useEnvironment();
  const t = webhooksTexts;
  const path = adminPath(environment, `/deliveries/${deliveryId}/attempts/${attempt.number}/body`);
  const body = useQuery({
    queryKey: ['attempt-body', environment, deliveryId, attempt.number],
    queryFn: async () => {
      const answer = await fetchApi(path);
      if (!answer.ok) throw await errorOf(answer);
      return await answer.text();
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { request } = attempt;
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {t.request}
      </Text>
      <Code value={`${request.method} ${request.url}\n${headerText(request.headers)}`} label={t.headers} />
      {body.isError ? (
        <Failure error={body.error} retry={() => void body.refetch()} />
      ) : (
        <Code value={body.data ?? texts.common.loading} label={t.body} maxHeight={260} />
      )}
      <Text size="xs" c="dimmed" className="break">
        {t.exactBytes({ count: request.bodyBytes, hash: request.bodySha256 })}
      </Text>
    </Stack>
  );
}

function Received({ attempt }: { attempt: DeliveryAttempt }) {
  const t = webhooksTexts;
  const { response } = attempt;
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {t.response}
      </Text>
      {response === null ? (
        <Text size="sm">{t.noResponse}</Text>
      ) : (
        <Code
          value={`${response.status}\n${headerText(response.headers)}\n\n${response.body}`}
          label={t.response}
          maxHeight={260}
        />
      )}
      {response?.truncated && (
        <Text size="xs" c="dimmed">
          {t.truncated}
        </Text>
      )}
    </Stack>
  );
}

function Signature({ deliveryId, number: attempt }: { deliveryId: string; number: number }) {
  const environment = useEnvironment();
  const explained = useQuery({
    queryKey: ['attempt-signature', environment, deliveryId, attempt],
    queryFn: () =>
      requestJson<WebhookExplanation>(
        adminPath(environment, `/deliveries/${deliveryId}/attempts/${attempt}/signature`),
      ),
  });
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {webhooksTexts.signature}
      </Text>
      {explained.isError && <Failure error={explained.error} />}
      {explained.data && <ExplainedView explanation={explained.data} />}
    </Stack>
  );
}
