import { afterEach, expect, test, vi } from 'vitest';
import { watchIdleMemory } from '../../../src-server/platform/process/idle-memory.ts';
import { MIB } from '../../../src-server/platform/units.ts';
import { until } from '../../harness/until.ts';

let end: (() => void) | null = null;
afterEach(() => end?.());

test('a server that rests collects once, and again only after its heap has grown', async () => {
  let heap = 200 * MIB;
  const collect = vi.fn(() => {
    heap = 90 * MIB;
  });
  end = watchIdleMemory({ isWorking: () => false, collect, heapBytes: () => heap, busyShare: () => 0, lookEveryMs: 5 });
  await until(() => collect.mock.calls.length === 1);
  heap = 100 * MIB;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(collect).toHaveBeenCalledTimes(1);
  heap = 300 * MIB;
  await until(() => collect.mock.calls.length === 2);
});

test('work and a small heap are left alone', async () => {
  const collect = vi.fn();
  let isWorking = true;
  let heap = 200 * MIB;
  end = watchIdleMemory({
    isWorking: () => isWorking,
    collect,
    heapBytes: () => heap,
    busyShare: () => 0,
    lookEveryMs: 5,
  });
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(collect).not.toHaveBeenCalled();
  heap = 50 * MIB;
  isWorking = false;
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(collect).not.toHaveBeenCalled();
  heap = 200 * MIB;
  await until(() => collect.mock.calls.length === 1);
});

test('a thread that works is left alone', async () => {
  const collect = vi.fn();
  let busyShare = 0.5;
  const options = { collect, heapBytes: () => 200 * MIB, busyShare: () => busyShare, lookEveryMs: 5 };
  end = watchIdleMemory({ isWorking: () => false, ...options });
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(collect).not.toHaveBeenCalled();
  busyShare = 0;
  await until(() => collect.mock.calls.length === 1);
});

test('the collection gives the pages back', async () => {
  const heapMb = () => process.memoryUsage().heapTotal / MIB;
  let garbage: object[] | null = Array.from({ length: 1_500_000 }, (_, number) => ({ name: `x${number}` }));
  const before = heapMb();
  garbage = null;
  // On a busy machine a thread that waits for a core looks busy.
  end = watchIdleMemory({ isWorking: () => false, busyShare: () => 0, lookEveryMs: 20 });
  await until(() => heapMb() < before / 1.5);
  expect(garbage).toBeNull();
});
