/** A FIFO mutex. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all earlier calls have settled. */
  runExclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => {});
    return mine;
  }
}

/** Yields to the event loop. The database is synchronous, so a loop over its rows yields nowhere else. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Processes items with at most `limit` in parallel and returns the results in order. The first failure aborts the
 * others through their signal, and is thrown after all have settled.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  signal: AbortSignal,
  work: (item: Item, together: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const failed = new AbortController();
  const together = AbortSignal.any([signal, failed.signal]);
  const waiting = items.entries();
  let failure: { error: unknown } | null = null;
  const workOffItems = async () => {
    for (const [index, item] of waiting) {
      if (together.aborted) return;
      try {
        results[index] = await work(item, together);
      } catch (error) {
        failure ??= { error };
        failed.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, workOffItems));
  signal.throwIfAborted();
  if (failure !== null) throw (failure as { error: unknown }).error;
  return results;
}

/** A counting semaphore per key. Waiters get a slot in FIFO order. */
export class KeyedSemaphore {
  readonly #limit: number;
  /** Only keys in use. */
  readonly #keys = new Map<string, { taken: number; waiting: Set<() => void> }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Takes a slot and returns a function that frees it; calling it again has no effect.
   *
   * @param signal evaluated only when the call has to wait; an abort rejects with its reason.
   */
  async acquireKeySlot(key: string, signal: () => AbortSignal): Promise<() => void> {
    const state = this.#keys.get(key) ?? { taken: 0, waiting: new Set() };
    this.#keys.set(key, state);
    if (state.taken < this.#limit) state.taken += 1;
    else await nextSlot(state.waiting, signal());
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

/** Waits for a slot that a holder passes on directly, so that it is never free in between. */
function nextSlot(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const grantWaitingSlot = () => {
    waiting.delete(grantWaitingSlot);
    signal.removeEventListener('abort', cancelWaitingSlot);
    resolve();
  };
  const cancelWaitingSlot = () => {
    waiting.delete(grantWaitingSlot);
    reject(signal.reason);
  };
  if (signal.aborted) return Promise.reject(signal.reason);
  waiting.add(grantWaitingSlot);
  signal.addEventListener('abort', cancelWaitingSlot, { once: true });
  return promise;
}
