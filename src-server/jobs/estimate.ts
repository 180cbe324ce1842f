import { MIB } from '../lib/units.ts';
import { type RunTime, runTimeOf } from '../storage/jobs-reader.ts';
import { writeRunTime } from '../storage/jobs-writer.ts';
import type { Db, Tx } from '../storage/schema.ts';

/** Weight of the newest run in the moving average. */
const NEWEST_WEIGHT = 0.2;
/** Sources below this size say little about the time per megabyte. */
const SIZED_BYTES = MIB / 4;

/** Expected milliseconds of a run, learned from this machine's own runs; null before the first one. */
export async function estimateMs(db: Db | Tx, operationId: string, sourceBytes: number): Promise<number | null> {
  const time = await runTimeOf(db, operationId);
  if (!time) return null;
  const bySize = sourceBytes >= SIZED_BYTES ? (sourceBytes / MIB) * time.runMsPerMb : 0;
  return Math.round(Math.max(time.runMs, bySize));
}

export async function learnRunTime(tx: Tx, operationId: string, tookMs: number, sourceBytes: number): Promise<void> {
  const old = await runTimeOf(tx, operationId);
  const perMb = sourceBytes >= SIZED_BYTES ? tookMs / (sourceBytes / MIB) : (old?.runMsPerMb ?? 0);
  const learned: RunTime = old
    ? {
        runMs: blend(old.runMs, tookMs),
        runMsPerMb: old.runMsPerMb === 0 ? perMb : blend(old.runMsPerMb, perMb),
        runs: old.runs + 1,
      }
    : { runMs: tookMs, runMsPerMb: perMb, runs: 1 };
  await writeRunTime(tx, operationId, learned);
}

function blend(old: number, newest: number): number {
  return old * (1 - NEWEST_WEIGHT) + newest * NEWEST_WEIGHT;
}
