import type { PrivateKeyAccount } from 'viem/accounts';
import { authorizationFor, type Entry, header, newWallet, sign } from '../payments/proofs.ts';
import type { Appliance } from './appliance.ts';
import { postJson } from './text-models.ts';

/** So that a proof outlives the minute of a window, as one that is signed in reserve does. */
const DAY_SECONDS = 86_400;

/** A customer of an appliance: a wallet of its own with play money. */
export interface Customer {
  /** Lower-case address: the account. */
  accountId: string;
  /** Signs a new proof that pays an entry, good for a day. */
  proofOf(entry: Entry): Promise<string>;
}

export async function newCustomer(appliance: Appliance): Promise<Customer> {
  const wallet: PrivateKeyAccount = newWallet();
  const filled = await appliance.anonymous('/facilitator/faucet', postJson({ address: wallet.address }));
  if (filled.status !== 200) throw new Error(`The faucet answered ${filled.status}: ${await filled.text()}`);
  return {
    accountId: wallet.address.toLowerCase(),
    proofOf: async (entry) => {
      const long = { ...entry, maxTimeoutSeconds: DAY_SECONDS };
      return header(await sign(wallet, entry, authorizationFor(long, wallet.address, appliance.clock.now())));
    },
  };
}

/** What an operation costs: the entry of its challenge. */
export async function entryOf(appliance: Appliance, operationId: string): Promise<Entry> {
  const unpaid = await appliance.anonymous(`/v1/${operationId}`, { method: 'POST' });
  const { accepts } = (await unpaid.json()) as { accepts: [Entry] };
  return accepts[0];
}

export function paid(body: unknown, proof: string, headers: Record<string, string> = {}): RequestInit {
  return { ...postJson(body), headers: { 'content-type': 'application/json', 'X-PAYMENT': proof, ...headers } };
}
