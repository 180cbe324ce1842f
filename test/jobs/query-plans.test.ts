import { expect, test } from 'vitest';
import { claimNext } from '../../src-server/features/jobs/queue.ts';
import {
  countByStatus,
  dueJobs,
  endedJobs,
  expiredJobs,
  findJobs,
  forgottenJobs,
  jobById,
  listJobs,
  renewLeases,
  reusableJob,
  storedResultOf,
  waitingJobs,
} from '../../src-server/features/jobs/store.ts';
import { earnedFrom, earnedSince, hasEarned, listPayments } from '../../src-server/features/payments/store.ts';
import { listEndpoints } from '../../src-server/features/webhooks/store.ts';
import type { Storage } from '../../src-server/platform/db/database.ts';
import { type PlannedStatement, plansOf } from '../harness/query-plans.ts';
import { queueJob, temporaryStorage } from '../harness/queue.ts';

/** Every statement the queue and the lists run, with the plan SQLite makes for it. */
async function queuePlans(work: (storage: Storage) => unknown): Promise<PlannedStatement[]> {
  await using database = await temporaryStorage();
  for (let n = 0; n < 3; n++) queueJob(database.storage, { accountId: `a${n}`, priority: n });
  return plansOf(database.path, /^(select|update|delete)/, work);
}

function expectSeeks(plans: PlannedStatement[]): void {
  expect(plans.length).toBeGreaterThan(0);
  for (const { sql, plan } of plans) {
    const scans = plan.filter(
      (line) => /^SCAN (?!CONSTANT|some)/.test(line) && !/USING (COVERING )?INDEX|rowid/i.test(line),
    );
    expect(scans, sql).toEqual([]);
    const sorts = plan.filter((line) => line.includes('TEMP B-TREE'));
    expect(sorts, sql).toEqual([]);
  }
}

test('a claim seeks in indexes and sorts nothing, so that its cost is logarithmic in the number of jobs', async () => {
  const plans = await queuePlans((storage) =>
    claimNext(storage, 'light', () => 10, { owner: 'run_plan', expiresAt: 1 }, 2_000_000),
  );
  expect(plans.some(({ sql }) => sql.includes('"turns"'))).toBe(true);
  expectSeeks(plans);
});

test('reading, listing, expiring and renewing seek in indexes', async () => {
  const plans = await queuePlans(({ db, transaction }) => {
    jobById(db, 'job_x');
    storedResultOf(db, 'job_x');
    reusableJob(db, 'key', { now: 1, endedSince: 1, completedSince: 1 });
    listJobs(db, {}, null, 10);
    listJobs(db, {}, 5, 10);
    listJobs(db, { accountId: 'a1' }, 5, 10);
    listJobs(db, { accountId: 'a1', status: 'queued' }, null, 10);
    listJobs(db, { status: 'failed' }, 5, 10);
    listJobs(db, { operationId: 'extract/doc' }, 5, 10);
    listJobs(db, { tag: 'north' }, 5, 10);
    listJobs(db, { tag: 'north', accountId: 'a1', status: 'failed', operationId: 'crawl' }, 5, 10);
    dueJobs(db, 1, 10);
    dueJobs(db, 1, 10, true);
    expiredJobs(db, 1, 10);
    forgottenJobs(db, 1, 10);
    waitingJobs(db);
    countByStatus(db, 100);
    transaction((tx) => renewLeases(tx, 'run_x', 1));
  });
  expectSeeks(plans);
});

test('activity over time seeks the counts of its hours, and reads no job and no payment', async () => {
  const plans = await queuePlans(({ db }) => {
    endedJobs(db, 1, 3_600_000);
    earnedSince(db, 'play', 1, 86_400_000);
    earnedFrom(db, ['0xa', '0xb']);
    hasEarned(db, 'real');
  });
  for (const { sql, plan } of plans) {
    const reads = plan.filter((line) => /^(SCAN|SEARCH)/.test(line) && !line.includes('VIRTUAL TABLE'));
    for (const line of reads)
      expect(line, sql).toMatch(/^SEARCH (ended_jobs|earned_hours|earned_from) USING PRIMARY KEY/);
  }
});

test('a page of a list goes through no more than the jobs that are kept, the few of a status, or the few endpoints', async () => {
  const plans = await queuePlans(({ db }) => {
    listJobs(db, {}, null, 10);
    listJobs(db, {}, 5, 10);
    listJobs(db, { status: 'queued', operationId: 'extract/doc' }, null, 10);
    listJobs(db, { status: 'failed', operationId: 'extract/doc' }, 5, 10);
    listJobs(db, { status: 'completed', operationId: 'search' }, 5, 10);
    listPayments(db, { status: 'reserved', operationId: 'extract/doc' }, null, 10);
    listPayments(db, { status: 'failed', payer: '0x1' }, 5, 10);
    listPayments(db, { money: 'real' }, 5, 10);
    listPayments(db, { money: 'play', status: 'settled' }, null, 10);
    listEndpoints(db, null, 10);
    listEndpoints(db, 5, 10);
  });
  const indexes = plans.map(({ plan }) => / USING INDEX (\w+)/.exec(plan[0] ?? '')?.[1]);
  expect(indexes).toEqual([
    'jobs_kept',
    'jobs_kept',
    'jobs_by_status',
    'jobs_by_status',
    'jobs_by_operation',
    'payments_by_status',
    'payments_by_status',
    'payments_by_money',
    'payments_by_money',
    'webhooks_of_account',
    'webhooks_of_account',
  ]);
});

test('the jobs of a time are found by seeks, and a page goes through no more than its part of the list', async () => {
  const plans = await queuePlans(({ db }) => {
    const page = { cursor: null, limit: 10, look: 100 };
    findJobs(db, { from: 1, to: Number.MAX_SAFE_INTEGER }, [], page);
    findJobs(db, { status: 'queued', order: 'oldest' }, ['word'], page);
  });
  expectSeeks(plans);
  const searches = plans.map(({ plan }) =>
    / USING (?:COVERING )?INDEX (\w+)(?: \((.*)\))?/.exec(plan[0] ?? '')?.slice(1),
  );
  expect(searches).toEqual([
    ['jobs_by_time', 'created_at>?'],
    ['jobs_by_time', 'created_at<?'],
    ['jobs_kept', 'seq>? AND seq<?'],
    ['jobs_kept', undefined],
    ['jobs_kept', undefined],
    ['jobs_by_status', 'status=? AND seq>? AND seq<?'],
  ]);
});

test('a page of the payments of a time seeks in the index of times, whatever else is asked, unless that is rarer', async () => {
  const plans = await queuePlans(({ db }) => {
    listPayments(db, { from: 1, to: 2 }, null, 10);
    listPayments(db, { to: 2 }, 5, 10);
    listPayments(db, { from: 1, status: 'settled', operationId: 'extract/doc' }, 5, 10);
    listPayments(db, { from: 1, status: 'failed' }, 5, 10);
    listPayments(db, { from: 1, payer: '0x1' }, 5, 10);
  });
  expectSeeks(plans);
  const searches = plans.map(({ plan }) => / USING INDEX (\w+) \((.*)\)/.exec(plan[0] ?? '')?.slice(1));
  expect(searches).toEqual([
    ['payments_by_time', 'verified_at>? AND verified_at<?'],
    ['payments_by_time', 'verified_at<?'],
    ['payments_by_time', 'verified_at>? AND verified_at<?'],
    ['payments_by_status', 'status=? AND seq<?'],
    ['payments_by_payer', 'payer=? AND seq<?'],
  ]);
});
