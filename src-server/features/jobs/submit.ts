import { rename } from 'node:fs/promises';
import type { JobDraft } from '../../contract/index.ts';
import type { Operation } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import type { Tx } from '../../platform/db/schema.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import type { InsertJob, Purchase } from '../payments/payments-purchase.ts';
import type { SearchRoom } from '../search/service.ts';
import type { Webhooks } from '../webhooks/service.ts';
import { accept, storedSourceJson } from './accept.ts';
import { changeJob } from './jobs-writer.ts';
import { labelOf, sourceNameOf } from './label.ts';
import type { Jobs } from './service.ts';
import { type JobRow, jobById } from './store.ts';
import { resume } from './transition.ts';

export interface IntakeParts {
  storage: Storage;
  clock: Clock;
  folders: JobFolders;
  jobs: Jobs;
  webhooks: Webhooks;
  search: SearchRoom;
  operations: readonly Operation[];
  retentionMs(): number;
}

type FolderFate = 'job' | 'reservation' | 'nobody';

/**
 * How a validated request becomes a job. The file is in its place before the job can be seen, and a folder that belongs
 * to no job goes, whenever the process dies (`JobFolders.recover`).
 */
export class Intake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** Accepts without payment: the owner's requests, and operations that cost nothing. */
  async accept(draft: JobDraft): Promise<JobRow> {
    const { storage } = this.#parts;
    let reused = false;
    const job = await this.claiming(draft, async () => {
      const accepted = await storage.transaction((tx) => this.#insert(tx, draft, null));
      reused = accepted.reused;
      return { outcome: accepted.job, keepsFolder: accepted.reused ? 'nobody' : 'job' };
    });
    this.announce(job.id, reused);
    return job;
  }

  /** To be called once an acceptance is committed. A reused job that has ended tells its new webhooks at once. */
  announce(jobId: string, isReused: boolean): void {
    const { jobs, webhooks } = this.#parts;
    jobs.submitted(jobId);
    if (isReused) webhooks.kick();
  }

  /** Moves the upload into the draft's folder for the time of `work`, whose outcome says whose the folder is then. */
  async claiming<Outcome>(
    draft: JobDraft,
    work: () => Promise<{ outcome: Outcome; keepsFolder: FolderFate }>,
  ): Promise<Outcome> {
    const { folders } = this.#parts;
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

  /** The job of a payment, in the payment's transaction. */
  readonly insertPaid: InsertJob = async (tx, draft, paymentId) => (await this.#insert(tx, draft, paymentId)).job.id;

  /** The proof came again with the same request: a job that failed in a mendable way runs again. */
  readonly replay: Purchase['replay'] = async (tx, { jobId, draft, rerunAllowed }) => {
    const job = await jobById(tx, jobId);
    if (job?.status !== 'failed') return 'kept';
    const retryable = (JSON.parse(job.error ?? '{}') as { retryable?: boolean }).retryable === true;
    const purged = job.purged_at !== null;
    if (!rerunAllowed && (!retryable || purged)) return 'kept';
    const now = this.#parts.clock.now();
    if (purged) await this.#revive(tx, job, draft, now);
    await resume(tx, job, now);
    return retryable && !purged ? 'resumed' : 'rerun';
  };

  /** A purged job lost its request and its file: both come from the request that was made again. */
  async #revive(tx: Tx, job: JobRow, draft: JobDraft, now: number): Promise<void> {
    const { folders } = this.#parts;
    const source = draft.upload === null ? null : storedSourceJson(draft.upload);
    const named = { label: labelOf(draft), source_name: sourceNameOf(draft), source };
    const request = JSON.stringify(draft.request);
    await changeJob(tx, job.seq, { ...named, request, purged_at: null }, now);
    if (draft.upload === null) return;
    await folders.prepare(job.id);
    await rename(folders.sourceOf(draft.jobId), folders.sourceOf(job.id));
  }

  async #insert(tx: Tx, draft: JobDraft, paymentId: string | null): Promise<{ job: JobRow; reused: boolean }> {
    const { clock, operations, retentionMs, search, webhooks } = this.#parts;
    const operation = operations.find(({ id }) => id === draft.operationId);
    if (!operation) throw new Error(`No operation is called ${draft.operationId}.`);
    const accepted = await accept(tx, draft, {
      now: clock.now(),
      lane: operation.lane,
      inline: operation.mode === 'inline',
      firstRun: operation.firstRun,
      paymentId,
      retentionMs: retentionMs(),
      subscribe: (inner, jobId) => webhooks.subscribeJob(inner, jobId, draft.accountId, draft.subscriptions),
    });
    if (accepted.reused) await search.share(tx, draft.accountId, accepted.job);
    return accepted;
  }
}
