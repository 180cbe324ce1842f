import type { Context } from 'hono';
import type { KeyMark, Principal } from '../../context.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { errorFaultOf } from '../../platform/error-codes.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import { readFilesBody } from '../../platform/http/body.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { invalidRequest, parseWithSchema } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { canonicalHash } from '../../platform/text/canonical-json.ts';
import { say, tell } from '../../platform/text/say.ts';
import { countText, describeBytes, MIB } from '../../platform/units.ts';
import {
  keyOfPrincipal,
  madeBy,
  operationScopes,
  refuseCallbacksOfDevices,
  requireScope,
} from '../accounts/service.ts';
import type { Idempotency, Recipe } from '../jobs/schema.ts';
import {
  type BuyOutcome,
  callOf,
  checkAddresses,
  checkCall,
  checkRecipe,
  type GateOpening,
  type InstallPreference,
  idempotencyKeyOf,
  installPreference,
  type JobService,
  type Labels,
  labelsOf,
  proofSourceOf,
  storedLabels,
  uploadLimitBytes,
  writeIdempotency,
} from '../jobs/service.ts';
import type { InsertJob, PaidDraft, Purchase } from '../payments/service.ts';
import type { Webhooks } from '../webhooks/service.ts';
import type { BatchFiles } from './files.ts';
import { callSourceOf, type ItemError, type ItemSource } from './items.ts';
import { type BatchOrder, orderOf } from './order.ts';
import { BatchRequest, MAX_ITEMS, MAX_OPEN_BATCHES } from './schema.ts';
import { BATCHES, countOpenBatches, type ItemRow, listItems } from './store.ts';

const MAX_JSON_BYTES = 2 * MIB;

export interface SubmissionDeps {
  storage: Storage;
  clock: Clock;
  files: BatchFiles;
  service: JobService;
  webhooks: Webhooks;
}

/** The owner, or an account that pays. */
export type Caller = Exclude<Principal, { kind: 'anonymous' }>;

type Proof = Extract<GateOpening, { kind: 'proof' }>;

/** `batchId`: of this batch, or of the one that the same request made before. */
export type Submitted =
  | Exclude<BuyOutcome, { kind: 'accepted' }>
  | { kind: 'accepted'; batchId: string; headers: Record<string, string> };

/** A batch before it is stored. The ledger keeps it with the reservation of a payment. */
export interface BatchDraft extends PaidDraft {
  accountId: string;
  keyId: string | null;
  key?: KeyMark | undefined;
  recipe: Recipe;
  sources: ItemSource[];
  labels?: Labels | undefined;
  install: InstallPreference | null;
  webhook: { url: string; secret: string | null } | null;
  idempotency?: Idempotency;
}

/**
 * Turns a request into a stored batch. One payment buys a whole batch: payment, batch and items are one transaction,
 * and until then the draft is in the reservation of the payment. Its jobs are then accepted without a payment of their
 * own.
 */
export class BatchSubmission {
  readonly #deps: SubmissionDeps;

  constructor(deps: SubmissionDeps) {
    this.#deps = deps;
  }

  /**
   * As for an operation: verifies the payment, reads and validates the body, settles the payment and inserts. Errors:
   * those of operations, `conflict` at the limit of unfinished batches.
   */
  async submitBatchOrder(context: Context<HttpEnv>, order: BatchOrder): Promise<Submitted> {
    const service = this.#deps.service;
    const sender = context.get('principal');
    const opening = sender.kind === 'owner' ? null : await this.#openBatchGate(context, order);
    if (opening?.kind === 'refused') return opening;
    const caller: Caller = opening ? { kind: 'payer', accountId: opening.payer } : (sender as Caller);
    const asked = {
      labels: labelsOf(context),
      install: installPreference(context),
      key: idempotencyKeyOf(context, opening?.paymentId ?? null),
    };
    const proofKey = opening && service.gate.keyOf(opening.proof);
    const leave = await service.body.inFlight.enterBodyReading(
      { payer: caller, sender, proofKey },
      () => context.req.raw.signal,
    );
    try {
      const { value, uploads } = await readFilesBody(context.env.incoming, this.#bodyRules(order), service.body);
      try {
        const request = parseWithSchema(BatchRequest, value);
        await this.#checkBatchRequest(caller, request, uploads, order);
        const draft = batchDraftOf(caller, request, uploads, asked);
        const { key, install } = asked;
        const attempt = { draft, uploads, request, opening, order, key, prefer: context.req.header('prefer') };
        const submitted = await this.#submitBatchOnce(attempt);
        if (install === null) return submitted;
        const applied = { 'Preference-Applied': install === 'ask' ? 'install=ask' : 'install' };
        return { ...submitted, headers: { ...submitted.headers, ...applied } };
      } finally {
        // Kept ones have been moved.
        for (const upload of uploads) await service.body.uploads.discard(upload);
      }
    } finally {
      leave();
    }
  }

  async #openBatchGate(context: Context<HttpEnv>, order: BatchOrder): Promise<GateOpening> {
    const { gate, operations } = this.#deps.service;
    return context.get('opening') ?? gate.open(orderOf(operations, order), proofSourceOf(context));
  }

