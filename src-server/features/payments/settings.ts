import { type FieldError, QuarryError } from '../../platform/errors.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { type Address, NETWORKS, type Network } from './networks.ts';
import type { PaymentSettings } from './schema.ts';

export const DEFAULT_SETTINGS: PaymentSettings = {
  mode: 'sandbox',
  network: 'base-sepolia',
  payTo: null,
  asset: null,
  extra: null,
  rpcUrl: null,
  facilitatorUrl: null,
  v2Header: true,
  confirmations: 1,
  payToShared: false,
};

/** Errors: `invalid_request` with the fields that the mode needs and the settings lack. */
export function checkSettings(settings: PaymentSettings, hasPrivateKey: boolean): void {
  const fields: FieldError[] = [];
  const requirePresent = (present: boolean, path: string, message: Said) => {
    if (!present) fields.push({ path, message });
  };
  if (settings.mode !== 'sandbox')
    requirePresent(settings.payTo !== null, 'payTo', say`Give the address that is paid.`);
  if (settings.mode !== 'sandbox' && settings.asset !== null) {
    requirePresent(settings.extra !== null, 'extra', say`Give the name and version of the asset's EIP-712 domain.`);
  }
  if (settings.mode === 'onchain') {
    requirePresent(settings.rpcUrl !== null, 'rpcUrl', say`Give the address of the chain's JSON-RPC.`);
    requirePresent(hasPrivateKey, 'privateKey', say`Give the key that pays the gas.`);
  }
  if (settings.mode === 'facilitator')
    requirePresent(settings.facilitatorUrl !== null, 'facilitatorUrl', say`Give the address of the facilitator.`);
  if (fields.length === 0) return;
  throw new QuarryError('invalid_request', `Settlement by ${settings.mode} needs more than was given.`, { fields });
}

/** Network, asset and receiver of payments: the part of a challenge that is the same for every operation. */
export interface Terms {
  network: Network;
  asset: Address;
  payTo: Address;
  /** The EIP-712 domain of the asset: without its true values no signature verifies. */
  extra: { name: string; version: string };
}

/**
 * The sandbox's terms are fixed. Circle's asset says domain version 2 on the chain and the sandbox says 1, so that no
 * signature made for play money can ever move real money. The receiver is an address without a known key.
 */
export const SANDBOX_TERMS: Terms = {
  network: NETWORKS['base-sepolia'],
  asset: NETWORKS['base-sepolia'].usdc.asset,
  payTo: '0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98',
  extra: { name: 'USDC', version: '1' },
};

/** The terms of settings that `checkSettings` has accepted. */
export function paymentTermsOf(settings: PaymentSettings): Terms {
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
