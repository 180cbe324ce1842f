/** Days of a time zone: those of who asks, not of UTC and not of this computer. Times are milliseconds since 1970. */
import { z } from 'zod';
import { say } from './text/say.ts';
import { DAY_MS } from './units.ts';

export const UTC = 'UTC';

/** A time zone as browsers name theirs. */
export const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, { error: say`Give a name of the IANA time zone database, such as Europe/Berlin.` })
  .meta({ examples: ['Europe/Berlin'] });

/** The offset from UTC that holds from a time on. */
export interface ZoneOffset {
  from: number;
  offsetMs: number;
}

/** The shortest time between two changes of the clock is longer: Morocco leaves summer time for a month. */
const STEP_MS = 7 * DAY_MS;

const ALL_PARTS: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
};

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Zones whose clock is kept. There are some 600, and callers name them. */
const CLOCKS_MAX = 64;

/** The day of a time, `2026-11-29`. */
export function dayOfTime(time: number, zone: string): string {
  return new Date(time + offsetAt(time, zone)).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** The day some days after another one, of the calendar; before it where the number is below zero. */
export function dayLater(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** The first moment of a day: later than midnight where the clock is put forward at midnight. */
export function startOfDay(day: string, zone: string): number {
  const midnight = Date.parse(day);
  // The clock changes at most once around a midnight: one of the two offsets is that of the first moment.
  const starts = [midnight - DAY_MS, midnight + DAY_MS].map((near) => midnight - offsetAt(near, zone));
  const [early = midnight, late = midnight] = starts.sort((one, other) => one - other);
  return dayOfTime(early, zone) >= day ? early : late;
}

/** The offsets of a zone between two times, the oldest first. The first one holds before them, too. */
export function offsetsBetween(from: number, to: number, zone: string): ZoneOffset[] {
  const offsets = [{ from, offsetMs: offsetAt(from, zone) }];
  for (let time = from; time < to; time += STEP_MS) {
    const end = Math.min(time + STEP_MS, to);
    const offsetMs = offsetAt(end, zone);
    if (offsetMs !== offsets.at(-1)?.offsetMs) offsets.push({ from: changeBetween(time, end, zone), offsetMs });
  }
  return offsets;
}

function changeBetween(from: number, to: number, zone: string): number {
  const after = offsetAt(to, zone);
  let [before, changed] = [from, to];
  while (changed - before > 1) {
    const middle = Math.floor((before + changed) / 2);
    if (offsetAt(middle, zone) === after) changed = middle;
    else before = middle;
  }
  return changed;
}

/** How far the clock of a zone is ahead of UTC, in milliseconds. */
function offsetAt(time: number, zone: string): number {
  if (zone === UTC) return 0;
  const parts = clockOf(zone).formatToParts(time);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value);
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return shown - Math.floor(time / 1000) * 1000;
}

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat('en', { ...ALL_PARTS, timeZone: zone });
  if (clocks.size >= CLOCKS_MAX) clocks.clear();
  clocks.set(zone, clock);
  return clock;
}

function isTimeZone(name: string): boolean {
  try {
    return clockOf(name) !== undefined;
  } catch {
    return false;
  }
}
