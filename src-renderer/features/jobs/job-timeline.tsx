import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Delivery, DeliveryAttempt, DeliveryDetail, JobRecord } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { serverNow, useServerNow } from '../../api/server-time.ts';
import { duration, fullTime, money, timeAgo, words } from '../../components/format.ts';
import { Panel } from '../../components/page-elements.tsx';
import { TONE_COLOURS, type Tone } from '../../components/state.tsx';
import { texts } from '../../texts.ts';
import { heldBy } from '../webhooks/delivery-table.tsx';

interface JobTimelineProps {
  job: Job;
  record: JobRecord | undefined;
  deliveries: readonly (Delivery | DeliveryDetail)[];
}

/** A job is in the queue between two attempts. */
const WAITING_STAGE = 'queued';

/** A run with only this stage has no stages to show. */
const CLAIMED_STAGE = 'starting';

/** A job on one time axis: payment, wait, run with stages, end, and webhook deliveries with attempts. */
export function JobTimeline({ job, record, deliveries }: JobTimelineProps) {
  useServerNow();
  const now = serverNow();
  const events = eventsOf({ job, record, deliveries }, now);
  const last = Math.max(...events.map(({ to }) => to));
  const total = duration(last - Math.min(...events.map(({ from }) => from)));
  return (
    <Panel title={texts.jobs.timeline} about={texts.jobs.timelineAbout(total)}>
      <Timeline events={events} label={texts.jobs.timeline} turn={endOf(job, record)} />
    </Panel>
  );
}

function eventsOf({ job, record, deliveries }: JobTimelineProps, now: number): TimelineEvent[] {
  const accepted = Date.parse(job.createdAt);
  const times = { accepted, started: firstStartOf(record), ended: endOf(job, record), now };
  return [
    ...paymentEvents(record, accepted),
    ...waitEvents(job, times),
    ...runEvents(job, record, times),
    ...stageEvents(record, times),
    ...endEvents(job, times),
    ...deliveries.map((delivery) => deliveryEvent(delivery)),
  ];
}

interface Times {
  accepted: number;
  /** Start of the first attempt. */
  started: number | null;
  ended: number | null;
  now: number;
}

function firstStartOf(record: JobRecord | undefined): number | null {
  const first = record?.stages[0]?.startedAt ?? record?.startedAt;
  return first ? Date.parse(first) : null;
}

function endOf(job: Job, record: JobRecord | undefined): number | null {
  if (job.status !== 'completed' && job.status !== 'failed') return null;
  return Date.parse(record?.endedAt ?? job.updatedAt);
}

function paymentEvents(record: JobRecord | undefined, accepted: number): TimelineEvent[] {
  const label = texts.jobs.rows.payment;
  if (record?.payment == null) {
    const said = texts.jobs.free;
    return [{ key: 'payment', label, tone: 'idle', from: accepted, to: accepted, note: texts.jobs.freeNote, said }];
  }
  const { amount, verifiedAt, settledAt } = record.payment;
  const note = texts.jobs.paid(money(amount));
  const from = Date.parse(verifiedAt);
  return [{ key: 'payment', label, tone: 'good', from, to: Date.parse(settledAt ?? verifiedAt), note, said: note }];
}

function waitEvents(job: Job, { accepted, started, ended, now }: Times): TimelineEvent[] {
  const to = started ?? ended ?? (job.status === 'queued' ? now : Date.parse(job.updatedAt));
  const note = duration(to - accepted);
  const said = `${texts.jobs.rows.wait}: ${note}`;
  return [{ key: 'wait', label: texts.jobs.rows.wait, tone: 'warn', from: accepted, to, note, said }];
}

function runEvents(job: Job, record: JobRecord | undefined, { started, ended, now }: Times): TimelineEvent[] {
  if (started === null) return [];
  const to = ended ?? now;
  const note = duration(to - started);
  const queueClass = record === undefined ? '' : texts.jobs.workers(record.queueClass);
  const attempts = record?.attempts ?? 1;
  const again = attempts > 1 ? texts.jobs.attempts(attempts) : '';
  const label = [texts.jobs.rows.run, queueClass, again].filter((part) => part !== '').join(', ');
  const said = `${label}: ${note}`;
  const tone = job.status === 'queued' ? 'warn' : 'busy';
  return [{ key: 'run', label, tone, from: started, to, note, said }];
}

/** A stage lasts until the next stage, the last until the end. */
function stageEvents(record: JobRecord | undefined, { ended, now }: Times): TimelineEvent[] {
  const stages = record?.stages ?? [];
  if (stages.every(({ stage }) => stage === CLAIMED_STAGE)) return [];
  return stages.map(({ stage, startedAt }, index) => {
    const from = Date.parse(startedAt);
    const next = stages[index + 1]?.startedAt;
    const to = next === undefined ? (ended ?? now) : Date.parse(next);
    const waiting = stage === WAITING_STAGE;
    const label = waiting ? texts.jobs.rows.again : words(stage);
    const note = duration(to - from);
    const tone = waiting ? 'warn' : 'busy';
    return { key: `stage-${startedAt}-${stage}`, label, tone, from, to, note, said: `${label}: ${note}`, inner: true };
  });
}

function endEvents(job: Job, { ended, now }: Times): TimelineEvent[] {
  if (ended === null) return [];
  const tone = job.status === 'completed' ? 'good' : 'bad';
  const label = job.error?.code === 'cancelled' ? texts.jobs.cancelled : texts.jobs.statuses[job.status];
  const note = timeAgo(new Date(ended).toISOString(), now);
  return [{ key: 'end', label, tone, from: ended, to: ended, note, said: `${label} ${note}` }];
}

