import type { Context } from 'hono';
import type { Operation } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { canonicalHash } from '../../platform/text/canonical-json.ts';
import { tell } from '../../platform/text/say.ts';
import type { PaymentChallenge } from '../payments/schema.ts';
import type { CheckedProof, Order, Payments, Purchase, Unavailable } from '../payments/service.ts';
import type { Jobs } from './jobs.ts';
import type { JobDraft } from './schema.ts';
import type { JobRow } from './store.ts';
import type { Submission } from './submit.ts';

/** Payment, for the routes of operations (x402; decisions 4). */
export interface PaymentGate {
  /** Reads the proof before the body is read. Errors: `settlement_unavailable`. */
  open(order: Order, source: ProofSource): Promise<GateOpening>;
  /** The refusal of a request without a proof. */
  refuseUnpaid(order: Order, prefer: string | undefined): GateRefusal;
  /** Key of a proof: the same proof has the same key in each of its forms. */
  keyOf(proof: CheckedProof): string;
  /** Settles the payment and accepts the request in one crash-safe sequence: no proof is taken without a job. */
  accept(purchase: GatePurchase): Promise<GateOutcome>;
  /** The same for what is no job. Its caller keeps the files of the draft while `keepsDraft` says so. */
  buy(order: GateOrder, purchase: Purchase): Promise<BuyOutcome>;
  /** Reservations of a payer that may still turn into a job. */
  openPurchases(payer: string): { proofKey: string; draft: JobDraft }[];
}

/** Headers that may carry a proof. */
export interface ProofSource {
  /** Names and values in turn, as Node's `rawHeaders` has them. */
  rawHeaders: readonly string[];
  prefer?: string | undefined;
  /** Name of the tool that was called, for a proof that came with such a call. */
  tool?: string | undefined;
}

export function proofSourceOf({ env, req }: Context<HttpEnv>): ProofSource {
  return { rawHeaders: env.incoming.rawHeaders, prefer: req.header('prefer') };
}

export interface GateOrder {
  proof: CheckedProof;
  order: Order;
  prefer: string | undefined;
  tool?: string | undefined;
}

export interface GatePurchase {
  proof: CheckedProof;
  operation: Operation;
  /** The same request has the same hash. */
  requestHash: string;
  draft: JobDraft;
  prefer: string | undefined;
  tool?: string | undefined;
}

export interface GateRefusal {
  kind: 'refused';
  challenge: PaymentChallenge;
  /** The version 2 challenge. */
  v2: object;
  headers: Record<string, string>;
}

export type GateOpening =
  | GateRefusal
  /** `spent`: the proof has already bought a job, which is returned again. */
  | { kind: 'proof'; proof: CheckedProof; payer: `0x${string}`; spent: boolean; paymentId: string | null };

export type GateOutcome =
  | GateRefusal
  | { kind: 'unavailable'; error: QuarryError; headers: Record<string, string> }
  | { kind: 'accepted'; job: JobRow; headers: Record<string, string> };

export type BuyOutcome =
  | GateRefusal
  | { kind: 'unavailable'; error: QuarryError; headers: Record<string, string>; keepsDraft: boolean }
  /** `jobId`: of what was bought, which is that of the draft, or an earlier one for a repeated proof. */
  | { kind: 'accepted'; jobId: string; headers: Record<string, string> };

declare module '../../platform/http/env.ts' {
  interface HttpVariables {
    /** The answer of the gate, for paid requests with a proof. */
    opening?: GateOpening;
  }
}

/** Stock version 1 clients need a URL where the specification shows `POST /crawl`. They request it (decisions 4). */
const RESOURCE_AS_URL = /(?:^|[,;\s])x402-resource\s*=\s*"?url"?(?:$|[,;\s])/i;

