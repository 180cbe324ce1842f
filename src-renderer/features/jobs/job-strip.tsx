import { Button, Group, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { apiPath, requestJson, useEnvironment } from '../../api/client.ts';
import type { Delivery, DeliveryDetail, JobRecord, Payment } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { deliveriesQuery, hasEnded } from '../../api/queries.ts';
import { useServerNow } from '../../api/server-time.ts';
import { Code } from '../../components/code.tsx';
import { formatElapsedTime, joinTexts } from '../../components/format.ts';
import { Money } from '../../components/money.tsx';
import { CopyId, Empty, Facts, Failure, Skeletons, Time } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { Strip } from '../../components/strip.tsx';
import { showToast } from '../../components/toast.tsx';
import { texts as all } from '../../texts.ts';
import { payments as paymentTexts } from '../payments/texts.ts';
import { DeliveryTable } from '../webhooks/delivery-table.tsx';
import { job as texts } from './job-texts.ts';
import { JobTimeline, runTimeOf } from './job-timeline.tsx';

export type StripPart = 'timeline' | 'payment' | 'webhooks' | 'request' | 'json';

interface JobStripProps {
  job: Job;
  record: JobRecord | undefined;
  deliveries: readonly (Delivery | DeliveryDetail)[];
  open: StripPart | null;
  onOpen: (part: StripPart | null) => void;
}

/** How a job came about: its timeline, payment, webhooks, request and JSON. */
export function JobStrip({ job, record, deliveries, open, onOpen }: JobStripProps) {
  useServerNow();
  const t = texts.strip;
  return (
    <Strip
      open={open}
      onOpen={onOpen}
      parts={[
        {
          name: 'timeline',
          icon: 'route',
          title: t.timeline,
          note: t.steps({
            steps: Math.max(1, record?.stages.length ?? 1),
            time: formatElapsedTime(runTimeOf(job, record)),
          }),
          body: () => <JobTimeline {...{ job, record, deliveries }} />,
        },
        {
          name: 'payment',
          icon: 'wallet',
          title: t.payment,
          note: record?.payment ? <PaymentNote payment={record.payment} /> : t.notCharged,
          body: () => (record === undefined ? <Skeletons /> : <PaymentPart payment={record.payment} />),
        },
        {
          name: 'webhooks',
          icon: 'webhook',
          title: t.webhooks,
          note: webhooksNote(deliveries),
          body: () => <WebhooksPart job={job} />,
        },
        {
          name: 'request',
          icon: 'send',
          title: t.request,
          body: () => (record === undefined ? <Skeletons /> : <RequestPart job={job} record={record} />),
        },
        { name: 'json', icon: 'braces', title: t.json, body: () => <JsonPart job={job} /> },
      ]}
      aside={<Kept job={job} />}
    />
  );
}

/** How long the result stays: what the owner keeps, until the owner deletes it. */
function Kept({ job }: { job: Job }) {
  if (!hasEnded(job)) return null;
  const { deleted, kept } = texts.strip;
  return job.expiresAt === null ? (
    kept
  ) : (
    <>
      {deleted} <Time at={job.expiresAt} long />
    </>
  );
}

function PaymentNote({ payment: { amount, mode, status } }: { payment: Payment }) {
  return (
    <>
      {joinTexts([paymentTexts.statuses[status], ''])}
      <Money amount={amount} mode={mode} />
    </>
  );
}

function webhooksNote(deliveries: readonly Delivery[]): string {
  const countJobDeliveries = (...statuses: Delivery['status'][]) =>
    deliveries.filter(({ status }) => statuses.includes(status)).length;
  const { none, delivered, waiting, failing } = texts.strip;
  const parts: [number, (values: { count: number }) => string][] = [
    [countJobDeliveries('delivered'), delivered],
    [countJobDeliveries('pending'), waiting],
    [countJobDeliveries('exhausted', 'cancelled'), failing],
  ];
  const said = parts.filter(([number]) => number > 0).map(([number, word]) => word({ count: number }));
  return joinTexts(said) || none;
}

function prettyJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** The body is as high as the text: the strip itself scrolls. */
const WHOLE_HEIGHT = 100_000;

/** Memoised: a result can have megabytes. */
function JsonPart({ job }: { job: Job }) {
  const value = useMemo(() => prettyJson(job), [job]);
  return <Code value={value} label={texts.strip.json} maxHeight={420} />;
}

function RequestPart({ job, record }: { job: Job; record: JobRecord }) {
  const t = texts.request;
  return (
    <>
      <Facts
        rows={[
          [t.account, <CopyId key="account" value={record.accountId} label={t.account} />],
          [texts.id, <CopyId key="id" value={job.jobId} full label={texts.id} />],
          [t.submitted, <Time key="time" at={job.createdAt} />],
          [t.priority, record.priority ?? '–'],
          [t.queue, record.queueClass],
          [t.deleted, job.expiresAt === null ? '–' : <Time key="deleted" at={job.expiresAt} long />],
        ]}
      />
      <div className="strip-code">
        <Code value={prettyJson(record.request)} label={texts.strip.request} maxHeight={WHOLE_HEIGHT} />
      </div>
    </>
  );
}

const PAYMENT_TONES = { settled: 'good', reserved: 'busy', failed: 'bad' } as const;

function PaymentPart({ payment }: { payment: Payment | null }) {
  if (payment === null) {
    return (
      <Empty icon="wallet" title={texts.payment.none}>
        {texts.payment.noneAbout}
      </Empty>
    );
  }
  const { names, statuses } = paymentTexts;
  const { transaction, settledAt } = payment;
  return (
    <>
      <Facts
        rows={[
          [
            names.status,
            <State key="status" tone={PAYMENT_TONES[payment.status]}>
              {statuses[payment.status]}
            </State>,
          ],
          [names.amount, <Money key="amount" amount={payment.amount} mode={payment.mode} unit />],
          [names.payer, <CopyId key="payer" value={payment.payer} full label={names.payer} />],
          [names.payTo, <CopyId key="to" value={payment.payTo} full label={names.payTo} />],
          [names.network, joinTexts([payment.network, payment.mode])],
          [names.nonce, <CopyId key="nonce" value={payment.nonce} full label={names.nonce} />],
          [
            names.transaction,
            transaction === null ? '–' : <CopyId key="hash" value={transaction} full label={names.transaction} />,
          ],
          [names.verified, <Time key="verified" at={payment.verifiedAt} />],
          [names.settled, settledAt === null ? '–' : <Time key="settled" at={settledAt} />],
        ]}
      />
      <div className="strip-code">
        <Code value={prettyJson(payment.challenge)} label={names.challenge} maxHeight={WHOLE_HEIGHT} />
      </div>
    </>
  );
}

function WebhooksPart({ job }: { job: Job }) {
  const environment = useEnvironment();
  const list = useInfiniteQuery(deliveriesQuery(environment, { jobId: job.jobId }));
  if (list.isPending) return <Skeletons />;
  if (list.isError) return <Failure error={list.error} retry={() => void list.refetch()} />;
  const deliveries = list.data.pages.flatMap((page) => page.deliveries);
  return (
    <>
      <AddWebhook job={job} />
      {deliveries.length === 0 ? (
        <p className="dim">{texts.webhooks.none}</p>
      ) : (
        <DeliveryTable deliveries={deliveries} />
      )}
    </>
  );
}

function AddWebhook({ job }: { job: Job }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const [url, setUrl] = useState('');
  const add = useMutation({
    mutationFn: () =>
      requestJson(apiPath(environment, `/jobs/${job.jobId}/webhooks`), { method: 'POST', body: { url } }),
    onSuccess: async () => {
      setUrl('');
      showToast({ message: texts.webhooks.added });
      await client.invalidateQueries({ queryKey: ['deliveries'] });
    },
  });
  return (
    <form
      className="strip-form"
      aria-label={texts.webhooks.add}
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          flex={1}
          maw={420}
          label={texts.webhooks.add}
          placeholder="https://"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          required
          withAsterisk={false}
        />
        <Button type="submit" variant="default" loading={add.isPending} disabled={url === ''}>
          {all.common.add}
        </Button>
      </Group>
      {add.isError && <Failure error={add.error} />}
    </form>
  );
}
