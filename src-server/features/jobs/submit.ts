import { type Operation, ofOperation, type QueueClass, type RunGuess } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { wholeSlice } from '../../platform/text/strings.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { InsertJob, Purchase } from '../payments/service.ts';
import type { JobEvents } from './events.ts';
import type { Jobs } from './jobs.ts';
import { joinedLabels, type Labels, storedLabels } from './labels.ts';
import type { JobPorts } from './ports.ts';
import { estimateMs } from './progress.ts';
import { isTerminal, type JobDraft } from './schema.ts';
import {
  changeJob,
  countOpenOfKey,
  type JobRow,
  jobById,
  reusableJob,
  type StoredSource,
  shareJob,
  writeIdempotency,
  writeTags,
} from './store.ts';
import { enqueueJob, parkWaitingJob, restartJob, resumeFailedJob } from './transition.ts';

export interface SubmissionDeps {
  storage: Storage;
  clock: Clock;
  folders: JobFolders;
  jobs: Jobs;
  events: JobEvents;
  operations: readonly Operation[];
  retentionMs(): number;
  keeps: JobPorts['keeps'];
}

type FolderFate = 'job' | 'reservation' | 'nobody';

/**
 * Turns a validated request into a job. The file is in place before the job is visible. Folders without a job are
 * removed even if the process dies (`JobFolders.recover`).
 */
export class Submission {
  readonly #deps: SubmissionDeps;

  constructor(deps: SubmissionDeps) {
    this.#deps = deps;
  }

  /**
   * Accepts without payment: the owner's requests, and operations that cost nothing.
   *
   * @param also runs in the same transaction. An error undoes the insertion.
   */
  async accept(draft: JobDraft, also: (tx: Tx, job: JobRow) => void = () => {}): Promise<JobRow> {
    const { storage } = this.#deps;
    let reused = false;
    const job = await this.withClaimedUpload(draft, async () => {
      const accepted = storage.transaction((tx) => {
        const inserted = this.#insertDraftJob(tx, draft, null);
        also(tx, inserted.job);
        return inserted;
      });
      reused = accepted.reused;
      return { outcome: accepted.job, keepsFolder: accepted.reused ? 'nobody' : 'job' };
    });
    this.announceSubmission(job.id, reused);
    return job;
  }

  /** Call this after an acceptance is committed. A reused job that has ended notifies its new webhooks at once. */
  announceSubmission(jobId: string, isReused: boolean): void {
    const { jobs, events } = this.#deps;
    jobs.onJobSubmitted(jobId);
    if (isReused) events.emit('committed');
  }

  /** Moves the upload into the draft's folder during `work`. The outcome decides what the folder belongs to. */
  async withClaimedUpload<Outcome>(
    draft: JobDraft,
    work: () => Promise<{ outcome: Outcome; keepsFolder: FolderFate }>,
  ): Promise<Outcome> {
    const { folders } = this.#deps;
    if (draft.upload === null) return (await work()).outcome;
    let fate: FolderFate = 'nobody';
    try {
      await folders.claimUpload(draft.jobId, draft.upload.path);
      const { outcome, keepsFolder } = await work();
      fate = keepsFolder;
      return outcome;
    } finally {
      if (fate === 'nobody') await folders.removeJobFolder(draft.jobId);
      // A reservation keeps its mark: if it never becomes a job, the next start clears the folder.
      if (fate !== 'reservation') await folders.clearAcceptingMark(draft.jobId);
    }
  }

  /** Inserts the job of a payment, in its transaction. The ledger stores only drafts of this class. */
  readonly insertPaid: InsertJob = (tx, draft, paymentId) =>
    this.#insertDraftJob(tx, draft as JobDraft, paymentId).job.id;

  /** A proof was sent again with the same request: a job that failed retryably runs again. */
  readonly replay: Purchase['replay'] = (tx, { jobId, draft, rerunAllowed }) => {
    const job = jobById(tx, jobId);
    if (job?.status !== 'failed') return 'kept';
    const retryable = parseOwnJson<{ retryable?: boolean }>(job.error ?? '{}').retryable === true;
    const purged = job.purged_at !== null;
    if (!rerunAllowed && (!retryable || purged)) return 'kept';
    const now = this.#deps.clock.now();
    if (purged) this.#revivePurgedJob(tx, job, draft as JobDraft, now);
    resumeFailedJob(tx, job, now);
    return retryable && !purged ? 'resumed' : 'rerun';
  };

