import type { Settings } from '../../config.ts';
import { OWNER, type Principal } from '../../context.ts';
import { type EnvironmentName, type Operation, PRIORITIES, type Priority } from '../../operation.ts';
import type { Db, Storage, Tx } from '../../platform/db/database.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import type { BodyReading } from '../../platform/http/bodies-in-flight.ts';
import type { ReadSmallJson } from '../../platform/http/body.ts';
import { newId } from '../../platform/ids.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { canonicalHash } from '../../platform/text/canonical-json.ts';
import type { Needs } from '../models/schema.ts';
import type { Payments } from '../payments/service.ts';
import type { JobChanges } from './changes.ts';
import { admitOrWait, jobDraftOf } from './drafts.ts';
import type { JobEvents } from './events.ts';
import { createExecution, type ExecutionDeps, runLimits } from './execute.ts';
import type { AwayRun, Fleet, JoinedFleet } from './fleet.ts';
import { claimKey, type IdempotencyKeys } from './idempotency.ts';
import { finishInlineJob, waitForInlineResult } from './inline.ts';
import { Jobs } from './jobs.ts';
import type { Labels } from './labels.ts';
import type { GateOpening, GateRefusal, PaymentGate } from './payment-gate.ts';
import type { JobPorts } from './ports.ts';
import { fingerprintOf } from './request-checks.ts';
import { Retention } from './retention.ts';
import { Runner, type RunnerDeps } from './runner.ts';
import type { JobDraft, JobError, SubscriptionDraft } from './schema.ts';
import {
  changeJob,
  endSharing,
  type JobRow,
  jobById,
  type StoredResult,
  storedResultOf,
  writeResult,
} from './store.ts';
import type { Isolation } from './suspects.ts';
import { type InstallPreference, WaitingJobs } from './waiting.ts';

