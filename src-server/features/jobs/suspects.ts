import type { Clock } from '../../platform/clock.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { dueJobs, type JobRow, jobBySeq } from './store.ts';
import { beginJob, type Lease } from './transition.ts';

/** A job that was running in this many deaths of the server runs alone. */
const DEATHS_IN_COMPANY = 2;

/** Attempts of a job that may end with the server's death while it runs alone. */
const ATTEMPTS_MAX = 3;

/**
 * Uptime of the server before a job with one spent attempt runs again, and its factor for two. So a job that kills the
 * server does not do so at each start, and no job is blamed for unrelated kills in quick succession.
 */
const UPTIME_MS = 5 * SECOND_MS;

const UPTIME_FACTOR = 6;

const LOOK_AT = 200;

/** Whether a death of the server during this run counts against the job: it ran alone. */
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
  /** Null when the server is stopping. */
  lease(): Lease | null;
  /** Runs a claimed job to its end. */
  run(job: JobRow): Promise<void>;
  log: { error(fields: object, message: string): void };
}

/**
 * Runs the jobs that were running when the server died, apart from the queue: one at a time beside new work, and alone
 * after a second death (decisions/002).
 */
export class Suspects {
  readonly #deps: SuspectsDeps;
  readonly #startedAt: number;

  constructor(deps: SuspectsDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.now();
  }

  /** Runs the due jobs one at a time, unless one is running. */
  async runDueSuspects(): Promise<void> {
    try {
      while (await this.#runNext());
    } catch (error) {
      const message = 'A job that ran when the server died could not be run; it is tried again.';
      this.#deps.log.error({ err: error }, message);
    }
  }

  async #runNext(): Promise<boolean> {
    const { isolation, storage, clock, lease, run } = this.#deps;
    const found = this.#nextDueSuspect();
    if (found === undefined || !isolation.takeSuspect()) return false;
    try {
      if (ranAlone(found)) await isolation.waitUntilAlone();
      const mine = lease();
      if (mine === null) return false;
      const job = storage.transaction((tx) => beginSuspect(tx, found.seq, mine, clock.now()));
      if (job) await run(job);
      return true;
    } finally {
      isolation.suspectEnded();
    }
  }

  #nextDueSuspect(): JobRow | undefined {
    const { storage, clock } = this.#deps;
    const uptime = clock.now() - this.#startedAt;
    const due = dueJobs(storage.db, clock.now(), LOOK_AT, true);
    const oldestFirst = due.toSorted((one, other) => one.seq - other.seq);
    return oldestFirst.find(({ attempts }) => attempts === 0 || uptime >= UPTIME_MS * UPTIME_FACTOR ** (attempts - 1));
  }
}

/** Null when it was cancelled meanwhile, or a repeated request runs it. */
function beginSuspect(tx: Tx, seq: number, lease: Lease, now: number): JobRow | null {
  const row = jobBySeq(tx, seq);
  return row?.status === 'queued' ? beginJob(tx, row, lease, now) : null;
}

/**
 * Decides which jobs may run beside each other, over all environments of this process: one suspect at a time, and no
 * queued job beside a suspect that must run alone.
 */
export class Isolation {
  /** Running jobs of the queue, and claims in progress. */
  #shared = 0;
  #suspect = false;
  /** Resolves when no job of the queue runs; null while the queue may be claimed from. */
  #emptied: PromiseWithResolvers<void> | null = null;
  readonly #listeners: (() => void)[] = [];

  /** Calls `listener` when the queue may be claimed from again. */
  onFree(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Whether the queue may be claimed from. A caller that enters must leave after its job has ended. */
  enterSharedQueue(): boolean {
    if (this.#emptied !== null) return false;
    this.#shared += 1;
    return true;
  }

  leaveSharedQueue(): void {
    this.#shared -= 1;
    if (this.#shared === 0) this.#emptied?.resolve();
  }

  /** Whether the caller may run a suspect. It must call `suspectEnded` afterwards. */
  takeSuspect(): boolean {
    if (this.#suspect) return false;
    this.#suspect = true;
    return true;
  }

  /** Stops claims for a suspect. Resolves when no job of the queue runs. */
  async waitUntilAlone(): Promise<void> {
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
