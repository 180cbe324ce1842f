/**
 * The facilitator this server brings along, in x402's own wire shapes. Threat: strangers let it verify and settle for
 * themselves, or pays us dust, on our gas. So it knows one receiver, one asset and one network: ours; and no amount
 * that buys nothing here. A refusal is an answer (200), as clients expect; only what cannot be read is a 400.
 */

import { z } from 'zod';
import { QuarryError } from '../../platform/errors.ts';
import { recordOf } from '../../platform/records.ts';
import { type PaymentCode, refusedPayment } from './codes.ts';
import type { PriceBook } from './prices.ts';
import { AcceptedV2, type Proof, parseProof, schemeOrNetwork, Uint256Text, type X402Version } from './proof.ts';
import type { PaymentSequence } from './purchase.ts';
import type { PayableEntry } from './sandbox-wallets.ts';
import type { PaymentRequirements } from './schema.ts';
import type { Terms } from './settings.ts';
import type { Market, ProofGate } from './verify.ts';

/** A window no challenge of ours reaches: what a caller names only limits the demo wallet's own signature. */
const WINDOW_SECONDS_MAX = 86_400;

const Request = z.object({
  x402Version: z.union([z.literal(1), z.literal(2)]).optional(),
  paymentPayload: z.looseObject({ x402Version: z.number() }),
  paymentRequirements: z.looseObject({ scheme: z.string(), network: z.string() }),
});

const EntryV1 = z.looseObject({
  scheme: z.string(),
  network: z.string(),
  maxAmountRequired: Uint256Text,
  payTo: z.string(),
  asset: z.string(),
  maxTimeoutSeconds: z.int().positive().max(WINDOW_SECONDS_MAX),
});

export interface FacilitatorAnswer {
  status: 200 | 400;
  body: Record<string, unknown>;
}

interface Readable {
  version: X402Version;
  proof: Proof;
  entry: PayableEntry;
}

export interface FacilitatorDeps extends Market {
  prices: PriceBook;
  gate: ProofGate;
  sequence: PaymentSequence;
}

export class LocalFacilitator {
  readonly #deps: FacilitatorDeps;

  constructor(deps: FacilitatorDeps) {
    this.#deps = deps;
  }

  /** @param version only the kinds of this x402 version: old clients refuse an answer that names newer ones. */
  async supportedKinds(version: X402Version | null) {
    const { network } = this.#deps.terms();
    const signer = await this.#deps.settlement().signer();
    const kinds = [
      { x402Version: 1, scheme: 'exact', network: network.name },
      { x402Version: 2, scheme: 'exact', network: network.caip2 },
    ];
    return {
      kinds: kinds.filter((kind) => version === null || kind.x402Version === version),
      extensions: [],
      signers: signer === null ? {} : { 'eip155:*': [signer] },
    };
  }

  /** Whether the proof would settle now. Changes nothing. */
  async verifyRequestedPayment(body: unknown): Promise<FacilitatorAnswer> {
    const request = this.#readFacilitatorRequest(body);
    if (!('proof' in request)) return invalidPaymentAnswer(request.code, payerIn(body));
    const payer = request.proof.authorization.from;
    const checked = await this.#checkReadablePayment(request);
    if (checked.kind !== 'proof') return invalidPaymentAnswer(checked.code, payer);
    if (!checked.proof.fresh) return invalidPaymentAnswer('duplicate_settlement', payer);
    return { status: 200, body: { isValid: true, payer } };
  }

  /** Moves the money. The payment then waits in the ledger for the request that is sent with the same proof. */
  async settleRequestedPayment(body: unknown): Promise<FacilitatorAnswer> {
    const request = this.#readFacilitatorRequest(body);
    const { network } = this.#deps.terms();
    if (!('proof' in request)) return unsettledAnswer(request.code, payerIn(body), network.name);
    const payer = request.proof.authorization.from;
    const named = request.version === 1 ? network.name : network.caip2;
    const checked = await this.#checkReadablePayment(request);
    if (checked.kind !== 'proof') return unsettledAnswer(checked.code, payer, named);
    const result = await this.#deps.sequence.runPaymentSequence(checked.proof, null);
    if (result.kind === 'refused') return unsettledAnswer(result.code, payer, named);
    if (result.kind === 'unavailable') return unsettledAnswer(result.code, payer, named, result.transactionHash ?? '');
    if (result.replayed) return unsettledAnswer('duplicate_settlement', payer, named, result.transactionHash);
    return { status: 200, body: { success: true, payer, transaction: result.transactionHash, network: named } };
  }

