/**
 * A wait is kept as the time of its end. When the clock is set back, one that began by the time before would be longer
 * by as much: hours, where the machine's clock was wrong by hours. Such waits begin anew, so that none is longer than
 * twice what it was to be; a wait that began before the time it is now ends when that says.
 */

import { othersTurn } from '../../platform/concurrency.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import type { TakenDeliveries } from './dispatcher.ts';
import type { WebhookParts } from './sender.ts';
import { beginWaitsAnew, waitingDeliveries, wakeWaitingLanes } from './store-waits.ts';

/** Clocks are put right by seconds all the time; nobody minds a wait that is longer by so little. */
const TOLERATED_MS = MINUTE_MS;

/** Takes two to five milliseconds. */
const WAITS_PER_TURN = 2000;

export class SetBackClock {
  readonly #parts: Pick<WebhookParts, 'storage' | 'clock'>;
  readonly #taken: TakenDeliveries;
  /** The latest time that was seen. Null at the start: what a process before has seen is not known. */
  #latest: number | null = null;

  constructor(parts: Pick<WebhookParts, 'storage' | 'clock'>, taken: TakenDeliveries) {
    this.#parts = parts;
    this.#taken = taken;
  }

  /** Lets waits begin anew if the clock was set back since the last time. Costs nothing if it was not. */
  async mendWaits(): Promise<void> {
    const now = this.#parts.clock.now();
    if (this.#latest !== null && now >= this.#latest - TOLERATED_MS) {
      this.#latest = Math.max(now, this.#latest);
      return;
    }
    for (let behind: number | null = -1; behind !== null; ) {
      behind = await this.#mendSome(behind, now);
      await othersTurn();
    }
    await this.#parts.storage.transaction((tx) => wakeWaitingLanes(tx, now));
    this.#latest = now;
  }

  /** Gives back where to go on; null at the end. */
  async #mendSome(behind: number, now: number): Promise<number | null> {
    return this.#parts.storage.transaction(async (tx) => {
      const rows = await waitingDeliveries(tx, behind, WAITS_PER_TURN);
      // The outcome of one that is under way says itself what comes next.
      const wrong = rows.filter((row) => row.updated_at > now && !this.#taken.has(row));
      const seqs = wrong.map((row) => row.seq);
      if (seqs.length > 0) await beginWaitsAnew(tx, seqs, now);
      return rows.length === WAITS_PER_TURN ? (rows.at(-1)?.seq ?? null) : null;
    });
  }
}
