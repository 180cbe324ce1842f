import { SECOND_MS } from '../../platform/units.ts';

/** Requests that come at once, such as for the ranges of a file, and what may come in a second. */
interface Pace {
  burst: number;
  perSecond: number;
}

/** Of one device. */
export const DEVICE_PACE: Pace = { burst: 60, perSecond: 20 };

/** Of all devices with the address of one feed. */
export const FEED_PACE: Pace = { burst: 180, perSecond: 60 };

/** Names that are remembered; the one that came first is forgotten first. */
const NAMES_MAX = 10_000;

/** Token buckets by the address of a client, or by the key of a feed. */
export class FeedLimit {
  readonly #pace: Pace;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Whether a request may be answered now. */
  takeFeedTurn(name: string, now: number): boolean {
    const { burst, perSecond } = this.#pace;
    const before = this.#buckets.get(name) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, before.tokens + ((now - before.at) / SECOND_MS) * perSecond);
    const passes = tokens >= 1;
    this.#buckets.delete(name);
    this.#buckets.set(name, { tokens: passes ? tokens - 1 : tokens, at: now });
    if (this.#buckets.size > NAMES_MAX) {
      for (const [oldest] of this.#buckets) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    return passes;
  }
}