  #bodyRules({ items = MAX_ITEMS }: BatchOrder) {
    const { documentLimitMb, videoLimitMb } = this.#deps.service.settings();
    const maxBytes = Math.max(documentLimitMb, videoLimitMb) * MIB;
    return { field: 'batch', maxFiles: items, maxBytes, maxJsonBytes: MAX_JSON_BYTES };
  }

  async #checkBatchRequest(
    caller: Caller,
    request: BatchRequest,
    uploads: readonly Upload[],
    order: BatchOrder,
  ): Promise<void> {
    const service = this.#deps.service;
    const { operation: id, items, webhookUrl } = request;
    const recipe = { operation: id, request: request.request };
    const operation = service.operations.find((one) => one.id === id);
    if (operation !== undefined && caller.kind === 'owner') requireScope(caller.key, operationScopes(operation));
    checkCount(items.length + uploads.length);
    refuseOtherOrder(order, id, items.length + uploads.length);
    await withOwnPaths(async () => {
      if (items.length > 0 || uploads.length === 0) await checkRecipe(service, recipe, 'address', caller);
      if (uploads.length > 0) await checkRecipe(service, recipe, 'file', caller);
    });
    const addresses = items.map(({ sourceUrl, sourceName }) => {
      return { address: sourceUrl, name: sourceName };
    });
    checkAddresses(service.operations, recipe, addresses, caller, (index, path) => `items.${index}.${path}`);
    const maxBytes = operation === undefined ? 0 : uploadLimitBytes(operation, service.settings());
    const large = uploads.find(({ sizeBytes }) => sizeBytes > maxBytes);
    if (large !== undefined) {
      const message = tell`${large.fileName ?? 'A file'} is larger than the ${describeBytes(maxBytes)} ${id} takes.`;
      throw new QuarryError('body_too_large', message, { fields: [{ path: 'file', message }] });
    }
    if (webhookUrl !== undefined) {
      refuseCallbacksOfDevices(keyOfPrincipal(caller));
      await service.checkTargets(caller, [{ path: 'webhookUrl', url: webhookUrl }]);
    }
    if (caller.kind === 'payer') await this.#checkItems(caller, recipe, request, uploads);
  }

  /** Nobody pays for an item that is known to fail. */
  async #checkItems(
    caller: Caller,
    recipe: Recipe,
    { items }: BatchRequest,
    uploads: readonly Upload[],
  ): Promise<void> {
    const service = this.#deps.service;
    const sources = batchItemSources(items, uploads);
    for (const [number, source] of sources.entries()) {
      const upload = uploads[number - items.length] ?? null;
      const call = callOf(service.operations, recipe, callSourceOf(source, number));
      try {
        await checkCall(service, { ...call, principal: caller, upload });
      } catch (error) {
        if (!(error instanceof QuarryError) || error.choices !== undefined || error.retryable) throw error;
        const path = upload === null ? `items.${number}` : 'file';
        const message = say`${upload?.fileName ?? `Item ${number}`}: ${error.message}`;
        throw new QuarryError(error.code, message, { cause: error, fields: [{ path, message }] });
      }
    }
  }

  /** The batch of the request, or the one that the same `Idempotency-Key` made before. */
  async #submitBatchOnce(attempt: Attempt): Promise<Submitted> {
    const { idempotency, gate } = this.#deps.service;
    const { draft, opening, key } = attempt;
    if (key !== undefined) draft.idempotency = keyClaim(draft, key, requestHashOf(attempt, true));
    // A spent proof has its batch, whose failed items it may run again.
    if (draft.idempotency === undefined || opening?.spent === true) return this.#acceptBatchDraft(attempt);
    const claim = idempotency.claimIdempotencyKey(draft.idempotency, opening && gate.keyOf(opening.proof));
    if ('jobId' in claim) {
      return { kind: 'accepted', batchId: claim.jobId, headers: { 'Idempotency-Replayed': 'true' } };
    }
    try {
      return await this.#acceptBatchDraft(attempt);
    } finally {
      claim.end();
    }
  }

  async #acceptBatchDraft(attempt: Attempt): Promise<Submitted> {
    const { storage, files } = this.#deps;
    const { draft, uploads, opening, order, request, prefer } = attempt;
    if (opening?.spent !== true) refuseTooMany(countOpenBatches(storage.db, draft.accountId));
    let isKept = false;
    try {
      const first = request.items.length;
      await files.keepBatchUploads(
        draft.jobId,
        uploads.map((upload, index) => ({ number: first + index, upload })),
      );
      if (opening === null) {
        storage.transaction((tx) => this.#insertBatchDraft(tx, draft, null));
        isKept = true;
        return { kind: 'accepted', batchId: draft.jobId, headers: {} };
      }
      const { gate, operations } = this.#deps.service;
      const bought = await gate.buy(
        { proof: opening.proof, order: orderOf(operations, order), prefer },
        {
          requestHash: requestHashOf(attempt, false),
          draft,
          insertJob: this.insertPaid,
          replay: this.#replay,
        },
      );
      isKept =
        bought.kind === 'unavailable' ? bought.keepsDraft : bought.kind === 'accepted' && bought.jobId === draft.jobId;
      if (bought.kind !== 'accepted') return bought;
      if (BATCHES.sourceById(storage.db, bought.jobId) === undefined) throw batchForgottenError();
      return { kind: 'accepted', batchId: bought.jobId, headers: bought.headers };
    } finally {
      if (!isKept) await files.dropAll(draft.jobId);
    }
  }

  /** Inserts the batch of a payment, in its transaction. */
  readonly insertPaid: InsertJob = (tx, draft, paymentId) => {
    this.#insertBatchDraft(tx, draft as BatchDraft, paymentId);
    return draft.jobId;
  };

  #insertBatchDraft(tx: Tx, draft: BatchDraft, paymentId: string | null): void {
    const { clock, webhooks } = this.#deps;
    const now = clock.now();
    const row = BATCHES.insertSource(tx, {
      id: draft.jobId,
      account_id: draft.accountId,
      payment_id: paymentId,
      recipe: JSON.stringify(draft.recipe),
      ...madeBy(draft.key),
      status: 'processing',
      ...storedLabels(draft.labels),
      on_missing: draft.install,
      created_at: now,
      cancelled_at: null,
      ended_at: null,
      expires_at: null,
    });
    for (const [number, source] of draft.sources.entries()) {
      const item = { batch_seq: row.seq, number, source: JSON.stringify(source), status: 'waiting' as const };
      BATCHES.insertEntry(tx, { ...item, job_id: null, error: null, ended_at: null });
    }
    if (draft.webhook !== null) webhooks.subscribeBatch(tx, row.id, draft.accountId, draft.webhook, draft.key);
    if (draft.idempotency !== undefined) writeIdempotency(tx, draft.idempotency, row.id, now);
  }

  /**
   * The proof was sent again with the same request. Items of an ended batch that failed retryably, and once those that
   * failed by our fault, become jobs again, from the files of this request.
   */
  readonly #replay: Purchase['replay'] = (tx, { jobId, draft, rerunAllowed }) => {
    const batch = BATCHES.sourceById(tx, jobId);
    if (batch?.status !== 'completed') return 'kept';
    const failed = listItems(tx, batch.seq, { status: 'failed', limit: MAX_ITEMS });
    const again = failed.filter((item) => isRetryable(item) || (rerunAllowed && isOurFault(item)));
    if (again.length === 0) return 'kept';
    for (const item of again) {
      // Before the commit, since the item cannot become a job without its file.
      if ('upload' in parseOwnJson<ItemSource>(item.source))
        this.#deps.files.moveBatchFile(draft.jobId, batch.id, item.number);
      BATCHES.changeEntry(tx, item, { status: 'waiting', job_id: null, is_own: 0, error: null, ended_at: null });
    }
    BATCHES.changeSource(tx, batch.seq, { status: 'processing', ended_at: null, expires_at: null });
    return again.every(isRetryable) ? 'resumed' : 'rerun';
  };
}

