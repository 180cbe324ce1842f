import { Button, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { adminPath, apiPath, ask, useEnvironment } from '../../api/client.ts';
import type { JobRecord, Payment } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { deliveriesQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { money } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { CopyId, Empty, Facts, Failure, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { texts } from '../../texts.ts';
import { ResultView } from '../results/result-view.tsx';
import { filesOf, type NamedFile, ticketed } from '../results/shapes.ts';
import { DeliveryTable } from '../webhooks/delivery-table.tsx';

interface JobTabProps {
  name: 'result' | 'files' | 'payment' | 'deliveries' | 'request' | 'raw';
  job: Job;
  record: JobRecord | undefined;
  /** The chunk to scroll to. */
  chunkId: string | undefined;
}

export function JobTab({ name, job, record, chunkId }: JobTabProps) {
  switch (name) {
    case 'result':
      return <ResultTab job={job} record={record} chunkId={chunkId} />;
    case 'files':
      return <FilesTab job={job} record={record} />;
    case 'payment':
      return record === undefined ? <Skeletons /> : <PaymentTab payment={record.payment} />;
    case 'deliveries':
      return <DeliveriesTab job={job} />;
    case 'request':
      return record === undefined ? (
        <Skeletons />
      ) : (
        <Code value={pretty(record.request)} label={texts.jobs.tabs.request} />
      );
    case 'raw':
      return <RawTab job={job} />;
  }
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Memoised: a result can have megabytes. */
function RawTab({ job }: { job: Job }) {
  const value = useMemo(() => pretty(job), [job]);
  return <Code value={value} label={texts.jobs.tabs.raw} maxHeight={640} />;
}

function ResultTab({ job, record, chunkId }: Omit<JobTabProps, 'name'>) {
  if (job.result !== null) return <ResultView job={job} record={record} chunkId={chunkId} />;
  const { noResult, noResultWhy, cancelledNoResult, resultLater } = texts.jobs;
  if (job.error?.code === 'cancelled') return <NoResult title={cancelledNoResult} />;
  if (job.status === 'failed') return <NoResult title={noResult} why={noResultWhy} />;
  return <NoResult title={resultLater} />;
}

function NoResult({ title, why }: { title: string; why?: string }) {
  return (
    <Panel>
      <Empty icon="file-text" title={title}>
        {why}
      </Empty>
    </Panel>
  );
}

/** Result files and the uploaded file. */
function FilesTab({ job, record }: { job: Job; record: JobRecord | undefined }) {
  const environment = useEnvironment();
  const files = [...sourceOf(environment, record), ...filesOf(job, record)];
  if (files.length === 0) {
    return (
      <Panel>
        <Empty icon="file-text" title={texts.jobs.noFiles} />
      </Panel>
    );
  }
  return (
    <Panel>
      <Table verticalSpacing="sm">
        <Table.Tbody>
          {files.map(({ name, url }) => (
            <Table.Tr key={url}>
              <Table.Td className="break">{name}</Table.Td>
              <Table.Td ta="right">
                <Button
                  component="a"
                  href={url}
                  download={name}
                  size="xs"
                  variant="default"
                  leftSection={<Icon name="download" size={14} />}
                  aria-label={`${texts.jobs.download} ${name}`}
                >
                  {texts.jobs.download}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}

function sourceOf(environment: EnvironmentName, record: JobRecord | undefined): NamedFile[] {
  if (!record?.source) return [];
  const url = ticketed(adminPath(environment, `/jobs/${record.jobId}/source`), record);
  return [{ name: record.source.fileName ?? texts.jobs.sourceFile, url }];
}

const PAYMENT_TONES = { settled: 'good', reserved: 'busy', failed: 'bad' } as const;

function PaymentTab({ payment }: { payment: Payment | null }) {
  if (payment === null) {
    return (
      <Panel>
        <Empty icon="wallet" title={texts.jobs.noPayment}>
          {texts.jobs.noPaymentWhy}
        </Empty>
      </Panel>
    );
  }
  const { names, statuses } = texts.payments;
  return (
    <Stack>
      <Panel>
        <Facts
          rows={[
            [
              names.status,
              <State key="status" tone={PAYMENT_TONES[payment.status]}>
                {statuses[payment.status]}
              </State>,
            ],
            [names.amount, texts.jobs.paid(money(payment.amount))],
            [names.payer, <CopyId key="payer" value={payment.payer} full label={names.payer} />],
            [names.payTo, <CopyId key="to" value={payment.payTo} full label={names.payTo} />],
            [names.network, `${payment.network}, ${payment.mode}`],
            [names.nonce, <CopyId key="nonce" value={payment.nonce} full label={names.nonce} />],
            [
              names.transaction,
              payment.transaction === null ? (
                '–'
              ) : (
                <CopyId key="hash" value={payment.transaction} full label={names.transaction} />
              ),
            ],
            [names.verified, <Time key="verified" at={payment.verifiedAt} />],
            [names.settled, payment.settledAt === null ? '–' : <Time key="settled" at={payment.settledAt} />],
          ]}
        />
      </Panel>
      <Code value={pretty(payment.challenge)} label={names.challenge} />
    </Stack>
  );
}

function DeliveriesTab({ job }: { job: Job }) {
  const environment = useEnvironment();
  const list = useInfiniteQuery(deliveriesQuery(environment, { jobId: job.jobId }));
  if (list.isPending) return <Skeletons />;
  if (list.isError) return <Failure error={list.error} retry={() => void list.refetch()} />;
  const deliveries = list.data.pages.flatMap((page) => page.deliveries);
  return (
    <Stack>
      <AddWebhook job={job} />
      <Panel>
        {deliveries.length === 0 ? (
          <Empty icon="webhook" title={texts.jobs.noDeliveries}>
            {texts.jobs.noDeliveriesWhy}
          </Empty>
        ) : (
          <DeliveryTable deliveries={deliveries} />
        )}
      </Panel>
    </Stack>
  );
}

function AddWebhook({ job }: { job: Job }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const [url, setUrl] = useState('');
  const add = useMutation({
    mutationFn: () => ask(apiPath(environment, `/jobs/${job.jobId}/webhooks`), { method: 'POST', body: { url } }),
    onSuccess: async () => {
      setUrl('');
      notifications.show({ message: texts.jobs.webhookAdded });
      await client.invalidateQueries({ queryKey: ['deliveries'] });
    },
  });
  return (
    <Panel title={texts.jobs.addWebhook}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <Group align="flex-end">
          <TextInput
            flex={1}
            label={texts.jobs.webhookUrl}
            placeholder="https://"
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
            required
            withAsterisk={false}
          />
          <Button type="submit" loading={add.isPending} disabled={url === ''}>
            {texts.common.add}
          </Button>
        </Group>
      </form>
      {add.isError && (
        <Text mt="sm" component="div">
          <Failure error={add.error} />
        </Text>
      )}
    </Panel>
  );
}
