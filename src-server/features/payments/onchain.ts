/**
 * Settles with a key of our own. Threat: the process dies, an answer is lost, a block is taken back, a fee turns out
 * too low, and the payer pays without a job, or twice. So every signed transaction is stored before it is sent: its
 * hash is known whatever happens, sending it again is harmless, whichever is mined counts, and an authorization moves
 * money once however many transactions carry it. A transfer counts only with enough confirmations.
 */

import type { PublicClient, TransactionSerializableEIP1559, TransactionSerializedEIP1559 } from 'viem';
import type { Clock } from '../../platform/clock.ts';
import { Mutex } from '../../platform/concurrency.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { ChainClient } from './chain-client.ts';
import { orUnavailable, type Refused, refusedPayment, type Unavailable, unavailablePayment } from './codes.ts';
import type { Hex } from './networks.ts';
import { readStoredProof } from './proof.ts';
import type { Terms } from './settings.ts';
import {
  chainChecks,
  type Journal,
  SETTLE_GAS,
  type Settled,
  type Settlement,
  type SignedAuthorization,
  type Verified,
} from './settlement.ts';
import { isMalleable, isSignedBy, isUndeployedWallet } from './signature.ts';
import type { PaymentRow } from './store.ts';

/** Fifteen blocks of Base. A transaction that waits longer needs a higher fee. */
const REPLACE_AFTER_MS = 30 * SECOND_MS;

interface OnchainDeps {
  chain(): Promise<ChainClient>;
  terms: Terms;
  privateKey(): Hex | null;
  clock: Clock;
  /** Others are paid at the same address: only what we sent ourselves pays us. */
  payToShared: boolean;
}

type Outcome = Settled | Refused | Unavailable;

export function onchainSettlement(deps: OnchainDeps): Settlement {
  const sender = new OnchainSender(deps);
  return {
    mode: 'onchain',
    verify: (proof) =>
      orUnavailable('unexpected_verify_error', async () =>
        verifyOnChain(await deps.chain(), deps, proof, await sender.settlementAddress()),
      ),
    move: {
      kind: 'deferred',
      settle: (payment, journal) => {
        const settleWithChain = async () =>
          settleOnchain({ ...deps, chain: await deps.chain(), sender, journal }, payment);
        return orUnavailable('unexpected_settle_error', settleWithChain, payment.transaction_hash);
      },
    },
    signer: () => sender.settlementAddress(),
    checks: () =>
      chainChecks(deps.chain, async () => {
        const gas = await sender.gasLack();
        return [{ name: 'gas', ok: gas === null, detail: gas ?? say`The key can pay for settlements.` }];
      }),
    contractSignature: async (address, message, signature) =>
      (await deps.chain()).signedMessage(address, message, signature),
  };
}

interface Work {
  chain: ChainClient;
  sender: OnchainSender;
  journal: Journal;
  clock: Clock;
  payToShared: boolean;
}

async function settleOnchain(work: Work, payment: PaymentRow): Promise<Outcome> {
  const proof = readStoredProof(payment.proof);
  if (payment.raw_transaction === null) return sendSettlement(work, proof, []);
  return resumeSettlement(work, payment, proof);
}

async function sendSettlement(work: Work, proof: SignedAuthorization, former: readonly Hex[]): Promise<Outcome> {
  const { chain, sender } = work;
  if (!(await chain.wouldTransfer(proof, await sender.settlementAddress())))
    return judgeFailedTransfer(work, proof, former);
  return followTransaction(work, proof, (journal) => sendCall(work, proof, journal));
}

async function sendCall({ chain, sender }: Work, proof: SignedAuthorization, journal: Journal): Promise<void> {
  await sender.signAndSendCall(await chain.transferCall(proof), journal);
}

