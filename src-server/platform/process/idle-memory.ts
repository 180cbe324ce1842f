/**
 * Gives memory back once the server rests. V8 collects garbage when it needs room, and keeps the pages: a server that
 * has done a large job would hold hundreds of megabytes for as long as nobody calls.
 */

import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MIB, SECOND_MS } from '../units.ts';

const LOOK_EVERY_MS = 10 * SECOND_MS;

/** Looks in a row at a server that rests: a collection stops all for up to some tenths of a second. */
const QUIET_LOOKS = 2;

/** Share of the time that the thread of a resting server works. */
const BUSY_SHARE = 0.05;

/** A heap below this is not worth the pause. */
const HEAP_BYTES_MIN = 80 * MIB;

/** A heap that has grown by this factor since the last collection may hold garbage. */
const GROWTH = 1.25;

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

interface IdleMemoryDeps {
  /** Whether threads work or work waits for them. */
  isWorking(): boolean;
  /** Replaced by tests. */
  collect?: () => void;
  heapBytes?: () => number;
  /** Share of the time since the last look that this thread worked. Waiting for a core counts as work. */
  busyShare?: () => number;
  lookEveryMs?: number;
}

/** Returns a function that ends the watch. */
export function watchIdleMemory({
  isWorking,
  collect = collectAll,
  heapBytes = () => getHeapStatistics().total_heap_size,
  busyShare = utilizationSinceLastCall(),
  lookEveryMs = LOOK_EVERY_MS,
}: IdleMemoryDeps): () => void {
  let quietLooks = 0;
  let kept = 0;
  const timer = setInterval(() => {
    quietLooks = busyShare() > BUSY_SHARE || isWorking() ? 0 : quietLooks + 1;
    if (quietLooks < QUIET_LOOKS || heapBytes() < Math.max(HEAP_BYTES_MIN, kept * GROWTH)) return;
    quietLooks = 0;
    collect();
    kept = heapBytes();
  }, lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

function utilizationSinceLastCall(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

let collectGarbage: Collect | null = null;

/** The strongest collection: the only one after which V8 unmaps what it keeps for later. */
function collectAll(): void {
  collectGarbage ??= collectorOfV8();
  collectGarbage?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** Null in Electron, which may have frozen V8's flags: changing one would end the process. */
function collectorOfV8(): Collect | null {
  const exposed: unknown = Reflect.get(globalThis, 'gc');
  if (typeof exposed === 'function') return exposed as Collect;
  if (process.versions.electron !== undefined) return null;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('typeof gc === "function" ? gc : null') as Collect | null;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
