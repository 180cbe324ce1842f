import { type FieldError, QuarryError } from '../../platform/errors.ts';
import { say } from '../../platform/text/say.ts';
import { unavailablePayment } from './codes.ts';
import { type Hex, lowerHex } from './networks.ts';
import type { Authorization } from './proof.ts';
import type { PaymentSettings } from './schema.ts';
import type { Terms } from './settings.ts';
import type { ContractSignature } from './settlement.ts';

/** EIP-712 type of EIP-3009's authorization. */
const AUTHORIZATION_TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** 0x, r, s and v of a plain key's signature. */
const PLAIN_SIGNATURE_LENGTH = 2 + 2 * 65;

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Ends the signature of a wallet that is not deployed yet (ERC-6492). */
const UNDEPLOYED_MARK = '6492'.repeat(16);

/**
 * Loading viem takes a tenth of a second and more, and a server that only quotes prices never needs it: it is
 * loaded after the first challenge.
 */
export function loadEvm(): Promise<typeof import('viem/utils')> {
  return import('viem/utils');
}

export function typedAuthorization(terms: Terms, authorization: Authorization) {
  return {
    domain: {
      name: terms.extra.name,
      version: terms.extra.version,
      chainId: terms.network.chainId,
      verifyingContract: lowerHex(terms.asset),
    },
    types: AUTHORIZATION_TYPES,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  } as const;
}

/** Whether a plain key signed it. Both forms of a signature pass; `isMalleable` distinguishes them. */
export async function isSignedBy(terms: Terms, authorization: Authorization, signature: Hex): Promise<boolean> {
  if (signature.length !== PLAIN_SIGNATURE_LENGTH) return false;
  const { hashTypedData, recoverAddress } = await loadEvm();
  const hash = hashTypedData(typedAuthorization(terms, authorization));
  try {
    return (await recoverAddress({ hash, signature })).toLowerCase() === authorization.from;
  } catch {
    // Not a point of the curve.
    return false;
  }
}

/** A plain text (EIP-191) and the signature that should be the wallet's. */
export interface SignedMessage {
  address: Hex;
  message: string;
  signature: Hex;
}

/**
 * Whether a wallet signed a plain text. Errors: `settlement_unavailable` where only a chain can tell and cannot be
 * asked, and what `beforeAsking` throws.
 * @param contractSignature asks a wallet contract; null where there are none
 * @param beforeAsking called before a chain is asked, which costs the owner's quota there
 */
export async function isMessageSigned(
  { address, message, signature }: SignedMessage,
  contractSignature: ContractSignature | null,
  beforeAsking: () => Promise<void>,
): Promise<boolean> {
  if (signature.length === PLAIN_SIGNATURE_LENGTH) {
    const { recoverMessageAddress } = await loadEvm();
    try {
      const signer = await recoverMessageAddress({ message, signature });
      if (signer.toLowerCase() === address.toLowerCase()) return true;
    } catch {
      // No point of the curve: no key made it, but a wallet contract may still know it.
    }
  }
  if (contractSignature === null) return false;
  await beforeAsking();
  try {
    return await contractSignature(address, message, signature);
  } catch (error) {
    const { cause, retryAfterSeconds } = unavailablePayment('unexpected_verify_error', error);
    const advice = 'The chain cannot be asked now whether this wallet signed. Send the same sign-in again in a moment.';
    throw new QuarryError('settlement_unavailable', advice, { cause, retryAfterSeconds });
  }
}

/** The twin with the high s, which recovers to the same key and which tokens refuse. */
export function isMalleable(signature: Hex): boolean {
  return BigInt(`0x${signature.slice(66, 130)}`) > HALF_ORDER;
}

export function isUndeployedWallet(signature: Hex): boolean {
  return signature.endsWith(UNDEPLOYED_MARK);
}

/** r, s and v of a plain signature, v as the chain wants it; null for a contract wallet's. */
export function splitSignature(signature: Hex): { r: Hex; s: Hex; v: number } | null {
  if (signature.length !== PLAIN_SIGNATURE_LENGTH) return null;
  const v = Number.parseInt(signature.slice(130), 16);
  return { r: `0x${signature.slice(2, 66)}`, s: `0x${signature.slice(66, 130)}`, v: v < 27 ? v + 27 : v };
}

const NAMES = ['payTo', 'asset'] as const satisfies readonly (keyof PaymentSettings)[];

/**
 * An address with capitals carries a checksum in them (EIP-55). Where it does not match, a digit is wrong and the money
 * would be lost; and wallets refuse to sign for it, so no challenge that names it could be paid. Errors:
 * `invalid_request`, by field.
 */
export async function checkAddresses(
  addresses: {
    [name in (typeof NAMES)[number]]?: string | null | undefined;
  },
): Promise<void> {
  const fields: FieldError[] = [];
  for (const name of NAMES) {
    const address = addresses[name];
    if (!address || address === address.toLowerCase() || (await loadEvm()).isAddress(address)) continue;
    const message = say`Copy the address again: its capitals are not its checksum (EIP-55). In lower case it needs
      none.`;
    fields.push({ path: name, message });
  }
  if (fields.length === 0) return;
  throw new QuarryError('invalid_request', 'An address to be paid is mistyped.', { fields });
}