  /** Restores the request and file of a purged job from the repeated request. */
  #revivePurgedJob(tx: Tx, job: JobRow, draft: JobDraft, now: number): void {
    const { folders } = this.#deps;
    const source = draft.upload === null ? null : storedSourceJson(draft.upload);
    const named = { label: labelOf(draft), source_name: sourceNameOf(draft), source, ...storedLabels(draft.labels) };
    const request = JSON.stringify(draft.request);
    writeTags(tx, changeJob(tx, job.seq, { ...named, request, purged_at: null }, now));
    if (draft.upload === null) return;
    // Before the commit, since a job cannot run without its file.
    folders.moveSource(draft.jobId, job.id);
  }

  #insertDraftJob(tx: Tx, draft: JobDraft, paymentId: string | null): { job: JobRow; reused: boolean } {
    const { clock, operations, retentionMs, events, keeps } = this.#deps;
    const operation = operations.find(({ id }) => id === draft.operationId);
    if (!operation) throw new Error(`No operation is called ${draft.operationId}.`);
    const accepted = acceptJobDraft(tx, draft, {
      now: clock.now(),
      queueClass: operation.isHeavy?.(ofOperation(draft.request)) === true ? 'heavy' : operation.queueClass,
      inline: operation.mode === 'inline',
      firstRun: operation.firstRun,
      paymentId,
      retentionMs: retentionMs(),
      subscribe: (inner, jobId) => {
        const subscribed: string[] = [];
        events.emit('accepted', inner, jobId, draft, subscribed);
        return subscribed;
      },
      keeps,
      repeat: (inner, jobId) => events.emit('repeated', inner, jobId, draft),
    });
    if (accepted.reused && accepted.job.account_id !== draft.accountId) {
      shareJob(tx, draft.accountId, accepted.job.id);
    }
    if (draft.idempotency !== undefined) writeIdempotency(tx, draft.idempotency, accepted.job.id, clock.now());
    return accepted;
  }
}

interface AcceptContext {
  now: number;
  queueClass: QueueClass;
  /** The job is run by its request instead of the queue, and replaces an older answer. */
  inline: boolean;
  /** The operation's estimate for its first run on this machine. */
  firstRun: RunGuess;
  paymentId: string | null;
  retentionMs: number;
  /** Tells of the acceptance in the same transaction. Returns the job's events. */
  subscribe(tx: Tx, jobId: string): string[];
  /** Whether what the job made stays until it is deleted. */
  keeps(tx: Tx, jobId: string): boolean;
  /** Tells that the request asks for a stored answer again. */
  repeat(tx: Tx, jobId: string): void;
}

/**
 * Inserts a job, or reuses the one with the same dedupe key: its expiry is extended and the webhook targets are added
 * (interface: behaviour rule 2).
 */
function acceptJobDraft(tx: Tx, draft: JobDraft, context: AcceptContext): { job: JobRow; reused: boolean } {
  const { dedupeKey, maxAgeSeconds } = draft;
  const completedSince = maxAgeSeconds === undefined ? 0 : context.now - maxAgeSeconds * SECOND_MS;
  const sharing = {
    now: context.now,
    // A kept job has no expiry: it is shared as long as others are.
    endedSince: context.now - context.retentionMs,
    completedSince,
    accountId: draft.accountId,
    isLabelled: draft.labels !== undefined,
  };
  const existing = dedupeKey === null ? undefined : reusableJob(tx, dedupeKey, sharing);
  // Too many labels for one job make another.
  const joined = existing && joinedLabels(existing, draft.labels);
  if (existing && joined) return { job: extendReusedJob(tx, existing, joined, context), reused: true };
  if (draft.key !== undefined) checkOpenJobs(tx, draft.key);
  const older = context.inline ? jobById(tx, draft.jobId) : undefined;
  if (older) {
    const replaced = replaceAnswer(tx, older, draft, context);
    context.repeat(tx, older.id);
    return { job: replaced, reused: false };
  }
  const row = enqueueJob(
    tx,
    {
      id: draft.jobId,
      account_id: draft.accountId,
      operation_id: draft.operationId,
      priority: draft.priority,
      queue_class: context.queueClass,
      request: JSON.stringify(draft.request),
      source_name: sourceNameOf(draft),
      label: labelOf(draft),
      source: draft.upload === null ? null : storedSourceJson(draft.upload),
      dedupe_key: draft.dedupeKey,
      events: '[]',
      estimated_ms: estimateMs(tx, draft.operationId, draft.upload?.sizeBytes ?? 0, context.firstRun),
      payment_id: context.paymentId,
      on_missing: draft.install?.onMissing ?? null,
      watch_id: draft.watchId ?? null,
      ...storedLabels(draft.labels),
      key_id: draft.key?.id ?? null,
      key_name: draft.key?.name ?? null,
      traceparent: draft.traceparent ?? null,
      private_host: draft.privateHost ?? null,
    },
    context.now,
    context.inline,
  );
  if (row.tags !== null) writeTags(tx, row);
  const events = context.subscribe(tx, row.id);
  const job = events.length === 0 ? row : changeJob(tx, row.seq, { events: JSON.stringify(events) }, context.now);
  return { job: waitIfMissing(tx, job, draft, context.now), reused: false };
}

