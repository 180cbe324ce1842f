import type { Price } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { requirementsOf } from './challenge.ts';
import { type PaymentCode, type Refused, refusedPayment, type Unavailable } from './codes.ts';
import type { Order, PriceBook } from './prices.ts';
import {
  type AcceptedV2,
  type Authorization,
  type Proof,
  readProofHeader,
  readStoredProof,
  sameAuthorization,
} from './proof.ts';
import type { PaymentRequirements } from './schema.ts';
import type { Terms } from './settings.ts';
import type { Settlement } from './settlement.ts';
import { isSignedBy } from './signature.ts';
import { type PaymentKey, type PaymentRow, paymentByKey } from './store.ts';

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
  /** Null when nothing is bought yet. */
  order: Order | null;
}

export type ProofReading = { kind: 'proof'; proof: CheckedProof } | Refused | Unavailable;

export interface Market {
  storage: Storage;
  clock: Clock;
  terms(): Terms;
  settlement(): Settlement;
}

/** What a proof is held against. */
interface Offer {
  /** What was taken as the price at that time, now where none is given; the current price first. */
  prices(at?: number): readonly Price[];
  requirements(price: Price): PaymentRequirements;
  order: Order | null;
}

/**
 * Step 3 of the gate. Cheap checks come first; the ledger is asked before the signature is, because a proof that has
 * been used can no longer be verified and must still get its answer.
 */
export class ProofGate {
  readonly #market: Market;
  readonly #prices: PriceBook;

  constructor(parts: Market & { prices: PriceBook }) {
    this.#market = parts;
    this.#prices = parts.prices;
  }

  async readOrderProof(order: Order, rawHeaders: readonly string[]): Promise<{ kind: 'none' } | ProofReading> {
    const operation = this.#prices.pricedOperation(order.operationId);
    const terms = this.#market.terms();
    const proof = readProofHeader(rawHeaders, terms.network);
    if (proof === null) return { kind: 'none' };
    if ('kind' in proof) return proof;
    return this.checkPaymentProof(proof, {
      prices: (at) => this.#prices.openCostsOf(order, at),
      requirements: (price) => requirementsOf(terms, operation, price, order.items),
      order,
    });
  }

  async checkPaymentProof(proof: Proof, offer: Offer): Promise<ProofReading> {
    const terms = this.#market.terms();
    const key = paymentKeyOf(proof, terms);
    const row = paymentByKey(this.#market.storage.db, key);
    const known = row !== undefined && row.status !== 'failed';
    // What is known was paid when it was verified: a later edit of prices takes nothing from it.
    const prices = offer.prices(known ? row.verified_at : undefined);
    const price = matchPrice(proof, terms, prices);
    if (known && row.request_hash !== null) {
      const [current] = prices;
      return this.#recogniseSpentProof(row, { proof, key, terms, offer }, isPrice(price) ? price : current);
    }
    if (!isPrice(price)) return refusedPayment(price);
    if (known) return this.#recogniseSpentProof(row, { proof, key, terms, offer }, price);
    const late = checkWindow(proof.authorization, this.#market.clock.now());
    if (late) return refusedPayment(late);
    const verdict = await this.#market.settlement().verify(proof, offer.requirements(price));
    if (verdict.kind !== 'verified') return verdict;
    return checkedProof({ proof, key, terms, offer }, price, { fresh: true, spent: false });
  }

  /**
   * Threat: a reader of the chain uses an authorization to get the job it bought. The nonce alone is not sufficient:
   * the whole authorization and a good signature for it are needed, as they were the first time.
   */
  async #recogniseSpentProof(row: PaymentRow, parts: Checking, price: Price | undefined) {
    const { proof, terms } = parts;
    const stored = readStoredProof(row.proof);
    if (!sameAuthorization(stored.authorization, proof.authorization)) return refusedPayment('duplicate_settlement');
    const same = stored.signature === proof.signature;
    if (!same && !(await isSignedBy(terms, proof.authorization, proof.signature))) {
      return refusedPayment('invalid_exact_evm_payload_signature');
    }
    if (price === undefined) return refusedPayment('invalid_payment_requirements');
    return checkedProof(parts, price, { fresh: false, spent: row.request_hash !== null });
  }
}

interface Checking {
  proof: Proof;
  key: PaymentKey;
  terms: Terms;
  offer: Offer;
}

function checkedProof(
  { proof, key, terms, offer }: Checking,
  price: Price,
  state: Pick<CheckedProof, 'fresh' | 'spent'>,
): ProofReading {
  const { order } = offer;
  const requirements = offer.requirements(price);
  const checked = { key, proof, ...state, terms, requirements, order };
  return { kind: 'proof', proof: { ...checked, price: order ? price.amount : null } };
}

function isPrice(price: Price | PaymentCode): price is Price {
  return typeof price !== 'string';
}

function paymentKeyOf({ authorization }: Proof, terms: Terms): PaymentKey {
  const { name } = terms.network;
  return { network: name, asset: terms.asset.toLowerCase(), payer: authorization.from, nonce: authorization.nonce };
}

/** A proof that ends sooner could expire between here and the block that holds it. */
const EXPIRY_MARGIN_SECONDS = 6n;

/** Nine billion dollars: sums in the ledger stay exact, and no wallet of this world holds more. */
const AMOUNT_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * The price a proof pays, or why it pays none. `prices`: all whose challenges are still open, the current one first.
 */
function matchPrice(proof: Proof, terms: Terms, prices: readonly Price[]): Price | PaymentCode {
  const { accepted, authorization } = proof;
  const candidates =
    accepted === null
      ? prices
      : prices.filter((price) => isAcceptedEntryOurs(accepted, terms, price) && price.amount > 0);
  if (candidates.length === 0) return 'invalid_payment_requirements';
  if (authorization.to !== terms.payTo.toLowerCase()) return 'invalid_exact_evm_payload_recipient_mismatch';
  const paid = candidates.find((price) => isPriceCovered(proof, price));
  return paid ?? 'invalid_exact_evm_payload_authorization_value';
}

/** Version 1 says that the value meets or exceeds the price, version 2 that it equals it. */
function isPriceCovered({ version, authorization }: Proof, price: Price): boolean {
  const amount = BigInt(price.amount);
  if (authorization.value > AMOUNT_MAX) return false;
  return version === 1 ? authorization.value >= amount : authorization.value === amount;
}

/** Whether the entry a version 2 proof repeats is one we gave. */
function isAcceptedEntryOurs(accepted: AcceptedV2, terms: Terms, price: Price): boolean {
  return (
    accepted.amount === String(price.amount) &&
    accepted.asset === terms.asset.toLowerCase() &&
    accepted.payTo === terms.payTo.toLowerCase() &&
    accepted.maxTimeoutSeconds === price.timeoutSeconds &&
    accepted.extra.name === terms.extra.name &&
    accepted.extra.version === terms.extra.version
  );
}

/** Both ends are strict, as they are on the chain. @param now milliseconds. */
export function checkWindow(authorization: Authorization, now: number): PaymentCode | null {
  const seconds = BigInt(Math.floor(now / SECOND_MS));
  if (authorization.validBefore < seconds + EXPIRY_MARGIN_SECONDS) {
    return 'invalid_exact_evm_payload_authorization_valid_before';
  }
  return authorization.validAfter >= seconds ? 'invalid_exact_evm_payload_authorization_valid_after' : null;
}
