import { createHmac } from 'node:crypto';
import { QuarryError } from '../../platform/errors.ts';
import { base64Json } from '../../platform/text/json.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { type Hex, lowerHex } from './networks.ts';
import { type Authorization, authorizationAsText } from './proof.ts';
import type { SandboxAccount } from './schema.ts';
import { typedAuthorization } from './signature.ts';
import {
  hasSandboxAccount,
  insertSandboxWallet,
  moveSandboxMoney,
  richestSandboxAccounts,
  sandboxBalance,
  sandboxWallet,
} from './store.ts';
import type { Market } from './verify.ts';

/** 1,000 dollars of play money: what a demo wallet starts with. */
const FIRST_BALANCE = 1_000_000_000;

/** 100 dollars: what the faucet gives when no amount is named. */
const FAUCET_AMOUNT = 100_000_000;

/** One address is never filled beyond this by the faucet. */
const FAUCET_BALANCE_MAX = 1_000_000_000_000;

const WALLETS_SHOWN_MAX = 100;

/** As stock wallets do: a chain whose clock is behind still takes the authorization. */
const VALID_SINCE_SECONDS = 600;

const NONCE_BYTES = 32;

/** What a demo wallet is asked to pay: an `accepts` entry of either version, already compared with our own. */
export interface PayableEntry {
  version: 1 | 2;
  amount: bigint;
  maxTimeoutSeconds: number;
  /** The entry as it was given: version 2 repeats it. */
  entry: Record<string, unknown>;
}

interface DemoWallet {
  address: Hex;
  privateKey: Hex;
}

/**
 * Whose demo wallet is meant: the owner's, or that of a caller by the name it was given (`dwl_…`). A name is a secret:
 * it gives full use of the wallet and of what the wallet paid for.
 */
export type DemoHolder = 'owner' | `dwl_${string}`;

/**
 * The sandbox's demo wallets and faucet. Every function throws `conflict` where real money is used.
 *
 * Threat: strangers that share a demo wallet share an account, and read each other's results. An address does not keep
 * them apart, since all programs of a machine and all clients of a proxy have the same one. So each caller has a wallet
 * of its own, by an unguessable name; its key is derived from the name, so none is stored.
 */
export class SandboxWallets {
  readonly #market: Market;

  constructor(market: Market) {
    this.#market = market;
  }

  /** Whether play money is what payments are made with now. */
  get isSandboxOpen(): boolean {
    return this.#market.settlement().mode === 'sandbox';
  }

  /** Address of the owner's demo wallet. It is made when it is first asked for; its key never leaves the database. */
  async demoAddress(): Promise<Hex> {
    return (await this.#ownersWallet()).address;
  }

  /** Adds play money to an address, the holder's demo wallet when none is named. Errors: `conflict` when it is full. */
  async addPlayMoney(
    request: { address?: string | undefined; amount?: number | undefined },
    holder: DemoHolder,
  ): Promise<SandboxAccount> {
    this.#expectSandbox();
    const named = request.address?.toLowerCase();
    const address = named ?? (await this.#demoWalletOf(holder)).address;
    const demo = named === undefined || named === (await this.demoAddress());
    const { storage, clock } = this.#market;
    return storage.transaction((tx) => {
      const amount = request.amount ?? FAUCET_AMOUNT;
      const balance = sandboxBalance(tx, address) + amount;
      if (balance > FAUCET_BALANCE_MAX || !moveSandboxMoney(tx, address, amount, clock.now())) {
        throw new QuarryError('conflict', 'This wallet has all the play money a wallet can get: spend some first.');
      }
      return { address, balance, demo };
    });
  }

  /** The owner's demo wallet, then the wallets with the most play money. */
  async richestSandboxWallets(): Promise<SandboxAccount[]> {
    this.#expectSandbox();
    const demo = await this.demoAddress();
    const { db } = this.#market.storage;
    const balance = sandboxBalance(db, demo);
    const others = richestSandboxAccounts(db, WALLETS_SHOWN_MAX).filter(({ address }) => address !== demo);
    const shown = others.map((other) => ({ address: other.address, balance: other.balance, demo: false }));
    return [{ address: demo, balance, demo: true }, ...shown];
  }

  /** Signs a payment with a demo wallet: the value of `X-PAYMENT` or `PAYMENT-SIGNATURE`. */
  async payFromDemoWallet(payable: PayableEntry, holder: DemoHolder): Promise<string> {
    this.#expectSandbox();
    const { address, privateKey } = await this.#demoWalletOf(holder);
    const terms = this.#market.terms();
    const seconds = BigInt(Math.floor(this.#market.clock.now() / SECOND_MS));
    const authorization: Authorization = {
      from: address,
      to: lowerHex(terms.payTo),
      value: payable.amount,
      validAfter: seconds - BigInt(VALID_SINCE_SECONDS),
      validBefore: seconds + BigInt(payable.maxTimeoutSeconds),
      nonce: `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(NONCE_BYTES))).toString('hex')}`,
    };
    const { privateKeyToAccount } = await import('viem/accounts');
    const signature = await privateKeyToAccount(privateKey).signTypedData(typedAuthorization(terms, authorization));
    const payload = { signature, authorization: authorizationAsText(authorization) };
    if (payable.version === 2) return base64Json({ x402Version: 2, accepted: payable.entry, payload });
    return base64Json({ x402Version: 1, scheme: 'exact', network: terms.network.name, payload });
  }

  async #demoWalletOf(holder: DemoHolder): Promise<DemoWallet> {
    const owners = await this.#ownersWallet();
    return holder === 'owner' ? owners : this.#callersWallet(owners.privateKey, holder);
  }

  /** It gets its first play money when it is first used. */
  async #callersWallet(master: Hex, holder: DemoHolder): Promise<DemoWallet> {
    const { storage, clock } = this.#market;
    const { privateKeyToAccount } = await import('viem/accounts');
    const privateKey: Hex = `0x${createHmac('sha256', master).update(`demo wallet ${holder}`).digest('hex')}`;
    const address = lowerHex(privateKeyToAccount(privateKey).address);
    storage.transaction((tx) => {
      if (!hasSandboxAccount(tx, address)) moveSandboxMoney(tx, address, FIRST_BALANCE, clock.now());
    });
    return { address, privateKey };
  }

  async #ownersWallet(): Promise<DemoWallet> {
    const { storage, clock } = this.#market;
    let wallet = sandboxWallet(storage.db);
    if (wallet === undefined) {
      const { generatePrivateKey, privateKeyToAccount } = await import('viem/accounts');
      const key = generatePrivateKey();
      const row = { address: lowerHex(privateKeyToAccount(key).address), private_key: key };
      wallet = storage.transaction((tx) => {
        const earlier = sandboxWallet(tx);
        if (earlier) return earlier;
        const made = { ...row, created_at: clock.now() };
        insertSandboxWallet(tx, made);
        moveSandboxMoney(tx, made.address, FIRST_BALANCE, made.created_at);
        return made;
      });
    }
    return { address: wallet.address, privateKey: wallet.private_key };
  }

  #expectSandbox(): void {
    if (this.isSandboxOpen) return;
    throw new QuarryError('conflict', 'Play money is for the sandbox: this server takes real payments.');
  }
}
