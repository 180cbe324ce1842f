import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Alert, AlertList } from '../../src-server/features/alerts/schema.ts';
import type { Webhook } from '../../src-server/features/webhooks/schema.ts';
import { OPERATIONS } from '../../src-server/features.ts';
import { GIB, HOUR_MS, MINUTE_MS } from '../../src-server/platform/units.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { type CatalogueBed, openCatalogue, realEntries } from '../harness/catalogue.ts';
import { openEvents } from '../harness/events.ts';
import { finished } from '../harness/jobs.ts';
import { picky } from '../harness/picky-operation.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';
import { entryOf, newCustomer, paid } from '../harness/wallets.ts';

const ENOUGH = 100 * GIB;

let bed: CatalogueBed;
let appliance: Appliance;
let freeBytes = ENOUGH;

beforeAll(async () => {
  bed = await openCatalogue(await realEntries());
  appliance = await startAppliance({
    resourcesFolder: bed.resourcesFolder,
    knownTextServers: [],
    operations: [...OPERATIONS, picky],
    freeDisk: async () => ({ freeBytes, totalBytes: 200 * GIB }),
  });
});

afterAll(async () => {
  await appliance.close();
  await bed[Symbol.asyncDispose]();
});

const SECRET = 'whsec_cXVhcnJ5IGFsZXJ0cw==';

interface Receiver extends AsyncDisposable {
  webhookId: string;
  messages: { alert: Alert; event: string }[];
  status: number;
}

