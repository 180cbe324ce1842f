/**
 * Settles with a key of our own. Threat: the process dies, an answer is lost, a block is taken back, a fee turns out
 * too low, and the payer pays without a job, or twice. So every signed transaction is stored before it is sent: its
 * hash is known whatever happens, sending it again is harmless, whichever is mined counts, and an authorization moves
 * money once however many transactions carry it. Until enough blocks stand on a transfer, nothing is concluded from it.
 */
import type { Clock } from '../../platform/clock.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { ChainClient } from './chain-client.ts';
import { verifyOnChain } from './chain-verify.ts';
import { orUnavailable, type Refused, refused, type Unavailable, unavailable } from './codes.ts';
import type { Hex } from './networks.ts';
import { OnchainSender } from './onchain-sender.ts';
import { readStoredProof } from './proof.ts';
import type { Journal, Settled, Settlement, SettlementCheck, SignedAuthorization } from './settlement.ts';
import type { PaymentRow } from './store.ts';
import type { Terms } from './terms.ts';

/** Fifteen blocks of Base: what waits longer waits for a higher fee. */
const REPLACE_AFTER_MS = 30 * SECOND_MS;

export interface OnchainParts {
  chain(): Promise<ChainClient>;
  terms: Terms;
  privateKey(): Hex | null;
  clock: Clock;
  /** Others are paid at the same address: only what we sent ourselves pays us. */
  payToShared: boolean;
}

type Outcome = Settled | Refused | Unavailable;

export function onchainSettlement(parts: OnchainParts): Settlement {
  const sender = new OnchainSender(parts);
  return {
    mode: 'onchain',
    verify: (proof) =>
      orUnavailable('unexpected_verify_error', async () =>
        verifyOnChain(await parts.chain(), parts, proof, await sender.address()),
      ),
    move: {
      kind: 'deferred',
      settle: (payment, journal) => {
        const work = async () => settle({ ...parts, chain: await parts.chain(), sender, journal }, payment);
        return orUnavailable('unexpected_settle_error', work, payment.transaction_hash);
      },
    },
    signer: () => sender.address(),
    checks: () => checks(parts, sender),
    contractSignature: async (address, message, signature) =>
      (await parts.chain()).signedMessage(address, message, signature),
  };
}

interface Work {
  chain: ChainClient;
  sender: OnchainSender;
  journal: Journal;
  clock: Clock;
  payToShared: boolean;
}

async function settle(work: Work, payment: PaymentRow): Promise<Outcome> {
  const proof = readStoredProof(payment.proof);
  if (payment.raw_transaction === null) return send(work, proof, []);
  return resume(work, payment, proof);
}

async function send(work: Work, proof: SignedAuthorization, former: readonly Hex[]): Promise<Outcome> {
  const { chain, sender } = work;
  if (!(await chain.wouldTransfer(proof, await sender.address()))) return judge(work, proof, former);
  return follow(work, proof, (journal) => sendCall(work, proof, journal));
}

async function sendCall({ chain, sender }: Work, proof: SignedAuthorization, journal: Journal): Promise<void> {
  await sender.send(await chain.transferCall(proof), journal);
}

/** Somebody, perhaps this process before it was killed, has begun: find out how far it came, and go on from there. */
async function resume(work: Work, payment: PaymentRow, proof: SignedAuthorization): Promise<Outcome> {
  const { chain, sender, clock } = work;
  const sent = sentOf(payment);
  const newest = payment.raw_transaction as Hex;
  const hashes = await hashesOf(sent);
  if ((await chain.firstReceipt(hashes)) !== null) return outcomeOf(work, sent, proof);
  const state = await chain.stateOf(proof.authorization);
  if (state === 'used') return judge(work, proof, sent);
  const expired = (await chain.time()) >= proof.authorization.validBefore;
  // A number that another transaction took: none of these can ever be in a block.
  if (await sender.hasPassed(newest)) return expired ? refused('invalid_transaction_state') : send(work, proof, sent);
  const waiting = await Promise.all(hashes.map((hash) => chain.knows(hash)));
  if (expired && !waiting.includes(true)) {
    sender.recount();
    return refused('invalid_transaction_state');
  }
  // Used by a transaction of somebody else that a few blocks hold: what is sent now would only cost its gas.
  if (state === 'pending' && !waiting.includes(true)) return judge(work, proof, sent);
  // Nodes throw away what offers too little, and take it no more: there, too, a higher fee is what helps. It is done
  // for an expired one as well: its number would hold up all later ones of the key.
  if (clock.now() - (payment.broadcast_at ?? 0) >= REPLACE_AFTER_MS) {
    // A number of a key that is no longer ours cannot be taken by another transaction: it gets one of ours.
    if (!(await sender.isOurs(newest))) return send(work, proof, sent);
    const fees = await sender.higherFees(newest);
    if (fees) return follow(work, proof, (journal) => sender.replace(newest, fees, journal));
  }
  if (!waiting[0]) await sender.resend(newest);
  return outcomeOf(work, sent, proof);
}

