/**
 * Who may ask how much: requests per minute in a sliding window, and requests answered at once (decisions 5).
 *
 * The threat is a flood: from one account, and from many addresses at once. So a request that is counted costs no
 * database access, what is remembered is bounded, and a refused request leaves nothing behind but a count.
 */

import type { Principal } from '../../context.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { Listeners } from '../../platform/listeners.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import {
  type AccountCursor,
  type AccountKind,
  type Allowance,
  allowanceOf,
  OWNER_ALLOWANCE,
  type Plan,
} from '../accounts/schema.ts';
import { type Account, openAccounts } from '../accounts/service.ts';
import { accountsProcessing, countProcessing } from '../jobs/service.ts';
import { createFruitlessProofs, decisionOf, type FruitlessProofs, type RateDecision, WindowTable } from './window.ts';

/** Span over which requests are counted. */
export const WINDOW_SECONDS = MINUTE_MS / SECOND_MS;

/** When to ask again after a slot was refused: nobody can know when the other request ends. */
const SLOT_RETRY_SECONDS = 1;

/** Rows of the dashboard's table: the busiest accounts of the last minute. */
const MAX_USAGE_ROWS = 200;

const OWNER_ID = 'owner';

export interface LimitsOptions {
  storage: Storage;
  clock: Clock;
  /** Operations that answer at once: their slots are counted here, not by their job rows. */
  inlineOperationIds?: readonly string[];
}

/** An account in the last minute. */
export interface AccountUsage {
  accountId: string;
  plan: Plan;
  allowance: Allowance;
  requestsPassed: number;
  requestsRefused: number;
  /** Requests to operations that answer at once, open now. */
  inlineOpen: number;
  jobsProcessing: number;
}

/** What the last minute's requests would have met under another allowance. */
export interface Simulation {
  requests: number;
  refused: number;
  /** Slots taken now that the allowance would not have given. */
  slotsOver: number;
}

export interface Limits {
  /** Counts one request to `/v1`. */
  take(principal: Principal): Promise<RateDecision>;
  readonly fruitlessProofs: FruitlessProofs;
  /** Jobs the account may have in work at once; Infinity for the owner. The queue asks amid a transaction. */
  concurrencyOf(accountId: string): number;
  /**
   * Takes a slot for a request that is answered at once, and gives back how to free it. Throws `rate_limited` when the
   * account's jobs in work and open requests have reached its concurrency.
   */
  acquireInline(accountId: string): () => void;
  planOf(accountId: string): Plan;
  /** Takes effect with the next request. Throws `conflict` for the owner, or when too many plans are assigned. */
  setPlan(accountId: string, plan: Plan): void;
  /** Accounts with requests in the last minute, slots in use or jobs being processed, busiest first. */
  usage(): AccountUsage[];
  /** The last minute of an account, replayed under `allowance`. */
  simulate(accountId: string, allowance: Allowance): Simulation;
  /** Accounts that were seen or given a plan, last seen first; `before` is the last account of the page before. */
  accounts(before: AccountCursor | null, limit: number, kind?: AccountKind): Promise<Account[]>;
  /** Hears that a request was counted, a slot taken or given back, or a plan changed. */
  readonly changed: Listeners<void>;
  /** Writes who was seen since the last time. Done by itself within seconds; `close` does it too. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export function createLimits({ storage, clock, inlineOperationIds = [] }: LimitsOptions): Limits {
  const windows = new WindowTable(MINUTE_MS);
  const accounts = openAccounts(storage, clock);
  const slots = new Map<string, number>();
  const changed = new Listeners<void>();

  const allowanceFor = (accountId: string): Allowance =>
    accountId === OWNER_ID ? OWNER_ALLOWANCE : allowanceOf(accounts.planOf(accountId));
  const processing = (accountId: string) => countProcessing(storage.db, accountId, inlineOperationIds);
  const inUse = (accountId: string) => processing(accountId) + (slots.get(accountId) ?? 0);

  return {
    async take(principal) {
      if (principal.kind === 'owner') return UNLIMITED;
      const { requestsPerMinute } = allowanceFor(principal.accountId);
      const now = clock.now();
      accounts.note(principal.accountId, now);
      const decision = decide(windows, principal.accountId, requestsPerMinute, now);
      changed.tell();
      return decision;
    },
    fruitlessProofs: createFruitlessProofs(clock, (accountId) => allowanceFor(accountId).requestsPerMinute),
    concurrencyOf: (accountId) => allowanceFor(accountId).concurrency,
    acquireInline(accountId) {
      const { concurrency } = allowanceFor(accountId);
      const jobs = accountId === OWNER_ID ? 0 : processing(accountId);
      const open = slots.get(accountId) ?? 0;
      if (jobs + open >= concurrency) throw slotRefused(concurrency);
      slots.set(accountId, open + 1);
      changed.tell();
      return releaseOnce(slots, accountId, () => changed.tell());
    },
    planOf: accounts.planOf,
    setPlan(accountId, plan) {
      accounts.setPlan(accountId, plan);
      changed.tell();
    },
    usage() {
      const now = clock.now();
      const working = accountsProcessing(storage.db, OWNER_ID, MAX_USAGE_ROWS);
      const rows = windows.busiest(now, [...slots.keys(), ...working], MAX_USAGE_ROWS);
      return rows.map(({ accountId, passed, refused }) => ({
        accountId,
        plan: accounts.planOf(accountId),
        allowance: allowanceFor(accountId),
        requestsPassed: passed,
        requestsRefused: refused,
        inlineOpen: slots.get(accountId) ?? 0,
        jobsProcessing: processing(accountId),
      }));
    },
    simulate(accountId, allowance) {
      const { passed, refused } = windows.traffic(accountId, clock.now());
      return {
        requests: passed + refused,
        refused: Math.max(0, passed + refused - allowance.requestsPerMinute),
        slotsOver: Math.max(0, inUse(accountId) - allowance.concurrency),
      };
    },
    accounts: accounts.list,
    changed,
    flush: accounts.flush,
    close: accounts.close,
  };
}

const UNLIMITED: RateDecision = {
  allowed: true,
  limit: Number.POSITIVE_INFINITY,
  remaining: Number.POSITIVE_INFINITY,
  resetSeconds: 0,
  retryAfterSeconds: 0,
};

/** One step, without a pause in it: requests that arrive together cannot all see the last place free. */
function decide(windows: WindowTable, accountId: string, limit: number, now: number): RateDecision {
  const { window, refusals } = windows.of(accountId, now);
  const allowed = window.take(now, limit);
  if (!allowed) refusals().add(now);
  return decisionOf(window, allowed, limit, now);
}

function slotRefused(concurrency: number): QuarryError {
  return new QuarryError(
    'rate_limited',
    `Your plan runs ${concurrency} jobs at once, and all of them are running: try again when one has ended.`,
    { retryAfterSeconds: SLOT_RETRY_SECONDS, retryable: true },
  );
}

function releaseOnce(slots: Map<string, number>, accountId: string, then: () => void): () => void {
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    const left = (slots.get(accountId) ?? 1) - 1;
    if (left === 0) slots.delete(accountId);
    else slots.set(accountId, left);
    then();
  };
}
