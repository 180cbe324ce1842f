import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { explainSignature } from '../../src-server/features/webhooks/explain.ts';
import type { WebhookUpdate } from '../../src-server/features/webhooks/schema.ts';
import { HOUR_MS } from '../../src-server/platform/units.ts';
import { until } from '../harness/until.ts';
import { actsOn } from './acts.ts';
import { openStage, START, type Stage } from './stage.ts';

const HOOK = 'https://receiver.example/hook';
let stage: Stage;

beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.close());

const { deliveries, theDelivery, at, accountWebhook } = actsOn(() => stage);

/** What a receiver that knows the old secret, and one that knows the new, find of the next callback. */
async function verdicts() {
  stage.finish(stage.accept('payer'));
  await stage.webhooks.whenWebhooksSettled();
  const sent = stage.client.sent.at(-1);
  if (sent === undefined) throw new Error('Nothing was sent.');
  return ['old', 'new'].map((secret) => explainSignature(sent, secret, stage.clock.now()).standard.verdict);
}

describe('a webhook that is paused, disabled, deleted', () => {
  test('410 disables it with a notice; active brings it back', async () => {
    stage.client.answer = (_url, count) => ({ status: count === 1 ? 410 : 200 });
    const webhookId = accountWebhook('payer', { url: HOOK });
    stage.finish(stage.accept('payer'));
    expect(await theDelivery()).toMatchObject({ status: 'exhausted', lastErrorClass: 'gone' });
    const disabled = stage.webhooks.accounts.viewAccountWebhook('payer', webhookId);
    expect(disabled).toMatchObject({ status: 'disabled', notice: expect.stringContaining('410') });
    stage.finish(stage.accept('payer'));
    await theDelivery();
    const active = await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { status: 'active' });
    expect(active.status).toBe('active');
    expect(active).not.toHaveProperty('notice');
    stage.finish(stage.accept('payer'));
    expect((await deliveries()).map((one) => one.status)).toEqual(['delivered', 'exhausted']);
  });

  test('410 to the webhook of one job is told without advice that nobody could follow', async () => {
    const warned: unknown[][] = [];
    stage.parts.log.warn = (...said) => void warned.push(said);
    stage.client.answer = () => ({ status: 410 });
    stage.finish(stage.accept('payer', [HOOK]));
    const { deliveryId, webhookId } = await theDelivery();
    expect(warned).toEqual([
      [{ webhookId, deliveryId, errorClass: 'gone' }, expect.stringContaining('can be sent again by hand')],
    ]);
    expect(() => stage.webhooks.sendTest(webhookId, 'job.completed')).toThrow(
      expect.objectContaining({
        code: 'conflict',
        message: expect.stringContaining('its delivery can be sent again'),
      }),
    );
    stage.client.answer = () => ({ status: 200 });
    stage.webhooks.redelivery.redeliverOne(deliveryId);
    expect(await theDelivery()).toMatchObject({ status: 'delivered' });
  });

  /** A job a day, each delivery tried until it is given up: 17 hours and a half. */
  async function failForDays(days: number): Promise<void> {
    for (let day = 0; day < days; day += 1) {
      await at(Math.max(stage.clock.now(), START + day * 24 * HOUR_MS));
      stage.finish(stage.accept('payer'));
      for (;;) {
        const [newest] = await deliveries();
        if (newest === undefined || newest.nextAttemptAt === null) break;
        await at(Date.parse(newest.nextAttemptAt));
      }
    }
  }

  test('three days without a success disable it, with a notice; less does not', async () => {
    stage.client.answer = () => ({ status: 500 });
    const webhookId = accountWebhook('payer', { url: HOOK });
    await failForDays(3);
    expect(stage.webhooks.accounts.viewAccountWebhook('payer', webhookId)).toMatchObject({ status: 'active' });
    await failForDays(4);
    expect(stage.webhooks.accounts.viewAccountWebhook('payer', webhookId)).toMatchObject({
      status: 'disabled',
      notice: expect.stringContaining('three days'),
    });
  });

  test('three days are three days where the clock was ahead by years at the first failure', async () => {
    stage.client.answer = () => ({ status: 500 });
    const webhookId = accountWebhook('payer', { url: HOOK });
    stage.clock.advance(2000 * 24 * HOUR_MS);
    stage.finish(stage.accept('payer'));
    await stage.webhooks.whenWebhooksSettled();
    await at(START);
    await failForDays(4);
    expect(stage.webhooks.accounts.viewAccountWebhook('payer', webhookId)).toMatchObject({ status: 'disabled' });
  });

  test('failures with a success between them do not disable it', async () => {
    stage.client.answer = (_url, count) => ({ status: count === 10 ? 200 : 500 });
    const webhookId = accountWebhook('payer', { url: HOOK });
    await failForDays(4);
    expect(stage.client.sent.length).toBe(9 + 1 + 9 + 9);
    expect(stage.webhooks.accounts.viewAccountWebhook('payer', webhookId)).toMatchObject({ status: 'active' });
  });

  test('while it is paused deliveries wait; then they go out', async () => {
    const webhookId = accountWebhook('payer', { url: HOOK });
    await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { status: 'paused' });
    stage.finish(stage.accept('payer'));
    await at(START + 24 * HOUR_MS);
    expect(stage.client.sent).toEqual([]);
    expect(await theDelivery()).toMatchObject({ status: 'pending', webhookStatus: 'paused', nextAttemptAt: null });
    await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { status: 'active' });
    expect(await theDelivery()).toMatchObject({ status: 'delivered' });
  });

  test('made active again, it tries at once what waits, for whatever time that was to be', async () => {
    stage.client.answer = () => ({ status: 503, headers: { 'retry-after': '80000' } });
    const webhookId = accountWebhook('payer', { url: HOOK });
    await Promise.all(Array.from({ length: 3 }, async () => stage.finish(stage.accept('payer'))));
    await stage.webhooks.whenWebhooksSettled();
    await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { status: 'active' });
    await stage.webhooks.whenWebhooksSettled();
    expect(stage.client.sent).toHaveLength(3);
    stage.client.answer = () => ({ status: 200 });
    await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { status: 'paused' });
    await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { status: 'active' });
    expect(await deliveries()).toMatchObject(Array.from({ length: 3 }, () => ({ status: 'delivered', attempts: 2 })));
  });

  test('deleted, nothing that waits is sent any more', async () => {
    stage.client.answer = () => ({ status: 500 });
    const webhookId = accountWebhook('payer', { url: HOOK, secret: 'secret' });
    stage.finish(stage.accept('payer'));
    await stage.webhooks.whenWebhooksSettled();
    stage.webhooks.accounts.removeAccountWebhook('payer', webhookId);
    await at(START + 24 * HOUR_MS);
    expect(await theDelivery()).toMatchObject({ status: 'cancelled', attempts: 1 });
    expect(() => stage.webhooks.accounts.viewAccountWebhook('payer', webhookId)).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
    const rows = stage.storage.db.queryAll(
      stage.storage.db.selectFrom('webhooks').select(['secret', 'previous_secret']),
    );
    expect(rows).toEqual([{ secret: null, previous_secret: null }]);
  });

  test.each([200, 500])(
    'deleted while a request is under way, its answer %i is counted and nothing follows',
    async (status) => {
      const { promise: answered, resolve: answer } = Promise.withResolvers<{ status: number }>();
      stage.client.answer = () => answered;
      const webhookId = accountWebhook('payer', { url: HOOK });
      stage.finish(stage.accept('payer'));
      await until(() => stage.client.sent.length === 1);
      stage.webhooks.accounts.removeAccountWebhook('payer', webhookId);
      answer({ status });
      expect(await theDelivery()).toMatchObject({ status: 'cancelled', attempts: 1, lastResponseStatus: status });
      await at(START + 24 * HOUR_MS);
      expect(stage.client.sent).toHaveLength(1);
      const { deliveryId } = await theDelivery();
      expect(stage.webhooks.log.deliveryWithAttempts(deliveryId).attemptLog).toMatchObject([
        { number: 1, response: { status } },
      ]);
    },
  );

  test('a changed URL and changed events hold from the next delivery on', async () => {
    const webhookId = accountWebhook('payer', { url: HOOK });
    await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { url: `${HOOK}/new`, events: ['failed'] });
    stage.finish(stage.accept('payer'));
    stage.finish(stage.accept('payer'), 'failed');
    expect(await theDelivery()).toMatchObject({ event: 'job.failed', url: `${HOOK}/new` });
  });

  test('what waits goes to a changed URL', async () => {
    stage.client.answer = (url) => ({ status: url === HOOK ? 500 : 200 });
    const webhookId = accountWebhook('payer', { url: HOOK });
    stage.finish(stage.accept('payer'));
    await stage.webhooks.whenWebhooksSettled();
    await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { url: `${HOOK}/new` });
    await at(stage.clock.now() + 5500);
    expect(await theDelivery()).toMatchObject({ status: 'delivered', attempts: 2 });
    expect(stage.client.sent.map((sent) => sent.url)).toEqual([HOOK, `${HOOK}/new`]);
  });

  test('a rotated secret signs beside the old one, for as long as was asked', async () => {
    const webhookId = accountWebhook('payer', { url: HOOK, secret: 'old' });
    const rotated = await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, {
      secret: 'new',
      secretOverlapSeconds: 60,
    });
    expect(rotated.previousSecretExpiresAt).toBe(new Date(START + 60_000).toISOString());
    expect(await verdicts()).toEqual(['valid', 'valid']);
    await stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { secret: 'new' });
    stage.clock.advance(59_000);
    expect(await verdicts()).toEqual(['valid', 'valid']);
    stage.clock.advance(1000);
    expect(await verdicts()).toEqual(['invalid', 'valid']);
    expect(stage.webhooks.accounts.viewAccountWebhook('payer', webhookId)).not.toHaveProperty(
      'previousSecretExpiresAt',
    );
  });

  test('an overlap is made longer and ended with the secret there is, and an old secret that is over stays so', async () => {
    const webhookId = accountWebhook('payer', { url: HOOK, secret: 'old' });
    const change = (secret: string, secretOverlapSeconds: number) =>
      stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, { secret, secretOverlapSeconds });
    await change('new', 60);
    expect((await change('new', 120)).previousSecretExpiresAt).toBe(new Date(START + 120_000).toISOString());
    expect(await change('new', 0)).not.toHaveProperty('previousSecretExpiresAt');
    const { previous_secret: left } = stage.storage.db.queryOne(
      stage.storage.db.selectFrom('webhooks').select('previous_secret'),
    );
    expect(left).toBeNull();
    await change('newest', 60);
    stage.clock.advance(60_000);
    expect(await change('newest', 120)).not.toHaveProperty('previousSecretExpiresAt');
  });

  test('an overlap that goes on is changed and ended by somebody who has no secret at hand; both keep their keys', async () => {
    const webhookId = accountWebhook('payer', { url: HOOK, secret: 'old' });
    const change = (update: WebhookUpdate) => stage.webhooks.accounts.updateAccountWebhook('payer', webhookId, update);
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
