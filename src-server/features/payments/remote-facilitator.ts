/**
 * Settles through a remote facilitator. Threat: its answer is lost, or it says something that is not true. Where an RPC
 * address is set, the chain has the last word; without one, the facilitator's word is taken, and a proof it calls used
 * after an answer of its own was lost counts as paid: the payer must not pay for the loss.
 */
import { z } from 'zod';
import type { PaymentRequirements } from '../../contract/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { ChainClient } from './chain-client.ts';
import {
  isPaymentCode,
  orUnavailable,
  type PaymentCode,
  type Refused,
  refused,
  type Unavailable,
  type UnavailableCode,
  unavailable,
} from './codes.ts';
import type { Hex } from './networks.ts';
import { answerAs, RemoteFacilitator } from './payments-remote-facilitator.ts';
import { readStoredProof } from './proof.ts';
import type { Journal, Settled, Settlement, SettlementCheck, SignedAuthorization, Verified } from './settlement.ts';
import type { PaymentRow } from './store.ts';
import type { Terms } from './terms.ts';

const HASH = /^0x[0-9a-fA-F]{64}$/;
const VERIFY_TIMEOUT_MS = 10 * SECOND_MS;
const SETTLE_TIMEOUT_MS = 45 * SECOND_MS;
/** What newer facilitators call what x402's first list calls otherwise. */
const NEWER_NAMES: Readonly<Record<string, PaymentCode>> = {
  invalid_exact_evm_nonce_already_used: 'duplicate_settlement',
  invalid_exact_evm_insufficient_balance: 'insufficient_funds',
  invalid_exact_evm_recipient_mismatch: 'invalid_exact_evm_payload_recipient_mismatch',
  invalid_exact_evm_authorization_value: 'invalid_exact_evm_payload_authorization_value',
  invalid_exact_evm_payload_authorization_value_mismatch: 'invalid_exact_evm_payload_authorization_value',
  invalid_exact_evm_signature: 'invalid_exact_evm_payload_signature',
  invalid_exact_evm_failed_to_parse_signature: 'invalid_exact_evm_payload_signature',
  invalid_exact_evm_network_mismatch: 'invalid_network',
  invalid_exact_evm_scheme: 'unsupported_scheme',
};
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

export interface FacilitatorParts {
  url: string;
  terms: Terms;
  baseUrl(): string;
  /** Null where no RPC address is set. */
  chain: (() => Promise<ChainClient>) | null;
  clock: Clock;
  /** Others are paid at the same address: only what the facilitator settled for us pays us. */
  payToShared: boolean;
}

export function facilitatorSettlement(parts: FacilitatorParts): Settlement {
  const remote = new RemoteFacilitator(parts);
  const { chain } = parts;
  return {
    mode: 'facilitator',
    verify: (proof, requirements) =>
      orUnavailable('unexpected_verify_error', () => verify(remote, proof, requirements)),
    move: {
      kind: 'deferred',
      settle: async (payment, journal) => {
        const work = () => settle(parts, remote, payment, journal);
        const outcome = await orUnavailable('unexpected_settle_error', work, payment.transaction_hash);
        return outcome.kind === 'unavailable' ? byChainAlone(parts, payment, outcome) : outcome;
      },
    },
    signer: async () => null,
    checks: () => checks(parts, remote),
    contractSignature: chain && (async (...signed) => (await chain()).signedMessage(...signed)),
  };
}

async function verify(remote: RemoteFacilitator, proof: SignedAuthorization, requirements: PaymentRequirements) {
  const answer = await remote.post('verify', proof, requirements, VERIFY_TIMEOUT_MS);
  const { isValid, invalidReason } = answerAs(VerifyAnswer, answer);
  const verdict: Verified | Refused | Unavailable = isValid
    ? { kind: 'verified' }
    : refusalOf(invalidReason, 'unexpected_verify_error');
  return verdict;
}

type Outcome = Settled | Refused | Unavailable;