/** A server on loopback that checks signatures, and an endpoint of the owner that calls it. */
async function receiver(name: string, events: string[]): Promise<Receiver> {
  const webhooks = new StandardWebhook(SECRET);
  // Before the endpoint exists: the job that makes it calls it, too.
  const called = { messages: [] as Receiver['messages'], status: 204 };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const headers = request.headers as Record<string, string>;
    // The time may be one that the test has moved, which the library would refuse.
    const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
    const isGenuine = webhooks.sign(headers['webhook-id'] ?? '', sentAt, body) === headers['webhook-signature'];
    if (!isGenuine) called.status = 401;
    called.messages.push({ alert: JSON.parse(body) as Alert, event: headers['x-service-event'] ?? '' });
    response.writeHead(called.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const answer = await appliance.owner('/v1/webhooks', postJson({ url, events, secret: SECRET, name }));
  const job = await finished(appliance.owner, ((await answer.json()) as Job).jobId);
  const { webhookId } = (job.result as { webhook: Webhook }).webhook;
  return Object.assign(called, {
    webhookId,
    [Symbol.asyncDispose]: async () => {
      await appliance.owner(`/v1/webhooks/${webhookId}`, { method: 'DELETE' });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

interface Job {
  jobId: string;
}

async function alerts(): Promise<AlertList> {
  const answer = await appliance.owner('/admin/alerts');
  expect(answer.status).toBe(200);
  return (await answer.json()) as AlertList;
}

async function run(ends: 'well' | 'badly' | 'lacking', by = appliance.owner): Promise<string> {
  const answer = await by('/v1/test/picky', postJson({ ends, sourceName: `${ends}.txt` }));
  const { jobId } = (await answer.json()) as Job;
  await finished(appliance.owner, jobId);
  return jobId;
}

const setting = (fields: object) => appliance.owner('/admin/settings', { ...postJson(fields), method: 'PATCH' });

let all: Receiver;

beforeAll(async () => {
  all = await receiver('All alerts', ['alert.raised', 'alert.cleared']);
});

afterAll(() => all[Symbol.asyncDispose]());

beforeEach(async () => {
  expect((await alerts()).open).toEqual([]);
});

/** What the receiver was told of one kind of alert, in order. */
async function toldOf(kind: Alert['kind'], count: number) {
  const ofKind = () => all.messages.filter(({ alert }) => alert.kind === kind);
  await until(() => ofKind().length >= count);
  return ofKind();
}

describe('the disk of the data folder', () => {
  test('raises one alert while it is low, over a restart too, and clears it with room to spare', async () => {
    const stream = await openEvents<{ environment: string }>(appliance.owner, '/admin/events');
    freeBytes = GIB;
    const [alert] = (await alerts()).open;
    expect(alert).toMatchObject({
      ...{ alertId: expect.stringMatching(/^alr_/), environment: 'production', kind: 'disk-low', subject: 'disk' },
      ...{ status: 'open', title: 'Disk space is low', page: '/settings', clearedAt: null, install: null },
      message: expect.stringContaining('has 1 GB left, less than 2 GB.'),
    });
    await until(() => stream.heard.some(({ event }) => event === 'alerts'));
    stream[Symbol.dispose]();
    await toldOf('disk-low', 1);
    await appliance.restart();
    freeBytes = 2.2 * GIB;
    expect((await alerts()).open.map(({ alertId }) => alertId)).toEqual([alert?.alertId]);
    freeBytes = 3 * GIB;
    const { open, recent } = await alerts();
    expect(open).toEqual([]);
    expect(recent[0]).toMatchObject({ alertId: alert?.alertId, status: 'cleared' });
    const told = await toldOf('disk-low', 2);
    expect(told.map(({ event }) => event)).toEqual(['alert.raised', 'alert.cleared']);
    expect(told.map((one) => one.alert.alertId)).toEqual([alert?.alertId, alert?.alertId]);
  });

  test('counts as low below the limit of the settings, and with 0 never', async () => {
    freeBytes = 10;
    await setting({ lowDiskMb: 0 });
    expect((await alerts()).open).toEqual([]);
    freeBytes = 3 * GIB;
    await setting({ lowDiskMb: 4096 });
    expect((await alerts()).open).toMatchObject([{ kind: 'disk-low' }]);
    await setting({ lowDiskMb: 2048 });
    expect((await alerts()).open).toEqual([]);
  });
});

describe('a webhook of the owner', () => {
  test('raises one alert after five failures in a row, which is not sent to itself, and clears it with a delivery', async () => {
    await using failing = await receiver('Newsletter', ['job.completed', 'alert.raised', 'alert.cleared']);
    failing.status = 500;
    appliance.clock.stand();
    const jobId = await run('well');
    const list = async (query: string) => {
      const path = `/admin/deliveries?webhookId=${failing.webhookId}&${query}`;
      return ((await (await appliance.owner(path)).json()) as { deliveries: { attempts: number; status: string }[] })
        .deliveries;
    };
    for (let attempts = 1; attempts <= 5; attempts += 1) {
      await until(async () => (await list(`jobId=${jobId}`))[0]?.attempts === attempts);
      // The job that made the endpoint calls it, too.
      if (attempts === 1) expect((await alerts()).open).toEqual([]);
      appliance.clock.advance(HOUR_MS);
    }
    await until(async () => (await alerts()).open.length === 1);
    const [alert] = (await alerts()).open;
    expect(alert).toMatchObject({
      ...{ kind: 'endpoint-failing', subject: failing.webhookId },
      title: 'Newsletter is not answering',
      message: expect.stringContaining('was answered with 500.'),
      page: `/webhooks?tab=deliveries&webhookId=${failing.webhookId}`,
    });
    await until(async () => ((await list(`jobId=${jobId}`))[0]?.attempts ?? 0) >= 6);
    failing.status = 204;
    appliance.clock.advance(12 * HOUR_MS);
    await until(async () => (await alerts()).open.length === 0);
    const told = await toldOf('endpoint-failing', 2);
    expect(told.map(({ event }) => event)).toEqual(['alert.raised', 'alert.cleared']);
    expect((await list('event=alert.raised')).length + (await list('event=alert.cleared')).length).toBe(0);
  });

  test('raises an alert when it answers 410 Gone, which its deletion clears', async () => {
    await using gone = await receiver('Old', ['job.completed']);
    gone.status = 410;
    await run('well');
    await until(async () => (await alerts()).open.length === 1);
    expect((await alerts()).open[0]?.message).toMatch(/^The receiver answered 410 Gone/);
    await appliance.owner(`/v1/webhooks/${gone.webhookId}`, { method: 'DELETE' });
    await until(async () => (await alerts()).open.length === 0);
  });

  test('is sent a sample alert as a test', async () => {
    await using one = await receiver('Tested', ['alert.raised']);
    const init = postJson({ event: 'alert.cleared' });
    expect((await appliance.owner(`/admin/webhooks/${one.webhookId}/test`, init)).status).toBe(202);
    await until(() => one.messages.length === 1);
    expect(one.messages).toMatchObject([{ event: 'alert.cleared', alert: { status: 'cleared' } }]);
  });

  test('alone receives alerts: no other account subscribes, and no job names one', async () => {
    const events = ['alert.raised'];
    const proof = await (await newCustomer(appliance)).proofOf(await entryOf(appliance, 'webhooks'));
    const stranger = await appliance.anonymous('/v1/webhooks', paid({ url: 'https://hooks.example/', events }, proof));
    const jobId = await run('well');
    const ofJob = await appliance.owner(`/v1/jobs/${jobId}/webhooks`, postJson({ url: 'http://127.0.0.1:9/', events }));
    for (const refused of [stranger, ofJob]) {
      expect(refused.status).toBe(400);
      const { errors } = (await refused.json()) as { errors: { path: string }[] };
      expect(errors[0]?.path).toMatch(/^events/);
    }
  });
});

describe('failed jobs', () => {
  test('raise one alert per operation, which outlasts the next success by its quiet time', async () => {
    const first = await run('badly');
    const [alert] = (await alerts()).open;
    expect(alert).toMatchObject({
      ...{ kind: 'jobs-failing', subject: 'test/picky', title: 'badly.txt failed', message: 'The file is damaged.' },
      ...{ jobId: first, page: `/jobs/${first}` },
    });
    await run('badly');
    expect((await alerts()).open).toMatchObject([
      {
        ...{ alertId: alert?.alertId, title: '2 jobs failed: Tests' },
        page: '/jobs?status=failed&jobType=test%2Fpicky',
      },
    ]);
    await run('well');
    expect((await alerts()).open).toHaveLength(1);
    appliance.clock.advance(11 * MINUTE_MS);
    expect((await alerts()).open).toEqual([]);
    expect((await toldOf('jobs-failing', 2)).map(({ event }) => event)).toEqual(['alert.raised', 'alert.cleared']);
  });

  test('are seen to when the last of them is deleted; what strangers send wrong is their own', async () => {
    await run('badly', appliance.anonymous);
    expect((await alerts()).open).toEqual([]);
    const jobId = await run('badly');
    expect((await alerts()).open).toHaveLength(1);
    await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' });
    expect((await alerts()).open).toEqual([]);
  });
});

describe('a missing model', () => {
  test('raises one alert with what to install, which the installation clears', async () => {
    const jobId = await run('lacking');
    await run('lacking');
    await until(async () => (await alerts()).open[0]?.install !== null);
    expect((await alerts()).open).toMatchObject([
      {
        ...{ kind: 'install-needed', subject: 'text', title: 'lacking.txt needs an installation', installing: false },
        message: 'No text model is installed. Install it: Tiny writer (1 MB).',
        install: { name: 'tiny-writer', kind: 'model' },
      },
    ]);
    expect((await alerts()).open[0]?.jobId).not.toBe(jobId);
    expect((await appliance.owner('/admin/models/tiny-writer/install', { method: 'POST' })).status).toBe(202);
    await until(async () => (await alerts()).open.length === 0);
    expect((await toldOf('install-needed', 2)).map(({ event }) => event)).toEqual(['alert.raised', 'alert.cleared']);
    await appliance.owner('/admin/models/tiny-writer', { method: 'DELETE' });
  });

  test('for which a job waits is an alert as long as it waits', async () => {
    const init = postJson({ ends: 'lacking', sourceName: 'patient.txt' });
    const headers = { ...(init.headers as object), prefer: 'install=ask' };
    const answer = await appliance.owner('/v1/test/picky', { ...init, headers });
    const { jobId } = (await answer.json()) as Job;
    await until(async () => (await alerts()).open.length === 1);
    expect((await alerts()).open).toMatchObject([{ title: 'patient.txt waits for an installation', jobId }]);
    await appliance.owner(`/admin/jobs/${jobId}/cancel`, { method: 'POST' });
    expect((await alerts()).open).toEqual([]);
  });
});

test('alerts are for the owner alone', async () => {
  expect((await appliance.anonymous('/admin/alerts')).status).toBe(401);
});
