import type { ProgressReport, QueueClass } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { isStorageTrouble, QuarryError } from '../../platform/errors.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { afterMachineTime, graceMs } from '../../platform/process/work-limit.ts';
import { say } from '../../platform/text/say.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { JobChanges } from './changes.ts';
import { type AwayRun, type RunControl, RunLostError, type RunOutcome } from './fleet.ts';
import { LEASE_MS, Upkeep } from './leases.ts';
import { NodeAwayError } from './node-standing.ts';
import { learnRunTime, ProgressWriter, StageLog } from './progress.ts';
import { type ConcurrencyOf, claimNext } from './queue.ts';
import { isTerminal } from './schema.ts';
import { changeJob, classesWithWork, type JobChange, type JobRow, jobById, jobBySeq } from './store.ts';
import { type Isolation, isLastAttempt, Suspects } from './suspects.ts';
import {
  beginJob,
  CANCELLED,
  completeJobRow,
  failJob,
  failureFor,
  INTERRUPTED,
  isRun,
  type Lease,
  parkWaitingJob,
  requeueJob,
  restartJob,
  type StopReason,
  type TransitionContext,
  takeOver,
} from './transition.ts';
import type { MissingOutcome, StoredWait } from './waiting.ts';

/** More state changes than a job can make while it is being cancelled. */
const LOOKS_TO_CANCEL = 5;

/** Delay before another write after the database could not be written. */
const STORAGE_RETRY_MS = SECOND_MS;

