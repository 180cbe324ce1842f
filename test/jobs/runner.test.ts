import { describe, expect, test } from 'vitest';
import { JobChanges } from '../../src-server/features/jobs/changes.ts';
import { Runner, type RunnerDeps } from '../../src-server/features/jobs/runner.ts';
import { jobById } from '../../src-server/features/jobs/store.ts';
import { Isolation } from '../../src-server/features/jobs/suspects.ts';
import { enqueueJob } from '../../src-server/features/jobs/transition.ts';
import { systemClock } from '../../src-server/platform/clock.ts';
import type { Storage } from '../../src-server/platform/db/database.ts';
import { newId } from '../../src-server/platform/ids.ts';
import { queueJob, temporaryStorage } from '../harness/queue.ts';
import { until } from '../harness/until.ts';

/** How long work that was told to stop takes to do so. */
const STOPPING_MS = 100;

/** A runner whose work ends when it is released, and a while after it is told to stop. */
function slowRunner(storage: Storage) {
  const runs: (() => void)[] = [];
  const execute: RunnerDeps['execute'] = (_job, { signal }) =>
    new Promise((resolve, reject) => {
      runs.push(() => resolve({ result: { body: '{}', chunksBytes: null }, sourceBytes: 0 }));
      signal.addEventListener('abort', () => setTimeout(() => reject(signal.reason), STOPPING_MS));
    });
  const runner = new Runner({
    storage,
    execute,
    clock: systemClock,
    changes: new JobChanges(),
    isolation: new Isolation(),
    instanceId: 'run_test',
    concurrencyOf: () => Number.POSITIVE_INFINITY,
    limitsOf: () => ({ attempts: 1, baseDelaySeconds: 1, timeLimitSeconds: 60 }),
    onMissing: async () => null,
    waitForNode: async () => {
      throw new Error('No job of this test waits for a node.');
    },
    awayRunOf: () => null,
    slotsOfNodes: () => 0,
    afterWait: () => {},
    onTerminal: () => {},
    afterTerminal: () => {},
    retentionMs: () => 1_000_000,
    log: { warn: () => {}, error: () => {} },
  });
  return { runner, runs };
}

/** A job that is run by those who ask for it. */
function inlineJob(storage: Storage, paymentId: string | null = null) {
  const told = {
    id: newId('txt'),
    account_id: 'owner',
    operation_id: 'test/echo',
    priority: 1,
    queue_class: 'light' as const,
  };
  const nothing = { source_name: null, source: null, dedupe_key: null, estimated_ms: null };
  const row = { ...told, ...nothing, request: '{}', events: '[]', payment_id: paymentId };
  return storage.transaction((tx) => enqueueJob(tx, row, systemClock.now(), true));
}

const statusOf = (storage: Storage, id: string) => jobById(storage.db, id)?.status;

describe('a job that is cancelled', () => {
  test('ends also when the queue takes it at that very moment', async () => {
    await using database = await temporaryStorage();
    const { runner } = slowRunner(database.storage);
    const job = queueJob(database.storage);
    runner.kickRunner();
    await runner.cancelRunningJob(job.id);
    expect(statusOf(database.storage, job.id)).toBe('failed');
    expect(runner.runningCount).toBe(0);
    await runner.closeRunner(1000);
  });
});

describe('a job that is run by those who ask for it', () => {
  const emit = () => {};

  test('goes on for whoever still waits, and ends with the last who goes away', async () => {
    await using database = await temporaryStorage();
    const { runner, runs } = slowRunner(database.storage);
    for (const lastStays of [true, false]) {
      const job = inlineJob(database.storage);
      const [first, last] = [new AbortController(), new AbortController()];
      const before = runs.length;
      const waiting = [first, last].map(({ signal }) => runner.runNow(job.id, { signal, emit }));
      await until(() => runs.length > before);
      first.abort();
      await new Promise((resolve) => setTimeout(resolve, STOPPING_MS * 2));
      expect(statusOf(database.storage, job.id)).toBe('processing');
      if (lastStays) runs.at(-1)?.();
      else last.abort();
      await Promise.all(waiting);
      expect(statusOf(database.storage, job.id)).toBe(lastStays ? 'completed' : 'failed');
      expect(runs).toHaveLength(before + 1);
    }
    await runner.closeRunner(1000);
  });

  test('is run anew for who asks while it is being stopped for those who left', async () => {
    await using database = await temporaryStorage();
    const { runner, runs } = slowRunner(database.storage);
    const job = inlineJob(database.storage);
    const gone = new AbortController();
    const left = runner.runNow(job.id, { signal: gone.signal, emit });
    await until(() => runs.length === 1);
    gone.abort();
    const asked = runner.runNow(job.id, { signal: new AbortController().signal, emit });
    await left;
    await until(() => runs.length === 2);
    runs[1]?.();
    await asked;
    expect(statusOf(database.storage, job.id)).toBe('completed');
    await runner.closeRunner(1000);
  });

  test('is finished without anybody where it was paid for', async () => {
    await using database = await temporaryStorage();
    const { runner, runs } = slowRunner(database.storage);
    const job = inlineJob(database.storage, newId('pay'));
    const gone = new AbortController();
    const left = runner.runNow(job.id, { signal: gone.signal, emit });
    await until(() => runs.length === 1);
    gone.abort();
    await new Promise((resolve) => setTimeout(resolve, STOPPING_MS * 2));
    runs[0]?.();
    await left;
    expect(statusOf(database.storage, job.id)).toBe('completed');
    await runner.closeRunner(1000);
  });
});
