import { expect, test } from 'vitest';
import { JobChanges } from '../../src-server/features/jobs/changes.ts';
import { Runner, type RunnerDeps } from '../../src-server/features/jobs/runner.ts';
import { jobById } from '../../src-server/features/jobs/store.ts';
import { Isolation } from '../../src-server/features/jobs/suspects.ts';
import { beginJob } from '../../src-server/features/jobs/transition.ts';
import { systemClock } from '../../src-server/platform/clock.ts';
import type { Storage } from '../../src-server/platform/db/database.ts';
import { HOUR_MS } from '../../src-server/platform/units.ts';
import { queueJob, temporaryStorage } from '../harness/queue.ts';
import { until } from '../harness/until.ts';

function runnerOf(storage: Storage, execute: RunnerDeps['execute']): Runner {
  return new Runner({
    storage,
    execute,
    clock: systemClock,
    changes: new JobChanges(),
    isolation: new Isolation(),
    instanceId: 'run_1',
    concurrencyOf: () => 10,
    limitsOf: () => ({ attempts: 3, baseDelaySeconds: 1, timeLimitSeconds: 60 }),
    onMissing: async () => null,
    waitForNode: async () => {
      throw new Error('No job of this test waits for a node.');
    },
    awayRunOf: () => null,
    slotsOfNodes: () => 0,
    afterWait: () => {},
    onTerminal: () => {},
    afterTerminal: () => {},
    retentionMs: () => HOUR_MS,
    log: { warn: () => {}, error: () => {} },
  });
}

test('a job that arrives while a server is still starting runs once, and is not taken for one of a dead process', async () => {
  await using database = await temporaryStorage();
  const { storage } = database;
  const runs: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const runner = runnerOf(storage, async ({ id }) => {
    runs.push(id);
    await released;
    return { result: { body: '{}', chunksBytes: null }, sourceBytes: 0 };
  });
  const { id } = queueJob(storage);
  runner.kickRunner();
  await until(() => runs.length === 1);
  runner.startRunner();
  expect(jobById(storage.db, id)).toMatchObject({ status: 'processing', attempts: 1, crashes: 0 });
  release();
  await until(() => jobById(storage.db, id)?.status === 'completed');
  await runner.closeRunner(1000);
  expect(runs).toEqual([id]);
});

test('a job of a dead process that is cancelled while a server is still starting ends, and is not run again', async () => {
  await using database = await temporaryStorage();
  const { storage } = database;
  const job = queueJob(storage);
  storage.transaction((tx) => beginJob(tx, job, { owner: 'run_0', expiresAt: systemClock.now() + HOUR_MS }, 1));
  const runs: string[] = [];
  const runner = runnerOf(storage, async ({ id }) => {
    runs.push(id);
    return { result: { body: '{}', chunksBytes: null }, sourceBytes: 0 };
  });
  await runner.cancelRunningJob(job.id);
  runner.startRunner();
  const { status, error } = jobById(storage.db, job.id) ?? {};
  expect([status, JSON.parse(error ?? '{}')]).toMatchObject(['failed', { code: 'cancelled' }]);
  await runner.closeRunner(1000);
  expect(runs).toEqual([]);
});
