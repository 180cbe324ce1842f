import { setTimeout as delay } from 'node:timers/promises';
import type { EnvironmentName } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { errorFaultOf } from '../../platform/error-codes.ts';
import type { SecretFile } from '../../platform/files/private-files.ts';
import type { Logger } from '../../platform/log.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { base64Json } from '../../platform/text/json.ts';
import { DAY_MS, SECOND_MS } from '../../platform/units.ts';
import { type Challenge, ChallengeCounts, ChallengesV2, challengeOf, orderPath } from './challenge.ts';
import type { Refused, Unavailable } from './codes.ts';
import { LocalFacilitator } from './facilitator.ts';
import { OFFER_RECEIPT, OfferSigner } from './offers.ts';
import { type Order, PriceBook, type PricedOperation } from './prices.ts';
import { RESPONSE_HEADERS } from './proof.ts';
import { type InsertJob, type PaidDraft, PaymentSequence, type Purchase, type SequenceResult } from './purchase.ts';
import { SandboxWallets } from './sandbox-wallets.ts';
import type { FixedPaymentSettings, MoneyKind, Paid, SettingsChange, SettlementView } from './schema.ts';
import { SettlementMode } from './settlement-mode.ts';
import { isMessageSigned, loadEvm, type SignedMessage } from './signature.ts';
import { earnedFrom, earnedSince, grantReruns, openDrafts, type PaymentKey } from './store.ts';
import { type CheckedProof, ProofGate, type ProofReading } from './verify.ts';

/** How long a job that failed by our fault can be run again for free (decisions 4). */
export const RERUN_MS = 30 * DAY_MS;

/** Interval for open reservations: payers get their job without another request. */
const RECONCILE_EVERY_MS = 15 * SECOND_MS;

/** How long the start waits for the first check. */
const RECONCILE_WAIT_MS = SECOND_MS;

/** How long the end waits for settlements in progress. */
const CLOSE_WAIT_MS = 3 * SECOND_MS;

export interface PaymentDeps {
  storage: Storage;
  environment: EnvironmentName;
  clock: Clock;
  /** What flags and environment variables decide; the rest is stored and edited by the owner. */
  fixed: FixedPaymentSettings;
  /** Where the key that pays the gas lies, when the owner has set one. */
  keyFile: SecretFile;
  /** Where the key lies that signs offers and receipts. */
  offerKeyFile: SecretFile;
  operations: readonly PricedOperation[];
  /** Absolute, ends with the version prefix: http://127.0.0.1:8402/v1. */
  baseUrl(): string;
  log: Pick<Logger, 'warn' | 'error'>;
}

export type AcceptResult =
  /** When `jobId` is not the draft's, the folder of the draft is unused. */
  | { kind: 'accepted'; jobId: string; replayed: boolean; headers: Record<string, string> }
  | Refused
  /** `keepsDraft`: the draft waits in the ledger and may still become a job, so its folder must stay. */
  | (Unavailable & { keepsDraft: boolean; headers: Record<string, string> });

/** Opens the payments of one environment. Staging is always the sandbox. */
export async function createPayments(deps: PaymentDeps): Promise<Payments> {
  const mode = await SettlementMode.openSettlementMode(deps);
  const prices = PriceBook.openPriceBook(deps.storage, deps.clock, deps.operations);
  return new Payments(deps, mode, prices);
}

/** x402 for one environment: challenges, proofs, settlement, the ledger's writing half, and the local facilitator. */
export class Payments {
  readonly prices: PriceBook;
  readonly facilitator: LocalFacilitator;
  readonly wallets: SandboxWallets;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly environment: EnvironmentName;
  readonly #deps: PaymentDeps;
  readonly #mode: SettlementMode;
  readonly #sequence: PaymentSequence;
  readonly #gate: ProofGate;
  readonly #counts: ChallengeCounts;
  readonly #signer: OfferSigner;
  readonly #challenges = new ChallengesV2();
  #insertJob: InsertJob | null = null;
  #announce: (jobId: string) => void = () => {};
  #timer: NodeJS.Timeout | null = null;
  #expecting = false;

  constructor(deps: PaymentDeps, mode: SettlementMode, prices: PriceBook) {
    this.#deps = deps;
    this.storage = deps.storage;
    this.clock = deps.clock;
    this.environment = deps.environment;
    this.prices = prices;
    this.#mode = mode;
    this.#signer = OfferSigner.openOfferSigner(deps.offerKeyFile);
    const { storage, clock } = deps;
    const market = { storage, clock, terms: () => mode.paymentTerms, settlement: () => mode.currentSettlement };
    this.#sequence = new PaymentSequence(market);
    this.#gate = new ProofGate({ ...market, prices });
    this.facilitator = new LocalFacilitator({ ...market, prices, gate: this.#gate, sequence: this.#sequence });
    this.wallets = new SandboxWallets(market);
    this.#counts = new ChallengeCounts(storage, clock, (error) => {
      deps.log.error({ err: error }, 'Counts of payment challenges could not be written.');
    });
  }

