import { toIsoTime } from '../../platform/clock.ts';
import { dayLater, dayOfTime, startOfDay } from '../../platform/time-zone.ts';
import { HOUR_MS } from '../../platform/units.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Payments } from '../payments/service.ts';
import type { ACTIVITY_RANGES, Activity } from './schema.ts';

const HOURS = 24;
const DAYS = 30;

/**
 * Jobs that ended and payments that settled, over time. Both are counted by hour as they happen, so a month reads at
 * most some 720 rows for each operation and kind of money, however many jobs there are.
 *
 * @param timeZone whose days they are. An hour that midnight parts, as in India, belongs to the day of its middle.
 */
export function activityOf(
  { jobs, payments }: { jobs: Pick<Jobs, 'ended'>; payments: Pick<Payments, 'clock' | 'earned'> },
  range: (typeof ACTIVITY_RANGES)[number],
  timeZone: string,
): Activity {
  const starts = range === 'day' ? lastHours(payments.clock.now()) : lastDays(payments.clock.now(), timeZone);
  const first = Math.floor((starts[0] ?? 0) / HOUR_MS) * HOUR_MS;
  const startOf = (hour: number) => starts.findLast((start) => start <= hour + HOUR_MS / 2);
  const ended = Map.groupBy(jobs.ended(first, HOUR_MS), ({ start }) => startOf(start));
  const earnedSumOf = (money: 'play' | 'real') =>
    Map.groupBy(payments.earned(money, first, HOUR_MS), ({ start }) => startOf(start));
  const [play, real] = [earnedSumOf('play'), earnedSumOf('real')];
  const buckets = starts.map((start) => {
    const byOperation = sumByOperation(ended.get(start) ?? []);
    return {
      from: toIsoTime(start),
      completed: byOperation.reduce((sum, { completed }) => sum + completed, 0),
      failed: byOperation.reduce((sum, { failed }) => sum + failed, 0),
      byOperation,
      earned: { play: sumOfAmounts(play.get(start)), real: sumOfAmounts(real.get(start)) },
    };
  });
  return { range, buckets };
}

function lastHours(now: number): number[] {
  const hour = Math.floor(now / HOUR_MS);
  return Array.from({ length: HOURS }, (_, index) => (hour - HOURS + 1 + index) * HOUR_MS);
}

function lastDays(now: number, timeZone: string): number[] {
  const today = dayOfTime(now, timeZone);
  return Array.from({ length: DAYS }, (_, index) => startOfDay(dayLater(today, index - DAYS + 1), timeZone));
}

type Ended = Activity['buckets'][number]['byOperation'][number];

function sumByOperation(hours: readonly Ended[]): Ended[] {
  const sums = new Map<string, Ended>();
  for (const { operationId, completed, failed } of hours) {
    const sum = sums.get(operationId) ?? { operationId, completed: 0, failed: 0 };
    sums.set(operationId, { operationId, completed: sum.completed + completed, failed: sum.failed + failed });
  }
  return [...sums.values()].sort((one, other) => (one.operationId < other.operationId ? -1 : 1));
}

function sumOfAmounts(hours: readonly { amount: number }[] = []): string {
  return String(hours.reduce((sum, { amount }) => sum + amount, 0));
}
