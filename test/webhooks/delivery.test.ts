import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { QuarryError, type WebhookUpdate } from '../../src-server/contract/index.ts';
import { HOUR_MS } from '../../src-server/lib/units.ts';
import { explainSignature } from '../../src-server/webhooks/explain.ts';
import { RETRY_DELAYS_MS } from '../../src-server/webhooks/schedule.ts';
import { until } from '../harness/until.ts';
import { openStage, present, START, type Stage } from './stage.ts';

const HOOK = 'https://receiver.example/hook';
let stage: Stage;

beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.close());

async function deliveries() {
  await stage.webhooks.settled();
  return (await stage.webhooks.log.list({}, null, 200)).deliveries;
}

async function theDelivery() {
  const all = await deliveries();
  if (all.length !== 1 || all[0] === undefined) throw new Error(`There are ${all.length} deliveries, not one.`);
  return all[0];
}

/** Moves the clock to a moment and lets everything happen that is due by then. */
async function at(time: number): Promise<void> {
  stage.clock.advance(time - stage.clock.now());
  await stage.webhooks.settled();
}

async function accountWebhook(accountId: string, request: { url: string; secret?: string }) {
  const job = await stage.accept(accountId);
  const webhook = await stage.webhooks.createForJob({ id: job.id, accountId }, request);
  return webhook.webhookId;
}

describe('the schedule', () => {
  test('500 five times, then 200: delivered once, with the same webhook-id, after the waits of the schedule', async () => {
    stage.client.answer = (_url, count) => ({ status: count <= 5 ? 500 : 200 });
    await stage.finish(await stage.accept('owner', [HOOK]));
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
    await stage.finish(await stage.accept('owner', [HOOK]));
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
    await stage.finish(await stage.accept('owner', [HOOK]));
    expect(Date.parse((await theDelivery()).nextAttemptAt ?? '')).toBe(START + HOUR_MS);
  });

  test('a Retry-After that makes no sense leaves the schedule as it is', async () => {
    stage.client.answer = () => ({ status: 429, headers: { 'retry-after': 'soon' } });
    await stage.finish(await stage.accept('owner', [HOOK]));
    expect(Date.parse((await theDelivery()).nextAttemptAt ?? '')).toBe(START + 5500);
  });

  test('a redirect is not success: it is tried again, and its target is never called', async () => {
    stage.client.answer = () => ({ status: 302, headers: { location: 'https://elsewhere.example/' } });
    await stage.finish(await stage.accept('owner', [HOOK]));
    expect(await theDelivery()).toMatchObject({ status: 'pending', lastErrorClass: 'redirect' });
    expect(stage.client.sent.map((sent) => sent.url)).toEqual([HOOK]);
  });

  test('no answer within the time is tried again', async () => {
    stage.client.answer = () => Promise.reject(new QuarryError('timeout', 'The host did not answer in time.'));
    await stage.finish(await stage.accept('owner', [HOOK]));
    expect(await theDelivery()).toMatchObject({
      status: 'pending',
      lastErrorClass: 'timeout',
      lastResponseStatus: null,
    });
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
    await stage.finish(await stage.accept('owner', [HOOK]));
    await until(() => gates.length === 1);
    stage.clock.advance(movedMs);
    await stage.finish(await stage.accept('owner', [HOOK]));
    await stage.finish(await stage.accept('owner', [HOOK]));
    await until(() => gates.length === 3);
    for (const open of gates) open();
    expect(await deliveries()).toMatchObject(Array.from({ length: 3 }, () => ({ status: 'delivered', attempts: 1 })));
    expect(new Set(stage.client.sent.map((sent) => sent.headers['webhook-id'])).size).toBe(3);
    expect(stage.client.sent).toHaveLength(3);
  });
});

