/**
 * Sliding windows that count the requests of an account, and when a refused one may be retried (Retry-After).
 */

import type { Principal } from '../../context.ts';
import type { Clock } from '../../platform/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';

/** Accounts tracked at once. Beyond this the least recently active one is forgotten. */
export const MAX_TRACKED_ACCOUNTS = 20_000;

/** Idle windows removed per request: more than one, so that the table shrinks after a flood. */
const SWEEP_PER_REQUEST = 2;

interface Entry {
  window: SlidingWindow;
  refusals: Refusals | null;
}

/** What an account sent in the window that ends now. */
interface Traffic {
  accountId: string;
  passed: number;
  refused: number;
}

/** The windows of all accounts, the one heard from last at the end. */
export class WindowTable {
  readonly #windowMs: number;
  readonly #entries = new Map<string, Entry>();

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** The account's window, made when it is new. Each call counts as a sign of life. */
  of(accountId: string, now: number): { window: SlidingWindow; refusals: () => Refusals } {
    const entry = this.#entries.get(accountId) ?? { window: new SlidingWindow(this.#windowMs), refusals: null };
    this.#entries.delete(accountId);
    this.#sweep(now);
    this.#entries.set(accountId, entry);
    return {
      window: entry.window,
      refusals: () => {
        entry.refusals ??= new Refusals(this.#windowMs);
        return entry.refusals;
      },
    };
  }

  /** Number of accounts remembered. */
  get size(): number {
    return this.#entries.size;
  }

  traffic(accountId: string, now: number): Traffic {
    const entry = this.#entries.get(accountId);
    return {
      accountId,
      passed: entry?.window.count(now) ?? 0,
      refused: entry?.refusals?.count(now) ?? 0,
    };
  }

  /** Accounts with traffic, and those named in `also`, busiest first. */
  busiest(now: number, also: readonly string[], limit: number): Traffic[] {
    const named = new Set(also);
    const accounts = new Set([...this.#entries.keys(), ...named]);
    return [...accounts]
      .map((accountId) => this.traffic(accountId, now))
      .filter(({ accountId, passed, refused }) => passed + refused > 0 || named.has(accountId))
      .sort((one, other) => other.passed + other.refused - one.passed - one.refused)
      .slice(0, limit);
  }

  #sweep(now: number): void {
    let looked = 0;
    for (const [accountId, { window }] of this.#entries) {
      const full = this.#entries.size >= MAX_TRACKED_ACCOUNTS;
      if (!full && (looked >= SWEEP_PER_REQUEST || window.count(now) > 0)) return;
      this.#entries.delete(accountId);
      looked += 1;
    }
  }
}

/**
 * The exact sliding window of one account: the times of the requests that passed in the last `windowMs`, oldest first,
 * in a ring that grows with what is really sent. Why not a library's window: decisions/005.
 */

/** Most addresses send a handful of requests, so a window begins small. */
const INITIAL_SLOTS = 4;

/** Not a number, rather than 0, makes the engine keep the slots as plain doubles from the start: 8 bytes each. */
const emptySlots = (length: number): number[] => new Array<number>(length).fill(Number.NaN);

export class SlidingWindow {
  readonly #windowMs: number;
  #times = emptySlots(INITIAL_SLOTS);
  #oldest = 0;
  #count = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** How many requests passed in the window that ends now. */
  count(now: number): number {
    this.#settle(now);
    return this.#count;
  }

  /** Whether one more request passes under `limit`; only a request that passes is remembered. */
  take(now: number, limit: number): boolean {
    this.#settle(now);
    if (this.#count >= limit) return false;
    if (this.#count === this.#times.length) this.#grow();
    this.#times[this.#slot(this.#count)] = now;
    this.#count += 1;
    return true;
  }

  /** Milliseconds until one more request passes; 0 when it would pass now. */
  waitMs(now: number, limit: number): number {
    this.#settle(now);
    if (this.#count < limit) return 0;
    return this.#timeOf(this.#count - limit) + this.#windowMs - now;
  }

  /** Milliseconds until the window is empty again, were nothing more sent. */
  emptyInMs(now: number): number {
    this.#settle(now);
    return this.#count === 0 ? 0 : this.#timeOf(this.#count - 1) + this.#windowMs - now;
  }

  /** Lets go what has left the window. A clock that was set back takes the remembered times with it. */
  #settle(now: number): void {
    const ahead = this.#count === 0 ? 0 : this.#timeOf(this.#count - 1) - now;
    if (ahead > 0) {
      for (let index = 0; index < this.#times.length; index += 1) this.#times[index] = this.#at(index) - ahead;
    }
    while (this.#count > 0 && now - this.#timeOf(0) >= this.#windowMs) {
      this.#oldest = this.#slot(1);
      this.#count -= 1;
    }
  }

  #grow(): void {
    const larger = emptySlots(this.#times.length * 2);
    for (let index = 0; index < this.#count; index += 1) larger[index] = this.#timeOf(index);
    this.#times = larger;
    this.#oldest = 0;
  }

  #timeOf(index: number): number {
    return this.#at(this.#slot(index));
  }

  #slot(index: number): number {
    return (this.#oldest + index) % this.#times.length;
  }

  #at(slot: number): number {
    return this.#times[slot] as number;
  }
}

/**
 * How many requests of one account were refused in the last window. Refusals are counted per second, not one by one:
 * whoever floods must not be able to make the service remember each try.
 */
export class Refusals {
  readonly #seconds: number;
  readonly #counts: Uint32Array;
  readonly #stamps: Float64Array;

  constructor(windowMs: number) {
    this.#seconds = Math.ceil(windowMs / SECOND_MS);
    this.#counts = new Uint32Array(this.#seconds);
    this.#stamps = new Float64Array(this.#seconds);
  }

  add(now: number): void {
    const second = Math.floor(now / SECOND_MS);
    const slot = second % this.#seconds;
    const stale = this.#stamps[slot] !== second;
    this.#stamps[slot] = second;
    this.#counts[slot] = (stale ? 0 : (this.#counts[slot] ?? 0)) + 1;
  }

  count(now: number): number {
    const newest = Math.floor(now / SECOND_MS);
    const isInWindow = (stamp: number) => stamp > newest - this.#seconds && stamp <= newest;
    return this.#counts.reduce((sum, count, slot) => sum + (isInWindow(this.#stamps[slot] ?? 0) ? count : 0), 0);
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

/** What a window says of a request that it has let pass, or has not. */
export function decisionOf(window: SlidingWindow, allowed: boolean, limit: number, now: number): RateDecision {
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - window.count(now)),
    resetSeconds: Math.ceil(window.emptyInMs(now) / SECOND_MS),
    retryAfterSeconds: allowed ? 0 : Math.ceil(window.waitMs(now, limit) / SECOND_MS),
  };
}

/**
 * Bounds what payment proofs that buy nothing may cost. Each is verified before anybody knows that, so a sender has as
 * many of them looked at in a minute as its plan allows requests.
 */
export interface FruitlessProofs {
  /** Whether one more proof of this sender is looked at. Counts nothing. */
  admit(sender: Principal): RateDecision;
  /** Counts a proof that was looked at and bought nothing. */
  note(sender: Principal): void;
}

export function createFruitlessProofs(clock: Clock, limitOf: (accountId: string) => number): FruitlessProofs {
  const windows = new WindowTable(MINUTE_MS);
  return {
    admit({ accountId }) {
      const now = clock.now();
      const limit = limitOf(accountId);
      const { window } = windows.of(accountId, now);
      return decisionOf(window, window.count(now) < limit, limit, now);
    },
    note({ accountId }) {
      const now = clock.now();
      windows.of(accountId, now).window.take(now, limitOf(accountId));
    },
  };
}
