import { HOUR_MS, MINUTE_MS } from '../../platform/units.ts';

/** Minutes of the plot. */
export const HOUR_MINUTES = 60;

/** Accounts with a plot of their own. Beyond this the least recently active one is dropped. */
const MAX_ACCOUNTS = 1000;

export interface AccountHour {
  accountId: string;
  /** Requests that passed, by minute, oldest first. */
  passed: number[];
  refused: number[];
  refusedToday: number;
}

/**
 * Requests of the last hour by minute, of all accounts together and of each of the newest. In memory: a request costs
 * two additions, and a flood from many accounts drops the oldest ones.
 */
export class LastHour {
  readonly #all = new Minutes();
  /** The least recently active first. */
  readonly #accounts = new Map<string, Minutes>();

  noteHourRequest(accountId: string, passed: boolean, now: number): void {
    const minutes = this.#accounts.get(accountId) ?? new Minutes();
    this.#accounts.delete(accountId);
    this.#accounts.set(accountId, minutes);
    const [oldest] = this.#accounts.keys();
    if (this.#accounts.size > MAX_ACCOUNTS && oldest !== undefined) this.#accounts.delete(oldest);
    minutes.countMinuteRequest(passed, now);
    this.#all.countMinuteRequest(passed, now);
  }

  /**
   * All accounts by minute, and at most `limit` accounts, the most recently active first.
   * @param today when the day of the asker began
   */
  lastHourView(now: number, today: number, limit: number) {
    const newest = [...this.#accounts].slice(-limit).reverse();
    return {
      ...this.#all.minuteSeries(now),
      accounts: newest.map(([accountId, minutes]): AccountHour => {
        return { accountId, ...minutes.minuteSeries(now), refusedToday: minutes.refusedSince(today) };
      }),
    };
  }
}

/** Hours that the longest day has: the clock is put back. */
const DAY_HOURS = 25;

/** A ring of minutes, and refused requests by hour. */
class Minutes {
  readonly #passed = new Uint32Array(HOUR_MINUTES);
  readonly #refused = new Uint32Array(HOUR_MINUTES);
  #newest = 0;
  /** The number of refused requests by the number of the hour. */
  readonly #hours = new Map<number, number>();

  countMinuteRequest(passed: boolean, now: number): void {
    this.#advanceToMinute(now);
    const counts = passed ? this.#passed : this.#refused;
    const place = this.#newest % HOUR_MINUTES;
    counts[place] = (counts[place] ?? 0) + 1;
    if (passed) return;
    const hour = Math.floor(now / HOUR_MS);
    this.#hours.set(hour, (this.#hours.get(hour) ?? 0) + 1);
    for (const old of this.#hours.keys()) if (old < hour - DAY_HOURS) this.#hours.delete(old);
  }

  minuteSeries(now: number): Pick<AccountHour, 'passed' | 'refused'> {
    this.#advanceToMinute(now);
    const places = Array.from({ length: HOUR_MINUTES }, (_, index) => (this.#newest + 1 + index) % HOUR_MINUTES);
    const minuteCountsOf = (counts: Uint32Array) => places.map((place) => counts[place] ?? 0);
    return { passed: minuteCountsOf(this.#passed), refused: minuteCountsOf(this.#refused) };
  }

  refusedSince(time: number): number {
    const first = Math.floor(time / HOUR_MS);
    return [...this.#hours].reduce((sum, [hour, count]) => (hour < first ? sum : sum + count), 0);
  }

  /** Empties the minutes that have passed. A clock that was set back counts in the newest minute. */
  #advanceToMinute(now: number): void {
    const minute = Math.floor(now / MINUTE_MS);
    const first = Math.max(this.#newest + 1, minute - HOUR_MINUTES + 1);
    for (let each = first; each <= minute; each += 1) {
      this.#passed[each % HOUR_MINUTES] = 0;
      this.#refused[each % HOUR_MINUTES] = 0;
    }
    this.#newest = Math.max(this.#newest, minute);
  }
}
