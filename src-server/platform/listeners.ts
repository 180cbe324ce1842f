/**
 * Who wants to hear of changes, within this process. What they then show is read from the database, so a missed word
 * can only delay, never mislead.
 */
export class Listeners<Value> {
  readonly #all = new Set<(value: Value) => void>();

  /** Whether anybody listens: what nobody hears need not be put together. */
  get any(): boolean {
    return this.#all.size > 0;
  }

  /** Calls `listener` with everything that is told, until the returned function is called. */
  add(listener: (value: Value) => void): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  /** Call this once what is told of is committed. */
  tell(value: Value): void {
    for (const listener of this.#all) listener(value);
  }
}