  /**
   * An `accepts` entry of either version, for the demo wallet to pay. Errors: `invalid_request` for one that is not
   * ours: the demo wallet signs for this server's challenges only.
   */
  payableEntry(body: unknown): PayableEntry {
    const entry = readEntry(body, this.#deps.terms());
    if (typeof entry !== 'string') return entry;
    throw new QuarryError('invalid_request', `Send one entry of accepts, as the 402 gave it (${entry}).`);
  }

  async #checkReadablePayment({ version, proof, entry }: Readable) {
    if (entry.amount > BigInt(Number.MAX_SAFE_INTEGER)) {
      return refusedPayment('invalid_exact_evm_payload_authorization_value');
    }
    if (entry.amount < BigInt(this.#deps.prices.smallestAmount()))
      return refusedPayment('invalid_payment_requirements');
    const price = { amount: Number(entry.amount), timeoutSeconds: entry.maxTimeoutSeconds };
    const terms = this.#deps.terms();
    const requirements: PaymentRequirements = {
      scheme: 'exact',
      network: terms.network.name,
      maxAmountRequired: String(entry.amount),
      resource: `facilitator, version ${version}`,
      description: 'Paid through the facilitator',
      mimeType: 'application/json',
      payTo: terms.payTo,
      maxTimeoutSeconds: entry.maxTimeoutSeconds,
      asset: terms.asset,
      extra: terms.extra,
    };
    return this.#deps.gate.checkPaymentProof(proof, {
      prices: () => [price],
      requirements: () => requirements,
      order: null,
    });
  }

  #readFacilitatorRequest(body: unknown): Readable | { code: PaymentCode } {
    const request = Request.safeParse(body);
    if (!request.success) return { code: 'invalid_payload' };
    const { paymentPayload, paymentRequirements } = request.data;
    const version = request.data.x402Version ?? paymentPayload.x402Version;
    if (version !== 1 && version !== 2) return { code: 'invalid_x402_version' };
    const terms = this.#deps.terms();
    const entry = readEntry(paymentRequirements, terms);
    if (typeof entry === 'string') return { code: entry };
    if (entry.version !== version) return { code: 'invalid_payment_requirements' };
    const proof = parseProof(paymentPayload, version, terms.network);
    return 'kind' in proof ? { code: proof.code } : { version, proof, entry };
  }
}

/** The entry as something to pay, or why it is none of ours. */
function readEntry(value: unknown, terms: Terms): PayableEntry | PaymentCode {
  const version1 = EntryV1.safeParse(value);
  if (version1.success) {
    const mismatch = schemeOrNetwork(version1.data, terms.network.name) ?? ownReceiver(version1.data, terms);
    if (mismatch) return mismatch;
    const { maxAmountRequired, maxTimeoutSeconds } = version1.data;
    return { version: 1, amount: BigInt(maxAmountRequired), maxTimeoutSeconds, entry: version1.data };
  }
  const version2 = AcceptedV2.safeParse(value);
  if (!version2.success) return 'invalid_payment_requirements';
  const mismatch = schemeOrNetwork(version2.data, terms.network.caip2) ?? ownReceiver(version2.data, terms);
  if (mismatch) return mismatch;
  const { amount, maxTimeoutSeconds } = version2.data;
  if (maxTimeoutSeconds < 1 || maxTimeoutSeconds > WINDOW_SECONDS_MAX) return 'invalid_payment_requirements';
  return { version: 2, amount: BigInt(amount), maxTimeoutSeconds, entry: recordOf(value) };
}

function ownReceiver(entry: { payTo: string; asset: string }, terms: Terms): PaymentCode | null {
  const isSameHex = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
  return isSameHex(entry.payTo, terms.payTo) && isSameHex(entry.asset, terms.asset)
    ? null
    : 'invalid_payment_requirements';
}

/** The payer a refused request named, so that the answer can name it too. */
function payerIn(body: unknown): string | undefined {
  const Named = z.object({
    paymentPayload: z.object({
      payload: z.object({ authorization: z.object({ from: z.string().regex(/^0x[0-9a-fA-F]{40}$/) }) }),
    }),
  });
  const named = Named.safeParse(body);
  return named.success ? named.data.paymentPayload.payload.authorization.from.toLowerCase() : undefined;
}

function invalidPaymentAnswer(code: string, payer: string | undefined): FacilitatorAnswer {
  return { status: facilitatorStatus(code), body: { isValid: false, invalidReason: code, payer: payer || undefined } };
}

function unsettledAnswer(
  code: string,
  payer: string | undefined,
  network: string,
  transaction = '',
): FacilitatorAnswer {
  const body = { success: false, errorReason: code, payer: payer || undefined, transaction, network };
  return { status: facilitatorStatus(code), body };
}

function facilitatorStatus(code: string): 200 | 400 {
  return code === 'invalid_payload' ? 400 : 200;
}
