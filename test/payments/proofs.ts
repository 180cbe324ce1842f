/** Makes proofs, good and bad, as a wallet would. */
import { randomBytes } from 'node:crypto';
import { encodeFunctionData, type Hex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { PaymentChallenge } from '../../src-server/features/payments/schema.ts';
import { DOLLAR_ABI } from '../harness/chain/chain.ts';
import type { Shop } from './shop.ts';

export const CHAIN_ID = 84532;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export interface Authorization {
  from: Hex;
  to: Hex;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
}

export interface SignedProof {
  signature: Hex;
  authorization: Authorization;
}

export type Entry = PaymentChallenge['accepts'][number];

export const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

export function newWallet(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}

/** A wallet with play money of the sandbox. */
export async function richWallet(shop: Shop, amount = 10_000_000): Promise<PrivateKeyAccount> {
  const wallet = newWallet();
  await shop.payments.wallets.addPlayMoney({ address: wallet.address, amount }, 'owner');
  return wallet;
}

export async function challengeOf(shop: Shop, operationId = 'crawl'): Promise<Entry> {
  const response = await fetch(`${shop.url}/v1/${operationId}`, { method: 'POST' });
  const { accepts } = (await response.json()) as PaymentChallenge;
  const [entry] = accepts;
  if (!entry) throw new Error('The challenge accepts nothing.');
  return entry;
}

/** Fields of an authorization that pays an entry now. */
export function authorizationFor(entry: Entry, from: Hex, now: number): Authorization {
  const seconds = BigInt(Math.floor(now / 1000));
  return {
    from,
    to: entry.payTo as Hex,
    value: BigInt(entry.maxAmountRequired),
    validAfter: seconds - 600n,
    validBefore: seconds + BigInt(entry.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  };
}

export interface Domain {
  name?: string;
  version?: string;
  chainId?: number;
  verifyingContract?: Hex;
}

export async function sign(
  wallet: PrivateKeyAccount,
  entry: Entry,
  authorization: Authorization,
  domain: Domain = {},
): Promise<SignedProof> {
  const signature = await wallet.signTypedData({
    domain: { ...entry.extra, chainId: CHAIN_ID, verifyingContract: entry.asset as Hex, ...domain },
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  });
  return { signature, authorization };
}

/** A good proof of an entry, with any fields changed before it is signed. */
export async function proofFor(
  shop: Shop,
  wallet: PrivateKeyAccount,
  entry: Entry,
  changes: Partial<Authorization> = {},
): Promise<SignedProof> {
  return sign(wallet, entry, { ...authorizationFor(entry, wallet.address, shop.clock.now()), ...changes });
}

/** The call with which anybody may submit a proof. */
export function callOf({ authorization, signature }: SignedProof): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const args = [from, to, value, validAfter, validBefore, nonce, signature] as const;
  return encodeFunctionData({ abi: DOLLAR_ABI, functionName: 'transferWithAuthorization', args });
}

export function base64(value: unknown): string {
  const asText = (_key: string, field: unknown) => (typeof field === 'bigint' ? String(field) : field);
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value, asText)).toString('base64');
}

export function header(proof: SignedProof, changes: Record<string, unknown> = {}): string {
  return base64({ x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload: proof, ...changes });
}

/** The version 2 form of an entry. */
export function entryV2({ maxAmountRequired, resource: _, description: __, mimeType: ___, ...entry }: Entry) {
  return { ...entry, network: `eip155:${CHAIN_ID}`, amount: maxAmountRequired };
}

export function headerV2(proof: SignedProof, accepted: object, changes: Record<string, unknown> = {}): string {
  return base64({ x402Version: 2, accepted, payload: proof, ...changes });
}

/** The other signature of the same key over the same message. */
export function highTwin({ signature, authorization }: SignedProof): SignedProof {
  const s = ORDER - BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.slice(130) === '1b' ? '1c' : '1b';
  return { authorization, signature: `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}` as Hex };
}

/** The same signature with v as 0 or 1. */
export function lowV({ signature, authorization }: SignedProof): SignedProof {
  const v = signature.slice(130) === '1b' ? '00' : '01';
  return { authorization, signature: `${signature.slice(0, 130)}${v}` as Hex };
}

export interface Answer {
  status: number;
  body: { jobId?: string; error?: string | null; code?: string };
  headers: Headers;
}

export async function send(
  shop: Shop,
  payment: string | null,
  options: { operationId?: string; body?: unknown; name?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await fetch(`${shop.url}/v1/${options.operationId ?? 'crawl'}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(payment === null ? {} : { [options.name ?? 'X-PAYMENT']: payment }),
      ...options.headers,
    },
    body: JSON.stringify(options.body ?? { url: 'https://example.com' }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'], headers: response.headers };
}

export function decode(value: string | null): Record<string, unknown> {
  return JSON.parse(Buffer.from(value ?? '', 'base64').toString()) as Record<string, unknown>;
}
