/** Dates and times in English. */

import { speakCardinal, speakDecade, speakOrdinal, speakYear } from './spoken-numbers.ts';
import { defineSpokenRule, END, type Rule } from './spoken-rule.ts';

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

function monthNameOf(written: string): string {
  return MONTHS.find((name) => name.slice(0, 3).toLowerCase() === written.slice(0, 3).toLowerCase()) ?? written;
}

function speakDate(years: string, month: number, day: number): string | null {
  const name = MONTHS[month - 1];
  if (name === undefined || day < 1 || day > 31) return null;
  return `${name} ${speakOrdinal(String(day))}, ${fullYear(years)}`;
}

/** Two digits mean the years from 1970 to 2069. */
function fullYear(digits: string): string {
  if (digits.length > 2) return speakYear(digits);
  return speakYear(`${Number(digits) >= 70 ? 19 : 20}${digits}`);
}

function namedGroup(match: RegExpExecArray, name: string): string {
  return match.groups?.[name] ?? '';
}

const CLOCK = '(?:[01]?\\d|2[0-4]):[0-5]\\d(?!\\d)';

const HALF_DAY = '\\s?(?<half>[ap])\\.?\\s?m(?:\\.(?!\\p{L})|(?![\\p{L}\\p{N}]))';

function speakTime(hours: string, minutes: string, half: string, seconds = ''): string {
  const tail = seconds === '' ? '' : ` and ${speakCardinal(seconds)} second${Number(seconds) === 1 ? '' : 's'}`;
  const hour = speakCardinal(hours);
  if (half !== '')
    return `${hour}${Number(minutes) === 0 ? '' : ` ${minuteOf(minutes)}`}${tail} ${half.toLowerCase()} m`;
  if (Number(minutes) > 0) return `${hour} ${minuteOf(minutes)}${tail}`;
  if (Number(hours) === 0) return `midnight${tail}`;
  return Number(hours) > 12 ? `${hour} hundred${tail}` : `${hour} o'clock${tail}`;
}

function minuteOf(minutes: string): string {
  return Number(minutes) < 10 ? `oh ${speakCardinal(minutes)}` : speakCardinal(minutes);
}

function clockOf(text: string): string {
  const [hours = '', minutes = ''] = text.split(':');
  return speakTime(hours, minutes, '');
}

const HOURS_NAMED = '(?:1[0-2]|0?[1-9])(?::[0-5]\\d)?';

function namedHour(text: string, half: string): string {
  const [hours = '', minutes = '0'] = text.split(':');
  return speakTime(hours, minutes, half);
}

const TIMES: readonly Rule[] = [
  defineSpokenRule(
    `(${HOURS_NAMED})(?:\\s?([ap])\\.?m\\.?)?${TO}(${HOURS_NAMED})${HALF_DAY}`,
    (match) => {
      const [, from = '', half = '', to = ''] = match;
      return `${half === '' ? hourAlone(from) : namedHour(from, half)} to ${namedHour(to, namedGroup(match, 'half'))}`;
    },
    'uyi',
  ),
  defineSpokenRule(
    `(\\d{1,2}):([0-5]\\d)(?::([0-5]\\d))?${HALF_DAY}`,
    (match) => {
      const [, hours = '', minutes = '', seconds = ''] = match;
      return Number(hours) > 12 ? null : speakTime(hours, minutes, namedGroup(match, 'half'), seconds);
    },
    'uyi',
  ),
  defineSpokenRule(
    `(1[0-2]|0?[1-9])${HALF_DAY}`,
    (match) => speakTime(match[1] ?? '', '0', namedGroup(match, 'half')),
    'uyi',
  ),
  defineSpokenRule(`(${CLOCK})${TO}(${CLOCK})`, ([, from = '', to = '']) => `${clockOf(from)} to ${clockOf(to)}`),
  defineSpokenRule(
    `(${CLOCK.replace('(?!\\d)', '')})(?::([0-5]\\d))?(?:\\s?(?:h|hrs)${END})?(?!\\d)`,
    ([, clock = '', seconds = '']) => {
      const [hours = '', minutes = ''] = clock.split(':');
      return speakTime(hours, minutes, '', seconds);
    },
  ),
];

function hourAlone(text: string): string {
  const [hours = '', minutes = '0'] = text.split(':');
  return Number(minutes) === 0 ? speakCardinal(hours) : `${speakCardinal(hours)} ${minuteOf(minutes)}`;
}