/** Continues a settlement that was begun earlier, perhaps by a process that was killed. */
async function resumeSettlement(work: Work, payment: PaymentRow, proof: SignedAuthorization): Promise<Outcome> {
  const { chain, sender, clock } = work;
  const sent = sentOf(payment);
  const newest = payment.raw_transaction as Hex;
  const hashes = await hashesOf(sent);
  if ((await chain.firstReceipt(hashes)) !== null) return settlementOutcome(work, sent, proof);
  const state = await chain.stateOf(proof.authorization);
  if (state === 'used') return judgeFailedTransfer(work, proof, sent);
  const expired = (await chain.confirmedBlockTime()) >= proof.authorization.validBefore;
  // A number that another transaction took: none of these can ever be in a block.
  if (await sender.hasPassed(newest))
    return expired ? refusedPayment('invalid_transaction_state') : sendSettlement(work, proof, sent);
  const waiting = await Promise.all(hashes.map((hash) => chain.isKnownTransaction(hash)));
  if (expired && !waiting.includes(true)) {
    sender.recountNonce();
    return refusedPayment('invalid_transaction_state');
  }
  // Used by another sender's transaction with too few confirmations: sending now would only cost gas.
  if (state === 'pending' && !waiting.includes(true)) return judgeFailedTransfer(work, proof, sent);
  // Nodes throw away what offers too little, and take it no more: there, too, a higher fee is what helps. It is done
  // for an expired one as well: its number would hold up all later ones of the key.
  if (clock.now() - (payment.broadcast_at ?? 0) >= REPLACE_AFTER_MS) {
    // A number of a key that is no longer ours cannot be taken by another transaction: it gets one of ours.
    if (!(await sender.isOurs(newest))) return sendSettlement(work, proof, sent);
    const fees = await sender.higherFees(newest);
    if (fees) return followTransaction(work, proof, (journal) => sender.replaceTransaction(newest, fees, journal));
  }
  if (!waiting[0]) await sender.resendTransaction(newest);
  return settlementOutcome(work, sent, proof);
}

/** Sends another transaction, and waits for it or an earlier one. */
async function followTransaction(work: Work, proof: SignedAuthorization, sending: (journal: Journal) => Promise<void>) {
  let payment: PaymentRow | null = null;
  await sending({
    ...work.journal,
    signed: (raw, hash) => {
      payment = work.journal.signed(raw, hash);
      return payment;
    },
  });
  if (payment === null) throw new Error('A transaction was sent that was not written down.');
  return settlementOutcome(work, sentOf(payment), proof);
}

/** Everything that was signed for a payment, the newest first. */
function sentOf(payment: PaymentRow): Hex[] {
  const former = parseOwnJson<Hex[]>(payment.replaced_transactions ?? '[]');
  return [payment.raw_transaction as Hex, ...former.reverse()];
}

async function hashesOf(sent: readonly Hex[]): Promise<Hex[]> {
  const { keccak256 } = await import('viem');
  return sent.map((raw) => keccak256(raw));
}

async function settlementOutcome(work: Work, sent: readonly Hex[], proof: SignedAuthorization): Promise<Outcome> {
  const hashes = await hashesOf(sent);
  const receipt = await work.chain.confirmedReceipt(hashes);
  if (receipt === null) return pendingSettlement('Too few blocks hold the transaction yet.', hashes);
  if (work.chain.paysUs(receipt, proof.authorization)) {
    return { kind: 'settled', transactionHash: receipt.transactionHash };
  }
  return judgeFailedTransfer(work, proof, sent);
}

/**
 * The transfer did not go through by our hand: did the money come all the same? While anything that was sent may still
 * be mined, an unused authorization is no reason to give up: the money could move later without being counted.
 */
async function judgeFailedTransfer(work: Work, proof: SignedAuthorization, sent: readonly Hex[]): Promise<Outcome> {
  const { chain, sender, payToShared } = work;
  const ours = await hashesOf(sent);
  const state = await chain.stateOf(proof.authorization);
  if (state === 'pending') return pendingSettlement('A transaction of another sender is pending.', []);
  if (state === 'unused') {
    const dead = await Promise.all(sent.map((raw) => sender.hasPassed(raw)));
    if (dead.includes(false)) return pendingSettlement('What was sent may still be mined.', ours);
    return refusedPayment('invalid_transaction_state');
  }
  const hash = await chain.findTransfer(proof.authorization);
  if (hash === null) return refusedPayment('invalid_transaction_state');
  if (payToShared && !ours.includes(hash)) return refusedPayment('duplicate_settlement');
  const receipt = await chain.confirmedReceipt([hash]);
  if (receipt === null) return pendingSettlement('The transfer has too few confirmations yet.', [hash]);
  return { kind: 'settled', transactionHash: hash };
}

function pendingSettlement(cause: string, [hash]: readonly Hex[]): Unavailable {
  return unavailablePayment('settlement_pending', cause, hash ?? null);
}

