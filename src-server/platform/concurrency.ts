/** Lets one pass at a time, in the order they came. */
export class Turnstile {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` once all who came before are through, whatever became of them. */
  pass<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => {});
    return mine;
  }
}

/** Passes as the next in line. Who is told to stop before its turn leaves the line at once. */
export function inTurn<Result>(line: Turnstile, work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const leave = () => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  void line.pass(async () => {
    signal.removeEventListener('abort', leave);
    if (signal.aborted) leave();
    else await work().then(resolve, reject);
  });
  return promise;
}
