/**
 * Settles with a key of our own. Threat: the process dies, or an answer is lost, between signing and receipt, and the
 * payer pays without a job. So the signed transaction is stored before it is sent: its hash is known whatever happens,
 * sending it again is harmless, and an authorization moves money once however many transactions carry it.
 */
import type { PublicClient } from 'viem';
import type { PaymentRow } from '../storage/payments-reader.ts';
import type { ChainClient } from './chain-client.ts';
import { verifyOnChain } from './chain-verify.ts';
import { orUnavailable, type Refused, refused, type Unavailable, unavailable } from './codes.ts';
import type { Hex } from './networks.ts';
import { readStoredProof } from './proof.ts';
import {
  type Journal,
  SETTLE_GAS,
  type Settled,
  type Settlement,
  type SettlementCheck,
  type SignedAuthorization,
} from './settlement.ts';
import type { Terms } from './terms.ts';

/** Settlements the key must still be able to pay for, or it is time to say so. */
const GAS_RESERVE_SETTLEMENTS = 20n;
/** What nodes say when they have the transaction, or one of its nonce, already. */
const ALREADY_SENT = /already known|already imported|known transaction|nonce too low|replacement transaction/i;

export interface OnchainParts {
  chain(): Promise<ChainClient>;
  terms: Terms;
  privateKey(): Hex | null;
}

type Outcome = Settled | Refused | Unavailable;

export function onchainSettlement(parts: OnchainParts): Settlement {
  const sender = new Sender(parts);
  return {
    mode: 'onchain',
    verify: (proof) =>
      orUnavailable('unexpected_verify_error', async () =>
        verifyOnChain(await parts.chain(), parts.terms, proof, await sender.address()),
      ),
    move: {
      kind: 'deferred',
      settle: (payment, journal) => {
        const work = async () => settle({ chain: await parts.chain(), sender, journal }, payment);
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
  sender: Sender;
  journal: Journal;
}

async function settle(work: Work, payment: PaymentRow): Promise<Outcome> {
  const proof = readStoredProof(payment.proof);
  if (payment.raw_transaction === null) return send(work, proof);
  return resume(work, payment, proof);
}

async function send({ chain, sender, journal }: Work, proof: SignedAuthorization): Promise<Outcome> {
  if (!(await chain.wouldTransfer(proof, await sender.address()))) return judge(chain, proof);
  const hash = await sender.send(await chain.transferCall(proof), journal);
  return await outcomeOf(chain, hash, proof);
}

/** Somebody, perhaps this process before it was killed, has begun: find out how far it came, and go on from there. */
async function resume(work: Work, payment: PaymentRow, proof: SignedAuthorization): Promise<Outcome> {
  const { chain, sender } = work;
  const hash = payment.transaction_hash as Hex;
  if ((await chain.receiptOf(hash)) !== null) return outcomeOf(chain, hash, proof);
  if ((await chain.stateOf(proof.authorization)) === 'used') return judge(chain, proof);
  if (await chain.knows(hash)) return outcomeOf(chain, hash, proof);
  if ((await chain.time()) >= proof.authorization.validBefore) return refused('invalid_transaction_state');
  // Another transaction took its place in the order of the key: this one can never be in a block.
  if (await sender.hasPassed(payment.raw_transaction as Hex)) return send(work, proof);
  await sender.resend(payment.raw_transaction as Hex);
  return outcomeOf(chain, hash, proof);
}

async function outcomeOf(chain: ChainClient, hash: Hex, proof: SignedAuthorization): Promise<Outcome> {
  const receipt = await chain.confirmedReceipt(hash);
  if (receipt === null) return unavailable('settlement_pending', 'No block holds the transaction yet.', hash);
  if (chain.paysUs(receipt, proof.authorization)) return { kind: 'settled', transactionHash: hash };
  return judge(chain, proof);
}

/** The transfer did not go through by our hand: did the money come all the same? */
async function judge(chain: ChainClient, proof: SignedAuthorization): Promise<Outcome> {
  const state = await chain.stateOf(proof.authorization);
  if (state === 'pending') return unavailable('settlement_pending', 'A transaction of somebody else is pending.');
  if (state === 'unused') return refused('invalid_transaction_state');
  const hash = await chain.findTransfer(proof.authorization);
  if (hash === null) return refused('invalid_transaction_state');
  const receipt = await chain.confirmedReceipt(hash);
  if (receipt === null) return unavailable('settlement_pending', 'Too few blocks stand on the transfer yet.', hash);
  return { kind: 'settled', transactionHash: hash };
}

async function checks(parts: OnchainParts, sender: Sender): Promise<SettlementCheck[]> {
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

/**
 * Sends one after the other, because transactions of one key are in an order. The number in that order is asked of the
 * chain each time and counted on from the last one sent, so that a lost answer never leaves a gap that blocks the rest.
 */
class Sender {
  readonly #parts: OnchainParts;
  #last: Promise<unknown> = Promise.resolve();
  #next: number | null = null;

  constructor(parts: OnchainParts) {
    this.#parts = parts;
  }

  async address(): Promise<Hex> {
    return (await this.#account()).address;
  }

  /** Signs, writes down, sends. Gives back the hash. */
  send(data: Hex, journal: Journal): Promise<Hex> {
    return this.#inOrder(async (client) => {
      const account = await this.#account();
      const { keccak256 } = await import('viem');
      const fees = await client.estimateFeesPerGas();
      const pending = await client.getTransactionCount({ address: account.address, blockTag: 'pending' });
      const nonce = Math.max(pending, this.#next ?? 0);
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId: this.#parts.terms.network.chainId,
        to: this.#parts.terms.asset,
        data,
        gas: SETTLE_GAS,
        nonce,
        ...fees,
      });
      const hash = keccak256(raw);
      await journal.signed(raw, hash);
      await this.#broadcast(client, raw);
      this.#next = nonce + 1;
      return hash;
    });
  }

  resend(raw: Hex): Promise<void> {
    return this.#inOrder((client) => this.#broadcast(client, raw));
  }

  /** Whether a block already holds another transaction with this one's number. */
  async hasPassed(raw: Hex): Promise<boolean> {
    const { parseTransaction } = await import('viem');
    const { client } = await this.#parts.chain();
    const mined = await client.getTransactionCount({ address: await this.address(), blockTag: 'latest' });
    return mined > (parseTransaction(raw).nonce ?? 0);
  }

  /** What to do about the key's gas, or null. */
  async gasLack(): Promise<string | null> {
    const { client } = await this.#parts.chain();
    const address = await this.address();
    const balance = await client.getBalance({ address });
    const needed = (await client.getGasPrice()) * SETTLE_GAS * GAS_RESERVE_SETTLEMENTS;
    return balance >= needed ? null : `Send some of the chain's own coin to ${address}: it pays the gas and runs low.`;
  }

  async #broadcast(client: PublicClient, serializedTransaction: Hex): Promise<void> {
    try {
      await client.sendRawTransaction({ serializedTransaction });
    } catch (error) {
      this.#next = null;
      if (!(error instanceof Error && ALREADY_SENT.test(error.message))) throw error;
    }
  }

  async #inOrder<Result>(work: (client: PublicClient) => Promise<Result>): Promise<Result> {
    const { client } = await this.#parts.chain();
    const turn = this.#last.then(() => work(client));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #account() {
    const key = this.#parts.privateKey();
    if (key === null) throw new Error('There is no settlement key.');
    const { privateKeyToAccount } = await import('viem/accounts');
    return privateKeyToAccount(key);
  }
}
