import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { duration, fullTime } from '../../components/format.ts';
import type { Tone } from '../../components/page-elements.tsx';

/** A moment on an event's row: one attempt of several, for example. */
export interface TimelineMark {
  at: number;
  tone: Tone;
  said: string;
}

/** One thing that happened: a span from `from` to `to`, or a moment where the two are the same. */
export interface TimelineEvent {
  key: string;
  label: string;
  tone: Tone;
  from: number;
  to: number;
  /** What stands beside it, for example how long it took. */
  note: ReactNode;
  /** In words, for whoever does not see the bar. */
  said: string;
  /** Part of the event above it. */
  inner?: boolean;
  marks?: readonly TimelineMark[];
}

/** What comes after the turn may take hours where the rest took seconds: beyond this, it gets a scale of its own. */
const SPLIT_RATIO = 2;
/** Share of the axis that lies before the turn when there are two scales, in percent. */
const SPLIT_AT = 70;
const TICKS = 4;

interface TimelineProps {
  events: readonly TimelineEvent[];
  label: string;
  /** When the main part ended; callbacks may go on long after it. */
  turn: number | null;
}

/** Several things on one axis of time, so that what came after what, and what took long, is seen at once. */
export function Timeline({ events, label, turn }: TimelineProps) {
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
            background: `var(--${tone})`,
            left: `${place(from)}%`,
            ...(moment ? {} : { width: `${place(to) - place(from)}%` }),
          }}
        />
        {marks.map((mark) => (
          <span
            key={mark.at}
            className="track-mark"
            title={mark.said}
            style={{ background: `var(--${mark.tone})`, left: `${place(mark.at)}%` }}
          />
        ))}
      </span>
      <Text span size="sm" c="dimmed" ta="right" className="nowrap">
        {event.note}
      </Text>
    </li>
  );
}

/** Where each time stands, in percent, and which times are named. One scale, or two that meet at the turn. */
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
