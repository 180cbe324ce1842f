import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { DAY_MS, SECOND_MS } from '../../platform/units.ts';
import { addChallengeCount } from './payments-writer.ts';

const FLUSH_EVERY_MS = 15 * SECOND_MS;

/**
 * Counts 402 answers per day, operation and code. Threat: a flood of unpaid requests fills the disk or keeps the
 * database busy. So an answer only raises a number in memory; the numbers go to the database a few times a minute and
 * at the end. What a killed process loses is at most the last of these spans, and no money hangs on it. Operations and
 * codes are closed lists, so the numbers stay few.
 */
export class ChallengeCounts {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  #counts = new Map<string, { day: number; operation_id: string; code: string; answers: number }>();

  /** @param onError told when a flush fails; the numbers are kept for the next one. */
  constructor(storage: Storage, clock: Clock, onError: (error: unknown) => void) {
    this.#storage = storage;
    this.#clock = clock;
    this.#timer = setInterval(() => void this.flush().catch(onError), FLUSH_EVERY_MS);
    this.#timer.unref();
  }

  add(operationId: string, code: string | null): void {
    const day = Math.floor(this.#clock.now() / DAY_MS) * DAY_MS;
    this.#raise({ day, operation_id: operationId, code: code ?? '', answers: 1 });
  }

  async flush(): Promise<void> {
    if (this.#counts.size === 0) return;
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    try {
      await this.#storage.transaction(async (tx) => {
        for (const count of counts) await addChallengeCount(tx, count);
      });
    } catch (error) {
      for (const count of counts) this.#raise(count);
      throw error;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  #raise(count: { day: number; operation_id: string; code: string; answers: number }): void {
    const key = `${count.day} ${count.operation_id} ${count.code}`;
    const known = this.#counts.get(key);
    if (known) known.answers += count.answers;
    else this.#counts.set(key, { ...count });
  }
}
