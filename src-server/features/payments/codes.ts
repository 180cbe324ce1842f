import { recordOf } from '../../platform/records.ts';

/**
 * All codes of `error` in a 402, `invalidReason` and `errorReason`, with x402's own names. Their meaning is in
 * resources/reference/payment-errors.md, which a test compares with this list.
 */
export const PAYMENT_CODES = [
  'invalid_payload',
  'invalid_x402_version',
  'unsupported_scheme',
  'invalid_network',
  'invalid_payment_requirements',
  'invalid_exact_evm_payload_recipient_mismatch',
  'invalid_exact_evm_payload_authorization_value',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_payload_signature',
  'invalid_exact_evm_payload_undeployed_smart_wallet',
  'insufficient_funds',
  'duplicate_settlement',
  'invalid_transaction_state',
] as const;
export type PaymentCode = (typeof PAYMENT_CODES)[number];

/** Codes of a 503: the proof is not spent, and the same request may be sent again. */
export const UNAVAILABLE_CODES = ['unexpected_verify_error', 'unexpected_settle_error', 'settlement_pending'] as const;
export type UnavailableCode = (typeof UNAVAILABLE_CODES)[number];

export function isPaymentCode(code: unknown): code is PaymentCode {
  return PAYMENT_CODES.some((one) => one === code);
}

/** The stored code of a failed payment. */
export function storedCode(code: string | null | undefined): PaymentCode {
  return isPaymentCode(code) ? code : 'invalid_transaction_state';
}

/** The proof does not pay for this. Nothing was charged. */
export interface Refused {
  kind: 'refused';
  code: PaymentCode;
}

/** The outcome is not known yet. The proof stays valid. */
export interface Unavailable {
  kind: 'unavailable';
  code: UnavailableCode;
  retryAfterSeconds: number;
  /** Of a transaction already sent. */
  transactionHash: string | null;
  /** For the log and the owner, never for the payer. */
  cause: string;
}

/** Retry-After while a chain or a facilitator cannot be reached. */
const RETRY_AFTER_SECONDS = 5;

export function refusedPayment(code: PaymentCode): Refused {
  return { kind: 'refused', code };
}

export function unavailablePayment(
  code: UnavailableCode,
  cause: unknown,
  transactionHash: string | null = null,
): Unavailable {
  const reason = cause instanceof Error ? firstLine(cause) : String(cause);
  return { kind: 'unavailable', code, retryAfterSeconds: RETRY_AFTER_SECONDS, transactionHash, cause: reason };
}

/** The result of `work`, or `unavailable` when it throws: chain and facilitator may be unreachable. */
export async function orUnavailable<Result>(
  code: UnavailableCode,
  work: () => Promise<Result>,
  transactionHash: string | null = null,
): Promise<Result | Unavailable> {
  try {
    return await work();
  } catch (error) {
    return unavailablePayment(code, error, transactionHash);
  }
}

/** Chain libraries append addresses, calldata and URLs with keys to their messages: only the first line is kept. */
function firstLine(error: Error): string {
  const { shortMessage: short } = recordOf(error);
  return (typeof short === 'string' ? short : error.message).split('\n', 1)[0] ?? error.name;
}
