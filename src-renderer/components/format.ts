const KILO = 1000;
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
/** The 6-decimal unit of the asset. */
const MONEY_UNIT = 1_000_000;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const shortRelative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const longRelative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });
/** With the time zone, because API responses use UTC. */
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' });
const whole = new Intl.NumberFormat('en');

export function bytes(count: number): string {
  let value = count;
  let unit = 0;
  while (value >= KILO && unit < UNITS.length - 1) {
    value /= KILO;
    unit += 1;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

export function number(value: number): string {
  return whole.format(value);
}

/** `0.14`: an amount in the 6-decimal unit, with at least two decimals. */
export function money(amount: number | string): string {
  const text = (Number(amount) / MONEY_UNIT).toFixed(6);
  return text.replace(/(\.\d\d\d*?)0+$/, '$1');
}

export function fromMoney(value: number): number {
  return Math.round(value * MONEY_UNIT);
}

export function toMoney(amount: number): number {
  return amount / MONEY_UNIT;
}

/** `3d ago`, or `3 days ago` if long. */
export function timeAgo(iso: string, now: number, long = false): string {
  const relative = long ? longRelative : shortRelative;
  const difference = Date.parse(iso) - now;
  const size = Math.abs(difference);
  if (size < 10 * SECOND_MS) return difference > 0 ? 'in a moment' : 'just now';
  if (size < MINUTE_MS) return relative.format(Math.round(difference / SECOND_MS), 'second');
  if (size < HOUR_MS) return relative.format(Math.round(difference / MINUTE_MS), 'minute');
  if (size < DAY_MS) return relative.format(Math.round(difference / HOUR_MS), 'hour');
  return relative.format(Math.round(difference / DAY_MS), 'day');
}

export function fullTime(iso: string): string {
  return absolute.format(Date.parse(iso));
}

/** `840 ms`, `3.2 s`, `2 min 5 s`, `3 h 4 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < SECOND_MS) return `${Math.max(0, Math.round(milliseconds))} ms`;
  if (milliseconds < MINUTE_MS) return `${(milliseconds / SECOND_MS).toFixed(1)} s`;
  if (milliseconds < HOUR_MS) return two(milliseconds, MINUTE_MS, 'min', SECOND_MS, 's');
  if (milliseconds < DAY_MS) return two(milliseconds, HOUR_MS, 'h', MINUTE_MS, 'min');
  return two(milliseconds, DAY_MS, 'd', HOUR_MS, 'h');
}

function two(value: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((value % large) / small);
  return `${Math.floor(value / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ''}`;
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
export function words(name: string): string {
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
