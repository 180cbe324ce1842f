import type { Price } from '../../contract/index.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { PaymentCode } from './codes.ts';
import type { AcceptedV2, Authorization, Proof } from './proof.ts';
import type { Terms } from './terms.ts';

/** A proof that ends sooner could expire between here and the block that holds it. */
const EXPIRY_MARGIN_SECONDS = 6n;
/** Nine billion dollars: sums in the ledger stay exact, and no wallet of this world holds more. */
const AMOUNT_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * The price a proof pays, or why it pays none. `prices`: all whose challenges are still open, the current one first.
 */
export function matchPrice(proof: Proof, terms: Terms, prices: readonly Price[]): Price | PaymentCode {
  const { accepted, authorization } = proof;
  const candidates =
    accepted === null ? prices : prices.filter((price) => answers(accepted, terms, price) && price.amount > 0);
  if (candidates.length === 0) return 'invalid_payment_requirements';
  if (authorization.to !== terms.payTo.toLowerCase()) return 'invalid_exact_evm_payload_recipient_mismatch';
  const paid = candidates.find((price) => pays(proof, price));
  return paid ?? 'invalid_exact_evm_payload_authorization_value';
}

/** Version 1 says that the value meets or exceeds the price, version 2 that it equals it. */
function pays({ version, authorization }: Proof, price: Price): boolean {
  const amount = BigInt(price.amount);
  if (authorization.value > AMOUNT_MAX) return false;
  return version === 1 ? authorization.value >= amount : authorization.value === amount;
}

/** Whether the entry a version 2 proof repeats is one we gave. */
function answers(accepted: AcceptedV2, terms: Terms, price: Price): boolean {
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
