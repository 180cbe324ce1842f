/**
 * Reserve, settle, conclude: how one proof becomes exactly one payment and one job, or none of both.
 *
 * Threats: the same proof sent many times at once or again later, a second request riding on it, a process that dies at
 * any point, a chain whose answer never comes. Answers: the row of the proof's key is unique and is made before money
 * moves; the draft of the job lies in that row until the transaction that settles the payment also inserts the job; a
 * reservation is never given up because an answer is missing, only because the chain says that the money did not move.
 */

import type { Clock } from '../../platform/clock.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { type Refused, refusedPayment, storedCode, type Unavailable, unavailablePayment } from './codes.ts';
import { storedProof } from './proof.ts';
import type { Journal, Settled, Settlement } from './settlement.ts';
import {
  addEarning,
  changePayment,
  insertPayment,
  openPayments,
  type PaymentKey,
  type PaymentRow,
  paymentByKey,
  paymentBySeq,
} from './store.ts';
import { type CheckedProof, checkWindow } from './verify.ts';

/** Open payments looked at in one pass, and how many of them at the same time. */
const RECONCILE_MAX = 1000;

const RECONCILE_AT_ONCE = 16;

interface Running {
  requestHash: string | null;
  result: Promise<SequenceResult>;
}

export class PaymentSequence {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #settlement: () => Settlement;
  readonly #running = new Map<string, Running>();

  /** @param settlement called for every proof, because the owner can change the settlement. */
  constructor(parts: { storage: Storage; clock: Clock; settlement: () => Settlement }) {
    this.#storage = parts.storage;
    this.#clock = parts.clock;
    this.#settlement = parts.settlement;
  }

  /** Proofs being settled right now. */
  get runningCount(): number {
    return this.#running.size;
  }

  /** Once what is being settled now has ended, well or badly. */
  async drainSettlements(): Promise<void> {
    await Promise.allSettled([...this.#running.values()].map(({ result }) => result));
  }

  /** Without a purchase the money is taken and waits in the ledger for the request it will buy. */
  async runPaymentSequence(checked: CheckedProof, purchase: Purchase | null): Promise<SequenceResult> {
    const requestHash = purchase?.requestHash ?? null;
    for (;;) {
      const running = this.#running.get(keyText(checked.key));
      if (!running) return this.#runExclusively(checked.key, requestHash, () => this.#takePayment(checked, purchase));
      if (running.requestHash !== null && running.requestHash !== requestHash)
        return refusedPayment('duplicate_settlement');
      const result = await running.result;
      if (running.requestHash === requestHash) return joinedSequenceResult(result);
      // The facilitator was settling it without a request: now this request can use the payment.
    }
  }

  /**
   * Brings every open reservation to its end, as far as chain or facilitator can say. One that fails does not keep the
   * others: gives back which jobs came of it, what went wrong, and why the rest is still open.
   */
  async reconcileOpenPayments(
    insertJob: InsertJob,
  ): Promise<{ jobIds: string[]; errors: unknown[]; waiting: string[] }> {
    const open = openPayments(this.#storage.db, RECONCILE_MAX);
    const jobIds: string[] = [];
    const errors: unknown[] = [];
    const waiting: string[] = [];
    for (let index = 0; index < open.length; index += RECONCILE_AT_ONCE) {
      const some = open.slice(index, index + RECONCILE_AT_ONCE);
      const results = await Promise.allSettled(some.map((row) => this.#resumeReservedPayment(row, insertJob)));
      for (const result of results) {
        if (result.status === 'rejected') errors.push(result.reason);
        else if (result.value?.kind === 'unavailable') waiting.push(result.value.cause);
        else if (result.value?.kind === 'settled' && result.value.jobId !== null) jobIds.push(result.value.jobId);
      }
    }
    return { jobIds, errors, waiting };
  }

  /** Null when a request is already at it. */
  async #resumeReservedPayment(row: PaymentRow, insertJob: InsertJob): Promise<SequenceResult | null> {
    if (this.#running.has(keyText(row))) return null;
    return this.#runExclusively(row, row.request_hash, async () => {
      const current = paymentBySeq(this.#storage.db, row.seq);
      if (current.status !== 'reserved') return refusedPayment('duplicate_settlement');
      return this.#settleReservation(current, insertJob);
    });
  }

  async #runExclusively(key: PaymentKey, requestHash: string | null, work: () => Promise<SequenceResult>) {
    const result = work();
    this.#running.set(keyText(key), { requestHash, result });
    try {
      return await result;
    } finally {
      this.#running.delete(keyText(key));
    }
  }

  /** The first transaction: answers from the ledger, or reserves. In the sandbox it is also the last. */
  async #takePayment(checked: CheckedProof, purchase: Purchase | null): Promise<SequenceResult> {
    const taken = this.#storage.transaction((tx) => {
      const row = paymentByKey(tx, checked.key);
      if (row?.status === 'settled') return this.#answerFromLedger(tx, row, checked, purchase);
      if (row?.status === 'reserved') return this.#joinReservation(tx, row, checked, purchase);
      if (!checked.fresh) return refusedPayment(storedCode(row?.error_code));
      const { move } = this.#settlement();
      // A body may take longer to arrive than its proof was good for: no chain takes it any more.
      const late = checkWindow(checked.proof.authorization, this.#clock.now());
      if (late !== null && move.kind === 'deferred') return refusedPayment(late);
      const reserved = this.#reservePayment(tx, row, checked, purchase);
      if (move.kind === 'deferred') return reserved;
      return this.#concludePayment(tx, reserved, move.settle(tx, reserved, this.#clock.now()), purchase?.insertJob);
    });
    if ('kind' in taken) return taken;
    const result = await this.#settleReservation(taken, purchase?.insertJob);
    if (result.kind !== 'unavailable') return result;
    return { ...result, keepsDraft: draftIdOf(taken) === purchase?.draft.jobId };
  }

  #answerFromLedger(tx: Tx, row: PaymentRow, checked: CheckedProof, purchase: Purchase | null): Bought | Refused {
    if (purchase === null) return refusedPayment('duplicate_settlement');
    const now = this.#clock.now();
    if (row.request_hash === null) {
      const jobId = purchase.insertJob(tx, purchase.draft, row.id);
      const bound = {
        request_hash: purchase.requestHash,
        job_id: jobId,
        challenge: JSON.stringify(checked.requirements),
      };
      const paid = { operation_id: checked.order?.operationId ?? null, price: checked.price };
      changePayment(tx, row.seq, { ...bound, ...paid }, now);
      return boughtResult(row, jobId, false);
    }
    if (row.request_hash !== purchase.requestHash || row.job_id === null) return refusedPayment('duplicate_settlement');
    const rerunAllowed = row.rerun_used_at === null && row.rerun_expires_at !== null && row.rerun_expires_at > now;
    const done = purchase.replay(tx, { jobId: row.job_id, draft: purchase.draft, rerunAllowed });
    if (done === 'rerun') changePayment(tx, row.seq, { rerun_used_at: now }, now);
    return boughtResult(row, row.job_id, true);
  }

