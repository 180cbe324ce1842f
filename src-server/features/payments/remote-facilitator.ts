/**
 * Settles through a remote facilitator. Threat: its answer is lost, or it says something that is not true. Where an RPC
 * address is set, the chain has the last word; without one, the facilitator's word is taken, and a proof it calls used
 * after an answer of its own was lost counts as paid: the payer must not pay for the loss.
 */

import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { systemCodeOf } from '../../platform/errors.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { byName, recordOf } from '../../platform/records.ts';
import { say } from '../../platform/text/say.ts';
import { KIB, SECOND_MS } from '../../platform/units.ts';
import type { ChainClient } from './chain-client.ts';
import {
  isPaymentCode,
  orUnavailable,
  type PaymentCode,
  type Refused,
  refusedPayment,
  type Unavailable,
  type UnavailableCode,
  unavailablePayment,
} from './codes.ts';
import type { Hex } from './networks.ts';
import { authorizationAsText, readStoredProof, type X402Version } from './proof.ts';
import type { PaymentRequirements, SettlementCheck } from './schema.ts';
import type { Terms } from './settings.ts';
import {
  chainChecks,
  type Journal,
  type Settled,
  type Settlement,
  type SignedAuthorization,
  type Verified,
} from './settlement.ts';
import type { PaymentRow } from './store.ts';

const HASH = /^0x[0-9a-fA-F]{64}$/;

const VERIFY_TIMEOUT_MS = 10 * SECOND_MS;

const SETTLE_TIMEOUT_MS = 45 * SECOND_MS;

/** What newer facilitators call what x402's first list calls otherwise. */
const NEWER_NAMES: Readonly<Record<string, PaymentCode>> = byName({
  invalid_exact_evm_nonce_already_used: 'duplicate_settlement',
  invalid_exact_evm_insufficient_balance: 'insufficient_funds',
  invalid_exact_evm_recipient_mismatch: 'invalid_exact_evm_payload_recipient_mismatch',
  invalid_exact_evm_authorization_value: 'invalid_exact_evm_payload_authorization_value',
  invalid_exact_evm_payload_authorization_value_mismatch: 'invalid_exact_evm_payload_authorization_value',
  invalid_exact_evm_signature: 'invalid_exact_evm_payload_signature',
  invalid_exact_evm_failed_to_parse_signature: 'invalid_exact_evm_payload_signature',
  invalid_exact_evm_network_mismatch: 'invalid_network',
  invalid_exact_evm_scheme: 'unsupported_scheme',
});

/** What facilitators answer when they cannot tell, as opposed to: no. */
const TROUBLE = /^(unexpected_|settlement_pending)/;

const VerifyAnswer = z.object({ isValid: z.boolean(), invalidReason: z.string().nullish() });

const SettleAnswer = z.object({
  success: z.boolean(),
  errorReason: z.string().nullish(),
  /** It goes on into headers and spreadsheets, so what is no hash is left out: the foreign side may say anything. */
  transaction: z
    .unknown()
    .optional()
    .transform((hash) => (typeof hash === 'string' && HASH.test(hash) ? hash.toLowerCase() : '')),
});

interface FacilitatorParts {
  url: string;
  terms: Terms;
  baseUrl(): string;
  /** Null where no RPC address is set. */
  chain: (() => Promise<ChainClient>) | null;
  clock: Clock;
  /** Others are paid at the same address: only what the facilitator settled for us pays us. */
  payToShared: boolean;
}

export function facilitatorSettlement(deps: FacilitatorParts): Settlement {
  const remote = new RemoteFacilitator(deps);
  const { chain } = deps;
  return {
    mode: 'facilitator',
    verify: (proof, requirements) =>
      orUnavailable('unexpected_verify_error', () => verifyRemotely(remote, proof, requirements)),
    move: {
      kind: 'deferred',
      settle: async (payment, journal) => {
        const settleWithFacilitator = () => settleRemotely(deps, remote, payment, journal);
        const outcome = await orUnavailable('unexpected_settle_error', settleWithFacilitator, payment.transaction_hash);
        return outcome.kind === 'unavailable' ? byChainAlone(deps, payment, outcome) : outcome;
      },
    },
    signer: async () => null,
    checks: () => checkFacilitator(deps, remote),
    contractSignature: chain && (async (...signed) => (await chain()).signedMessage(...signed)),
  };
}

