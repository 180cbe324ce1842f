/**
 * Change listeners within this process. Listeners read the data from the database, so a missed call can delay an update
 * but never falsify it.
 */
export class Listeners<Value> {
  readonly #all = new Set<(value: Value) => void>();

  /** Whether there are listeners. Without them, events need not be built. */
  get hasListeners(): boolean {
    return this.#all.size > 0;
  }

  /** Calls `listener` with each value. Returns a function that unsubscribes. */
  addListener(listener: (value: Value) => void): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  /** Notifies all listeners. Call it after the commit. */
  notifyListeners(value: Value): void {
    for (const listener of this.#all) listener(value);
  }
}
