/** Dates and times in English. */

import { cardinal, decade, ordinal, year } from './spoken-numbers.ts';
import { END, type Rule, rule } from './spoken-rule.ts';

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'],
  ...['November', 'December'],
];

/** May has no short form. */
const MONTH_NAMES = MONTHS.map((name) => (name.length > 4 ? `${name.slice(0, 3)}(?:${name.slice(3)})?` : name));

const MONTH = `(?<month>${MONTH_NAMES.join('|')}|Sept)\\.?`;

const YEAR = '\\d{4}(?!\\d)';

const DAY = '(?:3[01]|[12]\\d|0?[1-9])(?!\\d)';

const SUFFIX = '(?:st|nd|rd|th)?';

const TO = '\\s?[–—-]\\s?';

function monthName(written: string): string {
  return MONTHS.find((name) => name.slice(0, 3).toLowerCase() === written.slice(0, 3).toLowerCase()) ?? written;
}

function dateOf(years: string, month: number, day: number): string | null {
  const name = MONTHS[month - 1];
  if (name === undefined || day < 1 || day > 31) return null;
  return `${name} ${ordinal(String(day))}, ${fullYear(years)}`;
}

/** Two digits mean the years from 1970 to 2069. */
function fullYear(digits: string): string {
  if (digits.length > 2) return year(digits);
  return year(`${Number(digits) >= 70 ? 19 : 20}${digits}`);
}

function named(match: RegExpExecArray, name: string): string {
  return match.groups?.[name] ?? '';
}

const CLOCK = '(?:[01]?\\d|2[0-4]):[0-5]\\d(?!\\d)';

const HALF_DAY = '\\s?(?<half>[ap])\\.?\\s?m(?:\\.(?!\\p{L})|(?![\\p{L}\\p{N}]))';

function timeOf(hours: string, minutes: string, half: string, seconds = ''): string {
  const tail = seconds === '' ? '' : ` and ${cardinal(seconds)} second${Number(seconds) === 1 ? '' : 's'}`;
  const hour = cardinal(hours);
  if (half !== '')
    return `${hour}${Number(minutes) === 0 ? '' : ` ${minuteOf(minutes)}`}${tail} ${half.toLowerCase()} m`;
  if (Number(minutes) > 0) return `${hour} ${minuteOf(minutes)}${tail}`;
  if (Number(hours) === 0) return `midnight${tail}`;
  return Number(hours) > 12 ? `${hour} hundred${tail}` : `${hour} o'clock${tail}`;
}

function minuteOf(minutes: string): string {
  return Number(minutes) < 10 ? `oh ${cardinal(minutes)}` : cardinal(minutes);
}

function clockOf(text: string): string {
  const [hours = '', minutes = ''] = text.split(':');
  return timeOf(hours, minutes, '');
}

const HOURS_NAMED = '(?:1[0-2]|0?[1-9])(?::[0-5]\\d)?';

function namedHour(text: string, half: string): string {
  const [hours = '', minutes = '0'] = text.split(':');
  return timeOf(hours, minutes, half);
}

const TIMES: readonly Rule[] = [
  rule(
    `(${HOURS_NAMED})(?:\\s?([ap])\\.?m\\.?)?${TO}(${HOURS_NAMED})${HALF_DAY}`,
    (match) => {
      const [, from = '', half = '', to = ''] = match;
      return `${half === '' ? hourAlone(from) : namedHour(from, half)} to ${namedHour(to, named(match, 'half'))}`;
    },
    'uyi',
  ),
  rule(
    `(\\d{1,2}):([0-5]\\d)(?::([0-5]\\d))?${HALF_DAY}`,
    (match) => {
      const [, hours = '', minutes = '', seconds = ''] = match;
      return Number(hours) > 12 ? null : timeOf(hours, minutes, named(match, 'half'), seconds);
    },
    'uyi',
  ),
  rule(`(1[0-2]|0?[1-9])${HALF_DAY}`, (match) => timeOf(match[1] ?? '', '0', named(match, 'half')), 'uyi'),
  rule(`(${CLOCK})${TO}(${CLOCK})`, ([, from = '', to = '']) => `${clockOf(from)} to ${clockOf(to)}`),
  rule(
    `(${CLOCK.replace('(?!\\d)', '')})(?::([0-5]\\d))?(?:\\s?(?:h|hrs)${END})?(?!\\d)`,
    ([, clock = '', seconds = '']) => {
      const [hours = '', minutes = ''] = clock.split(':');
      return timeOf(hours, minutes, '', seconds);
    },
  ),
];