async function settle(
  parts: FacilitatorParts,
  remote: RemoteFacilitator,
  payment: PaymentRow,
  journal: Journal,
): Promise<Outcome> {
  const proof = readStoredProof(payment.proof);
  const answerWasLost = payment.settle_attempts > 0;
  const requirements = JSON.parse(payment.challenge) as PaymentRequirements;
  await journal.attempt();
  const body = await remote.post('settle', proof, requirements, SETTLE_TIMEOUT_MS);
  const answer = answerAs(SettleAnswer, body);
  const chain = parts.chain === null ? null : await parts.chain();
  if (answer.success) return confirmed(chain, proof, answer.transaction);
  if (answer.errorReason === 'settlement_pending') {
    return unavailable('settlement_pending', 'The facilitator waits for a block.', answer.transaction || null);
  }
  // Without a lost answer of its own, a used proof was used for somebody else's server.
  const mayBeOurs = answerWasLost || !parts.payToShared;
  if (chain !== null) return judge(chain, proof, answer.errorReason, mayBeOurs);
  if (answerWasLost && codeOf(answer.errorReason) === 'duplicate_settlement') {
    return { kind: 'settled', transactionHash: answer.transaction };
  }
  const expired = proof.authorization.validBefore <= BigInt(Math.floor(parts.clock.now() / SECOND_MS));
  return expired ? refused('invalid_transaction_state') : refusalOf(answer.errorReason, 'unexpected_settle_error');
}

async function confirmed(chain: ChainClient | null, proof: SignedAuthorization, hash: string): Promise<Outcome> {
  if (chain === null) return { kind: 'settled', transactionHash: hash };
  if (hash === '') return judge(chain, proof, 'settlement_pending', true);
  const receipt = await chain.confirmedReceipt([hash as Hex]);
  if (receipt === null) return unavailable('settlement_pending', 'No block holds the transaction yet.', hash);
  if (chain.paysUs(receipt, proof.authorization)) return { kind: 'settled', transactionHash: hash };
  return judge(chain, proof, 'invalid_transaction_state', true);
}

/**
 * A facilitator that was asked and gives no usable answer, now or ever again: what the chain shows counts, and what can
 * no longer happen there has not happened. Without a chain to ask, the payment waits for the facilitator.
 */
async function byChainAlone(parts: FacilitatorParts, payment: PaymentRow, silence: Unavailable): Promise<Outcome> {
  if (parts.chain === null || payment.settle_attempts === 0) return silence;
  const look = async (chain: ChainClient): Promise<Outcome> => {
    const proof = readStoredProof(payment.proof);
    const state = await chain.stateOf(proof.authorization);
    if (state === 'used') return judge(chain, proof, null, true);
    const expired = state === 'unused' && (await chain.time()) >= proof.authorization.validBefore;
    return expired ? refused('invalid_transaction_state') : silence;
  };
  const { chain } = parts;
  return orUnavailable(silence.code, async () => look(await chain()), silence.transactionHash);
}

/** The facilitator refuses; the chain may know better. */
async function judge(
  chain: ChainClient,
  proof: SignedAuthorization,
  reason: string | null | undefined,
  mayBeOurs: boolean,
): Promise<Outcome> {
  const state = await chain.stateOf(proof.authorization);
  if (state === 'unused') return refusalOf(reason, 'unexpected_settle_error');
  if (state === 'pending') return unavailable('settlement_pending', 'A transaction is pending.');
  const hash = await chain.findTransfer(proof.authorization);
  if (hash === null) return refused('invalid_transaction_state');
  return mayBeOurs ? confirmed(chain, proof, hash) : refused('duplicate_settlement');
}

/** Only our codes are passed on: some facilitators put whole error texts there. */
function refusalOf(reason: string | null | undefined, trouble: UnavailableCode): Refused | Unavailable {
  const code = codeOf(reason);
  if (code) return refused(code);
  if (!reason || TROUBLE.test(reason)) return unavailable(trouble, 'The facilitator is in trouble of its own.');
  return refused('invalid_transaction_state');
}

function codeOf(reason: string | null | undefined): PaymentCode | undefined {
  if (isPaymentCode(reason)) return reason;
  return reason && Object.hasOwn(NEWER_NAMES, reason) ? NEWER_NAMES[reason] : undefined;
}

async function checks(parts: FacilitatorParts, remote: RemoteFacilitator): Promise<SettlementCheck[]> {
  const results: SettlementCheck[] = [];
  try {
    const version = await remote.askVersion();
    results.push({
      name: 'facilitator',
      ok: true,
      detail: `It settles ${parts.terms.network.name}, version ${version}.`,
    });
  } catch (error) {
    const { cause } = unavailable('unexpected_verify_error', error);
    results.push({ name: 'facilitator', ok: false, detail: `The facilitator cannot be used: ${cause}` });
  }
  if (parts.chain === null) return results;
  try {
    const mismatch = await (await parts.chain()).mismatch();
    results.push({
      name: 'chain',
      ok: mismatch === null,
      detail: mismatch ?? 'Chain and asset are what challenges say.',
    });
  } catch (error) {
    const { cause } = unavailable('unexpected_verify_error', error);
    results.push({ name: 'chain', ok: false, detail: `The chain cannot be asked: ${cause}` });
  }
  return results;
}
