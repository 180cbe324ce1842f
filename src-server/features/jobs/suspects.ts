import type { Clock } from '../../platform/clock.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { dueJobs, type JobRow, jobBySeq } from './store.ts';
import { begin, type Lease } from './transition.ts';

/** A job that was in work in this many deaths of the server runs with nothing beside it. */
const DEATHS_IN_COMPANY = 2;

/** Attempts of a job that may end with the server's death while nothing but this job ran. */
const ATTEMPTS_MAX = 3;

/**
 * How long the server has run before a job with one spent attempt runs again, and how many times longer with two: a job
 * that ends the server does not do so at each start, and no job is blamed for kills that follow each other quickly.
 */
const UPTIME_MS = 5 * SECOND_MS;

const UPTIME_FACTOR = 6;

const LOOK_AT = 200;

/** Whether the server's death during a run of this job is the job's own: nothing else was in work. */
export function ranAlone({ crashes }: Pick<JobRow, 'crashes'>): boolean {
  return crashes >= DEATHS_IN_COMPANY;
}

export function isLastAttempt({ attempts }: Pick<JobRow, 'attempts'>): boolean {
  return attempts >= ATTEMPTS_MAX;
}

interface SuspectsDeps {
  storage: Storage;
  clock: Clock;
  isolation: Isolation;
  /** Null when the server is stopping and begins nothing more. */
  lease(): Lease | null;
  /** Runs a job that was begun to its end. */
  run(job: JobRow): Promise<void>;
  log: { error(fields: object, message: string): void };
}

/**
 * Runs the jobs that were in work when the server died, apart from the queue: one after the other beside new work, and
 * with nothing beside it what was in work in a second death too (decisions/002).
 */
export class Suspects {
  readonly #deps: SuspectsDeps;
  readonly #startedAt: number;

  constructor(deps: SuspectsDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.now();
  }

  /** Runs those that are due one after the other, unless one is in work already. */
  async look(): Promise<void> {
    try {
      while (await this.#runNext());
    } catch (error) {
      const message = 'A job that was in work when the server died could not be run; it is looked at again.';
      this.#deps.log.error({ err: error }, message);
    }
  }

  async #runNext(): Promise<boolean> {
    const { isolation, storage, clock, lease, run } = this.#deps;
    const found = this.#next();
    if (found === undefined || !isolation.takeSuspect()) return false;
    try {
      if (ranAlone(found)) await isolation.alone();
      const mine = lease();
      if (mine === null) return false;
      const job = storage.transaction((tx) => beginSuspect(tx, found.seq, mine, clock.now()));
      if (job) await run(job);
      return true;
    } finally {
      isolation.suspectEnded();
    }
  }

  #next(): JobRow | undefined {
    const { storage, clock } = this.#deps;
    const uptime = clock.now() - this.#startedAt;
    const due = dueJobs(storage.db, clock.now(), LOOK_AT, true);
    const oldestFirst = due.toSorted((one, other) => one.seq - other.seq);
    return oldestFirst.find(({ attempts }) => attempts === 0 || uptime >= UPTIME_MS * UPTIME_FACTOR ** (attempts - 1));
  }
}

/** Null where it was cancelled meanwhile, or a new request for the same answer runs it. */
function beginSuspect(tx: Tx, seq: number, lease: Lease, now: number): JobRow | null {
  const row = jobBySeq(tx, seq);
  return row?.status === 'queued' ? begin(tx, row, lease, now) : null;
}

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
