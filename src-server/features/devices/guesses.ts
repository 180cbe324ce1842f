import type { Clock } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import { addressGroup } from '../../platform/net/client-address.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';

const WRONG_PER_MINUTE = 10;

/** Addresses that are remembered. The oldest goes first. */
const ADDRESSES_MAX = 10_000;

/**
 * Bounds wrong link codes by address. A code has 256 random bits: the bound keeps guesses from costing anything, and a
 * page that repeats a used code from filling the log.
 */
export class Guesses {
  readonly #clock: Clock;
  /** Times of wrong codes within a minute, by address. */
  readonly #wrong = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Errors: `rate_limited`, with the true wait. */
  checkGuessLimit(address: string | undefined): void {
    const times = this.#recentGuesses(address);
    const [first] = times;
    if (first === undefined || times.length < WRONG_PER_MINUTE) return;
    const retryAfterSeconds = Math.max(1, Math.ceil((first + MINUTE_MS - this.#clock.now()) / SECOND_MS));
    const message = `Too many wrong codes came from this device: wait ${retryAfterSeconds} s, then scan a new one.`;
    throw new QuarryError('rate_limited', message, { retryAfterSeconds, retryable: true });
  }

  countWrongGuess(address: string | undefined): void {
    const group = addressGroup(address);
    const times = [...this.#recentGuesses(address), this.#clock.now()];
    this.#wrong.delete(group);
    this.#wrong.set(group, times);
    const oldest = this.#wrong.keys().next().value;
    if (this.#wrong.size > ADDRESSES_MAX && oldest !== undefined) this.#wrong.delete(oldest);
  }

  #recentGuesses(address: string | undefined): number[] {
    const since = this.#clock.now() - MINUTE_MS;
    return (this.#wrong.get(addressGroup(address)) ?? []).filter((time) => time > since);
  }
}
