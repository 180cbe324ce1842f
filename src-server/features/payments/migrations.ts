import { type Kysely, sql } from 'kysely';

/** The payment ledger, price edits, the sandbox's play money and used sign-ins. Frozen: changes are new migrations. */
export async function createPayments(db: Kysely<never>): Promise<void> {
  await sql`
    create table payments (
      seq integer primary key autoincrement,
      id text not null unique,
      status text not null check (status in ('reserved', 'settled', 'failed')),
      mode text not null check (mode in ('sandbox', 'facilitator', 'onchain')),
      x402_version integer not null,
      network text not null,
      asset text not null,
      payer text not null,
      nonce text not null,
      pay_to text not null,
      amount integer not null,
      price integer,
      operation_id text,
      challenge text not null,
      proof text not null,
      request_hash text,
      draft text,
      job_id text,
      raw_transaction text,
      transaction_hash text,
      settle_attempts integer not null,
      error_code text,
      verified_at integer not null,
      broadcast_at integer,
      settled_at integer,
      failed_at integer,
      updated_at integer not null,
      rerun_expires_at integer,
      rerun_used_at integer,
      unique (network, asset, payer, nonce)
    )`.execute(db);
  await sql`create index payments_by_status on payments (status, seq)`.execute(db);
  await sql`create index payments_by_operation on payments (operation_id, seq)`.execute(db);
  await sql`create index payments_by_payer on payments (payer, seq)`.execute(db);
  // Holds what the sums need, so that a summary reads no row of the table.
  await sql`
    create index payments_settled on payments (settled_at, operation_id, payer, amount)
    where settled_at is not null`.execute(db);
  await sql`create index payments_of_job on payments (job_id) where job_id is not null`.execute(db);
  await sql`
    create table challenge_counts (
      day integer not null,
      operation_id text not null,
      code text not null,
      answers integer not null,
      primary key (day, operation_id, code)
    )`.execute(db);
  await sql`
    create table price_changes (
      seq integer primary key autoincrement,
      operation_id text not null,
      amount integer not null,
      timeout_seconds integer not null,
      previous_amount integer not null,
      previous_timeout_seconds integer not null,
      changed_at integer not null
    )`.execute(db);
  await sql`create index price_changes_of_operation on price_changes (operation_id, seq)`.execute(db);
  await sql`
    create table sandbox_balances (
      address text primary key,
      balance integer not null check (balance >= 0),
      updated_at integer not null
    )`.execute(db);
  await sql`
    create table sandbox_wallets (
      address text primary key,
      private_key text not null,
      created_at integer not null
    )`.execute(db);
  await sql`
    create table sign_in_nonces (
      address text not null,
      nonce text not null,
      expires_at integer not null,
      primary key (address, nonce)
    )`.execute(db);
  await sql`create index sign_in_nonces_expiring on sign_in_nonces (expires_at)`.execute(db);
}

/** The transactions that an open settlement signed before its newest one: any of them may be the one that is mined. */
export async function addReplacedTransactions(db: Kysely<never>): Promise<void> {
  await sql`alter table payments add column replaced_transactions text`.execute(db);
}

/** Sums of real payments leave out play money, and read the index alone. */
export async function indexSettledByMode(db: Kysely<never>): Promise<void> {
  await sql`drop index payments_settled`.execute(db);
  await sql`
    create index payments_settled on payments (settled_at, operation_id, payer, amount, mode)
    where settled_at is not null`.execute(db);
}

/** The payments of a day or a month: a list of them went through all that came later. */
export async function indexPaymentsByTime(db: Kysely<never>): Promise<void> {
  await sql`create index payments_by_time on payments (verified_at)`.execute(db);
}

/** Sums of settled payments by hour and by payer, of play money and real money apart. */
export async function sumEarnings(db: Kysely<never>): Promise<void> {
  await sql`
    create table earned_hours (
      money text not null check (money in ('play', 'real')),
      hour integer not null,
      payments integer not null,
      amount integer not null,
      primary key (money, hour)
    ) without rowid`.execute(db);
  await sql`
    create table earned_from (
      money text not null check (money in ('play', 'real')),
      payer text not null,
      payments integer not null,
      amount integer not null,
      primary key (money, payer)
    ) without rowid`.execute(db);
  const settled = sql`from payments where settled_at is not null group by 1, 2`;
  const money = sql`case mode when 'sandbox' then 'play' else 'real' end`;
  await sql`
    insert into earned_hours select ${money}, settled_at / 3600000 * 3600000, count(*), sum(amount) ${settled}`.execute(
    db,
  );
  await sql`insert into earned_from select ${money}, payer, count(*), sum(amount) ${settled}`.execute(db);
  // A list of one kind of money would otherwise go through all payments of the other kind.
  await sql`create index payments_by_money on payments ((mode = 'sandbox'), seq)`.execute(db);
}
