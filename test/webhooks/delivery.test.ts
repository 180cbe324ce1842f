import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RETRY_DELAYS_MS } from '../../src-server/features/webhooks/attempt.ts';
import { explainSignature } from '../../src-server/features/webhooks/explain.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { HOUR_MS } from '../../src-server/platform/units.ts';
import { until } from '../harness/until.ts';
import { actsOn } from './acts.ts';
import { openStage, present, START, type Stage } from './stage.ts';

const HOOK = 'https://receiver.example/hook';
let stage: Stage;

beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.close());

const { deliveries, theDelivery, at, accountWebhook } = actsOn(() => stage);

/** Headers of an answer at a time by the receiver's clock, which asks for an hour. */
function hourOf(now: number): Record<string, string> {
  return { date: new Date(now).toUTCString(), 'retry-after': new Date(now + HOUR_MS).toUTCString() };
}

describe('the schedule', () => {
  test('500 five times, then 200: delivered once, with the same webhook-id, after the waits of the schedule', async () => {
    stage.client.answer = (_url, count) => ({ status: count <= 5 ? 500 : 200 });
    stage.finish(stage.accept('owner', [HOOK]));
    for (const [index, delayMs] of RETRY_DELAYS_MS.slice(0, 5).entries()) {
      const dueAt = Date.parse((await theDelivery()).nextAttemptAt ?? '');
      // The stage's random number is one half: half of the fifth that a wait may be longer.
      expect(dueAt - stage.clock.now()).toBe(Math.round(delayMs * 1.1));
      await at(dueAt - 1);
      expect(stage.client.sent).toHaveLength(index + 1);
      await at(dueAt);
    }
    expect(await theDelivery()).toMatchObject({ status: 'delivered', attempts: 6, nextAttemptAt: null });
    expect(new Set(stage.client.sent.map((sent) => sent.headers['webhook-id'])).size).toBe(1);
    expect(stage.client.sent.map((sent) => sent.headers['x-service-attempt'])).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  test('after nine failures the delivery is exhausted and nothing more is sent', async () => {
    stage.client.answer = () => ({ status: 503 });
    stage.finish(stage.accept('owner', [HOOK]));
    for (let failures = 1; failures < 9; failures += 1) await at(Date.parse((await theDelivery()).nextAttemptAt ?? ''));
    expect(await theDelivery()).toMatchObject({
      status: 'exhausted',
      attempts: 9,
      nextAttemptAt: null,
      lastErrorClass: 'http_status',
    });
    expect(stage.clock.now() - START).toBeGreaterThan(17 * HOUR_MS);
    await at(stage.clock.now() + 100 * HOUR_MS);
    expect(stage.client.sent).toHaveLength(9);
  });

  test.each([
    ['in seconds', () => '3600'],
    ['as a date', () => new Date(START + HOUR_MS).toUTCString()],
  ])('Retry-After %s is honoured where it asks for more than the schedule', async (_form, header) => {
    stage.client.answer = () => ({ status: 429, headers: { 'retry-after': header() } });
    stage.finish(stage.accept('owner', [HOOK]));
    expect(Date.parse((await theDelivery()).nextAttemptAt ?? '')).toBe(START + HOUR_MS);
  });

  test('a Retry-After that makes no sense leaves the schedule as it is', async () => {
    stage.client.answer = () => ({ status: 429, headers: { 'retry-after': 'soon' } });
    stage.finish(stage.accept('owner', [HOOK]));
    expect(Date.parse((await theDelivery()).nextAttemptAt ?? '')).toBe(START + 5500);
  });

  test.each([
    ['is a date, by the clock of the receiver, which is behind', hourOf(START - 48 * HOUR_MS), HOUR_MS],
    ['is a number beyond all bounds, for a day', { 'retry-after': '9'.repeat(400) }, 24 * HOUR_MS],
    ['is text with a year in it, not at all', { 'retry-after': 'not before 2050' }, 5500],
  ])('a Retry-After that %s', async (_form, headers, waitMs) => {
    stage.client.answer = () => ({ status: 503, headers });
    stage.finish(stage.accept('owner', [HOOK]));
    expect(Date.parse((await theDelivery()).nextAttemptAt ?? '')).toBe(START + waitMs);
  });

  test.each([
    [
      { status: 301, headers: { location: '/hook/' } },
      'Redirects are not followed: give the webhook the URL it ends at (/hook/).',
    ],
    [
      { status: 401, headers: hourOf(START + 3 * HOUR_MS) },
      "The receiver's clock is 3 hours ahead of this one: it may have refused webhook-timestamp.",
    ],
    [{ status: 413 }, expect.stringMatching(/^The receiver takes no body of \d+ bytes: raise its limit, /)],
    [{ status: 401, headers: hourOf(START + 200_000) }, null],
    [{ status: 500, headers: hourOf(START + 3 * HOUR_MS) }, null],
  ])('of %o the log says why: %s', async (answer, message) => {
    stage.client.answer = () => answer;
    stage.finish(stage.accept('owner', [HOOK]));
    const { attemptLog } = stage.webhooks.log.deliveryWithAttempts((await theDelivery()).deliveryId);
    expect(attemptLog).toMatchObject([{ errorMessage: message }]);
  });

  test('a redirect is not success: it is tried again, and its target is never called', async () => {
    stage.client.answer = () => ({ status: 302, headers: { location: 'https://elsewhere.example/' } });
    stage.finish(stage.accept('owner', [HOOK]));
    expect(await theDelivery()).toMatchObject({ status: 'pending', lastErrorClass: 'redirect' });
    expect(stage.client.sent.map((sent) => sent.url)).toEqual([HOOK]);
  });

  test('no answer within the time is tried again', async () => {
    stage.client.answer = () => Promise.reject(new QuarryError('timeout', say`The host did not answer in time.`));
    stage.finish(stage.accept('owner', [HOOK]));
    expect(await theDelivery()).toMatchObject({
      status: 'pending',
      lastErrorClass: 'timeout',
      lastResponseStatus: null,
    });
  });
});

describe('a clock that is set back by hours', () => {
  const BACK_MS = 3 * HOUR_MS;

  test('lets a wait begin anew, whole, and does not make it hours longer', async () => {
    stage.client.answer = (_url, count) => ({ status: count === 1 ? 500 : 200 });
    stage.finish(stage.accept('owner', [HOOK]));
    await stage.webhooks.whenWebhooksSettled();
    await at(stage.clock.now() + 5000);
    stage.clock.advance(-BACK_MS);
    const dueAt = Date.parse((await theDelivery()).nextAttemptAt ?? '');
    expect(dueAt - stage.clock.now()).toBe(5500);
    await at(dueAt - 1);
    expect(stage.client.sent).toHaveLength(1);
    await at(dueAt);
    expect(await theDelivery()).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  test('while nothing runs does so too', async () => {
    stage.client.answer = (_url, count) => ({ status: count === 1 ? 500 : 200 });
    stage.finish(stage.accept('owner', [HOOK]));
    await stage.webhooks.whenWebhooksSettled();
    await stage.webhooks.closeWebhooks();
    stage.clock.advance(-BACK_MS);
    await stage.restart();
    await stage.webhooks.whenWebhooksSettled();
    await at(stage.clock.now() + 5500);
    expect(await theDelivery()).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  test('leaves a wait alone that began before the time that it is now', async () => {
    stage.client.answer = () => ({ status: 503, headers: { 'retry-after': '80000' } });
    stage.finish(stage.accept('owner', [HOOK]));
    const { nextAttemptAt } = await theDelivery();
    await at(START + 2 * BACK_MS);
    stage.client.answer = () => ({ status: 503 });
    stage.finish(stage.accept('owner', [`${HOOK}/2`]));
    await stage.webhooks.whenWebhooksSettled();
    stage.clock.advance(-BACK_MS);
    const [second, first] = await deliveries();
    expect(first?.nextAttemptAt).toBe(nextAttemptAt);
    expect(Date.parse(second?.nextAttemptAt ?? '') - stage.clock.now()).toBe(5500);
  });

  test('between the end of an attempt and its record makes the wait no longer either', async () => {
    stage.client.answer = () => ({ status: 500 });
    let backMs = BACK_MS;
    // Asked for when the next try is decided, which is before that is written.
    stage.parts.random = () => {
      stage.clock.advance(-backMs);
      backMs = 0;
      return 0.5;
    };
    stage.finish(stage.accept('owner', [HOOK]));
    expect(Date.parse((await theDelivery()).nextAttemptAt ?? '')).toBe(START - BACK_MS + 5500);
  });

  test('keeps nobody waiting whose webhook was paused meanwhile, nor a whole queue', async () => {
    const webhookId = accountWebhook('payer', { url: HOOK });
    await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { status: 'paused' });
    stage.finish(stage.accept('payer'));
    stage.clock.advance(-BACK_MS);
    await stage.webhooks.whenWebhooksSettled();
    stage.storage.transaction((tx) => tx.runStatement(tx.updateTable('webhook_lanes').set({ next_due_at: START })));
    await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { status: 'active' });
    expect(await theDelivery()).toMatchObject({ status: 'delivered' });
  });
});

describe('while one to the same place is on its way', () => {
  test.each([
    ['later', 60_000],
    ['at the same time', 0],
    ['before it, since the clock was set back', -60_000],
  ])('a delivery that falls due %s is sent, each once', async (_when, movedMs) => {
    const gates: (() => void)[] = [];
    stage.client.answer = () => new Promise((resolve) => gates.push(() => resolve({ status: 200 })));
    stage.finish(stage.accept('owner', [HOOK]));
    await until(() => gates.length === 1);
    stage.clock.advance(movedMs);
    stage.finish(stage.accept('owner', [HOOK]));
    stage.finish(stage.accept('owner', [HOOK]));
    await until(() => gates.length === 3);
    for (const open of gates) open();
    expect(await deliveries()).toMatchObject(Array.from({ length: 3 }, () => ({ status: 'delivered', attempts: 1 })));
    expect(new Set(stage.client.sent.map((sent) => sent.headers['webhook-id'])).size).toBe(3);
    expect(stage.client.sent).toHaveLength(3);
  });
});

describe('one delivery per webhook and end of a job', () => {
  test('a target that is registered twice is called once', async () => {
    const job = stage.accept('owner', [HOOK, { url: HOOK, events: ['completed'], secret: null }]);
    await stage.webhooks.registerOnJob('owner', job.id, { url: HOOK });
    stage.finish(job);
    await theDelivery();
    await stage.webhooks.registerOnJob('owner', job.id, { url: HOOK });
    await theDelivery();
    expect(stage.client.sent).toHaveLength(1);
  });

  test('an account-level webhook that is registered twice is one webhook and one call', async () => {
    const first = accountWebhook('payer', { url: HOOK });
    const second = accountWebhook('payer', { url: HOOK });
    expect(second).toBe(first);
    stage.finish(stage.accept('payer'));
    await theDelivery();
  });

  test('a run of the webhooks job that is repeated finds the webhook it made before', () => {
    const job = { id: stage.accept('payer').id, accountId: 'payer' };
    const made = stage.webhooks.createForJob(job, { url: HOOK, secret: 'one' });
    expect(stage.webhooks.createForJob(job, { url: HOOK, secret: 'one' })).toEqual(made);
    expect(stage.webhooks.accounts.listAccountWebhooks('payer')).toHaveLength(1);
  });

  test('the same URL with another secret is another webhook: each delivery is signed with its own', async () => {
    const job = stage.accept('owner', [{ url: HOOK, events: [], secret: 'one' }]);
    await stage.webhooks.registerOnJob('owner', job.id, { url: HOOK, secret: 'two' });
    stage.finish(job);
    expect(await deliveries()).toHaveLength(2);
    const verified = (secret: string) =>
      stage.client.sent.filter((sent) => explainSignature(sent, secret, stage.clock.now()).verdict === 'valid').length;
    expect([verified('one'), verified('two'), verified('three')]).toEqual([1, 1, 0]);
  });

  test('registrations that race with the end of the job make one delivery each', async () => {
    const job = stage.accept('owner');
    const urls = Array.from({ length: 10 }, (_, index) => `${HOOK}/${index}`);
    const register = (url: string) => stage.webhooks.registerOnJob('owner', job.id, { url });
    await Promise.all([
      ...urls.slice(0, 5).map(register),
      stage.finish(job),
      ...urls.slice(5).map(register),
      ...urls.map(register),
    ]);
    expect(await deliveries()).toHaveLength(10);
    expect(stage.client.sent.map((sent) => sent.url).sort()).toEqual(urls);
  });

  test('a registration on a job that has ended is delivered at once', async () => {
    const job = stage.finish(stage.accept('owner'));
    expect(await deliveries()).toEqual([]);
    await stage.webhooks.registerOnJob('anybody', job.id, { url: HOOK, events: ['completed'] });
    expect(await theDelivery()).toMatchObject({ status: 'delivered', event: 'job.completed' });
  });

  test('one with a secret is delivered at once, signed, even where the same URL was called without one', async () => {
    const job = stage.finish(stage.accept('owner', [HOOK]));
    await deliveries();
    await stage.webhooks.registerOnJob('owner', job.id, { url: HOOK, secret: 'secret' });
    await stage.webhooks.registerOnJob('owner', job.id, { url: HOOK, secret: 'secret' });
    expect(await deliveries()).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }]);
    const verdicts = stage.client.sent.map((sent) => explainSignature(sent, 'secret', stage.clock.now()).verdict);
    expect(verdicts).toEqual(['missing', 'valid']);
  });

  test('only the events subscribed to are sent, and the short form is the long one', async () => {
    const job = stage.accept('owner', [{ url: HOOK, events: ['failed'], secret: null }]);
    expect(JSON.parse(job.events)).toEqual(['job.failed']);
    stage.finish(job);
    expect(await deliveries()).toEqual([]);
    stage.finish(stage.accept('owner', [{ url: HOOK, events: ['failed'], secret: null }]), 'failed');
    expect(await theDelivery()).toMatchObject({ event: 'job.failed' });
    expect(JSON.parse(stage.client.sent[0]?.body.toString() ?? '')).toMatchObject({ error: { code: 'engine_failed' } });
  });

  test('a job under way says what an account-level webhook has come to ask of it; others stay as they are', async () => {
    const ended = stage.finish(stage.accept('payer'));
    const bare = stage.accept('payer');
    const own = stage.accept('payer', [{ url: `${HOOK}/own`, events: ['failed'], secret: null }]);
    const foreign = stage.accept('somebody else');
    const events = () =>
      Promise.all(
        [ended, bare, own, foreign].map(async (job) => present(stage.storage, job.id, stage.clock.now())?.events),
      );
    const webhookId = accountWebhook('payer', { url: HOOK, events: ['completed'] });
    expect(await events()).toEqual([[], ['job.completed'], ['job.completed', 'job.failed'], []]);
    await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { events: [] });
    expect(await events()).toEqual([[], ['job.completed', 'job.failed'], ['job.completed', 'job.failed'], []]);
  });

  test('an account-level webhook hears of its own account only', async () => {
    accountWebhook('payer', { url: HOOK });
    stage.finish(stage.accept('somebody else'));
    expect(await deliveries()).toEqual([]);
    const job = stage.accept('payer');
    expect(JSON.parse(job.events)).toEqual(['job.completed', 'job.failed']);
    stage.finish(job);
    expect(await theDelivery()).toMatchObject({ jobId: job.id, status: 'delivered' });
  });
});

