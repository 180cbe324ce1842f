/**
 * Reads a payment proof from a request's headers. Threats: a header that costs more to read than it paid for, one that
 * two readers understand differently (repeated, both versions at once, numbers with signs or fractions), and addresses
 * whose mixed case makes a library throw. So: a ceiling on size before anything is decoded, exactly one header, decimal
 * strings only, everything in lower case from here on.
 */

import { z } from 'zod';
import { recordOf } from '../../platform/records.ts';
import { KIB } from '../../platform/units.ts';
import { type PaymentCode, type Refused, refusedPayment } from './codes.ts';
import { type Hex, lowerHex } from './networks.ts';

/** A contract wallet's signature may be a few kilobytes; a plain one makes a header of 650 to 1,100 bytes. */
const HEADER_BYTES_MAX = 8 * KIB;

export type X402Version = 1 | 2;

/** A map, since the names that are looked for in it are a stranger's: an object has some of its own. */
const REQUEST_HEADERS: ReadonlyMap<string, X402Version> = new Map([
  ['x-payment', 1],
  ['payment-signature', 2],
]);
export const RESPONSE_HEADERS: Record<X402Version, string> = { 1: 'X-PAYMENT-RESPONSE', 2: 'PAYMENT-RESPONSE' };

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const AddressField = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform(lowerHex);
const UINT256_MAX = 2n ** 256n - 1n;
/** A uint256 as text. */
export const Uint256Text = z.string().refine((text) => /^\d{1,78}$/.test(text) && BigInt(text) <= UINT256_MAX);
const UnsignedField = Uint256Text.transform(BigInt);

export const ExactPayload = z.object({
  signature: z
    .string()
    .regex(/^0x([0-9a-fA-F]{2})*$/)
    .transform(lowerHex),
  authorization: z.object({
    from: AddressField,
    to: AddressField,
    value: UnsignedField,
    validAfter: UnsignedField,
    validBefore: UnsignedField,
    nonce: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/)
      .transform(lowerHex),
  }),
});

/** An EIP-3009 authorization: the holder of the signature may move exactly `value` from `from` to `to`, once. */
export type Authorization = z.output<typeof ExactPayload>['authorization'];

export const AcceptedV2 = z.object({
  scheme: z.string(),
  network: z.string(),
  amount: Uint256Text,
  asset: AddressField,
  payTo: AddressField,
  maxTimeoutSeconds: z.int(),
  extra: z.object({ name: z.string(), version: z.string() }),
});
export type AcceptedV2 = z.output<typeof AcceptedV2>;

export const PAYMENT_IDENTIFIER = 'payment-identifier';

const IDENTIFIER = { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' } as const;

/** What a challenge says about identifiers of payments: clients may give one. */
export const PAYMENT_IDENTIFIER_DECLARATION = {
  info: { required: false },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { required: { type: 'boolean' }, id: IDENTIFIER },
    required: ['required'],
  },
};

const PaymentId = z.string().min(IDENTIFIER.minLength).max(IDENTIFIER.maxLength).regex(new RegExp(IDENTIFIER.pattern));

const Identified = z.object({
  extensions: z
    .object({ [PAYMENT_IDENTIFIER]: z.object({ info: z.object({ id: PaymentId.optional() }) }).optional() })
    .optional(),
});

export interface Proof {
  version: X402Version;
  signature: Hex;
  authorization: Authorization;
  /** Version 2 repeats the entry it answers; version 1 does not. */
  accepted: AcceptedV2 | null;
  /** The client's name for the purchase: another proof with it buys nothing. Version 2 alone has it. */
  paymentId: string | null;
}

/** What a proof must name to be one of ours: the network under its version 1 and version 2 names. */
export interface ExpectedNetwork {
  name: string;
  caip2: string;
}

