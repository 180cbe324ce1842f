import type { PaymentChallenge, PaymentRequirements, Price } from '../contract/index.ts';
import type { PricedOperation } from './prices.ts';
import type { Terms } from './terms.ts';

/** The version 2 form of the same entry. */
export interface RequirementsV2 {
  scheme: 'exact';
  network: string;
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: { name: string; version: string };
}

/** One `accepts` entry, version 1, to the letter of the interface specification. */
export function requirementsOf(terms: Terms, operation: PricedOperation, price: Price): PaymentRequirements {
  return {
    scheme: 'exact',
    network: terms.network.name,
    maxAmountRequired: String(price.amount),
    resource: `POST /${operation.operationId}`,
    description: operation.summary,
    mimeType: 'application/json',
    payTo: terms.payTo,
    maxTimeoutSeconds: price.timeoutSeconds,
    asset: terms.asset,
    extra: terms.extra,
  };
}

export function requirementsV2Of(terms: Terms, price: Price): RequirementsV2 {
  return {
    scheme: 'exact',
    network: terms.network.caip2,
    amount: String(price.amount),
    asset: terms.asset,
    payTo: terms.payTo,
    maxTimeoutSeconds: price.timeoutSeconds,
    extra: terms.extra,
  };
}

/**
 * The body of a 402. Stock version 1 clients insist on a URL in `resource`, which the specification does not show: they
 * ask for it, everyone else gets the literal form.
 */
export function challengeBody(requirements: PaymentRequirements, resourceUrl: string | null, error: string | null) {
  const entry = resourceUrl === null ? requirements : { ...requirements, resource: resourceUrl };
  return { x402Version: 1, accepts: [entry], error } satisfies PaymentChallenge;
}

/** The value of `PAYMENT-REQUIRED`: the version 2 challenge in base64. */
export function challengeHeader(
  operation: PricedOperation,
  requirements: RequirementsV2,
  resourceUrl: string,
  error: string | null,
): string {
  return encodeHeader({
    x402Version: 2,
    error: error ?? 'Payment required',
    resource: { url: resourceUrl, description: operation.summary, mimeType: 'application/json' },
    accepts: [requirements],
  });
}

/** Base64 of UTF-8 JSON, the form of every x402 header. */
export function encodeHeader(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}