  /** A reservation that an earlier request left open: only the same request may go on with it. */
  #joinReservation(tx: Tx, row: PaymentRow, checked: CheckedProof, purchase: Purchase | null): PaymentRow | Refused {
    if (row.request_hash !== null) {
      return row.request_hash === purchase?.requestHash ? row : refusedPayment('duplicate_settlement');
    }
    if (purchase === null) return row;
    return changePayment(tx, row.seq, boundTo(checked, purchase), this.#clock.now());
  }

  #reservePayment(
    tx: Tx,
    former: PaymentRow | undefined,
    checked: CheckedProof,
    purchase: Purchase | null,
  ): PaymentRow {
    const now = this.#clock.now();
    const reservation = {
      status: 'reserved' as const,
      mode: this.#settlement().mode,
      x402_version: checked.proof.version,
      pay_to: checked.terms.payTo.toLowerCase(),
      amount: Number(checked.proof.authorization.value),
      proof: storedProof(checked.proof),
      settle_attempts: 0,
      raw_transaction: null,
      replaced_transactions: null,
      transaction_hash: null,
      error_code: null,
      verified_at: now,
      broadcast_at: null,
      failed_at: null,
      ...boundTo(checked, purchase),
    };
    if (former) return changePayment(tx, former.seq, reservation, now);
    return insertPayment(tx, { ...checked.key, ...reservation, id: newId('pay'), updated_at: now });
  }

  async #settleReservation(row: PaymentRow, insertJob: InsertJob | undefined): Promise<SequenceResult> {
    const settlement = this.#settlement();
    if (settlement.mode !== row.mode || settlement.move.kind !== 'deferred') {
      const cause = `It was begun by ${row.mode}, and payments are settled by ${settlement.mode} now.`;
      return { ...unavailablePayment('unexpected_settle_error', cause), keepsDraft: true };
    }
    const outcome = await settlement.move.settle(row, this.#journalOf(row));
    if (outcome.kind === 'unavailable') return { ...outcome, keepsDraft: true };
    try {
      return this.#storage.transaction((tx) =>
        this.#concludePayment(tx, paymentBySeq(tx, row.seq), outcome, insertJob),
      );
    } catch (error) {
      // The money has moved and the job is not written yet: the reservation keeps the draft, and all of it is tried
      // again.
      const hash = outcome.kind === 'settled' ? outcome.transactionHash : null;
      return { ...unavailablePayment('unexpected_settle_error', error, hash), keepsDraft: true };
    }
  }

  /** The last transaction: the payment's end and the job's beginning, together. */
  #concludePayment(
    tx: Tx,
    row: PaymentRow,
    outcome: Settled | Refused,
    insertJob: InsertJob | undefined,
  ): Bought | Refused {
    const now = this.#clock.now();
    if (outcome.kind === 'refused') {
      const ended = { status: 'failed' as const, error_code: outcome.code, failed_at: now, draft: null };
      changePayment(tx, row.seq, ended, now);
      return outcome;
    }
    const jobId = row.draft === null ? null : insertOwed(tx, row, row.draft, insertJob);
    const settled = changePayment(
      tx,
      row.seq,
      {
        status: 'settled',
        transaction_hash: outcome.transactionHash,
        settled_at: now,
        job_id: jobId,
        draft: null,
        raw_transaction: null,
        replaced_transactions: null,
      },
      now,
    );
    if (row.status !== 'settled') addEarning(tx, settled, now);
    return boughtResult(settled, jobId, false);
  }

  #journalOf(row: PaymentRow): Journal {
    const writePaymentChange = (change: Parameters<typeof changePayment>[2]) =>
      this.#storage.transaction((tx) => changePayment(tx, row.seq, change, this.#clock.now()));
    return {
      attempt: () => {
        const { settle_attempts } = paymentBySeq(this.#storage.db, row.seq);
        return writePaymentChange({ settle_attempts: settle_attempts + 1 });
      },
      signed: (raw, hash) => {
        const { raw_transaction, replaced_transactions } = paymentBySeq(this.#storage.db, row.seq);
        const former = parseOwnJson<string[]>(replaced_transactions ?? '[]');
        const replaced = raw_transaction === null ? former : [...former, raw_transaction];
        const sent = { raw_transaction: raw, transaction_hash: hash, broadcast_at: this.#clock.now() };
        return writePaymentChange({ ...sent, replaced_transactions: JSON.stringify(replaced) });
      },
    };
  }
}

function insertOwed(tx: Tx, row: PaymentRow, draft: string, insertJob: InsertJob | undefined): string {
  if (!insertJob) throw new Error(`Payment ${row.id} owes a job, but no function was given to insert it.`);
  return insertJob(tx, parseOwnJson<PaidDraft>(draft), row.id);
}

function boundTo(checked: CheckedProof, purchase: Purchase | null) {
  return {
    operation_id: checked.order?.operationId ?? null,
    price: checked.price,
    challenge: JSON.stringify(checked.requirements),
    request_hash: purchase?.requestHash ?? null,
    draft: purchase === null ? null : JSON.stringify(purchase.draft),
  };
}

function boughtResult(row: PaymentRow, jobId: string | null, replayed: boolean): Bought {
  return { kind: 'settled', paymentId: row.id, jobId, transactionHash: row.transaction_hash ?? '', replayed };
}

/** What a request gets that waited for the same request's settlement. */
function joinedSequenceResult(result: SequenceResult): SequenceResult {
  if (result.kind === 'settled') return { ...result, replayed: true };
  return result.kind === 'unavailable' ? { ...result, keepsDraft: false } : result;
}

function draftIdOf(row: PaymentRow): string | null {
  return row.draft === null ? null : parseOwnJson<PaidDraft>(row.draft).jobId;
}

function keyText(key: PaymentKey): string {
  return `${key.network} ${key.asset} ${key.payer} ${key.nonce}`;
}

/** What payments read of a draft: the id of its job. The rest is stored as it is, and read again by `jobs` alone. */
export interface PaidDraft {
  jobId: string;
}

/** Inserts the job of a payment, or finds the one its dedupe key names. Gives back the job's id. */
export type InsertJob = (tx: Tx, draft: PaidDraft, paymentId: string) => string;

export interface ReplayedJob {
  jobId: string;
  /** The request as it was just made again, its upload included: what a purged job would be run from. */
  draft: PaidDraft;
  /** The job failed by our fault and its free re-run was not used yet. */
  rerunAllowed: boolean;
}

/** What a proof is to buy. */
export interface Purchase {
  /** Of the operation's id and the canonical parsed request: the same request has the same hash. */
  requestHash: string;
  draft: PaidDraft;
  insertJob: InsertJob;
  /** Resumes a job that failed retryably, or runs it again for free where that is allowed; says which it did. */
  replay(tx: Tx, job: ReplayedJob): 'kept' | 'resumed' | 'rerun';
}

interface Bought {
  kind: 'settled';
  paymentId: string;
  /** Null when nothing was bought. */
  jobId: string | null;
  transactionHash: string;
  /** The proof had bought this job before. */
  replayed: boolean;
}

export type SequenceResult = Bought | Refused | (Unavailable & { keepsDraft: boolean });
