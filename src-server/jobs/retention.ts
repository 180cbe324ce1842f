import { isTerminal } from '../contract/index.ts';
import type { Clock } from '../lib/clock.ts';
import { othersTurn } from '../lib/others-turn.ts';
import { isStorageTrouble } from '../lib/storage-trouble.ts';
import { DAY_MS, MINUTE_MS } from '../lib/units.ts';
import type { Storage } from '../storage/connection.ts';
import type { JobFolders } from '../storage/job-folders.ts';
import { expiredJobs, forgottenJobs, type JobRow, jobBySeq } from '../storage/jobs-reader.ts';
import { changeJob, deleteJob, deleteResult } from '../storage/jobs-writer.ts';
import type { Tx } from '../storage/schema.ts';

/** How long an expired job still answers 410 before its id is forgotten (decisions 2). */
export const REMEMBERED_MS = 30 * DAY_MS;
const SWEEP_MS = MINUTE_MS;
/** Jobs per transaction: a sweep after a long sleep never holds the database for long. */
const BATCH = 100;
/** A pass that could not remove so many jobs leaves the rest to the next one. */
const FAILED_MAX = 1000;

export interface RetentionParts {
  storage: Storage;
  folders: JobFolders;
  clock: Clock;
  /** Removes what other layers keep of a job (index entries, subscriptions), in the same transaction. */
  onRemoved(tx: Tx, job: JobRow): Promise<void>;
  /** Once that transaction is committed. */
  afterRemoved(): void;
  log: { error(fields: object, message: string): void };
}

/** Removes results and files when their time is over, and forgets the jobs 30 days later. */
export class Retention {
  readonly #parts: RetentionParts;
  #timer: NodeJS.Timeout | null = null;
  #sweep: Promise<void> | null = null;
  #closing = false;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.sweep(), SWEEP_MS);
    void this.sweep();
  }

  /** Resolves when the job in hand is done with. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#sweep;
  }

  /** One pass over everything that is due. A pass that takes longer than a minute is joined, not doubled. */
  sweep(): Promise<void> {
    this.#sweep ??= this.#pass().finally(() => {
      this.#sweep = null;
    });
    return this.#sweep;
  }

  async #pass(): Promise<void> {
    const { storage, clock, log } = this.#parts;
    try {
      const now = clock.now();
      await this.#drain(
        (limit) => expiredJobs(storage.db, now, limit),
        (job) => this.#purge(job, now),
      );
      await this.#drain(
        (limit) => forgottenJobs(storage.db, now - REMEMBERED_MS, limit),
        (job) => this.#forget(job),
      );
    } catch (error) {
      log.error({ err: error }, 'Expired jobs could not be removed.');
    }
  }

  /** Removes a finished job at once, id and all: its owner asked for it. */
  async remove(job: JobRow): Promise<void> {
    await this.#parts.folders.remove(job.id);
    await this.#parts.storage.transaction(async (tx) => {
      await deleteResult(tx, job.id);
      await this.#parts.onRemoved(tx, job);
      await deleteJob(tx, job.seq);
    });
    this.#parts.afterRemoved();
  }

  /** One job that cannot be removed (a file of it is held open, or somebody else's) keeps no other from going. */
  async #drain(next: (limit: number) => Promise<JobRow[]>, each: (job: JobRow) => Promise<void>): Promise<void> {
    const failed = new Set<number>();
    while (failed.size < FAILED_MAX) {
      const limit = BATCH + failed.size;
      const jobs = await next(limit);
      for (const job of jobs) {
        if (failed.has(job.seq)) continue;
        await othersTurn();
        if (this.#closing) return;
        try {
          await each(job);
        } catch (error) {
          if (isStorageTrouble(error)) throw error;
          failed.add(job.seq);
          this.#parts.log.error({ err: error, jobId: job.id }, 'An expired job could not be removed.');
        }
      }
      if (jobs.length < limit) return;
    }
  }

  /** Files first: a row that still says "expiring" is tried again, a file without a row would stay for ever. */
  async #purge({ seq }: JobRow, now: number): Promise<void> {
    const { storage, folders, clock } = this.#parts;
    const job = await jobBySeq(storage.db, seq);
    if (!isExpired(job, now)) return;
    await folders.remove(job.id);
    await storage.transaction(async (tx) => {
      // The same text may have been asked for meanwhile: then the job runs again, and this is its new life.
      if (!isExpired(await jobBySeq(tx, seq), now)) return;
      await deleteResult(tx, job.id);
      await this.#parts.onRemoved(tx, job);
      // The request, and the names made of it, may hold what the client wanted kept no longer than the result.
      const nothing = { request: '{}', label: '', source_name: null, source: null, dedupe_key: null };
      await changeJob(tx, seq, { purged_at: clock.now(), ...nothing }, clock.now());
    });
    this.#parts.afterRemoved();
  }

  async #forget({ seq }: JobRow): Promise<void> {
    await this.#parts.storage.transaction(async (tx) => {
      if ((await jobBySeq(tx, seq))?.purged_at != null) await deleteJob(tx, seq);
    });
  }
}

function isExpired(job: JobRow | undefined, now: number): job is JobRow {
  if (job === undefined || !isTerminal(job.status) || job.purged_at !== null) return false;
  return job.expires_at !== null && job.expires_at <= now;
}
