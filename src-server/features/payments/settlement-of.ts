import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import type { ChainClient, ChainParts } from './chain-client.ts';
import type { Hex } from './networks.ts';
import { onchainSettlement } from './onchain.ts';
import { facilitatorSettlement } from './remote-facilitator.ts';
import { sandboxSettlement } from './sandbox.ts';
import type { PaymentSettings } from './settings.ts';
import type { Settlement } from './settlement.ts';
import type { Terms } from './terms.ts';

export interface SettlementParts {
  storage: Storage;
  clock: Clock;
  terms: Terms;
  settings: Readonly<PaymentSettings>;
  /** Read only where a transaction is signed. */
  privateKey(): Hex | null;
  baseUrl(): string;
}

/** How money moves under these settings, which `checkSettings` has passed. */
export function settlementOf(parts: SettlementParts): Settlement {
  const { mode, rpcUrl, facilitatorUrl, confirmations, payToShared } = parts.settings;
  if (mode === 'sandbox') return sandboxSettlement(parts.storage, parts.terms);
  const chain = rpcUrl === null ? null : lazyChain({ rpcUrl, terms: parts.terms, confirmations });
  if (mode === 'facilitator') {
    if (facilitatorUrl === null) throw new Error('facilitatorUrl is missing.');
    return facilitatorSettlement({
      url: facilitatorUrl,
      terms: parts.terms,
      baseUrl: parts.baseUrl,
      chain,
      clock: parts.clock,
      payToShared,
    });
  }
  if (chain === null) throw new Error('rpcUrl is missing.');
  return onchainSettlement({
    chain,
    terms: parts.terms,
    privateKey: parts.privateKey,
    clock: parts.clock,
    payToShared,
  });
}

/** The chain's library takes a third of a second to load: it is loaded with the first payment. */
function lazyChain(parts: ChainParts): () => Promise<ChainClient> {
  let client: Promise<ChainClient> | null = null;
  const load = async () => {
    const { ChainClient } = await import('./chain-client.ts');
    return new ChainClient(parts);
  };
  return () => {
    client ??= load();
    return client;
  };
}
