import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import {
  type AccountCursor,
  type AccountKind,
  type Allowance,
  allowanceOf,
  DEFAULT_PLAN,
  type Plan,
} from './schema.ts';
import {
  type AccountRow,
  accountsWithPlan,
  forgetAccounts,
  type LastSeen,
  listAccounts,
  recordLastSeen,
  writePlan,
} from './store.ts';

/** Assigned plans that are kept in memory. */
const MAX_ASSIGNED_PLANS = 10_000;

/** The time of an account's last request is written at most once per this span. */
const RESOLUTION_MS = 5 * MINUTE_MS;

const WRITE_EVERY_MS = 5 * SECOND_MS;

/** Accounts per transaction, to bound its time. */
const MAX_ROWS_PER_WRITE = 500;

/** Expired accounts deleted in one transaction. */
const MAX_DELETED_PER_WRITE = 2000;

/** Accounts waiting to be written. In a flood of addresses others are dropped: only a list depends on them. */
const MAX_WAITING = 10_000;

/** Accounts whose last write is remembered. */
const MAX_REMEMBERED = 20_000;

/** Retention of accounts that are network addresses. */
const ANONYMOUS_RETENTION_MS = 7 * DAY_MS;

/** Retention of wallets without a plan. Their payments stay in the ledger. */
const WALLET_RETENTION_MS = 90 * DAY_MS;

/** An account as the owner sees it. Times are milliseconds since 1970. */
export interface Account {
  accountId: string;
  plan: Plan;
  allowance: Allowance;
  firstSeen: number;
  /** To within a few minutes. */
  lastSeen: number;
}

/**
 * The accounts of one environment: their plans, and when each was last seen. Threat: a flood of new addresses must not
 * become a flood of queries. All assigned plans are in memory, and times are gathered and written every few seconds.
 */
export class Accounts {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #log: Pick<Logger, 'error'>;
  readonly #plans: Map<string, Plan>;
  readonly #waiting = new Map<string, LastSeen>();
  readonly #written = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #nextForgetAt = Number.NEGATIVE_INFINITY;

  constructor(storage: Storage, clock: Clock, log: Pick<Logger, 'error'>) {
    this.#storage = storage;
    this.#clock = clock;
    const rows = accountsWithPlan(storage.db, MAX_ASSIGNED_PLANS);
    this.#plans = new Map(rows.map((row) => [row.account_id, planOfAccountRow(row)]));
    this.#log = log;
    this.#timer = setInterval(() => this.#writeWaitingTimes(1), WRITE_EVERY_MS).unref();
  }

  assignedPlanOf(accountId: string): Plan {
    return this.#plans.get(accountId) ?? DEFAULT_PLAN;
  }

  /** Errors: `conflict` for the owner, or when too many plans are assigned. */
  setPlan(accountId: string, plan: Plan): void {
    if (accountId === 'owner') {
      throw new QuarryError('conflict', 'The owner has no limits: give plans to other accounts.');
    }
    if (!this.#plans.has(accountId) && this.#plans.size >= MAX_ASSIGNED_PLANS) {
      throw new QuarryError('conflict', `At most ${MAX_ASSIGNED_PLANS} accounts can have a plan of their own.`);
    }
    const columns = {
      plan: plan.plan === 'blocked' ? 'studio' : plan.plan,
      blocked: Number(plan.plan === 'blocked'),
      requests_per_minute: plan.plan === 'enterprise' ? plan.requestsPerMinute : null,
      concurrency: plan.plan === 'enterprise' ? plan.concurrency : null,
    };
    this.#storage.transaction((tx) => writePlan(tx, accountId, columns, this.#clock.now()));
    this.#plans.set(accountId, plan);
  }

  /** Records that an account sent a request. */
  noteAccountRequest(accountId: string): void {
    const now = this.#clock.now();
    const waiting = this.#waiting.get(accountId);
    const written = this.#written.get(accountId);
    if (waiting !== undefined) waiting.lastSeen = now;
    // The clock may have been set back.
    else if (this.#waiting.size < MAX_WAITING && Math.abs(now - (written ?? 0)) >= RESOLUTION_MS) {
      this.#waiting.set(accountId, { accountId, firstSeen: now, lastSeen: now });
    }
  }

  /** One page, last seen first; `before` is the last account of the page before. */
  listAccountPage(before: AccountCursor | null, limit: number, kind?: AccountKind): Account[] {
    // Accounts that have just called are listed too.
    this.flushLastSeenTimes();
    return listAccounts(this.#storage.db, before, limit, kind).map((row) => {
      const plan = planOfAccountRow(row);
      const times = { firstSeen: row.first_seen, lastSeen: row.last_seen };
      return { accountId: row.account_id, plan, allowance: allowanceOf(plan), ...times };
    });
  }

  /** Writes all times that wait. */
  flushLastSeenTimes(): void {
    this.#writeWaitingTimes(Number.POSITIVE_INFINITY);
  }

  closeAccounts(): void {
    clearInterval(this.#timer);
    this.flushLastSeenTimes();
  }

  #writeWaitingTimes(transactions: number): void {
    try {
      for (let done = 0; done < transactions && this.#waiting.size > 0; done += 1) this.#writeSome();
    } catch (error) {
      // The accounts keep waiting.
      this.#log.error({ err: error }, 'The times of the last requests could not be written.');
    }
  }

  #writeSome(): void {
    const batch = [...this.#waiting.values()].slice(0, MAX_ROWS_PER_WRITE);
    const now = this.#clock.now();
    this.#storage.transaction((tx) => {
      recordLastSeen(tx, batch);
      if (now < this.#nextForgetAt) return;
      const before = { addresses: now - ANONYMOUS_RETENTION_MS, wallets: now - WALLET_RETENTION_MS };
      // With more that have expired, the next write goes on.
      const deleted = forgetAccounts(tx, before, MAX_DELETED_PER_WRITE);
      if (deleted < MAX_DELETED_PER_WRITE) this.#nextForgetAt = now + HOUR_MS;
    });
    if (this.#written.size > MAX_REMEMBERED) this.#written.clear();
    for (const { accountId, lastSeen } of batch) {
      this.#waiting.delete(accountId);
      this.#written.set(accountId, lastSeen);
    }
  }
}

function planOfAccountRow(row: AccountRow): Plan {
  if (row.plan === null) return DEFAULT_PLAN;
  if (row.blocked === 1) return { plan: 'blocked' };
  if (row.plan !== 'enterprise') return { plan: row.plan };
  const { requests_per_minute: requestsPerMinute, concurrency } = row;
  if (requestsPerMinute === null || concurrency === null) throw new Error('An enterprise plan has no numbers.');
  return { plan: 'enterprise', requestsPerMinute, concurrency };
}
