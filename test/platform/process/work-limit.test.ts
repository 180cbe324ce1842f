import { spawn } from 'node:child_process';
import os from 'node:os';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  cpuMsOfGroup,
  cpuMsOfProcess,
  cpuMsOfThread,
  ownThreadId,
} from '../../../src-server/platform/process/cpu-time.ts';
import { runTool } from '../../../src-server/platform/process/run-tool.ts';
import {
  afterMachineTime,
  type LimitReached,
  limitPhrase,
  limitWork,
} from '../../../src-server/platform/process/work-limit.ts';
import { MINUTE_MS, SECOND_MS } from '../../../src-server/platform/units.ts';
import { until } from '../../harness/until.ts';

/** A machine whose clocks the test moves: `share` of the wall time becomes CPU time of the work. */
function workOn(limits: { cpuLimitMs: number; standstillMs?: number }, cpuMs: () => number | null) {
  const reached: LimitReached[] = [];
  return { reached, limit: limitWork({ ...limits, cpuMs, onLimit: (one) => reached.push(one) }) };
}

describe('a limit of work', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('lets work of 3 s finish that gets a fiftieth of a core', async () => {
    const began = performance.now();
    const { reached, limit } = workOn({ cpuLimitMs: 60 * SECOND_MS }, () => (performance.now() - began) / 50);
    await vi.advanceTimersByTimeAsync(50 * 3 * SECOND_MS);
    limit.end();
    expect(reached).toEqual([]);
  });

  test('ends work that spins when its CPU time is used up, once', async () => {
    const began = performance.now();
    const { reached } = workOn({ cpuLimitMs: 6 * SECOND_MS }, () => (performance.now() - began) / 50);
    await vi.advanceTimersByTimeAsync(4.9 * MINUTE_MS);
    expect(reached).toEqual([]);
    await vi.advanceTimersByTimeAsync(MINUTE_MS / 2);
    expect(reached).toEqual([{ kind: 'cpu', limitMs: 6 * SECOND_MS }]);
  });

  test('ends work that stands still, later on a busy machine', async () => {
    const busy = vi.spyOn(os, 'loadavg').mockReturnValue([1000 * os.availableParallelism(), 0, 0]);
    const limits = { cpuLimitMs: MINUTE_MS, standstillMs: 5 * SECOND_MS };
    const { reached } = workOn(limits, () => 5);
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    expect(reached).toEqual([]);
    busy.mockRestore();
    // The load of this machine counts.
    for (let n = 0; n < 60 && reached.length === 0; n += 1) await vi.advanceTimersByTimeAsync(10 * SECOND_MS);
    expect(reached).toEqual([{ kind: 'standstill', limitMs: 5 * SECOND_MS }]);
  });

  test('takes progress for work, where the CPU is that of another program', async () => {
    const { reached, limit } = workOn({ cpuLimitMs: MINUTE_MS, standstillMs: MINUTE_MS }, () => 5);
    for (let n = 0; n < 6; n += 1) {
      await vi.advanceTimersByTimeAsync(MINUTE_MS / 2);
      limit.moved();
    }
    expect(reached).toEqual([]);
  });

  test('gives ten times the time where the system does not tell CPU times', async () => {
    const { reached } = workOn({ cpuLimitMs: 6 * SECOND_MS }, () => null);
    await vi.advanceTimersByTimeAsync(59 * SECOND_MS);
    expect(reached).toEqual([]);
    await vi.advanceTimersByTimeAsync(5 * SECOND_MS);
    expect(reached).toEqual([{ kind: 'wall', limitMs: MINUTE_MS }]);
  });

  test('counts nothing while the machine sleeps', async () => {
    const { reached } = workOn({ cpuLimitMs: MINUTE_MS }, () => null);
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 24 * 60 * MINUTE_MS);
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    clock.mockRestore();
    expect(reached).toEqual([]);
  });

  test('counts seconds for waits over several tasks, and can be cancelled', async () => {
    const ended: string[] = [];
    afterMachineTime(SECOND_MS, () => ended.push('one'));
    afterMachineTime(SECOND_MS, () => ended.push('other'))();
    await vi.advanceTimersByTimeAsync(SECOND_MS / 2);
    expect(ended).toEqual([]);
    for (let n = 0; n < 60 && ended.length === 0; n += 1) await vi.advanceTimersByTimeAsync(5 * SECOND_MS);
    expect(ended).toEqual(['one']);
  });
});

test('the message says which limit it was', () => {
  expect(limitPhrase({ kind: 'cpu', limitMs: 60_000 })).toBe('it used more than 60 s of processor time');
  expect(limitPhrase({ kind: 'standstill', limitMs: 180_000 })).toBe('it made no progress for 3 min');
  expect(limitPhrase({ kind: 'wall', limitMs: 600_000 })).toBe('it took longer than 10 min');
});

const SPINS = ['-e', 'for (;;);'];

describe.runIf(process.platform === 'linux')('CPU time', () => {
  test('of this thread grows with work and not with waiting', () => {
    const id = ownThreadId() ?? 0;
    const before = cpuMsOfThread(id) ?? Number.NaN;
    const { user, system } = process.threadCpuUsage();
    expect(Math.abs(before - (user + system) / 1000)).toBeLessThan(200);
    expect(cpuMsOfThread(2 ** 22 + 1)).toBeNull();
  });

  test('of a process and of its group grows while it spins', async () => {
    const child = spawn(process.execPath, SPINS, { stdio: 'ignore', detached: true });
    const pid = child.pid ?? 0;
    await until(() => (cpuMsOfProcess(pid) ?? 0) > 300);
    expect(cpuMsOfGroup(pid)).toBeGreaterThan(200);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    expect(cpuMsOfProcess(pid)).toBeNull();
  });

  const signal = new AbortController().signal;

  test('ends a tool that spins, and not one that only waits', async () => {
    const tool = { path: process.execPath, signal, timeLimitMs: 300 };
    expect(await runTool({ ...tool, args: SPINS })).toMatchObject({ ended: { kind: 'cpu', limitMs: 300 } });
    expect(await runTool({ ...tool, args: SPINS, startsOthers: true })).toMatchObject({ ended: { kind: 'cpu' } });
    const waits = { ...tool, timeLimitMs: 2000, args: ['-e', 'setTimeout(() => {}, 3000)'] };
    expect(await runTool(waits)).toMatchObject({ ended: null, code: 0 });
  });
});
