import { DAY_MS, MINUTE_MS } from '../../platform/units.ts';

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

  /** All accounts by minute, and at most `limit` accounts, the most recently active first. */
  lastHourView(now: number, limit: number) {
    const newest = [...this.#accounts].slice(-limit).reverse();
    return {
      ...this.#all.minuteSeries(now),
      accounts: newest.map(([accountId, minutes]): AccountHour => {
        return { accountId, ...minutes.minuteSeries(now), refusedToday: minutes.refusedOn(dayOf(now)) };
      }),
    };
  }
}

function dayOf(now: number): number {
  return Math.floor(now / DAY_MS);
}

/** A ring of minutes. */
class Minutes {
  readonly #passed = new Uint32Array(HOUR_MINUTES);
  readonly #refused = new Uint32Array(HOUR_MINUTES);
  #newest = 0;
  #day = 0;
  #refusedToday = 0;

  countMinuteRequest(passed: boolean, now: number): void {
    this.#advanceToMinute(now);
    const counts = passed ? this.#passed : this.#refused;
    const place = this.#newest % HOUR_MINUTES;
    counts[place] = (counts[place] ?? 0) + 1;
    if (passed) return;
    this.#refusedToday = this.refusedOn(dayOf(now)) + 1;
    this.#day = dayOf(now);
  }

  minuteSeries(now: number): Pick<AccountHour, 'passed' | 'refused'> {
    this.#advanceToMinute(now);
    const places = Array.from({ length: HOUR_MINUTES }, (_, index) => (this.#newest + 1 + index) % HOUR_MINUTES);
    const minuteCountsOf = (counts: Uint32Array) => places.map((place) => counts[place] ?? 0);
    return { passed: minuteCountsOf(this.#passed), refused: minuteCountsOf(this.#refused) };
  }

  refusedOn(day: number): number {
    return day === this.#day ? this.#refusedToday : 0;
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
