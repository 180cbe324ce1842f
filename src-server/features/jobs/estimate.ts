import type { RunGuess } from '../../contract/index.ts';
import type { Db, Tx } from '../../platform/db/schema.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { learnRun } from './jobs-writer.ts';
import { runTimeOf } from './store.ts';

/** Weight of the newest run in the moving average. */
const NEWEST_WEIGHT = 0.2;
/** Sources below this size say little about the time per megabyte. */
const SIZED_BYTES = MIB / 4;

/** Expected milliseconds of a run, learned from this machine's own runs; before the first one it is the guess. */
export async function estimateMs(
  db: Db | Tx,
  operationId: string,
  sourceBytes: number,
  guess: RunGuess,
): Promise<number> {
  const { runMs, runMsPerMb } = (await runTimeOf(db, operationId)) ?? {
    runMs: guess.seconds * SECOND_MS,
    runMsPerMb: guess.secondsPerMegabyte * SECOND_MS,
  };
  const bySize = sourceBytes >= SIZED_BYTES ? (sourceBytes / MIB) * runMsPerMb : 0;
  return Math.round(Math.max(runMs, bySize));
}

export async function learnRunTime(tx: Tx, operationId: string, tookMs: number, sourceBytes: number): Promise<void> {
  const runMsPerMb = sourceBytes >= SIZED_BYTES ? tookMs / (sourceBytes / MIB) : 0;
  await learnRun(tx, operationId, { runMs: tookMs, runMsPerMb }, NEWEST_WEIGHT);
}
