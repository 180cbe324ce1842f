import { serverNow, useServerNow } from '../api/server-time.ts';
import type { Delivery, Job, JobRecord } from '../api/types.ts';
import { texts } from '../texts.ts';
import { duration, money, timeAgo } from './format.ts';
import { Panel } from './parts.tsx';
import { Timeline, type TimelineEvent } from './timeline.tsx';

interface JobTimelineProps {
  job: Job;
  record: JobRecord | undefined;
  deliveries: readonly Delivery[];
  stages: readonly StageSpan[];
}

/** A stage of the run, as this window saw it pass. */
export interface StageSpan {
  stage: string;
  from: number;
  to: number | null;
}

/** A job's whole life on one axis: payment, wait, run with its stages, end, callbacks. */
export function JobTimeline({ job, record, deliveries, stages }: JobTimelineProps) {
  useServerNow();
  const events = eventsOf({ job, record, deliveries, stages }, serverNow());
  const last = Math.max(...events.map(({ to }) => to));
  const total = duration(last - Math.min(...events.map(({ from }) => from)));
  return (
    <Panel title={texts.jobs.timeline} about={texts.jobs.timelineAbout(total)}>
      <Timeline events={events} label={texts.jobs.timeline} />
    </Panel>
  );
}

function eventsOf({ job, record, deliveries, stages }: JobTimelineProps, now: number): TimelineEvent[] {
  const accepted = Date.parse(job.createdAt);
  const ended = endOf(job, record);
  const started = record?.startedAt ? Date.parse(record.startedAt) : null;
  return [
    ...paymentEvents(record, accepted),
    ...waitEvents(job, { accepted, started, ended, now }),
    ...runEvents(job, record, { started, ended, now }),
    ...stages.map((stage): TimelineEvent => {
      const to = stage.to ?? ended ?? now;
      const took = duration(to - stage.from);
      const said = `${stage.stage}: ${took}`;
      return {
        key: `stage-${stage.from}`,
        label: `· ${stage.stage}`,
        tone: 'idle',
        from: stage.from,
        to,
        note: took,
        said,
      };
    }),
    ...endEvents(job, ended, now),
    ...deliveries.map((delivery) => deliveryEvent(delivery)),
  ];
}

function endOf(job: Job, record: JobRecord | undefined): number | null {
  if (job.status !== 'completed' && job.status !== 'failed') return null;
  return Date.parse(record?.endedAt ?? job.updatedAt);
}

function paymentEvents(record: JobRecord | undefined, accepted: number): TimelineEvent[] {
  const label = texts.jobs.rows.payment;
  if (record?.payment == null) {
    const note = texts.jobs.free;
    return [{ key: 'payment', label, tone: 'idle', from: accepted, to: accepted, note: '0.00', said: note }];
  }
  const { amount, verifiedAt, settledAt } = record.payment;
  const note = texts.jobs.paid(money(amount));
  const from = Date.parse(verifiedAt);
  return [{ key: 'payment', label, tone: 'good', from, to: Date.parse(settledAt ?? verifiedAt), note, said: note }];
}

interface Times {
  started: number | null;
  ended: number | null;
  now: number;
}

function waitEvents(job: Job, { accepted, started, ended, now }: Times & { accepted: number }): TimelineEvent[] {
  const to = started ?? ended ?? (job.status === 'queued' ? now : Date.parse(job.updatedAt));
  const note = duration(to - accepted);
  const said = `${texts.jobs.rows.wait}: ${note}`;
  return [{ key: 'wait', label: texts.jobs.rows.wait, tone: 'warn', from: accepted, to, note, said }];
}

function runEvents(job: Job, record: JobRecord | undefined, { started, ended, now }: Times): TimelineEvent[] {
  if (started === null || job.status === 'queued') return [];
  const to = ended ?? now;
  const note = duration(to - started);
  const said = `${texts.jobs.rows.run}, ${texts.jobs.attempts(record?.attempts ?? 1)}: ${note}`;
  return [{ key: 'run', label: texts.jobs.rows.run, tone: 'busy', from: started, to, note, said }];
}

function endEvents(job: Job, ended: number | null, now: number): TimelineEvent[] {
  if (ended === null) return [];
  const tone = job.status === 'completed' ? 'good' : 'bad';
  const label = job.error?.code === 'cancelled' ? texts.jobs.cancelled : texts.jobs.statuses[job.status];
  const note = timeAgo(new Date(ended).toISOString(), now);
  return [{ key: 'end', label, tone, from: ended, to: ended, note, said: `${label} ${note}` }];
}

const DELIVERY_TONES = { pending: 'warn', delivered: 'good', exhausted: 'bad', cancelled: 'idle' } as const;

function deliveryEvent(delivery: Delivery): TimelineEvent {
  const label = texts.jobs.deliveryRow(URL.parse(delivery.url)?.host ?? delivery.url);
  const from = Date.parse(delivery.createdAt);
  const to = Math.max(from, Date.parse(delivery.updatedAt));
  const answer = delivery.lastResponseStatus ?? delivery.lastErrorClass ?? texts.jobs.notYet;
  const said = `${label}: ${delivery.status}, ${answer}`;
  return {
    key: delivery.deliveryId,
    label,
    tone: DELIVERY_TONES[delivery.status],
    from,
    to,
    note: String(answer),
    said,
  };
}
