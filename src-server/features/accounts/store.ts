import { type Selectable, sql } from 'kysely';
import { assertTransaction, type Db, type Tx } from '../../platform/db/database.ts';
import type { AccountCursor, AccountKind } from './schema.ts';

/** False when the message was used before. Forgets those that have expired, so the table stays small. */
export function useSignInNonce(
  tx: Tx,
  used: { address: string; nonce: string; expiresAt: number },
  now: number,
): boolean {
  assertTransaction(tx);
  tx.run(tx.deleteFrom('sign_in_nonces').where('expires_at', '<', now));
  const inserted = tx.run(
    tx
      .insertInto('sign_in_nonces')
      .values({ address: used.address, nonce: used.nonce, expires_at: used.expiresAt })
      .onConflict((conflict) => conflict.columns(['address', 'nonce']).doNothing()),
  );
  return inserted === 1;
}

export type AccountRow = Selectable<AccountsTable>;

/** Accounts somebody gave a plan: few, since each was given by hand. */
export function accountsWithPlan(db: Db, limit: number): AccountRow[] {
  return db.all(db.selectFrom('accounts').selectAll().where('plan', 'is not', null).limit(limit));
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
  return db.all(query.orderBy('last_seen', 'desc').orderBy('account_id', 'desc').limit(limit));
}

/** Those seen before a time, seen longest ago first; `after` is the last one of the page before. */
export function accountsSeenBefore(db: Db, before: number, after: AccountCursor | null, limit: number): AccountRow[] {
  let query = db.selectFrom('accounts').selectAll().where('last_seen', '<', before);
  if (after !== null) {
    query = query.where(
      sql<boolean>`(last_seen, account_id) > (${sql.val(after.lastSeen)}, ${sql.val(after.accountId)})`,
    );
  }
  return db.all(query.orderBy('last_seen').orderBy('account_id').limit(limit));
}

export interface LastSeen {
  accountId: string;
  firstSeen: number;
  lastSeen: number;
}

/** Notes that accounts were seen; a new one gets a row, a known one keeps its plan and first sighting. */
export function recordLastSeen(tx: Tx, sightings: readonly LastSeen[]): void {
  assertTransaction(tx);
  const rows = sightings.map(({ accountId, firstSeen, lastSeen }) => ({
    account_id: accountId,
    plan: null,
    requests_per_minute: null,
    concurrency: null,
    first_seen: firstSeen,
    last_seen: lastSeen,
  }));
  tx.run(
    tx
      .insertInto('accounts')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('account_id').doUpdateSet((is) => ({ last_seen: is.ref('excluded.last_seen') })),
      ),
  );
}

export type PlanRow = Pick<AccountsTable, 'plan' | 'requests_per_minute' | 'concurrency'>;

/** Gives an account a plan; an account nobody saw yet is made by it. */
export function writePlan(tx: Tx, accountId: string, plan: PlanRow, now: number): void {
  assertTransaction(tx);
  tx.run(
    tx
      .insertInto('accounts')
      .values({ account_id: accountId, ...plan, first_seen: now, last_seen: now })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(plan)),
  );
}

/** Forgets these, but for those that were seen since `before` or given a plan meanwhile. */
export function forgetAccounts(tx: Tx, accountIds: readonly string[], before: number): void {
  assertTransaction(tx);
  tx.run(
    tx
      .deleteFrom('accounts')
      .where('account_id', 'in', accountIds)
      .where('last_seen', '<', before)
      .where('plan', 'is', null),
  );
}

/**
 * Who has used the service, and the plan the owner gave them. `plan` is null while nobody decided: the default applies.
 */
interface AccountsTable {
  account_id: string;
  plan: 'studio' | 'production' | 'enterprise' | null;
  /** Set for the enterprise plan only. */
  requests_per_minute: number | null;
  /** Set for the enterprise plan only. */
  concurrency: number | null;
  first_seen: number;
  /** Written at most once per few minutes and account: a hint for people, not a measurement. */
  last_seen: number;
}

/** Sign-in messages already used, until they would have expired anyway. */
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
