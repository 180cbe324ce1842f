import { perLocale } from '../language/locale.ts';
import { messages } from '../language/start-messages.ts';

const KILO = 1000;
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
/** The 6-decimal unit of the asset. */
const MONEY_UNIT = 1_000_000;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const longRelative = perLocale((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' }));
const dayOfYear = perLocale((locale) => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }));
const dayOfPast = perLocale(
  (locale) => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' }),
);
/** A day has no time zone. */
const statedDay = perLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }));
/** With the time zone, because API responses use UTC. */
const absolute = perLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' }));
const whole = perLocale((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }));
const tenths = perLocale((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }));
const exactTenths = perLocale(
  (locale) => new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
);
const amounts = perLocale(
  (locale) => new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 6 }),
);
const collator = perLocale((locale) => new Intl.Collator(locale, { numeric: true }));

/** `655 MB`, `1.6 GB`. */
export function formatByteCount(count: number): string {
  let value = count;
  let unit = 0;
  while (value >= KILO && unit < UNITS.length - 1) {
    value /= KILO;
    unit += 1;
  }
  const shown = value >= 10 || unit === 0 ? whole().format(value) : tenths().format(value);
  return messages.units[UNITS[unit] ?? 'B']({ value: shown });
}

/** `a, b, c` with the comma of the reader's language. */
export function joinTexts(texts: readonly (string | number)[]): string {
  return texts.join(messages.units.separator);
}

/** Compares texts as the reader's language orders them. */
export function compareTexts(one: string, other: string): number {
  return collator().compare(one, other);
}

/** `10,214`. */
export function formatWholeNumber(value: number): string {
  return whole().format(value);
}

/** `0.14`: an amount in the 6-decimal unit, with at least two decimals. */
export function formatMoneyAmount(amount: number | string): string {
  return amounts().format(Number(amount) / MONEY_UNIT);
}

export function fromMoney(value: number): number {
  return Math.round(value * MONEY_UNIT);
}

export function toMoney(amount: number): number {
  return amount / MONEY_UNIT;
}

/** After this time the date says more than the distance. */
const DATE_AFTER_MS = 7 * DAY_MS;

/** `4 min ago`, `in 3 days`, and `22 Nov` a week away; in full (`4 minutes ago`) if long. */
export function timeAgo(iso: string, now: number, long = false): string {
  const difference = Date.parse(iso) - now;
  const size = Math.abs(difference);
  const t = messages.units;
  if (size < 10 * SECOND_MS) return difference > 0 ? t.inMoment : t.justNow;
  if (!long && difference < -DATE_AFTER_MS) return shortDate(iso, now);
  const [unitMs, unit, short] = relativeTimeUnit(size);
  const count = Math.round(size / unitMs);
  if (long || unit === 'day') return longRelative().format(Math.sign(difference) * count, unit);
  const time = t[short]({ value: whole().format(count) });
  return difference > 0 ? t.in({ time }) : t.ago({ time });
}

type TimeUnit = 's' | 'min' | 'h' | 'd';

function relativeTimeUnit(size: number): [number, Intl.RelativeTimeFormatUnit, TimeUnit] {
  if (size < MINUTE_MS) return [SECOND_MS, 'second', 's'];
  if (size < HOUR_MS) return [MINUTE_MS, 'minute', 'min'];
  return size < DAY_MS ? [HOUR_MS, 'hour', 'h'] : [DAY_MS, 'day', 'd'];
}

const timeOfDay = perLocale((locale) => new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }));

/** `13:20` */
export function clockOfDay(iso: string): string {
  return timeOfDay().format(Date.parse(iso));
}

const timeOfAnyDay = perLocale(
  (locale) => new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' }),
);

/** `06:30` as the reader writes it, such as `06:30 AM`. */
export function formatTimeOfDay(time: string): string {
  return timeOfAnyDay().format(Date.parse(`1970-01-01T${time}Z`));
}

/** `22 Nov`, with the year if it is another one. */
export function shortDate(iso: string, now: number): string {
  const date = new Date(iso);
  const format = date.getFullYear() === new Date(now).getFullYear() ? dayOfYear() : dayOfPast();
  return format.format(date);
}

/** `2 Mar 2026` of a day, with the time of an instant; a text that is neither stays as it is. */
export function formatDate(stated: string): string {
  if (Number.isNaN(Date.parse(stated))) return stated;
  if (/^\d{4}-\d\d-\d\d$/.test(stated)) return statedDay().format(Date.parse(stated));
  return stated.includes('T') ? fullTime(stated) : stated;
}

export function fullTime(iso: string): string {
  return absolute().format(Date.parse(iso));
}

/** `840 ms`, `3.2 s`, `2 min 5 s`, `3 h 4 min`. */
export function formatElapsedTime(milliseconds: number): string {
  const t = messages.units;
  if (milliseconds < SECOND_MS) return t.ms({ value: whole().format(Math.max(0, milliseconds)) });
  if (milliseconds < MINUTE_MS) return t.s({ value: exactTenths().format(milliseconds / SECOND_MS) });
  if (milliseconds < HOUR_MS) return twoUnitText(milliseconds, MINUTE_MS, 'min', SECOND_MS, 's');
  if (milliseconds < DAY_MS) return twoUnitText(milliseconds, HOUR_MS, 'h', MINUTE_MS, 'min');
  return twoUnitText(milliseconds, DAY_MS, 'd', HOUR_MS, 'h');
}

function twoUnitText(value: number, large: number, largeName: TimeUnit, small: number, smallName: TimeUnit): string {
  const t = messages.units;
  const rest = Math.floor((value % large) / small);
  const first = t[largeName]({ value: whole().format(Math.floor(value / large)) });
  return rest > 0 ? t.two({ large: first, small: t[smallName]({ value: whole().format(rest) }) }) : first;
}

/** `1:02:03` or `2:03`: a position in a recording. */
export function clockTime(seconds: number): string {
  const total = Math.floor(seconds);
  const parts = [Math.floor(total / 60) % 60, total % 60].map((part) => String(part).padStart(2, '0'));
  const hours = Math.floor(total / 3600);
  return hours > 0 ? `${hours}:${parts.join(':')}` : `${Number(parts[0])}:${parts[1]}`;
}

/** Names in capitals. */
const ABBREVIATIONS = /\b(?:ai|id|ocr|rms|url)\b/gi;

/** `meanConfidence` and `extracting-audio` as `Mean confidence` and `Extracting audio`. */
export function humanizeName(name: string): string {
  const spaced = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[-_]/g, ' ')
    .toLowerCase();
  return (spaced.charAt(0).toUpperCase() + spaced.slice(1)).replace(ABBREVIATIONS, (found) => found.toUpperCase());
}

/** The start and end of an ID or address. */
export function shortId(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 9)}…${id.slice(-4)}`;
}
