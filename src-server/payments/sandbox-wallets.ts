import { QuarryError } from '../contract/errors.ts';
import { SECOND_MS } from '../lib/units.ts';
import { richestSandboxAccounts, sandboxBalance, sandboxWallet } from '../storage/payments-reader.ts';
import { insertSandboxWallet, moveSandboxMoney } from '../storage/payments-writer.ts';
import { encodeHeader } from './challenge.ts';
import type { Hex } from './networks.ts';
import { type Authorization, authorizationAsText } from './proof.ts';
import type { Market } from './proof-gate.ts';
import { typedAuthorization } from './signature.ts';

/** 1,000 dollars of play money: what the demo wallet starts with. */
const FIRST_BALANCE = 1_000_000_000;
/** 100 dollars: what the faucet gives when no amount is named. */
const FAUCET_AMOUNT = 100_000_000;
/** 10,000 dollars per call: nobody's test needs more at once. */
export const FAUCET_AMOUNT_MAX = 10_000_000_000;
/** One address is never filled beyond this by the faucet. */
const FAUCET_BALANCE_MAX = 1_000_000_000_000;
const WALLETS_SHOWN_MAX = 100;
/** As stock wallets do: a chain whose clock is behind still takes the authorization. */
const VALID_SINCE_SECONDS = 600;
const NONCE_BYTES = 32;

export interface SandboxAccount {
  address: string;
  /** In the 6-decimal unit. */
  balance: number;
  /** The wallet whose key the sandbox holds. */
  demo: boolean;
}

/** What the demo wallet is asked to pay: an `accepts` entry of either version, already compared with our own. */
export interface PayableEntry {
  version: 1 | 2;
  amount: bigint;
  maxTimeoutSeconds: number;
  /** The entry as it was given: version 2 repeats it. */
  entry: Record<string, unknown>;
}

/** The sandbox's demo wallet and faucet. Every function throws `conflict` where real money is used. */
export class SandboxWallets {
  readonly #market: Market;

  constructor(market: Market) {
    this.#market = market;
  }

  /** Whether play money is what payments are made with now. */
  get open(): boolean {
    return this.#market.settlement().mode === 'sandbox';
  }

  /** Address of the demo wallet. It is made when it is first asked for, and its key never leaves the database. */
  async demoAddress(): Promise<Hex> {
    return (await this.#demo()).address as Hex;
  }

  /** Adds play money to an address, the demo wallet's when none is named. Errors: `conflict` when it has enough. */
  async faucet(request: { address?: string | undefined; amount?: number | undefined }): Promise<SandboxAccount> {
    this.#expectSandbox();
    const demo = await this.demoAddress();
    const address = request.address?.toLowerCase() ?? demo;
    const { storage, clock } = this.#market;
    return storage.transaction(async (tx) => {
      const amount = request.amount ?? FAUCET_AMOUNT;
      const balance = (await sandboxBalance(tx, address)) + amount;
      if (balance > FAUCET_BALANCE_MAX || !(await moveSandboxMoney(tx, address, amount, clock.now()))) {
        throw new QuarryError('conflict', 'This wallet has all the play money a wallet can get: spend some first.');
      }
      return { address, balance, demo: address === demo };
    });
  }

  /** The wallets with the most play money, the demo wallet among them. */
  async list(): Promise<SandboxAccount[]> {
    this.#expectSandbox();
    const demo = await this.demoAddress();
    const rows = await richestSandboxAccounts(this.#market.storage.db, WALLETS_SHOWN_MAX);
    return rows.map(({ address, balance }) => ({ address, balance, demo: address === demo }));
  }

  /** Signs a payment with the demo wallet: the value of `X-PAYMENT` or `PAYMENT-SIGNATURE`. */
  async pay(payable: PayableEntry): Promise<string> {
    this.#expectSandbox();
    const { address, private_key } = await this.#demo();
    const terms = this.#market.terms();
    const seconds = BigInt(Math.floor(this.#market.clock.now() / SECOND_MS));
    const authorization: Authorization = {
      from: address as Hex,
      to: terms.payTo.toLowerCase() as Hex,
      value: payable.amount,
      validAfter: seconds - BigInt(VALID_SINCE_SECONDS),
      validBefore: seconds + BigInt(payable.maxTimeoutSeconds),
      nonce: `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(NONCE_BYTES))).toString('hex')}`,
    };
    const { privateKeyToAccount } = await import('viem/accounts');
    const signature = await privateKeyToAccount(private_key as Hex).signTypedData(
      typedAuthorization(terms, authorization),
    );
    const payload = { signature, authorization: authorizationAsText(authorization) };
    if (payable.version === 2) return encodeHeader({ x402Version: 2, accepted: payable.entry, payload });
    return encodeHeader({ x402Version: 1, scheme: 'exact', network: terms.network.name, payload });
  }

  async #demo() {
    const { storage, clock } = this.#market;
    const known = await sandboxWallet(storage.db);
    if (known) return known;
    const { generatePrivateKey, privateKeyToAccount } = await import('viem/accounts');
    const key = generatePrivateKey();
    const made = { address: privateKeyToAccount(key).address.toLowerCase(), private_key: key, created_at: clock.now() };
    return storage.transaction(async (tx) => {
      const earlier = await sandboxWallet(tx);
      if (earlier) return earlier;
      await insertSandboxWallet(tx, made);
      await moveSandboxMoney(tx, made.address, FIRST_BALANCE, made.created_at);
      return made;
    });
  }

  #expectSandbox(): void {
    if (this.open) return;
    throw new QuarryError('conflict', 'Play money is for the sandbox: this server takes real payments.');
  }
}
