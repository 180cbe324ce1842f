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
