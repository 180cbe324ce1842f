import {
  type Expression,
  type ExpressionBuilder,
  type Generated,
  type Insertable,
  type Selectable,
  type SqlBool,
  sql,
  type Updateable,
} from 'kysely';
import type { Database, Db, Tx } from '../../platform/db/database.ts';
import { localTime } from '../../platform/db/local-time.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { DAY_MS, HOUR_MS } from '../../platform/units.ts';
import type { MoneyKind } from './schema.ts';

export type PaymentRow = Selectable<PaymentsTable>;

export type PriceChangeRow = Selectable<PriceChangesTable>;

/** Identifies a proof, in any encoding and with any valid signature. All in lower case. */
export interface PaymentKey {
  network: string;
  asset: string;
  payer: string;
  nonce: string;
}

export interface PaymentFilter {
  status?: PaymentRow['status'] | undefined;
  operationId?: string | undefined;
  payer?: string | undefined;
  money?: MoneyKind | undefined;
  /** Verified at or after, in milliseconds. */
  from?: number | undefined;
  /** Verified before, in milliseconds. */
  to?: number | undefined;
}

/** Payers in a summary, by amount. */
const SUMMARY_PAYERS_MAX = 100;

export function paymentByKey(db: Db, key: PaymentKey): PaymentRow | undefined {
  return db.queryFirst(
    db
      .selectFrom('payments')
      .selectAll()
      .where('network', '=', key.network)
      .where('asset', '=', key.asset)
      .where('payer', '=', key.payer)
      .where('nonce', '=', key.nonce),
  );
}

export function paymentBySeq(db: Db, seq: number): PaymentRow {
  return db.queryOne(db.selectFrom('payments').selectAll().where('seq', '=', seq));
}

/** The payment that bought a job; of several that share one job, the first. */
export function paymentOfJob(db: Db, jobId: string): PaymentRow | undefined {
  return db.queryFirst(db.selectFrom('payments').selectAll().where('job_id', '=', jobId).orderBy('seq').limit(1));
}

/** Reservations whose settlement has no outcome yet, oldest first. */
export function openPayments(db: Db, limit: number): PaymentRow[] {
  return db.queryAll(
    db.selectFrom('payments').selectAll().where('status', '=', 'reserved').orderBy('seq').limit(limit),
  );
}

export function countOpenPayments(db: Db): number {
  const row = db.queryOne(
    db
      .selectFrom('payments')
      .select((is) => is.fn.countAll<number>().as('open'))
      .where('status', '=', 'reserved'),
  );
  return row.open;
}

/** By whom and in what the open reservations are being settled. */
export function openSettlements(db: Db): Pick<PaymentRow, 'mode' | 'network' | 'asset'>[] {
  const open = db.selectFrom('payments').select(['mode', 'network', 'asset']).where('status', '=', 'reserved');
  return db.queryAll(open.distinct());
}

/** Drafts of jobs that a reservation may still turn into, as JSON, with the keys of their payments. */
export function openDrafts(db: Db): (PaymentKey & { draft: string })[] {
  const reserved = db.selectFrom('payments').select(['network', 'asset', 'payer', 'nonce', 'draft']);
  const rows = db.queryAll(reserved.where('status', '=', 'reserved').where('draft', 'is not', null));
  return rows.map(({ draft, ...key }) => ({ ...key, draft: draft ?? '' }));
}

/** One page, newest first. `before` is the `seq` of the last row of the page before. */
export function listPayments(db: Db, filter: PaymentFilter, before: number | null, limit: number): PaymentRow[] {
  const path = paymentAccessPath(filter);
  let query = db
    .selectFrom('payments')
    .selectAll()
    .where((is) => matchingPayments(is, filter, path));
  if (path !== 'time') {
    if (before !== null) query = query.where('seq', '<', before);
    return db.queryAll(query.orderBy('seq', 'desc').limit(limit));
  }
  if (before !== null) query = query.where((is) => earlierThan(is, before));
  return db.queryAll(query.orderBy('verified_at', 'desc').orderBy('seq', 'desc').limit(limit));
}

/** Which rows a page goes through: those of the rarest thing that is asked for. */
function paymentAccessPath(filter: PaymentFilter): 'status' | 'payer' | 'time' | 'money' | 'other' {
  const { status, operationId, payer, money, from, to } = filter;
  // Most payments are settled, and few of any other status.
  if (status !== undefined && status !== 'settled') return 'status';
  if (payer !== undefined) return 'payer';
  if (from !== undefined || to !== undefined) return 'time';
  return money === undefined || operationId !== undefined ? 'other' : 'money';
}