/** Jobs of one environment, for routes and for features that submit work. */
export interface JobService extends Pick<JobPorts, 'checkTargets' | 'admitWebhook' | 'acquireInline'> {
  name: EnvironmentName;
  operations: readonly Operation[];
  settings(): Readonly<Settings>;
  /** Absolute, ends with the version prefix. */
  baseUrl(): string;
  jobs: Jobs;
  body: BodyReading;
  gate: PaymentGate;
  submission: SubmitPort;
  idempotency: IdempotencyKeys;
  /** Requests with the same key share a job. Null for operations without shared jobs. */
  dedupeKey(operation: Operation, request: Record<string, unknown>, accountId: string): Promise<string | null>;
  /** Runs the operation's `admit`, before the payment. Returns a function to call at the end. */
  admit(operation: Operation, request: Record<string, unknown>, accountId: string): Promise<() => void>;
  /** Runs the operation's `prepare`, which returns values of its `accepted` fields. */
  prepare(
    operation: Operation,
    job: JobRow,
    request: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>;
  /** Id of a deterministic job: unguessable, and the same for the same account and request. */
  deterministicId(prefix: string, accountId: string, request: Record<string, unknown>): string;
  readSmallJson: ReadSmallJson;
  filePathOf(jobId: string, name: string): string | null;
  fileNamesOf(jobId: string): Promise<string[]>;
  /** Path of the job's source file, if it has one. */
  sourcePathOf(jobId: string): string;
}

/** A job that was inserted, or that existed: it may have ended. */
export type AcceptedJob = Pick<JobRow, 'id' | 'status' | 'error'>;

/** Turns a validated request into a job, without payment. */
interface SubmitPort {
  /**
   * Moves the upload into the job's folder and inserts the job, or finds the one with the same dedupe key.
   *
   * @param also runs in the transaction of the insertion. An error undoes both.
   */
  accept(draft: JobDraft, also?: (tx: Tx, job: AcceptedJob) => void): Promise<JobRow>;
}

/** A request to an operation through another interface than its own route. */
interface OperationCall {
  operationId: string;
  principal: Principal;
  /** The body for the operation's own route. */
  value: Record<string, unknown>;
  upload?: Upload | null;
  /** A new id, for a caller that follows the job from its start. */
  jobId?: string;
  /** Cancels the job: the caller has left. */
  signal: AbortSignal;
  /** How the owner's job deals with something missing. Without it the call fails. */
  install?: InstallPreference | undefined;
  priority?: Priority;
  /** The watch that submits the job. */
  watchId?: string;
  /** The private host that the owner named, where the address of the call came from elsewhere; null for none. */
  privateHost?: string | null;
  labels?: Labels | undefined;
  /** Further webhooks of the job. */
  subscriptions?: readonly SubscriptionDraft[];
  /** Never the job of an earlier request. */
  isFresh?: boolean;
  /** Runs in the transaction that inserts the job. An error undoes both. */
  also?(tx: Tx, job: AcceptedJob): void;
  /** The proof of a caller that pays. Absent for one that need not pay. */
  payment?: Extract<GateOpening, { kind: 'proof' }> | undefined;
  /** Name of the tool that was called. */
  tool?: string;
  /** Receives the events of an inline operation. */
  emit?(event: string, data: Record<string, unknown>): void;
}

interface AcceptedCall {
  jobId: string;
  /** Headers that describe the settled payment. */
  receipt: Record<string, string>;
  /** Runs an inline operation, and waits for the end. Errors: the error of the job. */
  result<Value = Record<string, unknown>>(): Promise<Value>;
  /** Frees what the admission reserved, for a caller that does not wait. */
  leave(): void;
}

/** Errors: those of the operation's own route, and PaymentRefused. */
export async function acceptCall(service: JobService, call: OperationCall): Promise<AcceptedCall> {
  const { principal, value, upload = null } = call;
  const operation = service.operations.find(({ id }) => id === call.operationId);
  if (operation === undefined) throw new Error(`No operation is called ${call.operationId}.`);
  const draft = await jobDraftOf(service, operation, principal, { value, upload }, call.jobId);
  if (call.priority !== undefined) draft.priority = PRIORITIES.indexOf(call.priority);
  if (call.watchId !== undefined) draft.watchId = call.watchId;
  if (call.privateHost !== undefined) draft.privateHost = call.privateHost;
  if (call.labels !== undefined) draft.labels = call.labels;
  if (call.isFresh === true) draft.dedupeKey = null;
  draft.subscriptions.push(...(call.subscriptions ?? []));
  const target = service.operations.find(({ id }) => id === draft.operationId) ?? operation;
  const held: (() => void)[] = [];
  const leaveAdmission = () => {
    for (const free of held.splice(0)) free();
  };
  const paymentId = call.payment?.paymentId ?? null;
  const claim = paymentId === null ? null : claimKey(service, operation, draft, paymentId, call.payment ?? null);
  if (claim !== null && 'jobId' in claim) {
    const job = service.jobs.row(claim.jobId);
    return {
      jobId: job.id,
      receipt: {},
      result: <Value>() => waitForInlineResult<Value>(service, job, call.signal),
      leave: leaveAdmission,
    };
  }
  if (claim !== null) held.push(claim.end);
  try {
    if (target.inline) held.push(service.acquireInline(principal.accountId));
    held.push(await admitOrWait(service, target, draft, call.install ?? null));
    const { job, receipt } = await insertOrReuseCall(service, operation, draft, call);
    claim?.end();
    if (job.waiting_for !== null) await service.jobs.waiting.onJobBeganWaiting(job.id);
    const inlineCallResult = async <Value>() => {
      if (!target.inline) return waitForInlineResult<Value>(service, job, call.signal);
      return finishInlineJob(service, (whole: Value) => whole, job, call.signal, call.emit ?? (() => {}));
    };
    return {
      jobId: job.id,
      receipt,
      result: <Value>() => inlineCallResult<Value>().finally(leaveAdmission),
      leave: leaveAdmission,
    };
  } catch (error) {
    leaveAdmission();
    throw error;
  }
}

/** Checks a call as `acceptCall` does, and accepts nothing. Errors: the same, without those of a payment. */
export async function checkCall(
  service: JobService,
  {
    operationId,
    principal,
    value,
    upload = null,
  }: Pick<OperationCall, 'operationId' | 'principal' | 'value' | 'upload'>,
): Promise<void> {
  const operation = service.operations.find(({ id }) => id === operationId);
  if (operation === undefined) throw new Error(`No operation is called ${operationId}.`);
  const draft = await jobDraftOf(service, operation, principal, { value, upload });
  const target = service.operations.find(({ id }) => id === draft.operationId) ?? operation;
  (await admitOrWait(service, target, draft, null))();
}

/** The payment did not buy the job: it needs another proof. */
export class PaymentRefused extends Error {
  readonly refusal: GateRefusal;

