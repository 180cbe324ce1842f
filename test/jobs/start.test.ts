import { expect, test } from 'vitest';
import { JobChanges } from '../../src-server/jobs/changes.ts';
import { Runner } from '../../src-server/jobs/runner.ts';
import { systemClock } from '../../src-server/lib/clock.ts';
import { HOUR_MS } from '../../src-server/lib/units.ts';
import { jobById } from '../../src-server/storage/jobs-reader.ts';
import { queueJob, temporaryStorage } from '../harness/queue.ts';
import { until } from '../harness/until.ts';

test('a job that arrives while a server is still starting runs once, and is not taken for one of a dead process', async () => {
  await using database = await temporaryStorage();
  const { storage } = database;
  const runs: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const runner = new Runner({
    storage,
    clock: systemClock,
    changes: new JobChanges(),
    instanceId: 'run_1',
    concurrencyOf: () => 10,
    execute: async ({ id }) => {
      runs.push(id);
      await released;
      return { result: { body: '{}', chunksBytes: null }, sourceBytes: 0 };
    },
    limitsOf: () => ({ attempts: 3, baseDelaySeconds: 1, timeLimitSeconds: 60 }),
    onTerminal: async () => {},
    afterTerminal: () => {},
    retentionMs: () => HOUR_MS,
    log: { warn: () => {}, error: () => {} },
  });
  const { id } = await queueJob(storage);
  runner.kick();
  await until(() => runs.length === 1);
  await runner.start();
  expect(await jobById(storage.db, id)).toMatchObject({ status: 'processing', attempts: 1, crashes: 0 });
  release();
  await until(async () => (await jobById(storage.db, id))?.status === 'completed');
  await runner.close(1000);
  expect(runs).toEqual([id]);
});
