import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { wordDocument } from '../harness/documents.ts';
import { type OpenStream, openEvents } from '../harness/events.ts';
import { finished } from '../harness/jobs.ts';
import { until } from '../harness/until.ts';

const SWEEP_MS = 60_000;
const RETENTION_MS = 73 * 3_600_000;
const JSON_TYPE = { 'content-type': 'application/json' };

interface Told {
  environment: string;
  deliveries?: { deliveryId: string; jobId: string; webhookId: string }[];
  inboxes?: string[];
  removed?: string[];
  more?: boolean;
  usage?: { accountId: string; requestsPassed: number; jobsProcessing: number }[];
}

let appliance: Appliance;

beforeEach(async () => {
  appliance = await startAppliance();
});

afterEach(async () => {
  await appliance.close();
});

const follow = (path: string) => openEvents<Told>(appliance.owner, path);

const told = (stream: OpenStream<Told>, event: string) =>
  stream.heard.filter((message) => message.event === event).map(({ data }) => data);

async function newInbox(behaviour: object): Promise<{ name: string; url: string }> {
  const body = JSON.stringify({ behaviour });
  const answer = await appliance.owner('/admin/inboxes', { method: 'POST', headers: JSON_TYPE, body });
  return (await answer.json()) as { name: string; url: string };
}

async function submit(webhookUrl?: string, client = appliance.owner): Promise<string> {
  const form = new FormData();
  if (webhookUrl !== undefined) form.append('webhookUrl', webhookUrl);
  form.append('file', new Blob([wordDocument(['One.'])]), 'one.docx');
  const answer = await client('/v1/extract/doc', { method: 'POST', body: form });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { jobId: string }).jobId;
}

test('every attempt of a delivery is told as it begins and as it ends, the retry after its pause too', async () => {
  using stream = await follow('/admin/events');
  // The time for the retry comes when the test says so.
  appliance.clock.stand();
  const inbox = await newInbox({ mode: 'status', status: 500, times: 1 });
  const jobId = await submit(inbox.url);
  const deliveries = () => told(stream, 'deliveries').flatMap((one) => one.deliveries ?? []);
  const status = async () => {
    const answer = await appliance.owner(`/admin/deliveries?jobId=${jobId}`);
    return ((await answer.json()) as { deliveries: { status: string; attempts: number }[] }).deliveries[0];
  };
  await until(async () => (await status())?.attempts === 1);
  await until(() => deliveries().length > 0);
  expect(deliveries()[0]).toMatchObject({ jobId, deliveryId: expect.stringMatching(/^dlv_/) });
  const before = deliveries().length;
  appliance.clock.advance(10_000);
  await until(async () => (await status())?.status === 'delivered');
  await until(() => deliveries().length > before);
  expect(told(stream, 'deliveries').every(({ environment }) => environment === 'production')).toBe(true);
  expect(told(stream, 'inboxes').flatMap(({ inboxes }) => inboxes)).toContain(inbox.name);
});

test('no message names more than a hundred deliveries, and what it leaves out it tells of', async () => {
  using stream = await follow('/admin/events');
  const inbox = await newInbox({ mode: 'accept' });
  const form = { url: inbox.url };
  const jobIds = await Promise.all(Array.from({ length: 10 }, () => submit()));
  const calls = jobIds.flatMap((jobId) =>
    Array.from({ length: 20 }, (_, index) =>
      appliance.owner(`/v1/jobs/${jobId}/webhooks`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify({ url: `${form.url}?${index}` }),
      }),
    ),
  );
  for (const call of await Promise.all(calls)) expect(call.status).toBe(202);
  const named = new Set<string>();
  await until(() => {
    for (const { deliveries = [], more } of told(stream, 'deliveries')) {
      for (const { deliveryId } of deliveries) named.add(deliveryId);
      expect(deliveries.length).toBeLessThanOrEqual(100);
      if (more) return true;
    }
    return named.size >= 200;
  });
});

test('who uses how much is told as it changes, until the window is empty again', async () => {
  using stream = await follow('/admin/limits/events');
  using staging = await follow('/admin/limits/events?environment=staging');
  const passed = () => told(stream, 'usage').map(({ usage }) => usage?.map((one) => one.requestsPassed));
  await until(() => passed().length === 1);
  expect(passed()).toEqual([[]]);
  for (let sent = 0; sent < 3; sent += 1) await appliance.anonymous('/v1/jobs/unknown');
  await until(() => passed().at(-1)?.[0] === 3);
  appliance.clock.advance(61_000);
  await until(() => passed().at(-1)?.length === 0);
  expect(told(staging, 'usage')).toEqual([{ usage: [] }]);
});

test('a job whose time is over is told as gone once, without anybody having asked for it', async () => {
  const body = JSON.stringify({ name: 'Reader', scopes: ['run'] });
  const made = await appliance.owner('/admin/keys', { method: 'POST', headers: JSON_TYPE, body });
  const { key } = (await made.json()) as { key: string };
  // What the owner asked for stays; what a key asked for goes.
  const jobId = await submit(undefined, (path, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${key}`);
    return appliance.anonymous(path, { ...init, headers });
  });
  await finished(appliance.owner, jobId);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    // The sweep of this start finds nothing, and the next one comes when the test says so.
    await appliance.restart();
    using stream = await follow('/admin/events');
    const removed = () => told(stream, 'jobs').flatMap((one) => one.removed ?? []);
    // By less than an hour at once: a clock that jumps ahead by more is not believed at first.
    for (let passed = 0; passed < RETENTION_MS; passed += 59 * SWEEP_MS) {
      appliance.clock.advance(59 * SWEEP_MS);
      vi.advanceTimersByTime(SWEEP_MS);
    }
    await until(() => {
      // A sweep that was still under way is joined, so that it is asked for anew.
      vi.advanceTimersByTime(SWEEP_MS);
      return removed().length > 0;
    });
    expect(removed()).toEqual([jobId]);
    expect((await appliance.owner(`/v1/jobs/${jobId}`)).status).toBe(410);
  } finally {
    vi.useRealTimers();
  }
});

test('nobody but the owner follows what happens', async () => {
  for (const path of ['/admin/events', '/admin/limits/events']) {
    expect((await appliance.anonymous(path)).status).toBe(401);
  }
});
