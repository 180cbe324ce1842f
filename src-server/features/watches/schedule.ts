import { DAY_MS, MINUTE_MS } from '../../platform/units.ts';
import type { Schedule } from './schema.ts';

/**
 * The first time after `now` that follows `last` by whole intervals, in milliseconds. Missed runs are left out: after a
 * sleep a watch catches up once.
 *
 * @param last an earlier time of the schedule
 */
export function nextRunAt(schedule: Schedule, last: number, now: number): number {
  const everyMs = schedule.everyMinutes * MINUTE_MS;
  const passed = Math.max(0, Math.floor((now - last) / everyMs));
  if (schedule.timeOfDay === null) return last + (passed + 1) * everyMs;
  const days = schedule.everyMinutes / (DAY_MS / MINUTE_MS);
  const [hours = 0, minutes = 0] = schedule.timeOfDay.split(':').map(Number);
  const next = new Date(last);
  // Days of the calendar, not of 24 hours: daylight saving does not move the time of day.
  next.setHours(hours, minutes, 0, 0);
  if (passed > 0) next.setDate(next.getDate() + passed * days);
  while (next.getTime() <= Math.max(now, last)) next.setDate(next.getDate() + days);
  return next.getTime();
}

/** A time that the schedule cannot have given: the clock was set back since. */
export function isOutOfReach(schedule: Schedule, next: number, now: number): boolean {
  return next > now + schedule.everyMinutes * MINUTE_MS + DAY_MS;
}
