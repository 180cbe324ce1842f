/** What is looked for again and again: it must neither keep others waiting nor be done twice. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { JobChanges } from '../../src-server/features/jobs/changes.ts';
import { Upkeep } from '../../src-server/features/jobs/leases.ts';
import { REMEMBERED_MS, Retention, type RetentionDeps } from '../../src-server/features/jobs/retention.ts';
import { type JobRow, jobById } from '../../src-server/features/jobs/store.ts';
import { resumeFailedJob } from '../../src-server/features/jobs/transition.ts';
import { yieldToEventLoop } from '../../src-server/platform/concurrency.ts';
import type { Storage } from '../../src-server/platform/db/database.ts';
import { JobFolders } from '../../src-server/platform/files/job-folders.ts';
import { DAY_MS, MINUTE_MS } from '../../src-server/platform/units.ts';
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

function retentionOf(parts: Partial<RetentionDeps> = {}) {
  const errors: string[] = [];
  const log = { error: (_fields: object, message: string) => void errors.push(message) };
  const folders = new JobFolders(root);
  const nothing = { changes: new JobChanges(), onRemoved: () => {}, afterRemoved: () => {} };
  return { retention: new Retention({ storage: database.storage, folders, clock, log, ...nothing, ...parts }), errors };
}

function endedJobs(count: number, columns: { expires_at: number; purged_at: number | null }): void {
  for (let made = 0; made < count; made += 1) queueJob(database.storage);
  database.storage.transaction((tx) =>
    tx.runStatement(tx.updateTable('jobs').set({ status: 'failed', ready: 0, ...columns })),
  );
}

const jobs = () => database.storage.db.queryAll(database.storage.db.selectFrom('jobs').select(['id', 'purged_at']));

test('forgetting many jobs lets whoever else waits for the server go between any two', async () => {
  endedJobs(250, { expires_at: 1, purged_at: 1 });
  const { retention, errors } = retentionOf();
  expect(await turnsDuring(() => retention.sweepExpiredJobs())).toBeGreaterThan(100);
  expect([jobs(), errors]).toEqual([[], []]);
});

describe('the files of an expired job', () => {
  let folders: JobFolders;
  let id: string;
  beforeEach(async () => {
    endedJobs(1, { expires_at: 1, purged_at: null });
    folders = new JobFolders(root);
    id = jobs()[0]?.id ?? '';
    await folders.prepareJobFolder(id);
    await writeFile(folders.sourceFolderPath(id), 'what was uploaded');
  });
  const left = () => readFile(folders.sourceFolderPath(id), 'utf8').catch(() => null);

  test('stay with it where it is asked for again at that very moment', async () => {
    const { storage } = database;
    const asked = vi.fn(() => storage.transaction((tx) => resumeFailedJob(tx, jobById(tx, id) as JobRow, NOW)));
    const transaction: Storage['transaction'] = (work) => {
      asked.mock.calls.length === 0 ? asked() : null;
      return storage.transaction(work);
    };
    const { retention, errors } = retentionOf({ folders, storage: { ...storage, transaction } });
    await retention.sweepExpiredJobs();
    expect([await left(), jobs()[0]?.purged_at, errors]).toEqual(['what was uploaded', null, []]);
  });

  test('stay with it where it cannot be removed, and go with it once it can', async () => {
    const onRemoved = vi
      .fn(() => {})
      .mockImplementationOnce(() => {
        throw new Error('Not now.');
      });
    const { retention, errors } = retentionOf({ folders, onRemoved });
    await retention.sweepExpiredJobs();
    expect([await left(), jobs()[0]?.purged_at, errors.length]).toEqual(['what was uploaded', null, 1]);
    await retention.sweepExpiredJobs();
    expect([await left(), (await readdir(root, { recursive: true })).filter((name) => name.includes(id))]).toEqual([
      null,
      [],
    ]);
  });

  test('are there again, or gone, after a process that died while it removed them', async () => {
    folders.setJobFolderAside(id);
    await folders.recoverJobFolders(() => 'job');
    expect(await left()).toBe('what was uploaded');
    folders.setJobFolderAside(id);
    await folders.recoverJobFolders(() => 'nobody');
    expect((await readdir(root, { recursive: true })).filter((name) => name.includes(id))).toEqual([]);
  });
});

test('a pass over expired jobs that takes long is not doubled by the next, and ends with the job in hand when it is closed', async () => {
  endedJobs(3, { expires_at: 1, purged_at: null });
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const removed: string[] = [];
  const setJobFolderAside = (jobId: string) => {
    removed.push(jobId);
    return jobId;
  };
  const clearAside = async (aside?: string) => (aside === undefined ? undefined : gate);
  const { retention, errors } = retentionOf({ folders: { setJobFolderAside, clearAside } as unknown as JobFolders });
  retention.startRetention();
  await until(() => removed.length > 0);
  void retention.sweepExpiredJobs();
  for (let turn = 0; turn < 20; turn += 1) await yieldToEventLoop();
  expect(removed).toHaveLength(1);
  const closed = retention.closeRetention();
  open();
  await closed;
  expect(
    jobs()
      .filter(({ purged_at }) => purged_at !== null)
      .map(({ id }) => id),
  ).toEqual(removed);
  expect([removed.length, errors]).toEqual([1, []]);
});

describe('a clock that jumps days ahead while the server runs', () => {
  let ahead: number;
  let retention: Retention;
  beforeEach(async () => {
    ahead = 0;
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const moving = { now: () => NOW + Math.floor(performance.now()) + ahead };
    endedJobs(1, { expires_at: NOW + 3 * DAY_MS, purged_at: null });
    retention = retentionOf({ clock: moving }).retention;
    retention.startRetention();
    await retention.sweepExpiredJobs();
  });
  afterEach(async () => {
    await retention.closeRetention();
    vi.useRealTimers();
  });

  /** A minute after the other, as the sweeps come. */
  async function pass(minutes: number): Promise<void> {
    for (let passed = 0; passed < minutes; passed += 1) {
      vi.advanceTimersByTime(MINUTE_MS);
      for (let turn = 0; turn < 20; turn += 1) await yieldToEventLoop();
    }
  }
  const removed = async () => jobs().filter(({ purged_at }) => purged_at !== null).length;

  test('removes nothing within an hour, and nothing at all once it is set right', async () => {
    await pass(5);
    ahead = 10 * DAY_MS;
    await pass(59);
    expect(await removed()).toBe(0);
    ahead = 0;
    await pass(200);
    expect(await removed()).toBe(0);
  });

  test('is believed after that hour, as after a machine has slept', async () => {
    ahead = 10 * DAY_MS;
    await pass(62);
    await until(async () => (await removed()) === 1);
  });
});

test('jobs whose pause is over are made ready by one pass at a time, however long it takes', async () => {
  const seqs = [1, 2, 3].map(() => queueJob(database.storage).seq);
  database.storage.transaction((tx) => tx.runStatement(tx.updateTable('jobs').set({ ready: 0, run_after_at: 1 })));
  const changed: number[] = [];
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const upkeep = new Upkeep({
    storage: database.storage,
    clock,
    instanceId: 'run_test',
    change: (changing) => void changed.push(changing),
    context: () => ({ now: NOW, onTerminal: () => {}, retentionMs: 1 }),
    isRunning: () => false,
    resumeAway: () => false,
    onReady: () => {},
    lookAtSuspects: () => {},
    log: { error: () => {} },
  });
  upkeep.startUpkeep();
  vi.advanceTimersByTime(5000);
  for (let turn = 0; turn < 20; turn += 1) await yieldToEventLoop();
  expect(changed).toEqual(seqs);
  upkeep.closeUpkeep();
  vi.useRealTimers();
});
