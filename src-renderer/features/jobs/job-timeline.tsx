import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { Delivery, DeliveryAttempt, DeliveryDetail, JobRecord } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { serverNow, useServerNow } from '../../api/server-time.ts';
import { duration, fullTime, money, timeAgo, words } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { TONE_COLOURS, type Tone } from '../../components/state.tsx';
import { texts as all } from '../../texts.ts';
import { heldBy } from '../webhooks/delivery-table.tsx';
import { job as jobTexts } from './job-texts.ts';

const texts = jobTexts.timeline;

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
  const start = Math.min(...events.map(({ from }) => from));
  const end = Math.max(...events.map(({ to }) => to), start + 1);
  const { copy, copied } = useClipboard({ timeout: COPIED_MS });
  return (
    <>
      <div className="timeline-head">
        <h2>{jobTexts.strip.timeline}</h2>
        <span className="dim">{texts.span(clock.format(start), clock.format(end))}</span>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
          onClick={() => copy(logOf(events))}
        >
          {copied ? all.common.copied : texts.copyLog}
        </Button>
      </div>
      <Timeline events={events} label={jobTexts.strip.timeline} scale={scaleOf(start, end, turnsOf(job, record))} />
    </>
  );
}

const COPIED_MS = 1500;

const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hour12: false });

/** One line for each event: when it began, what it was, and how long it took. */
function logOf(events: readonly TimelineEvent[]): string {
  return events
    .flatMap(({ from, said, marks = [] }) => [
      `${new Date(from).toISOString()} ${said}`,
      ...marks.map((mark) => `${new Date(mark.at).toISOString()} ${mark.said}`),
    ])
    .join('\n');
}

/** How long the job has run, or waited if it has not started. */
export function runTimeOf(job: Job, record: JobRecord | undefined): number {
  const from = firstStartOf(record) ?? Date.parse(job.createdAt);
  return (endOf(job, record) ?? serverNow()) - from;
}

/** Where the wait ends and where the run ends: the parts of the axis, which may differ in scale. */
function turnsOf(job: Job, record: JobRecord | undefined): number[] {
  return [firstStartOf(record), endOf(job, record)].filter((turn) => turn !== null);
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
  const label = texts.payment;
  if (record?.payment == null) {
    const said = texts.free;
    return [{ key: 'payment', label, tone: 'idle', from: accepted, to: accepted, note: texts.freeNote, said }];
  }
  const { amount, verifiedAt, settledAt } = record.payment;
  const note = texts.paid(money(amount));
  const from = Date.parse(verifiedAt);
  return [{ key: 'payment', label, tone: 'good', from, to: Date.parse(settledAt ?? verifiedAt), note, said: note }];
}

function waitEvents(job: Job, { accepted, started, ended, now }: Times): TimelineEvent[] {
  const to = started ?? ended ?? (job.status === 'queued' ? now : Date.parse(job.updatedAt));
  const note = duration(to - accepted);
  const said = `${texts.wait}: ${note}`;
  return [{ key: 'wait', label: texts.wait, tone: 'warn', from: accepted, to, note, said }];
}

function runEvents(job: Job, record: JobRecord | undefined, { started, ended, now }: Times): TimelineEvent[] {
  if (started === null) return [];
  const to = ended ?? now;
  const note = duration(to - started);
  const queueClass = record === undefined ? '' : texts.workers(record.lane);
  const attempts = record?.attempts ?? 1;
  const again = attempts > 1 ? texts.attempts(attempts) : '';
  const label = [texts.run, queueClass, again].filter((part) => part !== '').join(', ');
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
    const label = waiting ? texts.again : words(stage);
    const note = duration(to - from);
    const tone = waiting ? 'warn' : 'busy';
    return { key: `stage-${startedAt}-${stage}`, label, tone, from, to, note, said: `${label}: ${note}`, inner: true };
  });
}

function endEvents(job: Job, { ended, now }: Times): TimelineEvent[] {
  if (ended === null) return [];
  const tone = job.status === 'completed' ? 'good' : 'bad';
  const label = job.error?.code === 'cancelled' ? all.jobs.cancelled : all.jobs.statuses[job.status];
  const note = timeAgo(new Date(ended).toISOString(), now);
  return [{ key: 'end', label, tone, from: ended, to: ended, note, said: `${label} ${note}` }];
}

const DELIVERY_TONES = { pending: 'warn', delivered: 'good', exhausted: 'bad', cancelled: 'idle' } as const;

