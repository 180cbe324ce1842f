import type { IncomingMessage } from 'node:http';
import { type KeyIdentity, OWNER, type Principal } from '../../context.ts';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { isStorageTrouble, QuarryError } from '../../platform/errors.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import { readFilesBody } from '../../platform/http/body.ts';
import { invalidRequest, parseWithSchema } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/log.ts';
import { describeBytes, MIB, SECOND_MS } from '../../platform/units.ts';
import { allows, checkOwnJob, operationScopes, requireScope } from '../accounts/service.ts';
import type { JobError, JobStatus, Recipe } from '../jobs/schema.ts';
import {
  type AcceptedJob,
  acceptCall,
  callOf,
  checkAddresses,
  checkRecipe,
  type JobService,
  uploadLimitBytes,
} from '../jobs/service.ts';
import type { JobPieces } from '../webhooks/schema.ts';
import type { Webhooks } from '../webhooks/service.ts';
import { BatchFiles, type StoredUpload } from './files.ts';
import { type Batch, type BatchItem, BatchRequest, type ItemStatus, MAX_ITEMS, MAX_OPEN_BATCHES } from './schema.ts';
import {
  type BatchRow,
  batchById,
  batchBySeq,
  changeBatch,
  changeItem,
  deleteBatch,
  expiredBatch,
  type ItemRow,
  insertBatch,
  insertItem,
  itemBySeq,
  itemsOfJob,
  listBatches,
  listItems,
  openBatches,
} from './store.ts';

const TICK_MS = 250;

/** Unfinished jobs of a batch. Further items wait, so other requests have their turn. */
const MAX_OPEN_JOBS = 20;

/** After a full disk and the like. */
const REST_MS = 30 * SECOND_MS;

/** While a key has as many unfinished jobs as it may have. */
const SHORT_REST_MS = SECOND_MS;

const MAX_JSON_BYTES = 2 * MIB;

const MAX_SOURCE_NAME = 300;

const CLOSE_LIMIT_MS = 3 * SECOND_MS;

export interface BatchDeps {
  storage: Storage;
  clock: Clock;
  log: Logger;
  /** Folder of the uploaded files. */
  root: string;
  /** Functions, since they are opened later. */
  service(): JobService;
  webhooks(): Webhooks;
  /** Null for a key that was revoked or has expired. */
  keyOf(keyId: string): KeyIdentity | null;
  retentionMs(): number;
}

type ItemSource = { url: string; name: string | null } | { upload: StoredUpload };

type ItemError = NonNullable<BatchItem['error']>;

type Owner = Extract<Principal, { kind: 'owner' }>;

interface EndedJob {
  id: string;
  status: JobStatus;
  error: string | null;
}

/**
 * Batches of one environment. A batch is stored whole before its first job. Each item becomes a job in one transaction
 * with its row: whenever the process dies, none is lost or submitted twice.
 */
export class Batches {
  readonly #deps: BatchDeps;
  readonly #files: BatchFiles;
  readonly #ending = new AbortController();
  /** By number of the batch: until then nothing is submitted. */
  readonly #rests = new Map<number, number>();
  /** Batches whose jobs this process has cancelled. */
  readonly #cancelling = new Set<number>();
  #timer: NodeJS.Timeout | null = null;
  #work: Promise<void> | null = null;

  constructor(deps: BatchDeps) {
    this.#deps = deps;
    this.#files = new BatchFiles(deps.root);
  }

