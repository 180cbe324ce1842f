/**
 * The key's transactions, one after the other, because a chain takes them in the order of their numbers. Threats: a
 * lost answer leaves a gap in the numbers that blocks all that follow; a fee that was enough stays below what blocks
 * ask for now, and the transaction waits for ever, with all that follow; an endpoint that names absurd fees empties the
 * key. So the number is asked of the chain each time and counted on from the last one sent, what offers less than
 * blocks ask for is sent again under the same number with a higher fee, and fees have a ceiling.
 */
import type { PublicClient, TransactionSerializableEIP1559, TransactionSerializedEIP1559 } from 'viem';
import type { ChainClient } from './chain-client.ts';
import type { Hex } from './networks.ts';
import { type Journal, SETTLE_GAS } from './settlement.ts';
import type { Terms } from './terms.ts';

/** Settlements the key must still be able to pay for, or it is time to say so. */
const GAS_RESERVE_SETTLEMENTS = 20n;
/** 50 gwei: thousands of times what a settlement on Base needs; one settlement never costs more than 0.015 ether. */
const FEE_PER_GAS_MAX = 50_000_000_000n;
/** Nodes take a replacement whose fees are higher by a tenth; an eighth is beyond doubt. */
const RAISE_PARTS = 8n;
/** What nodes say when they have the transaction, or one of its number, already. */
const ALREADY_SENT = /already known|already imported|known transaction|nonce too low|replacement transaction/i;

export interface SenderParts {
  chain(): Promise<ChainClient>;
  terms: Terms;
  privateKey(): Hex | null;
}

export class OnchainSender {
  readonly #parts: SenderParts;
  #last: Promise<unknown> = Promise.resolve();
  #next: number | null = null;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  async address(): Promise<Hex> {
    return (await this.#account()).address;
  }

  /** Signs, writes down, sends. */
  send(data: Hex, journal: Journal): Promise<void> {
    return this.#inOrder(async (client) => {
      const { address } = await this.#account();
      const fees = withinCeiling(await client.estimateFeesPerGas());
      const pending = await client.getTransactionCount({ address, blockTag: 'pending' });
      const nonce = Math.max(pending, this.#next ?? 0);
      const chainId = this.#parts.terms.network.chainId;
      await this.#signAndSend(
        client,
        { chainId, to: this.#parts.terms.asset, data, gas: SETTLE_GAS, nonce, ...fees },
        journal,
      );
      this.#next = nonce + 1;
    });
  }

  /** The same once more, for a node that does not have it. */
  resend(raw: Hex): Promise<void> {
    return this.#inOrder((client) => this.#broadcast(client, raw));
  }

  /**
   * Fees for the same transaction that blocks would take now, where they ask for more than it offers; else null: it
   * does not wait for its fee, and a chain that stands still must not be outbid again and again.
   */
  async higherFees(raw: Hex): Promise<Fees | null> {
    const { parseTransaction } = await import('viem');
    const { client } = await this.#parts.chain();
    const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(raw);
    const asked = await client.estimateFeesPerGas();
    if (asked.maxFeePerGas <= maxFeePerGas && asked.maxPriorityFeePerGas <= maxPriorityFeePerGas) return null;
    return withinCeiling({
      maxFeePerGas: larger(raised(maxFeePerGas), asked.maxFeePerGas),
      maxPriorityFeePerGas: larger(raised(maxPriorityFeePerGas), asked.maxPriorityFeePerGas),
    });
  }

  /** The same call under the same number for higher fees: at most one of the two can ever be in a block. */
  replace(raw: Hex, fees: Fees, journal: Journal): Promise<void> {
    return this.#inOrder(async (client) => {
      const { parseTransaction } = await import('viem');
      const { chainId, to, data, gas, nonce } = parseTransaction(raw);
      const again = { chainId: chainId as number, to: to ?? null, data: data ?? '0x', gas: gas ?? SETTLE_GAS };
      await this.#signAndSend(client, { ...again, nonce: nonce ?? 0, ...fees }, journal);
    });
  }

  /** Whether a block that counts already holds a transaction with this one's number, of whichever key signed it. */
  async hasPassed(raw: Hex): Promise<boolean> {
    const { parseTransaction } = await import('viem');
    const chain = await this.#parts.chain();
    return (await chain.minedCount(await signerOf(raw))) > (parseTransaction(raw).nonce ?? 0);
  }

  /** Whether the key of now has signed it. The owner may have set another one since. */
  async isOurs(raw: Hex): Promise<boolean> {
    return (await signerOf(raw)) === (await this.address());
  }

  /** A number was given out and will not be used: the next one is what the chain says, so that no gap stays. */
  recount(): void {
    this.#next = null;
  }

  /** What to do about the key's gas, or null. */
  async gasLack(): Promise<string | null> {
    const { client } = await this.#parts.chain();
    const address = await this.address();
    const balance = await client.getBalance({ address });
    const needed = (await client.getGasPrice()) * SETTLE_GAS * GAS_RESERVE_SETTLEMENTS;
    return balance >= needed ? null : `Send some of the chain's own coin to ${address}: it pays the gas and runs low.`;
  }

  async #signAndSend(client: PublicClient, transaction: TransactionSerializableEIP1559, journal: Journal) {
    const account = await this.#account();
    const { keccak256 } = await import('viem');
    const raw = await account.signTransaction({ ...transaction, type: 'eip1559' });
    await journal.signed(raw, keccak256(raw));
    await this.#broadcast(client, raw);
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

function raised(fee: bigint): bigint {
  return fee + fee / RAISE_PARTS + 1n;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