function deliveryEvent(delivery: Delivery | DeliveryDetail): TimelineEvent {
  const address = delivery.url ?? all.webhooks.noAddress;
  const label = texts.webhook(URL.parse(address)?.host ?? address);
  const attempts = 'attemptLog' in delivery ? delivery.attemptLog : [];
  const marks = attempts.map((attempt) => ({
    at: Date.parse(attempt.startedAt),
    tone: toneOf(attempt),
    said: `${all.webhooks.attempt(attempt.number)}: ${attempt.response?.status ?? attempt.errorClass}`,
  }));
  const from = Date.parse(delivery.createdAt);
  const to = Math.max(from, ...marks.map(({ at }) => at), marks.length > 0 ? from : Date.parse(delivery.updatedAt));
  const holder = heldBy(delivery);
  const none = holder === null ? texts.notYet : all.webhooks.held[holder];
  const answer = String(delivery.lastResponseStatus ?? delivery.lastErrorClass ?? none);
  const said = `${label}: ${all.webhooks.statuses[delivery.status]}, ${answer}`;
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
  note: string;
  /** Text for screen readers. */
  said: string;
  /** Part of the event above. */
  inner?: boolean;
  marks?: readonly TimelineMark[];
}

interface Scale {
  /** Position of a time in percent. */
  place: (time: number) => number;
  ticks: readonly { at: number; text: string }[];
  /** Positions in percent where the axis is shortened. */
  breaks: readonly number[];
}

interface TimelineProps {
  events: readonly TimelineEvent[];
  label: string;
  scale: Scale;
}

/** Events on one time axis. */
function Timeline({ events, label, scale }: TimelineProps) {
  return (
    <div>
      <ol className="timeline" aria-label={label}>
        {events.map((event) => (
          <Row key={event.key} event={event} scale={scale} />
        ))}
      </ol>
      <div className="timeline-row timeline-axis" aria-hidden="true">
        <span />
        <span className="timeline-ticks">
          {scale.ticks.map(({ at, text }) => (
            <span key={at} style={{ left: `${at}%` }}>
              {text}
            </span>
          ))}
        </span>
      </div>
    </div>
  );
}

function Row({ event, scale: { place, breaks } }: { event: TimelineEvent; scale: Scale }) {
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
        {breaks.map((at) => (
          <span key={at} className="track-break" style={{ left: `${at}%` }} title={texts.jump} />
        ))}
      </span>
      <span className="timeline-note" data-tone={tone}>
        {event.note}
      </span>
    </li>
  );
}

/** A part of the axis that is this many times as long as the others together is shortened. */
const JUMP_RATIO = 2;

/** Share of the axis that such a part gets, in percent. */
const JUMP_SHARE = 25;

const TICKS = 4;

/** Ticks closer than this, in percent, would overlap. */
const TICK_ROOM = 11;

/** An axis whose parts end at the turns. A part much longer than the others is shortened. */
function scaleOf(start: number, end: number, turns: readonly number[]): Scale {
  const bounds = [...new Set([start, ...turns.filter((turn) => turn > start && turn < end), end])];
  const parts = bounds.slice(1).map((to, index) => ({ from: bounds[index] ?? start, to, share: 0, isCut: false }));
  const lengthOf = ({ from, to }: { from: number; to: number }) => to - from;
  for (const part of parts) {
    const others = end - start - lengthOf(part);
    part.isCut = parts.length > 1 && lengthOf(part) > JUMP_RATIO * others;
  }
  const cut = parts.filter(({ isCut }) => isCut).length;
  const whole = parts.filter(({ isCut }) => !isCut).reduce((sum, part) => sum + lengthOf(part), 0);
  for (const part of parts) {
    part.share = part.isCut ? JUMP_SHARE : ((100 - cut * JUMP_SHARE) * lengthOf(part)) / Math.max(1, whole);
  }
  const place = (time: number) => {
    let before = 0;
    for (const part of parts) {
      if (time <= part.to) return before + (part.share * Math.max(0, time - part.from)) / Math.max(1, lengthOf(part));
      before += part.share;
    }
    return 100;
  };
  const breaks = parts.filter(({ isCut }) => isCut).map(({ from, to }) => place((from + to) / 2));
  const times = [
    start,
    ...parts
      .filter(({ isCut }) => !isCut)
      .flatMap((part) =>
        Array.from({ length: TICKS }, (_, index) => part.from + (lengthOf(part) * (index + 1)) / TICKS),
      ),
    end,
  ].sort((one, other) => one - other);
  const ticks: { at: number; text: string }[] = [];
  for (const time of times) {
    const at = place(time);
    const isLast = time === end;
    if (isLast) while (ticks.length > 1 && at - (ticks.at(-1)?.at ?? 0) < TICK_ROOM) ticks.pop();
    if (ticks.length > 0 && at - (ticks.at(-1)?.at ?? 0) < TICK_ROOM) continue;
    ticks.push({ at, text: time === start ? '0' : duration(time - start) });
  }
  return { place, ticks, breaks };
}
