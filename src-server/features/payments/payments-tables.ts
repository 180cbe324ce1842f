import type { Generated } from 'kysely';

/**
 * The ledger: one row per proof that passed verification, from its reservation to its end. The key (network, asset,
 * payer, nonce) is unique, whatever the signature looks like: a twin of a proof is the same row.
 */
export interface PaymentsTable {
  seq: Generated<number>;
  id: string;
  /** reserved: being settled. settled: the money arrived. failed: it did not, and the proof may be offered anew. */
  status: 'reserved' | 'settled' | 'failed';
  mode: 'sandbox' | 'facilitator' | 'onchain';
  x402_version: number;
  network: string;
  /** Addresses and nonces in lower-case hex. */
  asset: string;
  payer: string;
  nonce: string;
  pay_to: string;
  /** What the payer signed, in the 6-decimal unit. */
  amount: number;
  /** What the operation cost; null until the payment is bound to a request. */
  price: number | null;
  operation_id: string | null;
  /** The `accepts` entry the proof answers, as JSON. */
  challenge: string;
  /** Signature and authorization as JSON: what settling again after a crash needs. */
  proof: string;
  /** Null for money that came through the local facilitator and has bought nothing yet. */
  request_hash: string | null;
  /** JobDraft as JSON while the job is owed; null before and after. */
  draft: string | null;
  job_id: string | null;
  /** The newest signed transaction, stored before it is sent. */
  raw_transaction: string | null;
  /** Those signed before it, as a JSON array, oldest first: any of them may be the one that is mined. */
  replaced_transactions: string | null;
  transaction_hash: string | null;
  /** How often a settlement was begun whose outcome was not known when it was begun. */
  settle_attempts: number;
  error_code: string | null;
  /** When the challenge's price window was checked and the signature found good. */
  verified_at: number;
  broadcast_at: number | null;
  settled_at: number | null;
  failed_at: number | null;
  updated_at: number;
  rerun_expires_at: number | null;
  rerun_used_at: number | null;
}

/** 402 answers per day, operation and error code. The code is empty where no proof was given. */
export interface ChallengeCountsTable {
  /** First millisecond of the day in UTC. */
  day: number;
  operation_id: string;
  code: string;
  answers: number;
}

/** Each price edit with what it replaced: challenges made before it are honoured while their window is open. */
export interface PriceChangesTable {
  seq: Generated<number>;
  operation_id: string;
  amount: number;
  timeout_seconds: number;
  previous_amount: number;
  previous_timeout_seconds: number;
  changed_at: number;
}

/** Play money of the sandbox. */
export interface SandboxBalancesTable {
  address: string;
  balance: number;
  updated_at: number;
}

/** Wallets whose keys the sandbox holds, so that the flow works without a wallet of one's own. */
export interface SandboxWalletsTable {
  address: string;
  private_key: string;
  created_at: number;
}

/** Sign-in messages already used, until they would have expired anyway. */
export interface SignInNoncesTable {
  address: string;
  nonce: string;
  expires_at: number;
}

export interface PaymentsDatabase {
  payments: PaymentsTable;
  challenge_counts: ChallengeCountsTable;
  price_changes: PriceChangesTable;
  sandbox_balances: SandboxBalancesTable;
  sandbox_wallets: SandboxWalletsTable;
  sign_in_nonces: SignInNoncesTable;
}
