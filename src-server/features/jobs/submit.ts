import type { Operation, QueueClass, RunGuess } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import { wholeSlice } from '../../platform/text/strings.ts';
import type { InsertJob, Purchase } from '../payments/service.ts';
import type { Webhooks } from '../webhooks/service.ts';
import type { Jobs } from './jobs.ts';
import { estimateMs } from './progress.ts';
import { isTerminal, type JobDraft } from './schema.ts';
import { changeJob, type JobRow, jobById, reusableJob, type StoredSource, shareJob } from './store.ts';
import { enqueue, restart, resume, wait } from './transition.ts';

export interface SubmissionDeps {
  storage: Storage;
  clock: Clock;
  folders: JobFolders;
  jobs: Jobs;
  webhooks: Webhooks;
  operations: readonly Operation[];
  retentionMs(): number;
}

type FolderFate = 'job' | 'reservation' | 'nobody';

/**
 * How a validated request becomes a job. The file is in its place before the job can be seen, and a folder that belongs
 * to no job goes, whenever the process dies (`JobFolders.recover`).
 */
export class Submission {
  readonly #deps: SubmissionDeps;

  constructor(deps: SubmissionDeps) {
    this.#deps = deps;
  }

  /** Accepts without payment: the owner's requests, and operations that cost nothing. */
  async accept(draft: JobDraft): Promise<JobRow> {
    const { storage } = this.#deps;
    let reused = false;
    const job = await this.claiming(draft, async () => {
      const accepted = storage.transaction((tx) => this.#insert(tx, draft, null));
      reused = accepted.reused;
      return { outcome: accepted.job, keepsFolder: accepted.reused ? 'nobody' : 'job' };
    });
    this.announce(job.id, reused);
    return job;
  }

  /** To be called once an acceptance is committed. A reused job that has ended tells its new webhooks at once. */
  announce(jobId: string, isReused: boolean): void {
    const { jobs, webhooks } = this.#deps;
    jobs.submitted(jobId);
    if (isReused) webhooks.kick();
  }

  /** Moves the upload into the draft's folder for the time of `work`, whose outcome says whose the folder is then. */
  async claiming<Outcome>(
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
      if (fate === 'nobody') await folders.remove(draft.jobId);
      // A reservation keeps its mark: should it never become a job, the next start clears the folder.
      if (fate !== 'reservation') await folders.settled(draft.jobId);
    }
  }

  /** The job of a payment, in the payment's transaction. The ledger stores drafts of this class only. */
  readonly insertPaid: InsertJob = (tx, draft, paymentId) => this.#insert(tx, draft as JobDraft, paymentId).job.id;

  /** The proof came again with the same request: a job that failed in a mendable way runs again. */
  readonly replay: Purchase['replay'] = (tx, { jobId, draft, rerunAllowed }) => {
    const job = jobById(tx, jobId);
    if (job?.status !== 'failed') return 'kept';
    const retryable = (JSON.parse(job.error ?? '{}') as { retryable?: boolean }).retryable === true;
    const purged = job.purged_at !== null;
    if (!rerunAllowed && (!retryable || purged)) return 'kept';
    const now = this.#deps.clock.now();
    if (purged) this.#revive(tx, job, draft as JobDraft, now);
    resume(tx, job, now);
    return retryable && !purged ? 'resumed' : 'rerun';
  };

  /** A purged job lost its request and its file: both come from the request that was made again. */
  #revive(tx: Tx, job: JobRow, draft: JobDraft, now: number): void {
    const { folders } = this.#deps;
    const source = draft.upload === null ? null : storedSourceJson(draft.upload);
    const named = { label: labelOf(draft), source_name: sourceNameOf(draft), source };
    const request = JSON.stringify(draft.request);
    changeJob(tx, job.seq, { ...named, request, purged_at: null }, now);
    if (draft.upload === null) return;
    // Before the commit: a job without its file could not run.
    folders.moveSource(draft.jobId, job.id);
  }

  #insert(tx: Tx, draft: JobDraft, paymentId: string | null): { job: JobRow; reused: boolean } {
    const { clock, operations, retentionMs, webhooks } = this.#deps;
    const operation = operations.find(({ id }) => id === draft.operationId);
    if (!operation) throw new Error(`No operation is called ${draft.operationId}.`);
    const accepted = accept(tx, draft, {
      now: clock.now(),
      queueClass: operation.queueClass,
      inline: operation.mode === 'inline',
      firstRun: operation.firstRun,
      paymentId,
      retentionMs: retentionMs(),
      subscribe: (inner, jobId) => webhooks.subscribeJob(inner, jobId, draft.accountId, draft.subscriptions),
    });
    if (accepted.reused && accepted.job.account_id !== draft.accountId) {
      shareJob(tx, draft.accountId, accepted.job.id);
    }
    return accepted;
  }
}

