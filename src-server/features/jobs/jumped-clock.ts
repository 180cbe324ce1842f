import type { Clock } from '../../platform/clock.ts';
import { HOUR_MS } from '../../platform/units.ts';

/** Clocks are put right by minutes all the time: results that go so much too early have had their day. */
const TOLERATED_MS = HOUR_MS;
/** How long a clock that has jumped is not believed: a wrong one is mostly noticed, and set back, within that. */
const DOUBT_MS = HOUR_MS;

/**
 * Whether the clock has just gone ahead by more than the time that has passed: it was set, and may have been set wrong,
 * or the machine slept. What is removed by a wrong clock does not come back when that is set right.
 */
export class JumpedClock {
  readonly #clock: Clock;
  #last: { time: number; uptime: number };
  #doubtedUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#last = { time: clock.now(), uptime: performance.now() };
  }

  /** To be asked again and again: each time compares with the time before. */
  isDoubted(): boolean {
    const [time, uptime] = [this.#clock.now(), performance.now()];
    const ahead = time - this.#last.time - (uptime - this.#last.uptime);
    this.#last = { time, uptime };
    if (ahead > TOLERATED_MS) this.#doubtedUntil = uptime + DOUBT_MS;
    // Set back by as much: it is right again.
    else if (ahead < -TOLERATED_MS) this.#doubtedUntil = 0;
    return uptime < this.#doubtedUntil;
  }
}