/** A request that has been checked. */
interface Attempt {
  draft: BatchDraft;
  uploads: readonly Upload[];
  request: BatchRequest;
  opening: Proof | null;
  order: BatchOrder;
  key: string | undefined;
  prefer: string | undefined;
}

function batchDraftOf(
  caller: Caller,
  { operation, request, items, webhookUrl, webhookSecret }: BatchRequest,
  uploads: readonly Upload[],
  { labels, install }: { labels: Labels | undefined; install: InstallPreference | null },
): BatchDraft {
  return {
    jobId: newId('bat'),
    accountId: caller.accountId,
    keyId: keyOfPrincipal(caller)?.id ?? null,
    key: keyOfPrincipal(caller),
    recipe: { operation, request },
    sources: batchItemSources(items, uploads),
    labels,
    install,
    webhook: webhookUrl === undefined ? null : { url: webhookUrl, secret: webhookSecret ?? null },
  };
}

function batchItemSources(items: BatchRequest['items'], uploads: readonly Upload[]): ItemSource[] {
  return [
    ...items.map(({ sourceUrl, sourceName = null }) => ({ url: sourceUrl, name: sourceName })),
    ...uploads.map(({ path: _, ...upload }) => ({ upload })),
  ];
}

/** Identity of a request, files by their digests. Labels change neither what a payment buys nor its answer. */
function requestHashOf({ request, uploads, draft }: Attempt, withLabels: boolean): string {
  const files = uploads.map(({ sha256 }) => sha256);
  return canonicalHash({ batch: request, files, labels: withLabels ? (draft.labels ?? null) : undefined });
}

