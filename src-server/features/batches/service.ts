import type { Context } from 'hono';
import { OWNER, type Principal } from '../../context.ts';
import { toIsoTime } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { newId } from '../../platform/ids.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { checkOwnJob, madeBy, operationScopes } from '../accounts/service.ts';
import type { JobError, Recipe } from '../jobs/schema.ts';
import {
  type AcceptedJob,
  acceptCall,
  type Change,
  callOf,
  type EndedJob,
  isKept,
  type JobService,
  type JobSourceDeps,
  ListedSource,
  nullableIsoTime,
  presentLabels,
} from '../jobs/service.ts';
import { type InsertJob, ledgerEntryOfJob, type Payments, RERUN_MS } from '../payments/service.ts';
import type { JobPieces } from '../webhooks/schema.ts';
import type { Webhooks } from '../webhooks/service.ts';
import { BatchFiles } from './files.ts';
import { callSourceOf, type ItemError, type ItemSource } from './items.ts';
import type { BatchOrder } from './order.ts';
import { zipOfResults } from './results-zip.ts';
import { type Batch, type BatchItem, type ItemStatus, MAX_ITEMS, MAX_OPEN_BATCHES } from './schema.ts';
import {
  BATCHES,
  type BatchRow,
  cancelledBatches,
  deleteBatch,
  expiredBatch,
  type ItemRow,
  listBatches,
  listItems,
} from './store.ts';
import { BatchSubmission, type Caller, type Submitted } from './submit.ts';

export interface BatchDeps extends JobSourceDeps {
  /** Folder of the uploaded files. */
  root: string;
  service: JobService;
  webhooks: Webhooks;
  payments: Payments;
  retentionMs(): number;
}

/**
 * Batches of one environment. A batch is stored whole before its first job.
 */
export class Batches extends ListedSource<BatchRow, ItemRow, Batch> {
  readonly #deps: BatchDeps;
  readonly #files: BatchFiles;
  readonly #submission: BatchSubmission;
  /** Batches whose jobs this process has cancelled. */
  readonly #cancelling = new Set<number>();

  constructor(deps: BatchDeps) {
    const limits = { most: MAX_OPEN_BATCHES, maxOpenJobs: 20, lanes: 4, turn: 5 };
    super(deps, { store: BATCHES, prefix: 'bat', one: 'batch', many: 'batches', ...limits });
    this.#deps = deps;
    this.#files = new BatchFiles(deps.root);
    this.#submission = new BatchSubmission({ ...deps, files: this.#files });
  }

