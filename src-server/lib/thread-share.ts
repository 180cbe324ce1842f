import { performance } from 'node:perf_hooks';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';

/** Work rests this many times as long as it took, where others use the thread all the time. */
const REST_FACTOR_MAX = 5;
/** From this share of the time on others count as using it all the time: what they ask takes several turns each. */
const BUSY_SHARE = 0.2;

/**
 * Keeps background work of the server's thread out of the way of those who wait for an answer. It runs in slices, and
 * rests between two the longer, the more others use the thread; on a thread that nobody else uses it hardly rests.
 */
export class ThreadShare {
  #since = performance.eventLoopUtilization();

  /** @param workedMs how long the slice before took of the thread */
  async rest(workedMs: number): Promise<void> {
    const now = performance.eventLoopUtilization();
    const { active, idle } = performance.eventLoopUtilization(now, this.#since);
    this.#since = now;
    const share = active + idle === 0 ? 0 : Math.max(0, active - workedMs) / (active + idle);
    const restMs = workedMs * REST_FACTOR_MAX * Math.min(1, share / BUSY_SHARE);
    if (restMs < 1) await turn();
    else await sleep(restMs);
  }
}
