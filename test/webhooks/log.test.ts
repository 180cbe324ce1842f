import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebhookRetention } from '../../src-server/features/webhooks/delivery-log.ts';
import { insertDeliveries, type NewDeliveryRow } from '../../src-server/features/webhooks/delivery-store.ts';
import { newId } from '../../src-server/platform/ids.ts';
import { DAY_MS, MIB } from '../../src-server/platform/units.ts';
import { turnsDuring } from '../harness/turns.ts';
import { until } from '../harness/until.ts';
import { openStage, START, type Stage } from './stage.ts';

const HOOK = 'https://receiver.example/hook';
let stage: Stage;

beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.close());

async function deliveries(filter = {}) {
  await stage.webhooks.whenWebhooksSettled();
  return (await stage.webhooks.log.pageOfDeliveries(filter, null, 200)).deliveries;
}

async function onlyId(): Promise<string> {
  const [delivery] = await deliveries();
  return delivery?.deliveryId ?? '';
}

describe('the bytes of a request', () => {
  test.each([
    ['short', 'Grüße'],
    ['long', 'Quarry cuts text into chunks. '.repeat(10_000)],
  ])('are kept exactly: %s', async (_name, text) => {
    stage.finish(stage.accept('owner', [{ url: HOOK, events: [], secret: 's' }]), 'completed', { text });
    const id = await onlyId();
    expect((await stage.webhooks.log.requestBody(id, 1)).equals(stage.client.sent[0]?.body ?? Buffer.alloc(0))).toBe(
      true,
    );
    const { attemptLog } = stage.webhooks.log.deliveryWithAttempts(id);
    expect(attemptLog[0]?.request.headers).toMatchObject(stage.client.sent[0]?.headers ?? {});
    expect(attemptLog[0]?.request.bodyBytes).toBe(stage.client.sent[0]?.body.length);
  });

  test('are explained under the secret of their time while a rotation goes on', async () => {
    const job = { id: stage.accept('payer').id, accountId: 'payer' };
    const { webhookId } = stage.webhooks.createForJob(job, { url: HOOK, secret: 'old' });
    stage.finish(stage.accept('payer'));
    const id = await onlyId();
    await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { secret: 'new' });
    expect(await stage.webhooks.log.explainDeliveryAttempt(id, 1)).toMatchObject({ verdict: 'valid' });
    stage.clock.advance(60_000);
    stage.webhooks.redelivery.redeliverOne(id);
    await stage.webhooks.whenWebhooksSettled();
    expect(await stage.webhooks.log.explainDeliveryAttempt(id, 2)).toMatchObject({ verdict: 'valid' });
  });

  test('are kept once for attempts that send the same, and given for each of them', async () => {
    stage.client.answer = () => ({ status: 500, body: Buffer.from('no'), headers: { server: 'test' } });
    stage.finish(stage.accept('owner', [HOOK]));
    const id = await onlyId();
    stage.clock.advance(60_000);
    await stage.webhooks.whenWebhooksSettled();
    const rows = stage.storage.db.queryAll(
      stage.storage.db.selectFrom('webhook_attempts').select('request_body').orderBy('number'),
    );
    expect(rows.map((row) => row.request_body === null)).toEqual([false, true]);
    expect(await stage.webhooks.log.requestBody(id, 2)).toEqual(await stage.webhooks.log.requestBody(id, 1));
    const { attemptLog } = stage.webhooks.log.deliveryWithAttempts(id);
    const response = { status: 500, headers: { server: 'test' }, body: 'no', truncated: false };
    expect(attemptLog).toMatchObject([
      { number: 1, response },
      { number: 2, response, errorClass: 'http_status' },
    ]);
  });

  test('that are too many to keep are counted and hashed, and that is said', async () => {
    const text = randomBytes(2 * MIB).toString('base64');
    stage.finish(stage.accept('owner', [HOOK]), 'completed', { text });
    const id = await onlyId();
    const { attemptLog } = stage.webhooks.log.deliveryWithAttempts(id);
    expect(attemptLog[0]?.request.bodyBytes).toBeGreaterThan(2 * MIB);
    await expect(stage.webhooks.log.requestBody(id, 1)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('too long'),
    });
  });
});

