import type { z } from 'zod';
import type { Tx } from '../../platform/db/database.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { type Refused, type Unavailable, unavailablePayment } from './codes.ts';
import type { Hex } from './networks.ts';
import type { ExactPayload } from './proof.ts';
import type { PaymentRequirements, PaymentSettings, SettlementCheck } from './schema.ts';
import type { PaymentRow } from './store.ts';

/** A transfer takes about 74,000 gas; a contract wallet's own check may use the rest and no more. */
export const SETTLE_GAS = 300_000n;

export type SignedAuthorization = z.output<typeof ExactPayload>;

export interface Settled {
  kind: 'settled';
  /** Empty when a facilitator did not name it. */
  transactionHash: string;
}

export interface Verified {
  kind: 'verified';
}

/** Asks a wallet contract (ERC-1271) whether it signed a plain message. */
export type ContractSignature = (address: Hex, message: string, signature: Hex) => Promise<boolean>;

/** Records of a running settlement. Each is a transaction, before the step that may be lost. */
export interface Journal {
  /** Counts an attempt whose outcome may get lost. */
  attempt(): PaymentRow;
  /** Stores the signed transaction before it is sent, with the earlier ones of the same payment. */
  signed(raw: Hex, hash: Hex): PaymentRow;
}

/** Moves money. Price, window and receiver were checked before. */
export interface Settlement {
  readonly mode: PaymentSettings['mode'];
  /** Whether the proof would settle now. Changes nothing. */
  verify(proof: SignedAuthorization, requirements: PaymentRequirements): Promise<Verified | Refused | Unavailable>;
  /**
   * In the sandbox the money and the job are in one database, so they move in one transaction. Elsewhere settlement
   * takes seconds and may be cut off at any point: it writes to the journal and can be called again for the same row.
   */
  readonly move:
    | { kind: 'immediate'; settle(tx: Tx, payment: PaymentRow, now: number): Settled | Refused }
    | { kind: 'deferred'; settle(payment: PaymentRow, journal: Journal): Promise<Settled | Refused | Unavailable> };
  /** Address that sends settlements; null where another party sends them. */
  signer(): Promise<Hex | null>;
  checks(): Promise<SettlementCheck[]>;
  /** Checks signatures of contract wallets; null in the sandbox, which has none. */
  readonly contractSignature: ContractSignature | null;
}

/** Checks that the chain can be asked and is the one of the challenges, then `further`. */
export async function chainChecks(
  chain: () => Promise<{ mismatch(): Promise<Said | null> }>,
  further: () => Promise<SettlementCheck[]> = async () => [],
): Promise<SettlementCheck[]> {
  try {
    const mismatch = await (await chain()).mismatch();
    const detail = mismatch ?? say`Chain and asset are what challenges say.`;
    return [{ name: 'chain', ok: mismatch === null, detail }, ...(await further())];
  } catch (error) {
    const { cause } = unavailablePayment('unexpected_verify_error', error);
    return [{ name: 'chain', ok: false, detail: say`The chain cannot be asked: ${cause}` }];
  }
}
