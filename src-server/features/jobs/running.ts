import { QuarryError } from '../../contract/index.ts';
import type { StopReason } from './failures.ts';

/** A job that this process has in work. */
export class Running {
  /** Why it was told to stop first, if it was. */
  reason: StopReason | null = null;
  /** Its end is written, whatever it was. */
  done: Promise<void> = Promise.resolve();
  readonly #abort = new AbortController();
  readonly #endsWhenLeft: boolean;
  #waiting = 0;

  /** @param endsWhenLeft the work is for those who wait for it, and for nobody else. */
  constructor(endsWhenLeft: boolean) {
    this.#endsWhenLeft = endsWhenLeft;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  stop(reason: StopReason): void {
    this.reason ??= reason;
    this.#abort.abort(new QuarryError(reason === 'timeout' ? 'timeout' : 'cancelled', 'The work was stopped.'));
  }

  /** Resolves when it is done. `signal` says that whoever waits has gone away; the last one may take the work along. */
  async waitUntilDone(signal: AbortSignal): Promise<void> {
    this.#waiting += 1;
    const leave = () => {
      this.#waiting -= 1;
      if (this.#waiting === 0 && this.#endsWhenLeft) this.stop('left');
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    await this.done;
    signal.removeEventListener('abort', leave);
  }
}
