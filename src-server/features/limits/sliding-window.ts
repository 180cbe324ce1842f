/**
 * The exact sliding window of one account: the times of the requests that passed in the last `windowMs`, oldest first,
 * in a ring that grows with what is really sent. Why not a library's window: decisions/005.
 */

/** Most addresses send a handful of requests, so a window begins small. */
const INITIAL_SLOTS = 4;

/** Not a number, rather than 0, makes the engine keep the slots as plain doubles from the start: 8 bytes each. */
const emptySlots = (length: number): number[] => new Array<number>(length).fill(Number.NaN);

export class SlidingWindow {
  readonly #windowMs: number;
  #times = emptySlots(INITIAL_SLOTS);
  #oldest = 0;
  #count = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** How many requests passed in the window that ends now. */
  count(now: number): number {
    this.#settle(now);
    return this.#count;
  }

  /** Whether one more request passes under `limit`; only a request that passes is remembered. */
  take(now: number, limit: number): boolean {
    this.#settle(now);
    if (this.#count >= limit) return false;
    if (this.#count === this.#times.length) this.#grow();
    this.#times[this.#slot(this.#count)] = now;
    this.#count += 1;
    return true;
  }

  /** Milliseconds until one more request passes; 0 when it would pass now. */
  waitMs(now: number, limit: number): number {
    this.#settle(now);
    if (this.#count < limit) return 0;
    return this.#timeOf(this.#count - limit) + this.#windowMs - now;
  }

  /** Milliseconds until the window is empty again, were nothing more sent. */
  emptyInMs(now: number): number {
    this.#settle(now);
    return this.#count === 0 ? 0 : this.#timeOf(this.#count - 1) + this.#windowMs - now;
  }

  /** Lets go what has left the window. A clock that was set back takes the remembered times with it. */
  #settle(now: number): void {
    const ahead = this.#count === 0 ? 0 : this.#timeOf(this.#count - 1) - now;
    if (ahead > 0) {
      for (let index = 0; index < this.#times.length; index += 1) this.#times[index] = this.#at(index) - ahead;
    }
    while (this.#count > 0 && now - this.#timeOf(0) >= this.#windowMs) {
      this.#oldest = this.#slot(1);
      this.#count -= 1;
    }
  }

  #grow(): void {
    const larger = emptySlots(this.#times.length * 2);
    for (let index = 0; index < this.#count; index += 1) larger[index] = this.#timeOf(index);
    this.#times = larger;
    this.#oldest = 0;
  }

  #timeOf(index: number): number {
    return this.#at(this.#slot(index));
  }

  #slot(index: number): number {
    return (this.#oldest + index) % this.#times.length;
  }

  #at(slot: number): number {
    return this.#times[slot] as number;
  }
}
