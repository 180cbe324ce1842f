/** A piece of work that waits for a thread. */
export interface Waiting {
  accountId: string;
  heavy: boolean;
}

/**
 * Who gets the next free thread: light work before heavy, and within each the accounts in turn, so that neither an
 * hour of video nor somebody's thousand documents stand before another person's single page.
 */
export class FairQueue<Item extends Waiting> {
  readonly #light = new Map<string, Item[]>();
  readonly #heavy = new Map<string, Item[]>();

  push(item: Item): void {
    const lane = item.heavy ? this.#heavy : this.#light;
    const items = lane.get(item.accountId);
    if (items) items.push(item);
    else lane.set(item.accountId, [item]);
  }

  /** The next item, leaving heavy work out when `allowHeavy` is false. */
  shift(allowHeavy: boolean): Item | undefined {
    return shiftFrom(this.#light) ?? (allowHeavy ? shiftFrom(this.#heavy) : undefined);
  }

  remove(item: Item): boolean {
    const lane = item.heavy ? this.#heavy : this.#light;
    const items = lane.get(item.accountId);
    const index = items?.indexOf(item) ?? -1;
    if (!items || index < 0) return false;
    items.splice(index, 1);
    if (items.length === 0) lane.delete(item.accountId);
    return true;
  }

  get size(): number {
    let size = 0;
    for (const lane of [this.#light, this.#heavy]) for (const items of lane.values()) size += items.length;
    return size;
  }
}

/** A Map keeps insertion order: the account served goes to its end. */
function shiftFrom<Item>(lane: Map<string, Item[]>): Item | undefined {
  const first = lane.entries().next();
  if (first.done) return undefined;
  const [accountId, items] = first.value;
  const item = items.shift();
  lane.delete(accountId);
  if (items.length > 0) lane.set(accountId, items);
  return item;
}