const DELIVERY_TONES = { pending: 'warn', delivered: 'good', exhausted: 'bad', cancelled: 'idle' } as const;

function deliveryEvent(delivery: Delivery | DeliveryDetail): TimelineEvent {
  const address = delivery.url ?? texts.webhooks.noAddress;
  const label = texts.jobs.deliveryRow(URL.parse(address)?.host ?? address);
  const attempts = 'attemptLog' in delivery ? delivery.attemptLog : [];
  const marks = attempts.map((attempt) => ({
    at: Date.parse(attempt.startedAt),
    tone: toneOf(attempt),
    said: `${texts.webhooks.attempt(attempt.number)}: ${attempt.response?.status ?? attempt.errorClass}`,
  }));
  const from = Date.parse(delivery.createdAt);
  const to = Math.max(from, ...marks.map(({ at }) => at), marks.length > 0 ? from : Date.parse(delivery.updatedAt));
  const holder = heldBy(delivery);
  const none = holder === null ? texts.jobs.notYet : texts.webhooks.held[holder];
  const answer = String(delivery.lastResponseStatus ?? delivery.lastErrorClass ?? none);
  const said = `${label}: ${texts.webhooks.statuses[delivery.status]}, ${answer}`;
  return {
    key: delivery.deliveryId,
    label,
    tone: DELIVERY_TONES[delivery.status],
    from,
    to,
    note: answer,
    said,
    marks,
  };
}

function toneOf({ response }: DeliveryAttempt): Tone {
  return response !== null && response.status >= 200 && response.status < 300 ? 'good' : 'bad';
}

/** A point in time within an event, such as one attempt. */
interface TimelineMark {
  at: number;
  tone: Tone;
  said: string;
}

/** An event: a span from `from` to `to`, or a point if both are equal. */
interface TimelineEvent {
  key: string;
  label: string;
  tone: Tone;
  from: number;
  to: number;
  /** Text beside the bar, such as its duration. */
  note: ReactNode;
  /** Text for screen readers. */
  said: string;
  /** Part of the event above. */
  inner?: boolean;
  marks?: readonly TimelineMark[];
}

/** If the events after the turn take more than this many times as long, they get their own scale. */
const SPLIT_RATIO = 2;

/** Share of the axis before the turn if there are two scales, in percent. */
const SPLIT_AT = 70;

const TICKS = 4;

interface TimelineProps {
  events: readonly TimelineEvent[];
  label: string;
  /** End of the main part. Deliveries may continue long after it. */
  turn: number | null;
}

/** Events on one time axis. */
function Timeline({ events, label, turn }: TimelineProps) {
  const start = Math.min(...events.map(({ from }) => from));
  const end = Math.max(...events.map(({ to }) => to), start + 1);
  const scale = scaleOf(start, end, turn);
  return (
    <div>
      <Stack gap={4} component="ol" aria-label={label} m={0} p={0} style={{ listStyle: 'none' }}>
        {events.map((event) => (
          <Row key={event.key} event={event} place={scale.place} />
        ))}
      </Stack>
      <div className="timeline-row timeline-axis" aria-hidden="true">
        <span />
        <span className="timeline-ticks">
          {scale.ticks.map((at) => (
            <span key={at} style={{ left: `${scale.place(at)}%` }}>
              {at === start ? '0' : `+${duration(at - start)}`}
            </span>
          ))}
        </span>
      </div>
    </div>
  );
}

function Row({ event, place }: { event: TimelineEvent; place: (time: number) => number }) {
  const { from, to, tone, said, marks = [] } = event;
  const moment = from === to && marks.length === 0;
  return (
    <li className="timeline-row" data-inner={event.inner === true}>
      <span className="truncate" title={event.label}>
        {event.label}
      </span>
      <span className="track" title={`${fullTime(new Date(from).toISOString())}: ${said}`}>
        <span
          role="img"
          aria-label={said}
          className={moment ? 'track-mark' : 'track-bar'}
          data-thin={marks.length > 0}
          style={{
            background: TONE_COLOURS[tone],
            left: `${place(from)}%`,
            ...(moment ? {} : { width: `${place(to) - place(from)}%` }),
          }}
        />
        {marks.map((mark) => (
          <span
            key={mark.at}
            className="track-mark"
            title={mark.said}
            style={{ background: TONE_COLOURS[mark.tone], left: `${place(mark.at)}%` }}
          />
        ))}
      </span>
      <Text span size="sm" c="dimmed" ta="right" className="nowrap">
        {event.note}
      </Text>
    </li>
  );
}

/** Positions in percent and the labelled times, on one scale or on two that meet at the turn. */
function scaleOf(start: number, end: number, turn: number | null) {
  const split = turn !== null && turn > start && end - turn > SPLIT_RATIO * (turn - start);
  const middle = split ? turn : end;
  const share = split ? SPLIT_AT : 100;
  const place = (time: number) => {
    if (time <= middle) return (share * (time - start)) / (middle - start);
    return share + ((100 - share) * (time - middle)) / (end - middle);
  };
  const ticks = Array.from({ length: TICKS + 1 }, (_, index) => start + ((middle - start) * index) / TICKS);
  return { place, ticks: split ? [...ticks.filter((_, index) => index % 2 === 0), end] : ticks };
}
