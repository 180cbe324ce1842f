import { expect, test } from 'vitest';
import { dayLater, dayOfTime, offsetsBetween, startOfDay } from '../../src-server/platform/time-zone.ts';

/** Both hemispheres, half hours, midnights that the clock skips, and an hour that it repeats at midnight. */
const ZONES = [
  'UTC',
  'Pacific/Auckland',
  'America/Los_Angeles',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'America/Havana',
  'Asia/Beirut',
  'Africa/Casablanca',
];

const FIRST_DAY = '2026-01-01';
const DAYS = 400;

/** As the engine shows it, which the code under test does not ask in this way. */
const shownDay = (time: number, timeZone: string) => new Date(time).toLocaleDateString('en-CA', { timeZone });

test.each(ZONES)('%s: a day begins at its first moment, through each change of the clock', (zone) => {
  for (let number = 0; number < DAYS; number += 1) {
    const day = dayLater(FIRST_DAY, number);
    const start = startOfDay(day, zone);
    expect([shownDay(start, zone), shownDay(start - 1, zone)]).toEqual([day, dayLater(day, -1)]);
    expect(dayOfTime(start, zone)).toBe(day);
  }
});

test('offsets change at the second at which the clock does', () => {
  const [from, to] = [Date.parse('2026-01-01T00:00Z'), Date.parse('2027-01-01T00:00Z')];
  const told = (zone: string) =>
    offsetsBetween(from, to, zone).map((one) => [new Date(one.from).toISOString(), one.offsetMs / 3_600_000]);
  expect(told('Europe/Berlin')).toEqual([
    ['2026-01-01T00:00:00.000Z', 1],
    ['2026-03-29T01:00:00.000Z', 2],
    ['2026-10-25T01:00:00.000Z', 1],
  ]);
  expect(told('Pacific/Auckland')).toEqual([
    ['2026-01-01T00:00:00.000Z', 13],
    ['2026-04-04T14:00:00.000Z', 12],
    ['2026-09-26T14:00:00.000Z', 13],
  ]);
  expect(told('Asia/Kathmandu')).toEqual([['2026-01-01T00:00:00.000Z', 5.75]]);
});
