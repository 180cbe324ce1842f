/**
 * How many requests each queue may have open. A window begins small and grows with success; silence shrinks it to 1. So
 * a dead destination soon costs one socket, and a good one is served as fast as it answers.
 */
const START_WINDOW = 4;
const MAX_WINDOW = 64;
/**
 * Requests under way that have not become slow: three times what is recorded together, so that the thread that posts
 * has work while a batch is recorded and the next one is made.
 */
const MAX_YOUNG = 512;
/** All requests under way. What hangs is slow after a second and then no longer counts against the young. */
const MAX_TOTAL = 1024;
/** Of the slow places, queues known to hang may take this many: the others are for those not yet known. */
const MAX_TROUBLED = 256;
const SLOW_AFTER_MS = 1000;
/** Queues that are remembered while nothing is under way in them. */
const MAX_REMEMBERED = 20_000;

interface Queue {
  window: number;
  running: number;
}

export interface Flight {
  queueId: string;
  /** Of `performance.now()`: wall time, whatever the product's clock says. */
  startedAt: number;
}

export class QueueWindows {
  readonly #queues = new Map<string, Queue>();
  /** In the order of their start. */
  readonly #young = new Set<Flight>();
  readonly #slow = new Set<Flight>();

  /** How many requests may be started now, over all queues. */
  free(): number {
    this.#age();
    return Math.min(MAX_YOUNG - this.#young.size, MAX_TOTAL - this.#young.size - this.#slow.size);
  }

  room(queueId: string): number {
    const queue = this.#queues.get(queueId);
    if (queue === undefined) return START_WINDOW;
    if (queue.window === 1 && this.#slow.size >= MAX_TROUBLED) return 0;
    return Math.max(0, queue.window - queue.running);
  }

  get underWay(): number {
    return this.#young.size + this.#slow.size;
  }

  start(queueId: string): Flight {
    const queue = this.#queues.get(queueId) ?? { window: START_WINDOW, running: 0 };
    queue.running += 1;
    this.#queues.set(queueId, queue);
    const flight = { queueId, startedAt: performance.now() };
    this.#young.add(flight);
    return flight;
  }

  end(flight: Flight, verdict: 'success' | 'failure' | 'silence'): void {
    this.#young.delete(flight);
    this.#slow.delete(flight);
    const queue = this.#queues.get(flight.queueId);
    if (queue === undefined) return;
    queue.running -= 1;
    if (verdict === 'success') queue.window = Math.min(MAX_WINDOW, queue.window + 1);
    else queue.window = verdict === 'silence' ? 1 : Math.max(1, Math.floor(queue.window / 2));
    if (this.#queues.size > MAX_REMEMBERED) this.#forgetIdle();
  }

  #age(): void {
    const limit = performance.now() - SLOW_AFTER_MS;
    for (const flight of this.#young) {
      if (flight.startedAt > limit) return;
      this.#young.delete(flight);
      this.#slow.add(flight);
    }
  }

  #forgetIdle(): void {
    for (const [id, queue] of this.#queues) {
      if (queue.running === 0) this.#queues.delete(id);
    }
  }
}
