/** The account of a source in words, for the command line; the window has its own. Without values of other files. */

import type { LeftOutReason, SourceAccount } from '../source-account.ts';

type Unit = SourceAccount['unit'];

/** What is lost; everything else is left out on purpose. */
const LOST: readonly LeftOutReason[] = ['unsupported-part', 'over-limit', 'damaged'];

/** Reasons that the sentence names. */
export const NAMED_MAX = 2;

/** Each after an amount. */
const REASONS: Readonly<Record<LeftOutReason, string>> = {
  'repeated-header-or-footer': 'of repeated headers or footers',
  hidden: 'of hidden parts',
  'deleted-by-tracked-changes': 'of deleted text',
  'overprinted-copy': 'of overprinted copies',
  'repeated-caption': 'of captions shown again',
  navigation: 'of navigation',
  'embedded-picture': 'in pictures',
  'unsupported-part': 'of unsupported parts',
  'over-limit': 'over a limit',
  damaged: 'of damaged parts',
  silence: 'of silence',
  'no-speech-recognised': 'without recognised speech',
  duplicate: 'of pages that were read under another address',
  'site-rules': 'that the site keeps out',
  'not-requested': 'outside the request',
  'part-of-page': 'of pictures and scripts',
  'address-list': 'of sitemaps and feeds',
  unreachable: 'without an answer',
};

const UNITS = {
  letters: ['letter', 'letters'],
  cells: ['cell', 'cells'],
  addresses: ['address', 'addresses'],
} as const;

/** Their files state a number of pages and hold none: a program lays them out. */
const WITHOUT_PAGES = new Set(['docx', 'doc', 'odt', 'rtf']);

/** The pages of a document, counted in its file; null where the file only states a number. */
export function countedPages(document: { format?: unknown; pages?: unknown } | null | undefined): number | null {
  const isStated = typeof document?.format !== 'string' || WITHOUT_PAGES.has(document.format);
  return isStated || typeof document?.pages !== 'number' ? null : document.pages;
}

/**
 * `All 14 pages read, 312 letters of repeated headers or footers left out`.
 *
 * @param letters of all pages of a crawl; null elsewhere
 * @param pages those of countedPages
 */
export function accountSentence(account: SourceAccount, letters: SourceAccount | null, pages: number | null): string {
  const left = [account, ...(letters === null ? [] : [letters])].flatMap((one) =>
    leftOutOf(one).map(([reason, count]) => `${amountOf(count, one.unit)} ${REASONS[reason]}`),
  );
  const shown = left.length > NAMED_MAX + 1 ? left.slice(0, NAMED_MAX) : left;
  const rest = left.length - shown.length;
  const parts = rest > 0 ? [...shown, `parts for ${rest} other reasons`] : shown;
  const [last = '', ...others] = parts.toReversed();
  const list = others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
  const read = readOf(account, pages ?? 1);
  return parts.length === 0 ? read : `${read}, ${list} left out`;
}

/** For a result of a version that counted nothing. */
export const UNCOUNTED = 'What the source held was not counted: an earlier version of Quarry made this result.';

/** `1,204 letters of the source are not in the result, and no reason is known.`; null where all is explained. */
export function unexplainedSentence({ unit, unexplained }: SourceAccount): string | null {
  if (unexplained <= 0) return null;
  const verb = unexplained === 1 && unit !== 'seconds' ? 'is' : 'are';
  return `${amountOf(unexplained, unit)} of the source ${verb} not in the result, and no reason is known.`;
}

/** `312 letters`, `1 cell`, `2 min 5 s`. */
function amountOf(count: number, unit: Unit): string {
  if (unit === 'seconds') return formatDuration(count);
  const [one, many] = UNITS[unit];
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** Whether nothing is lost of what a source held; what is left out on purpose is not lost. */
export function isReadWhole({ unit, source, delivered, leftOut, unexplained }: SourceAccount): boolean {
  const isLost = leftOut.some(({ reason, count }) => count > 0 && LOST.includes(reason));
  return unexplained === 0 && !isLost && !(unit === 'addresses' && delivered < source);
}

function readOf({ unit, source, delivered, leftOut, unexplained }: SourceAccount, pages: number): string {
  const done = unit === 'seconds' ? 'heard' : 'read';
  const whole = amountOf(source, unit);
  if (!isReadWhole({ unit, source, delivered, leftOut, unexplained })) {
    const part = unit === 'seconds' ? amountOf(delivered, unit) : delivered.toLocaleString('en');
    return `${part} of ${whole} ${done}`;
  }
  if (unit === 'letters' && pages > 1) return `All ${pages.toLocaleString('en')} pages read`;
  return source < 2 && unit !== 'seconds' ? `${whole} ${done}` : `All ${whole} ${done}`;
}

/** What was left out, by reason, the largest first. */
export function leftOutOf({ leftOut }: SourceAccount): [reason: LeftOutReason, count: number][] {
  const counts = new Map<LeftOutReason, number>();
  for (const { reason, count } of leftOut) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return [...counts].filter(([, count]) => count > 0).toSorted(([, one], [, other]) => other - one);
}

function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`;
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  if (hours > 0) return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
  return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
}
