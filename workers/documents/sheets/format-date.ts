import type { FormatSection, FormatToken } from './number-format.ts';

const DAY_SECONDS = 86_400;

const DAY_MS = DAY_SECONDS * 1000;

/** Day numbers of Excel count from the last of December 1899, and from the first of January 1904. */
const EPOCH_1900 = Date.UTC(1899, 11, 31);

const EPOCH_1904 = Date.UTC(1904, 0, 1);

/** Excel counts a 29 February 1900, which did not exist. */
const FALSE_LEAP_DAY = 60;

/** 31 December 9999. */
const LAST_DAY = 2_958_465;

const DAYS_BETWEEN_EPOCHS = 1462;

const SUBSECOND_DIGITS_MAX = 9;

const BUDDHIST_YEARS = 543;

interface Moment {
  year: number;
  month: number;
  day: number;
  weekday: number;
  /** Seconds since the day began. */
  seconds: number;
  /** Units of the shown fraction of a second. */
  fraction: number;
  /** Whole seconds since day 0, for elapsed time. */
  elapsed: number;
  isNegative: boolean;
}

/** A number as date or time; null where Excel shows `####`. */
export function formatDate(value: number, section: FormatSection, isDate1904: boolean): string | null {
  const { tokens } = section;
  const digits = Math.min(
    SUBSECOND_DIGITS_MAX,
    Math.max(0, ...tokens.map((token) => (token.kind === 'subseconds' ? token.digits : 0))),
  );
  const moment = momentOf(value, digits, isDate1904);
  if (moment === null) return null;
  const isHalf = tokens.some(({ kind }) => kind === 'half-day');
  const text = tokens.map((token) => shownPart(token, moment, { ...section, isHalf, digits })).join('');
  return moment.isNegative ? `-${text}` : text;
}

function momentOf(value: number, digits: number, isDate1904: boolean): Moment | null {
  // Only the calendar of 1904 has negative times.
  if (value < 0 && !isDate1904) return null;
  const scale = 10 ** digits;
  // Fifteen decimal digits, as programs show them, before the fraction is cut.
  const units = Math.round(Number((Math.abs(value) * DAY_SECONDS).toPrecision(15)) * scale);
  const elapsed = Math.floor(units / scale);
  const days = Math.floor(elapsed / DAY_SECONDS);
  if (days > (isDate1904 ? LAST_DAY - DAYS_BETWEEN_EPOCHS : LAST_DAY)) return null;
  const seconds = elapsed - days * DAY_SECONDS;
  return { ...calendarDay(days, isDate1904), seconds, fraction: units % scale, elapsed, isNegative: value < 0 };
}

function calendarDay(days: number, isDate1904: boolean) {
  if (!isDate1904 && days === FALSE_LEAP_DAY) return { year: 1900, month: 2, day: 29, weekday: 3 };
  if (!isDate1904 && days === 0) return { year: 1900, month: 1, day: 0, weekday: 6 };
  const shift = isDate1904 ? 0 : days > FALSE_LEAP_DAY ? -1 : 0;
  const date = new Date((isDate1904 ? EPOCH_1904 : EPOCH_1900) + (days + shift) * DAY_MS);
  // Days before the false leap day have the weekdays that Excel counts.
  const weekday = isDate1904 ? date.getUTCDay() : (days + 6) % 7;
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate(), weekday };
}

interface Facts extends FormatSection {
  /** Hours count to twelve. */
  isHalf: boolean;
  digits: number;
}

function shownPart(token: FormatToken, moment: Moment, facts: Facts): string {
  switch (token.kind) {
    case 'literal':
      return token.text;
    case 'date':
      return datePart(token, moment, facts);
    case 'elapsed': {
      const unit = token.letter === 'h' ? 3600 : token.letter === 'm' ? 60 : 1;
      return padDateNumber(Math.floor(moment.elapsed / unit), token.count);
    }
    case 'subseconds':
      return `.${padDateNumber(moment.fraction, facts.digits).slice(0, token.digits)}`;
    case 'half-day':
      return halfDay(token.text, moment.seconds >= DAY_SECONDS / 2);
    default:
      return '';
  }
}

function halfDay(pattern: string, isLate: boolean): string {
  const [early = '', late = ''] = pattern.split('/');
  const shown = isLate ? late : early;
  return shown.length > 1 ? shown.toUpperCase() : shown;
}

function datePart({ letter, count }: { letter: string; count: number }, moment: Moment, facts: Facts): string {
  const hours = Math.floor(moment.seconds / 3600);
  switch (letter) {
    case 'y':
      return count > 2 ? padDateNumber(moment.year, 4) : padDateNumber(moment.year % 100, 2);
    case 'b':
      return count > 2 ? String(moment.year + BUDDHIST_YEARS) : padDateNumber((moment.year + BUDDHIST_YEARS) % 100, 2);
    case 'e':
      return String(moment.year);
    case 'm':
      return count > 2 ? localizedMonthName(moment, count, facts) : padDateNumber(moment.month, count);
    case 'd':
      return count > 2 ? dayName(moment, count, facts) : padDateNumber(moment.day, count);
    case 'h':
      return padDateNumber(facts.isHalf ? hours % 12 || 12 : hours, Math.min(2, count));
    case 'n':
      return padDateNumber(Math.floor(moment.seconds / 60) % 60, count);
    case 's':
      return padDateNumber(moment.seconds % 60, Math.min(2, count));
    // An era, which only formats for Japan and Taiwan have.
    default:
      return '';
  }
}

function padDateNumber(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

/** In some languages the name of a month differs beside a day: `5 марта`. */
function localizedMonthName({ month }: Moment, count: number, { locale, tokens }: Facts): string {
  const hasDay = tokens.some((token) => token.kind === 'date' && token.letter === 'd' && token.count < 3);
  const month_ = count === 3 ? 'short' : 'long';
  const name = nameIn(locale, { month: month_, day: hasDay && count !== 3 ? 'numeric' : undefined }, 'month', [
    ...[2001, month - 1, 1],
  ]);
  return count === 5 ? name.slice(0, 1) : name;
}

function dayName({ weekday }: Moment, count: number, { locale }: Facts): string {
  // 7 January 2001 is a Sunday.
  return nameIn(locale, { weekday: count === 3 ? 'short' : 'long' }, 'weekday', [2001, 0, 7 + weekday]);
}

function nameIn(
  locale: string | null,
  options: Intl.DateTimeFormatOptions,
  part: 'month' | 'weekday',
  [year = 0, month = 0, day = 0]: readonly number[],
): string {
  const format = formatterOf(locale ?? 'en-US', options);
  const parts = format.formatToParts(Date.UTC(year, month, day));
  return parts.find(({ type }) => type === part)?.value ?? '';
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** There are four for each of about sixty languages. */
function formatterOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  let formatter = formatters.get(key);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC', calendar: 'gregory' });
    formatters.set(key, formatter);
  }
  return formatter;
}