export interface RunnerDeps {
  storage: Storage;
  clock: Clock;
  changes: JobChanges;
  /** Shared by the runners of all environments. */
  isolation: Isolation;
  /** Identifies this process in leases. */
  instanceId: string;
  concurrencyOf: ConcurrencyOf;
  /** Runs the job's operation, or waits for the end of a run that is still on its node. */
  execute(job: JobRow, control: RunControl, away: AwayRun | null): Promise<RunOutcome>;
  /** The run of a job that began on a node before this process did; null when it cannot be waited for. */
  awayRunOf(job: JobRow): AwayRun | null;
  slotsOfNodes(queueClass: QueueClass): number;
  /** What becomes of a job whose run failed because something is missing; null when it fails. */
  onMissing(job: JobRow, error: unknown): Promise<MissingOutcome | null>;
  /** How a job waits for a node that is away. */
  waitForNode(job: JobRow, error: NodeAwayError): Promise<StoredWait>;
  /** A job waits for an installation or a node. */
  afterWait(jobId: string): void;
  limitsOf(operationId: string): { attempts: number; baseDelaySeconds: number; timeLimitSeconds: number };
  onTerminal: TransitionContext['onTerminal'];
  /** Called after a terminal state is committed, to send its deliveries. */
  afterTerminal(): void;
  retentionMs(): number;
  keeps?: TransitionContext['keeps'];
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** Claims jobs, runs them, and records how they ended. One runner per environment. */
export class Runner {
  readonly #deps: RunnerDeps;
  readonly #running = new Map<number, Running>();
  readonly #upkeep: Upkeep;
  #stopping = false;
  #claiming: Promise<void> | null = null;
  #kickedMeanwhile = false;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
    const suspects = new Suspects({
      ...deps,
      lease: () => (this.#stopping ? null : this.#newRunLease()),
      run: (job) => this.#launchJobRun(job).done,
    });
    deps.isolation.onFree(() => this.kickRunner());
    this.#upkeep = new Upkeep({
      ...deps,
      change: (seq, expected, change) => this.#changeExpectedRow(seq, expected, change),
      context: () => this.#transitionContext(),
      isRunning: (seq) => this.#running.has(seq),
      resumeAway: (job) => this.#resumeAway(job),
      onReady: () => this.kickRunner(),
      lookAtSuspects: () => void suspects.runDueSuspects(),
    });
  }

  /** Repairs the state of a dead process, then starts to claim jobs. */
  startRunner(): void {
    this.#upkeep.startUpkeep();
    this.kickRunner();
  }

  /** Reads the queue: a job was accepted, ended or requeued. */
  kickRunner(): void {
    if (this.#stopping) return;
    if (this.#claiming) {
      this.#kickedMeanwhile = true;
      return;
    }
    this.#claiming = this.#claimAll()
      .catch((error: unknown) => {
        this.#deps.log.error({ err: error }, 'The queue could not be read; it is read again.');
        setTimeout(() => this.kickRunner(), STORAGE_RETRY_MS).unref();
      })
      .finally(() => {
        this.#claiming = null;
        if (this.#kickedMeanwhile) {
          this.#kickedMeanwhile = false;
          this.kickRunner();
        }
      });
  }

  /**
   * Runs an inline job and resolves when it has ended. Concurrent callers share one run. When all callers have left,
   * the run is cancelled; a paid run finishes, since the payer may send the proof again.
   */
  async runNow(jobId: string, caller: { signal: AbortSignal; emit: RunControl['emit'] }): Promise<void> {
    for (let again = false; ; again = true) {
      const running = this.#runningNow(jobId, caller.emit, again);
      await running?.waitUntilDone(caller.signal);
      // Otherwise the run was already stopping for earlier callers when this caller came.
      if (running?.reason !== 'left' || caller.signal.aborted) return;
    }
  }

  /** The run of a job, started if the job is queued; null if it has ended. */
  #runningNow(jobId: string, emit: RunControl['emit'], again: boolean): Running | null {
    const now = this.#deps.clock.now();
    const { job, started } = this.#deps.storage.transaction((tx) => {
      const found = jobById(tx, jobId);
      const row = again && found?.status === 'failed' ? restartJob(tx, found, {}, now) : found;
      // It runs beside all other work, so a crash during this run does not incriminate it.
      const started = row?.status === 'queued' ? beginJob(tx, row, this.#newRunLease(), now, { crashes: 0 }) : null;
      return { job: row, started };
    });
    if (started) return this.#launchJobRun(started, emit, started.payment_id === null);
    return (job && this.#running.get(job.seq)) ?? null;
  }

  /** Cancels a queued or running job. Resolves when it is `failed` with `cancelled`. */
  async cancelRunningJob(jobId: string): Promise<void> {
    // The job may be claimed or requeued at this moment, so its state is read again.
    for (let look = 0; look < LOOKS_TO_CANCEL; look += 1) {
      const job = jobById(this.#deps.storage.db, jobId);
      if (!job || isTerminal(job.status)) return;
      const running = this.#running.get(job.seq);
      running?.stopRun('cancelled');
      // While a server starts, some running jobs belong to a dead process.
      const more = [null, this.#deps.instanceId].includes(job.lease_owner) ? [] : (['processing'] as const);
      if (running) await running.done;
      else
        this.#changeExpectedRow(job.seq, ['queued', ...more], (tx, row) =>
          failJob(tx, row, CANCELLED, this.#transitionContext()),
        );
    }
  }

  /** Stops claiming, requeues running jobs, and waits for them until the deadline. */
  async closeRunner(deadlineMs: number): Promise<void> {
    this.#stopping = true;
    this.#upkeep.closeUpkeep();
    await this.#claiming;
    const left = [...this.#running.values()];
    for (const running of left) running.stopRun('stopping');
    const deadline = new Promise<void>((resolve) => setTimeout(resolve, deadlineMs).unref());
    await Promise.race([Promise.all(left.map((running) => running.done)), deadline]);
    for (const running of this.#running.values()) this.#requeueInterrupted(running);
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /** Claims one job per queue class in turn, until none is ready. */
  async #claimAll(): Promise<void> {
    for (let found = true; found; ) {
      // Kicks of one turn of the event loop share a read of the queue. Requests are answered between claims.
      await yieldToEventLoop();
      found = false;
      for (const queueClass of classesWithWork(this.#deps.storage.db)) {
        if (this.#stopping || !this.#deps.isolation.enterSharedQueue()) return;
        found = this.#claimNextJob(queueClass) || found;
      }
    }
  }

  #claimNextJob(queueClass: QueueClass): boolean {
    const { storage, concurrencyOf, clock, isolation, slotsOfNodes } = this.#deps;
    let ended = Promise.resolve();
    try {
      const job = claimNext(
        storage,
        queueClass,
        concurrencyOf,
        this.#newRunLease(),
        clock.now(),
        slotsOfNodes(queueClass),
      );
      if (job) ended = this.#launchJobRun(job).done;
      return job !== null;
    } finally {
      void ended.then(() => isolation.leaveSharedQueue());
    }
  }

  #newRunLease(): Lease {
    return { owner: this.#deps.instanceId, expiresAt: this.#deps.clock.now() + LEASE_MS };
  }

  #launchJobRun(
    job: JobRow,
    emit = this.#toFollowers(job.id),
    endsWhenLeft = false,
    away: AwayRun | null = null,
  ): Running {
    this.#deps.changes.announceJobChange(job.id, job);
    const running = new Running(job, endsWhenLeft);
    this.#running.set(job.seq, running);
    running.done = this.#runJobToEnd(job, running, emit, away)
      .catch((error: unknown) => this.#deps.log.error({ err: error, jobId: job.id }, 'A job could not be ended.'))
      .finally(() => {
        this.#running.delete(job.seq);
        this.#deps.changes.live.endLiveEvents(job.id);
        this.kickRunner();
      });
    return running;
  }

  /** Sends the events of a run to the clients that follow the job. */
  #toFollowers(jobId: string): RunControl['emit'] {
    return (event, data) => {
      this.#deps.changes.live.addLiveEvent(jobId, event, data);
      this.#deps.changes.announceJobChange(jobId);
    };
  }

  #resumeAway(job: JobRow): boolean {
    const away = this.#deps.awayRunOf(job);
    if (away === null) return false;
    const { storage, clock } = this.#deps;
    const row = storage.transaction((tx) => takeOver(tx, job, this.#newRunLease(), clock.now()));
    const running = this.#launchJobRun(row, this.#toFollowers(row.id), false, away);
    running.isAway = true;
    return true;
  }

  async #runJobToEnd(job: JobRow, running: Running, emit: RunControl['emit'], away: AwayRun | null): Promise<void> {
    const limits = this.#deps.limitsOf(job.operation_id);
    const stages = StageLog.ofRun(job);
    const progress = new ProgressWriter(stages, this.#deps.clock, (shown) =>
      this.#writeProgress(running, shown, stages),
    );
    const stopLimit = afterMachineTime(limits.timeLimitSeconds * SECOND_MS, () => running.stopRun('timeout'));
    // Monotonic time: the clock jumps when the machine sleeps or is corrected, and run times are learned from this.
    const startedAt = performance.now();
    try {
      const execution = this.#deps.execute(job, { emit, ...this.#controlOf(running, progress) }, away);
      const {
        result,
        furtherEvent = null,
        sourceBytes,
      } = await Promise.race([execution, rejectAbandonedRun(running.runSignal)]);
      const tookMs = performance.now() - startedAt;
      await progress.closeProgressWriter();
      await this.#endRun(running, (tx, row) => {
        // What a node takes says nothing about this machine.
        if (!running.isAway) learnRunTime(tx, row.operation_id, tookMs, sourceBytes);
        return completeJobRow(tx, row, result, { ...this.#transitionContext(stages), furtherEvent });
      });
    } catch (error) {
      await progress.closeProgressWriter();
      await this.#endFailed(running, { error, stages }, limits);
    } finally {
      stopLimit();
    }
  }

  #controlOf(running: Running, progress: ProgressWriter): Omit<RunControl, 'emit'> {
    return {
      signal: running.runSignal,
      progress: (shown) => progress.reportJobProgress(shown),
      become: (operationId) => void this.#changeRun(running, { operation_id: operationId }),
      placed: (node) => {
        running.isAway = node !== null;
        const row = this.#changeRun(running, { node });
        if (row !== null) this.#deps.changes.announceJobChange(row.id, row);
      },
      atEnd: (record) => {
        running.atEnd = record;
      },
    };
  }

  async #endFailed(
    running: Running,
    { error, stages }: { error: unknown; stages: StageLog },
    limits: { attempts: number; baseDelaySeconds: number },
  ): Promise<void> {
    const { job, reason } = running;
    if (reason === 'stopping') return this.#requeueInterrupted(running);
    if (reason === null && error instanceof RunLostError) return this.#runAgain(running, error, stages);
    if (reason === null && error instanceof NodeAwayError) {
      const waits = await this.#deps.waitForNode(job, error);
      return this.#setAsideForMissing(running, { kind: 'wait', ...waits }, stages);
    }
    const missing = reason === null ? await this.#deps.onMissing(job, error) : null;
    if (missing !== null && missing.kind !== 'unusable') return this.#setAsideForMissing(running, missing, stages);
    const failure = failureFor(reason, missing?.error ?? error);
    if (failure.code === 'internal') this.#deps.log.error({ err: error, jobId: job.id }, 'A job failed unexpectedly.');
    else this.#deps.log.warn({ err: error, jobId: job.id, code: failure.code }, 'A job failed.');
    await this.#endRun(running, (tx, row) => {
      const again = reason === null && failure.retryable && row.attempts < limits.attempts;
      if (!again) return failJob(tx, row, failure, this.#transitionContext(stages));
      // Exponential backoff.
      const delayMs = limits.baseDelaySeconds * SECOND_MS * 2 ** (row.attempts - 1);
      const message = `Attempt ${row.attempts} failed, the next one follows: ${failure.message}`;
      const how = { delayMs, spendAttempt: true, crashed: false, message, stages: stages.toJson() };
      return requeueJob(tx, row, how, this.#deps.clock.now());
    });
  }

  /** A job whose runs are lost time and again is the likely cause. */
  async #runAgain(running: Running, { message, spendsAttempt }: RunLostError, stages: StageLog): Promise<void> {
    this.#deps.log.warn({ jobId: running.job.id, node: running.job.node }, message);
    await this.#endRun(running, (tx, row) => {
      if (spendsAttempt && isLastAttempt(row)) return failJob(tx, row, INTERRUPTED, this.#transitionContext(stages));
      const how = { delayMs: 0, spendAttempt: spendsAttempt, crashed: false, message, stages: stages.toJson() };
      return requeueJob(tx, row, how, this.#deps.clock.now());
    });
  }

  /** The job waits for what is missing, or runs again where that was installed meanwhile. */
  async #setAsideForMissing(
    running: Running,
    missing: Exclude<MissingOutcome, { kind: 'unusable' }>,
    stages: StageLog,
  ): Promise<void> {
    await this.#endRun(running, (tx, row) => {
      const now = this.#deps.clock.now();
      if (missing.kind === 'wait') return parkWaitingJob(tx, row, { ...missing, stages: stages.toJson() }, now);
      const message = 'Waiting for its turn.';
      const how = { delayMs: 0, spendAttempt: false, crashed: false, message, stages: stages.toJson() };
      const queued = requeueJob(tx, row, how, now);
      return changeJob(tx, queued.seq, { on_missing: missing.onMissing }, now);
    });
    if (missing.kind === 'wait') this.#deps.afterWait(running.job.id);
  }

  #requeueInterrupted({ job, isAway }: Running): void {
    // It goes on on its node: the next start waits for its end.
    if (isAway) return;
    const how = { delayMs: 0, spendAttempt: false, crashed: false, message: 'Interrupted; it will run again.' };
    this.#changeExpectedRow(
      job.seq,
      ['processing'],
      (tx, row) => requeueJob(tx, row, how, this.#deps.clock.now()),
      job,
    );
  }

  /**
   * Records how a run ended, and retries until the database can be written: no job stays `processing` without a run.
   */
  async #endRun({ job, atEnd }: Running, change: (tx: Tx, row: JobRow) => JobRow): Promise<void> {
    const endRunInTransaction = (tx: Tx, row: JobRow) => {
      atEnd?.(tx);
      return change(tx, row);
    };
    for (;;) {
      try {
        return this.#changeExpectedRow(job.seq, ['processing'], endRunInTransaction, job);
      } catch (error) {
        if (this.#stopping || !isStorageTrouble(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, STORAGE_RETRY_MS));
      }
    }
  }

  /**
   * Reads the row again inside the transaction, and changes it only in an expected state.
   *
   * @param run the run that ends: nothing is changed where the job is in another one
   */
  #changeExpectedRow(
    seq: number,
    expected: JobRow['status'][],
    change: (tx: Tx, row: JobRow) => JobRow,
    run?: JobRow,
  ): void {
    const changed = this.#deps.storage.transaction((tx) => {
      const row = jobBySeq(tx, seq);
      if (row === undefined || !expected.includes(row.status)) return null;
      return run === undefined || isRun(row, run) ? change(tx, row) : null;
    });
    if (!changed) return;
    this.#deps.changes.announceJobChange(changed.id, changed);
    if (isTerminal(changed.status)) this.#deps.afterTerminal();
  }

  #writeProgress(running: Running, shown: ProgressReport, stages: StageLog): void {
    const { startedAtMs } = running;
    const expected =
      shown.expectedSeconds === undefined
        ? {}
        : { estimated_ms: Math.round(performance.now() - startedAtMs + shown.expectedSeconds * SECOND_MS) };
    const progress = { progress_percent: shown.percent, progress_message: shown.message, ...expected };
    const row = this.#changeRun(running, { ...progress, progress_stage: shown.stage, stages: stages.toJson() });
    if (row !== null) this.#deps.changes.announceJobChange(row.id, row);
  }

  /** Null when the run has lost its job; then it is stopped. */
  #changeRun(running: Running, change: JobChange): JobRow | null {
    const { storage, clock } = this.#deps;
    const { job } = running;
    const row = storage.transaction((tx) =>
      isRun(jobBySeq(tx, job.seq), job) ? changeJob(tx, job.seq, change, clock.now()) : null,
    );
    if (row === null) running.stopRun('stopping');
    return row;
  }

  #transitionContext(stages?: StageLog): TransitionContext {
    const { clock, onTerminal, retentionMs, keeps } = this.#deps;
    return {
      now: clock.now(),
      onTerminal,
      retentionMs: retentionMs(),
      stages: stages?.toJson(),
      ...omitUndefined({ keeps }),
    };
  }
}

