import type { DueDelivery, TakenOfLane } from './delivery-store.ts';

type Place = Pick<DueDelivery, 'seq' | 'lane_id' | 'next_attempt_at'>;

interface Taken extends TakenOfLane {
  seqs: Set<number>;
}

/** The deliveries that were taken from their lanes and whose outcome is not recorded yet. */
export class TakenDeliveries {
  readonly #lanes = new Map<string, Taken>();

  /** The lanes that have some. */
  get laneIds(): Iterable<string> {
    return this.#lanes.keys();
  }

  ofLane(laneId: string): TakenOfLane | null {
    return this.#lanes.get(laneId) ?? null;
  }

  has({ lane_id: laneId, seq }: { lane_id: string; seq: number }): boolean {
    return this.#lanes.get(laneId)?.seqs.has(seq) ?? false;
  }

  add(delivery: Place): void {
    const lane = this.#lanes.get(delivery.lane_id);
    if (lane === undefined) {
      this.#lanes.set(delivery.lane_id, { seqs: new Set([delivery.seq]), last: delivery });
      return;
    }
    lane.seqs.add(delivery.seq);
    if (isBehind(delivery, lane.last)) lane.last = delivery;
  }

  delete({ lane_id: laneId, seq }: { lane_id: string; seq: number }): void {
    const lane = this.#lanes.get(laneId);
    lane?.seqs.delete(seq);
    if (lane?.seqs.size === 0) this.#lanes.delete(laneId);
  }
}

/** In the order of a lane. */
function isBehind(one: TakenOfLane['last'], other: TakenOfLane['last']): boolean {
  const difference = (one.next_attempt_at ?? 0) - (other.next_attempt_at ?? 0);
  return difference === 0 ? one.seq > other.seq : difference > 0;
}
