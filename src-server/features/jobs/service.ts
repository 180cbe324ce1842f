import type { Settings } from '../../config.ts';
import type { Principal } from '../../context.ts';
import { type Chunk, type EnvironmentName, type Operation, PRIORITIES, type Priority } from '../../operation.ts';
import type { Db, Storage, Tx } from '../../platform/db/database.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import type { ReadSmallJson } from '../../platform/http/body.ts';
import { newId } from '../../platform/ids.ts';
import type { Missing } from '../../platform/install-choice.ts';
import { canonicalHash } from '../../platform/text/canonical-json.ts';
import type { Needs } from '../models/schema.ts';
import type { Payments } from '../payments/service.ts';
import type { SearchFeature } from '../search/service.ts';
import type { SubscriptionDraft, WebhookMaker, WebhookRequest } from '../webhooks/schema.ts';
import type { Webhooks } from '../webhooks/service.ts';
import type { BodyReading } from './bodies-in-flight.ts';
import type { JobChanges } from './changes.ts';
import { admitOrWait, draftOf } from './drafts.ts';
import { createExecution, type ExecutionDeps, runLimits } from './execute.ts';
import { type AwayRun, type Fleet, localFleet } from './fleet.ts';
import { claimKey, type IdempotencyKeys } from './idempotency.ts';
import { finish, waitFor } from './inline.ts';
import { Jobs } from './jobs.ts';
import type { Labels } from './labels.ts';
import type { GateOpening, GateRefusal, PaymentGate } from './payment-gate.ts';
import { endedJob } from './present.ts';
import { fingerprintOf } from './request-checks.ts';
import { Retention } from './retention.ts';
import { Runner, type RunnerDeps } from './runner.ts';
import type { JobDraft, JobError } from './schema.ts';
import { changeJob, endSharing, type JobRow, jobById, resultOf, type StoredResult, writeResult } from './store.ts';
import type { Isolation } from './suspects.ts';
import { type InstallPreference, WaitingJobs } from './waiting.ts';

/** Dependencies of the routes of one environment. `app.ts` builds one for production and one for staging. */
export interface JobService {
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
  /** Refuses webhook targets that this account may not call, by field. */
  checkTargets(maker: WebhookMaker, targets: readonly { path: string; url: string }[]): Promise<void>;
  /** Refuses a registration before it is charged when its target may not be called or the account has too many. */
  admitWebhook(maker: WebhookMaker, request: WebhookRequest): Promise<void>;
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
  /** Takes a slot for an inline request. Returns a function that frees it. Errors: `rate_limited`. */
  acquireInline(accountId: string): () => void;
  /** Id of a deterministic job: unguessable, and the same for the same account and request. */
  deterministicId(prefix: string, accountId: string, request: Record<string, unknown>): string;
  /** Cuts the document of a job into other chunks. Errors: `not_found` when the job keeps no document. */
  rechunk(
    jobId: string,
    accountId: string,
    how: { segmentLength: number; language?: string | undefined },
  ): Promise<{ chunks: Chunk[] }>;
  readSmallJson: ReadSmallJson;
  filePathOf(jobId: string, name: string): string | null;
  fileNamesOf(jobId: string): Promise<string[]>;
  /** Renders a page, from 1, of a job's PDF as PNG. Errors: `not_found`, `corrupt_input`. */
  drawPage(jobId: string, how: { page: number; widthPixels: number }): Promise<{ png: Uint8Array; pages: number }>;
  /**
   * The waveform of a job's recording, of the audio track that the request asks for. Errors: `unsupported_media`,
   * `corrupt_input`, `timeout`.
   */
  soundPeaks(
    jobId: string,
    wish: { language?: string | undefined; audioTrack?: number | undefined },
    signal: AbortSignal,
  ): Promise<{ peaks: number[] }>;
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
  result(): Promise<Record<string, unknown>>;
  /** Frees what the admission reserved, for a caller that does not wait. */
  leave(): void;
}