/** Settlements the key must still be able to pay for, or it is time to say so. */
const GAS_RESERVE_SETTLEMENTS = 20n;

/** 50 gwei: thousands of times what a settlement on Base needs; one settlement never costs more than 0.015 ether. */
const FEE_PER_GAS_MAX = 50_000_000_000n;

/** Nodes take a replacement whose fees are higher by a tenth; an eighth is beyond doubt. */
const RAISE_PARTS = 8n;

/** What nodes say when they have the transaction, or one of its number, already. */
const ALREADY_SENT = /already known|already imported|known transaction|nonce too low|replacement transaction/i;

interface SenderDeps {
  chain(): Promise<ChainClient>;
  terms: Terms;
  privateKey(): Hex | null;
}

/**
 * The key's transactions, one after the other, because a chain takes them in the order of their numbers. Threats: a
 * lost answer leaves a gap in the numbers that blocks all that follow; a fee that was enough stays below what blocks
 * ask for now, and the transaction waits for ever, with all that follow; an endpoint that names absurd fees empties the
 * key. So the number is asked of the chain each time and counted on from the last one sent, what offers less than
 * blocks ask for is sent again under the same number with a higher fee, and fees have a ceiling.
 */
class OnchainSender {
  readonly #deps: SenderDeps;
  readonly #sending = new Mutex();
  #next: number | null = null;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  async settlementAddress(): Promise<Hex> {
    return (await this.#settlementAccount()).address;
  }

  /** Signs, writes down, sends. */
  signAndSendCall(data: Hex, journal: Journal): Promise<void> {
    return this.#sendInOrder(async (client) => {
      const { address } = await this.#settlementAccount();
      const fees = withinCeiling(await client.estimateFeesPerGas());
      const pending = await client.getTransactionCount({ address, blockTag: 'pending' });
      const nonce = Math.max(pending, this.#next ?? 0);
      const chainId = this.#deps.terms.network.chainId;
      await this.#signAndSend(
        client,
        { chainId, to: this.#deps.terms.asset, data, gas: SETTLE_GAS, nonce, ...fees },
        journal,
      );
      this.#next = nonce + 1;
    });
  }

  /** The same once more, for a node that does not have it. */
  resendTransaction(raw: Hex): Promise<void> {
    return this.#sendInOrder((client) => this.#broadcastTransaction(client, raw));
  }

  /**
   * Fees for the same transaction that blocks would take now, where they ask for more than it offers; else null: it
   * does not wait for its fee, and a stalled chain must not be outbid repeatedly.
   */
  async higherFees(raw: Hex): Promise<Fees | null> {
    const { parseTransaction } = await import('viem');
    const { client } = await this.#deps.chain();
    const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(raw);
    const asked = await client.estimateFeesPerGas();
    if (asked.maxFeePerGas <= maxFeePerGas && asked.maxPriorityFeePerGas <= maxPriorityFeePerGas) return null;
    return withinCeiling({
      maxFeePerGas: largerFee(raisedFee(maxFeePerGas), asked.maxFeePerGas),
      maxPriorityFeePerGas: largerFee(raisedFee(maxPriorityFeePerGas), asked.maxPriorityFeePerGas),
    });
  }

  /** The same call under the same number for higher fees: at most one of the two can ever be in a block. */
  replaceTransaction(raw: Hex, fees: Fees, journal: Journal): Promise<void> {
    return this.#sendInOrder(async (client) => {
      const { parseTransaction } = await import('viem');
      const { chainId, to, data, gas, nonce } = parseTransaction(raw);
      const again = { chainId: chainId as number, to: to ?? null, data: data ?? '0x', gas: gas ?? SETTLE_GAS };
      await this.#signAndSend(client, { ...again, nonce: nonce ?? 0, ...fees }, journal);
    });
  }

  /** Whether a block that counts already holds a transaction with this one's number, of whichever key signed it. */
  async hasPassed(raw: Hex): Promise<boolean> {
    const { parseTransaction } = await import('viem');
    const chain = await this.#deps.chain();
    return (await chain.minedCount(await signerOf(raw))) > (parseTransaction(raw).nonce ?? 0);
  }

  /** Whether the key of now has signed it. The owner may have set another one since. */
  async isOurs(raw: Hex): Promise<boolean> {
    return (await signerOf(raw)) === (await this.settlementAddress());
  }

  /** A number was given out and will not be used: the next one is what the chain says, so that no gap stays. */
  recountNonce(): void {
    this.#next = null;
  }

  /** What to do about the key's gas, or null. */
  async gasLack(): Promise<Said | null> {
    const { client } = await this.#deps.chain();
    const address = await this.settlementAddress();
    const balance = await client.getBalance({ address });
    const needed = (await client.getGasPrice()) * SETTLE_GAS * GAS_RESERVE_SETTLEMENTS;
    if (balance >= needed) return null;
    return say`Send some of the chain's own coin to ${address}: it pays the gas and runs low.`;
  }

  async #signAndSend(client: PublicClient, transaction: TransactionSerializableEIP1559, journal: Journal) {
    const account = await this.#settlementAccount();
    const { keccak256 } = await import('viem');
    const raw = await account.signTransaction({ ...transaction, type: 'eip1559' });
    journal.signed(raw, keccak256(raw));
    await this.#broadcastTransaction(client, raw);
  }

  async #broadcastTransaction(client: PublicClient, serializedTransaction: Hex): Promise<void> {
    try {
      await client.sendRawTransaction({ serializedTransaction });
    } catch (error) {
      this.#next = null;
      if (!(error instanceof Error && ALREADY_SENT.test(error.message))) throw error;
    }
  }

  async #sendInOrder<Result>(work: (client: PublicClient) => Promise<Result>): Promise<Result> {
    const { client } = await this.#deps.chain();
    return this.#sending.runExclusive(() => work(client));
  }

  async #settlementAccount() {
    const key = this.#deps.privateKey();
    if (key === null) throw new Error('There is no settlement key.');
    const { privateKeyToAccount } = await import('viem/accounts');
    return privateKeyToAccount(key);
  }
}

