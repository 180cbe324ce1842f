/**
 * Limits by account: requests per minute in a sliding window, and concurrent requests that are answered at once
 * (decisions 5). Threat: a flood from one account, or from many addresses. Counting a request therefore needs no
 * database access, the memory is bounded, and a refused request leaves only a count.
 */

import type { KeyIdentity, Principal } from '../../context.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { Listeners } from '../../platform/listeners.ts';
import type { Logger } from '../../platform/log.ts';
import { dayOfTime, startOfDay } from '../../platform/time-zone.ts';
import { countText, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { type Allowance, allowanceOf, OWNER_ALLOWANCE, type Plan } from '../accounts/schema.ts';
import { Accounts } from '../accounts/service.ts';
import { accountsProcessing, countProcessing } from '../jobs/service.ts';
import { LastHour } from './last-hour.ts';
import { decisionOf, FruitlessProofs, type RateDecision, WindowTable } from './window.ts';

/** Span over which requests are counted. */
export const WINDOW_SECONDS = MINUTE_MS / SECOND_MS;

/** Retry-After when all slots are in use: the end of the other requests is unknown. */
const SLOT_RETRY_SECONDS = 1;

/** Rows of the dashboard's table: the busiest accounts of the last minute. */
const MAX_USAGE_ROWS = 200;

const OWNER_ID = 'owner';

export interface LimitsOptions {
  storage: Storage;
  clock: Clock;
  log: Pick<Logger, 'error'>;
  /** Operations that answer at once: their slots are counted here, not by their job rows. */
  inlineOperationIds: readonly string[];
}

export class Limits {
  /** Called when a request was counted, a slot was taken or freed, or a plan was changed. */
  readonly changed = new Listeners<void>();
  /** Called when a plan was changed. */
  readonly plansChanged = new Listeners<void>();
  readonly accounts: Accounts;
  readonly fruitlessProofs: FruitlessProofs;
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #inlineOperationIds: readonly string[];
  readonly #windows = new WindowTable(MINUTE_MS);
  readonly #keyWindows = new WindowTable(MINUTE_MS);
  readonly #lastHour = new LastHour();
  /** Open requests to operations that answer at once, by account. */
  readonly #slots = new Map<string, number>();

  constructor({ storage, clock, log, inlineOperationIds }: LimitsOptions) {
    this.#storage = storage;
    this.#clock = clock;
    this.#inlineOperationIds = inlineOperationIds;
    this.accounts = new Accounts(storage, clock, log);
    this.fruitlessProofs = new FruitlessProofs(clock, (accountId) => this.#allowanceFor(accountId).requestsPerMinute);
  }

  /** Counts one request to `/v1`. It is synchronous, so simultaneous requests cannot all take the last place. */
  takeRateToken(principal: Principal): RateDecision {
    if (principal.kind === 'owner') return principal.key === undefined ? UNLIMITED : this.#takeOfKey(principal.key);
    const { accountId } = principal;
    const now = this.#clock.now();
    const limit = this.#allowanceFor(accountId).requestsPerMinute;
    this.accounts.noteAccountRequest(accountId);
    const { window, refusals } = this.#windows.windowsOfAccount(accountId, now);
    const allowed = window.takeWindowSlot(now, limit);
    if (!allowed) refusals.addRefusal(now);
    this.#lastHour.noteHourRequest(accountId, allowed, now);
    this.changed.notifyListeners();
    return decisionOf(window, allowed, limit, now);
  }

  /** Whether one more request of a caller without credentials would pass. Counts nothing. */
  wouldPass(accountId: string): boolean {
    const now = this.#clock.now();
    const { window } = this.#windows.windowsOfAccount(accountId, now);
    return window.passedInWindow(now) < this.#allowanceFor(accountId).requestsPerMinute;
  }

  /** Keys have windows of their own: the owner, for whom they act, has none. */
  #takeOfKey({ id, requestsPerMinute: limit }: KeyIdentity): RateDecision {
    if (limit === null) return UNLIMITED;
    const now = this.#clock.now();
    const { window, refusals } = this.#keyWindows.windowsOfAccount(id, now);
    const allowed = window.takeWindowSlot(now, limit);
    if (!allowed) refusals.addRefusal(now);
    return decisionOf(window, allowed, limit, now);
  }

  /** Jobs that the account may have in work at once; Infinity for the owner. */
  concurrencyOf(accountId: string): number {
    return this.#allowanceFor(accountId).concurrency;
  }

  /**
   * Takes a slot for a request that is answered at once, and returns a function that frees it. Errors: `rate_limited`
   * when the account's jobs in work and its open requests have reached its concurrency.
   */
  acquireInline(accountId: string): () => void {
    const { concurrency } = this.#allowanceFor(accountId);
    if (concurrency !== Number.POSITIVE_INFINITY && this.#slotsInUse(accountId) >= concurrency) {
      throw slotRefused(concurrency);
    }
    this.#changeSlots(accountId, 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.#changeSlots(accountId, -1);
      isHeld = false;
    };
  }

  /** Takes effect with the next request. Errors: `conflict` for the owner, or when too many plans are assigned. */
  setPlan(accountId: string, plan: Plan): void {
    this.accounts.setPlan(accountId, plan);
    this.changed.notifyListeners();
    this.plansChanged.notifyListeners();
  }

  /** Accounts with requests in the last minute, slots in use or jobs being processed, busiest first. */
  limitsUsage() {
    const working = accountsProcessing(this.#storage.db, OWNER_ID, MAX_USAGE_ROWS);
    // The owner has no limits, so it is no account here, also while its requests are open.
    const open = [...this.#slots.keys()].filter((id) => id !== OWNER_ID);
    const rows = this.#windows.busiestAccounts(this.#clock.now(), [...open, ...working], MAX_USAGE_ROWS);
    return rows.map(({ accountId, passed, refused }) => ({
      accountId,
      plan: this.accounts.assignedPlanOf(accountId),
      allowance: this.#allowanceFor(accountId),
      requestsPassed: passed,
      requestsRefused: refused,
      inlineOpen: this.#slots.get(accountId) ?? 0,
      jobsProcessing: this.#processingJobsOf(accountId),
    }));
  }

  /** Requests of the last hour by minute: of all accounts, and of each account of the last hours. */
  lastHour(timeZone: string): ReturnType<LastHour['lastHourView']> {
    const now = this.#clock.now();
    const today = startOfDay(dayOfTime(now, timeZone), timeZone);
    return this.#lastHour.lastHourView(now, today, MAX_USAGE_ROWS);
  }

  /** The outcome of the account's last minute under another allowance. */
  simulateAllowance(accountId: string, allowance: Allowance) {
    const { passed, refused } = this.#windows.accountTraffic(accountId, this.#clock.now());
    return {
      requests: passed + refused,
      refused: Math.max(0, passed + refused - allowance.requestsPerMinute),
      slotsOver: Math.max(0, this.#slotsInUse(accountId) - allowance.concurrency),
    };
  }

  #allowanceFor(accountId: string): Allowance {
    return accountId === OWNER_ID ? OWNER_ALLOWANCE : allowanceOf(this.accounts.assignedPlanOf(accountId));
  }

  #processingJobsOf(accountId: string): number {
    return countProcessing(this.#storage.db, accountId, this.#inlineOperationIds);
  }

  #slotsInUse(accountId: string): number {
    return this.#processingJobsOf(accountId) + (this.#slots.get(accountId) ?? 0);
  }

  #changeSlots(accountId: string, by: 1 | -1): void {
    const open = (this.#slots.get(accountId) ?? 0) + by;
    if (open === 0) this.#slots.delete(accountId);
    else this.#slots.set(accountId, open);
    this.changed.notifyListeners();
  }
}

const UNLIMITED: RateDecision = {
  allowed: true,
  limit: Number.POSITIVE_INFINITY,
  remaining: Number.POSITIVE_INFINITY,
  resetSeconds: 0,
  retryAfterSeconds: 0,
};

function slotRefused(concurrency: number): QuarryError {
  return new QuarryError(
    'rate_limited',
    `Your plan runs ${countText(concurrency, 'job')} at once, and no more may start: try again when one has ended.`,
    { retryAfterSeconds: SLOT_RETRY_SECONDS },
  );
}