function keyClaim({ accountId, keyId }: BatchDraft, key: string, requestHash: string): Idempotency {
  return { scope: keyId === null ? accountId : `${accountId} ${keyId}`, key, requestHash };
}

function checkCount(count: number): void {
  if (count > 0 && count <= MAX_ITEMS) return;
  const message = tell`Give between 1 and ${MAX_ITEMS} items and files together; these are ${count}.`;
  throw invalidRequest([{ path: 'items', message }]);
}

/** The price follows from the query. Errors: `invalid_request` when the body is another batch. */
function refuseOtherOrder({ operation, items }: BatchOrder, id: string, count: number): void {
  if (operation !== undefined && operation !== id) {
    throw invalidRequest([{ path: 'operation', message: tell`The query says ${operation}, the batch ${id}.` }]);
  }
  if (items !== undefined && items !== count) {
    throw invalidRequest([
      { path: 'items', message: tell`The query says ${countText(items, 'item')}, the batch has ${count}.` },
    ]);
  }
}

function refuseTooMany(open: number): void {
  if (open < MAX_OPEN_BATCHES) return;
  throw new QuarryError('conflict', `${MAX_OPEN_BATCHES} batches have not ended. Wait, or cancel one.`);
}

function batchForgottenError(): QuarryError {
  const message =
    'The batch of this payment has expired or was removed. Send the request without the proof to pay again.';
  return new QuarryError('job_expired', message);
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

function errorOf({ error }: ItemRow): Partial<ItemError> {
  return parseOwnJson<Partial<ItemError>>(error ?? '{}');
}

function isRetryable(item: ItemRow): boolean {
  return errorOf(item).retryable === true;
}

/** An item without a job was checked before it was paid for. */
function isOurFault(item: ItemRow): boolean {
  return item.job_id === null || errorFaultOf(errorOf(item).code ?? '') === 'appliance';
}
