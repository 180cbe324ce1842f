import { type FurtherEvent, WAITING_STAGE } from '../../operation.ts';
import type { Tx } from '../../platform/db/database.ts';
import { isJobErrorCode, type JobErrorCode } from '../../platform/error-codes.ts';
import { isDiskFull, isStorageTrouble } from '../../platform/errors.ts';
import type { Missing } from '../../platform/install-choice.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import { CLAIMED_STAGE, INSTALL_STAGE, StageLog } from './progress.ts';
import type { JobError, JobStatus } from './schema.ts';
import {
  changeJob,
  countEnded,
  hasReady,
  hasResult,
  insertJob,
  type JobChange,
  type JobRow,
  joinTurns,
  leaveTurns,
  type NewJobRow,
  type StoredResult,
  writeResult,
} from './store.ts';

/**
 * The state machine: the only file that sets a status. Every function runs inside the caller's transaction, so that
 * what must happen with a transition (payment, outbox rows) happens with it or not at all.
 *
 *     queued → processing → completed | failed
 *     processing → queued     interrupted, or failed retryably
 *     processing → failed     also when the server died while this job ran alone, at its last attempt
 *     queued | processing → queued   also `wait`: the job is not ready until something is installed; `release` ends it
 *     queued → failed         cancelled
 *     failed → queued         only `resume`: the replay of a proof whose job failed retryably
 *     completed | failed → queued   only `restart`: the same text request again, whose answer replaces the older one
 *     queued | processing → completed   only a cancelled restart: the older answer stays
 */
export interface TransitionContext {
  now: number;
  /**
   * Called in the same transaction when a job reaches a terminal state, with its result if it has one, and what it
   * lacked. Fills the outbox.
   */
  onTerminal(tx: Tx, job: JobRow, result: StoredResult | null, missing: Missing | null): void;
  retentionMs: number;
  /** Whether what the job made stays until it is deleted. Default: it expires. */
  keeps?(tx: Tx, jobId: string): boolean;
  /** Event of the operation's result besides the completion. */
  furtherEvent?: FurtherEvent | null;
  /** Stages of the ending run, as `StageLog` writes them; without a run the stored ones remain. */
  stages?: string | undefined;
}

type JobToEnqueue = Pick<
  NewJobRow,
  | 'id'
  | 'account_id'
  | 'operation_id'
  | 'priority'
  | 'queue_class'
  | 'request'
  | 'source_name'
  | 'label'
  | 'source'
  | 'dedupe_key'
  | 'events'
  | 'estimated_ms'
  | 'payment_id'
  | 'on_missing'
  | 'watch_id'
  | 'key_id'
  | 'key_name'
  | 'traceparent'
  | 'private_host'
>;

/** A request runs its own inline job at once. The queue runs it only if the process dies meanwhile. */
const INLINE_HOLD_MS = 10 * MINUTE_MS;

export function enqueueJob(tx: Tx, job: JobToEnqueue, now: number, inline = false): JobRow {
  const row = insertJob(tx, {
    ...job,
    status: 'queued',
    attempts: 0,
    crashes: 0,
    ready: inline ? 0 : 1,
    run_after_at: inline ? now + INLINE_HOLD_MS : null,
    revision: 1,
    progress_percent: 0,
    progress_stage: 'queued',
    progress_message: 'Waiting for its turn.',
    created_at: now,
    updated_at: now,
  });
  if (!inline) joinTurns(tx, job.queue_class, job.account_id);
  return row;
}

/** Starts a ready job under a lease. The caller updates the account's turn. */
export function beginJob(
  tx: Tx,
  job: JobRow,
  lease: Lease,
  now: number,
  { crashes = job.crashes }: { crashes?: number } = {},
): JobRow {
  expectStatus(job, ['queued']);
  const change: JobChange = {
    status: 'processing',
    crashes,
    lease_owner: lease.owner,
    lease_expires_at: lease.expiresAt,
    attempts: job.attempts + 1,
    runs: job.runs + 1,
    started_at: now,
    waiting_for: null,
    node: job.node === null ? undefined : null,
    progress_stage: CLAIMED_STAGE,
    // Why it runs again is said until it reports something new.
    progress_message: job.runs === 0 ? 'Started.' : job.progress_message,
  };
  return changeJob(tx, job.seq, change, now);
}

