/** What is looked for again and again: it must neither keep others waiting nor be done twice. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { REMEMBERED_MS, Retention, type RetentionParts } from '../../src-server/jobs/retention.ts';
import { Upkeep } from '../../src-server/jobs/upkeep.ts';
import { othersTurn } from '../../src-server/lib/others-turn.ts';
import { JobFolders } from '../../src-server/storage/job-folders.ts';
import { queueJob, temporaryStorage } from '../harness/queue.ts';
import { turnsDuring } from '../harness/turns.ts';
import { until } from '../harness/until.ts';

const NOW = REMEMBERED_MS * 2;
const clock = { now: () => NOW };

let database: Awaited<ReturnType<typeof temporaryStorage>>;
let root: string;
beforeEach(async () => {
  database = await temporaryStorage();
  root = await mkdtemp(join(tmpdir(), 'quarry test '));
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

function retentionOf(parts: Partial<RetentionParts> = {}) {
  const errors: string[] = [];
  const log = { error: (_fields: object, message: string) => void errors.push(message) };
  const folders = new JobFolders(root);
  const nothing = { onRemoved: async () => {}, afterRemoved: () => {} };
  return { retention: new Retention({ storage: database.storage, folders, clock, log, ...nothing, ...parts }), errors };
}

async function endedJobs(count: number, columns: { expires_at: number; purged_at: number | null }): Promise<void> {
  for (let made = 0; made < count; made += 1) await queueJob(database.storage);
  await database.storage.transaction((tx) =>
    tx
      .updateTable('jobs')
      .set({ status: 'failed', ready: 0, ...columns })
      .execute(),
  );
}

const jobs = () => database.storage.db.selectFrom('jobs').select(['id', 'purged_at']).execute();

test('forgetting many jobs lets whoever else waits for the server go between any two', async () => {
  await endedJobs(250, { expires_at: 1, purged_at: 1 });
  const { retention, errors } = retentionOf();
  expect(await turnsDuring(() => retention.sweep())).toBeGreaterThan(100);
  expect([await jobs(), errors]).toEqual([[], []]);
});

test('a pass over expired jobs that takes long is not doubled by the next, and ends with the job in hand when it is closed', async () => {
  await endedJobs(3, { expires_at: 1, purged_at: null });
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const removed: string[] = [];
  const remove = async (jobId: string) => {
    removed.push(jobId);
    await gate;
  };
  const { retention, errors } = retentionOf({ folders: { remove } as unknown as JobFolders });
  retention.start();
  await until(() => removed.length > 0);
  void retention.sweep();
  for (let turn = 0; turn < 20; turn += 1) await othersTurn();
  expect(removed).toHaveLength(1);
  const closed = retention.close();
  open();
  await closed;
  expect((await jobs()).filter(({ purged_at }) => purged_at !== null).map(({ id }) => id)).toEqual(removed);
  expect([removed.length, errors]).toEqual([1, []]);
});

test('jobs whose pause is over are made ready once, however long the database cannot be written meanwhile', async () => {
  const { seq } = await queueJob(database.storage);
  await database.storage.transaction((tx) => tx.updateTable('jobs').set({ ready: 0, run_after_at: 1 }).execute());
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const changed: number[] = [];
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const upkeep = new Upkeep({
    storage: database.storage,
    clock,
    instanceId: 'run_test',
    limitsOf: () => ({ attempts: 1 }),
    change: async (changing) => {
      changed.push(changing);
      await gate;
    },
    context: () => ({ now: NOW, onTerminal: async () => {}, retentionMs: 1 }),
    onReady: () => {},
    log: { error: () => {} },
  });
  await upkeep.start();
  for (let second = 0; second < 5; second += 1) {
    vi.advanceTimersByTime(1000);
    for (let turn = 0; turn < 20; turn += 1) await othersTurn();
  }
  expect(changed).toEqual([seq]);
  open();
  upkeep.close();
  vi.useRealTimers();
});