function hourAlone(text: string): string {
  const [hours = '', minutes = '0'] = text.split(':');
  return Number(minutes) === 0 ? cardinal(hours) : `${cardinal(hours)} ${minuteOf(minutes)}`;
}

/** `11/23/2026`: months first, unless that is none or the reader is British. */
function slashed(first: string, second: string, years: string, dayFirst: boolean): string | null {
  const [one, two] = [Number(first), Number(second)];
  const isDayFirst = two > 12 ? false : one > 12 || dayFirst;
  return isDayFirst ? dateOf(years, two, one) : dateOf(years, one, two);
}

export const DATES: readonly Rule[] = [
  rule(
    `(\\d{4})-(\\d{2})-(\\d{2})[T ]([0-2]\\d):([0-5]\\d)(?::([0-5]\\d)(?:\\.\\d{1,9})?)?(Z|[+-]\\d{2}:?\\d{2})?(?!\\d)`,
    (match) => {
      const [, years = '', month = '', day = '', hours = '', minutes = ''] = match;
      const date = dateOf(years, Number(month), Number(day));
      return date === null ? null : `${date}, at ${timeOf(hours, minutes, '')}${match[7] === 'Z' ? ' U T C' : ''}`;
    },
  ),
  rule(`(\\d{4})([-/.])(\\d{2})\\2(\\d{2})(?![\\d/-])`, ([, years = '', , month = '', day = '']) =>
    dateOf(years, Number(month), Number(day)),
  ),
  rule(`(\\d{1,2})/(\\d{1,2})/(\\d{4}|\\d{2})(?![\\d/])`, ([, first = '', second = '', years = ''], { dayFirst }) =>
    slashed(first, second, years, dayFirst),
  ),
  rule(`(\\d{1,2})-(\\d{1,2})-(\\d{4})(?![\\d-])`, ([, first = '', second = '', years = ''], { dayFirst }) =>
    slashed(first, second, years, dayFirst),
  ),
  rule(`(\\d{1,2})\\.\\s?(\\d{1,2})\\.\\s?(\\d{4})(?![\\d.]\\d)`, ([, day = '', month = '', years = '']) =>
    dateOf(years, Number(month), Number(day)),
  ),
  rule(
    `${MONTH}\\s(?<day>${DAY})${SUFFIX}(?:${TO}(?<to>${DAY})${SUFFIX})?(?:,?\\s(?<year>${YEAR}))?${END}`,
    (match) => {
      const days = named(match, 'to') === '' ? '' : ` to ${ordinal(named(match, 'to'))}`;
      const years = named(match, 'year') === '' ? '' : `, ${year(named(match, 'year'))}`;
      return `${monthName(named(match, 'month'))} ${ordinal(named(match, 'day'))}${days}${years}`;
    },
  ),
  rule(
    `(?<day>${DAY})${SUFFIX}(?:${TO}(?<to>${DAY})${SUFFIX})?\\s(?:of\\s)?${MONTH}(?:,?\\s(?<year>${YEAR}))?${END}`,
    (match, place) => {
      const start = place.previous.toLowerCase() === 'the' ? '' : 'the ';
      const days = named(match, 'to') === '' ? '' : ` to the ${ordinal(named(match, 'to'))}`;
      const years = named(match, 'year') === '' ? '' : `, ${year(named(match, 'year'))}`;
      return `${start}${ordinal(named(match, 'day'))}${days} of ${monthName(named(match, 'month'))}${years}`;
    },
  ),
  rule(`${MONTH},?\\s(?<year>${YEAR})${END}`, (match) => {
    return `${monthName(named(match, 'month'))} ${year(named(match, 'year'))}`;
  }),
  rule(`(1\\d{3}|20\\d{2}|\\d0)['’]?s${END}`, ([, digits = '']) => decade(digits)),
  rule(`['’](\\d0)s${END}`, ([, digits = '']) => decade(digits)),
  rule(`((?:1\\d|20)\\d{2})${TO}((?:1\\d|20)\\d{2}|\\d{2})${END}(?![-/]\\d)`, ([, from = '', to = '']) => {
    const until = to.length === 2 ? `${from.slice(0, 2)}${to}` : to;
    if (Number(until) <= Number(from)) return null;
    return `${year(from)} to ${to.length === 2 ? cardinal(to) : year(to)}`;
  }),
  ...TIMES,
];
