import type { Clock } from '../../platform/clock.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { dueJobs, expiredLeases, type JobRow, processingJobs, renewLeases } from './store.ts';
import { isLastAttempt, ranAlone } from './suspects.ts';
import { failJob, INTERRUPTED, isRun, makeReady, requeueJob, type TransitionContext } from './transition.ts';

/** Lifetime of a lease that is not renewed. */
export const LEASE_MS = 60 * SECOND_MS;

const HEARTBEAT_MS = 15 * SECOND_MS;

/** Interval for finding jobs whose backoff is over. New jobs start at once (`Runner.kick`). */
const SWEEP_MS = SECOND_MS;

const SWEEP_BATCH = 200;

export interface UpkeepDeps {
  storage: Storage;
  clock: Clock;
  instanceId: string;
  /** Changes a job in a transaction if it is in an expected state. */
  change(seq: number, expected: JobRow['status'][], change: (tx: Tx, row: JobRow) => JobRow): void;
  context(): TransitionContext;
  /** Continues a run that may still end on its node; false when it cannot. */
  resumeAway(job: JobRow): boolean;
  /** Whether this process runs the job. */
  isRunning(seq: number): boolean;
  /** Jobs became ready to run. */
  onReady(): void;
  /** Runs the jobs that were running when the server died. See `Suspects.look`. */
  lookAtSuspects(): void;
  log: { error(fields: object, message: string): void };
}

/** Upkeep of the queue: recovery after a crash, the end of backoffs, and renewal and expiry of leases. */
export class Upkeep {
  readonly #deps: UpkeepDeps;
  readonly #timers: NodeJS.Timeout[] = [];
  #isSweeping = false;

  constructor(deps: UpkeepDeps) {
    this.#deps = deps;
  }

  startUpkeep(): void {
    this.#reconcileInterrupted();
    this.#deps.lookAtSuspects();
    this.#timers.push(setInterval(() => void this.#sweepExpiredLeases(), SWEEP_MS));
    this.#timers.push(setInterval(() => this.#renewRunLeases(), HEARTBEAT_MS));
  }

  closeUpkeep(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /**
   * Only this process uses the data folder, so a running job belongs to a process that died. Exceptions are jobs that
   * this process has claimed: it answers requests from the moment it listens.
   */
  #reconcileInterrupted(): void {
    const { storage, clock, instanceId, change, context, resumeAway } = this.#deps;
    for (const job of processingJobs(storage.db)) {
      if (job.lease_owner === instanceId || resumeAway(job)) continue;
      change(job.seq, ['processing'], (tx, row) => {
        const spendAttempt = ranAlone(row);
        if (spendAttempt && isLastAttempt(row)) return failJob(tx, row, INTERRUPTED, context());
        const message = 'Interrupted when the server ended; it will run again.';
        return requeueJob(tx, row, { delayMs: 0, spendAttempt, crashed: true, message }, clock.now());
      });
    }
  }

  async #sweepExpiredLeases(): Promise<void> {
    const { storage, clock, change, onReady, log } = this.#deps;
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#deps.lookAtSuspects();
    try {
      this.#endLostRuns();
      const due = dueJobs(storage.db, clock.now(), SWEEP_BATCH);
      for (const job of due) {
        change(job.seq, ['queued'], (tx, row) => makeReady(tx, row, clock.now()));
        await yieldToEventLoop();
      }
      if (due.length > 0) onReady();
    } catch (error) {
      log.error({ err: error }, 'Jobs whose backoff is over could not be read.');
    }
    this.#isSweeping = false;
  }

  /** A run whose lease expired is lost. A job whose runs are lost time and again is the likely cause. */
  #endLostRuns(): void {
    const { storage, clock, isRunning, change, context, onReady } = this.#deps;
    for (const job of expiredLeases(storage.db, clock.now(), SWEEP_BATCH)) {
      // Its lease only looks expired: the machine slept, or the clock jumped.
      if (isRunning(job.seq)) continue;
      change(job.seq, ['processing'], (tx, row) => {
        if (!isRun(row, job)) return row;
        if (isLastAttempt(row)) return failJob(tx, row, INTERRUPTED, context());
        const message = 'Its run stopped answering; it will run again.';
        return requeueJob(tx, row, { delayMs: 0, spendAttempt: true, crashed: false, message }, clock.now());
      });
      onReady();
    }
  }

  #renewRunLeases(): void {
    const { storage, clock, instanceId, log } = this.#deps;
    try {
      storage.transaction((tx) => renewLeases(tx, instanceId, clock.now() + LEASE_MS));
    } catch (error) {
      log.error({ err: error }, 'Leases could not be renewed.');
    }
  }
}
