import { SECOND_MS } from '../../platform/units.ts';

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