interface AcceptContext {
  now: number;
  queueClass: QueueClass;
  /** The request is answered at once: its job does not wait in the queue, and an older answer of it is replaced. */
  inline: boolean;
  /** Of the operation, until its runs on this machine say more. */
  firstRun: RunGuess;
  paymentId: string | null;
  retentionMs: number;
  /** Registers the draft's webhook targets in the same transaction; gives back the job's events. */
  subscribe(tx: Tx, jobId: string): string[];
}

/**
 * Inserts a job, or finds the one its dedupe key names: a repeated submission reuses it, extends its expiry and adds
 * its own webhook targets (interface: behaviour rule 2).
 */
function accept(tx: Tx, draft: JobDraft, context: AcceptContext): { job: JobRow; reused: boolean } {
  const existing = draft.dedupeKey === null ? undefined : reusableJob(tx, draft.dedupeKey, context.now);
  if (existing) return { job: extend(tx, existing, context), reused: true };
  const older = context.inline ? jobById(tx, draft.jobId) : undefined;
  if (older) return { job: replaceAnswer(tx, older, draft, context), reused: false };
  const row = enqueue(
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
    },
    context.now,
    context.inline,
  );
  const events = context.subscribe(tx, row.id);
  const job = events.length === 0 ? row : changeJob(tx, row.seq, { events: JSON.stringify(events) }, context.now);
  return { job: waitIfMissing(tx, job, draft, context.now), reused: false };
}

/** Somebody else may be computing the very same answer: then there is nothing to replace, only to wait for. */
function replaceAnswer(tx: Tx, older: JobRow, draft: JobDraft, context: AcceptContext): JobRow {
  if (!isTerminal(older.status)) return older;
  const onMissing = draft.install?.onMissing ?? null;
  const change = { request: JSON.stringify(draft.request), payment_id: context.paymentId, on_missing: onMissing };
  return waitIfMissing(tx, restart(tx, older, change, context.now), draft, context.now);
}

/** The owner prefers to install what the request needs. */
function waitIfMissing(tx: Tx, job: JobRow, { install }: JobDraft, now: number): JobRow {
  return install?.wait === undefined ? job : wait(tx, job, install.wait, now);
}

function extend(tx: Tx, job: JobRow, context: AcceptContext): JobRow {
  const events = new Set([...(JSON.parse(job.events) as string[]), ...context.subscribe(tx, job.id)]);
  const expires = job.expires_at === null ? null : Math.max(job.expires_at, context.now + context.retentionMs);
  return changeJob(tx, job.seq, { events: JSON.stringify([...events]), expires_at: expires }, context.now);
}

function storedSourceJson({ fileName, sizeBytes, kind }: StoredSource): string {
  return JSON.stringify({ fileName, sizeBytes, kind } satisfies StoredSource);
}

/** Characters of a label: enough to tell jobs apart in a list, and what a search of jobs looks at. */
const LABEL_MAX_CHARS = 200;

/** Fields of a request that say what it is about, the most telling first. */
const TELLING_FIELDS = ['sourceUrl', 'url', 'prompt', 'query'] as const;

/** The name that a request gives its job; null where it gives none. */
function sourceNameOf({ request }: Pick<JobDraft, 'request'>): string | null {
  return typeof request.sourceName === 'string' ? request.sourceName : null;
}

/**
 * What a job is called where its owner sees it: the name it was given, else its file, its address, or the beginning of
 * its prompt; empty where the request says nothing of the kind.
 */
export function labelOf({ request, upload }: Pick<JobDraft, 'request' | 'upload'>): string {
  const told = [sourceNameOf({ request }), upload?.fileName, ...TELLING_FIELDS.map((name) => request[name])];
  const first = told.find((value): value is string => typeof value === 'string' && value.trim() !== '');
  return wholeSlice(first ?? '', 0, LABEL_MAX_CHARS)
    .replace(/\s+/g, ' ')
    .trim();
}
