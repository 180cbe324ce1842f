import { type Address, NETWORKS, type Network } from './networks.ts';
import type { PaymentSettings } from './settings.ts';

/** What a payment must be made in, to whom: the part of a challenge that is the same for every operation. */
export interface Terms {
  network: Network;
  asset: Address;
  payTo: Address;
  /** The EIP-712 domain of the asset: without its true values no signature verifies. */
  extra: { name: string; version: string };
}

/**
 * The sandbox's terms are fixed. Circle's asset says domain version 2 on the chain and the sandbox says 1, so that no
 * signature made for play money can ever move real money, and the receiver is an address nobody has the key of.
 */
export const SANDBOX_TERMS: Terms = {
  network: NETWORKS['base-sepolia'],
  asset: NETWORKS['base-sepolia'].usdc.asset,
  payTo: '0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98',
  extra: { name: 'USDC', version: '1' },
};

/** Throws when a mode that moves real money has no receiver: `checkSettings` refuses such settings before. */
export function termsOf(settings: PaymentSettings): Terms {
  if (settings.mode === 'sandbox') return SANDBOX_TERMS;
  if (settings.payTo === null) throw new Error('payTo is missing.');
  const network = NETWORKS[settings.network];
  return {
    network,
    asset: (settings.asset ?? network.usdc.asset) as Address,
    payTo: settings.payTo as Address,
    extra: settings.extra ?? network.usdc.extra,
  };
}
