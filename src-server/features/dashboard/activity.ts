import { toIsoTime } from '../../platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../platform/units.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Payments } from '../payments/service.ts';
import type { ACTIVITY_RANGES, Activity } from './schema.ts';

const RANGES = { day: { spanMs: HOUR_MS, count: 24 }, month: { spanMs: DAY_MS, count: 30 } } as const;

/**
 * Jobs that ended and payments that settled, over time. Both are counted by hour as they happen, so a month reads at
 * most 720 rows for each operation and kind of money, however many jobs there are.
 */
export function activityOf(
  { jobs, payments }: { jobs: Pick<Jobs, 'ended'>; payments: Pick<Payments, 'clock' | 'earned'> },
  range: (typeof ACTIVITY_RANGES)[number],
  utcOffsetHours: number,
): Activity {
  const { spanMs, count } = RANGES[range];
  // Days are those of the asker: they begin at other hours of UTC.
  const shiftMs = range === 'day' ? 0 : utcOffsetHours * HOUR_MS;
  const first = (Math.floor((payments.clock.now() + shiftMs) / spanMs) - count + 1) * spanMs - shiftMs;
  const ended = Map.groupBy(jobs.ended(first, spanMs), ({ start }) => start);
  const earnedSumOf = (money: 'play' | 'real') =>
    new Map(payments.earned(money, first, spanMs).map(({ start, amount }) => [start, String(amount)]));
  const [play, real] = [earnedSumOf('play'), earnedSumOf('real')];
  const buckets = Array.from({ length: count }, (_, index) => {
    const start = first + index * spanMs;
    const byOperation = (ended.get(start) ?? []).map(({ start: _start, ...one }) => one);
    return {
      from: toIsoTime(start),
      completed: byOperation.reduce((sum, { completed }) => sum + completed, 0),
      failed: byOperation.reduce((sum, { failed }) => sum + failed, 0),
      byOperation,
      earned: { play: play.get(start) ?? '0', real: real.get(start) ?? '0' },
    };
  });
  return { range, buckets };
}
