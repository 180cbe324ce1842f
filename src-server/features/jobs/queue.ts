import type { Lane } from '../../operation.ts';
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

/** Jobs that may be in work at once per lane, over all accounts. CPU is shared out behind them, by the pool. */
export const LANE_SLOTS: Record<Lane, number> = { light: 40, heavy: 40, network: 40 };

/** No single account may fill a lane, the owner included: somebody else's single job always finds a slot. */
const ACCOUNT_SLOTS_PER_LANE = 30;

/**
 * How many jobs of an account may be in work at once, over all lanes. Asked while a transaction holds the one
 * connection, so it has to know: whoever looked into the database here would wait for itself, and all others for it.
 */
export type ConcurrencyOf = (accountId: string) => number;

/**
 * Takes the next job of a lane, atomically: the accounts take turns, within an account priority (with age) decides,
 * then age. Every step is a seek in an index, whatever the number of jobs. Null when nothing may run now.
 */
export async function claimNext(
  storage: Storage,
  lane: Lane,
  concurrencyOf: ConcurrencyOf,
  lease: Lease,
  now: number,
): Promise<JobRow | null> {
  return storage.transaction(async (tx) => {
    const running = await processingByAccount(tx);
    const inLane = running.filter((row) => row.lane === lane).reduce((sum, row) => sum + row.running, 0);
    if (inLane >= LANE_SLOTS[lane]) return null;
    const blocked = accountsAtLimit(running, lane, concurrencyOf);
    return claimOf(tx, lane, blocked, lease, now);
  });
}

async function claimOf(tx: Tx, lane: Lane, blocked: string[], lease: Lease, now: number): Promise<JobRow | null> {
  for (;;) {
    const accountId = await nextTurn(tx, lane, blocked);
    if (accountId === undefined) return null;
    const ready = await oldestReady(tx, lane, accountId);
    const seq = bestOf(ready, now)?.seq;
    const job = seq === undefined ? undefined : await jobBySeq(tx, seq);
    // An account with nothing more to run leaves the round: the next turn never lands on an empty place.
    if (ready.length > 1) await takeTurn(tx, lane, accountId);
    else await leaveTurns(tx, lane, accountId);
    if (job !== undefined) return begin(tx, job, lease, now);
  }
}

function accountsAtLimit(
  running: { accountId: string; lane: string; running: number }[],
  lane: Lane,
  concurrencyOf: ConcurrencyOf,
): string[] {
  const total = new Map<string, number>();
  for (const row of running) total.set(row.accountId, (total.get(row.accountId) ?? 0) + row.running);
  const blocked = new Set<string>();
  for (const [accountId, count] of total) {
    if (count >= concurrencyOf(accountId)) blocked.add(accountId);
  }
  for (const row of running) {
    if (row.lane === lane && row.running >= ACCOUNT_SLOTS_PER_LANE) blocked.add(row.accountId);
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
