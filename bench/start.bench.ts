/** From the start of the process to the line that says where it listens, and what the idle server holds in memory. What people run is built. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from '../scripts/build.ts';
import { startApplianceProcess } from '../test/harness/appliance-process.ts';
import { expectTarget, median, printTable } from './figures.ts';

const ROUNDS = 7;
const START_MAX_MS = 1500;
const SETTLE_MS = 2000;
const root = join(import.meta.dirname, '..');

/** Resident memory of a process; NaN where the system does not tell. */
function residentMb(pid: number): number {
  try {
    const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes) / 1024;
  } catch {
    return Number.NaN;
  }
}

async function measure(entry: string): Promise<{ startMs: number; bestMs: number; memoryMb: number }> {
  const starts: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await using server = await startApplianceProcess({ entry });
    starts.push(performance.now() - startedAt);
    if (round > 0) continue;
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    memory.push(residentMb(server.pid));
  }
  return { startMs: median(starts), bestMs: Math.min(...starts), memoryMb: median(memory) };
}

await ensureBuilt();
const built = await measure(join(root, 'out/main/cli.mjs'));
const source = await measure(join(root, 'src-server/cli.ts'));
const row = (entry: string, { startMs, bestMs, memoryMb }: typeof built) => ({
  entry,
  'start ms (median)': startMs,
  'start ms (best)': bestMs,
  'idle MB': memoryMb,
});
printTable([row('built', built), row('source', source)]);
expectTarget(`built: listening within ${START_MAX_MS} ms on a new data folder`, built.startMs <= START_MAX_MS);