  /**
   * The 402 of an order. Throws `not_found` for one without a price.
   * @param how `error`: x402's code when a proof was refused; `resourceAsUrl`: asked for by `Prefer:
   * x402-resource=url`; `tool`: that was called.
   */
  challengeForOrder(
    order: Order,
    how: { error: string | null; resourceAsUrl: boolean; tool?: string | undefined },
  ): Challenge {
    const { operationId, items } = order;
    const operation = this.prices.pricedOperation(operationId);
    this.#counts.countChallenge(operationId, how.error);
    this.#expectProof();
    return challengeOf(this.#challenges, {
      operation,
      items,
      price: this.prices.costOf(order),
      terms: this.#mode.paymentTerms,
      url: this.#resourceOf(order, how.tool),
      signer: this.#signer,
      now: this.clock.now(),
      v2Header: this.#mode.currentPaymentSettings.v2Header,
      ...how,
    });
  }

  /**
   * Reads and verifies the proof a request carries, before its body is read. A proof the ledger knows is not verified
   * again, since a used one no longer would be: `accept` answers it from the ledger.
   * @param rawHeaders names and values in turn, as Node's `rawHeaders` has them.
   */
  async readProof(order: Order, rawHeaders: readonly string[]): Promise<{ kind: 'none' } | ProofReading> {
    const reading = await this.#gate.readOrderProof(order, rawHeaders);
    if (reading.kind === 'unavailable') this.#warnUnavailable(reading, 'A payment could not be verified.');
    return reading;
  }

  /** Lower-case address of the payer: the account of the request. */
  payerOf(proof: CheckedProof): `0x${string}` {
    return proof.proof.authorization.from;
  }

  /**
   * Settles the payment and inserts its job, or answers from the ledger. One proof buys one job.
   * @param tool that was called
   */
  async acceptPayment(checked: CheckedProof, purchase: Purchase, tool?: string): Promise<AcceptResult> {
    const result = await this.#sequence.runPaymentSequence(checked, purchase);
    if (result.kind === 'refused') return result;
    const headers = this.#settlementHeaders(checked, result, tool);
    if (result.kind === 'unavailable') {
      this.#warnUnavailable(result, 'A payment could not be settled yet.');
      return { ...result, headers };
    }
    if (result.jobId === null) throw new Error(`Payment ${result.paymentId} was settled without its job.`);
    return { kind: 'accepted', jobId: result.jobId, replayed: result.replayed, headers };
  }

  /**
   * At boot, once jobs can be inserted: brings every reservation to one payment and one job, or to none of both, as far
   * as the chain can be asked; the rest is looked at again every few seconds, for as long as this process lives. Waits
   * for the first look only a moment: a chain that does not answer must not keep the server from its other work.
   * @param announce hears of each job that was inserted, once it is committed: no request waits for it.
   */
  async reconcilePayments(insertJob: InsertJob, announce: (jobId: string) => void = () => {}): Promise<void> {
    this.#insertJob = insertJob;
    this.#announce = announce;
    const reconcileAndLogFailure = () =>
      this.#reconcileOpen().catch((error: unknown) => {
        this.#deps.log.error({ err: error }, 'Open payments could not be checked.');
      });
    await Promise.race([reconcileAndLogFailure(), delay(RECONCILE_WAIT_MS, undefined, { ref: false })]);
    this.#timer ??= setInterval(() => void reconcileAndLogFailure(), RECONCILE_EVERY_MS);
    this.#timer.unref();
  }

  /** Jobs that reservations may still turn into: their folders must be kept at boot. */
  openDraftJobIds(): string[] {
    const drafts = openDrafts(this.storage.db);
    return drafts.map(({ draft }) => parseOwnJson<PaidDraft>(draft).jobId);
  }

  /** Reservations of one payer that may still turn into a job. The draft is that of `Purchase`. */
  openPurchases(payer: string): { key: PaymentKey; draft: unknown }[] {
    const open = openDrafts(this.storage.db).filter((one) => one.payer === payer);
    return open.map(({ draft, ...key }) => ({ key, draft: parseOwnJson<unknown>(draft) }));
  }

  /**
   * Called in the transaction that fails a job, with what was paid for: the job, or the batch that has it. A fault of
   * ours earns its payers one free run again.
   */
  jobFailed(tx: Tx, jobId: string, code: string): void {
    if (errorFaultOf(code) !== 'appliance') return;
    const now = this.clock.now();
    grantReruns(tx, jobId, now + RERUN_MS, now);
  }

  /** Readiness: payers can be sent here when every check is fine. */
  async settlementStatus(): Promise<SettlementView['status']> {
    return this.#mode.readSettlementStatus();
  }

  /** The kind of money that payments bring now. */
  get moneyKind(): MoneyKind {
    return this.#mode.currentSettlement.mode === 'sandbox' ? 'play' : 'real';
  }

  /** What settled from `from` on, by spans of `spanMs`. */
  earned(money: MoneyKind, from: number, spanMs: number): ReturnType<typeof earnedSince> {
    return earnedSince(this.storage.db, money, from, spanMs);
  }

  /** What each of some accounts paid in total; absent for accounts that never paid. */
  paidBy(accountIds: readonly string[]): ReadonlyMap<string, Paid> {
    const paid = new Map<string, Paid>();
    for (const { payer, money, amount } of earnedFrom(this.storage.db, accountIds)) {
      paid.set(payer, { play: '0', real: '0', ...paid.get(payer), [money]: String(amount) });
    }
    return paid;
  }

  /** The settings as the owner may see them: without the key. */
  settlementSettings(): SettlementView['settings'] {
    return this.#mode.viewSettlementSettings();
  }

  /**
   * Errors: `invalid_request` for what is missing, `conflict` for a fixed field or while a payment is being settled.
   */
  async changeSettings(change: SettingsChange): Promise<SettlementView['settings']> {
    return this.#mode.changeSettlementMode(change, this.#sequence.runningCount);
  }

  /** The chain that payments are made on (CAIP-2). Wallets sign in for the same one. */
  get chainId(): string {
    return this.#mode.paymentTerms.network.caip2;
  }

  /**
   * Whether a wallet signed a plain text. Errors: `settlement_unavailable`.
   * @param beforeAsking called where only a chain can tell; what it throws is thrown, and the chain is not asked
   */
  async isMessageSigned(signed: SignedMessage, beforeAsking: () => Promise<void>): Promise<boolean> {
    return isMessageSigned(signed, this.#mode.currentSettlement.contractSignature, beforeAsking);
  }

  /** Writes the counts still in memory. */
  flushPaymentCounts(): void {
    this.#counts.flushChallengeCounts();
  }

  /** Lets settlements in progress end, for a moment; what is cut off goes on at the next start. */
  async closePayments(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await Promise.race([this.#sequence.drainSettlements(), delay(CLOSE_WAIT_MS, undefined, { ref: false })]);
    this.#counts.closeChallengeCounts();
  }

  /** After the first challenge a proof may follow: load the library that verifies it. */
  #expectProof(): void {
    if (this.#expecting) return;
    this.#expecting = true;
    loadEvm().catch((error: unknown) => {
      this.#deps.log.error({ err: error }, 'The library for payment proofs could not be loaded.');
    });
  }

  async #reconcileOpen(): Promise<void> {
    if (!this.#insertJob) return;
    const { jobIds, errors, waiting } = await this.#sequence.reconcileOpenPayments(this.#insertJob);
    for (const jobId of jobIds) this.#announce(jobId);
    for (const error of errors) this.#deps.log.error({ err: error }, 'An open payment could not be checked.');
    if (waiting.length === 0) return;
    this.#deps.log.warn({ open: waiting.length, cause: waiting[0] }, 'Payments are open. Settlement is retried.');
  }

  /** The settlement record in the header of the proof's version. */
  #settlementHeaders(
    checked: CheckedProof,
    result: Exclude<SequenceResult, Refused>,
    tool: string | undefined,
  ): Record<string, string> {
    const { version, authorization } = checked.proof;
    const { network } = checked.terms;
    const record = {
      ...(result.kind === 'settled' ? { success: true } : { success: false, errorReason: result.code }),
      transaction: result.transactionHash ?? '',
      network: version === 1 ? network.name : network.caip2,
      payer: authorization.from,
    };
    if (version === 1 || result.kind !== 'settled' || checked.order === null) {
      return { [RESPONSE_HEADERS[version]]: base64Json(record) };
    }
    const receipt = this.#signer.receiptExtension({
      resourceUrl: this.#resourceOf(checked.order, tool),
      network: record.network,
      payer: record.payer,
      issuedAt: Math.floor(this.clock.now() / SECOND_MS),
      ...omitUndefined({ transaction: record.transaction || undefined }),
    });
    return { [RESPONSE_HEADERS[version]]: base64Json({ ...record, extensions: { [OFFER_RECEIPT]: receipt } }) };
  }

  /** What is paid for, as challenges, offers and receipts name it. */
  #resourceOf(order: Order, tool: string | undefined): string {
    return tool === undefined ? `${this.#deps.baseUrl()}/${orderPath(order)}` : `mcp://tool/${tool}`;
  }

  #warnUnavailable({ code, cause }: Unavailable, message: string): void {
    this.#deps.log.warn({ code, cause }, message);
  }
}

export { challengeBody, requirementsOf } from './challenge.ts';
export type { Unavailable } from './codes.ts';
export { ledgerEntryOfJob } from './ledger.ts';
export type { Order } from './prices.ts';
export type { InsertJob, PaidDraft, Purchase } from './purchase.ts';
export { SANDBOX_TERMS } from './settings.ts';
export type { CheckedProof } from './verify.ts';