describe('sending again', () => {
  test('a selection is frozen: what came after the preview is not sent with it', async () => {
    stage.client.answer = () => ({ status: 410 });
    stage.finish(stage.accept('owner', [`${HOOK}/1`]));
    expect(await deliveries({ status: 'exhausted' })).toHaveLength(1);
    const preview = await stage.webhooks.redelivery.freezeSelection({ status: 'exhausted' });
    stage.finish(stage.accept('owner', [`${HOOK}/2`]));
    expect(await deliveries({ status: 'exhausted' })).toHaveLength(2);
    stage.client.answer = () => ({ status: 200 });
    expect(await stage.webhooks.redelivery.applySelection(preview.selectionId)).toEqual({ requeued: 1, skipped: 0 });
    expect((await deliveries()).map((one) => [one.url, one.status])).toEqual([
      [`${HOOK}/2`, 'exhausted'],
      [`${HOOK}/1`, 'delivered'],
    ]);
  });

  test('what a receiver missed is found by how its address begins, whatever job and account it was called for', async () => {
    stage.client.answer = () => ({ status: 410 });
    const missed = [`${HOOK}/a?job=1`, `${HOOK}/a?job=2`, `${HOOK}/%_`, 'https://other.example/'];
    for (const url of missed) stage.finish(stage.accept(url, [url]));
    await stage.webhooks.whenWebhooksSettled();
    const lost = Array.from({ length: 4500 }, (_, index) => exhausted('whk_forgotten', index));
    stage.storage.transaction((tx) => insertDeliveries(tx, lost));
    const urls = async (url: string, limit: number, before: number | null = null) => {
      const { deliveries: found, next } = await stage.webhooks.log.pageOfDeliveries({ url }, before, limit);
      return { urls: found.map((one) => one.url), next };
    };
    expect(await urls(`${HOOK}/a`, 5)).toEqual({ urls: [missed[1], missed[0]], next: null });
    const first = await urls(HOOK, 2);
    expect(first.urls).toEqual([missed[2], missed[1]]);
    expect(await urls(HOOK, 2, Number(first.next))).toEqual({ urls: [missed[0]], next: null });
    expect(await urls(`${HOOK}/%`, 5)).toMatchObject({ urls: [missed[2]] });
    const preview = await stage.webhooks.redelivery.freezeSelection({ url: `${HOOK}/a`, status: 'exhausted' });
    expect(preview).toMatchObject({ deliveries: 2, sendable: 2 });
  });

  test('a preview is gone after a quarter of an hour', async () => {
    const preview = await stage.webhooks.redelivery.freezeSelection({});
    stage.clock.advance(900_000);
    await expect(stage.webhooks.redelivery.applySelection(preview.selectionId)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('failures by hand do not count against the webhook, and what is deleted is not sent', async () => {
    const job = stage.accept('payer');
    const { webhookId } = stage.webhooks.createForJob({ id: job.id, accountId: 'payer' }, { url: HOOK });
    stage.finish(stage.accept('payer'));
    const id = await onlyId();
    stage.client.answer = () => ({ status: 500 });
    stage.webhooks.redelivery.redeliverOne(id);
    await stage.webhooks.whenWebhooksSettled();
    expect(stage.webhooks.log.deliveryWithAttempts(id)).toMatchObject({ status: 'pending', attempts: 2, manual: true });
    const row = stage.storage.db.queryOne(stage.storage.db.selectFrom('webhooks').select('failing_since'));
    expect(row.failing_since).toBeNull();
    stage.webhooks.accounts.removeAccountWebhook('payer', webhookId);
    expect(() => stage.webhooks.redelivery.redeliverOne(id)).toThrow(expect.objectContaining({ code: 'conflict' }));
    const preview = await stage.webhooks.redelivery.freezeSelection({});
    expect(preview).toMatchObject({ deliveries: 1, sendable: 0 });
    expect(await stage.webhooks.redelivery.applySelection(preview.selectionId)).toEqual({ requeued: 0, skipped: 1 });
  });

  test('thousands are counted and sent again in slices, so that others have their turn in between', async () => {
    const job = { id: stage.accept('payer').id, accountId: 'payer' };
    const { webhookId } = stage.webhooks.createForJob(job, { url: HOOK });
    await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { status: 'paused' });
    const rows = Array.from({ length: 4500 }, (_, index) => ({
      ...exhausted(webhookId, index),
      job_id: job.id,
      job_ended_at: START + index,
    }));
    stage.storage.transaction((tx) => insertDeliveries(tx, rows));
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    const preview = await stage.webhooks.redelivery.freezeSelection({ webhookId, status: 'exhausted' });
    expect(preview).toMatchObject({ deliveries: 4500, sendable: 4500 });
    expect(preview.sample).toHaveLength(10);
    expect(turns).toBeGreaterThanOrEqual(3);
    turns = 0;
    const [applied, refused] = await Promise.allSettled([
      stage.webhooks.redelivery.applySelection(preview.selectionId),
      stage.webhooks.redelivery.applySelection(preview.selectionId),
    ]);
    expect(applied).toEqual({ status: 'fulfilled', value: { requeued: 4500, skipped: 0 } });
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
    expect(turns).toBeGreaterThanOrEqual(20);
    isOver = true;
    await expect(stage.webhooks.redelivery.applySelection(preview.selectionId)).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(stage.webhooks.log.deliveryCounts().pending).toBe(4500);
  });

  test('by filter, while an attempt is under way: its failure is followed by one at once, not by the old wait', async () => {
    const answers: PromiseWithResolvers<{ status: number }>[] = [];
    stage.client.answer = () => {
      answers.push(Promise.withResolvers());
      return answers.at(-1)?.promise ?? {};
    };
    const job = stage.accept('owner', [HOOK]);
    stage.clock.advance(1000);
    stage.finish(job);
    await until(() => answers.length === 1);
    stage.clock.advance(1000);
    const preview = await stage.webhooks.redelivery.freezeSelection({ jobId: job.id });
    expect(await stage.webhooks.redelivery.applySelection(preview.selectionId)).toEqual({ requeued: 1, skipped: 0 });
    await setTimeout(50);
    expect(answers).toHaveLength(1);
    answers[0]?.resolve({ status: 503 });
    await until(() => answers.length === 2);
    answers[1]?.resolve({ status: 503 });
    await stage.webhooks.whenWebhooksSettled();
    const [delivery] = await deliveries();
    const wait = Date.parse(delivery?.nextAttemptAt ?? '') - stage.clock.now();
    expect(delivery).toMatchObject({ status: 'pending', attempts: 2, manual: true });
    expect(wait).toBeLessThanOrEqual(6000);
    stage.client.answer = () => ({ status: 200 });
  });

  test('by filter, what tells of a job that is gone is counted as what cannot be sent, and keeps its outcome', async () => {
    const job = stage.accept('payer');
    const { webhookId } = stage.webhooks.createForJob({ id: job.id, accountId: 'payer' }, { url: HOOK });
    stage.client.answer = () => ({ status: 410 });
    const gone = stage.finish(stage.accept('payer'));
    await stage.webhooks.whenWebhooksSettled();
    await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { status: 'active' });
    stage.webhooks.sendTest(webhookId, 'job.completed');
    await stage.webhooks.whenWebhooksSettled();
    await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { status: 'active' });
    stage.storage.transaction((tx) =>
      tx.runStatement(tx.updateTable('jobs').set({ purged_at: 1 }).where('id', '=', gone.id)),
    );
    const preview = await stage.webhooks.redelivery.freezeSelection({ webhookId });
    expect(preview).toMatchObject({ deliveries: 2, sendable: 1 });
    expect(await stage.webhooks.redelivery.applySelection(preview.selectionId)).toEqual({ requeued: 1, skipped: 1 });
    expect(await deliveries({ jobId: gone.id })).toMatchObject([{ attempts: 1, lastErrorClass: 'gone' }]);
  });

  test('of a job that is gone is refused in words', async () => {
    const job = stage.finish(stage.accept('owner', [HOOK]));
    const id = await onlyId();
    stage.storage.transaction((tx) =>
      tx.runStatement(tx.updateTable('jobs').set({ purged_at: 1 }).where('id', '=', job.id)),
    );
    expect(() => stage.webhooks.redelivery.redeliverOne(id)).toThrow(expect.objectContaining({ code: 'job_expired' }));
  });
});