async function verifyRemotely(
  remote: RemoteFacilitator,
  proof: SignedAuthorization,
  requirements: PaymentRequirements,
) {
  const answer = await remote.postToFacilitator('verify', proof, requirements, VERIFY_TIMEOUT_MS);
  const { isValid, invalidReason } = answerAs(VerifyAnswer, answer);
  const verdict: Verified | Refused | Unavailable = isValid
    ? { kind: 'verified' }
    : facilitatorRefusal(invalidReason, 'unexpected_verify_error');
  return verdict;
}

type Outcome = Settled | Refused | Unavailable;

async function settleRemotely(
  deps: FacilitatorParts,
  remote: RemoteFacilitator,
  payment: PaymentRow,
  journal: Journal,
): Promise<Outcome> {
  const proof = readStoredProof(payment.proof);
  const answerWasLost = payment.settle_attempts > 0;
  const requirements = parseOwnJson<PaymentRequirements>(payment.challenge);
  journal.attempt();
  const body = await remote.postToFacilitator('settle', proof, requirements, SETTLE_TIMEOUT_MS);
  const answer = answerAs(SettleAnswer, body);
  const chain = deps.chain === null ? null : await deps.chain();
  if (answer.success) return confirmRemoteSettlement(chain, proof, answer.transaction);
  if (answer.errorReason === 'settlement_pending') {
    return unavailablePayment('settlement_pending', 'The facilitator waits for a block.', answer.transaction || null);
  }
  // Without a lost answer, another server used the proof.
  const mayBeOurs = answerWasLost || !deps.payToShared;
  if (chain !== null) return judgeRefusalByChain(chain, proof, answer.errorReason, mayBeOurs);
  if (answerWasLost && knownPaymentCode(answer.errorReason) === 'duplicate_settlement') {
    return { kind: 'settled', transactionHash: answer.transaction };
  }
  const expired = proof.authorization.validBefore <= BigInt(Math.floor(deps.clock.now() / SECOND_MS));
  return expired
    ? refusedPayment('invalid_transaction_state')
    : facilitatorRefusal(answer.errorReason, 'unexpected_settle_error');
}

async function confirmRemoteSettlement(
  chain: ChainClient | null,
  proof: SignedAuthorization,
  hash: string,
): Promise<Outcome> {
  if (chain === null) return { kind: 'settled', transactionHash: hash };
  if (hash === '') return judgeRefusalByChain(chain, proof, 'settlement_pending', true);
  const receipt = await chain.confirmedReceipt([hash as Hex]);
  if (receipt === null) return unavailablePayment('settlement_pending', 'No block holds the transaction yet.', hash);
  if (chain.paysUs(receipt, proof.authorization)) return { kind: 'settled', transactionHash: hash };
  return judgeRefusalByChain(chain, proof, 'invalid_transaction_state', true);
}

/**
 * A facilitator that was asked and gives no usable answer, now or ever again: what the chain shows counts, and what can
 * no longer happen there has not happened. Without a chain to ask, the payment waits for the facilitator.
 */
async function byChainAlone(deps: FacilitatorParts, payment: PaymentRow, silence: Unavailable): Promise<Outcome> {
  if (deps.chain === null || payment.settle_attempts === 0) return silence;
  const judgeByChain = async (chain: ChainClient): Promise<Outcome> => {
    const proof = readStoredProof(payment.proof);
    const state = await chain.stateOf(proof.authorization);
    if (state === 'used') return judgeRefusalByChain(chain, proof, null, true);
    const expired = state === 'unused' && (await chain.confirmedBlockTime()) >= proof.authorization.validBefore;
    return expired ? refusedPayment('invalid_transaction_state') : silence;
  };
  const { chain } = deps;
  return orUnavailable(silence.code, async () => judgeByChain(await chain()), silence.transactionHash);
}

