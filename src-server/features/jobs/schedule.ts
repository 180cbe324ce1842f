import { invalidRequest } from '../../platform/http/validate.ts';
import { say } from '../../platform/text/say.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/units.ts';
import type { Schedule } from './schema.ts';
import type { SourceRow } from './source-store.ts';

const DAY_MINUTES = DAY_MS / MINUTE_MS;

/** Errors: `invalid_request`. */
export function checkSchedule({ timeOfDay, everyMinutes }: Schedule): void {
  if (timeOfDay === null || everyMinutes % DAY_MINUTES === 0) return;
  const message = say`Give an interval of whole days (1440 minutes or a multiple), or leave the time of day out.`;
  throw invalidRequest([{ path: 'schedule.timeOfDay', message }]);
}

/**
 * The first time after `now` that follows `last` by whole intervals, in milliseconds. Missed runs are left out: after a
 * sleep a watch catches up once.
 *
 * @param last an earlier time of the schedule
 */
export function nextRunAt({ everyMinutes, timeOfDay }: Schedule, last: number, now: number): number {
  const everyMs = everyMinutes * MINUTE_MS;
  const passed = Math.max(0, Math.floor((now - last) / everyMs));
  if (timeOfDay === null) return last + (passed + 1) * everyMs;
  const days = everyMinutes / DAY_MINUTES;
  const [hours = 0, minutes = 0] = timeOfDay.split(':').map(Number);
  const next = new Date(last);
  // Days of the calendar, not of 24 hours: daylight saving does not move the time of day.
  next.setHours(hours, minutes, 0, 0);
  if (passed > 0) next.setDate(next.getDate() + passed * days);
  while (next.getTime() <= Math.max(now, last)) next.setDate(next.getDate() + days);
  return next.getTime();
}

/** A time that the schedule cannot have given: the clock was set back since. */
export function isOutOfReach({ everyMinutes }: Schedule, next: number, now: number): boolean {
  return next > now + everyMinutes * MINUTE_MS + DAY_MS;
}

/** The schedule of a row that has one. */
export function scheduleOf({ every_minutes: everyMinutes = 0, time_of_day: timeOfDay = null }: SourceRow): Schedule {
  return { everyMinutes, timeOfDay };
}

export function scheduleColumns({ everyMinutes, timeOfDay }: Schedule) {
  return { every_minutes: everyMinutes, time_of_day: timeOfDay };
}
