import { perLocale } from '../../language/locale.ts';
import '../../styles/timeline.css';
import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { Delivery, DeliveryAttempt, DeliveryDetail, JobRecord } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { serverNow, useServerNow } from '../../api/server-time.ts';
import { formatElapsedTime, formatMoneyAmount, fullTime, joinTexts, timeAgo } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { stageWord } from '../../components/job-words.ts';
import { TONE_COLOURS, type Tone } from '../../components/state.tsx';
import { texts as all } from '../../texts.ts';
import { heldBy } from '../webhooks/delivery-table.tsx';
import { endpointName } from '../webhooks/endpoint-words.tsx';
import { webhooks as webhookTexts } from '../webhooks/texts.ts';
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
  const events = timelineEvents({ job, record, deliveries }, now);
  const start = Math.min(...events.map(({ from }) => from));
  const end = Math.max(...events.map(({ to }) => to), start + 1);
  const { copy, copied } = useClipboard({ timeout: COPIED_MS });
  return (
    <>
      <div className="timeline-head">
        <h2>{jobTexts.strip.timeline}</h2>
        <span className="dim">{texts.span({ from: clock().format(start), to: clock().format(end) })}</span>
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
      <Timeline
        events={events}
        label={jobTexts.strip.timeline}
        scale={scaleOf(start, end, { start: firstStartOf(record), end: runEndTime(job, record) })}
      />
    </>
  );
}

const COPIED_MS = 1500;

const clock = perLocale((locale) => new Intl.DateTimeFormat(locale, { timeStyle: 'medium', hour12: false }));

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
  return (runEndTime(job, record) ?? serverNow()) - from;
}

function timelineEvents({ job, record, deliveries }: JobTimelineProps, now: number): TimelineEvent[] {
  const accepted = Date.parse(job.createdAt);
  const times = { accepted, started: firstStartOf(record), ended: runEndTime(job, record), now };
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

function runEndTime(job: Job, record: JobRecord | undefined): number | null {
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
  const note = texts.paid({ amount: formatMoneyAmount(amount) });
  const from = Date.parse(verifiedAt);
  return [{ key: 'payment', label, tone: 'good', from, to: Date.parse(settledAt ?? verifiedAt), note, said: note }];
}

function waitEvents(job: Job, { accepted, started, ended, now }: Times): TimelineEvent[] {
  const to = started ?? ended ?? (job.status === 'queued' ? now : Date.parse(job.updatedAt));
  const note = formatElapsedTime(to - accepted);
  const said = `${texts.wait}: ${note}`;
  return [{ key: 'wait', label: texts.wait, tone: 'warn', from: accepted, to, note, said }];
}

function runEvents(job: Job, record: JobRecord | undefined, { started, ended, now }: Times): TimelineEvent[] {
  if (started === null) return [];
  const to = ended ?? now;
  const note = formatElapsedTime(to - started);
  const queueClass = record === undefined ? '' : texts.workers({ queueClass: record.queueClass });
  const attempts = record?.attempts ?? 1;
  const again = attempts > 1 ? texts.attempts({ count: attempts }) : '';
  const place = record?.node ? jobTexts.facts.onNode({ node: record.node }) : '';
  const label = joinTexts([texts.run, queueClass, again, place].filter((part) => part !== ''));
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
    const label = waiting ? texts.again : stageWord(stage);
    const note = formatElapsedTime(to - from);
    const tone = waiting ? 'warn' : 'busy';
    return { key: `stage-${startedAt}-${stage}`, label, tone, from, to, note, said: `${label}: ${note}`, inner: true };
  });
}

function endEvents(job: Job, { ended, now }: Times): TimelineEvent[] {
  if (ended === null) return [];
  const tone = job.status === 'completed' ? 'good' : 'bad';
  const label = job.error?.code === 'cancelled' ? all.jobs.cancelled : all.jobs.statuses[job.status];
  // Clocks differ by moments: what has ended is never ahead.
  const note = timeAgo(new Date(Math.min(ended, now)).toISOString(), now);
  return [{ key: 'end', label, tone, from: ended, to: ended, note, said: `${label} ${note}` }];
}

const DELIVERY_TONES = { pending: 'warn', delivered: 'good', exhausted: 'bad', cancelled: 'idle' } as const;

