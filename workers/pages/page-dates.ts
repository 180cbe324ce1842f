/** When a page was published or modified, from all that says so, with how certain it is. */

import type { FactEvidence } from './page-evidence.ts';

export interface DateStatement {
  by: 'json-ld' | 'meta' | 'time' | 'url';
  /** As it stands in the page. */
  text: unknown;
  /** It says what date it is. */
  isLabelled: boolean;
}

export interface PageDate {
  /** ISO 8601: a date, or an instant in UTC. */
  date: string;
  evidence: FactEvidence;
}

const DAY_MS = 86_400_000;

/** Dates of one day in different zones are this far apart at most. */
const SAME_DAYS = 1;

const MAX_CHARS = 60;

/** The date by the first statement, the most certain ones first. Null without one. */
export function dateOfPage(statements: readonly DateStatement[]): PageDate | null {
  const dates = statements.flatMap(({ by, text, isLabelled }) => {
    const date = readDate(text);
    return date === null ? [] : [{ by, date, isLabelled }];
  });
  const first = dates.find(({ isLabelled }) => isLabelled) ?? dates[0];
  if (first === undefined) return null;
  // A time without a label may be that of anything once another one has it.
  const told = dates.filter(({ isLabelled, by }) => isLabelled === first.isLabelled || by === 'url');
  const by = [...new Set(told.filter(({ date }) => isNear(date, first.date)).map((one) => one.by))];
  const others = [...new Set(told.map(({ date }) => date).filter((date) => !isNear(date, first.date)))];
  const certainty = others.length > 0 ? 'doubtful' : first.isLabelled ? 'stated' : 'inferred';
  return { date: first.date, evidence: { certainty, by, others } };
}

function isNear(one: string, other: string): boolean {
  return Math.abs(Date.parse(one.slice(0, 10)) - Date.parse(other.slice(0, 10))) <= SAME_DAYS * DAY_MS;
}

const URL_DATE = /\/((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?=[/-]|$)/;

/** The date in an address, as `/2026/03/01/`; null without one. */
export function dateOfUrl(url: string): string | null {
  const [, year = '', month = '', day = ''] = URL_DATE.exec(URL.parse(url)?.pathname ?? '') ?? [];
  return year === '' ? null : wholeDate(year, month, day);
}

const MAIL_DATE = /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} [\d:]{5,8} (?:GMT|[+-]\d{4})$/;

const ISO_DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:$|[T ])/;

const ISO_DAY = /^\d{4}-\d\d-\d\d/;

/** Forms that say which number is the month. */
const OTHER_DATES = [
  /^(?<year>\d{4})\/(?<month>\d{1,2})\/(?<day>\d{1,2})(?!\d)/,
  /^(?<year>(?:19|20)\d\d)(?<month>\d\d)(?<day>\d\d)$/,
  /^(?<day>\d{1,2})\.\s?(?<month>\d{1,2})\.\s?(?<year>\d{4})(?!\d)/,
  /^(?:[A-Z][a-z]{2,8},? )?(?<name>[A-Z][a-z]{2})[a-z]*\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})(?!\d)/,
  /^(?:[A-Z][a-z]{2,8},? )?(?<day>\d{1,2})(?:st|nd|rd|th)? (?<name>[A-Z][a-z]{2})[a-z]*\.?,? (?<year>\d{4})(?!\d)/,
];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const ZONE = /\d(?:Z|[+-]\d\d:?\d\d)$/i;

/** A time without a zone gives its date only. */
function readDate(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (text === '' || text.length > MAX_CHARS) return null;
  if (MAIL_DATE.test(text)) return instantOf(text);
  const [, year = '', month = '', day = ''] = ISO_DATE.exec(text) ?? [];
  if (year !== '') {
    const date = wholeDate(year, month, day);
    const isInstant = date !== null && ZONE.test(text) && ISO_DAY.test(text);
    return (isInstant ? instantOf(text.replace(' ', 'T')) : null) ?? date;
  }
  for (const pattern of OTHER_DATES) {
    const { groups } = pattern.exec(text) ?? {};
    if (groups === undefined) continue;
    const { name } = groups;
    const number = name === undefined ? (groups.month ?? '') : String(MONTHS.indexOf(name) + 1);
    return wholeDate(groups.year ?? '', number, groups.day ?? '');
  }
  return null;
}

function instantOf(text: string): string | null {
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Null for a day that no calendar has. */
function wholeDate(year: string, month: string, day: string): string | null {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date ? null : date;
}
