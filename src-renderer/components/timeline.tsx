import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { fullTime } from './format.ts';
import type { Tone } from './parts.tsx';

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
}

/** Several things on one axis of time, so that what came after what, and what took long, is seen at once. */
export function Timeline({ events, label }: { events: readonly TimelineEvent[]; label: string }) {
  const start = Math.min(...events.map(({ from }) => from));
  const end = Math.max(...events.map(({ to }) => to), start + 1);
  const place = (time: number) => (100 * (time - start)) / (end - start);
  return (
    <Stack gap={4} component="ol" aria-label={label} m={0} p={0} style={{ listStyle: 'none' }}>
      {events.map((event) => (
        <li key={event.key} className="timeline-row">
          <span className="truncate" title={event.label}>
            {event.label}
          </span>
          <span className="track" title={`${fullTime(new Date(event.from).toISOString())}: ${event.said}`}>
            <span
              role="img"
              aria-label={event.said}
              className={event.from === event.to ? 'track-mark' : 'track-bar'}
              style={{
                background: `var(--${event.tone})`,
                left: `${place(event.from)}%`,
                ...(event.from === event.to ? {} : { width: `${place(event.to) - place(event.from)}%` }),
              }}
            />
          </span>
          <Text span size="sm" c="dimmed" ta="right" className="nowrap">
            {event.note}
          </Text>
        </li>
      ))}
    </Stack>
  );
}
