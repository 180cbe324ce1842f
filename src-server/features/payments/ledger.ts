import { type Clock, toIsoTime } from '../../platform/clock.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Storage } from '../../platform/db/database.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { dayLater, dayOfTime, startOfDay } from '../../platform/time-zone.ts';
import { DAY_MS } from '../../platform/units.ts';
import { isBatchId, type LedgerEntry, MoneyKind } from './schema.ts';
import {
  challengeCounts,
  hasEarned,
  listPayments,
  type PaymentFilter,
  type PaymentRow,
  paymentOfJob,
  sumPayments,
} from './store.ts';

/** Rows that a CSV export reads at once, to bound its memory. */
const EXPORT_PAGE = 500;
const SUMMARY_DAYS_BY_DEFAULT = 30;

export async function ledgerPage(storage: Storage, filter: PaymentFilter, before: number | null, limit: number) {
  const rows = await listPayments(storage.db, filter, before, limit);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { payments: rows.map(ledgerEntryOf), nextCursor: last ? String(last.seq) : null };
}

/** The payment that bought a job; null for a job without one. */
export function ledgerEntryOfJob(storage: Storage, jobId: string): LedgerEntry | null {
  const row = paymentOfJob(storage.db, jobId);
  return row === undefined ? null : ledgerEntryOf(row);
}

interface Span {
  from?: number;
  to?: number;
  timeZone: string;
}

/** Sums of settled payments and counts of 402 answers, the last thirty days where no span is given. */
export function ledgerSummary(storage: Storage, clock: Clock, money: MoneyKind, { timeZone, ...span }: Span) {
  const to = span.to ?? clock.now() + 1;
  const firstDay = dayLater(dayOfTime(to, timeZone), 1 - SUMMARY_DAYS_BY_DEFAULT);
  const from = span.from ?? startOfDay(firstDay, timeZone);
  const sums = sumPayments(storage.db, money, { from, to, timeZone });
  const counts = challengeCounts(storage.db, Math.floor(from / DAY_MS) * DAY_MS, to);
  const amount = sums.byDay.reduce((sum, day) => sum + BigInt(day.amount), 0n);
  return {
    money,
    kinds: MoneyKind.options.filter((kind) => hasEarned(storage.db, kind)),
    from: toIsoTime(from),
    to: toIsoTime(to),
    total: { payments: sums.byDay.reduce((sum, day) => sum + day.payments, 0), amount: String(amount) },
    byDay: sums.byDay.map(({ day, ...sum }) => ({ day: dayText(day), ...asText(sum) })),
    byOperation: sums.byOperation.map(asText),
    byPayer: sums.byPayer.map(asText),
    challenges: counts.map(({ day, operation_id, code, answers }) => ({
      day: dayText(day),
      operationId: operation_id,
      /** Null where no proof was given. */
      error: code === '' ? null : code,
      answers,
    })),
  };
}

const CSV_COLUMNS = [
  'paymentId',
  'status',
  'mode',
  'x402Version',
  'operationId',
  'jobId',
  'payer',
  'payTo',
  'network',
  'asset',
  'nonce',
  'amount',
  'price',
  'transaction',
  'errorCode',
  'verifiedAt',
  'broadcastAt',
  'settledAt',
  'failedAt',
  'batchId',
] as const satisfies readonly (keyof LedgerEntry)[];

/** The ledger as RFC 4180 CSV, newest first, a page at a time. */
export async function* ledgerCsv(storage: Storage, filter: PaymentFilter): AsyncGenerator<string> {
  yield `${CSV_COLUMNS.join(',')}\r\n`;
  let before: number | null = null;
  for (;;) {
    const rows: PaymentRow[] = listPayments(storage.db, filter, before, EXPORT_PAGE);
    if (rows.length > 0) yield rows.map((row) => csvLine(ledgerEntryOf(row))).join('');
    const last = rows.at(-1);
    if (!last || rows.length < EXPORT_PAGE) return;
    before = last.seq;
    await yieldToEventLoop();
  }
}

/**
 * Every value is a number, an address, an id or a code of ours: none can begin a spreadsheet formula or hold a quote.
 */
function csvLine(entry: LedgerEntry): string {
  return `${CSV_COLUMNS.map((column) => entry[column] ?? '').join(',')}\r\n`;
}

function ledgerEntryOf(row: PaymentRow): LedgerEntry {
  return {
    paymentId: row.id,
    status: row.status,
    mode: row.mode,
    x402Version: row.x402_version,
    operationId: row.operation_id,
    ...(row.job_id !== null && isBatchId(row.job_id)
      ? { jobId: null, batchId: row.job_id }
      : { jobId: row.job_id, batchId: null }),
    payer: row.payer,
    payTo: row.pay_to,
    network: row.network,
    asset: row.asset,
    nonce: row.nonce,
    amount: String(row.amount),
    price: row.price === null ? null : String(row.price),
    // Empty where a facilitator settled and named none.
    transaction: row.transaction_hash || null,
    errorCode: row.error_code,
    challenge: parseOwnJson(row.challenge),
    verifiedAt: toIsoTime(row.verified_at),
    broadcastAt: timeOrNull(row.broadcast_at),
    settledAt: timeOrNull(row.settled_at),
    failedAt: timeOrNull(row.failed_at),
    rerun:
      row.rerun_expires_at === null
        ? null
        : { expiresAt: toIsoTime(row.rerun_expires_at), usedAt: timeOrNull(row.rerun_used_at) },
  };
}

function asText<Sum extends { amount: number }>(sum: Sum): Omit<Sum, 'amount'> & { amount: string } {
  return { ...sum, amount: String(sum.amount) };
}

function dayText(day: number): string {
  return toIsoTime(day).slice(0, 10);
}

function timeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toIsoTime(milliseconds);
}
