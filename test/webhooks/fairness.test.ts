import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { until } from '../harness/until.ts';
import { openStage, type Stage } from './stage.ts';

const ENDPOINTS = 100;
const HANGING = 20;
const DELIVERIES = 10_000;

let stage: Stage;

beforeEach(async () => {
  stage = await openStage({ presentMany: (jobIds) => new Map(jobIds.map((jobId) => [jobId, shortJob(jobId)])) });
});
afterEach(() => stage.close());

const shortJob = (jobId: string) => ({
  head: { jobId, status: 'completed' },
  result: 'null',
  fileUrls: { from: '"urn:', to: '"https:' },
});
const url = (endpoint: number) => `https://receiver-${endpoint}.example/hook`;
const hangs = (target: string) => Number(/\d+/.exec(target)?.[0]) < HANGING;

describe('10,000 deliveries to 100 endpoints of which 20 hang', () => {
  test('the other 80 get all of theirs while the 20 still hang, and a hanging one is asked only a few times', async () => {
    const gates: ((error: Error) => void)[] = [];
    stage.client.answer = (target) => {
      if (!hangs(target)) return { status: 200 };
      return new Promise((_resolve, reject) => gates.push(reject));
    };
    for (let endpoint = 0; endpoint < ENDPOINTS; endpoint += 1) {
      const job = { id: stage.accept(`payer-${endpoint}`).id, accountId: `payer-${endpoint}` };
      stage.webhooks.createForJob(job, { url: url(endpoint) });
    }
    enqueue();
    stage.webhooks.kick();
    const delivered = () => {
      const row = stage.storage.db.queryOne(
        stage.storage.db
          .selectFrom('webhook_deliveries')
          .select((is) => is.fn.countAll<number>().as('count'))
          .where('status', '=', 'delivered'),
      );
      return row.count;
    };
    // No hanging request has ended: were one of them in the way of the others, this would wait for ever.
    await until(() => delivered() === (DELIVERIES / ENDPOINTS) * (ENDPOINTS - HANGING));
    const asked = stage.client.sent.filter((sent) => hangs(sent.url)).length;
    expect(asked).toBeGreaterThanOrEqual(HANGING);
    expect(asked).toBeLessThanOrEqual(HANGING * 4);
    // Once they are known to hang, each of them holds one place.
    for (const give of gates.splice(0)) give(new QuarryError('timeout', say`The host did not answer in time.`));
    await until(() => gates.length >= HANGING);
    expect(gates.length).toBe(HANGING);
    for (const give of gates.splice(0)) give(new QuarryError('timeout', say`The host did not answer in time.`));
  });
});

test('endpoints that are known to hang share a part of the places, and another endpoint is served meanwhile', async () => {
  const silent = 300;
  const gates: ((error: Error) => void)[] = [];
  const end = () => {
    for (const give of gates.splice(0)) give(new QuarryError('timeout', say`The host did not answer in time.`));
  };
  stage.client.answer = (target) => {
    if (target === url(silent)) return { status: 200 };
    return new Promise((_resolve, reject) => gates.push(reject));
  };
  const webhookOf = (endpoint: number) => {
    const job = { id: stage.accept(`payer-${endpoint}`).id, accountId: `payer-${endpoint}` };
    stage.webhooks.createForJob(job, { url: url(endpoint) });
  };
  const endOf = (endpoint: number) => {
    const job = { id: `job_${endpoint}`, accountId: `payer-${endpoint}`, endedAt: stage.clock.now() };
    stage.storage.transaction((tx) => stage.webhooks.onTerminal(tx, { ...job, events: ['job.completed'] }));
  };
  for (let endpoint = 0; endpoint <= silent; endpoint += 1) webhookOf(endpoint);
  for (let endpoint = 0; endpoint < silent; endpoint += 1) endOf(endpoint);
  stage.webhooks.kick();
  await until(() => gates.length === silent);
  end();
  const attempted = () =>
    stage.storage.db.queryAll(
      stage.storage.db.selectFrom('webhook_deliveries').select('seq').where('attempts', '=', 1),
    );
  await until(() => attempted().length === silent);
  stage.clock.advance(6000);
  stage.webhooks.kick();
  await until(() => gates.length >= 256);
  endOf(silent);
  stage.webhooks.kick();
  await until(() => stage.webhooks.log.deliveryCounts().delivered === 1);
  expect(gates.length).toBe(256);
  end();
});

test('of thousands of deliveries that are due, few are sent in one turn of the event loop', async () => {
  for (let endpoint = 0; endpoint < ENDPOINTS; endpoint += 1) {
    const job = { id: stage.accept(`payer-${endpoint}`).id, accountId: `payer-${endpoint}` };
    stage.webhooks.createForJob(job, { url: url(endpoint), secret: 'secret' });
  }
  enqueue();
  let most = 0;
  let before = 0;
  let isOver = false;
  const look = () => {
    most = Math.max(most, stage.client.sent.length - before);
    before = stage.client.sent.length;
    if (!isOver) setImmediate(look);
  };
  look();
  await stage.webhooks.whenWebhooksSettled();
  isOver = true;
  expect(stage.client.sent).toHaveLength(DELIVERIES);
  expect(most).toBeLessThanOrEqual(32);
});

function enqueue(): void {
  const perEndpoint = DELIVERIES / ENDPOINTS;
  stage.storage.transaction((tx) => {
    const rows = Array.from({ length: DELIVERIES }, (_, index) => index);
    for (const index of rows) {
      // Endpoint by endpoint: the hanging ones stand in front.
      const accountId = `payer-${Math.floor(index / perEndpoint)}`;
      const endedAt = stage.clock.now();
      stage.webhooks.onTerminal(tx, { id: `job_${index}`, accountId, events: ['job.completed'], endedAt });
    }
  });
}