describe('one delivery per webhook and end of a job', () => {
  test('a target that is registered twice is called once', async () => {
    const job = await stage.accept('owner', [HOOK, { url: HOOK, events: ['completed'], secret: null }]);
    await stage.webhooks.registerOnJob('owner', job.id, { url: HOOK });
    await stage.finish(job);
    await theDelivery();
    await stage.webhooks.registerOnJob('owner', job.id, { url: HOOK });
    await theDelivery();
    expect(stage.client.sent).toHaveLength(1);
  });

  test('an account-level webhook that is registered twice is one webhook and one call', async () => {
    const first = await accountWebhook('payer', { url: HOOK });
    const second = await accountWebhook('payer', { url: HOOK });
    expect(second).toBe(first);
    await stage.finish(await stage.accept('payer'));
    await theDelivery();
  });

  test('a run of the webhooks job that is repeated finds the webhook it made before', async () => {
    const job = { id: (await stage.accept('payer')).id, accountId: 'payer' };
    const made = await stage.webhooks.createForJob(job, { url: HOOK, secret: 'one' });
    expect(await stage.webhooks.createForJob(job, { url: HOOK, secret: 'one' })).toEqual(made);
    expect(await stage.webhooks.accounts.list('payer')).toHaveLength(1);
  });

  test('the same URL with another secret is another webhook: each delivery is signed with its own', async () => {
    const job = await stage.accept('owner', [{ url: HOOK, events: [], secret: 'one' }]);
    await stage.webhooks.registerOnJob('owner', job.id, { url: HOOK, secret: 'two' });
    await stage.finish(job);
    expect(await deliveries()).toHaveLength(2);
    const verified = (secret: string) =>
      stage.client.sent.filter((sent) => explainSignature(sent, secret, stage.clock.now()).verdict === 'valid').length;
    expect([verified('one'), verified('two'), verified('three')]).toEqual([1, 1, 0]);
  });

  test('registrations that race with the end of the job make one delivery each', async () => {
    const job = await stage.accept('owner');
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
    const job = await stage.finish(await stage.accept('owner'));
    expect(await deliveries()).toEqual([]);
    await stage.webhooks.registerOnJob('anybody', job.id, { url: HOOK, events: ['completed'] });
    expect(await theDelivery()).toMatchObject({ status: 'delivered', event: 'job.completed' });
  });

  test('one with a secret is delivered at once, signed, even where the same URL was called without one', async () => {
    const job = await stage.finish(await stage.accept('owner', [HOOK]));
    await deliveries();
    await stage.webhooks.registerOnJob('owner', job.id, { url: HOOK, secret: 'secret' });
    await stage.webhooks.registerOnJob('owner', job.id, { url: HOOK, secret: 'secret' });
    expect(await deliveries()).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }]);
    const verdicts = stage.client.sent.map((sent) => explainSignature(sent, 'secret', stage.clock.now()).verdict);
    expect(verdicts).toEqual(['missing', 'valid']);
  });

  test('only the events subscribed to are sent, and the short form is the long one', async () => {
    const job = await stage.accept('owner', [{ url: HOOK, events: ['failed'], secret: null }]);
    expect(JSON.parse(job.events)).toEqual(['job.failed']);
    await stage.finish(job);
    expect(await deliveries()).toEqual([]);
    await stage.finish(await stage.accept('owner', [{ url: HOOK, events: ['failed'], secret: null }]), 'failed');
    expect(await theDelivery()).toMatchObject({ event: 'job.failed' });
    expect(JSON.parse(stage.client.sent[0]?.body.toString() ?? '')).toMatchObject({ error: { code: 'engine_failed' } });
  });

  test('an account-level webhook hears of its own account only', async () => {
    await accountWebhook('payer', { url: HOOK });
    await stage.finish(await stage.accept('somebody else'));
    expect(await deliveries()).toEqual([]);
    const job = await stage.accept('payer');
    expect(JSON.parse(job.events)).toEqual(['job.completed', 'job.failed']);
    await stage.finish(job);
    expect(await theDelivery()).toMatchObject({ jobId: job.id, status: 'delivered' });
  });
});