/** Errors: those of the operation's own route, and PaymentRefused. */
export async function acceptCall(service: JobService, call: OperationCall): Promise<AcceptedCall> {
  const { principal, value, upload = null } = call;
  const operation = service.operations.find(({ id }) => id === call.operationId);
  if (operation === undefined) throw new Error(`No operation is called ${call.operationId}.`);
  const draft = await draftOf(service, operation, principal, { value, upload }, call.jobId);
  if (call.priority !== undefined) draft.priority = PRIORITIES.indexOf(call.priority);
  if (call.watchId !== undefined) draft.watchId = call.watchId;
  if (call.privateHost !== undefined) draft.privateHost = call.privateHost;
  if (call.labels !== undefined) draft.labels = call.labels;
  if (call.isFresh === true) draft.dedupeKey = null;
  draft.subscriptions.push(...(call.subscriptions ?? []));
  const target = service.operations.find(({ id }) => id === draft.operationId) ?? operation;
  const held: (() => void)[] = [];
  const leave = () => {
    for (const free of held.splice(0)) free();
  };
  const paymentId = call.payment?.paymentId ?? null;
  const claim = paymentId === null ? null : claimKey(service, operation, draft, paymentId, call.payment ?? null);
  if (claim !== null && 'jobId' in claim) {
    const job = service.jobs.row(claim.jobId);
    return { jobId: job.id, receipt: {}, result: () => waitFor(service, job, call.signal), leave };
  }
  if (claim !== null) held.push(claim.end);
  try {
    if (target.inline) held.push(service.acquireInline(principal.accountId));
    held.push(await admitOrWait(service, target, draft, call.install ?? null));
    const { job, receipt } = await insert(service, operation, draft, call);
    claim?.end();
    const result = async () => {
      if (target.inline) return finish(service, (whole) => whole, job, call.signal, call.emit ?? (() => {}));
      return waitFor(service, job, call.signal);
    };
    return { jobId: job.id, receipt, result: () => result().finally(leave), leave };
  } catch (error) {
    leave();
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
  const draft = await draftOf(service, operation, principal, { value, upload });
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
async function insert(
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

export { JobChanges } from './changes.ts';
export type { Assignment, AwayRun, Fleet, RunControl, RunOutcome } from './fleet.ts';
export { gatherFor, operationOf, RunLostError, runAssignment } from './fleet.ts';
export { idempotencyKeyOf } from './idempotency.ts';
export {
  asJobError,
  asPrincipal,
  type EndedJob,
  endOf,
  JobSource,
  type JobSourceDeps,
  ListedSource,
  timeOf,
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
export { fileReference } from './present.ts';
export { addressField, callOf, checkAddresses, checkRecipe } from './recipes.ts';
export { uploadLimitBytes } from './request-checks.ts';
export { checkSchedule } from './schedule.ts';
export { type SourcePage, SourceRoutes } from './source-routes.ts';
export { type Change, SourceStore } from './source-store.ts';
export { accountsProcessing, countProcessing, earlierCrawl, isKept, writeIdempotency } from './store.ts';
export { Isolation } from './suspects.ts';
export type { InstallPreference, Jobs };

/** The stored result of a job; null when it has none. */
export function storedResult(db: Db, jobId: string): StoredResult | null {
  return resultOf(db, jobId);
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
  if (job === undefined || resultOf(tx, jobId)?.body !== before.body) return null;
  const stored = { ...before, ...after };
  writeResult(tx, jobId, stored);
  return { job: changeJob(tx, job.seq, {}, now), stored };
}

export interface JobsDeps extends Omit<ExecutionDeps, 'fleet'> {
  /** Wraps the fleet of this process, or gives it back. */
  fleetOf(local: Fleet): Fleet;
  changes: JobChanges;
  /** Shared by the jobs of all environments. */
  isolation: Isolation;
  log: RunnerDeps['log'];
  search: SearchFeature;
  payments: Payments;
  needs: Needs;
  /** A function, since webhooks and jobs need each other. */
  webhooks(): Webhooks;
  concurrencyOf: RunnerDeps['concurrencyOf'];
  /** Records the end of a job elsewhere, in the same transaction. @param missing what it lacked */
  onEnded(tx: Tx, job: JobRow, missing: Missing | null): void;
  /** A failed job runs again, in the same transaction. */
  onRetried(tx: Tx, jobId: string): void;
  /** Removes other data about a job, in the transaction that removes its result. */
  onRemoved(tx: Tx, jobId: string): void;
  retentionMs(): number;
  baseUrl(): string;
}

/** Opens the jobs of one environment: queue, ends and retention. */
export function openJobs(deps: JobsDeps): Jobs {
  const { storage, clock, log, operations, folders, search, changes, payments, webhooks, baseUrl, needs } = deps;
  const fleet = deps.fleetOf(localFleet(deps));
  const waiting = new WaitingJobs({ ...deps, fleet }, () => runner.kick());
  const runner: Runner = new Runner({
    ...deps,
    instanceId: newId('run'),
    execute: createExecution({ ...deps, fleet }),
    awayRunOf: (job) => awayRunOf(deps, fleet, job),
    slotsOfNodes: (queueClass) => fleet.slots(queueClass),
    limitsOf: (operationId) => runLimits(operations, operationId),
    onMissing: (job, error) => waiting.outcomeOf(job, error),
    waitForNode: (job, error) => waiting.waitForNode(job, error),
    afterWait: (jobId) => void waiting.began(jobId),
    onTerminal: (tx, job, result, missing) => {
      const ended = endedJob(job);
      if (ended !== null) webhooks().onTerminal(tx, ended);
      search.onTerminal(tx, job, result);
      grantRerun(tx, job, payments);
      deps.onEnded(tx, job, missing);
    },
    afterTerminal: () => {
      webhooks().kick();
      search.kick();
    },
  });
  const onRemoved = (tx: Tx, job: JobRow) => {
    webhooks().onJobRemoved(tx, job.id);
    search.onRemoved(tx, job.id);
    endSharing(tx, job.id);
    deps.onRemoved(tx, job.id);
  };
  const afterRemoved = () => search.kick();
  const retention = new Retention({ storage, folders, clock, changes, log, onRemoved, afterRemoved });
  const chunksPathOf = (jobId: string) => folders.chunksOf(jobId);
  const progressOf = (name: string) => needs.progress(name);
  return new Jobs({
    storage,
    onRetried: deps.onRetried,
    clock,
    operations,
    changes,
    runner,
    retention,
    waiting,
    baseUrl,
    progressOf,
    chunksPathOf,
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
  payments.jobFailed(tx, job.id, (JSON.parse(job.error) as JobError).code);
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
  await folders.recover((jobId) => {
    const job = jobById(storage.db, jobId);
    if (job) return job.purged_at === null ? 'job' : 'nobody';
    return open.has(jobId) ? 'pending' : 'nobody';
  });
}
