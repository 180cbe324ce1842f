/** A queue in which callers take turns: each caller's items in their order, one item of each caller per round. */
export class Rotation<Item> {
  /** By caller, in the order of their next turn. No queue in it is empty. */
  readonly #queues = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(caller: string, item: Item): void {
    const queue = this.#queues.get(caller);
    if (queue) queue.push(item);
    else this.#queues.set(caller, [item]);
    this.#size += 1;
  }

  /** Removes the oldest item of the caller whose turn it is; that caller then waits behind all others. */
  next(): Item | undefined {
    for (const [caller, queue] of this.#queues) {
      this.#queues.delete(caller);
      const item = queue.shift();
      if (queue.length > 0) this.#queues.set(caller, queue);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }
}
