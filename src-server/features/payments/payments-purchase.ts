import type { JobDraft, PaymentRequirements } from '../../contract/index.ts';
import type { Tx } from '../../platform/db/schema.ts';
import type { Refused, Unavailable } from './codes.ts';
import type { Proof } from './proof.ts';
import type { PaymentKey } from './store.ts';
import type { Terms } from './terms.ts';

/** Inserts the job of a payment, or finds the one its dedupe key names. Gives back the job's id. */
export type InsertJob = (tx: Tx, draft: JobDraft, paymentId: string) => Promise<string>;

export interface ReplayedJob {
  jobId: string;
  /** The request as it was just made again, its upload included: what a purged job would be run from. */
  draft: JobDraft;
  /** The job failed by our fault and its free re-run was not used yet. */
  rerunAllowed: boolean;
}

/** What a proof is to buy. */
export interface Purchase {
  /** Of the operation's id and the canonical parsed request: the same request has the same hash. */
  requestHash: string;
  draft: JobDraft;
  insertJob: InsertJob;
  /** Resumes a job that failed retryably, or runs it again for free where that is allowed; says which it did. */
  replay(tx: Tx, job: ReplayedJob): Promise<'kept' | 'resumed' | 'rerun'>;
}

/** A proof that was read and checked, with what it was checked against. */
export interface CheckedProof {
  key: PaymentKey;
  proof: Proof;
  /** True when it was verified now; false when the ledger knew it already and answers by itself. */
  fresh: boolean;
  /** True when it has bought a request: then its sender may be any reader of the chain, not the payer. */
  spent: boolean;
  terms: Terms;
  requirements: PaymentRequirements;
  /** What the operation costs; null when nothing is bought yet. */
  price: number | null;
  operationId: string | null;
}

export interface Bought {
  kind: 'settled';
  paymentId: string;
  /** Null when nothing was bought. */
  jobId: string | null;
  transactionHash: string;
  /** The proof had bought this job before. */
  replayed: boolean;
}

export type SequenceResult = Bought | Refused | (Unavailable & { keepsDraft: boolean });
