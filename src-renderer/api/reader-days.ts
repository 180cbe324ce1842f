/** Days as the reader counts them: of the time zone of this computer, with weeks that begin as their locale says. */
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';

/** `Pacific/Auckland`; undefined where the browser does not know it, and days are those of UTC. */
export function readersTimeZone(): string | undefined {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone === 'Etc/Unknown' ? undefined : timeZone;
}

/** A filter that names days, with the time zone that they are of: to be kept, or asked with. */
export function inReadersDays<Filter extends { from?: string | undefined; to?: string | undefined }>(
  filter: Filter,
): Filter & { timeZone?: string } {
  const namesDays = filter.from !== undefined || filter.to !== undefined;
  return { ...filter, ...omitUndefined({ timeZone: namesDays ? readersTimeZone() : undefined }) };
}

/** The day of a time, `2026-11-23`. */
export function localDay(time: number | string): string {
  const date = new Date(time);
  const parts = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return [date.getFullYear(), ...parts].join('-');
}

/** The day some days of the calendar before a time: days are not always 24 hours. */
export function dayBefore(time: number, days: number): string {
  const date = new Date(time);
  return localDay(new Date(date.getFullYear(), date.getMonth(), date.getDate() - days).getTime());
}

/** The day that the week of a time began on. */
export function startOfWeek(time: number, locale: string): string {
  const passed = (new Date(time).getDay() - firstWeekday(locale) + 7) % 7;
  return dayBefore(time, passed);
}

/** Browsers have it as a function or as a value, and the types of the language not at all. */
interface WeekLocale extends Intl.Locale {
  getWeekInfo?(): { firstDay: number };
  weekInfo?: { firstDay: number };
}

/** The first day of the week, from 1 for Monday to 7 for Sunday: Monday where the browser does not say. */
export function firstWeekday(locale: string): number {
  const known: WeekLocale = new Intl.Locale(locale);
  return (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? 1;
}
