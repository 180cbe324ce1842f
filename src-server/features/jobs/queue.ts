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
import { beginJob, type Lease } from './transition.ts';

/** A waiting job counts as one priority higher per interval, so that none starves (decisions 5). */
const AGING_MS = 10 * MINUTE_MS;

/** Concurrent jobs per queue class, over all accounts. The pool shares the CPU among them. Nodes add their own. */
export const CLASS_SLOTS: Record<QueueClass, number> = { light: 40, heavy: 40, network: 40 };

/** Concurrent jobs of an account per queue class, the owner included: a job of another account always finds a slot. */
const ACCOUNT_SLOTS_PER_CLASS = 30;

/** Concurrent jobs of an account, over all queue classes. */
export type ConcurrencyOf = (accountId: string) => number;

/**
 * Claims the next job of a queue class, atomically. Accounts take turns; within an account priority (with age) decides,
 * then age. Each step is one index seek, for any number of jobs. Null when none may run now.
 */
export function claimNext(
  storage: Storage,
  queueClass: QueueClass,
  concurrencyOf: ConcurrencyOf,
  lease: Lease,
  now: number,
  slotsOfNodes = 0,
): JobRow | null {
  return storage.transaction((tx) => {
    const running = processingByAccount(tx);
    const inClass = running.filter((row) => row.queueClass === queueClass).reduce((sum, row) => sum + row.running, 0);
    if (inClass >= CLASS_SLOTS[queueClass] + slotsOfNodes) return null;
    const blocked = accountsAtLimit(running, queueClass, concurrencyOf);
    return claimOf(tx, queueClass, { blocked, concurrencyOf }, lease, now);
  });
}

function claimOf(
  tx: Tx,
  queueClass: QueueClass,
  { blocked, concurrencyOf }: { blocked: string[]; concurrencyOf: ConcurrencyOf },
  lease: Lease,
  now: number,
): JobRow | null {
  for (;;) {
    const accountId = nextTurn(tx, queueClass, blocked);
    if (accountId === undefined) return null;
    // Without a job in work it is not among those at their limit. Its jobs keep their turn until it may run them.
    if (concurrencyOf(accountId) <= 0) {
      blocked.push(accountId);
      continue;
    }
    const ready = oldestReady(tx, queueClass, accountId);
    const seq = bestOf(ready, now)?.seq;
    const job = seq === undefined ? undefined : jobBySeq(tx, seq);
    // An account without ready jobs leaves the round, so that no turn is lost.
    if (ready.length > 1) takeTurn(tx, queueClass, accountId);
    else leaveTurns(tx, queueClass, accountId);
    if (job !== undefined) return beginJob(tx, job, lease, now);
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

/** Compares the oldest job of each priority: age raises all jobs of a priority equally. */
function bestOf(ready: readonly ReadyJob[], now: number): ReadyJob | undefined {
  const rankOf = (job: ReadyJob) => Math.min(2, job.priority + Math.floor((now - job.created_at) / AGING_MS));
  let best: ReadyJob | undefined;
  for (const job of ready) {
    const gain = best === undefined ? 1 : rankOf(job) - rankOf(best);
    if (best === undefined || gain > 0 || (gain === 0 && job.seq < best.seq)) best = job;
  }
  return best;
}
