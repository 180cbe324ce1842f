import type { Clock } from '../../platform/clock.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Storage } from '../../platform/db/database.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import type { AccountCursor } from './schema.ts';
import { accountsSeenBefore, forgetAccounts, type LastSeen, recordLastSeen } from './store.ts';

/** A sighting is written at most once per this span and account, however many requests come. */
const RESOLUTION_MS = 5 * MINUTE_MS;

/** Sightings gather this long, so that a burst of new accounts is one transaction. */
const GATHER_MS = 5 * SECOND_MS;

/** Accounts written in one transaction; the rest wait for the next, so that no write holds others up for long. */
const MAX_ROWS_PER_WRITE = 500;

/** Accounts waiting to be written. In a flood of addresses some are not noted: nothing but a list depends on it. */
const MAX_WAITING = 10_000;

/** Accounts whose last write is remembered. */
const MAX_REMEMBERED = 20_000;

/** A caller known by address only is forgotten after this. */
const ANONYMOUS_RETENTION_MS = 7 * DAY_MS;

/** A wallet without a plan: what it paid stays in the ledger. */
const WALLET_RETENTION_MS = 90 * DAY_MS;

const FORGET_EVERY_MS = HOUR_MS;

export interface LastSeenLog {
  note(accountId: string, now: number): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Remembers when accounts were first and last seen, with few writes whatever the traffic. */
export function createLastSeenLog(storage: Storage, clock: Clock): LastSeenLog {
  const waiting = new Map<string, LastSeen>();
  const written = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;
  let lastForgotten = Number.NEGATIVE_INFINITY;
  let closed = false;

  const writeSome = async (): Promise<void> => {
    const batch = [...waiting.values()].slice(0, MAX_ROWS_PER_WRITE);
    storage.transaction((tx) => recordLastSeen(tx, batch));
    for (const { accountId, lastSeen } of batch) {
      waiting.delete(accountId);
      remember(written, accountId, lastSeen);
    }
    const now = clock.now();
    if (now - lastForgotten < FORGET_EVERY_MS) return;
    lastForgotten = now;
    await forgetOld(storage, now, () => closed);
  };

  const flush = async (): Promise<void> => {
    while (waiting.size > 0) await writeSome();
  };

  const schedule = (): void => {
    if (timer !== null || closed) return;
    timer = setTimeout(() => {
      timer = null;
      // A database that cannot write keeps what waits; every other write of the service will have reported it.
      writeSome().then(
        () => waiting.size > 0 && schedule(),
        () => schedule(),
      );
    }, GATHER_MS);
    timer.unref();
  };

  return {
    note(accountId, now) {
      const known = waiting.get(accountId);
      if (known !== undefined) known.lastSeen = now;
      else if (waiting.size < MAX_WAITING && isDue(written.get(accountId), now)) {
        waiting.set(accountId, { accountId, firstSeen: now, lastSeen: now });
        schedule();
      }
    },
    flush,
    async close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await flush();
    },
  };
}

/** A slice at a time: after a flood of addresses there are very many. */
async function forgetOld(storage: Storage, now: number, isClosed: () => boolean): Promise<void> {
  const before = now - ANONYMOUS_RETENTION_MS;
  let after: AccountCursor | null = null;
  for (let more = true; more && !isClosed(); await yieldToEventLoop()) {
    const rows = accountsSeenBefore(storage.db, before, after, MAX_ROWS_PER_WRITE);
    const old = rows.filter(({ account_id: accountId, last_seen: lastSeen, plan }) => {
      if (plan !== null) return false;
      return accountId.startsWith('ip:') || lastSeen < now - WALLET_RETENTION_MS;
    });
    const ids = old.map(({ account_id: accountId }) => accountId);
    if (ids.length > 0) storage.transaction((tx) => forgetAccounts(tx, ids, before));
    const last = rows.at(-1);
    if (last !== undefined) after = { lastSeen: last.last_seen, accountId: last.account_id };
    more = rows.length === MAX_ROWS_PER_WRITE;
  }
}

/** Due once per span; at once after the clock was set back. */
function isDue(lastWritten: number | undefined, now: number): boolean {
  return lastWritten === undefined || Math.abs(now - lastWritten) >= RESOLUTION_MS;
}

function remember(written: Map<string, number>, accountId: string, at: number): void {
  written.delete(accountId);
  written.set(accountId, at);
  if (written.size <= MAX_REMEMBERED) return;
  for (const oldest of written.keys()) {
    written.delete(oldest);
    return;
  }
}