/** Sends something more, and waits for that or for anything sent before. */
async function follow(work: Work, proof: SignedAuthorization, sending: (journal: Journal) => Promise<void>) {
  let payment: PaymentRow | null = null;
  await sending({
    ...work.journal,
    signed: async (raw, hash) => {
      payment = await work.journal.signed(raw, hash);
      return payment;
    },
  });
  if (payment === null) throw new Error('A transaction was sent that was not written down.');
  return outcomeOf(work, sentOf(payment), proof);
}

/** Everything that was signed for a payment, the newest first. */
function sentOf(payment: PaymentRow): Hex[] {
  const former = JSON.parse(payment.replaced_transactions ?? '[]') as Hex[];
  return [payment.raw_transaction as Hex, ...former.reverse()];
}

async function hashesOf(sent: readonly Hex[]): Promise<Hex[]> {
  const { keccak256 } = await import('viem');
  return sent.map((raw) => keccak256(raw));
}

async function outcomeOf(work: Work, sent: readonly Hex[], proof: SignedAuthorization): Promise<Outcome> {
  const hashes = await hashesOf(sent);
  const receipt = await work.chain.confirmedReceipt(hashes);
  if (receipt === null) return pending('Too few blocks hold the transaction yet.', hashes);
  if (work.chain.paysUs(receipt, proof.authorization)) {
    return { kind: 'settled', transactionHash: receipt.transactionHash };
  }
  return judge(work, proof, sent);
}

/**
 * The transfer did not go through by our hand: did the money come all the same? While anything that was sent may still
 * be mined, an unused authorization is no reason to give up: the money could move when nobody counts it any more.
 */
async function judge(work: Work, proof: SignedAuthorization, sent: readonly Hex[]): Promise<Outcome> {
  const { chain, sender, payToShared } = work;
  const ours = await hashesOf(sent);
  const state = await chain.stateOf(proof.authorization);
  if (state === 'pending') return pending('A transaction of somebody else is pending.', []);
  if (state === 'unused') {
    const dead = await Promise.all(sent.map((raw) => sender.hasPassed(raw)));
    if (dead.includes(false)) return pending('What was sent may still be mined.', ours);
    return refused('invalid_transaction_state');
  }
  const hash = await chain.findTransfer(proof.authorization);
  if (hash === null) return refused('invalid_transaction_state');
  if (payToShared && !ours.includes(hash)) return refused('duplicate_settlement');
  const receipt = await chain.confirmedReceipt([hash]);
  if (receipt === null) return pending('Too few blocks stand on the transfer yet.', [hash]);
  return { kind: 'settled', transactionHash: hash };
}

function pending(cause: string, [hash]: readonly Hex[]): Unavailable {
  return unavailable('settlement_pending', cause, hash ?? null);
}

async function checks(parts: OnchainParts, sender: OnchainSender): Promise<SettlementCheck[]> {
  try {
    const chain = await parts.chain();
    const mismatch = await chain.mismatch();
    const gas = await sender.gasLack();
    return [
      { name: 'chain', ok: mismatch === null, detail: mismatch ?? 'Chain and asset are what challenges say.' },
      { name: 'gas', ok: gas === null, detail: gas ?? 'The key can pay for settlements.' },
    ];
  } catch (error) {
    const { cause } = unavailable('unexpected_verify_error', error);
    return [{ name: 'chain', ok: false, detail: `The chain cannot be asked: ${cause}` }];
  }
}
