/**
 * Sliding windows that count the requests of an account, and when a refused one may be retried (Retry-After).
 */

import type { Principal } from '../../context.ts';
import type { Clock } from '../../platform/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';

/** Accounts in the table. Beyond this the least recently active one is dropped. */
export const MAX_TRACKED_ACCOUNTS = 20_000;

/** Idle windows removed per request: more than one, so that the table shrinks after a flood. */
const SWEEP_PER_REQUEST = 2;

/** What an account sent in the window that ends now. */
interface Traffic {
  accountId: string;
  passed: number;
  refused: number;
}

/** The windows of all accounts, the least recently active first. */
export class WindowTable {
  readonly #windowMs: number;
  readonly #entries = new Map<string, { window: SlidingWindow; refusals: Refusals }>();

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** The windows of an account, which becomes the most recently active one. */
  windowsOfAccount(accountId: string, now: number): { window: SlidingWindow; refusals: Refusals } {
    const entry = this.#entries.get(accountId) ?? {
      window: new SlidingWindow(this.#windowMs),
      refusals: new Refusals(this.#windowMs),
    };
    this.#entries.delete(accountId);
    this.#sweepIdleWindows(now);
    this.#entries.set(accountId, entry);
    return entry;
  }

  /** Number of accounts remembered. */
  get trackedAccountCount(): number {
    return this.#entries.size;
  }

  accountTraffic(accountId: string, now: number): Traffic {
    const entry = this.#entries.get(accountId);
    return {
      accountId,
      passed: entry?.window.passedInWindow(now) ?? 0,
      refused: entry?.refusals.countRefusals(now) ?? 0,
    };
  }

  /** Accounts with traffic, and those named in `also`, busiest first. */
  busiestAccounts(now: number, also: readonly string[], limit: number): Traffic[] {
    const named = new Set(also);
    const accounts = new Set([...this.#entries.keys(), ...named]);
    return [...accounts]
      .map((accountId) => this.accountTraffic(accountId, now))
      .filter(({ accountId, passed, refused }) => passed + refused > 0 || named.has(accountId))
      .sort((one, other) => other.passed + other.refused - one.passed - one.refused)
      .slice(0, limit);
  }

  #sweepIdleWindows(now: number): void {
    let looked = 0;
    for (const [accountId, { window }] of this.#entries) {
      const full = this.#entries.size >= MAX_TRACKED_ACCOUNTS;
      if (!full && (looked >= SWEEP_PER_REQUEST || window.passedInWindow(now) > 0)) return;
      this.#entries.delete(accountId);
      looked += 1;
    }
  }
}

/**
 * The exact sliding window of one account: the times of the requests that passed in the last `windowMs`, oldest first.
 * Why not a library's window: decisions/005.
 */
export class SlidingWindow {
  readonly #windowMs: number;
  #times: number[] = [];

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** How many requests passed in the window that ends now. */
  passedInWindow(now: number): number {
    this.#discardOldTimes(now);
    return this.#times.length;
  }

  /** Whether one more request passes under `limit`. Only a request that passes is remembered. */
  takeWindowSlot(now: number, limit: number): boolean {
    if (this.passedInWindow(now) >= limit) return false;
    this.#times.push(now);
    return true;
  }

  /** Milliseconds until one more request passes; 0 when it would pass now. */
  waitMs(now: number, limit: number): number {
    const count = this.passedInWindow(now);
    return count < limit ? 0 : this.#remainingMs(count - limit, now);
  }

  /** Milliseconds until the window is empty, without further requests. */
  emptyInMs(now: number): number {
    const count = this.passedInWindow(now);
    return count === 0 ? 0 : this.#remainingMs(count - 1, now);
  }

  #remainingMs(index: number, now: number): number {
    return (this.#times[index] ?? now) + this.#windowMs - now;
  }

  /** Removes times that have left the window. When the clock was set back, the times move with it. */
  #discardOldTimes(now: number): void {
    const ahead = (this.#times.at(-1) ?? now) - now;
    if (ahead > 0) this.#times = this.#times.map((time) => time - ahead);
    while (now - (this.#times[0] ?? now) >= this.#windowMs) this.#times.shift();
  }
}

/** Refused requests of one account in the last window. A count per second bounds the memory of a flood. */
export class Refusals {
  readonly #seconds: number;
  readonly #counts = new Map<number, number>();

  constructor(windowMs: number) {
    this.#seconds = Math.ceil(windowMs / SECOND_MS);
  }

  addRefusal(now: number): void {
    const second = Math.floor(now / SECOND_MS);
    this.#counts.set(second, (this.#counts.get(second) ?? 0) + 1);
    if (this.#counts.size <= this.#seconds) return;
    for (const other of this.#counts.keys()) if (!this.#isInWindow(other, second)) this.#counts.delete(other);
  }

  countRefusals(now: number): number {
    const newest = Math.floor(now / SECOND_MS);
    return [...this.#counts].reduce((sum, [second, count]) => sum + (this.#isInWindow(second, newest) ? count : 0), 0);
  }

  #isInWindow(second: number, newest: number): boolean {
    return second > newest - this.#seconds && second <= newest;
  }
}

export interface RateDecision {
  allowed: boolean;
  /** Requests per minute; Infinity for the owner. */
  limit: number;
  /** Requests that would pass right now. */
  remaining: number;
  /** Whole seconds after which the whole quota is there again. */
  resetSeconds: number;
  /** Whole seconds after which the next request passes; 0 when allowed. */
  retryAfterSeconds: number;
}

/** The state of a window after a request. */
export function decisionOf(window: SlidingWindow, allowed: boolean, limit: number, now: number): RateDecision {
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - window.passedInWindow(now)),
    resetSeconds: Math.ceil(window.emptyInMs(now) / SECOND_MS),
    retryAfterSeconds: allowed ? 0 : Math.ceil(window.waitMs(now, limit) / SECOND_MS),
  };
}

/**
 * Bounds the cost of payment proofs that buy nothing: each is verified before that is known. A sender has as many of
 * them verified in a minute as its plan allows requests.
 */
export class FruitlessProofs {
  readonly #windows = new WindowTable(MINUTE_MS);
  readonly #clock: Clock;
  readonly #limitOf: (accountId: string) => number;

  constructor(clock: Clock, limitOf: (accountId: string) => number) {
    this.#clock = clock;
    this.#limitOf = limitOf;
  }

  /** Whether one more proof of this sender is verified. Counts nothing. */
  admitProofSender({ accountId }: Principal): RateDecision {
    const now = this.#clock.now();
    const limit = this.#limitOf(accountId);
    const { window } = this.#windows.windowsOfAccount(accountId, now);
    return decisionOf(window, window.passedInWindow(now) < limit, limit, now);
  }

  /** Counts a proof that was verified and bought nothing. */
  noteFruitlessProof({ accountId }: Principal): void {
    const now = this.#clock.now();
    this.#windows.windowsOfAccount(accountId, now).window.takeWindowSlot(now, this.#limitOf(accountId));
  }
}