/** `11/23/2026`: months first, unless that is none or the reader is British. */
function speakSlashedDate(first: string, second: string, years: string, dayFirst: boolean): string | null {
  const [one, two] = [Number(first), Number(second)];
  const isDayFirst = two > 12 ? false : one > 12 || dayFirst;
  return isDayFirst ? speakDate(years, two, one) : speakDate(years, one, two);
}

export const DATES: readonly Rule[] = [
  defineSpokenRule(
    `(\\d{4})-(\\d{2})-(\\d{2})[T ]([0-2]\\d):([0-5]\\d)(?::([0-5]\\d)(?:\\.\\d{1,9})?)?(Z|[+-]\\d{2}:?\\d{2})?(?!\\d)`,
    (match) => {
      const [, years = '', month = '', day = '', hours = '', minutes = ''] = match;
      const date = speakDate(years, Number(month), Number(day));
      return date === null ? null : `${date}, at ${speakTime(hours, minutes, '')}${match[7] === 'Z' ? ' U T C' : ''}`;
    },
  ),
  defineSpokenRule(`(\\d{4})([-/.])(\\d{2})\\2(\\d{2})(?![\\d/-])`, ([, years = '', , month = '', day = '']) =>
    speakDate(years, Number(month), Number(day)),
  ),
  defineSpokenRule(
    `(\\d{1,2})/(\\d{1,2})/(\\d{4}|\\d{2})(?![\\d/])`,
    ([, first = '', second = '', years = ''], { dayFirst }) => speakSlashedDate(first, second, years, dayFirst),
  ),
  defineSpokenRule(
    `(\\d{1,2})-(\\d{1,2})-(\\d{4})(?![\\d-])`,
    ([, first = '', second = '', years = ''], { dayFirst }) => speakSlashedDate(first, second, years, dayFirst),
  ),
  defineSpokenRule(`(\\d{1,2})\\.\\s?(\\d{1,2})\\.\\s?(\\d{4})(?![\\d.]\\d)`, ([, day = '', month = '', years = '']) =>
    speakDate(years, Number(month), Number(day)),
  ),
  defineSpokenRule(
    `${MONTH}\\s(?<day>${DAY})${SUFFIX}(?:${TO}(?<to>${DAY})${SUFFIX})?(?:,?\\s(?<year>${YEAR}))?${END}`,
    (match) => {
      const days = namedGroup(match, 'to') === '' ? '' : ` to ${speakOrdinal(namedGroup(match, 'to'))}`;
      const years = namedGroup(match, 'year') === '' ? '' : `, ${speakYear(namedGroup(match, 'year'))}`;
      return `${monthNameOf(namedGroup(match, 'month'))} ${speakOrdinal(namedGroup(match, 'day'))}${days}${years}`;
    },
  ),
  defineSpokenRule(
    `(?<day>${DAY})${SUFFIX}(?:${TO}(?<to>${DAY})${SUFFIX})?\\s(?:of\\s)?${MONTH}(?:,?\\s(?<year>${YEAR}))?${END}`,
    (match, place) => {
      const start = place.previous.toLowerCase() === 'the' ? '' : 'the ';
      const days = namedGroup(match, 'to') === '' ? '' : ` to the ${speakOrdinal(namedGroup(match, 'to'))}`;
      const years = namedGroup(match, 'year') === '' ? '' : `, ${speakYear(namedGroup(match, 'year'))}`;
      const month = monthNameOf(namedGroup(match, 'month'));
      return `${start}${speakOrdinal(namedGroup(match, 'day'))}${days} of ${month}${years}`;
    },
  ),
  defineSpokenRule(`${MONTH},?\\s(?<year>${YEAR})${END}`, (match) => {
    return `${monthNameOf(namedGroup(match, 'month'))} ${speakYear(namedGroup(match, 'year'))}`;
  }),
  defineSpokenRule(`(1\\d{3}|20\\d{2}|\\d0)['’]?s${END}`, ([, digits = '']) => speakDecade(digits)),
  defineSpokenRule(`['’](\\d0)s${END}`, ([, digits = '']) => speakDecade(digits)),
  defineSpokenRule(`((?:1\\d|20)\\d{2})${TO}((?:1\\d|20)\\d{2}|\\d{2})${END}(?![-/]\\d)`, ([, from = '', to = '']) => {
    const until = to.length === 2 ? `${from.slice(0, 2)}${to}` : to;
    if (Number(until) <= Number(from)) return null;
    return `${speakYear(from)} to ${to.length === 2 ? speakCardinal(to) : speakYear(to)}`;
  }),
  ...TIMES,
];