function exhausted(webhookId: string, index: number): NewDeliveryRow {
  return {
    id: newId('dlv'),
    webhook_id: webhookId,
    lane_id: webhookId,
    account_id: 'payer',
    kind: 'job',
    job_id: `job_${index}`,
    event: 'job.completed',
    job_ended_at: START,
    status: 'exhausted',
    attempts: 9,
    tries: 9,
    manual: 0,
    next_attempt_at: null,
    last_response_status: 500,
    last_error_class: 'http_status',
    body_sha256: null,
    created_at: START,
    updated_at: START,
  };
}

test('where the clock was set back, thousands of waits begin anew, each of them', async () => {
  const job = { id: stage.accept('payer').id, accountId: 'payer' };
  const { webhookId } = stage.webhooks.createForJob(job, { url: HOOK });
  await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { status: 'paused' });
  await stage.webhooks.whenWebhooksSettled();
  const rows = Array.from({ length: 4500 }, (_, index) => ({
    ...exhausted(webhookId, index),
    status: 'pending' as const,
    next_attempt_at: START + 1000 + index,
  }));
  stage.storage.transaction((tx) => insertDeliveries(tx, rows));
  stage.clock.advance(-DAY_MS);
  await stage.webhooks.whenWebhooksSettled();
  const left = stage.storage.db.queryOne(
    stage.storage.db
      .selectFrom('webhook_deliveries')
      .select((is) => [is.fn.min('next_attempt_at').as('first'), is.fn.max('next_attempt_at').as('last')]),
  );
  expect(left).toEqual({ first: START - DAY_MS + 1000, last: START - DAY_MS + 1000 + 4499 });
});

