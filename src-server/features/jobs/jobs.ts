import type { Operation } from '../../operation.ts';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { ledgerEntryOfJob } from '../payments/service.ts';
import { type JobChanges, type JobWatch, WatchedJobs } from './changes.ts';
import type { JobEvents } from './events.ts';
import type { LiveEvents } from './live-events.ts';
import {
  aroundChunks,
  chunkPieces,
  type JobPieces,
  type JobView,
  joinedBytes,
  presentAround,
  presentCallbacks,
  presentJson,
  presentResult,
} from './present.ts';
import type { Retention } from './retention.ts';
import type { Runner } from './runner.ts';
import { isTerminal, type JobError, type JobStatus } from './schema.ts';
import {
  countByStatus,
  endedJobs,
  findJobs,
  isShared,
  type JobFilter,
  type JobRow,
  jobById,
  listJobs,
  listSharedJobs,
  resultBytesOf,
  storedResultOf,
  watchedAmong,
} from './store.ts';
import { resumeFailedJob } from './transition.ts';
import { isStuck, type WaitingJobs } from './waiting.ts';

/** Terminal jobs are counted up to this limit. The overview then says "10,000+" instead of reading a million rows. */
const COUNT_CEILING = 10_000;

/** Jobs that one page of a search reads: less than 10 ms on the server's thread. */
const SEARCH_LOOK = 20_000;

export interface JobsDeps {
  storage: Storage;
  clock: Clock;
  operations: readonly Operation[];
  changes: JobChanges;
  runner: Runner;
  retention: Retention;
  waiting: WaitingJobs;
  events: JobEvents;
  baseUrl(): string;
  progressOf: JobView['progressOf'];
  /** The file with the chunks of a large result. */
  chunksPathOf(jobId: string): string;
}

/** Jobs, for routes and other features. */
export class Jobs {
  readonly #deps: JobsDeps;
  readonly #watched: WatchedJobs;

  constructor(deps: JobsDeps) {
    this.#deps = deps;
    this.#watched = new WatchedJobs(deps.changes, (jobId) => jobById(deps.storage.db, jobId));
  }

  get waiting(): WaitingJobs {
    return this.#deps.waiting;
  }

  startJobs(): void {
    this.#deps.runner.startRunner();
    this.#deps.waiting.startWaitingJobs();
    this.#deps.retention.startRetention();
  }

  async closeJobs(deadlineMs: number): Promise<void> {
    const swept = this.#deps.retention.closeRetention();
    await this.#deps.runner.closeRunner(deadlineMs);
    await this.#deps.waiting.closeWaitingJobs();
    await swept;
  }

