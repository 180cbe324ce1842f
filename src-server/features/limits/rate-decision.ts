import { SECOND_MS } from '../../platform/units.ts';
import type { SlidingWindow } from './sliding-window.ts';

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
