import type { Clock } from '../../src-server/platform/clock.ts';

/** Real time, plus what a test has moved it by: hours pass at once, and nothing stands still that should run. */
export class MovableClock implements Clock {
  #offsetMs = 0;
  #standsAt: number | null = null;

  now(): number {
    return (this.#standsAt ?? Math.floor(performance.timeOrigin + performance.now())) + this.#offsetMs;
  }

  /** For what counts within a span of time: from now on none passes but by the test's will. */
  stand(): void {
    this.#standsAt = Math.floor(performance.timeOrigin + performance.now());
  }

  advance(milliseconds: number): void {
    this.#offsetMs += milliseconds;
  }
}