  /** The row of a job. Errors: `not_found`, `job_expired`. */
  row(jobId: string): JobRow {
    const job = jobById(this.#deps.storage.db, jobId);
    if (!job) throw new QuarryError('not_found', 'There is no job with this id.');
    if (job.purged_at !== null) {
      throw new QuarryError('job_expired', 'The job has expired and its result was removed. Send the request again.');
    }
    return job;
  }

  /** The job object as JSON text. */
  async json(job: JobRow): Promise<string> {
    const body = this.jobBodyText(job);
    return typeof body === 'string' ? body : joinJobPieces(body);
  }

  /** The job object as JSON text, in pieces when its result is large. @param first fields before the job's own */
  jobBodyText(job: JobRow, first: Record<string, unknown> = {}): string | AsyncIterable<string | Uint8Array> {
    const { storage, baseUrl, chunksPathOf } = this.#deps;
    const { before, after } = presentAround(job, this.#currentJobView(), first);
    const stored = job.status === 'completed' ? storedResultOf(storage.db, job.id) : null;
    if (stored === null) return `${before}null${after}`;
    const result = presentResult(job.id, stored.body, baseUrl());
    return stored.chunksBytes === null
      ? before + result + after
      : inPieces(before, result, chunksPathOf(job.id), after);
  }

  /** The stored `traceparent` of a job; undefined when it does not exist. */
  traceparentOf(jobId: string): string | null | undefined {
    return jobById(this.#deps.storage.db, jobId)?.traceparent;
  }

  /** A job for the owner's lists, as JSON text; null when it does not exist. */
  listedJobJson(jobId: string): string | null {
    const job = jobById(this.#deps.storage.db, jobId);
    return job && job.purged_at === null ? this.#listedRowJson(job) : null;
  }

  /** The job object without its result, with what only the owner's lists show. */
  #listedRowJson(job: JobRow): string {
    const presented = presentJson(job, null, this.#currentJobView());
    const [startedAt, endedAt] = [job.started_at, job.ended_at].map((at) => (at === null ? null : toIsoTime(at)));
    const { label, account_id: accountId, key_name: keyName, watch_id: watchId } = job;
    const paid = job.payment_id === null ? null : this.#paidFor(job.id);
    const siteChanged = job.further_event === 'crawl.changed';
    const who = { label, accountId, keyName, watchId, siteChanged };
    const first = JSON.stringify({ ...who, startedAt, endedAt, variant: this.variantOf(job), paid });
    return `${first.slice(0, -1)},${presented.slice(1)}`;
  }

  #paidFor(jobId: string) {
    const entry = ledgerEntryOfJob(this.#deps.storage, jobId);
    return entry && { amount: entry.amount, mode: entry.mode, status: entry.status };
  }

  /** What the request of a job makes; null where results of its operation do not differ in kind. */
  variantOf({ operation_id: id, request }: Pick<JobRow, 'operation_id' | 'request'>): string | null {
    const operation = this.#deps.operations.find((one) => one.id === id);
    return operation?.variant?.(parseOwnJson(request)) ?? null;
  }

  /** Those of some jobs that a watch made. */
  watchedAmong(jobIds: readonly string[]): ReadonlySet<string> {
    return watchedAmong(this.#deps.storage.db, jobIds);
  }

  /** One page of the owner's list: jobs that contain all words. */
  findJobPage(
    filter: JobFilter,
    words: readonly string[],
    cursor: number | null,
    limit: number,
  ): { jobs: string[]; next: number | null } {
    const { db } = this.#deps.storage;
    const { rows, next } = findJobs(db, filter, words, { cursor, limit, look: SEARCH_LOOK });
    return { jobs: rows.map((row) => this.#listedRowJson(row)), next };
  }

  /** The job objects of callbacks, by id. Jobs that are gone and results over `maxResultBytes` are left out. */
  presentMany(jobIds: readonly string[], maxResultBytes: number): ReadonlyMap<string, JobPieces> {
    const { storage, baseUrl, clock } = this.#deps;
    return presentCallbacks(storage.db, jobIds, maxResultBytes, { baseUrl: baseUrl(), now: clock.now() });
  }

  /** The stored result of a job as UTF-8 bytes of JSON, with internal file names; null when it is gone. */
  async resultBytes(jobId: string): Promise<Uint8Array | null> {
    const stored = await resultBytesOf(this.#deps.storage.db, jobId);
    if (stored === null || stored.chunksBytes === null) return stored?.body ?? null;
    return joinedBytes(Buffer.from(stored.body).toString(), this.#deps.chunksPathOf(jobId));
  }

  /**
   * One page of a list, newest first, without results. The list of an account has the jobs that it made, and those that
   * it paid for and was given.
   */
  listJobPage(filter: JobFilter, before: number | null, limit: number): { jobs: string[]; next: number | null } {
    const { storage } = this.#deps;
    const { accountId } = filter;
    const made = listJobs(storage.db, filter, before, limit + 1);
    const given = accountId === undefined ? [] : listSharedJobs(storage.db, accountId, filter, before, limit + 1);
    const rows = [...made, ...given].toSorted((one, other) => other.seq - one.seq);
    const page = rows.slice(0, limit);
    const jobs = page.map((row) => presentJson(row, null, this.#currentJobView()));
    return { jobs, next: rows.length > limit ? (page.at(-1)?.seq ?? null) : null };
  }

  /** Whether the job waits for a download that did not succeed: nothing ends its wait by itself. */
  isStuck(job: JobRow): boolean {
    return isStuck(job, this.#deps.progressOf);
  }

  /**
   * Resolves with the newest row when the job is terminal or gone, when the time is over, or when the signal aborts.
   *
   * @param isOver ends the wait earlier
   */
  async waitUntilTerminal(
    jobId: string,
    milliseconds: number,
    signal: AbortSignal,
    isOver: (job: JobRow) => boolean = () => false,
  ): Promise<JobRow | undefined> {
    const { storage, changes } = this.#deps;
    return new Promise((resolve, reject) => {
      const finishWaiting = (settle: () => void) => {
        stop();
        clearTimeout(timer);
        signal.removeEventListener('abort', onEnd);
        settle();
      };
      const checkForEnd = (isLast: boolean, known?: JobRow): void => {
        try {
          const job = known ?? jobById(storage.db, jobId);
          if (isLast || !job || isTerminal(job.status) || isOver(job)) finishWaiting(() => resolve(job));
        } catch (error) {
          finishWaiting(() => reject(error));
        }
      };
      const onChange = (row?: JobRow) => checkForEnd(false, row);
      const onEnd = () => checkForEnd(true);
      const stop = changes.watchJobChanges(jobId, onChange);
      const timer = setTimeout(onEnd, milliseconds);
      signal.addEventListener('abort', onEnd, { once: true });
      onChange();
    });
  }

  /** Cancels a job that has not ended, or removes one that has. */
  async cancelOrRemove(job: JobRow): Promise<void> {
    const { changes, retention, runner, storage } = this.#deps;
    if (isTerminal(job.status) && (await retention.removeFinishedJob(job))) return;
    await runner.cancelRunningJob(job.id);
    // It may have ended by itself at this moment.
    const ended = jobById(storage.db, job.id);
    if (ended !== undefined && this.#cameToItsEnd(ended)) await retention.removeFinishedJob(ended);
    else changes.announceJobChange(job.id);
  }

  /** Removes the file that a completed job was made from; its result stays. False for a job that is not completed. */
  removeSourceFile(job: JobRow): Promise<boolean> {
    return this.#deps.retention.removeSourceFile(job);
  }

  /** Cancels or removes a job for the account that made it. Errors: `conflict` when other accounts were given it. */
  async endByMaker(job: JobRow): Promise<void> {
    this.checkNotShared(job);
    await this.cancelOrRemove(job);
  }

  /** Errors: `conflict` when other accounts were given the job. */
  checkNotShared(job: JobRow): void {
    if (!isShared(this.#deps.storage.db, job.id)) return;
    throw new QuarryError(
      'conflict',
      'Others have asked for this crawl too and were given it: it goes when it expires.',
    );
  }

  /** Runs a failed job again. Errors: `conflict`. @param always also when a repetition is not expected to succeed */
  retryJob(job: JobRow, always: boolean): void {
    const { storage, clock, operations } = this.#deps;
    if (operations.find(({ id }) => id === job.operation_id)?.mode !== 'job') {
      throw new QuarryError('conflict', 'This operation answers its request alone. Send the request again.');
    }
    storage.transaction((tx) => {
      const { status, error } = jobById(tx, job.id) ?? job;
      if (status !== 'failed') throw new QuarryError('conflict', `Only failed jobs run again; this one is ${status}.`);
      if (!always && parseOwnJson<Partial<JobError>>(error ?? '{}').retryable !== true) {
        throw new QuarryError('conflict', 'The same request would fail again. Change it and submit it again.');
      }
      resumeFailedJob(tx, job, clock.now());
      this.#deps.events.emit('retried', tx, job.id);
    });
    this.onJobSubmitted(job.id);
  }

  /** Ids of one page of a list, newest first. */
  idsOf(filter: JobFilter, before: number | null, limit: number): { jobIds: string[]; next: number | null } {
    const rows = listJobs(this.#deps.storage.db, filter, before, limit + 1);
    const page = rows.slice(0, limit);
    return { jobIds: page.map(({ id }) => id), next: rows.length > limit ? (page.at(-1)?.seq ?? null) : null };
  }

  /** Cancels a job. Errors: `conflict` when it has ended; its result is kept. */
  async cancelOpenJob(job: JobRow): Promise<void> {
    if (!isTerminal(job.status)) await this.#deps.runner.cancelRunningJob(job.id);
    const { error } = this.row(job.id);
    if (isTerminal(job.status) || error === null || parseOwnJson<JobError>(error).code !== 'cancelled') {
      throw new QuarryError('conflict', 'The job ended before it could be cancelled: what came out of it is kept.');
    }
  }

  #currentJobView(): JobView {
    const { baseUrl, clock, progressOf } = this.#deps;
    return { baseUrl: baseUrl(), now: clock.now(), progressOf };
  }

  currentJobsTime(): number {
    return this.#deps.clock.now();
  }

  /** Calls `listener` after each change of one job, until the watch is stopped. */
  watchJob(jobId: string, listener: () => void): JobWatch {
    return this.#watched.watchSharedJob(jobId, listener);
  }

  /** The events that the present run of a job sent after this number. */
  liveAfter(jobId: string, number: number): ReturnType<LiveEvents['liveEventsAfter']> {
    return this.#deps.changes.live.liveEventsAfter(jobId, number);
  }

  watchAll(listener: (jobId: string) => void): () => void {
    return this.#deps.changes.watchAll(listener);
  }

  /** Runs a job of an inline operation. See `Runner.runNow`. */
  async runNow(jobId: string, caller: Parameters<Runner['runNow']>[1]): Promise<void> {
    this.#deps.changes.announceJobChange(jobId);
    await this.#deps.runner.runNow(jobId, caller);
  }

  /** The stored result of a completed job, as JSON text. */
  async storedResultText(jobId: string): Promise<string | null> {
    const stored = storedResultOf(this.#deps.storage.db, jobId);
    if (stored === null || stored.chunksBytes === null) return stored?.body ?? null;
    return Buffer.from(await joinedBytes(stored.body, this.#deps.chunksPathOf(jobId))).toString();
  }

  /** A job was inserted or requeued. The queue is read at once. */
  onJobSubmitted(jobId: string): void {
    this.#deps.changes.announceJobChange(jobId);
    this.#deps.runner.kickRunner();
  }

  /** Starts the jobs that may run now and could not before. */
  startReadyJobs(): void {
    this.#deps.runner.kickRunner();
  }

  /** Jobs that ended from `from` on, by operation and spans of `spanMs`. */
  ended(from: number, spanMs: number): ReturnType<typeof endedJobs> {
    return endedJobs(this.#deps.storage.db, from, spanMs);
  }

  /** False where requests share an id: when a repeated one is cancelled, its earlier answer completes the job. */
  #cameToItsEnd({ status, error, operation_id: operationId }: JobRow): boolean {
    const operation = this.#deps.operations.find(({ id }) => id === operationId);
    if (!isTerminal(status) || operation?.inline?.jobId === 'deterministic') return false;
    return error === null || parseOwnJson<JobError>(error).code !== 'cancelled';
  }

  jobFigures(): { byStatus: Record<JobStatus, number>; countedUpTo: number; running: number } {
    const byStatus = countByStatus(this.#deps.storage.db, COUNT_CEILING);
    return { byStatus, countedUpTo: COUNT_CEILING, running: this.#deps.runner.runningCount };
  }
}

async function* inPieces(before: string, result: string, chunksPath: string, after: string) {
  const around = aroundChunks(result);
  yield before + around.before;
  yield* chunkPieces(chunksPath);
  yield around.after + after;
}

async function joinJobPieces(pieces: AsyncIterable<string | Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
  return Buffer.concat(parts).toString();
}
