import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/schema.ts';
import type { AccountsTable } from './accounts-table.ts';

export type AccountRow = Selectable<AccountsTable>;

/** Place in the list of accounts: the last row of the page before. */
export interface AccountCursor {
  lastSeen: number;
  accountId: string;
}

/** Accounts somebody gave a plan: few, since each was given by hand. */
export async function accountsWithPlan(db: Db | Tx, limit: number): Promise<AccountRow[]> {
  return db.selectFrom('accounts').selectAll().where('plan', 'is not', null).limit(limit).execute();
}

export type AccountKind = 'wallet' | 'address';

/** One page, last seen first; of all kinds where none is named. */
export async function listAccounts(
  db: Db,
  before: AccountCursor | null,
  limit: number,
  kind?: AccountKind,
): Promise<AccountRow[]> {
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
  return query.orderBy('last_seen', 'desc').orderBy('account_id', 'desc').limit(limit).execute();
}

/** Those seen before a time, seen longest ago first; `after` is the last one of the page before. */
export async function accountsSeenBefore(
  db: Db,
  before: number,
  after: AccountCursor | null,
  limit: number,
): Promise<AccountRow[]> {
  let query = db.selectFrom('accounts').selectAll().where('last_seen', '<', before);
  if (after !== null) {
    query = query.where(
      sql<boolean>`(last_seen, account_id) > (${sql.val(after.lastSeen)}, ${sql.val(after.accountId)})`,
    );
  }
  return query.orderBy('last_seen').orderBy('account_id').limit(limit).execute();
}

/** Accounts that jobs are being processed for, but for `except`; at most `limit` of them. */
export async function accountsProcessing(db: Db, except: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('account_id')
    .distinct()
    .where('status', '=', 'processing')
    .where('account_id', '!=', except)
    .limit(limit)
    .execute();
  return rows.map((row) => row.account_id);
}

/** Queued jobs of an account that are being processed, those of the given operations left out. */
export async function countProcessing(db: Db, accountId: string, without: readonly string[]): Promise<number> {
  let query = db
    .selectFrom('jobs')
    .select((is) => is.fn.countAll<number>().as('n'))
    .where('status', '=', 'processing')
    .where('account_id', '=', accountId);
  if (without.length > 0) query = query.where('operation_id', 'not in', without);
  return (await query.executeTakeFirstOrThrow()).n;
}