/** @param rawHeaders names and values in turn, as Node's `rawHeaders` has them: repeated ones are still apart there. */
export function readProofHeader(rawHeaders: readonly string[], network: ExpectedNetwork): Proof | Refused | null {
  const found: { version: X402Version; value: string }[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const version = REQUEST_HEADERS.get(rawHeaders[index]?.toLowerCase() ?? '');
    if (version !== undefined) found.push({ version, value: rawHeaders[index + 1] ?? '' });
  }
  const [header, another] = found;
  if (!header) return null;
  if (another || header.value.length > HEADER_BYTES_MAX) return refusedPayment('invalid_payload');
  const decoded = decodeHeader(header.value);
  return decoded === undefined ? refusedPayment('invalid_payload') : parseProof(decoded, header.version, network);
}

function decodeHeader(value: string): unknown {
  if (!BASE64.test(value)) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'base64')));
  } catch {
    return undefined;
  }
}

const Versioned = z.object({ x402Version: z.number() });
const Version1 = z.object({ scheme: z.string(), network: z.string(), payload: z.unknown() });
const Version2 = z.object({ accepted: z.object({ scheme: z.string(), network: z.string() }), payload: z.unknown() });

/** @param value the decoded header, or `paymentPayload` of a facilitator request. */
export function parseProof(value: unknown, version: X402Version, network: ExpectedNetwork): Proof | Refused {
  const versioned = Versioned.safeParse(value);
  if (!versioned.success) return refusedPayment('invalid_payload');
  if (versioned.data.x402Version !== version) return refusedPayment('invalid_x402_version');
  return version === 1 ? parseVersion1(value, network.name) : parseVersion2(value, network.caip2);
}

function parseVersion1(value: unknown, network: string): Proof | Refused {
  const envelope = Version1.safeParse(value);
  if (!envelope.success) return refusedPayment('invalid_payload');
  const mismatch = schemeOrNetwork(envelope.data, network);
  if (mismatch) return refusedPayment(mismatch);
  const payload = ExactPayload.safeParse(envelope.data.payload);
  return payload.success
    ? { version: 1, ...payload.data, accepted: null, paymentId: null }
    : refusedPayment('invalid_payload');
}

function parseVersion2(value: unknown, network: string): Proof | Refused {
  const envelope = Version2.safeParse(value);
  if (!envelope.success) return refusedPayment('invalid_payload');
  const mismatch = schemeOrNetwork(envelope.data.accepted, network);
  if (mismatch) return refusedPayment(mismatch);
  const payload = ExactPayload.safeParse(envelope.data.payload);
  const accepted = AcceptedV2.safeParse(recordOf(value).accepted);
  if (!payload.success) return refusedPayment('invalid_payload');
  if (!accepted.success) return refusedPayment('invalid_payment_requirements');
  const identified = Identified.safeParse(value);
  if (!identified.success) return refusedPayment('invalid_payload');
  const paymentId = identified.data.extensions?.[PAYMENT_IDENTIFIER]?.info.id ?? null;
  return { version: 2, ...payload.data, accepted: accepted.data, paymentId };
}

export function schemeOrNetwork(entry: { scheme: string; network: string }, network: string): PaymentCode | null {
  if (entry.scheme !== 'exact') return 'unsupported_scheme';
  return entry.network === network ? null : 'invalid_network';
}

/** The form in which the ledger keeps a proof: what settling needs, no more. */
export function storedProof({ signature, authorization }: Pick<Proof, 'signature' | 'authorization'>): string {
  return JSON.stringify({ signature, authorization: authorizationAsText(authorization) });
}

export function readStoredProof(text: string): z.output<typeof ExactPayload> {
  return ExactPayload.parse(JSON.parse(text));
}

/** Wire form: big numbers are decimal strings. */
export function authorizationAsText(authorization: Authorization) {
  const { value, validAfter, validBefore, ...rest } = authorization;
  return { ...rest, value: String(value), validAfter: String(validAfter), validBefore: String(validBefore) };
}

export function sameAuthorization(one: Authorization, other: Authorization): boolean {
  return (
    one.from === other.from &&
    one.to === other.to &&
    one.value === other.value &&
    one.validAfter === other.validAfter &&
    one.validBefore === other.validBefore &&
    one.nonce === other.nonce
  );
}