  /** Removes files that a killed process left. Call it before requests are accepted. */
  async recover(): Promise<void> {
    const { db } = this.#deps.storage;
    await this.#files.recover((batchId, number) => {
      const batch = batchById(db, batchId);
      if (batch === undefined) return false;
      return listItems(db, batch.seq, { after: number - 1, limit: 1 })[0]?.status === 'waiting';
    });
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.#ending.abort(new QuarryError('shutting_down', 'The server is stopping.'));
    let limit: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      limit = setTimeout(resolve, CLOSE_LIMIT_MS);
    });
    await Promise.race([this.#work, late]);
    clearTimeout(limit);
  }

  /**
   * Stores a batch. Errors: `forbidden` for callers that pay, `invalid_request`, `body_too_large`, `conflict` at the
   * limit.
   */
  async create(principal: Principal, incoming: IncomingMessage): Promise<Batch> {
    const caller = refusePayers(principal);
    const service = this.#deps.service();
    const { documentLimitMb, videoLimitMb } = service.settings();
    const maxBytes = Math.max(documentLimitMb, videoLimitMb) * MIB;
    const rules = { field: 'batch', maxFiles: MAX_ITEMS, maxBytes, maxJsonBytes: MAX_JSON_BYTES };
    const { value, uploads } = await readFilesBody(incoming, rules, service.body);
    try {
      const request = parseWithSchema(BatchRequest, value);
      await this.#check(caller, request, uploads);
      return await this.#insert(caller, request, uploads);
    } finally {
      // Kept ones have been moved.
      for (const upload of uploads) await service.body.uploads.discard(upload);
    }
  }

  async #check(caller: Owner, request: BatchRequest, uploads: readonly Upload[]): Promise<void> {
    const service = this.#deps.service();
    const { operation: id, items, webhookUrl } = request;
    const recipe = { operation: id, request: request.request };
    const operation = service.operations.find((one) => one.id === id);
    if (operation !== undefined) requireScope(caller.key, operationScopes(operation));
    const count = items.length + uploads.length;
    if (count === 0 || count > MAX_ITEMS) {
      const message = `Give between 1 and ${MAX_ITEMS} items and files together; these are ${count}.`;
      throw invalidRequest([{ path: 'items', message }]);
    }
    await withOwnPaths(async () => {
      if (items.length > 0 || uploads.length === 0) await checkRecipe(service, recipe, 'address', caller);
      if (uploads.length > 0) await checkRecipe(service, recipe, 'file', caller);
    });
    checkAddresses(service.operations, recipe, items.map(sourceOf), caller, (index, path) => `items.${index}.${path}`);
    const maxBytes = operation === undefined ? 0 : uploadLimitBytes(operation, service.settings());
    const large = uploads.find(({ sizeBytes }) => sizeBytes > maxBytes);
    if (large !== undefined) {
      const message = `${large.fileName ?? 'A file'} is larger than the ${describeBytes(maxBytes)} ${id} takes.`;
      throw new QuarryError('body_too_large', message, { fields: [{ path: 'file', message }] });
    }
    if (webhookUrl === undefined) return;
    await service.checkTargets(caller.accountId, [{ path: 'webhookUrl', url: webhookUrl }]);
  }

  async #insert({ accountId, key }: Owner, request: BatchRequest, uploads: readonly Upload[]): Promise<Batch> {
    const { storage, clock, webhooks } = this.#deps;
    const id = newId('bat');
    const { operation, items, webhookUrl } = request;
    const sources: ItemSource[] = [
      ...items.map(({ sourceUrl, sourceName = null }) => ({ url: sourceUrl, name: sourceName })),
      ...uploads.map(({ path: _, ...upload }) => ({ upload })),
    ];
    try {
      const files = uploads.map((upload, index) => ({ number: items.length + index, upload }));
      await this.#files.keep(id, files);
      const batch = storage.transaction((tx) => {
        if (openBatches(tx).length >= MAX_OPEN_BATCHES) {
          throw new QuarryError('conflict', `${MAX_OPEN_BATCHES} batches have not ended. Wait, or cancel one.`);
        }
        const row = insertBatch(tx, {
          id,
          recipe: JSON.stringify({ operation, request: request.request } satisfies Recipe),
          key_id: key?.id ?? null,
          status: 'processing',
          waiting: sources.length,
          created_at: clock.now(),
          cancelled_at: null,
          ended_at: null,
          expires_at: null,
        });
        for (const [number, source] of sources.entries()) {
          const item = { batch_seq: row.seq, number, source: JSON.stringify(source), status: 'waiting' as const };
          insertItem(tx, { ...item, job_id: null, error: null, ended_at: null });
        }
        if (webhookUrl !== undefined) webhooks().subscribeBatch(tx, id, accountId, webhookUrl);
        return row;
      });
      this.#tick();
      return this.#present(batch);
    } catch (error) {
      await this.#files.dropAll(id);
      throw error;
    }
  }

  /** One page, newest first. Errors: `forbidden`. */
  list(principal: Principal, before: number | null, limit: number): { batches: Batch[]; next: number | null } {
    refusePayers(principal);
    const rows = listBatches(this.#deps.storage.db, before, limit + 1);
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? (page.at(-1)?.seq ?? null) : null;
    return { batches: page.map((row) => this.#present(row)), next };
  }

  /** A batch with one page of its items. Errors: `not_found`. */
  get(batchId: string, page: { status?: ItemStatus | undefined; after?: number | undefined; limit: number }) {
    const batch = this.#row(batchId);
    const rows = listItems(this.#deps.storage.db, batch.seq, { ...page, limit: page.limit + 1 });
    const shown = rows.slice(0, page.limit);
    const next = rows.length > page.limit ? (shown.at(-1)?.number ?? null) : null;
    const nextCursor = next === null ? null : String(next);
    return { ...this.#present(batch), items: shown.map(presentItem), nextCursor };
  }

  /**
   * Cancels what has not ended, or forgets a batch that has. Jobs that have ended stay. Errors: `not_found`,
   * `forbidden` for the batch of another key.
   */
  async remove(principal: Principal, batchId: string): Promise<void> {
    const caller = refusePayers(principal);
    const batch = this.#row(batchId);
    checkOwnJob(caller.key, batch);
    if (batch.status !== 'processing') return this.#forget(batch);
    this.#deps.storage.transaction((tx) => this.#cancel(tx, batch));
    this.#deps.webhooks().kick();
    await this.#cancelJobs(batch);
    await this.#files.dropAll(batch.id);
  }

  /** What callbacks of batches send, by id. Batches that are gone are left out. */
  presentMany(ids: readonly string[]): ReadonlyMap<string, JobPieces> {
    const { db } = this.#deps.storage;
    const found = ids.flatMap((id) => batchById(db, id) ?? []);
    return new Map(
      found.map((batch) => {
        const failures = listItems(db, batch.seq, { status: 'failed', limit: MAX_ITEMS }).map(presentItem);
        return [batch.id, { head: { ...this.#present(batch), failures }, result: null, fileUrls: NO_FILES }];
      }),
    );
  }

  /** Ends the items of a job, in the same transaction. */
  onJobEnded(tx: Tx, job: EndedJob): void {
    for (const item of itemsOfJob(tx, job.id)) {
      // The batch has left a crawl that it shares.
      if (item.status === 'cancelled' && item.is_own === 0) continue;
      this.#change(tx, item, endOf(job, this.#deps.clock.now()));
    }
  }

  #cancel(tx: Tx, { seq }: BatchRow): void {
    const now = this.#deps.clock.now();
    changeBatch(tx, seq, { cancelled_at: now });
    for (const item of listItems(tx, seq, { limit: MAX_ITEMS })) {
      const isLeft = item.status === 'waiting' || (item.status === 'processing' && item.is_own === 0);
      if (isLeft) changeItem(tx, item, { status: 'cancelled', ended_at: now });
    }
    this.#endIfDone(tx, seq);
  }

  async #cancelJobs({ seq }: BatchRow): Promise<void> {
    this.#cancelling.add(seq);
    const { jobs } = this.#deps.service();
    const items = listItems(this.#deps.storage.db, seq, { status: 'processing', limit: MAX_ITEMS });
    await Promise.all(
      items.map(async ({ job_id: jobId }) => {
        try {
          await jobs.cancel(jobs.row(jobId ?? ''));
        } catch (error) {
          // It has just ended.
          if (!(error instanceof QuarryError)) throw error;
        }
      }),
    );
  }

  #change(tx: Tx, item: ItemRow, change: Parameters<typeof changeItem>[2]): void {
    changeItem(tx, item, change);
    this.#endIfDone(tx, item.batch_seq);
  }

  #endIfDone(tx: Tx, seq: number): void {
    const batch = batchBySeq(tx, seq);
    if (batch?.status !== 'processing' || batch.waiting + batch.processing > 0) return;
    const { clock, retentionMs, webhooks } = this.#deps;
    const now = clock.now();
    const status = batch.cancelled_at === null ? 'completed' : 'cancelled';
    changeBatch(tx, seq, { status, ended_at: now, expires_at: now + retentionMs() });
    webhooks().onBatchEnded(tx, { id: batch.id, endedAt: now });
  }

  async #forget(batch: BatchRow): Promise<void> {
    const { storage, webhooks } = this.#deps;
    storage.transaction((tx) => {
      webhooks().onJobRemoved(tx, batch.id);
      deleteBatch(tx, batch.seq);
    });
    this.#rests.delete(batch.seq);
    this.#cancelling.delete(batch.seq);
    await this.#files.dropAll(batch.id);
  }

  #tick(): void {
    if (this.#timer === null) return;
    this.#work ??= this.#pass()
      .catch((error: unknown) => this.#deps.log.error({ err: error }, 'Batches could not be worked on.'))
      .finally(() => {
        this.#work = null;
      });
  }

  async #pass(): Promise<void> {
    const { storage, clock } = this.#deps;
    const expired = expiredBatch(storage.db, clock.now());
    if (expired !== undefined) await this.#forget(expired);
    for (const batch of openBatches(storage.db)) {
      if (this.#timer === null) return;
      if (batch.cancelled_at === null) await this.#submitSome(batch);
      else if (!this.#cancelling.has(batch.seq)) await this.#cancelJobs(batch);
    }
  }

  async #submitSome(batch: BatchRow): Promise<void> {
    const { storage, clock, log } = this.#deps;
    if (batch.waiting === 0 || batch.processing >= MAX_OPEN_JOBS) return;
    if (clock.now() < (this.#rests.get(batch.seq) ?? 0)) return;
    const limit = MAX_OPEN_JOBS - batch.processing;
    for (const item of listItems(storage.db, batch.seq, { status: 'waiting', limit })) {
      if (this.#timer === null) return;
      try {
        await this.#submit(batch, item);
      } catch (error) {
        if (this.#ending.signal.aborted) return;
        const isLimited = error instanceof QuarryError && error.code === 'rate_limited';
        if (!isLimited) log.warn({ err: error, batchId: batch.id }, 'An item of a batch could not be submitted now.');
        this.#rests.set(batch.seq, clock.now() + (isLimited ? SHORT_REST_MS : REST_MS));
        return;
      }
    }
    if (batchBySeq(storage.db, batch.seq)?.waiting === 0) await this.#files.dropAll(batch.id);
  }

  /** Turns an item into a job, or ends it. Errors: those that may pass. */
  async #submit(batch: BatchRow, item: ItemRow): Promise<void> {
    try {
      await this.#accept(batch, item);
    } catch (error) {
      // The batch was cancelled meanwhile.
      if (itemBySeq(this.#deps.storage.db, item.seq)?.status !== 'waiting') return;
      if (mayPass(error)) throw error;
      const known = error instanceof QuarryError;
      if (!known) this.#deps.log.error({ err: error, batchId: batch.id }, 'An item of a batch was not submitted.');
      const failure: ItemError = known
        ? { code: error.code, message: error.message, retryable: error.retryable }
        : { code: 'internal', message: 'Something went wrong in Quarry. See its log.', retryable: false };
      const change = { status: 'failed' as const, error: JSON.stringify(failure), ended_at: this.#deps.clock.now() };
      this.#deps.storage.transaction((tx) => this.#change(tx, item, change));
      this.#deps.webhooks().kick();
    }
    await this.#files.drop(batch.id, item.number);
  }

  async #accept(batch: BatchRow, item: ItemRow): Promise<void> {
    const service = this.#deps.service();
    const recipe = JSON.parse(batch.recipe) as Recipe;
    const principal = this.#callerOf(batch, recipe);
    const source = JSON.parse(item.source) as ItemSource;
    const { uploads } = service.body;
    const upload = 'upload' in source ? await this.#files.lend(batch.id, item.number, source.upload, uploads) : null;
    const jobId = newId(service.operations.find(({ id }) => id === recipe.operation)?.idPrefix ?? 'job');
    const also = (tx: Tx, job: AcceptedJob) => {
      const current = itemBySeq(tx, item.seq);
      if (current?.status !== 'waiting') throw new QuarryError('conflict', 'The batch has been cancelled.');
      const end = endOf(job, this.#deps.clock.now());
      this.#change(tx, current, { job_id: job.id, is_own: job.id === jobId ? 1 : 0, ...end });
    };
    try {
      const { signal } = this.#ending;
      const call = callOf(service.operations, recipe, callSourceOf(source, item));
      (await acceptCall(service, { ...call, principal, upload, jobId, signal, also })).leave();
    } finally {
      // An accepted one has moved to its job.
      if (upload !== null) await uploads.discard(upload);
    }
  }

  /** Errors: `forbidden` for a key that may not do this any more. */
  #callerOf({ key_id: keyId }: BatchRow, recipe: Recipe): Owner {
    if (keyId === null) return OWNER as Owner;
    const key = this.#deps.keyOf(keyId);
    const operation = this.#deps.service().operations.find(({ id }) => id === recipe.operation);
    if (key === null || operation === undefined || !allows(key, operationScopes(operation))) {
      const message = 'The key that made the batch was revoked, has expired, or may not run this any more.';
      throw new QuarryError('forbidden', message);
    }
    return { kind: 'owner', accountId: 'owner', key };
  }

  #row(batchId: string): BatchRow {
    const row = batchById(this.#deps.storage.db, batchId);
    if (row === undefined) throw new QuarryError('not_found', 'There is no batch with this id.');
    return row;
  }

  #present(row: BatchRow): Batch {
    const { waiting, processing, completed, failed, cancelled } = row;
    return {
      batchId: row.id,
      operation: (JSON.parse(row.recipe) as Recipe).operation,
      status: row.status,
      statusUrl: `${this.#deps.service().baseUrl()}/batches/${row.id}`,
      counts: { waiting, processing, completed, failed, cancelled },
      createdAt: toIsoTime(row.created_at),
      endedAt: row.ended_at === null ? null : toIsoTime(row.ended_at),
      expiresAt: row.expires_at === null ? null : toIsoTime(row.expires_at),
    };
  }
}

/** The head of a batch refers to no files. */
const NO_FILES = { from: '', to: '' };

/** Errors: `forbidden`. */
function refusePayers(principal: Principal): Owner {
  if (principal.kind === 'owner') return principal;
  const message =
    'Batches are for the owner of the appliance and named keys: a payment buys one request. ' +
    'Send the requests one by one.';
  throw new QuarryError('forbidden', message);
}

/** A recipe is the batch itself here. */
async function withOwnPaths(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof QuarryError) || error.fields === undefined) throw error;
    throw invalidRequest(error.fields.map(({ path, message }) => ({ path: path.replace(/^recipe\./, ''), message })));
  }
}

function sourceOf({ sourceUrl, sourceName }: BatchRequest['items'][number]) {
  return { address: sourceUrl, ...(sourceName === undefined ? {} : { name: sourceName }) };
}

function callSourceOf(source: ItemSource, { number }: ItemRow): Parameters<typeof callOf>[2] {
  if ('url' in source) return { address: source.url, ...(source.name === null ? {} : { name: source.name }) };
  const name = source.upload.fileName ?? `File ${number + 1}`;
  return { file: `upload:${source.upload.sha256}`, name: name.slice(0, MAX_SOURCE_NAME).toWellFormed() };
}

/** What an item is once its job has this status. */
function endOf({ status, error }: Pick<EndedJob, 'status' | 'error'>, now: number) {
  if (status !== 'completed' && status !== 'failed') {
    return { status: 'processing' as const, error: null, ended_at: null };
  }
  const isCancelled = error !== null && (JSON.parse(error) as JobError).code === 'cancelled';
  return { status: isCancelled ? ('cancelled' as const) : status, error, ended_at: now };
}

/** Whether the same item may be submitted later. */
function mayPass(error: unknown): boolean {
  if (isStorageTrouble(error)) return true;
  return error instanceof QuarryError && PASSING.has(error.code);
}

const PASSING: ReadonlySet<string> = new Set(['rate_limited', 'storage_full', 'storage_unavailable', 'shutting_down']);

function presentItem(row: ItemRow): BatchItem {
  const source = JSON.parse(row.source) as ItemSource;
  const { code, message, retryable } = JSON.parse(row.error ?? '{}') as ItemError;
  return {
    index: row.number,
    sourceUrl: 'url' in source ? source.url : null,
    fileName: 'upload' in source ? source.upload.fileName : null,
    status: row.status,
    jobId: row.job_id,
    error: row.error === null ? null : { code, message, retryable },
    endedAt: row.ended_at === null ? null : toIsoTime(row.ended_at),
  };
}