/** The plus signs keep SQLite from the indexes of the other ways. */
function matchingPayments(
  is: ExpressionBuilder<Database, 'payments'>,
  filter: PaymentFilter,
  path: ReturnType<typeof paymentAccessPath>,
): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = [];
  const indexedTextColumn = (name: 'status' | 'operation_id' | 'payer') =>
    path === 'other' || path === name ? sql.ref<string>(name) : sql<string>`+${sql.ref(name)}`;
  const time = path === 'time' ? sql.ref<number>('verified_at') : sql<number>`+${sql.ref('verified_at')}`;
  if (filter.status !== undefined) conditions.push(is(indexedTextColumn('status'), '=', filter.status));
  if (filter.operationId !== undefined) conditions.push(is(indexedTextColumn('operation_id'), '=', filter.operationId));
  if (filter.payer !== undefined) conditions.push(is(indexedTextColumn('payer'), '=', filter.payer));
  if (filter.money !== undefined) {
    const isPlay = path === 'money' ? sql<number>`(mode = 'sandbox')` : sql<number>`+(mode = 'sandbox')`;
    conditions.push(is(isPlay, '=', filter.money === 'play' ? 1 : 0));
  }
  if (filter.from !== undefined) conditions.push(is(time, '>=', filter.from));
  if (filter.to !== undefined) conditions.push(is(time, '<', filter.to));
  return is.and(conditions);
}

/** Behind the last row of the page before, in the order of times; of one time, in that of their numbers. */
function earlierThan(is: ExpressionBuilder<Database, 'payments'>, before: number): Expression<SqlBool> {
  const time = sql<number>`(select verified_at from payments where seq <= ${before} order by seq desc limit 1)`;
  return is.and([is('verified_at', '<=', time), is.or([is('verified_at', '<', time), is('seq', '<', before)])]);
}

interface SummedSpan {
  from: number;
  to: number;
  timeZone: string;
}

/**
 * Settled payments of one kind of money between two times, summed three ways. Each question is one walk over the index
 * of that span. Days are those of the time zone: `day` is the midnight that begins them, as if it were of UTC.
 */
export function sumPayments(db: Db, money: MoneyKind, { from, to, timeZone }: SummedSpan) {
  const span = db.selectFrom('payments').where('settled_at', '>=', from).where('settled_at', '<', to);
  const settled = span.where('mode', money === 'play' ? '=' : '!=', 'sandbox');
  // A literal, because a bound number would turn the division of integers into one of fractions.
  const held = db.queryOne(
    settled.select((is) => [
      is.fn.min<number | null>('settled_at').as('from'),
      is.fn.max<number | null>('settled_at').as('to'),
    ]),
  );
  const local = localTime(sql<number>`settled_at`, timeZone, { from: held.from ?? from, to: held.to ?? from });
  const day = sql<number>`${local} / ${sql.lit(DAY_MS)} * ${sql.lit(DAY_MS)}`;
  const byDay = db.queryAll(
    settled
      .select((is) => [
        day.as('day'),
        is.fn.countAll<number>().as('payments'),
        is.fn.sum<number>('amount').as('amount'),
      ])
      .groupBy(day)
      .orderBy('day'),
  );
  const byOperation = db.queryAll(
    settled
      .select((is) => [
        'operation_id as operationId',
        is.fn.countAll<number>().as('payments'),
        is.fn.sum<number>('amount').as('amount'),
      ])
      .groupBy('operation_id')
      .orderBy('amount', 'desc'),
  );
  const byPayer = db.queryAll(
    settled
      .select((is) => ['payer', is.fn.countAll<number>().as('payments'), is.fn.sum<number>('amount').as('amount')])
      .groupBy('payer')
      .orderBy('amount', 'desc')
      .limit(SUMMARY_PAYERS_MAX),
  );
  return { byDay, byOperation, byPayer };
}

/** What settled from `from` on, of one kind of money, by spans of `spanMs`, which is a whole number of hours. */
export function earnedSince(db: Db, money: MoneyKind, from: number, spanMs: number) {
  const start = sql<number>`(hour - ${sql.lit(from)}) / ${sql.lit(spanMs)} * ${sql.lit(spanMs)} + ${sql.lit(from)}`;
  return db.queryAll(
    db
      .selectFrom('earned_hours')
      .select((is) => [
        start.as('start'),
        is.fn.sum<number>('payments').as('payments'),
        is.fn.sum<number>('amount').as('amount'),
      ])
      .where('money', '=', money)
      .where('hour', '>=', from)
      .groupBy(start)
      .orderBy('start'),
  );
}