describe('the body', () => {
  test('is the job object as GET gives it, plus the signature', async () => {
    const job = await stage.accept('owner', [{ url: HOOK, events: [], secret: 'secret' }]);
    await stage.finish(job, 'completed', { chunks: [{ id: 'c0', text: 'Grüße', page: 1, segmentIndex: 0 }] });
    await stage.webhooks.settled();
    const { signature, ...body } = JSON.parse(stage.client.sent[0]?.body.toString() ?? '') as Record<string, unknown>;
    expect(body).toEqual(await present(stage.storage, job.id, stage.clock.now()));
    expect(signature).toBe(stage.client.sent[0]?.headers['x-service-signature']);
  });

  test('without a secret carries no signature anywhere', async () => {
    await stage.finish(await stage.accept('owner', [HOOK]));
    await stage.webhooks.settled();
    const [sent] = stage.client.sent;
    expect(JSON.parse(sent?.body.toString() ?? '')).not.toHaveProperty('signature');
    expect(Object.keys(sent?.headers ?? {})).not.toContain('webhook-signature');
    expect(Object.keys(sent?.headers ?? {})).not.toContain('x-service-signature');
    expect(sent?.headers).toMatchObject({ 'webhook-id': expect.stringMatching(/^dlv_/) });
  });

  test('of a job that is gone is nothing: the delivery is given up, and the webhook is not blamed', async () => {
    stage.client.answer = () => ({ status: 500 });
    const webhookId = await accountWebhook('payer', { url: HOOK });
    const job = await stage.finish(await stage.accept('payer'));
    await stage.webhooks.settled();
    await stage.storage.db.updateTable('jobs').set({ purged_at: START }).where('id', '=', job.id).execute();
    await at(START + HOUR_MS);
    expect(await theDelivery()).toMatchObject({ status: 'exhausted', lastErrorClass: 'job_gone', attempts: 2 });
    expect(await stage.webhooks.accounts.get('payer', webhookId)).toMatchObject({ status: 'active' });
  });
});