/**
 * Whether `row` is still in the run that began as `job`. What a run reports after it lost its job (its lease expired,
 * it was given back or ended) changes nothing.
 */
export function isRun(row: JobRow | undefined, job: Pick<JobRow, 'runs'>): row is JobRow {
  return row?.status === 'processing' && row.runs === job.runs;
}

/** This process takes over a run that goes on on a node. */
export function takeOver(tx: Tx, job: JobRow, lease: Lease, now: number): JobRow {
  expectStatus(job, ['processing']);
  return changeJob(tx, job.seq, { lease_owner: lease.owner, lease_expires_at: lease.expiresAt }, now);
}

export interface Lease {
  owner: string;
  expiresAt: number;
}

export function completeJobRow(tx: Tx, job: JobRow, result: StoredResult, context: TransitionContext): JobRow {
  expectStatus(job, ['processing']);
  writeResult(tx, job.id, result);
  const change = { status: 'completed', error: null, further_event: context.furtherEvent ?? null, ...DONE } as const;
  return endJob(tx, job, change, context, { result });
}

const DONE = { progress_percent: 100, progress_stage: 'completed', progress_message: 'Done.' };

export function failJob(tx: Tx, job: JobRow, failure: JobFailure, context: TransitionContext): JobRow {
  expectStatus(job, ['queued', 'processing']);
  if (failure.code === 'cancelled' && hasResult(tx, job.id)) return takeBack(tx, job, context);
  const error: JobError = {
    code: failure.code,
    message: failure.message + (failure.advice ?? ''),
    retryable: failure.retryable,
    attempts: job.attempts,
  };
  const progress = { progress_stage: 'failed', progress_message: error.message };
  const change = { status: 'failed', error: JSON.stringify(error), ...progress } as const;
  const failed = endJob(tx, job, change, context, { missing: failure.missing });
  if (job.status === 'queued') leaveIfDone(tx, failed);
  return failed;
}

/**
 * A repeated text request that is cancelled keeps the earlier answer, with its promised expiry. No webhook is called,
 * since nothing new has ended.
 */
function takeBack(tx: Tx, job: JobRow, context: TransitionContext): JobRow {
  const change = { status: 'completed', error: null, ...DONE } as const;
  const row = changeJob(tx, job.seq, { ...change, ...endedJobChange(context, isKept(tx, job, context)) }, context.now);
  if (job.status === 'queued') leaveIfDone(tx, row);
  return row;
}

/** Requeues a job at once, or after a backoff. Without `spendAttempt` the attempt does not count. */
export function requeueJob(
  tx: Tx,
  job: JobRow,
  how: { delayMs: number; spendAttempt: boolean; crashed: boolean; message: string; stages?: string | undefined },
  now: number,
): JobRow {
  expectStatus(job, ['processing']);
  const crashes = how.crashed ? job.crashes + 1 : job.crashes;
  const stages = new StageLog(how.stages ?? job.stages);
  stages.beginStage(WAITING_STAGE, now);
  const change: JobChange = {
    status: 'queued',
    lease_owner: null,
    lease_expires_at: null,
    attempts: how.spendAttempt ? job.attempts : job.attempts - 1,
    crashes,
    ...readinessAfter(how.delayMs, crashes, now),
    progress_stage: 'queued',
    progress_message: how.message,
    stages: stages.toJson(),
  };
  return rejoinTurns(tx, changeJob(tx, job.seq, change, now));
}

/** The queue runs ready jobs. Jobs that were running when the server died are never ready: `Suspects` runs them. */
function readinessAfter(delayMs: number, crashes: number, now: number): Pick<JobChange, 'ready' | 'run_after_at'> {
  return delayMs > 0 || crashes > 0 ? { ready: 0, run_after_at: now + delayMs } : { ready: 1, run_after_at: null };
}

