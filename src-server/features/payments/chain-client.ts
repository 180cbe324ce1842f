/**
 * What the chain says. Threat: a proof counts as paid although the money went elsewhere: its nonce burned on another
 * transfer, cancelled, or used in one transaction beside another proof's transfer, so that one transfer seems to pay
 * twice. So a payment has arrived only where the token's `AuthorizationUsed` of this payer and nonce is directly
 * followed, in the same receipt, by the `Transfer` of exactly the authorized value from the payer to us.
 */

import { setTimeout as delay } from 'node:timers/promises';
import {
  BaseError,
  createPublicClient,
  ExecutionRevertedError,
  encodeEventTopics,
  encodeFunctionData,
  getAddress,
  hashDomain,
  hashMessage,
  http,
  type PublicClient,
  parseAbi,
  parseEventLogs,
  TransactionNotFoundError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem';
import { verifyHash } from 'viem/actions';
import { type Said, say } from '../../platform/text/say.ts';
import type { Hex } from './networks.ts';
import type { Authorization } from './proof.ts';
import type { Terms } from './settings.ts';
import { SETTLE_GAS, type SignedAuthorization } from './settlement.ts';
import { isSignedBy, splitSignature } from './signature.ts';

/** The default of the library, three retries of ten seconds, would hold a payer for half a minute. */
const RPC_TIMEOUT_MS = 5000;

const RPC_RETRIES = 1;

const RECEIPT_POLL_MS = 400;

const RECEIPT_POLLS = 50;

/** Public endpoints answer about logs of at most 10,000 blocks at once. */
const LOG_PAGE_BLOCKS = 9000n;

/** Ten days of Base. */
const LOG_PAGES_MAX = 48;

export interface ChainDeps {
  rpcUrl: string;
  terms: Terms;
  confirmations: number;
}

/** State of an authorization. `pending`: used by a transaction that has too few confirmations. */
export type AuthorizationState = 'unused' | 'pending' | 'used';

export class ChainClient {
  readonly client: PublicClient;
  readonly #deps: ChainDeps;

  constructor(deps: ChainDeps) {
    this.#deps = deps;
    this.client = createPublicClient({
      transport: http(deps.rpcUrl, { timeout: RPC_TIMEOUT_MS, retryCount: RPC_RETRIES }),
    }) as PublicClient;
  }

  /** The call that moves the money. Plain signatures take the older form, which every such token has. */
  async transferCall({ authorization, signature }: SignedAuthorization): Promise<Hex> {
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const fields = [from, to, value, validAfter, validBefore, nonce] as const;
    const plain = splitSignature(signature);
    if (plain !== null && (await isSignedBy(this.#deps.terms, authorization, signature))) {
      const args = [...fields, plain.v, plain.r, plain.s] as const;
      return encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transferWithAuthorization', args });
    }
    const args = [...fields, signature] as const;
    return encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transferWithAuthorization', args });
  }

  /**
   * Whether the transfer would go through. The pending block, because an idle chain's last block is old and would not
   * have reached `validAfter`. Throws when the chain cannot be asked.
   */
  async wouldTransfer(proof: SignedAuthorization, sender: Hex): Promise<boolean> {
    const call = { to: this.#deps.terms.asset, account: sender, gas: SETTLE_GAS, blockTag: 'pending' as const };
    try {
      await this.client.call({ ...call, data: await this.transferCall(proof) });
      return true;
    } catch (error) {
      if (isRevert(error)) return false;
      throw error;
    }
  }

  async hasCode(address: Hex): Promise<boolean> {
    const code = await this.client.getCode({ address });
    return code !== undefined && code !== '0x';
  }

  /** `used` only where enough blocks say so: what a reorganisation may take back is `pending`. */
  async stateOf({ from, nonce }: Authorization): Promise<AuthorizationState> {
    const isUsed = async (block: { blockNumber: bigint } | { blockTag: 'latest' | 'pending' }) =>
      this.client.readContract({
        address: this.#deps.terms.asset,
        abi: TOKEN_ABI,
        functionName: 'authorizationState',
        args: [from, nonce],
        ...block,
      });
    if (await isUsed({ blockNumber: await this.#confirmedBlock() })) return 'used';
    return (await isUsed({ blockTag: 'latest' })) || (await isUsed({ blockTag: 'pending' })) ? 'pending' : 'unused';
  }

  async balanceOf(address: Hex): Promise<bigint> {
    const { asset } = this.#deps.terms;
    return this.client.readContract({ address: asset, abi: TOKEN_ABI, functionName: 'balanceOf', args: [address] });
  }

  /** Seconds since 1970, as the newest block says that counts. */
  async confirmedBlockTime(): Promise<bigint> {
    return (await this.client.getBlock({ blockNumber: await this.#confirmedBlock() })).timestamp;
  }

  /** How many transactions of a sender are in blocks that count: the number of the next one. */
  async minedCount(address: Hex): Promise<number> {
    return this.client.getTransactionCount({ address, blockNumber: await this.#confirmedBlock() });
  }

  /**
   * Hash of the transaction, from any sender, that moved this authorization's money to us; null without one. Throws
   * when the chain's logs do not reach back far enough to tell.
   */
  async findTransfer(authorization: Authorization): Promise<Hex | null> {
    const { asset } = this.#deps.terms;
    let toBlock = await this.client.getBlockNumber({ cacheTime: 0 });
    for (let page = 0; page < LOG_PAGES_MAX; page += 1) {
      const fromBlock = toBlock > LOG_PAGE_BLOCKS ? toBlock - LOG_PAGE_BLOCKS : 0n;
      const [found] = await this.client.getContractEvents({
        address: asset,
        abi: TOKEN_ABI,
        eventName: 'AuthorizationUsed',
        args: { authorizer: authorization.from, nonce: authorization.nonce },
        fromBlock,
        toBlock,
      });
      if (found) {
        const receipt = await this.receiptOf(found.transactionHash);
        return receipt && this.paysUs(receipt, authorization) ? found.transactionHash : null;
      }
      if (fromBlock === 0n) return null;
      const { timestamp } = await this.client.getBlock({ blockNumber: fromBlock });
      if (timestamp < authorization.validAfter) return null;
      toBlock = fromBlock - 1n;
    }
    throw new Error('The logs of the chain do not reach back to the beginning of the authorization.');
  }

  /** Whether this receipt holds the transfer that the authorization allows: see the top of this file. */
  paysUs(receipt: TransactionReceipt, authorization: Authorization): boolean {
    if (receipt.status !== 'success') return false;
    const ofAsset = receipt.logs.filter((log) => log.address.toLowerCase() === this.#deps.terms.asset.toLowerCase());
    const [usedTopic, payerTopic, nonceTopic] = encodeEventTopics({
      abi: TOKEN_ABI,
      eventName: 'AuthorizationUsed',
      args: { authorizer: authorization.from, nonce: authorization.nonce },
    });
    const used = ofAsset.find(
      ({ topics: [event, payer, nonce] }) => event === usedTopic && payer === payerTopic && nonce === nonceTopic,
    );
    const next = used && receipt.logs.find((log) => log.logIndex === used.logIndex + 1);
    if (!next || !ofAsset.includes(next)) return false;
    const [transfer] = parseEventLogs({ abi: TOKEN_ABI, eventName: 'Transfer', logs: [next] });
    if (!transfer) return false;
    const { from, to, value } = transfer.args;
    return (
      from.toLowerCase() === authorization.from &&
      to.toLowerCase() === authorization.to &&
      value === authorization.value
    );
  }

  async receiptOf(hash: Hex): Promise<TransactionReceipt | null> {
    try {
      return await this.client.getTransactionReceipt({ hash });
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return null;
      throw error;
    }
  }

  /** Whether the chain's nodes know a transaction, in a block or waiting for one. */
  async isKnownTransaction(hash: Hex): Promise<boolean> {
    try {
      await this.client.getTransaction({ hash });
      return true;
    } catch (error) {
      if (error instanceof TransactionNotFoundError) return false;
      throw error;
    }
  }

  /** Of transactions of which at most one can be in a block. */
  async firstReceipt(hashes: readonly Hex[]): Promise<TransactionReceipt | null> {
    for (const hash of hashes) {
      const receipt = await this.receiptOf(hash);
      if (receipt !== null) return receipt;
    }
    return null;
  }

  /** The receipt once it has enough confirmations; null when that took too long. */
  async confirmedReceipt(hashes: readonly Hex[]): Promise<TransactionReceipt | null> {
    for (let poll = 0; poll < RECEIPT_POLLS; poll += 1) {
      const receipt = await this.firstReceipt(hashes);
      if (receipt !== null && (await this.#isConfirmed(receipt))) return receipt;
      await delay(RECEIPT_POLL_MS);
    }
    return null;
  }

  /** ERC-1271 and plain keys alike, over a plain message. */
  async signedMessage(address: Hex, message: string, signature: Hex): Promise<boolean> {
    if (!(await this.hasCode(address))) return false;
    return verifyHash(this.client, { address: getAddress(address), hash: hashMessage(message), signature });
  }

  /** The chain and the asset's signing domain are the ones our challenges name. Throws when they cannot be asked. */
  async mismatch(): Promise<Said | null> {
    const { network, asset } = this.#deps.terms;
    const chainId = await this.client.getChainId();
    if (chainId !== network.chainId)
      return say`The chain behind rpcUrl is ${chainId}, and ${network.name} is ${network.chainId}.`;
    if (!(await this.hasCode(asset))) return say`There is no contract at the address in asset.`;
    const actual = await this.client.readContract({ address: asset, abi: TOKEN_ABI, functionName: 'DOMAIN_SEPARATOR' });
    if (actual === domainSeparator(this.#deps.terms)) return null;
    return say`The asset signs under another name or version than extra says: no wallet's payment would verify.`;
  }

  async #isConfirmed(receipt: TransactionReceipt): Promise<boolean> {
    return this.#deps.confirmations <= 1 || receipt.blockNumber <= (await this.#confirmedBlock());
  }

  /** The newest block with as many confirmations as the settings require. */
  async #confirmedBlock(): Promise<bigint> {
    const newest = await this.client.getBlockNumber({ cacheTime: 0 });
    const above = BigInt(this.#deps.confirmations - 1);
    return newest > above ? newest - above : 0n;
  }
}

function domainSeparator({ extra, network, asset }: Terms): Hex {
  return hashDomain({
    domain: { ...extra, chainId: BigInt(network.chainId), verifyingContract: getAddress(asset.toLowerCase()) },
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
    },
  });
}

/** The contract reverted the call, as opposed to a failed request. */
function isRevert(error: unknown): boolean {
  return error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError) !== null;
}

/**
 * The part of an EIP-3009 token that settlement needs. The arguments of both transfers are from, to, value, validAfter,
 * validBefore and nonce, then the signature: as v, r and s, or as bytes.
 */
export const TOKEN_ABI = parseAbi([
  'function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, uint8, bytes32, bytes32)',
  'function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, bytes)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