async function signerOf(raw: Hex): Promise<Hex> {
  const { recoverTransactionAddress } = await import('viem');
  return recoverTransactionAddress({ serializedTransaction: raw as TransactionSerializedEIP1559 });
}

interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

function withinCeiling(fees: Fees): Fees {
  if (fees.maxFeePerGas <= FEE_PER_GAS_MAX) return fees;
  throw new Error(
    `The chain asks for ${fees.maxFeePerGas} wei per gas, and ${FEE_PER_GAS_MAX} is the most that is paid.`,
  );
}

function raisedFee(fee: bigint): bigint {
  return fee + fee / RAISE_PARTS + 1n;
}

function largerFee(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

const VERIFIED: Verified = { kind: 'verified' };

/**
 * Whether a proof would settle, by the chain's own word. Contract wallets (ERC-1271) are judged by the chain; wallets
 * that are not deployed are refused, since deploying what a caller names, with our key, is an open door. Throws when
 * the chain cannot be asked.
 */
async function verifyOnChain(
  chain: ChainClient,
  { terms, payToShared }: { terms: Terms; payToShared: boolean },
  proof: SignedAuthorization,
  sender: Hex,
): Promise<Verified | Refused> {
  const { authorization, signature } = proof;
  const plain = await isSignedBy(terms, authorization, signature);
  if (plain && isMalleable(signature)) return refusedPayment('invalid_exact_evm_payload_signature');
  if (!plain && !(await chain.hasCode(authorization.from))) {
    const undeployed = isUndeployedWallet(signature);
    return refusedPayment(
      undeployed ? 'invalid_exact_evm_payload_undeployed_smart_wallet' : 'invalid_exact_evm_payload_signature',
    );
  }
  if (await chain.wouldTransfer(proof, sender)) return VERIFIED;
  const state = await chain.stateOf(authorization);
  if (state === 'used') {
    // Another server that is paid at the same address may have given a job for it.
    if (payToShared) return refusedPayment('duplicate_settlement');
    // Somebody was faster, with the same authorization. If it paid us, it is paid.
    return (await chain.findTransfer(authorization)) === null ? refusedPayment('invalid_transaction_state') : VERIFIED;
  }
  if (state === 'pending') return VERIFIED;
  if ((await chain.balanceOf(authorization.from)) < authorization.value) return refusedPayment('insufficient_funds');
  return refusedPayment(plain ? 'invalid_transaction_state' : 'invalid_exact_evm_payload_signature');
}
