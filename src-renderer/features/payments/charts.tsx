import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { money } from '../../components/format.ts';
import { texts } from '../../texts.ts';

const DAY_MS = 86_400_000;

/** Minimum height of a bar, so that small sums are visible. */
const SMALLEST_PERCENT = 3;

interface Day {
  day: string;
  payments: number;
  amount: string;
}

interface DayBarsProps {
  days: readonly Day[];
  from: string;
  to: string;
}

/**
 * Sums per day, including days without payments. Each bar has its day and sum as a label, so the chart needs no axis.
 */
export function DayBars({ days, from, to }: DayBarsProps) {
  const known = new Map(days.map((day) => [day.day, day]));
  const first = Math.floor(Date.parse(from) / DAY_MS);
  const last = Math.floor((Date.parse(to) - 1) / DAY_MS);
  const all = Array.from({ length: last - first + 1 }, (_, index) => {
    const day = new Date((first + index) * DAY_MS).toISOString().slice(0, 10);
    return known.get(day) ?? { day, payments: 0, amount: '0' };
  });
  const most = Math.max(...all.map(({ amount }) => Number(amount)), 1);
  return (
    <div>
      <ul className="days" aria-label={texts.payments.perDay}>
        {all.map(({ day, amount, payments }) => {
          const said = texts.payments.dayValue(day, money(amount), payments);
          const share = (100 * Number(amount)) / most;
          return (
            <li key={day} title={said}>
              <span className="hidden-text">{said}</span>
              <span
                className="day-bar"
                data-empty={payments === 0}
                style={{ height: payments === 0 ? 2 : `${Math.max(SMALLEST_PERCENT, share)}%` }}
              />
            </li>
          );
        })}
      </ul>
      <div className="days-axis">
        <Text size="xs" c="dimmed">
          {all[0]?.day}
        </Text>
        <Text size="xs" c="dimmed">
          {money(most === 1 ? 0 : most)} USDC
        </Text>
        <Text size="xs" c="dimmed">
          {all.at(-1)?.day}
        </Text>
      </div>
    </div>
  );
}

interface Share {
  key: string;
  name: ReactNode;
  value: number;
  said: string;
}

/** Sums as bars, largest first. The length is the share of the largest. */
export function ShareBars({ label, shares }: { label: string; shares: readonly Share[] }) {
  const most = Math.max(...shares.map(({ value }) => value), 1);
  return (
    <ul className="shares" aria-label={label}>
      {shares.map(({ key, name, value, said }) => (
        <li key={key}>
          <span className="share-name">{name}</span>
          <span className="share-bar" aria-hidden="true">
            <span style={{ width: `${(100 * value) / most}%` }} />
          </span>
          <span className="figures nowrap">{said}</span>
        </li>
      ))}
    </ul>
  );
}
