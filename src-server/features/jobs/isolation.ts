/**
 * What may be in work beside what, over all environments of this process: one suspect at a time (`jobs/suspects.ts`),
 * and nothing of the queue beside one that needs to be alone.
 */
export class Isolation {
  /** Jobs of the queue that are in work, and claims under way. */
  #shared = 0;
  #suspect = false;
  /** Settled once nothing of the queue is in work; null while the queue may be claimed from. */
  #emptied: PromiseWithResolvers<void> | null = null;
  readonly #listeners: (() => void)[] = [];

  /** `listener` is called when the queue may be claimed from again. */
  onFree(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Whether the queue may be claimed from. A caller that entered leaves, once what it claimed has ended. */
  enter(): boolean {
    if (this.#emptied !== null) return false;
    this.#shared += 1;
    return true;
  }

  leave(): void {
    this.#shared -= 1;
    if (this.#shared === 0) this.#emptied?.resolve();
  }

  /** Whether the caller may run a suspect. If so, it calls `suspectEnded` afterwards. */
  takeSuspect(): boolean {
    if (this.#suspect) return false;
    this.#suspect = true;
    return true;
  }

  /** For the suspect: nothing of the queue begins any more. Resolves when nothing of it is in work. */
  async alone(): Promise<void> {
    this.#emptied = Promise.withResolvers();
    if (this.#shared === 0) this.#emptied.resolve();
    await this.#emptied.promise;
  }

  suspectEnded(): void {
    this.#suspect = false;
    if (this.#emptied === null) return;
    this.#emptied = null;
    for (const listener of this.#listeners) listener();
  }
}
