/** Lets one pass at a time, in the order they came. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` once all who came before are through, whatever became of them. */
  pass<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => {});
    return mine;
  }
}

/** Work that several wait for: it is done once, goes on while anybody waits, and ends when the last one gives up. */
interface Run<Progress> {
  /** Settles when the work has ended, by itself or given up. */
  ended: Promise<void>;
  givenUp: AbortController;
  waiting: Set<{ tell(progress: Progress): void }>;
  latest: Progress | null;
}

export class SharedWork<Progress> {
  readonly #work: (signal: AbortSignal, tell: (progress: Progress) => void) => Promise<void>;
  #run: Run<Progress> | null = null;

  constructor(work: (signal: AbortSignal, tell: (progress: Progress) => void) => Promise<void>) {
    this.#work = work;
  }

  /**
   * Waits for the work, which begins where nobody waits for it yet. Who gives up is let go at once; the last one when
   * the work has ended. Errors: those of the work, and the signal's reason.
   */
  async join(signal: AbortSignal, tell: (progress: Progress) => void): Promise<void> {
    // What was given up leaves its place before the same begins anew.
    while (this.#run?.givenUp.signal.aborted === true) await this.#run.ended.catch(() => undefined);
    signal.throwIfAborted();
    this.#run ??= this.#begin();
    const run = this.#run;
    const me = { tell };
    run.waiting.add(me);
    if (run.latest !== null) tell(run.latest);
    const left = Promise.withResolvers<void>();
    const leave = () => left.resolve();
    signal.addEventListener('abort', leave, { once: true });
    try {
      await Promise.race([run.ended, left.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
      run.waiting.delete(me);
    }
    if (signal.aborted && run.waiting.size === 0) {
      run.givenUp.abort(signal.reason);
      await run.ended.catch(() => undefined);
    }
    signal.throwIfAborted();
  }

  #begin(): Run<Progress> {
    const run: Run<Progress> = {
      ...{ ended: Promise.resolve(), givenUp: new AbortController(), waiting: new Set(), latest: null },
    };
    const tell = (progress: Progress) => {
      run.latest = progress;
      for (const { tell: tellOne } of run.waiting) tellOne(progress);
    };
    run.ended = this.#work(run.givenUp.signal, tell).finally(() => {
      this.#run = null;
    });
    // Whoever waits hears of it; where the last one gives up, nobody does.
    run.ended.catch(() => undefined);
    return run;
  }
}

/** Yields to the event loop. The database is synchronous, so a loop over its rows yields nowhere else. */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Works on the items, at most `limit` at once, and gives the results in the items' order. The first failure stops the
 * others through the signal each is handed, and is what is thrown, after all have ended.
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
  const worker = async () => {
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
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  signal.throwIfAborted();
  if (failure !== null) throw (failure as { error: unknown }).error;
  return results;
}

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