/** In the transaction that inserts: requests at once cannot pass it together. Errors: `rate_limited`. */
function checkOpenJobs(tx: Tx, { id, openJobs }: NonNullable<JobDraft['key']>): void {
  if (openJobs === null || countOpenOfKey(tx, id) < openJobs) return;
  throw new QuarryError('rate_limited', `This key may have ${openJobs} unfinished jobs: wait until one has ended.`, {
    retryAfterSeconds: 1,
  });
}

/** If the same answer is being computed already, the request waits for it. */
function replaceAnswer(tx: Tx, older: JobRow, draft: JobDraft, context: AcceptContext): JobRow {
  if (!isTerminal(older.status)) return older;
  const onMissing = draft.install?.onMissing ?? null;
  const change = { request: JSON.stringify(draft.request), payment_id: context.paymentId, on_missing: onMissing };
  const job = restartJob(tx, older, { ...change, ...storedLabels(draft.labels) }, context.now);
  if (older.tags !== job.tags) writeTags(tx, job);
  return waitIfMissing(tx, job, draft, context.now);
}

/** The owner prefers to install what the request needs. */
function waitIfMissing(tx: Tx, job: JobRow, { install }: JobDraft, now: number): JobRow {
  return install?.wait === undefined ? job : parkWaitingJob(tx, job, install.wait, now);
}

function extendReusedJob(tx: Tx, job: JobRow, labels: Labels, context: AcceptContext): JobRow {
  const events = new Set([...parseOwnJson<string[]>(job.events), ...context.subscribe(tx, job.id)]);
  const isKept = job.expires_at === null || context.keeps(tx, job.id);
  const expires = isKept ? null : Math.max(job.expires_at ?? 0, context.now + context.retentionMs);
  const change = { events: JSON.stringify([...events]), expires_at: expires, ...storedLabels(labels) };
  const extended = changeJob(tx, job.seq, change, context.now);
  if (extended.tags !== job.tags) writeTags(tx, extended);
  return extended;
}

function storedSourceJson({ fileName, sizeBytes, kind }: StoredSource): string {
  return JSON.stringify({ fileName, sizeBytes, kind } satisfies StoredSource);
}

/** Limit of a label. The search of jobs reads labels. */
const LABEL_MAX_CHARS = 200;

/** Fields that describe a request, the most descriptive first. */
const DESCRIPTIVE_FIELDS = ['sourceUrl', 'url', 'prompt', 'query'] as const;

/** The job's name from the request; null without one. */
function sourceNameOf({ request }: Pick<JobDraft, 'request'>): string | null {
  return typeof request.sourceName === 'string' ? request.sourceName : null;
}

/**
 * Label of a job in the owner's lists: its name, else its file, its URL, or the start of its prompt; empty without any.
 */
export function labelOf({ request, upload }: Pick<JobDraft, 'request' | 'upload'>): string {
  const candidates = [sourceNameOf({ request }), upload?.fileName, ...DESCRIPTIVE_FIELDS.map((name) => request[name])];
  const first = candidates.find((value): value is string => typeof value === 'string' && value.trim() !== '');
  return wholeSlice(first ?? '', 0, LABEL_MAX_CHARS)
    .replace(/\s+/g, ' ')
    .trim();
}
