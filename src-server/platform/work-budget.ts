/**
 * Bounds the work that a free route does for an account. Threat: a stranger who knows one large job and keeps the
 * threads busy with it. Counts bytes of input, not time, so that a busy machine refuses nobody.
 */

import type { Clock } from './clock.ts';
import { QuarryError } from './errors.ts';
import { MINUTE_MS, SECOND_MS } from './units.ts';

/** Accounts in the table. Beyond this the oldest window is dropped. */
const MAX_TRACKED_ACCOUNTS = 10_000;

export class WorkBudget {
  readonly #clock: Clock;
  readonly #bytesPerMinute: number;
  readonly #windows = new Map<string, { startedAt: number; bytes: number }>();

  constructor(clock: Clock, bytesPerMinute: number) {
    this.#clock = clock;
    this.#bytesPerMinute = bytesPerMinute;
  }

  /**
   * Counts work before it is done. The first work of a minute may be larger than the bound. Errors: `rate_limited` with
   * the seconds until the minute ends.
   */
  spendWorkBudget(accountId: string, bytes: number): void {
    const now = this.#clock.now();
    const known = this.#windows.get(accountId);
    const window = known !== undefined && now - known.startedAt < MINUTE_MS ? known : { startedAt: now, bytes: 0 };
    if (window.bytes > 0 && window.bytes + bytes > this.#bytesPerMinute) {
      const retryAfterSeconds = Math.ceil((window.startedAt + MINUTE_MS - now) / SECOND_MS);
      const message = 'This is more work than is done for free in a minute. Wait, then send the request again.';
      throw new QuarryError('rate_limited', message, { retryAfterSeconds });
    }
    window.bytes += bytes;
    this.#windows.delete(accountId);
    this.#windows.set(accountId, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MAX_TRACKED_ACCOUNTS && oldest !== undefined) this.#windows.delete(oldest);
  }
}
