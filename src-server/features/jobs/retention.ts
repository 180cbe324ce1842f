/**
 * Deletes expired results: the result and files of a job when its retention ends, and the job's id 30 days later.
 */

import type { Clock } from '../../platform/clock.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { isStorageTrouble } from '../../platform/errors.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/units.ts';
import type { JobChanges } from './changes.ts';
import { IDEMPOTENCY_KEPT_MS } from './idempotency.ts';
import { isTerminal } from './schema.ts';
import {
  changeJob,
  deleteJob,
  deleteResult,
  expiredJobs,
  forgetIdempotency,
  forgottenJobs,
  type JobRow,
  jobBySeq,
  writeTags,
} from './store.ts';

/** How long an expired job answers 410 before its id is deleted (decisions 2). */
export const REMEMBERED_MS = 30 * DAY_MS;

const SWEEP_MS = MINUTE_MS;

/** Jobs per query: a pass after a long sleep never blocks the database for long. */
const BATCH = 100;

/** After this many failures a pass leaves the rest to the next one. */
const FAILED_MAX = 1000;

export interface RetentionDeps {
  storage: Storage;
  folders: JobFolders;
  clock: Clock;
  changes: JobChanges;
  /** Removes data of other features about the job (index entries, subscriptions), in the same transaction. */
  onRemoved(tx: Tx, job: JobRow): void;
  /** Called after the commit. */
  afterRemoved(): void;
  log: { error(fields: object, message: string): void };
}