  /** Removes files that a killed process left. Call it before requests are accepted. */
  async recoverBatches(): Promise<void> {
    const { sourceDatabase: db } = this;
    const owed = new Set(this.#deps.payments.openDraftJobIds());
    await this.#files.recoverBatchFiles((batchId, number) => {
      const batch = this.store.sourceById(db, batchId);
      if (batch === undefined) return owed.has(batchId);
      return listItems(db, batch.seq, { after: number - 1, limit: 1 })[0]?.status === 'waiting';
    });
  }

  /** See BatchSubmission. */
  async submitBatch(context: Context<HttpEnv>, order: BatchOrder): Promise<Submitted> {
    const submitted = await this.#submission.submitBatchOrder(context, order);
    if (submitted.kind === 'accepted') this.#goOn(submitted.batchId);
    return submitted;
  }

  /** Inserts the batch of a payment, in the transaction that settles it. */
  get insertPaid(): InsertJob {
    return this.#submission.insertPaid;
  }

  /** One page, newest first: of an account its own, of the owner all. Errors: `unauthorized`. */
  listBatchesOf(principal: Principal, before: number | null, limit: number): { batches: Batch[]; next: number | null } {
    const caller = signedIn(principal);
    const accountId = caller.kind === 'owner' ? null : caller.accountId;
    const rows = listBatches(this.sourceDatabase, accountId, before, limit + 1);
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? (page.at(-1)?.seq ?? null) : null;
    return { batches: page.map((row) => this.presentSource(row)), next };
  }

  /** A batch with one page of its items. Errors: `not_found`. */
  getPage(batchId: string, page: { status?: ItemStatus | undefined; after?: number | undefined; limit: number }) {
    const batch = this.rowOf(batchId);
    const rows = listItems(this.sourceDatabase, batch.seq, { ...page, limit: page.limit + 1 });
    const shown = rows.slice(0, page.limit);
    const next = rows.length > page.limit ? (shown.at(-1)?.number ?? null) : null;
    const nextCursor = next === null ? null : String(next);
    return { ...this.presentSource(batch), items: shown.map(presentItem), nextCursor };
  }

  /** The results of all completed items. Errors: `not_found`, `conflict` when they are too large. */
  async batchResultsZip(batchId: string): Promise<AsyncIterable<Uint8Array>> {
    const { sourceDatabase: db } = this;
    const items = listItems(db, this.rowOf(batchId).seq, { status: 'completed', limit: MAX_ITEMS });
    const kept = items.filter(({ job_id: jobId }) => jobId !== null && isKept(db, jobId));
    return zipOfResults(this.#deps.service, kept.map(presentItem));
  }

  /**
   * Cancels what has not ended, or forgets a batch that has. Jobs that have ended stay. Errors: `not_found`,
   * `unauthorized`, `forbidden` for the batch of another account or key.
   */
  async removeBatch(principal: Principal, batchId: string): Promise<void> {
    const batch = this.rowOf(batchId);
    checkOwn(signedIn(principal), batch);
    if (batch.status !== 'processing') return this.#forgetBatch(batch);
    this.#deps.storage.transaction((tx) => this.#cancelBatchItems(tx, batch));
    this.#deps.webhooks.kick();
    await this.#cancelJobs(batch);
    await this.#files.dropAll(batch.id);
  }

  /**
   * Runs the failed items of an ended batch again that can run again: jobs, and addresses that became none. A batch
   * that waits since its key has ended goes on as the owner's. Errors: `not_found`, `unauthorized`, `forbidden`,
   * `conflict` when there are none.
   */
  retryFailedItems(principal: Principal, batchId: string): Batch {
    const { storage, service } = this.#deps;
    const batch = this.rowOf(batchId);
    const caller = signedIn(principal);
    checkOwn(caller, batch);
    const isOwner = caller.kind === 'owner';
    const isFreed = isOwner && caller.key === undefined && batch.waiting > 0 && this.hasSourceKeyEnded(batch);
    if (isFreed) storage.transaction((tx) => void this.store.changeSource(tx, batch.seq, madeBy(undefined)));
    const failed = listItems(storage.db, batch.seq, { status: 'failed', limit: MAX_ITEMS });
    const tries = batch.cancelled_at === null ? failed : [];
    const count = tries.filter((item) => this.#retryItem(item, isOwner, service)).length;
    if (count === 0 && !isFreed) throw new QuarryError('conflict', 'No failed item of this batch can run again.');
    this.#goOn(batchId);
    return this.get(batchId);
  }

  #goOn(batchId: string): void {
    this.wakeSource(this.rowOf(batchId).seq);
    this.tickSources();
  }

  #retryItem(item: ItemRow, isOwner: boolean, { jobs }: JobService): boolean {
    if (item.job_id === null) {
      // A payer sends the proof again, with the files.
      if (!isOwner || 'upload' in parseOwnJson<ItemSource>(item.source)) return false;
      this.#deps.storage.transaction((tx) => this.#reopenBatchItem(tx, item, { status: 'waiting' }));
      return true;
    }
    try {
      jobs.retryJob(jobs.row(item.job_id), isOwner);
      return true;
    } catch (error) {
      if (error instanceof QuarryError) return false;
      throw error;
    }
  }

  /** A failed job runs again: its items are open again, in the same transaction. */
  onJobRetried(tx: Tx, jobId: string): void {
    for (const item of this.store.entriesOfJob(tx, jobId)) {
      if (item.status === 'failed') this.#reopenBatchItem(tx, item, { status: 'processing' });
    }
  }

  #reopenBatchItem(tx: Tx, item: ItemRow, change: { status: 'waiting' | 'processing' }): void {
    const batch = this.store.sourceBySeq(tx, item.batch_seq);
    if (batch === undefined || batch.cancelled_at !== null) return;
    this.store.changeEntry(tx, item, { ...change, error: null, ended_at: null });
    if (batch.status === 'completed') {
      this.store.changeSource(tx, batch.seq, { status: 'processing', ended_at: null, expires_at: null });
    }
  }

  /** What callbacks of batches send, by id. Batches that are gone are left out. */
  presentBatchBodies(ids: readonly string[]): ReadonlyMap<string, JobPieces> {
    const { sourceDatabase: db } = this;
    const found = ids.flatMap((id) => this.store.sourceById(db, id) ?? []);
    return new Map(
      found.map((batch) => {
        const failures = listItems(db, batch.seq, { status: 'failed', limit: MAX_ITEMS }).map(presentItem);
        return [batch.id, { head: { ...this.presentSource(batch), failures }, result: null, fileUrls: NO_FILES }];
      }),
    );
  }

  protected override endSourceEntry(tx: Tx, item: ItemRow, job: EndedJob): void {
    // The batch has left a crawl that it shares.
    if (item.status === 'cancelled' && item.is_own === 0) return;
    const end = itemEndOf(job, this.#deps.clock.now());
    if (end.status === 'failed') this.#grantRerun(tx, item.batch_seq, errorCode(job.error));
    this.#changeBatchItem(tx, item, end);
  }

  /** What a payment bought failed by our fault: its proof runs it again. */
  #grantRerun(tx: Tx, batchSeq: number, code: string): void {
    const batch = this.store.sourceBySeq(tx, batchSeq);
    if (batch !== undefined && batch.payment_id !== null) this.#deps.payments.jobFailed(tx, batch.id, code);
  }

  #cancelBatchItems(tx: Tx, { seq }: BatchRow): void {
    const now = this.#deps.clock.now();
    this.store.changeSource(tx, seq, { cancelled_at: now });
    for (const item of listItems(tx, seq, { limit: MAX_ITEMS })) {
      const isLeft = item.status === 'waiting' || (item.status === 'processing' && item.is_own === 0);
      if (isLeft) this.store.changeEntry(tx, item, { status: 'cancelled', ended_at: now });
    }
    this.#endIfDone(tx, seq);
  }

  async #cancelJobs({ seq, account_id: accountId }: BatchRow): Promise<void> {
    this.#cancelling.add(seq);
    const { jobs } = this.#deps.service;
    const items = listItems(this.sourceDatabase, seq, { status: 'processing', limit: MAX_ITEMS });
    await Promise.all(
      items.map(async ({ job_id: jobId }) => {
        try {
          const job = jobs.row(jobId ?? '');
          if (accountId !== OWNER.accountId) jobs.checkNotShared(job);
          await jobs.cancelOpenJob(job);
        } catch (error) {
          // It has just ended, or others wait for it: then its item ends with it.
          if (!(error instanceof QuarryError)) throw error;
        }
      }),
    );
  }

  #changeBatchItem(tx: Tx, item: ItemRow, change: Change<ItemRow>): void {
    this.store.changeEntry(tx, item, change);
    this.#endIfDone(tx, item.batch_seq);
  }

  #endIfDone(tx: Tx, seq: number): void {
    const batch = this.store.sourceBySeq(tx, seq);
    if (batch?.status !== 'processing' || batch.waiting + batch.processing > 0) return;
    const { clock, retentionMs, webhooks } = this.#deps;
    const now = clock.now();
    const status = batch.cancelled_at === null ? 'completed' : 'cancelled';
    // A proof may run failed items again.
    const keptMs = batch.payment_id === null || batch.failed === 0 ? 0 : RERUN_MS;
    this.store.changeSource(tx, seq, { status, ended_at: now, expires_at: now + Math.max(retentionMs(), keptMs) });
    webhooks.onBatchEnded(tx, { id: batch.id, endedAt: now });
  }

  async #forgetBatch(batch: BatchRow): Promise<void> {
    const { storage, webhooks } = this.#deps;
    storage.transaction((tx) => {
      webhooks.onJobRemoved(tx, batch.id);
      deleteBatch(tx, batch.seq);
    });
    this.forgetPauses(batch.seq);
    this.#cancelling.delete(batch.seq);
    await this.#files.dropAll(batch.id);
  }

  protected override async runChores(now: number): Promise<void> {
    const { sourceDatabase: db } = this;
    const expired = expiredBatch(db, now);
    if (expired !== undefined) await this.#forgetBatch(expired);
    for (const batch of cancelledBatches(db)) if (!this.#cancelling.has(batch.seq)) await this.#cancelJobs(batch);
  }

  protected override isActive({ status, cancelled_at: cancelledAt }: BatchRow): boolean {
    return status === 'processing' && cancelledAt === null;
  }

  protected override async submitSourceEntry(batch: BatchRow, item: ItemRow): Promise<void> {
    await this.#acceptBatchItem(batch, item);
    await this.#dropFile(batch, item);
  }

  protected override async failSourceEntry(batch: BatchRow, item: ItemRow, error: QuarryError): Promise<void> {
    const { code, message, retryable } = error;
    const failure = { code, message, retryable } satisfies ItemError;
    const change = { status: 'failed' as const, error: JSON.stringify(failure), ended_at: this.#deps.clock.now() };
    this.#deps.storage.transaction((tx) => {
      // It was checked before it was paid for.
      this.#grantRerun(tx, batch.seq, 'internal');
      this.#changeBatchItem(tx, item, change);
    });
    this.#deps.webhooks.kick();
    await this.#dropFile(batch, item);
  }

  async #dropFile({ id, seq }: BatchRow, item: ItemRow): Promise<void> {
    await this.#files.dropBatchFile(id, item.number);
    if (this.store.sourceBySeq(this.sourceDatabase, seq)?.waiting === 0) await this.#files.dropAll(id);
  }

  async #acceptBatchItem(batch: BatchRow, item: ItemRow): Promise<void> {
    const service = this.#deps.service;
    const recipe = parseOwnJson<Recipe>(batch.recipe);
    const principal = this.sourcePrincipalOf(batch);
    const source = parseOwnJson<ItemSource>(item.source);
    const { uploads } = service.body;
    const upload =
      'upload' in source ? await this.#files.lendBatchUpload(batch.id, item.number, source.upload, uploads) : null;
    const jobId = newId(service.operations.find(({ id }) => id === recipe.operation)?.idPrefix ?? 'job');
    const enterItemJob = (tx: Tx, job: AcceptedJob) => {
      const current = this.store.entryBySeq(tx, item.seq);
      if (current?.status !== 'waiting') throw new QuarryError('conflict', 'The batch has been cancelled.');
      const end = itemEndOf(job, this.#deps.clock.now());
      this.#changeBatchItem(tx, current, { job_id: job.id, is_own: job.id === jobId ? 1 : 0, ...end });
    };
    try {
      const { sourceStopSignal: signal } = this;
      const call = callOf(service.operations, recipe, callSourceOf(source, item.number));
      const wishes = { labels: labelsOf(batch), install: batch.on_missing ?? undefined };
      (await acceptCall(service, { ...call, ...wishes, principal, upload, jobId, signal, also: enterItemJob })).leave();
    } finally {
      // An accepted one has moved to its job.
      if (upload !== null) await uploads.discard(upload);
    }
  }

  protected override sourcePrincipalOf(batch: BatchRow): Principal {
    if (batch.account_id === OWNER.accountId) return super.sourcePrincipalOf(batch);
    return { kind: 'payer', accountId: batch.account_id as `0x${string}` };
  }

  protected override neededScopesOf({ recipe }: BatchRow) {
    const { operation: id } = parseOwnJson<Recipe>(recipe);
    const operation = this.#deps.service.operations.find((one) => one.id === id);
    return operation === undefined ? [] : operationScopes(operation);
  }

  #paidFor(batchId: string): Batch['paid'] {
    const entry = ledgerEntryOfJob(this.#deps.storage, batchId);
    return entry && { amount: entry.amount, mode: entry.mode, status: entry.status };
  }

  protected override presentSource(row: BatchRow): Batch {
    const { notice, ...maker } = this.presentMaker(row);
    const { waiting, processing, completed, failed, cancelled } = row;
    return {
      batchId: row.id,
      operation: parseOwnJson<Recipe>(row.recipe).operation,
      status: row.status,
      statusUrl: `${this.#deps.service.baseUrl()}/batches/${row.id}`,
      counts: { waiting, processing, completed, failed, cancelled },
      paid: row.payment_id === null ? null : this.#paidFor(row.id),
      ...maker,
      ...omitUndefined({ notice: waiting > 0 && notice !== undefined ? notice : undefined }),
      ...presentLabels(row),
      createdAt: toIsoTime(row.created_at),
      endedAt: nullableIsoTime(row.ended_at),
      expiresAt: nullableIsoTime(row.expires_at),
    };
  }
}

