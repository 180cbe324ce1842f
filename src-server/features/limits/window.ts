import { Refusals } from './refusals.ts';
import { SlidingWindow } from './sliding-window.ts';

/** Accounts remembered at once; beyond it the one that has been silent longest starts anew. */
export const MAX_TRACKED_ACCOUNTS = 20_000;

/** Windows looked at for removal with each request: more than one, so that the table shrinks after a flood. */
const SWEEP_PER_REQUEST = 2;

interface Entry {
  window: SlidingWindow;
  refusals: Refusals | null;
}

/** What an account sent in the window that ends now. */
export interface Traffic {
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