  constructor(refusal: GateRefusal) {
    super('The payment was refused.');
    this.refusal = refusal;
  }
}

/** Inserts the job, after settling its payment if it has one. */
async function insertOrReuseCall(
  service: JobService,
  operation: Operation,
  draft: JobDraft,
  { payment, also, tool }: OperationCall,
): Promise<{ job: JobRow; receipt: Record<string, string> }> {
  if (payment === undefined) return { job: await service.submission.accept(draft, also), receipt: {} };
  const requestHash = canonicalHash(fingerprintOf(operation, draft.request, draft.upload));
  const purchase = { proof: payment.proof, operation, requestHash, draft, prefer: undefined, tool };
  const outcome = await service.gate.accept(purchase);
  if (outcome.kind === 'refused') throw new PaymentRefused(outcome);
  if (outcome.kind === 'unavailable') throw outcome.error;
  return { job: outcome.job, receipt: outcome.headers };
}

export { jobBody } from './answer.ts';
export { fetchPolicyOf } from './execute.ts';
export type { Assignment, AwayRun, Fleet, RunControl, RunOutcome } from './fleet.ts';
export { gatherFor, RunLostError, requireOperation, runAssignment } from './fleet.ts';
export { idempotencyKeyOf } from './idempotency.ts';
export {
  asJobError,
  asPrincipal,
  type EndedJob,
  entryEndOf,
  JobSource,
  type JobSourceDeps,
  ListedSource,
  nullableIsoTime,
} from './job-source.ts';
export { type Labels, labelsOf, presentLabels, storedLabels } from './labels.ts';
export { NodeAwayError } from './node-standing.ts';
export {
  type BuyOutcome,
  type GateOpening,
  type GateRefusal,
  type PaymentGate,
  type ProofSource,
  proofSourceOf,
} from './payment-gate.ts';
export { installPreference } from './preferences.ts';
export { endedJob, fileReference, jobSourceOf, SUBSCRIBABLE_JOBS } from './present.ts';
export { addressField, callOf, checkAddresses, checkRecipe } from './recipes.ts';
export { uploadLimitBytes } from './request-checks.ts';
export { checkSchedule } from './schedule.ts';
export { type SourcePage, SourceRoutes } from './source-routes.ts';
export {
  type Change,
  type EntryTable,
  type MadeByKey,
  type ScheduledTable,
  SourceStore,
  type SourceTable,
  type WatchedTable,
} from './source-store.ts';
export { accountsProcessing, countProcessing, earlierCrawl, isKept, writeIdempotency } from './store.ts';
export { labelOf } from './submit.ts';
export { Isolation } from './suspects.ts';
export type { InstallPreference, JobEvents, JobRow, Jobs, StoredResult };

/** Jobs of keys and of other accounts are not the owner's own, also where the owner asked for the same. */
export function madeByOwner({ account_id: accountId, key_id: keyId }: JobRow): boolean {
  return accountId === OWNER.accountId && keyId === null;
}

/** The result of a completed job stays until it is deleted. */
export function keepJob(tx: Tx, job: Pick<JobRow, 'seq' | 'expires_at'>, now: number): void {
  if (job.expires_at !== null) changeJob(tx, job.seq, { expires_at: null }, now);
}

/** What was kept expires like a result of now. */
export function releaseJob(tx: Tx, job: JobRow, now: number, retentionMs: number): void {
  if (job.expires_at === null && job.ended_at !== null) {
    changeJob(tx, job.seq, { expires_at: now + retentionMs }, now);
  }
}

/** The stored result of a job; null when it has none. */
export function storedResult(db: Db, jobId: string): StoredResult | null {
  return storedResultOf(db, jobId);
}

/** Replaces the stored result. Null when it is not `before` any more, or gone. */
export function replaceResult(
  tx: Tx,
  jobId: string,
  before: StoredResult,
  after: { body: string; chunksBytes?: number | null },
  now: number,
): { job: JobRow; stored: StoredResult } | null {
  const job = jobById(tx, jobId);
  if (job === undefined || storedResultOf(tx, jobId)?.body !== before.body) return null;
  const stored = { ...before, ...after };
  writeResult(tx, jobId, stored);
  return { job: changeJob(tx, job.seq, {}, now), stored };
}

interface JobsDeps extends Omit<ExecutionDeps, 'fleet'> {
  fleet: JoinedFleet;
  events: JobEvents;
  changes: JobChanges;
  /** Shared by the jobs of all environments. */
  isolation: Isolation;
  log: RunnerDeps['log'];
  payments: Payments;
  needs: Needs;
  concurrencyOf: RunnerDeps['concurrencyOf'];
  retentionMs(): number;
  keeps: JobPorts['keeps'];
  baseUrl(): string;
}

/** Opens the jobs of one environment: queue, ends and retention. */
export function openJobs(deps: JobsDeps): Jobs {
  const { storage, clock, log, operations, folders, events, changes, fleet, payments, baseUrl, needs } = deps;
  const waiting = new WaitingJobs(deps, () => runner.kickRunner());
  const announceCommit = () => void events.emit('committed');
  const runner: Runner = new Runner({
    ...deps,
    instanceId: newId('run'),
    execute: createExecution(deps),
    awayRunOf: (job) => awayRunOf(deps, fleet, job),
    slotsOfNodes: (queueClass) => fleet.fleetSlots(queueClass),
    limitsOf: (operationId) => runLimits(operations, operationId),
    onMissing: (job, error) => waiting.missingOutcomeOf(job, error),
    waitForNode: (job, error) => waiting.waitForNode(job, error),
    afterWait: (jobId) => void waiting.onJobBeganWaiting(jobId),
    onTerminal: (tx, job, result, missing) => {
      events.emit('ended', tx, job, result, missing);
      grantRerun(tx, job, payments);
    },
    afterTerminal: announceCommit,
  });
  const onRemoved = (tx: Tx, job: JobRow) => {
    events.emit('removed', tx, job.id);
    endSharing(tx, job.id);
  };
  return new Jobs({
    storage,
    clock,
    operations,
    events,
    changes,
    runner,
    retention: new Retention({ storage, folders, clock, changes, log, onRemoved, afterRemoved: announceCommit }),
    waiting,
    baseUrl,
    progressOf: (name) => needs.neededProgress(name),
    chunksPathOf: (jobId) => folders.chunksFolderPath(jobId),
  });
}

function awayRunOf({ name: environment }: JobsDeps, fleet: Fleet, job: JobRow): AwayRun | null {
  if (job.node === null) return null;
  const { id: jobId, account_id: accountId, runs: run, queue_class: queueClass, operation_id: operationId, node } = job;
  const away = { environment, jobId, accountId, run, queueClass, operationId, node };
  return fleet.isAway(away) ? away : null;
}

function grantRerun(tx: Tx, job: JobRow, payments: Payments): void {
  if (job.error === null) return;
  payments.jobFailed(tx, job.id, parseOwnJson<JobError>(job.error).code);
}

/**
 * Removes folders without a job. It runs before requests are accepted: later marks belong to running submissions.
 *
 * @param openDrafts ids of jobs that a payment may still create.
 */
export async function recoverFolders(
  folders: JobFolders,
  storage: Storage,
  openDrafts: readonly string[],
): Promise<void> {
  const open = new Set(openDrafts);
  await folders.recoverJobFolders((jobId) => {
    const job = jobById(storage.db, jobId);
    if (job) return job.purged_at === null ? 'job' : 'nobody';
    return open.has(jobId) ? 'pending' : 'nobody';
  });
}
