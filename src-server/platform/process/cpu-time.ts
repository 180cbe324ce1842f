/**
 * CPU time of threads and processes, read from `/proc`. Other systems do not tell it from outside: there the functions
 * return null, and limits fall back to a generous wall time.
 */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { SECOND_MS } from '../units.ts';

/** The unit of CPU time in `/proc`: USER_HZ is 100 on every Linux. */
const TICK_MS = SECOND_MS / 100;

/** Fields of `/proc/…/stat` after the name of the program, from 0. */
const PROCESS_GROUP = 2;
const USER_TIME = 11;
const SYSTEM_TIME = 12;
const ENDED_CHILDREN_USER_TIME = 13;
const ENDED_CHILDREN_SYSTEM_TIME = 14;

/** The kernel's number of the calling thread; null where the system does not tell it. */
export function ownThreadId(): number | null {
  if (process.platform !== 'linux') return null;
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return null;
  }
}

/** CPU milliseconds of a thread of this process since its start; null when it has ended, or cannot be read. */
export function cpuMsOfThread(threadId: number): number | null {
  const fields = statOf(`/proc/self/task/${threadId}/stat`);
  return fields && ticksOf(fields, [USER_TIME, SYSTEM_TIME]);
}

/** CPU milliseconds of a process and of its children that have ended; null when it has ended, or cannot be read. */
export function cpuMsOfProcess(pid: number): number | null {
  const fields = statOf(`/proc/${pid}/stat`);
  return fields && ticksOf(fields, OF_PROCESS);
}

/** CPU milliseconds of a process group; null when it has ended, or cannot be read. */
export function cpuMsOfGroup(groupId: number): number | null {
  let sum: number | null = null;
  for (const name of processesThere()) {
    const fields = statOf(`/proc/${name}/stat`);
    if (fields !== null && Number(fields[PROCESS_GROUP]) === groupId) sum = (sum ?? 0) + ticksOf(fields, OF_PROCESS);
  }
  return sum;
}

/** Threads of the machine that run or wait for a core now; null where the system does not tell it. */
export function runnableThreads(): number | null {
  const text = readLinuxText('/proc/loadavg');
  const [, running] = / (\d+)\/\d+ /.exec(text ?? '') ?? [];
  return running === undefined ? null : Number(running);
}

const OF_PROCESS = [USER_TIME, SYSTEM_TIME, ENDED_CHILDREN_USER_TIME, ENDED_CHILDREN_SYSTEM_TIME] as const;

function ticksOf(fields: readonly string[], which: readonly number[]): number {
  return which.reduce((sum, field) => sum + Number(fields[field] ?? 0), 0) * TICK_MS;
}

function statOf(path: string): string[] | null {
  const text = readLinuxText(path);
  // The name may contain blanks and brackets.
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readLinuxText(path: string): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It has ended.
    return null;
  }
}

function processesThere(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}