/** The facilitator refuses; the chain may know better. */
async function judgeRefusalByChain(
  chain: ChainClient,
  proof: SignedAuthorization,
  reason: string | null | undefined,
  mayBeOurs: boolean,
): Promise<Outcome> {
  const state = await chain.stateOf(proof.authorization);
  if (state === 'unused') return facilitatorRefusal(reason, 'unexpected_settle_error');
  if (state === 'pending') return unavailablePayment('settlement_pending', 'A transaction is pending.');
  const hash = await chain.findTransfer(proof.authorization);
  if (hash === null) return refusedPayment('invalid_transaction_state');
  return mayBeOurs ? confirmRemoteSettlement(chain, proof, hash) : refusedPayment('duplicate_settlement');
}

/** Only our codes are passed on: some facilitators put whole error texts there. */
function facilitatorRefusal(reason: string | null | undefined, trouble: UnavailableCode): Refused | Unavailable {
  const code = knownPaymentCode(reason);
  if (code) return refusedPayment(code);
  if (!reason || TROUBLE.test(reason)) return unavailablePayment(trouble, 'The facilitator is in trouble of its own.');
  return refusedPayment('invalid_transaction_state');
}

function knownPaymentCode(reason: string | null | undefined): PaymentCode | undefined {
  if (isPaymentCode(reason)) return reason;
  return reason && Object.hasOwn(NEWER_NAMES, reason) ? NEWER_NAMES[reason] : undefined;
}

async function checkFacilitator(deps: FacilitatorParts, remote: RemoteFacilitator): Promise<SettlementCheck[]> {
  const results: SettlementCheck[] = [];
  try {
    const version = await remote.askVersion();
    results.push({
      name: 'facilitator',
      ok: true,
      detail: say`It settles ${deps.terms.network.name}, version ${version}.`,
    });
  } catch (error) {
    const { cause } = unavailablePayment('unexpected_verify_error', error);
    results.push({ name: 'facilitator', ok: false, detail: say`The facilitator cannot be used: ${cause}` });
  }
  return deps.chain === null ? results : [...results, ...(await chainChecks(deps.chain))];
}

const SUPPORTED_TIMEOUT_MS = 10 * SECOND_MS;

const ANSWER_BYTES_MAX = 64 * KIB;

/** Facilitators give their refusals with one of these or with 200; a verdict with any other status is none. */
const REFUSAL_STATUSES: readonly number[] = [400, 402, 409, 412, 422];

const SupportedAnswer = z.object({
  kinds: z.array(z.object({ x402Version: z.number(), scheme: z.string(), network: z.string() })),
});

const Refusal = z.union([
  z.looseObject({ isValid: z.literal(false), invalidReason: z.string() }),
  z.looseObject({ success: z.literal(false), errorReason: z.string() }),
]);

interface RemoteDeps {
  url: string;
  terms: Terms;
  baseUrl(): string;
}

/** The wire of a remote facilitator, in the version of x402 that it speaks. */
class RemoteFacilitator {
  readonly #deps: RemoteDeps;
  #version: X402Version | null = null;

  constructor(deps: RemoteDeps) {
    this.#deps = deps;
  }

  /**
   * The newest version it speaks for our network; the signature is the same in both. Errors: it cannot be asked, or
   * settles something else.
   */
  async askVersion(): Promise<X402Version> {
    const { kinds } = answerAs(
      SupportedAnswer,
      await this.#requestFacilitator('supported', null, SUPPORTED_TIMEOUT_MS),
    );
    const { network } = this.#deps.terms;
    const isVersionSpoken = (version: X402Version, name: string) =>
      kinds.some((kind) => kind.x402Version === version && kind.scheme === 'exact' && kind.network === name);
    if (isVersionSpoken(2, network.caip2)) this.#version = 2;
    else if (isVersionSpoken(1, network.name)) this.#version = 1;
    else throw new Error(`It does not settle ${network.name}.`);
    return this.#version;
  }

  /** What it answers: a verdict, or a refusal that it gave as an error. */
  async postToFacilitator(
    path: 'verify' | 'settle',
    proof: SignedAuthorization,
    requirements: PaymentRequirements,
    timeoutMs: number,
  ): Promise<unknown> {
    const version = this.#version ?? (await this.askVersion());
    const body = version === 2 ? this.#bodyV2(proof, requirements) : this.#bodyV1(proof, requirements);
    return this.#requestFacilitator(path, body, timeoutMs);
  }