/** What some payers paid in total. Each payer and kind of money is one lookup. */
export function earnedFrom(db: Db, payers: readonly string[]): Selectable<EarnedFromTable>[] {
  return db.queryAll(
    db.selectFrom('earned_from').selectAll().where('money', 'in', ['play', 'real']).where('payer', 'in', payers),
  );
}

/** Whether money of this kind ever settled. */
export function hasEarned(db: Db, money: MoneyKind): boolean {
  const row = db.queryFirst(db.selectFrom('earned_hours').select('hour').where('money', '=', money).limit(1));
  return row !== undefined;
}

export function challengeCounts(db: Db, from: number, to: number): Selectable<ChallengeCountsTable>[] {
  return db.queryAll(
    db
      .selectFrom('challenge_counts')
      .selectAll()
      .where('day', '>=', from)
      .where('day', '<', to)
      .orderBy('day')
      .orderBy('operation_id')
      .orderBy('code'),
  );
}

/** Every edit of prices, oldest first: owners make them by hand, so there are few. */
export function priceChanges(db: Db): PriceChangeRow[] {
  return db.queryAll(db.selectFrom('price_changes').selectAll().orderBy('seq'));
}

/** In the 6-decimal unit; an address never seen has nothing. */
export function sandboxBalance(db: Db, address: string): number {
  const row = db.queryFirst(db.selectFrom('sandbox_balances').select('balance').where('address', '=', address));
  return row?.balance ?? 0;
}

/** Whether an address ever held play money. */
export function hasSandboxAccount(db: Db, address: string): boolean {
  const query = db.selectFrom('sandbox_balances').select('address').where('address', '=', address);
  return db.queryFirst(query) !== undefined;
}

export function richestSandboxAccounts(db: Db, limit: number): Selectable<SandboxBalancesTable>[] {
  return db.queryAll(
    db.selectFrom('sandbox_balances').selectAll().orderBy('balance', 'desc').orderBy('address').limit(limit),
  );
}

export function sandboxWallet(db: Db): Selectable<SandboxWalletsTable> | undefined {
  return db.queryFirst(db.selectFrom('sandbox_wallets').selectAll().orderBy('created_at').limit(1));
}

/** The stored JSON value of a setting of the payments layer. */
export function paymentSetting(db: Db, name: string): unknown {
  const row = db.queryFirst(db.selectFrom('settings').select('value').where('name', '=', name));
  return row === undefined ? undefined : parseOwnJson(row.value);
}

type NewPaymentRow = Omit<Insertable<PaymentsTable>, 'seq'>;

/** `updated_at` is the writer's business, and what identifies a proof never changes. */
type PaymentChange = Omit<
  Updateable<PaymentsTable>,
  'seq' | 'id' | 'network' | 'asset' | 'payer' | 'nonce' | 'updated_at'
>;

/** Play money one address can hold: within what a number counts exactly. */
const SANDBOX_BALANCE_MAX = 9_000_000_000_000_000;

export function insertPayment(tx: Tx, row: NewPaymentRow): PaymentRow {
  return tx.queryOne(tx.insertInto('payments').values(row).returningAll());
}

export function changePayment(tx: Tx, seq: number, change: PaymentChange, now: number): PaymentRow {
  return tx.queryOne(
    tx
      .updateTable('payments')
      .set({ ...change, updated_at: now })
      .where('seq', '=', seq)
      .returningAll(),
  );
}

/** Adds a payment that settles to the sums of its hour and its payer. */
export function addEarning(tx: Tx, { mode, payer, amount }: PaymentRow, now: number): void {
  const money = mode === 'sandbox' ? 'play' : 'real';
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  tx.runStatement(
    tx
      .insertInto('earned_hours')
      .values({ money, hour, payments: 1, amount })
      .onConflict((conflict) =>
        conflict.columns(['money', 'hour']).doUpdateSet((is) => ({
          payments: is('earned_hours.payments', '+', 1),
          amount: is('earned_hours.amount', '+', amount),
        })),
      ),
  );
  tx.runStatement(
    tx
      .insertInto('earned_from')
      .values({ money, payer, payments: 1, amount })
      .onConflict((conflict) =>
        conflict.columns(['money', 'payer']).doUpdateSet((is) => ({
          payments: is('earned_from.payments', '+', 1),
          amount: is('earned_from.amount', '+', amount),
        })),
      ),
  );
}