describe('the body', () => {
  test('is the job object as GET gives it, plus the signature', async () => {
    const job = stage.accept('owner', [{ url: HOOK, events: [], secret: 'secret' }]);
    stage.finish(job, 'completed', { chunks: [{ id: 'c0', text: 'Grüße', page: 1, segmentIndex: 0 }] });
    await stage.webhooks.whenWebhooksSettled();
    const { signature, ...body } = JSON.parse(stage.client.sent[0]?.body.toString() ?? '') as Record<string, unknown>;
    expect(body).toEqual(present(stage.storage, job.id, stage.clock.now()));
    expect(signature).toBe(stage.client.sent[0]?.headers['x-service-signature']);
  });

  test('without a secret carries no signature anywhere', async () => {
    stage.finish(stage.accept('owner', [HOOK]));
    await stage.webhooks.whenWebhooksSettled();
    const [sent] = stage.client.sent;
    expect(JSON.parse(sent?.body.toString() ?? '')).not.toHaveProperty('signature');
    expect(Object.keys(sent?.headers ?? {})).not.toContain('webhook-signature');
    expect(Object.keys(sent?.headers ?? {})).not.toContain('x-service-signature');
    expect(sent?.headers).toMatchObject({ 'webhook-id': expect.stringMatching(/^dlv_/) });
  });

  test('of a job that is gone is nothing: the delivery is given up, and the webhook is not blamed', async () => {
    stage.client.answer = () => ({ status: 500 });
    const webhookId = accountWebhook('payer', { url: HOOK });
    const job = stage.finish(stage.accept('payer'));
    await stage.webhooks.whenWebhooksSettled();
    stage.storage.transaction((tx) =>
      tx.runStatement(tx.updateTable('jobs').set({ purged_at: START }).where('id', '=', job.id)),
    );
    await at(START + HOUR_MS);
    expect(await theDelivery()).toMatchObject({ status: 'exhausted', lastErrorClass: 'job_gone', attempts: 2 });
    expect(stage.webhooks.accounts.viewAccountWebhook('payer', webhookId)).toMatchObject({ status: 'active' });
  });
});