  /** Strict facilitators want a URL as resource, and the exact amount as price where version 1 allows more. */
  #bodyV1({ signature, authorization }: SignedAuthorization, requirements: PaymentRequirements) {
    const payload = { signature, authorization: authorizationAsText(authorization) };
    const { network } = this.#deps.terms;
    return {
      x402Version: 1,
      paymentPayload: { x402Version: 1, scheme: 'exact', network: network.name, payload },
      paymentRequirements: {
        ...requirements,
        maxAmountRequired: String(authorization.value),
        resource: this.#resourceUrl(requirements),
      },
    };
  }

  #bodyV2({ signature, authorization }: SignedAuthorization, requirements: PaymentRequirements) {
    const { description, mimeType, payTo, asset, maxTimeoutSeconds, extra } = requirements;
    const amount = String(authorization.value);
    const network = this.#deps.terms.network.caip2;
    const entry = { scheme: 'exact', network, amount, asset, payTo, maxTimeoutSeconds, extra };
    const resource = { url: this.#resourceUrl(requirements), description, mimeType };
    const payload = { signature, authorization: authorizationAsText(authorization) };
    return {
      x402Version: 2,
      paymentPayload: { x402Version: 2, resource, accepted: entry, payload },
      paymentRequirements: entry,
    };
  }

  #resourceUrl({ resource }: PaymentRequirements): string {
    return `${this.#deps.baseUrl()}/${resource.replace(/^POST \//, '')}`;
  }

  async #requestFacilitator(path: string, body: unknown, timeoutMs: number): Promise<unknown> {
    const { address, authorization } = targetOf(this.#deps.url, path);
    const request: RequestInit = {
      ...omitUndefined({
        method: body === null ? undefined : 'POST',
        body: body === null ? undefined : JSON.stringify(body),
      }),
      headers: { 'content-type': 'application/json', accept: 'application/json', ...authorization },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    };
    const response = await fetch(address, request).catch((error: unknown) => {
      throw new Error(whyUnreached(error), { cause: error });
    });
    const answer = facilitatorJson(await readBounded(response));
    if (response.ok) return answer;
    if (REFUSAL_STATUSES.includes(response.status)) {
      const refusal = Refusal.safeParse(answer);
      if (refusal.success) return refusal.data;
    }
    throw new Error(`The facilitator answered ${response.status}${whereTo(response)}.`);
  }
}

/** What it said, in the shape of x402. Errors: in words for the owner, where something else answers there. */
function answerAs<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new Error('What answers there does not answer as a facilitator does. See that facilitatorUrl is right.');
}

/** The library's own words are the same for every cause. */
function whyUnreached(error: unknown): string {
  const { name, cause } = recordOf(error);
  if (name === 'TimeoutError') return 'The facilitator did not answer in time.';
  const code = systemCodeOf(cause);
  return `The facilitator cannot be reached${code === '' ? '' : ` (${code})`}.`;
}

/**
 * User and password of the address go into a header: no request takes them in an address, and the error that says so
 * repeats them. A key in the query stays where it is.
 */
function targetOf(url: string, path: string): { address: URL; authorization: Record<string, string> } {
  const address = new URL(url);
  const { username, password } = address;
  address.username = '';
  address.password = '';
  address.hash = '';
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/${path}`;
  if (username === '' && password === '') return { address, authorization: {} };
  const secret = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return { address, authorization: { authorization: `Basic ${secret}` } };
}

/** Signed payments go where the owner said and nowhere else: one that has moved is for the owner to follow. */
function whereTo({ status, headers }: Response): string {
  const origin = URL.parse(headers.get('location') ?? '')?.origin;
  if (status < 300 || status > 399 || origin === undefined) return '';
  return ` and points to ${origin}: set facilitatorUrl to where it is now`;
}

function facilitatorJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readBounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > ANSWER_BYTES_MAX) throw new Error("The facilitator's answer is too long.");
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
