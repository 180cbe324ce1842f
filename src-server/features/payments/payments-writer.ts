import type { Insertable, Updateable } from 'kysely';
import { assertTransaction } from '../../platform/db/database.ts';
import type { Tx } from '../../platform/db/schema.ts';
import type { ChallengeCountsTable, PaymentsTable, PriceChangesTable, SandboxWalletsTable } from './payments-tables.ts';
import { type PaymentRow, sandboxBalance } from './store.ts';

export type NewPaymentRow = Omit<Insertable<PaymentsTable>, 'seq'>;
/** `updated_at` is the writer's business, and what identifies a proof never changes. */
export type PaymentChange = Omit<
  Updateable<PaymentsTable>,
  'seq' | 'id' | 'network' | 'asset' | 'payer' | 'nonce' | 'updated_at'
>;

/** Play money one address can hold: within what a number counts exactly. */
export const SANDBOX_BALANCE_MAX = 9_000_000_000_000_000;

export async function insertPayment(tx: Tx, row: NewPaymentRow): Promise<PaymentRow> {
  assertTransaction(tx);
  return tx.insertInto('payments').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function changePayment(tx: Tx, seq: number, change: PaymentChange, now: number): Promise<PaymentRow> {
  assertTransaction(tx);
  return tx
    .updateTable('payments')
    .set({ ...change, updated_at: now })
    .where('seq', '=', seq)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function addChallengeCount(tx: Tx, count: Insertable<ChallengeCountsTable>): Promise<void> {
  assertTransaction(tx);
  await tx
    .insertInto('challenge_counts')
    .values(count)
    .onConflict((conflict) =>
      conflict
        .columns(['day', 'operation_id', 'code'])
        .doUpdateSet((is) => ({ answers: is('challenge_counts.answers', '+', count.answers) })),
    )
    .execute();
}

export async function insertPriceChange(tx: Tx, change: Omit<Insertable<PriceChangesTable>, 'seq'>): Promise<void> {
  assertTransaction(tx);
  await tx.insertInto('price_changes').values(change).execute();
}

/** Adds to a balance, or takes from it. False, and nothing changed, when the balance would leave its bounds. */
export async function moveSandboxMoney(tx: Tx, address: string, amount: number, now: number): Promise<boolean> {
  assertTransaction(tx);
  const balance = (await sandboxBalance(tx, address)) + amount;
  if (balance < 0 || balance > SANDBOX_BALANCE_MAX) return false;
  const row = { balance, updated_at: now };
  await tx
    .insertInto('sandbox_balances')
    .values({ address, ...row })
    .onConflict((conflict) => conflict.column('address').doUpdateSet(row))
    .execute();
  return true;
}

export async function insertSandboxWallet(tx: Tx, wallet: Insertable<SandboxWalletsTable>): Promise<void> {
  assertTransaction(tx);
  await tx.insertInto('sandbox_wallets').values(wallet).execute();
}

/** False when the message was used before. Forgets those that have expired, so the table stays small. */
export async function useSignInNonce(
  tx: Tx,
  used: { address: string; nonce: string; expiresAt: number },
  now: number,
): Promise<boolean> {
  assertTransaction(tx);
  await tx.deleteFrom('sign_in_nonces').where('expires_at', '<', now).execute();
  const inserted = await tx
    .insertInto('sign_in_nonces')
    .values({ address: used.address, nonce: used.nonce, expires_at: used.expiresAt })
    .onConflict((conflict) => conflict.columns(['address', 'nonce']).doNothing())
    .executeTakeFirst();
  return Number(inserted.numInsertedOrUpdatedRows ?? 0) === 1;
}

export async function writePaymentSetting(tx: Tx, name: string, value: unknown, now: number): Promise<void> {
  assertTransaction(tx);
  const row = { value: JSON.stringify(value), updated_at: now };
  await tx
    .insertInto('settings')
    .values({ name, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute();
}

export async function removePaymentSetting(tx: Tx, name: string): Promise<void> {
  assertTransaction(tx);
  await tx.deleteFrom('settings').where('name', '=', name).execute();
}

/** Gives every payment of a job one free run again, unless it has had one. */
export async function grantReruns(tx: Tx, jobId: string, expiresAt: number, now: number): Promise<void> {
  assertTransaction(tx);
  await tx
    .updateTable('payments')
    .set({ rerun_expires_at: expiresAt, updated_at: now })
    .where('job_id', '=', jobId)
    .where('rerun_used_at', 'is', null)
    .where('rerun_expires_at', 'is', null)
    .execute();
}