function deliveryEvent(delivery: Delivery | DeliveryDetail): TimelineEvent {
  const { url, webhookName: name } = delivery;
  const label = texts.webhook({ host: url === null ? webhookTexts.noAddress : endpointName({ name, url }) });
  const attempts = 'attemptLog' in delivery ? delivery.attemptLog : [];
  const marks = attempts.map((attempt) => ({
    at: Date.parse(attempt.startedAt),
    tone: deliveryAttemptTone(attempt),
    said: `${webhookTexts.attempt({ number: attempt.number })}: ${attempt.response?.status ?? attempt.errorClass}`,
  }));
  const from = Date.parse(delivery.createdAt);
  const to = Math.max(from, ...marks.map(({ at }) => at), marks.length > 0 ? from : Date.parse(delivery.updatedAt));
  const holder = heldBy(delivery);
  const none = holder === null ? texts.notYet : webhookTexts.held[holder];
  const answer = String(delivery.lastResponseStatus ?? delivery.lastErrorClass ?? none);
  const said = `${label}: ${joinTexts([webhookTexts.statuses[delivery.status], answer])}`;
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

function deliveryAttemptTone({ response }: DeliveryAttempt): Tone {
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
            <span key={at} style={{ insetInlineStart: `${at}%` }}>
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
            insetInlineStart: `${place(from)}%`,
            width: moment ? undefined : `${place(to) - place(from)}%`,
          }}
        />
        {marks.map((mark) => (
          <span
            key={mark.at}
            className="track-mark"
            title={mark.said}
            style={{ background: TONE_COLOURS[mark.tone], insetInlineStart: `${place(mark.at)}%` }}
          />
        ))}
        {breaks.map((at) => (
          <span key={at} className="track-break" style={{ insetInlineStart: `${at}%` }} title={texts.jump} />
        ))}
      </span>
      <span className="timeline-note" data-tone={tone}>
        {event.note}
      </span>
    </li>
  );
}

/** A wait before the run, or deliveries after it, that take this many times as long as the run are shortened. */
const JUMP_RATIO = 2;

/** Share of the axis that such a part gets, in percent. */
const JUMP_SHARE = 25;

const TICKS = 4;

/** Ticks closer than this, in percent, would overlap. */
const TICK_ROOM = 11;

interface AxisPart {
  from: number;
  to: number;
  isCut: boolean;
}

/** An axis whose parts are the wait, the run and what follows. The run is never shortened. */
function scaleOf(start: number, end: number, run: { start: number | null; end: number | null }): Scale {
  const parts = timelineAxisParts(start, end, run);
  const cut = parts.filter(({ isCut }) => isCut).length;
  const whole = parts.filter(({ isCut }) => !isCut).reduce((sum, { from, to }) => sum + to - from, 0);
  const axisPartShare = ({ from, to, isCut }: AxisPart) =>
    isCut ? JUMP_SHARE : ((100 - cut * JUMP_SHARE) * (to - from)) / Math.max(1, whole);
  const placeOnTimeline = (time: number) => {
    let before = 0;
    for (const part of parts) {
      const share = axisPartShare(part);
      if (time <= part.to) return before + (share * Math.max(0, time - part.from)) / Math.max(1, part.to - part.from);
      before += share;
    }
    return 100;
  };
  const breaks = parts.filter(({ isCut }) => isCut).map(({ from, to }) => placeOnTimeline((from + to) / 2));
  return { place: placeOnTimeline, ticks: ticksOf(parts, placeOnTimeline), breaks };
}

function timelineAxisParts(start: number, end: number, run: { start: number | null; end: number | null }): AxisPart[] {
  const from = run.start === null ? start : Math.max(start, run.start);
  const to = run.start === null || run.end === null ? end : Math.max(from, Math.min(end, run.end));
  const limit = JUMP_RATIO * (to - from);
  return [
    { from: start, to: from, isCut: from - start > limit },
    { from, to, isCut: false },
    { from: to, to: end, isCut: end - to > limit },
  ].filter((part) => part.to > part.from);
}

function ticksOf(parts: readonly AxisPart[], place: (time: number) => number): Scale['ticks'] {
  const [start, end] = [parts[0]?.from ?? 0, parts.at(-1)?.to ?? 0];
  const between = parts
    .filter(({ isCut }) => !isCut)
    .flatMap(({ from, to }) => Array.from({ length: TICKS }, (_, index) => from + ((to - from) * (index + 1)) / TICKS));
  const ticks: { at: number; text: string }[] = [{ at: 0, text: '0' }];
  for (const time of between) {
    const at = place(time);
    const isClear = at - (ticks.at(-1)?.at ?? 0) >= TICK_ROOM && 100 - at >= TICK_ROOM;
    if (isClear) ticks.push({ at, text: formatElapsedTime(time - start) });
  }
  return [...ticks, { at: 100, text: formatElapsedTime(end - start) }];
}
