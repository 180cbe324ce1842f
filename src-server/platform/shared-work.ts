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