/** Builds the gate from payments and submission. */
export function paymentGate(payments: Payments, submission: Submission, jobs: Jobs): PaymentGate {
  const gateRefusalOf = (order: Order, error: string | null, { prefer, tool }: Omit<ProofSource, 'rawHeaders'>) => {
    const { body, headers, v2 } = payments.challengeForOrder(order, { error, resourceAsUrl: asksForUrl(prefer), tool });
    return { kind: 'refused' as const, challenge: body, headers, v2 };
  };
  const buyThroughGate = async ({ proof, order, ...how }: GateOrder, purchase: Purchase): Promise<BuyOutcome> => {
    const result = await payments.acceptPayment(proof, purchase, how.tool);
    if (result.kind === 'refused') return gateRefusalOf(order, result.code, how);
    if (result.kind === 'accepted') return result;
    const { headers, keepsDraft } = result;
    return { kind: 'unavailable', error: notNow(result), headers, keepsDraft };
  };
  return {
    buy: buyThroughGate,
    refuseUnpaid: (order, prefer) => gateRefusalOf(order, null, { prefer }),
    open: async (order, { rawHeaders, ...how }) => {
      const reading = await payments.readProof(order, rawHeaders);
      if (reading.kind === 'none') return gateRefusalOf(order, null, how);
      if (reading.kind === 'refused') return gateRefusalOf(order, reading.code, how);
      if (reading.kind === 'unavailable') throw notNow(reading);
      const { proof } = reading;
      const { paymentId } = proof.proof;
      return { kind: 'proof', proof, payer: payments.payerOf(proof), spent: proof.spent, paymentId };
    },
    keyOf: (proof) => canonicalHash({ ...proof.key }),
    openPurchases: (payer) =>
      payments.openPurchases(payer).map(({ key, draft }) => {
        return { proofKey: canonicalHash({ ...key }), draft: draft as JobDraft };
      }),
    accept: async ({ proof, operation, requestHash, draft, prefer, tool }): Promise<GateOutcome> => {
      const result = await submission.withClaimedUpload(draft, async () => {
        const purchase = {
          requestHash,
          draft,
          insertJob: submission.insertPaid,
          replay: submission.replay,
        };
        const outcome = await buyThroughGate({ proof, order: { operationId: operation.id }, prefer, tool }, purchase);
        return { outcome, keepsFolder: keepsFolder(outcome, draft) };
      });
      if (result.kind !== 'accepted') return result;
      submission.announceSubmission(result.jobId, result.jobId !== draft.jobId);
      return { kind: 'accepted', job: paidJob(jobs, result.jobId), headers: result.headers };
    },
  };
}

/** A proof may be sent again when its job is gone. Neither the job's advice nor the proof helps then. */
function paidJob(jobs: Jobs, jobId: string): JobRow {
  try {
    return jobs.row(jobId);
  } catch (error) {
    if (!(error instanceof QuarryError) || !['job_expired', 'not_found'].includes(error.code)) throw error;
    const gone = error.code === 'job_expired' ? tell`has expired` : tell`was removed`;
    const message = tell`The job of this payment ${gone}. Send the request without the proof to pay again.`;
    throw new QuarryError(error.code, message, { cause: error });
  }
}

/** Whether the draft's folder belongs to a job, or to a reservation that may become one. */
function keepsFolder(outcome: BuyOutcome, draft: JobDraft): 'job' | 'reservation' | 'nobody' {
  if (outcome.kind === 'accepted') return outcome.jobId === draft.jobId ? 'job' : 'nobody';
  return outcome.kind === 'unavailable' && outcome.keepsDraft ? 'reservation' : 'nobody';
}

function asksForUrl(prefer: string | undefined): boolean {
  return prefer !== undefined && RESOURCE_AS_URL.test(prefer);
}

function notNow({ code, retryAfterSeconds, cause }: Unavailable): QuarryError {
  const message =
    code === 'settlement_pending'
      ? 'The payment was sent and is not confirmed yet. Send the same request with the same proof again.'
      : 'The payment cannot be checked or settled now; the proof is not spent. Send the same request again.';
  return new QuarryError('settlement_unavailable', message, { cause, retryAfterSeconds });
}