function labelsOf(row: BatchRow) {
  const { tags = [], metadata = {} } = presentLabels(row);
  return row.tags === null && row.metadata === null ? undefined : { tags, metadata };
}

/** The head of a batch refers to no files. */
const NO_FILES = { from: '', to: '' };

/** Lists and changes belong to an account, so the caller must have proved one. Errors: `unauthorized`. */
function signedIn(principal: Principal): Caller {
  if (principal.kind !== 'anonymous') return principal;
  const message = 'Sign in with your wallet (header SIGN-IN-WITH-X), or send the owner token, for your batches.';
  throw new QuarryError('unauthorized', message);
}

/** Errors: `forbidden`. */
function checkOwn(caller: Caller, batch: BatchRow): void {
  if (caller.kind === 'owner') checkOwnJob(caller.key, batch);
  else if (caller.accountId !== batch.account_id)
    throw new QuarryError('forbidden', 'Another account made this batch.');
}

function errorCode(error: string | null): string {
  return error === null ? '' : parseOwnJson<JobError>(error).code;
}

/** What an item is once its job has this status. */
function itemEndOf({ status, error }: Pick<EndedJob, 'status' | 'error'>, now: number) {
  if (status !== 'completed' && status !== 'failed') {
    return { status: 'processing' as const, error: null, ended_at: null };
  }
  const isCancelled = errorCode(error) === 'cancelled';
  return { status: isCancelled ? ('cancelled' as const) : status, error, ended_at: now };
}

function presentItem(row: ItemRow): BatchItem {
  const source = parseOwnJson<ItemSource>(row.source);
  const { code, message, retryable } = parseOwnJson<ItemError>(row.error ?? '{}');
  return {
    index: row.number,
    sourceUrl: 'url' in source ? source.url : null,
    fileName: 'upload' in source ? source.upload.fileName : null,
    status: row.status,
    jobId: row.job_id,
    error: row.error === null ? null : { code, message, retryable },
    endedAt: nullableIsoTime(row.ended_at),
  };
}