describe('what is forgotten', () => {
  test('a delivery whose webhook is no more is cancelled when its turn comes, and holds up nobody in its queue', async () => {
    const job = { id: stage.accept('payer').id, accountId: 'payer' };
    const { webhookId } = stage.webhooks.createForJob(job, { url: HOOK });
    const lost = Array.from({ length: 300 }, (_, index) => ({
      ...exhausted('whk_forgotten', index),
      lane_id: webhookId,
      status: 'pending' as const,
      next_attempt_at: START,
    }));
    stage.storage.transaction((tx) => insertDeliveries(tx, lost));
    stage.finish(stage.accept('payer'));
    await stage.webhooks.whenWebhooksSettled();
    expect(stage.client.sent.map((sent) => sent.url)).toEqual([HOOK]);
    expect(stage.webhooks.log.deliveryCounts()).toMatchObject({ pending: 0, delivered: 1, cancelled: 300 });
  });

  test('deliveries go with their attempts after thirty days, not before', async () => {
    stage.finish(stage.accept('owner', [HOOK]));
    await deliveries();
    const retention = new WebhookRetention(stage.parts);
    stage.clock.advance(29 * DAY_MS);
    await retention.deleteDueDeliveries();
    expect(await deliveries()).toHaveLength(1);
    stage.clock.advance(2 * DAY_MS);
    await retention.deleteDueDeliveries();
    expect(await deliveries()).toEqual([]);
    expect(stage.storage.db.queryAll(stage.storage.db.selectFrom('webhook_attempts').selectAll())).toEqual([]);
    expect(stage.storage.db.queryAll(stage.storage.db.selectFrom('webhook_lanes').selectAll())).toEqual([]);
  });

  test('many old deliveries go a few at a time, with turns for whoever else waits for the server', async () => {
    const old = Array.from({ length: 1000 }, (_, index) => exhausted('whk_forgotten', index));
    stage.storage.transaction((tx) => insertDeliveries(tx, old));
    stage.clock.advance(31 * DAY_MS);
    const retention = new WebhookRetention(stage.parts);
    expect(await turnsDuring(() => retention.deleteDueDeliveries())).toBeGreaterThan(4);
    expect(await deliveries()).toEqual([]);
  });

  test('an old secret is wiped once its overlap is over', async () => {
    const job = stage.accept('payer');
    const made = stage.webhooks.createForJob({ id: job.id, accountId: 'payer' }, { url: HOOK, secret: 'old' });
    await stage.webhooks.accounts.updateAccountWebhook('payer', made.webhookId, { secret: 'new' });
    const kept = () => stage.storage.db.queryFirst(stage.storage.db.selectFrom('webhooks').select('previous_secret'));
    expect(kept()).toEqual({ previous_secret: 'old' });
    stage.clock.advance(DAY_MS);
    await new WebhookRetention(stage.parts).deleteDueDeliveries();
    expect(kept()).toEqual({ previous_secret: null });
  });

  test('with a job go its own webhooks, and what waits for them is cancelled', async () => {
    stage.client.answer = () => ({ status: 500 });
    const job = stage.finish(stage.accept('owner', [HOOK]));
    await deliveries();
    stage.storage.transaction((tx) => stage.webhooks.onJobRemoved(tx, job.id));
    expect(await deliveries()).toMatchObject([{ status: 'cancelled', url: null }]);
    stage.clock.advance(DAY_MS);
    await stage.webhooks.whenWebhooksSettled();
    expect(stage.client.sent).toHaveLength(1);
  });
});