/** A job that this process runs. */
class Running {
  /** The first reason to stop; null when there was none. */
  reason: StopReason | null = null;
  /** Resolves when the end of the run is recorded. */
  done: Promise<void> = Promise.resolve();
  /** Monotonic. */
  readonly startedAtMs = performance.now();
  /** The run was handed to a node. */
  isAway = false;
  /** Runs in the transaction that records the end. */
  atEnd: ((tx: Tx) => void) | null = null;
  readonly #abort = new AbortController();
  readonly #endsWhenLeft: boolean;
  #waiting = 0;
  /** As it began. */
  readonly job: JobRow;

  /** @param endsWhenLeft the run is cancelled when its last caller leaves */
  constructor(job: JobRow, endsWhenLeft: boolean) {
    this.job = job;
    this.#endsWhenLeft = endsWhenLeft;
  }

  get runSignal(): AbortSignal {
    return this.#abort.signal;
  }

  stopRun(reason: StopReason): void {
    this.reason ??= reason;
    this.#abort.abort(new QuarryError(reason === 'timeout' ? 'timeout' : 'cancelled', say`The work was stopped.`));
  }

  /** Resolves when the run is done. `signal` aborts when the caller leaves. */
  async waitUntilDone(signal: AbortSignal): Promise<void> {
    this.#waiting += 1;
    const leaveRun = () => {
      this.#waiting -= 1;
      if (this.#waiting === 0 && this.#endsWhenLeft) this.stopRun('left');
    };
    if (signal.aborted) leaveRun();
    else signal.addEventListener('abort', leaveRun, { once: true });
    await this.done;
    signal.removeEventListener('abort', leaveRun);
  }
}

/** Time for a stopped run to end, more on a busy machine. The pool ends unresponsive threads earlier. */
const STOP_GRACE_MS = 5 * SECOND_MS;

/** Rejects when a stopped run continues after the grace period, so that no engine can hold a job. */
function rejectAbandonedRun(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const beginStopGrace = () => setTimeout(() => reject(signal.reason), graceMs(STOP_GRACE_MS)).unref();
    if (signal.aborted) beginStopGrace();
    else signal.addEventListener('abort', beginStopGrace, { once: true });
  });
}