function rejoinTurns(tx: Tx, row: JobRow): JobRow {
  if (row.ready === 1) joinTurns(tx, row.queue_class, row.account_id);
  return row;
}

/** The backoff of a job is over. */
export function makeReady(tx: Tx, job: JobRow, now: number): JobRow {
  expectStatus(job, ['queued']);
  return rejoinTurns(tx, changeJob(tx, job.seq, { ready: 1, run_after_at: null }, now));
}

/**
 * The job waits for an installation or a node: it is not ready and holds no slot. A run that found out spends no
 * attempt.
 */
export function parkWaitingJob(
  tx: Tx,
  job: JobRow,
  how: { waitingFor: string; onMissing: string | null; message: string; stages?: string | undefined },
  now: number,
): JobRow {
  expectStatus(job, ['queued', 'processing']);
  const stages = new StageLog(how.stages ?? job.stages);
  stages.beginStage(INSTALL_STAGE, now);
  const change: JobChange = {
    status: 'queued',
    lease_owner: null,
    lease_expires_at: null,
    attempts: job.status === 'processing' ? job.attempts - 1 : job.attempts,
    ready: 0,
    run_after_at: null,
    progress_stage: INSTALL_STAGE,
    progress_message: how.message,
    stages: stages.toJson(),
    on_missing: how.onMissing,
    waiting_for: how.waitingFor,
  };
  const row = changeJob(tx, job.seq, change, now);
  leaveIfDone(tx, row);
  return row;
}

/** What the job waited for is there. */
export function releaseWaitingJob(tx: Tx, job: JobRow, onMissing: string | null, now: number): JobRow {
  expectStatus(job, ['queued']);
  const stages = new StageLog(job.stages);
  stages.beginStage(WAITING_STAGE, now);
  const change: JobChange = {
    ...readinessAfter(0, job.crashes, now),
    progress_stage: WAITING_STAGE,
    progress_message: 'Waiting for its turn.',
    stages: stages.toJson(),
    on_missing: onMissing,
    waiting_for: null,
  };
  return rejoinTurns(tx, changeJob(tx, job.seq, change, now));
}

/**
 * Runs a failed job again for the same payment. Its events are sent again when it ends. A job that ran when the server
 * died stays marked, so that it endangers no other job.
 */
export function resumeFailedJob(tx: Tx, job: JobRow, now: number): JobRow {
  expectStatus(job, ['failed']);
  return rejoinTurns(tx, changeJob(tx, job.seq, { ...AS_NEW, ...readinessAfter(0, job.crashes, now) }, now));
}

/** Runs an ended text job again for a repeated request. */
export function restartJob(tx: Tx, job: JobRow, change: JobChange, now: number): JobRow {
  expectStatus(job, ['completed', 'failed']);
  const held = { crashes: 0, ready: 0, run_after_at: now + INLINE_HOLD_MS, purged_at: null };
  return changeJob(tx, job.seq, { ...change, ...AS_NEW, ...held }, now);
}

const AS_NEW = {
  status: 'queued',
  attempts: 0,
  error: null,
  ended_at: null,
  expires_at: null,
  started_at: null,
  progress_percent: 0,
  progress_stage: 'queued',
  progress_message: 'Waiting to run again.',
  stages: null,
  waiting_for: null,
  further_event: null,
} as const satisfies JobChange;

function endJob(
  tx: Tx,
  job: JobRow,
  change: JobChange,
  context: TransitionContext,
  { result = null, missing = null }: { result?: StoredResult | null; missing?: Missing | null | undefined },
): JobRow {
  const kept = change.status === 'completed' && isKept(tx, job, context);
  const row = changeJob(tx, job.seq, { ...change, ...endedJobChange(context, kept) }, context.now);
  countEnded(tx, row, context.now);
  context.onTerminal(tx, row, result, missing);
  return row;
}