/** Removes expired results and files, and deletes the jobs 30 days later. */
export class Retention {
  readonly #deps: RetentionDeps;
  #timer: NodeJS.Timeout | null = null;
  #sweep: Promise<void> | null = null;
  #closing = false;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  startRetention(): void {
    const jumped = new JumpedClock(this.#deps.clock);
    this.#timer = setInterval(() => {
      if (!jumped.isDoubted()) void this.sweepExpiredJobs();
    }, SWEEP_MS);
    void this.sweepExpiredJobs();
  }

  /** Resolves after the current job. */
  async closeRetention(): Promise<void> {
    this.#closing = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#sweep;
  }

  /** One pass over all expired jobs. Concurrent calls share a pass. */
  sweepExpiredJobs(): Promise<void> {
    this.#sweep ??= this.#runRetentionPass().finally(() => {
      this.#sweep = null;
    });
    return this.#sweep;
  }

  async #runRetentionPass(): Promise<void> {
    const { storage, folders, clock, log } = this.#deps;
    try {
      const now = clock.now();
      // Folders that could not be removed before, because a file was open.
      await folders.clearAside();
      await this.#drainDueJobs(
        (limit) => expiredJobs(storage.db, now, limit),
        (job) => this.#purgeJob(job, now),
      );
      await this.#drainDueJobs(
        (limit) => forgottenJobs(storage.db, now - REMEMBERED_MS, limit),
        (job) => this.#forgetPurgedJob(job),
      );
      storage.transaction((tx) => forgetIdempotency(tx, now - IDEMPOTENCY_KEPT_MS));
    } catch (error) {
      log.error({ err: error }, 'Expired jobs could not be removed.');
    }
  }

  /** Removes a finished job with its id, at the owner's request. False when it runs again. */
  async removeFinishedJob({ id, seq }: JobRow): Promise<boolean> {
    const isFinishedJob = (job: JobRow | undefined) => job !== undefined && isTerminal(job.status);
    return this.#removeWithFiles({ id, seq }, isFinishedJob, (tx) => deleteJob(tx, seq));
  }

  /** Removes the file that a completed job was made from; its result stays. False for a job that is not completed. */
  async removeSourceFile({ id, seq }: JobRow): Promise<boolean> {
    const { storage, folders, clock, changes } = this.#deps;
    const isRemoved = storage.transaction((tx) => {
      const job = jobBySeq(tx, seq);
      if (job?.status !== 'completed') return false;
      if (job.source !== null) changeJob(tx, seq, { source: null }, clock.now());
      return true;
    });
    if (!isRemoved) return false;
    await folders.removeSource(id);
    changes.announceJobChange(id);
    return true;
  }

  /** A job that cannot be removed (an open file, a missing permission) does not stop the others. */
  async #drainDueJobs(next: (limit: number) => JobRow[], each: (job: JobRow) => unknown): Promise<void> {
    const failed = new Set<number>();
    while (failed.size < FAILED_MAX) {
      const limit = BATCH + failed.size;
      const jobs = next(limit);
      for (const job of jobs) {
        if (failed.has(job.seq)) continue;
        await yieldToEventLoop();
        if (this.#closing) return;
        try {
          await each(job);
        } catch (error) {
          if (isStorageTrouble(error)) throw error;
          failed.add(job.seq);
          this.#deps.log.error({ err: error, jobId: job.id }, 'An expired job could not be removed.');
        }
      }
      if (jobs.length < limit) return;
    }
  }

  async #purgeJob({ id, seq }: JobRow, now: number): Promise<void> {
    const { clock } = this.#deps;
    // The request and its names may contain data that must not outlive the result.
    const nothing = { request: '{}', label: '', source_name: null, source: null, dedupe_key: null };
    const labels = { tags: null, metadata: null };
    const purgeJobColumns = (tx: Tx) => {
      writeTags(tx, changeJob(tx, seq, { purged_at: clock.now(), ...nothing, ...labels }, clock.now()));
    };
    await this.#removeWithFiles({ id, seq }, (job) => isRetentionOver(job, now), purgeJobColumns);
  }

  /**
   * Removes result, files and row together, or none of them. Rename and transaction are synchronous, so no request sees
   * the job between them. After a crash between them, the next start restores or clears the folder.
   */
  async #removeWithFiles(
    { id, seq }: Pick<JobRow, 'id' | 'seq'>,
    isDue: (job: JobRow | undefined) => boolean,
    change: (tx: Tx) => unknown,
  ): Promise<boolean> {
    const { storage, folders, changes, onRemoved, afterRemoved } = this.#deps;
    const aside = folders.setJobFolderAside(id);
    let isRemoved = false;
    try {
      isRemoved = storage.transaction((tx) => {
        const job = jobBySeq(tx, seq);
        if (job === undefined || !isDue(job)) return false;
        deleteResult(tx, id);
        onRemoved(tx, job);
        change(tx);
        return true;
      });
    } finally {
      if (!isRemoved && aside !== null) folders.putBack(id, aside);
    }
    if (!isRemoved) return false;
    // Open lists drop the job.
    changes.announceJobChange(id);
    afterRemoved();
    if (aside !== null) await folders.clearAside(aside);
    return true;
  }

  #forgetPurgedJob({ seq }: JobRow): void {
    this.#deps.storage.transaction((tx) => {
      if (jobBySeq(tx, seq)?.purged_at != null) deleteJob(tx, seq);
    });
  }
}

function isRetentionOver(job: JobRow | undefined, now: number): job is JobRow {
  if (job === undefined || !isTerminal(job.status) || job.purged_at !== null) return false;
  return job.expires_at !== null && job.expires_at <= now;
}

/** Clocks are often corrected by minutes. Results that expire this much early are acceptable. */
const TOLERATED_MS = HOUR_MS;

/** How long a clock is distrusted after a jump. A wrong clock is usually noticed and set back within this time. */
const DOUBT_MS = HOUR_MS;

/**
 * Detects a clock that jumped ahead: it was set, perhaps wrongly, or the machine slept. Data that a wrong clock removes
 * cannot be restored.
 */
class JumpedClock {
  readonly #clock: Clock;
  #last: { time: number; uptime: number };
  #doubtedUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#last = { time: clock.now(), uptime: performance.now() };
  }

  /** Call this regularly. Each call compares with the previous one. */
  isDoubted(): boolean {
    const [time, uptime] = [this.#clock.now(), performance.now()];
    const ahead = time - this.#last.time - (uptime - this.#last.uptime);
    this.#last = { time, uptime };
    if (ahead > TOLERATED_MS) this.#doubtedUntil = uptime + DOUBT_MS;
    // The clock was set back by the same amount.
    else if (ahead < -TOLERATED_MS) this.#doubtedUntil = 0;
    return uptime < this.#doubtedUntil;
  }
}
