import { SECOND_MS } from '../../platform/units.ts';

/** Requests that an app sends at once, such as for the ranges of a file, and what it may send in a second. */
const BURST = 60;

const PER_SECOND = 20;

/** Addresses that are remembered; the one that came first is forgotten first. */
const ADDRESSES_MAX = 10_000;

/** Token buckets by address of the client. */
export class FeedLimit {
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  /** Whether a request may be answered now. */
  takeFeedTurn(address: string, now: number): boolean {
    const before = this.#buckets.get(address) ?? { tokens: BURST, at: now };
    const tokens = Math.min(BURST, before.tokens + ((now - before.at) / SECOND_MS) * PER_SECOND);
    const passes = tokens >= 1;
    this.#buckets.delete(address);
    this.#buckets.set(address, { tokens: passes ? tokens - 1 : tokens, at: now });
    if (this.#buckets.size > ADDRESSES_MAX) {
      for (const [oldest] of this.#buckets) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    return passes;
  }
}
