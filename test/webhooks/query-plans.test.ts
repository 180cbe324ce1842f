import { expect, test } from 'vitest';
import {
  attemptsOf,
  cancelPending,
  deliveryById,
  dueAfter,
  dueDeliveries,
  endWaits,
  insertDeliveries,
  listDeliveries,
  markOutcomes,
  noteDeliveries,
  outboxRange,
  requeueSlice,
  restartWaits,
  selectSlice,
  withTargets,
} from '../../src-server/features/webhooks/delivery-store.ts';
import { dueQueues, scheduleQueue, wakeQueue } from '../../src-server/features/webhooks/outbox.ts';
import { webhookById, webhooksOfJob } from '../../src-server/features/webhooks/store.ts';
import type { Tx } from '../../src-server/platform/db/database.ts';
import { type PlannedStatement, plansOf } from '../harness/query-plans.ts';
import { temporaryStorage } from '../harness/queue.ts';

/** Reads through the list that the statement was given. */
const SCANS_VALUES = /^SCAN (json_each|s|m|n) VIRTUAL TABLE/;
const LOST = {
  seq: 1,
  id: 'dlv',
  webhook_id: 'whk',
  lane_id: 'lane',
  kind: 'job',
  job_id: 'job',
  event: 'job.completed',
  job_ended_at: 1,
  attempts: 0,
  tries: 0,
  manual: 0,
  next_attempt_at: 1,
  body_sha256: null,
  created_at: 1,
} as const;
const EXHAUSTED = {
  ...LOST,
  account_id: 'owner',
  status: 'exhausted',
  job_ended_at: 1,
  next_attempt_at: null,
  last_response_status: 500,
  last_error_class: 'http_status',
  updated_at: 1,
} as const;
const FAILED = {
  seq: 1,
  dueAt: 1,
  status: 'pending',
  nextAttemptAt: 2,
  responseStatus: 500,
  errorClass: 'http_status',
  bodySha256: 'a',
} as const;
const NOTE = {
  webhookId: 'whk',
  deliveryId: 'dlv',
  status: 'delivered',
  responseStatus: 200,
  attemptedAt: 1,
  counts: true,
  failures: { sinceSuccess: true, count: 0 },
} as const;

/** Every statement the work runs, with the plan SQLite makes for it. */
async function deliveryPlans(work: (tx: Tx) => unknown): Promise<PlannedStatement[]> {
  await using database = await temporaryStorage();
  const statements = /^(select|update|delete)|^insert .* select /;
  return plansOf(database.path, statements, ({ transaction }) => transaction((tx) => void work(tx)));
}

test('what a delivery needs is found by seeks in indexes, with nothing scanned or sorted, however long the outbox', async () => {
  const plans = await deliveryPlans((tx) => {
    dueQueues(tx, 1, 10);
    dueDeliveries(tx, { id: 'lane', underWay: new Set([3]) }, 1, 10);
    dueAfter(tx, 'lane', 1);
    withTargets(tx, [LOST], 1);
    wakeQueue(tx, 'lane', 1);
    scheduleQueue(tx, 'lane', 1);
    markOutcomes(tx, [FAILED], 1);
    noteDeliveries(tx, [NOTE]);
    cancelPending(tx, { id: 'whk', queueId: 'lane' }, 1);
    webhooksOfJob(tx, { id: 'job', accountId: 'owner' }, 'job.completed');
    webhookById(tx, 'whk');
    deliveryById(tx, 'dlv');
    attemptsOf(tx, 1);
  });
  expect(plans.length).toBeGreaterThan(13);
  for (const { sql, plan } of plans) {
    expect(
      plan.filter((line) => line.startsWith('SCAN') && !SCANS_VALUES.test(line)),
      sql,
    ).toEqual([]);
    expect(
      plan.filter((line) => line.includes('TEMP B-TREE')),
      sql,
    ).toEqual([]);
  }
  const due = plans.filter(({ sql }) => /next_attempt_at" [<>]/.test(sql));
  expect(due.map(({ plan }) => plan.some((line) => line.includes('webhook_deliveries_due')))).toEqual([true, true]);
});

test('a page of the log, a selection to send again and what waits seek in an index too, by status and by webhook', async () => {
  const plans = await deliveryPlans((tx) => {
    listDeliveries(tx, { status: 'exhausted' }, { before: null }, 50);
    listDeliveries(tx, { webhookId: 'whk' }, { before: 10 }, 50);
    listDeliveries(tx, { url: 'https:' }, { before: 10, from: 1 }, 50);
    insertDeliveries(tx, [EXHAUSTED]);
    outboxRange(tx);
    selectSlice(tx, 'sel', { status: 'exhausted', webhookId: 'whk' }, { from: 1, to: 100 });
    selectSlice(tx, 'sel', { url: 'https:' }, { from: 1, to: 100 });
    expect(requeueSlice(tx, 'sel', 10, 1).removed).toBe(1);
    restartWaits(tx, { from: 1, to: 100 }, [3], 1);
    endWaits(tx, 'lane', 1, 10);
  });
  // `SCAN d` reads through the page that was sought, which is bounded.
  const scans = plans.flatMap(({ plan }) =>
    plan.filter((line) => line.includes('TEMP B-TREE') || /^SCAN (?!d$|json_each)/.test(line)),
  );
  expect(plans.length).toBeGreaterThan(8);
  expect(scans).toEqual([]);
});