function isKept(tx: Tx, job: JobRow, context: TransitionContext): boolean {
  return context.keeps?.(tx, job.id) === true;
}

function endedJobChange(context: TransitionContext, kept: boolean): JobChange {
  return {
    lease_owner: null,
    lease_expires_at: null,
    ready: 0,
    run_after_at: null,
    waiting_for: null,
    ended_at: context.now,
    expires_at: kept ? null : context.now + context.retentionMs,
    stages: context.stages,
  };
}

/** An account without ready jobs leaves the round, so that no turn is lost. */
function leaveIfDone(tx: Tx, job: JobRow): void {
  if (!hasReady(tx, job.queue_class, job.account_id)) leaveTurns(tx, job.queue_class, job.account_id);
}

function expectStatus(job: JobRow, allowed: readonly JobStatus[]): void {
  if (!allowed.includes(job.status)) throw new Error(`Job ${job.seq} is ${job.status}, not ${allowed.join(' or ')}.`);
}

/** The failure of a job, for its `error`. */
export interface JobFailure {
  code: JobErrorCode;
  message: string;
  /** What to do once the job has failed: a further sentence of its message. */
  advice?: string;
  retryable: boolean;
  /** What must be installed first. */
  missing?: Missing | undefined;
}

export const CANCELLED: JobFailure = { code: 'cancelled', message: 'The job was cancelled.', retryable: false };

const TIMED_OUT: JobFailure = {
  code: 'timeout',
  message: 'The job took longer than its time limit. Try a smaller or simpler source.',
  retryable: true,
};

/** Not retryable: automatic retries would kill the server again (decisions/002). */
export const INTERRUPTED: JobFailure = {
  code: 'interrupted',
  message:
    'The server ended while nothing but this job ran, and its attempts are used up. The source is the likely cause: ' +
    'send another one.',
  retryable: false,
};

/** Job errors have no code for a full disk. To clients it is a temporary fault of the server. */
const DISK_FULL: JobFailure = {
  code: 'internal',
  message: 'The disk is full: the owner of this appliance must free some space.',
  advice: ' Then send the request again.',
  retryable: true,
};

/** The same for a missing or read-only folder, or a locked database. */
const STORAGE_UNAVAILABLE: JobFailure = {
  code: 'internal',
  message: 'The storage of this appliance could not be used: its owner must see to the data folder.',
  advice: ' Then send the request again.',
  retryable: true,
};

/** Why a run was stopped. `left`: its callers have left. */
export type StopReason = 'cancelled' | 'left' | 'timeout' | 'stopping';

/** The failure of a run: the reason for its stop, or else the thrown error. */
export function failureFor(reason: StopReason | null, error: unknown): JobFailure {
  if (reason === 'cancelled' || reason === 'left') return CANCELLED;
  if (reason === 'timeout') return TIMED_OUT;
  return jobFailureOf(error);
}

/** Maps a thrown value to a failure with a public message. Unknown errors are `internal`. */
function jobFailureOf(error: unknown): JobFailure {
  const known = error as { code?: unknown; message?: unknown; retryable?: unknown; name?: unknown; missing?: Missing };
  if (known?.name === 'QuarryError' && typeof known.code === 'string' && isJobErrorCode(known.code)) {
    const { code, message, retryable, missing } = known;
    return { code, message: String(message), retryable: retryable === true, missing };
  }
  // Such as a voice that was there when the request was accepted.
  if (known?.name === 'QuarryError' && known.code === 'invalid_request') {
    return { code: 'engine_failed', message: String(known.message), retryable: false };
  }
  if (known?.code === 'storage_full' || isDiskFull(error)) return DISK_FULL;
  if (known?.code === 'storage_unavailable' || isStorageTrouble(error)) return STORAGE_UNAVAILABLE;
  return {
    code: 'internal',
    message: 'Something went wrong inside Quarry. Try again; if it happens again, report it with the job id.',
    retryable: true,
  };
}
