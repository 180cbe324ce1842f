import type { Generated, Insertable, Selectable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { AccountCursor, AccountKind } from './schema.ts';

/** False when the message was used before. Deletes expired ones. */
export function useSignInNonce(
  tx: Tx,
  used: { address: string; nonce: string; expiresAt: number },
  now: number,
): boolean {
  tx.runStatement(tx.deleteFrom('sign_in_nonces').where('expires_at', '<', now));
  const inserted = tx.runStatement(
    tx
      .insertInto('sign_in_nonces')
      .values({ address: used.address, nonce: used.nonce, expires_at: used.expiresAt })
      .onConflict((conflict) => conflict.columns(['address', 'nonce']).doNothing()),
  );
  return inserted === 1;
}

export type AccountRow = Selectable<AccountsTable>;

/** Accounts with an assigned plan. They are few: the owner assigns each. */
export function accountsWithPlan(db: Db, limit: number): AccountRow[] {
  return db.queryAll(db.selectFrom('accounts').selectAll().where('plan', 'is not', null).limit(limit));
}

/** One page, last seen first; of all kinds where none is named. */
export function listAccounts(db: Db, before: AccountCursor | null, limit: number, kind?: AccountKind): AccountRow[] {
  let query = db.selectFrom('accounts').selectAll();
  if (kind !== undefined) query = query.where('account_id', kind === 'wallet' ? 'not like' : 'like', 'ip:%');
  if (before !== null) {
    query = query.where((or) =>
      or.or([
        or('last_seen', '<', before.lastSeen),
        or.and([or('last_seen', '=', before.lastSeen), or('account_id', '<', before.accountId)]),
      ]),
    );
  }
  return db.queryAll(query.orderBy('last_seen', 'desc').orderBy('account_id', 'desc').limit(limit));
}

export interface LastSeen {
  accountId: string;
  firstSeen: number;
  lastSeen: number;
}

/** Records when accounts were seen. A known account keeps its plan and its first time. */
export function recordLastSeen(tx: Tx, seen: readonly LastSeen[]): void {
  const rows = seen.map(({ accountId, firstSeen, lastSeen }) => ({
    account_id: accountId,
    plan: null,
    requests_per_minute: null,
    concurrency: null,
    first_seen: firstSeen,
    last_seen: lastSeen,
  }));
  tx.runStatement(
    tx
      .insertInto('accounts')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('account_id').doUpdateSet((is) => ({ last_seen: is.ref('excluded.last_seen') })),
      ),
  );
}

/** Gives an account a plan, and creates it when it is unknown. */
export function writePlan(
  tx: Tx,
  accountId: string,
  plan: Pick<Insertable<AccountsTable>, 'plan' | 'blocked' | 'requests_per_minute' | 'concurrency'>,
  now: number,
): void {
  tx.runStatement(
    tx
      .insertInto('accounts')
      .values({ account_id: accountId, ...plan, first_seen: now, last_seen: now })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(plan)),
  );
}

/** Deletes accounts without a plan that were last seen before these times. Returns how many it deleted. */
export function forgetAccounts(tx: Tx, before: { addresses: number; wallets: number }, limit: number): number {
  const expired = tx
    .selectFrom('accounts')
    .select('account_id')
    .where('last_seen', '<', before.addresses)
    .where('plan', 'is', null)
    .where((is) => is.or([is('account_id', 'like', 'ip:%'), is('last_seen', '<', before.wallets)]))
    .limit(limit);
  return tx.runStatement(tx.deleteFrom('accounts').where('account_id', 'in', expired));
}

/** Accounts that used the service, and their plans. Without a plan the default applies. */
interface AccountsTable {
  account_id: string;
  plan: 'studio' | 'production' | 'enterprise' | null;
  /** 1 for an account that may do nothing; it has the plan of new accounts. */
  blocked: Generated<number>;
  /** Set for the enterprise plan only. */
  requests_per_minute: number | null;
  /** Set for the enterprise plan only. */
  concurrency: number | null;
  first_seen: number;
  /** To within a few minutes. */
  last_seen: number;
}

/** Used sign-in messages, until they expire. */
interface SignInNoncesTable {
  address: string;
  nonce: string;
  expires_at: number;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    accounts: AccountsTable;
    sign_in_nonces: SignInNoncesTable;
  }
}