describe('a webhook that is paused, disabled, deleted', () => {
  test('410 disables it with a notice; active brings it back', async () => {
    stage.client.answer = (_url, count) => ({ status: count === 1 ? 410 : 200 });
    const webhookId = await accountWebhook('payer', { url: HOOK });
    await stage.finish(await stage.accept('payer'));
    expect(await theDelivery()).toMatchObject({ status: 'exhausted', lastErrorClass: 'gone' });
    const disabled = await stage.webhooks.accounts.get('payer', webhookId);
    expect(disabled).toMatchObject({ status: 'disabled', notice: expect.stringContaining('410') });
    await stage.finish(await stage.accept('payer'));
    await theDelivery();
    const active = await stage.webhooks.accounts.update('payer', webhookId, { status: 'active' });
    expect(active.status).toBe('active');
    expect(active).not.toHaveProperty('notice');
    await stage.finish(await stage.accept('payer'));
    expect((await deliveries()).map((one) => one.status)).toEqual(['delivered', 'exhausted']);
  });

  test('410 to the webhook of one job is told without advice that nobody could follow', async () => {
    const warned: unknown[][] = [];
    stage.parts.log.warn = (...said) => void warned.push(said);
    stage.client.answer = () => ({ status: 410 });
    await stage.finish(await stage.accept('payer', [HOOK]));
    const { deliveryId, webhookId } = await theDelivery();
    expect(warned).toEqual([
      [{ webhookId, deliveryId, errorClass: 'gone' }, expect.stringContaining('can be sent again by hand')],
    ]);
    await expect(stage.webhooks.sendTest(webhookId, 'job.completed')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('its delivery can be sent again'),
    });
    stage.client.answer = () => ({ status: 200 });
    await stage.webhooks.redelivery.one(deliveryId);
    expect(await theDelivery()).toMatchObject({ status: 'delivered' });
  });

  /** A job a day, each delivery tried until it is given up: 17 hours and a half. */
  async function failForDays(days: number): Promise<void> {
    for (let day = 0; day < days; day += 1) {
      await at(Math.max(stage.clock.now(), START + day * 24 * HOUR_MS));
      await stage.finish(await stage.accept('payer'));
      for (;;) {
        const [newest] = await deliveries();
        if (newest === undefined || newest.nextAttemptAt === null) break;
        await at(Date.parse(newest.nextAttemptAt));
      }
    }
  }

  test('three days without a success disable it, with a notice; less does not', async () => {
    stage.client.answer = () => ({ status: 500 });
    const webhookId = await accountWebhook('payer', { url: HOOK });
    await failForDays(3);
    expect(await stage.webhooks.accounts.get('payer', webhookId)).toMatchObject({ status: 'active' });
    await failForDays(4);
    expect(await stage.webhooks.accounts.get('payer', webhookId)).toMatchObject({
      status: 'disabled',
      notice: expect.stringContaining('three days'),
    });
  });

  test('failures with a success between them do not disable it', async () => {
    stage.client.answer = (_url, count) => ({ status: count === 10 ? 200 : 500 });
    const webhookId = await accountWebhook('payer', { url: HOOK });
    await failForDays(4);
    expect(stage.client.sent.length).toBe(9 + 1 + 9 + 9);
    expect(await stage.webhooks.accounts.get('payer', webhookId)).toMatchObject({ status: 'active' });
  });

  test('while it is paused deliveries wait; then they go out', async () => {
    const webhookId = await accountWebhook('payer', { url: HOOK });
    await stage.webhooks.accounts.update('payer', webhookId, { status: 'paused' });
    await stage.finish(await stage.accept('payer'));
    await at(START + 24 * HOUR_MS);
    expect(stage.client.sent).toEqual([]);
    await stage.webhooks.accounts.update('payer', webhookId, { status: 'active' });
    expect(await theDelivery()).toMatchObject({ status: 'delivered' });
  });

  test('deleted, nothing that waits is sent any more', async () => {
    stage.client.answer = () => ({ status: 500 });
    const webhookId = await accountWebhook('payer', { url: HOOK, secret: 'secret' });
    await stage.finish(await stage.accept('payer'));
    await stage.webhooks.settled();
    await stage.webhooks.accounts.remove('payer', webhookId);
    await at(START + 24 * HOUR_MS);
    expect(await theDelivery()).toMatchObject({ status: 'cancelled', attempts: 1 });
    await expect(stage.webhooks.accounts.get('payer', webhookId)).rejects.toMatchObject({ code: 'not_found' });
    const rows = await stage.storage.db.selectFrom('webhooks').select(['secret', 'previous_secret']).execute();
    expect(rows).toEqual([{ secret: null, previous_secret: null }]);
  });

  test.each([200, 500])(
    'deleted while a request is under way, its answer %i is counted and nothing follows',
    async (status) => {
      const { promise: answered, resolve: answer } = Promise.withResolvers<{ status: number }>();
      stage.client.answer = () => answered;
      const webhookId = await accountWebhook('payer', { url: HOOK });
      await stage.finish(await stage.accept('payer'));
      await until(() => stage.client.sent.length === 1);
      await stage.webhooks.accounts.remove('payer', webhookId);
      answer({ status });
      expect(await theDelivery()).toMatchObject({ status: 'cancelled', attempts: 1, lastResponseStatus: status });
      await at(START + 24 * HOUR_MS);
      expect(stage.client.sent).toHaveLength(1);
      const { deliveryId } = await theDelivery();
      expect((await stage.webhooks.log.get(deliveryId)).attemptLog).toMatchObject([
        { number: 1, response: { status } },
      ]);
    },
  );

  test('a changed URL and changed events hold from the next delivery on', async () => {
    const webhookId = await accountWebhook('payer', { url: HOOK });
    await stage.webhooks.accounts.update('payer', webhookId, { url: `${HOOK}/new`, events: ['failed'] });
    await stage.finish(await stage.accept('payer'));
    await stage.finish(await stage.accept('payer'), 'failed');
    expect(await theDelivery()).toMatchObject({ event: 'job.failed', url: `${HOOK}/new` });
  });

  test('a rotated secret signs beside the old one, for as long as was asked', async () => {
    const webhookId = await accountWebhook('payer', { url: HOOK, secret: 'old' });
    const rotated = await stage.webhooks.accounts.update('payer', webhookId, {
      secret: 'new',
      secretOverlapSeconds: 60,
    });
    expect(rotated.previousSecretExpiresAt).toBe(new Date(START + 60_000).toISOString());
    const verdicts = async () => {
      await stage.finish(await stage.accept('payer'));
      await stage.webhooks.settled();
      const sent = stage.client.sent.at(-1);
      if (sent === undefined) throw new Error('Nothing was sent.');
      return ['old', 'new'].map((secret) => explainSignature(sent, secret, stage.clock.now()).standard.verdict);
    };
    expect(await verdicts()).toEqual(['valid', 'valid']);
    await stage.webhooks.accounts.update('payer', webhookId, { secret: 'new' });
    stage.clock.advance(59_000);
    expect(await verdicts()).toEqual(['valid', 'valid']);
    stage.clock.advance(1000);
    expect(await verdicts()).toEqual(['invalid', 'valid']);
    expect(await stage.webhooks.accounts.get('payer', webhookId)).not.toHaveProperty('previousSecretExpiresAt');
  });

  test('an overlap is made longer and ended with the secret there is, and an old secret that is over stays so', async () => {
    const webhookId = await accountWebhook('payer', { url: HOOK, secret: 'old' });
    const change = (secret: string, secretOverlapSeconds: number) =>
      stage.webhooks.accounts.update('payer', webhookId, { secret, secretOverlapSeconds });
    await change('new', 60);
    expect((await change('new', 120)).previousSecretExpiresAt).toBe(new Date(START + 120_000).toISOString());
    expect(await change('new', 0)).not.toHaveProperty('previousSecretExpiresAt');
    const { previous_secret: left } = await stage.storage.db
      .selectFrom('webhooks')
      .select('previous_secret')
      .executeTakeFirstOrThrow();
    expect(left).toBeNull();
    await change('newest', 60);
    stage.clock.advance(60_000);
    expect(await change('newest', 120)).not.toHaveProperty('previousSecretExpiresAt');
  });

  test('an overlap that goes on is changed and ended by somebody who has no secret at hand; both keep their keys', async () => {
    const webhookId = await accountWebhook('payer', { url: HOOK, secret: 'old' });
    const change = (update: WebhookUpdate) => stage.webhooks.accounts.update('payer', webhookId, update);
    const verdicts = async () => {
      await stage.finish(await stage.accept('payer'));
      await stage.webhooks.settled();
      const sent = stage.client.sent.at(-1);
      if (sent === undefined) throw new Error('Nothing was sent.');
      return ['old', 'new'].map((secret) => explainSignature(sent, secret, stage.clock.now()).standard.verdict);
    };
    await change({ secret: 'new', secretOverlapSeconds: 60 });
    const longer = await change({ secretOverlapSeconds: 120 });
    expect(longer.previousSecretExpiresAt).toBe(new Date(START + 120_000).toISOString());
    expect(await verdicts()).toEqual(['valid', 'valid']);
    expect(await change({ secretOverlapSeconds: 0 })).not.toHaveProperty('previousSecretExpiresAt');
    expect(await verdicts()).toEqual(['invalid', 'valid']);
    expect(await change({ secretOverlapSeconds: 0 })).toMatchObject({ hasSecret: true });
    await expect(change({ secretOverlapSeconds: 60 })).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await verdicts()).toEqual(['invalid', 'valid']);
  });
});
