/** A counting semaphore for each key. Those that wait for a key's slot get it in the order they came. */
export class KeyedSlots {
  readonly #limit: number;
  /** Only keys in use. */
  readonly #keys = new Map<string, { taken: number; waiting: Set<() => void> }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Takes a slot and gives back how to free it, once or more often.
   * @param signal asked for only when there is a wait; rejects the wait with its reason.
   */
  async enter(key: string, signal: () => AbortSignal): Promise<() => void> {
    const state = this.#keys.get(key) ?? { taken: 0, waiting: new Set() };
    this.#keys.set(key, state);
    if (state.taken < this.#limit) state.taken += 1;
    else await handedOver(state.waiting, signal());
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const [next] = state.waiting;
      if (next) return next();
      state.taken -= 1;
      if (state.taken === 0) this.#keys.delete(key);
    };
  }
}

/** Waits for a slot that passes from its holder to this caller without becoming free. */
function handedOver(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const take = () => {
    waiting.delete(take);
    signal.removeEventListener('abort', giveUp);
    resolve();
  };
  const giveUp = () => {
    waiting.delete(take);
    reject(signal.reason);
  };
  if (signal.aborted) return Promise.reject(signal.reason);
  waiting.add(take);
  signal.addEventListener('abort', giveUp, { once: true });
  return promise;
}
