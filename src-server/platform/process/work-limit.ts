/**
 * Time limits that measure work instead of the clock. On a busy machine a page that takes 3 s of a core may take
 * minutes: that is no attack. A limit counts the CPU time of the thread or child, and wall time only while nothing
 * moves at all. Where the system does not tell CPU times, a generous wall time stands in.
 */

import os from 'node:os';
import { type Said, say } from '../text/say.ts';
import { MINUTE_MS, SECOND_MS } from '../units.ts';
import { runnableThreads } from './cpu-time.ts';

/** Time without CPU and without progress after which work counts as stuck. */
export const STANDSTILL_MS = 3 * MINUTE_MS;

/** Where CPU time is unknown, the wall time may be this much longer. */
const WALL_SHARE = 10;

const GRACE_LOAD_MAX = 5;

/** Limits are looked at this often, short ones more often. */
const LOOK_EVERY_MS = SECOND_MS / 2;
const LOOK_SHARE = 10;
const LOOK_LEAST_MS = 20;

/** `cpu`: the CPU time is used up. `standstill`: nothing moved. `wall`: CPU times are unknown, and it took too long. */
export type LimitKind = 'cpu' | 'standstill' | 'wall';

/** Why work was ended. */
export interface LimitReached {
  kind: LimitKind;
  limitMs: number;
}

export interface WorkLimitOptions {
  /** Most CPU time of the work. */
  cpuLimitMs: number;
  /** Default: `STANDSTILL_MS`. On a machine under load it is longer. */
  standstillMs?: number;
  /** CPU milliseconds of the work so far; null where the system does not tell. */
  cpuMs(): number | null;
  onLimit(reached: LimitReached): void;
}

export interface WorkLimit {
  /** The work reports progress: it does not stand still. */
  moved(): void;
  /** The work has ended. */
  end(): void;
}

/** Calls `onLimit` once when work exceeds its limit. */
export function limitWork({ cpuLimitMs, standstillMs = STANDSTILL_MS, cpuMs, onLimit }: WorkLimitOptions): WorkLimit {
  const everyMs = Math.max(LOOK_LEAST_MS, Math.min(LOOK_EVERY_MS, cpuLimitMs / LOOK_SHARE));
  let lookedAt = performance.now();
  let wallMs = 0;
  let stillMs = 0;
  let lastCpuMs = 0;
  const reportLimitReached = (kind: LimitKind, limitMs: number) => {
    clearInterval(timer);
    onLimit({ kind, limitMs });
  };
  const checkWorkLimits = () => {
    const now = performance.now();
    // A suspended machine, or a blocked thread of the server, is no time of the work.
    const passedMs = Math.min(now - lookedAt, 2 * everyMs);
    lookedAt = now;
    wallMs += passedMs;
    stillMs += passedMs / machineLoad();
    const usedMs = cpuMs();
    if (usedMs === null) {
      if (wallMs > cpuLimitMs * WALL_SHARE) reportLimitReached('wall', cpuLimitMs * WALL_SHARE);
      return;
    }
    if (usedMs > lastCpuMs) stillMs = 0;
    lastCpuMs = Math.max(lastCpuMs, usedMs);
    if (usedMs > cpuLimitMs) reportLimitReached('cpu', cpuLimitMs);
    else if (stillMs > standstillMs) reportLimitReached('standstill', standstillMs);
  };
  const timer = setInterval(checkWorkLimits, everyMs);
  timer.unref();
  return {
    moved: () => {
      stillMs = 0;
    },
    end: () => clearInterval(timer),
  };
}

/** `it used more than 60 s of processor time`: why work was ended, for a message. */
export function limitPhrase({ kind, limitMs }: LimitReached): Said {
  const time = limitMs >= 2 * MINUTE_MS ? say`${Math.round(limitMs / MINUTE_MS)} min` : say`${limitMs / SECOND_MS} s`;
  if (kind === 'cpu') return say`it used more than ${time} of processor time`;
  return kind === 'standstill' ? say`it made no progress for ${time}` : say`it took longer than ${time}`;
}

/** How many threads share a core of this machine: 1 when it is not busy. */
export function machineLoad(): number {
  const [lastMinute = 0] = os.loadavg();
  return Math.max(1, Math.max(lastMinute, runnableThreads() ?? 0) / os.availableParallelism());
}

/** Time for work to stop that was asked to, on this machine as it is now: at most five times the given one. */
export function graceMs(idleMs: number): number {
  return idleMs * Math.min(GRACE_LOAD_MAX, machineLoad());
}

/**
 * A timer for waits whose CPU time is not known, such as those over several tasks: seconds of a busy machine count
 * less.
 *
 * @returns a function that cancels the timer
 */
export function afterMachineTime(limitMs: number, onTime: () => void): () => void {
  const everyMs = Math.max(LOOK_LEAST_MS, Math.min(LOOK_EVERY_MS, limitMs / LOOK_SHARE));
  let leftMs = limitMs;
  let lookedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    leftMs -= Math.min(now - lookedAt, 2 * everyMs) / machineLoad();
    lookedAt = now;
    if (leftMs > 0) return;
    clearInterval(timer);
    onTime();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
