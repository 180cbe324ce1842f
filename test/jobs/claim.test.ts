import { describe, expect, test } from 'vitest';
import { claimNext } from '../../src-server/features/jobs/queue.ts';
import type { JobRow } from '../../src-server/features/jobs/store.ts';
import { completeJobRow } from '../../src-server/features/jobs/transition.ts';
import type { Storage } from '../../src-server/platform/db/database.ts';
import { MINUTE_MS } from '../../src-server/platform/units.ts';
import { queueJob, temporaryStorage } from '../harness/queue.ts';

const NOW = 1_000_000;
const LEASE = { owner: 'run_test', expiresAt: NOW + MINUTE_MS };
const unlimited = () => Number.POSITIVE_INFINITY;

const claim = (storage: Storage, now = NOW, concurrencyOf: (id: string) => number = unlimited) =>
  claimNext(storage, 'light', concurrencyOf, LEASE, now);

function claimAll(storage: Storage, now = NOW): JobRow[] {
  const claimed: JobRow[] = [];
  for (let job = claim(storage, now); job; job = claim(storage, now)) claimed.push(job);
  return claimed;
}

const finish = (storage: Storage, job: JobRow) =>
  storage.transaction((tx) =>
    completeJobRow(tx, job, { body: '{}', chunksBytes: null }, { now: NOW, onTerminal: () => {}, retentionMs: 1 }),
  );

describe('the queue', () => {
  test('hands out each job exactly once, and nothing once it is empty', async () => {
    await using database = await temporaryStorage();
    const queued = Array.from({ length: 20 }, () => queueJob(database.storage));
    const claims = Array.from({ length: 30 }, () => claim(database.storage));
    const ids = claims.flatMap((job) => (job ? [job.id] : []));
    expect(new Set(ids)).toEqual(new Set(queued.map((job) => job.id)));
    expect(ids).toHaveLength(20);
  });

  test('lets accounts take turns, so that a thousand jobs of one do not delay the single job of another', async () => {
    await using database = await temporaryStorage();
    for (let n = 0; n < 8; n++) queueJob(database.storage, { accountId: 'ip:many' });
    claim(database.storage);
    claim(database.storage);
    queueJob(database.storage, { accountId: 'ip:single' });
    const next = claim(database.storage);
    expect(next?.account_id).toBe('ip:single');
  });

  test('serves three busy accounts in rotation', async () => {
    await using database = await temporaryStorage();
    for (const accountId of ['a', 'b', 'c']) {
      for (let n = 0; n < 3; n++) queueJob(database.storage, { accountId });
    }
    const order = claimAll(database.storage).map((job) => job.account_id);
    for (const round of [order.slice(0, 3), order.slice(3, 6), order.slice(6, 9)]) {
      expect(new Set(round)).toEqual(new Set(['a', 'b', 'c']));
    }
  });

  test('takes high before normal before low, and the older first within one priority', async () => {
    await using database = await temporaryStorage();
    const priorities = [0, 1, 2, 1, 0, 2];
    for (const priority of priorities) queueJob(database.storage, { priority, createdAt: NOW });
    const claimed = claimAll(database.storage);
    expect(claimed.map((job) => job.priority)).toEqual([2, 2, 1, 1, 0, 0]);
    expect(claimed.map((job) => job.seq)).toEqual([3, 6, 2, 4, 1, 5]);
  });

  test('counts a low job that has waited ten minutes as normal, so that it is never starved', async () => {
    await using database = await temporaryStorage();
    const low = queueJob(database.storage, { priority: 0, createdAt: NOW - 10 * MINUTE_MS });
    queueJob(database.storage, { priority: 1, createdAt: NOW });
    expect(claim(database.storage)?.id).toBe(low.id);
  });

  test('keeps a low job that has waited less behind normal ones', async () => {
    await using database = await temporaryStorage();
    queueJob(database.storage, { priority: 0, createdAt: NOW - 10 * MINUTE_MS + 1 });
    const normal = queueJob(database.storage, { priority: 1, createdAt: NOW });
    expect(claim(database.storage)?.id).toBe(normal.id);
  });

  test('runs at most the concurrency of an account at once, and goes on when one ends', async () => {
    await using database = await temporaryStorage();
    for (let n = 0; n < 5; n++) queueJob(database.storage, { accountId: '0xabc' });
    const two = () => 2;
    const first = claim(database.storage, NOW, two);
    expect(claim(database.storage, NOW, two)).not.toBeNull();
    expect(claim(database.storage, NOW, two)).toBeNull();
    finish(database.storage, first as JobRow);
    expect(claim(database.storage, NOW, two)).not.toBeNull();
    expect(claim(database.storage, NOW, two)).toBeNull();
  });

  test('leaves room in a queue class: the owner alone cannot fill it', async () => {
    await using database = await temporaryStorage();
    for (let n = 0; n < 45; n++) queueJob(database.storage, { accountId: 'owner' });
    expect(claimAll(database.storage)).toHaveLength(30);
    queueJob(database.storage, { accountId: '0xother' });
    expect(claim(database.storage)?.account_id).toBe('0xother');
  });

  test('keeps queue classes apart: a full network class does not delay light work', async () => {
    await using database = await temporaryStorage();
    for (let n = 0; n < 60; n++) queueJob(database.storage, { queueClass: 'network', accountId: `a${n}` });
    for (;;) if (!claimNext(database.storage, 'network', unlimited, LEASE, NOW)) break;
    queueJob(database.storage, { queueClass: 'light' });
    expect(claim(database.storage)).not.toBeNull();
  });
});
