/** What an answer says beside its status. */
import { oneLine } from '../../platform/text/one-line.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/units.ts';
import type { ErrorClass } from './attempt.ts';
import { TOLERANCE_MS } from './explain.ts';
import type { PostResponse } from './ports.ts';

const TOO_LARGE = 413;

export function headerOf(response: PostResponse | null, name: string): string | undefined {
  const value = response?.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The time of an answer by the clock of whoever gave it; null where it does not say. */
export function answeredAt(response: PostResponse | null): number | null {
  const at = Date.parse(headerOf(response, 'date') ?? '');
  return Number.isNaN(at) ? null : at;
}

/** Why an answer was no success, for the log, where it is something that its owner would look for long. */
export function whyRefused(
  response: PostResponse,
  errorClass: ErrorClass | null,
  { bodyBytes, now }: { bodyBytes: number; now: number },
): string | null {
  if (errorClass === 'redirect') return whyRedirected(response);
  if (response.status === TOO_LARGE) {
    return `The receiver takes no body of ${bodyBytes} bytes: raise its limit, or that of a proxy before it.`;
  }
  if (errorClass !== 'http_status' || response.status >= 500) return null;
  const aheadMs = (answeredAt(response) ?? now) - now;
  if (Math.abs(aheadMs) <= TOLERANCE_MS) return null;
  const where = aheadMs > 0 ? 'ahead of' : 'behind';
  const offset = `${spanOf(Math.abs(aheadMs))} ${where} this one`;
  return `The receiver's clock is ${offset}: it may have refused webhook-timestamp.`;
}

function whyRedirected(response: PostResponse): string {
  const location = oneLine(headerOf(response, 'location'));
  const target = location === null ? 'the address that is meant' : location;
  return `Redirects are not followed: give the webhook the URL it ends at (${target}).`;
}

function spanOf(milliseconds: number): string {
  if (milliseconds < 2 * HOUR_MS) return `${Math.round(milliseconds / MINUTE_MS)} minutes`;
  return `${Math.round(milliseconds / HOUR_MS)} hours`;
}
