import type { QueueClass } from '../../operation.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import {
  type JobRow,
  jobBySeq,
  leaveTurns,
  nextTurn,
  oldestReady,
  processingByAccount,
  type ReadyJob,
  takeTurn,
} from './store.ts';
import { begin, type Lease } from './transition.ts';

/** A waiting job counts as one priority higher for every such span, so that none starves (decisions 5). */
const AGING_MS = 10 * MINUTE_MS;

/** Jobs that may be in work at once per queue class, over all accounts. CPU is shared out behind them, by the pool. */
export const CLASS_SLOTS: Record<QueueClass, number> = { light: 40, heavy: 40, network: 40 };

/** No single account may fill a queue class, the owner included: somebody else's single job always finds a slot. */
const ACCOUNT_SLOTS_PER_CLASS = 30;

/** How many jobs of an account may be in work at once, over all queue classes. */
export type ConcurrencyOf = (accountId: string) => number;

/**
 * Takes the next job of a queue class, atomically: accounts take turns; within an account priority (with age) decides,
 * then age. Each step is one index seek, for any number of jobs. Null when nothing may run now.
 */
export function claimNext(
  storage: Storage,
  queueClass: QueueClass,
  concurrencyOf: ConcurrencyOf,
  lease: Lease,
  now: number,
): JobRow | null {
  return storage.transaction((tx) => {
    const running = processingByAccount(tx);
    const inClass = running.filter((row) => row.queueClass === queueClass).reduce((sum, row) => sum + row.running, 0);
    if (inClass >= CLASS_SLOTS[queueClass]) return null;
    const blocked = accountsAtLimit(running, queueClass, concurrencyOf);
    return claimOf(tx, queueClass, blocked, lease, now);
  });
}

function claimOf(tx: Tx, queueClass: QueueClass, blocked: string[], lease: Lease, now: number): JobRow | null {
  for (;;) {
    const accountId = nextTurn(tx, queueClass, blocked);
    if (accountId === undefined) return null;
    const ready = oldestReady(tx, queueClass, accountId);
    const seq = bestOf(ready, now)?.seq;
    const job = seq === undefined ? undefined : jobBySeq(tx, seq);
    // An account with nothing more to run leaves the round: the next turn never lands on an empty place.
    if (ready.length > 1) takeTurn(tx, queueClass, accountId);
    else leaveTurns(tx, queueClass, accountId);
    if (job !== undefined) return begin(tx, job, lease, now);
  }
}

function accountsAtLimit(
  running: { accountId: string; queueClass: QueueClass; running: number }[],
  queueClass: QueueClass,
  concurrencyOf: ConcurrencyOf,
): string[] {
  const total = new Map<string, number>();
  for (const row of running) total.set(row.accountId, (total.get(row.accountId) ?? 0) + row.running);
  const blocked = new Set<string>();
  for (const [accountId, count] of total) {
    if (count >= concurrencyOf(accountId)) blocked.add(accountId);
  }
  for (const row of running) {
    if (row.queueClass === queueClass && row.running >= ACCOUNT_SLOTS_PER_CLASS) blocked.add(row.accountId);
  }
  return [...blocked];
}

/** Among the oldest of each priority, since age raises all of a priority alike. */
function bestOf(ready: readonly ReadyJob[], now: number): ReadyJob | undefined {
  const rankOf = (job: ReadyJob) => Math.min(2, job.priority + Math.floor((now - job.created_at) / AGING_MS));
  let best: ReadyJob | undefined;
  for (const job of ready) {
    const gain = best === undefined ? 1 : rankOf(job) - rankOf(best);
    if (best === undefined || gain > 0 || (gain === 0 && job.seq < best.seq)) best = job;
  }
  return best;
}
