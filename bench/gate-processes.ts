/** CPU time and memory of processes and of the machine, as Linux counts them. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { descendantsOf } from '../test/harness/child-processes.ts';

/** Linux counts CPU time in these, whatever the clock of its kernel. */
const TICK_MS = 10;
const KIB_A_MIB = 1024;
const QUIET_LOOK_MS = 150;
const QUIET_LOOKS_MAX = 400;

/** CPU of a process, of those it started, and of those of them that have ended. */
export function cpuMs(pid: number): number {
  const ofEach = [pid, ...descendantsOf(pid)].map((each) => {
    const fields = statOf(each)
      .replace(/^.*\) /, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  });
  return ofEach.reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
}

/** Nothing of a process that ends between two looks. */
function statOf(pid: number): string {
  return readOr(`/proc/${pid}/stat`, '');
}

/** Resident memory of a process and of those it started. */
export function residentMib(pid: number): number {
  const kib = [pid, ...descendantsOf(pid)].map((each) =>
    Number(/VmRSS:\s+(\d+) kB/.exec(readOr(`/proc/${each}/status`, ''))?.[1] ?? 0),
  );
  return kib.reduce((sum, each) => sum + each, 0) / KIB_A_MIB;
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}

/** Waits until a process has done what nobody waits for: the index of a result, files that go. */
export async function becomeQuiet(pid: number): Promise<void> {
  let before = cpuMs(pid);
  for (let look = 0; look < QUIET_LOOKS_MAX; look += 1) {
    await sleep(QUIET_LOOK_MS);
    const now = cpuMs(pid);
    if (now - before <= TICK_MS) return;
    before = now;
  }
  throw new Error('The server does not become idle.');
}

/** CPU of a process for some work, with what it does later because of it. */
export async function cpuOf(pid: number, work: () => Promise<void>): Promise<number> {
  await becomeQuiet(pid);
  const before = cpuMs(pid);
  await work();
  await becomeQuiet(pid);
  return cpuMs(pid) - before;
}

/** Watches what others take of the cores. */
export class OthersWatch {
  readonly #startedAt = performance.now();
  readonly #before = othersMs();

  /** Cores that processes other than this one and its own have used since the start, on average. */
  get cores(): number {
    return (othersMs() - this.#before) / (performance.now() - this.#startedAt);
  }
}

function othersMs(): number {
  const fields = (readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? '').trim().split(/\s+/);
  // User, nice, system, and what the host takes away. Interrupts are left out: many of them are ours.
  const ticks = [1, 2, 3, 8].reduce((sum, field) => sum + Number(fields[field]), 0);
  return ticks * TICK_MS - cpuMs(process.pid);
}
