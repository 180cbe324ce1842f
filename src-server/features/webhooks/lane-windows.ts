/**
 * How many requests each lane may have open. A lane begins small and grows with success; silence shrinks it to one. So
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
/** Of the slow places, lanes known to hang may take this many: the others are for those not yet known. */
const MAX_TROUBLED = 256;
const SLOW_AFTER_MS = 1000;
/** Lanes that are remembered while nothing is under way in them. */
const MAX_REMEMBERED = 20_000;

interface Lane {
  window: number;
  running: number;
}

export interface Flight {
  laneId: string;
  /** Of `performance.now()`: wall time, whatever the product's clock says. */
  startedAt: number;
}

export class LaneWindows {
  readonly #lanes = new Map<string, Lane>();
  /** In the order of their start. */
  readonly #young = new Set<Flight>();
  readonly #slow = new Set<Flight>();

  /** How many requests may be started now, over all lanes. */
  free(): number {
    this.#age();
    return Math.min(MAX_YOUNG - this.#young.size, MAX_TOTAL - this.#young.size - this.#slow.size);
  }

  room(laneId: string): number {
    const lane = this.#lanes.get(laneId);
    if (lane === undefined) return START_WINDOW;
    if (lane.window === 1 && this.#slow.size >= MAX_TROUBLED) return 0;
    return Math.max(0, lane.window - lane.running);
  }

  get underWay(): number {
    return this.#young.size + this.#slow.size;
  }

  start(laneId: string): Flight {
    const lane = this.#lanes.get(laneId) ?? { window: START_WINDOW, running: 0 };
    lane.running += 1;
    this.#lanes.set(laneId, lane);
    const flight = { laneId, startedAt: performance.now() };
    this.#young.add(flight);
    return flight;
  }

  end(flight: Flight, verdict: 'success' | 'failure' | 'silence'): void {
    this.#young.delete(flight);
    this.#slow.delete(flight);
    const lane = this.#lanes.get(flight.laneId);
    if (lane === undefined) return;
    lane.running -= 1;
    if (verdict === 'success') lane.window = Math.min(MAX_WINDOW, lane.window + 1);
    else lane.window = verdict === 'silence' ? 1 : Math.max(1, Math.floor(lane.window / 2));
    if (this.#lanes.size > MAX_REMEMBERED) this.#forgetIdle();
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
    for (const [id, lane] of this.#lanes) {
      if (lane.running === 0) this.#lanes.delete(id);
    }
  }
}
