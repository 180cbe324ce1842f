import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';

/** Waits before the second, third … attempt (decisions 6). One attempt more than there are waits, then it is over. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
];
/** A wait is up to this share longer, never shorter: receivers that failed together are not asked together again. */
const JITTER_SHARE = 0.2;
/** A receiver may ask for a longer wait than the schedule's, within reason. */
const MAX_RETRY_AFTER_MS = DAY_MS;

/**
 * When to try again, or null when it is over.
 *
 * @param tries attempts made in this run through the schedule, the failed one included
 */
export function nextTryAt(
  tries: number,
  now: number,
  random: () => number,
  retryAfterMs: number | null,
): number | null {
  const delayMs = RETRY_DELAYS_MS[tries - 1];
  if (delayMs === undefined) return null;
  const spreadMs = Math.round(delayMs * (1 + JITTER_SHARE * random()));
  return now + Math.max(spreadMs, retryAfterMs ?? 0);
}

/** How a date begins (RFC 9110). `Date.parse` takes much for one that is none. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i;

/**
 * `Retry-After` in milliseconds, from seconds or an HTTP date; null where it says nothing usable.
 *
 * @param answeredAt by the receiver's own clock, where the answer tells: a date then means what the receiver means
 */
export function retryAfterMs(header: string | undefined, answeredAt: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * SECOND_MS, MAX_RETRY_AFTER_MS);
  const waitMs = HTTP_DATE.test(text) ? Date.parse(text) - answeredAt : Number.NaN;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}
