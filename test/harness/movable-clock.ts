import type { Clock } from '../../src-server/lib/clock.ts';

/** Real time, plus what a test has moved it by: hours pass at once, and nothing stands still that should run. */
export class MovableClock implements Clock {
  #offsetMs = 0;

  now(): number {
    return Math.floor(performance.timeOrigin + performance.now()) + this.#offsetMs;
  }

  advance(milliseconds: number): void {
    this.#offsetMs += milliseconds;
  }
}