export function addChallengeCount(tx: Tx, count: Insertable<ChallengeCountsTable>): void {
  tx.runStatement(
    tx
      .insertInto('challenge_counts')
      .values(count)
      .onConflict((conflict) =>
        conflict
          .columns(['day', 'operation_id', 'code'])
          .doUpdateSet((is) => ({ answers: is('challenge_counts.answers', '+', count.answers) })),
      ),
  );
}

export function insertPriceChange(tx: Tx, change: Omit<Insertable<PriceChangesTable>, 'seq'>): void {
  tx.runStatement(tx.insertInto('price_changes').values(change));
}

/** Adds to a balance, or takes from it. False, and nothing changed, when the balance would leave its bounds. */
export function moveSandboxMoney(tx: Tx, address: string, amount: number, now: number): boolean {
  const balance = sandboxBalance(tx, address) + amount;
  if (balance < 0 || balance > SANDBOX_BALANCE_MAX) return false;
  const row = { balance, updated_at: now };
  tx.runStatement(
    tx
      .insertInto('sandbox_balances')
      .values({ address, ...row })
      .onConflict((conflict) => conflict.column('address').doUpdateSet(row)),
  );
  return true;
}

export function insertSandboxWallet(tx: Tx, wallet: Insertable<SandboxWalletsTable>): void {
  tx.runStatement(tx.insertInto('sandbox_wallets').values(wallet));
}

export function writePaymentSetting(tx: Tx, name: string, value: unknown, now: number): void {
  const row = { value: JSON.stringify(value), updated_at: now };
  tx.runStatement(
    tx
      .insertInto('settings')
      .values({ name, ...row })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(row)),
  );
}

export function removePaymentSetting(tx: Tx, name: string): void {
  tx.runStatement(tx.deleteFrom('settings').where('name', '=', name));
}

/** Gives every payment of a job one free run again, unless it has had one. */
export function grantReruns(tx: Tx, jobId: string, expiresAt: number, now: number): void {
  tx.runStatement(
    tx
      .updateTable('payments')
      .set({ rerun_expires_at: expiresAt, updated_at: now })
      .where('job_id', '=', jobId)
      .where('rerun_used_at', 'is', null)
      .where('rerun_expires_at', 'is', null),
  );
}

/**
 * The ledger: one row per proof that passed verification, from its reservation to its end. The key (network, asset,
 * payer, nonce) is unique: another valid signature of the same authorization is the same row.
 */
interface PaymentsTable {
  seq: Generated<number>;
  id: string;
  /** reserved: being settled. settled: the money arrived. failed: it did not, and the proof can be sent again. */
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
  /** The draft of the job as JSON while the job is owed; null before and after. */
  draft: string | null;
  job_id: string | null;
  /** The newest signed transaction, stored before it is sent. */
  raw_transaction: `0x${string}` | null;
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
interface ChallengeCountsTable {
  /** First millisecond of the day in UTC. */
  day: number;
  operation_id: string;
  code: string;
  answers: number;
}

/** Settled payments of an hour. Play money and real money are never added. */
interface EarnedHoursTable {
  money: MoneyKind;
  /** First millisecond of the hour in UTC. */
  hour: number;
  payments: number;
  amount: number;
}

/** Settled payments of a payer. */
interface EarnedFromTable {
  money: MoneyKind;
  payer: string;
  payments: number;
  amount: number;
}

/** Each price edit with what it replaced: challenges made before it are honoured while their window is open. */
interface PriceChangesTable {
  seq: Generated<number>;
  operation_id: string;
  amount: number;
  timeout_seconds: number;
  previous_amount: number;
  previous_timeout_seconds: number;
  changed_at: number;
}

/** Play money of the sandbox. */
interface SandboxBalancesTable {
  address: string;
  balance: number;
  updated_at: number;
}

/** Wallets whose keys the sandbox holds, so that the flow works without a wallet of one's own. */
interface SandboxWalletsTable {
  address: `0x${string}`;
  private_key: `0x${string}`;
  created_at: number;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    payments: PaymentsTable;
    challenge_counts: ChallengeCountsTable;
    earned_hours: EarnedHoursTable;
    earned_from: EarnedFromTable;
    price_changes: PriceChangesTable;
    sandbox_balances: SandboxBalancesTable;
    sandbox_wallets: SandboxWalletsTable;
  }
}
