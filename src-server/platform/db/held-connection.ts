/**
 * Who waits for the connection from within the transaction that holds it waits for itself, and everybody else with it:
 * one such question, in one rare order of things, would stop the server for good. It is not forbidden outright, because
 * work that a transaction only starts may wait until that is over; but it waits no longer than a moment.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { inTurn, type Mutex } from '../concurrency.ts';
import { SECOND_MS } from '../units.ts';

/** No transaction takes nearly as long, unless it waits for itself. */
const WAIT_MS = 10 * SECOND_MS;

interface Held {
  isOpen: boolean;
}

const held = new AsyncLocalStorage<Held>();

/** Runs what holds the connection, or the right to write. */
export async function holding<Result>(work: () => Promise<Result>): Promise<Result> {
  const transaction = { isOpen: true };
  try {
    return await held.run(transaction, work);
  } finally {
    transaction.isOpen = false;
  }
}

/** Passes the line of those who write. Errors: the caller's own transaction would have to be over first, and is not. */
export function passToWrite<Result>(line: Mutex, work: () => Promise<Result>): Promise<Result> {
  return isWithin() ? patiently((signal) => inTurn(line, work, signal)) : line.pass(work);
}

/** SQLite's one connection, which one at a time can have. */
export class OneConnection {
  #taken: PromiseWithResolvers<void> | null = null;

  /** Errors: as passToWrite. */
  async take(): Promise<void> {
    while (this.#taken !== null) {
      const { promise } = this.#taken;
      await (isWithin() ? patiently((signal) => orAborted(promise, signal)) : promise);
    }
    this.#taken = Promise.withResolvers();
  }

  giveBack(): void {
    const taken = this.#taken;
    this.#taken = null;
    taken?.resolve();
  }
}

function isWithin(): boolean {
  return held.getStore()?.isOpen === true;
}

async function patiently<Result>(wait: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const impatience = new AbortController();
  const error = new Error('Within a transaction something waited for that transaction to end.');
  const timer = setTimeout(() => impatience.abort(error), WAIT_MS);
  try {
    return await wait(impatience.signal);
  } finally {
    clearTimeout(timer);
  }
}

function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([promise, aborted]);
}
