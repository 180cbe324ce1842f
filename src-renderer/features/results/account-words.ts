/** The account of a source in words. */

import type { LeftOut, SourceAccount } from '../../api/generated/public.ts';
import { duration, number } from '../../components/format.ts';
import { results as texts } from './texts.ts';

type Unit = SourceAccount['unit'];

/** What is lost; everything else is left out on purpose. */
const LOST: readonly LeftOut['reason'][] = ['unsupported-part', 'over-limit', 'damaged'];

const SECOND_MS = 1000;

const MINUTE_SECONDS = 60;

/** Reasons that the line names. */
const NAMED_MAX = 2;

/** `312 letters`, `1 cell`, `2 min 5 s`. */
export function amountOf(count: number, unit: Unit): string {
  if (unit === 'seconds') return count < MINUTE_SECONDS ? `${Number(count.toFixed(1))} s` : duration(count * SECOND_MS);
  const [one, many] = texts.account.units[unit];
  return `${number(count)} ${count === 1 ? one : many}`;
}

export function reasonOf(reason: LeftOut['reason']): string {
  return texts.account.reasons[reason];
}

/**
 * `All 14 pages read, 312 letters of repeated headers or footers left out`.
 *
 * @param letters of all pages of a crawl
 * @param pages of a document; null where it has none
 */
export function lineOf(account: SourceAccount, letters: SourceAccount | null, pages: number | null): string {
  const left = [account, ...(letters === null ? [] : [letters])].flatMap(leftOf);
  const shown = left.length > NAMED_MAX + 1 ? left.slice(0, NAMED_MAX) : left;
  const rest = left.length - shown.length;
  const parts = rest > 0 ? [...shown, texts.account.otherReasons(number(rest))] : shown;
  const read = readOf(account, pages);
  return parts.length === 0 ? read : `${read}, ${listed(parts)} ${texts.account.leftOut}`;
}

function readOf({ unit, source, delivered, leftOut, unexplained }: SourceAccount, pages: number | null): string {
  const t = texts.account;
  const isWhole = unexplained === 0 && !leftOut.some(({ reason, count }) => count > 0 && LOST.includes(reason));
  const done = unit === 'seconds' ? t.heard : t.read;
  if (unit === 'addresses' && delivered < source) return t.someOf(number(delivered), amountOf(source, unit), done);
  if (!isWhole) return t.someOf(numberOf(delivered, unit), amountOf(source, unit), done);
  if (unit === 'letters' && pages !== null && pages > 1) return t.allPages(number(pages));
  if (unit !== 'seconds' && source < 2) return t.only(amountOf(source, unit), done);
  return t.all(amountOf(source, unit), done);
}

function numberOf(count: number, unit: Unit): string {
  return unit === 'seconds' ? amountOf(count, unit) : number(count);
}

/** `312 letters of repeated headers or footers`, by reason, the largest first. */
function leftOf({ unit, leftOut }: SourceAccount): string[] {
  const counts = new Map<LeftOut['reason'], number>();
  for (const { reason, count } of leftOut) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return [...counts]
    .filter(([, count]) => count > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${amountOf(count, unit)} ${texts.account.of[reason]}`);
}

function listed(parts: readonly string[]): string {
  const [last = '', ...others] = parts.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
}

/** `1,204 letters of the source are not in the text, and no reason is known.`; null where all is explained. */
export function unexplainedOf({ unit, unexplained }: SourceAccount): string | null {
  if (unexplained <= 0) return null;
  return texts.account.unexplained(amountOf(unexplained, unit), unexplained === 1 && unit !== 'seconds');
}
