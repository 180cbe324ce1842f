import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { serverNow } from '../../api/server-time.ts';

/** The last days, counted in whole days of this computer, today included. */
const DAYS = { today: 1, week: 7, month: 30 } as const;

export type Period = keyof typeof DAYS;

export const PERIODS = Object.keys(DAYS) as Period[];

export interface DateRange {
  period?: Period | undefined;
  /** First day, `2026-11-22`. */
  from?: string | undefined;
  /** Last day. */
  to?: string | undefined;
}

/** The times of a range, for the server: from the first midnight to the one after the last day. */
export function dateRangeTimes({ period, from, to }: DateRange): { from?: string; to?: string } {
  if (period !== undefined) return { from: midnightOfDay(new Date(serverNow()), 1 - DAYS[period]) };
  return {
    ...omitUndefined({
      from: from === undefined ? undefined : midnightOfDay(new Date(`${from}T00:00`), 0),
      to: to === undefined ? undefined : midnightOfDay(new Date(`${to}T00:00`), 1),
    }),
  };
}

function midnightOfDay(day: Date, daysLater: number): string {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + daysLater).toISOString();
}
