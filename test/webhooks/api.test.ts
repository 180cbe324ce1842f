import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, type Client, startAppliance } from '../harness/appliance.ts';
import { until } from '../harness/until.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
/** Never called: who registers it asks for the failures of jobs that complete. */
const HOOK = 'https://receiver.example/hook';
const FAILURES = ['failed'];
let appliance: Appliance;

beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

/** What the tests read of answers; each answer has the part that belongs to it. */
interface Body {
  jobId: string;
  status: string;
  events: string[];
  result: { webhook: WebhookBody };
  jobs: { jobId: string }[];
  errors?: { path: string }[];
  detail: string;
  name: string;
  url: string;
  updatedAt: string;
  messages: Message[];
  deliveries: { deliveryId: string }[];
  attempts: number;
  attemptLog: { request: { headers: Record<string, string> } }[];
  lastDelivery: object;
  endpoints: { webhookId: string }[];
}

interface WebhookBody {
  webhookId: string;
  url: string;
  updatedAt: string;
}

interface Message {
  headers: Record<string, string>;
  body: string;
  bodyBytes: number;
  answer: { mode: string };
}

interface Preview {
  selectionId: string;
  deliveries: number;
  sample: object[];
}

async function call<Json>(
  client: Client,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; json: Json }> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await client(path, { method, headers: { 'content-type': 'application/json', ...headers }, ...init });
  const text = await answer.text();
  return { status: answer.status, json: (text === '' ? null : JSON.parse(text)) as Json };
}

const owner = <Json = Body>(method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  call<Json>(appliance.owner, method, path, body, headers);
const anonymous = (method: string, path: string, body?: unknown) => call<Body>(appliance.anonymous, method, path, body);

/** An entry that must be there. */
function at<Entry>(entries: readonly Entry[], index = 0): Entry {
  const entry = entries[index];
  if (entry === undefined) throw new Error(`There is no entry ${index}.`);
  return entry;
}

async function register(body: object) {
  const { json } = await owner('POST', '/v1/webhooks', body, { prefer: 'wait=30' });
  return json.result.webhook;
}

async function runJob(fields: object = {}) {
  const file = `data:text/plain;base64,${Buffer.from('Hello, webhook.').toString('base64')}`;
  const { status, json } = await owner('POST', '/v1/extract/doc', { file, ...fields }, { prefer: 'wait=30' });
  expect(status).toBe(202);
  expect(json.status).toBe('completed');
  return json;
}

async function inbox(settings: object = {}) {
  const { status, json } = await owner('POST', '/admin/inboxes', settings);
  expect(status).toBe(201);
  return json;
}

async function messages(name: string, count: number) {
  const read = async () => (await owner('GET', `/admin/inboxes/${name}/messages`)).json.messages;
  await until(async () => (await read()).length >= count);
  return read();
}

/** What has arrived in an inbox is told as delivered a moment after it has. */
async function recorded(name: string) {
  for (const { headers } of await messages(name, 1)) {
    const delivery = `/admin/deliveries/${headers['webhook-id']}`;
    await until(async () => (await owner('GET', delivery)).json.status === 'delivered');
  }
}

describe('a callback, from the registration to the inbox', () => {
  test('an account-level webhook is made by its job and its signed delivery arrives verified', async () => {
    const box = await inbox({ secret: SECRET, label: 'first' });
    const webhook = await register({ url: box.url, events: ['completed'], secret: SECRET, name: 'First' });
    expect(webhook).toMatchObject({
      name: 'First',
      url: box.url,
      events: ['job.completed'],
      status: 'active',
      hasSecret: true,
    });
    expect(JSON.stringify(webhook)).not.toContain(SECRET);
    // The first message is of the job that made the webhook.
    await messages(box.name, 1);
    const job = await runJob();
    expect(job.events).toEqual(['job.completed']);
    const received = await messages(box.name, 2);
    const newest = at(received);
    expect(newest).toMatchObject({ verified: true, payload: { verdict: 'valid' }, standard: { verdict: 'valid' } });
    const { signature, ...body } = JSON.parse(newest.body);
    expect(signature).toBe(newest.headers['x-service-signature']);
    expect(body).toEqual((await owner('GET', `/v1/jobs/${job.jobId}`)).json);
    expect(JSON.parse(at(received, 1).body)).toMatchObject({
      jobType: 'webhooks',
      events: ['job.completed'],
      result: { webhook: { url: box.url } },
    });
    await recorded(box.name);
    // A name is given, found on its deliveries, and taken away again.
    const path = `/v1/webhooks/${webhook.webhookId}`;
    expect(await owner('PATCH', path, { name: ' Newsletter ' })).toMatchObject({ json: { name: 'Newsletter' } });
    const called = await owner('GET', `/admin/deliveries?webhookId=${webhook.webhookId}&limit=1`);
    expect(called.json.deliveries).toMatchObject([{ webhookName: 'Newsletter' }]);
    expect((await owner('PATCH', path, { name: '' })).status).toBe(400);
    expect((await owner('PATCH', path, { name: null })).json).not.toHaveProperty('name');
    const shown = await owner('GET', `/v1/webhooks/${webhook.webhookId}`);
    expect(shown.json.lastDelivery).toMatchObject({ status: 'delivered', responseStatus: 204 });
    expect((await owner('DELETE', `/v1/webhooks/${webhook.webhookId}`)).status).toBe(204);
    expect((await owner('GET', `/v1/webhooks/${webhook.webhookId}`)).status).toBe(404);
  });

  test('webhookUrl calls back, and a registration on the finished job delivers at once', async () => {
    const box = await inbox();
    const job = await runJob({ webhookUrl: box.url });
    expect(await messages(box.name, 1)).toMatchObject([{ verdict: 'unsigned', verified: false }]);
    const late = await inbox();
    const answer = await owner('POST', `/v1/jobs/${job.jobId}/webhooks`, { url: late.url, events: ['job.completed'] });
    expect(answer).toMatchObject({ status: 202, json: { jobId: job.jobId, status: 'completed' } });
    expect(JSON.parse(at(await messages(late.name, 1)).body)).toMatchObject({ jobId: job.jobId });
  });

  test('an inbox that is told to fail once is called again, with the same webhook-id', async () => {
    const box = await inbox({ behaviour: { mode: 'status', status: 500, times: 1 } });
    await runJob({ webhookUrl: box.url });
    await messages(box.name, 1);
    const first = at((await owner('GET', '/admin/deliveries?status=pending')).json.deliveries);
    await until(async () => (await owner('GET', `/admin/deliveries/${first.deliveryId}`)).json.attempts > 0);
    appliance.clock.advance(7000);
    const received = await messages(box.name, 2);
    expect(received.map((one: { answer: { mode: string } }) => one.answer.mode)).toEqual(['accept', 'status']);
    expect(at(received).headers['webhook-id']).toBe(at(received, 1).headers['webhook-id']);
    await until(async () => (await owner('GET', `/admin/deliveries/${first.deliveryId}`)).json.status === 'delivered');
  });

  test('an inbox that is told to be slow or silent waits, keeps what it got, and accepts the next one', async () => {
    const slow = await inbox({ behaviour: { mode: 'slow', delayMs: 300, times: 1 } });
    const began = performance.now();
    expect((await fetch(slow.url, { method: 'POST', body: '{}' })).status).toBe(204);
    // Timers may end a little early, never much.
    expect(performance.now() - began).toBeGreaterThan(250);
    const silent = await inbox({ behaviour: { mode: 'timeout', times: 1 } });
    const giveUp = new AbortController();
    const waiting = expect(fetch(silent.url, { method: 'POST', body: '{}', signal: giveUp.signal })).rejects.toThrow();
    expect(await messages(silent.name, 1)).toMatchObject([{ answer: { mode: 'timeout' } }]);
    // It has arrived, and is given time for an answer.
    setTimeout(() => giveUp.abort(), 300);
    await waiting;
    expect((await fetch(silent.url, { method: 'POST', body: '{}' })).status).toBe(204);
  });

  test('the log holds the exact bytes and headers, the answer, the time; the delivery can be sent again', async () => {
    const box = await inbox({ secret: SECRET });
    const job = await runJob();
    await owner('POST', `/v1/jobs/${job.jobId}/webhooks`, { url: box.url, secret: SECRET });
    const received = at(await messages(box.name, 1));
    const id = received.headers['webhook-id'];
    await until(async () => (await owner('GET', `/admin/deliveries/${id}`)).json.status === 'delivered');
    const { json: delivery } = await owner('GET', `/admin/deliveries/${id}`);
    const attempt = at(delivery.attemptLog);
    expect(attempt.request.headers).toEqual(received.headers);
    expect(attempt).toMatchObject({ number: 1, response: { status: 204 }, errorClass: null });
    const body = await appliance.owner(`/admin/deliveries/${id}/attempts/1/body`);
    expect(await body.text()).toBe(received.body);
    const signature = await owner('GET', `/admin/deliveries/${id}/attempts/1/signature`);
    expect(signature.json).toMatchObject({ verdict: 'valid' });
    const pasted = { headers: received.headers, body: received.body, secret: SECRET };
    expect((await owner('POST', '/admin/webhooks/explain', pasted)).json).toMatchObject({ verdict: 'valid' });
    expect((await owner('POST', `/admin/deliveries/${id}/redeliver`)).status).toBe(202);
    const twice = await messages(box.name, 2);
    expect(at(twice).headers).toMatchObject({ 'webhook-id': id, 'x-service-attempt': '2' });
  });

  test('a result of megabytes is made ready on another thread, and arrives whole, verified and logged to the byte', async () => {
    const box = await inbox({ secret: SECRET });
    const words = 'Grüße aus dem Steinbruch: Ärger, Öl und 日本語. ';
    const file = `data:text/plain;base64,${Buffer.from(words.repeat(30_000)).toString('base64')}`;
    const { json: accepted } = await owner('POST', '/v1/extract/doc', { file }, { prefer: 'wait=60' });
    expect(accepted.status).toBe('completed');
    await owner('POST', `/v1/jobs/${accepted.jobId}/webhooks`, { url: box.url, secret: SECRET });
    const received = at(await messages(box.name, 1));
    expect(received).toMatchObject({ verified: true, payload: { verdict: 'valid' }, standard: { verdict: 'valid' } });
    expect(received.bodyBytes).toBeGreaterThan(1_500_000);
    const id = received.headers['webhook-id'];
    await until(async () => (await owner('GET', `/admin/deliveries/${id}`)).json.status === 'delivered');
    const logged = await (await appliance.owner(`/admin/deliveries/${id}/attempts/1/body`)).text();
    expect(Buffer.byteLength(logged)).toBe(received.bodyBytes);
    // The inbox keeps the first bytes, which may end within a character.
    expect(received.body.length).toBeGreaterThan(40_000);
    expect(logged.startsWith(received.body.slice(0, -1))).toBe(true);
    const { signature, ...body } = JSON.parse(logged);
    expect(signature).toBe(received.headers['x-service-signature']);
    expect(body).toEqual((await owner('GET', `/v1/jobs/${accepted.jobId}`)).json);
  });

  test('by filter, a preview counts and freezes what is sent again; a second time it is refused', async () => {
    const box = await inbox({ behaviour: { mode: 'status', status: 410, times: 3 } });
    const job = await runJob();
    for (const path of ['a', 'b', 'c']) {
      const url = `${box.url}?${path}`;
      await owner('POST', `/v1/jobs/${job.jobId}/webhooks`, { url });
    }
    await messages(box.name, 3);
    const filter = { jobId: job.jobId, status: 'exhausted', url: `${box.url}?` };
    await until(async () => (await owner<Preview>('POST', '/admin/redeliveries', filter)).json.deliveries === 3);
    const { json: preview } = await owner<Preview>('POST', '/admin/redeliveries', filter);
    expect(preview).toMatchObject({ deliveries: 3, sendable: 3 });
    expect(preview.sample).toHaveLength(3);
    const applied = await owner('POST', `/admin/redeliveries/${preview.selectionId}/apply`);
    expect(applied).toMatchObject({ status: 202, json: { requeued: 3, skipped: 0 } });
    await messages(box.name, 6);
    expect((await owner('POST', `/admin/redeliveries/${preview.selectionId}/apply`)).status).toBe(409);
    await until(
      async () =>
        (await owner('GET', `/admin/deliveries?url=${encodeURIComponent(box.url)}&status=delivered`)).json.deliveries
          .length === 3,
    );
  });

  test('a test event arrives, marked as one', async () => {
    const box = await inbox({ secret: SECRET });
    const webhook = await register({ url: box.url, secret: SECRET });
    await messages(box.name, 1);
    expect((await owner('POST', `/admin/webhooks/${webhook.webhookId}/test`, { event: 'job.failed' })).status).toBe(
      202,
    );
    const test = at(await messages(box.name, 2));
    expect(test).toMatchObject({ verified: true });
    expect(JSON.parse(test.body)).toMatchObject({
      status: 'failed',
      error: { message: 'This is a test event from Quarry.' },
    });
    await recorded(box.name);
    interface Listed {
      webhookId: string;
      lastDay: { hours: object[] };
    }
    const { json } = await owner<{ endpoints: Listed[] }>('GET', '/admin/webhooks');
    const listed = at(json.endpoints.filter(({ webhookId }) => webhookId === webhook.webhookId));
    // The end of the job that registered it, and the test.
    expect(listed).toMatchObject({ failingSince: null, lastDay: { delivered: 2, failed: 0 } });
    expect(listed.lastDay.hours.at(-1)).toEqual({ delivered: 2, failed: 0 });
    const { json: paused } = await owner('PATCH', `/v1/webhooks/${webhook.webhookId}`, { status: 'paused' });
    expect(paused.status).toBe('paused');
    appliance.clock.advance(1000);
    expect((await owner('PATCH', `/v1/webhooks/${webhook.webhookId}`, {})).json).toEqual(paused);
    expect((await owner('POST', `/admin/webhooks/${webhook.webhookId}/test`, {})).status).toBe(409);
    await owner('DELETE', `/v1/webhooks/${webhook.webhookId}`);
  });
});

describe('bad input', () => {
  const cases: [string, object, string][] = [
    ['an unknown event', { url: HOOK, events: ['job.started'] }, 'events.0'],
    ['a secret of 10 kB', { url: HOOK, secret: 'x'.repeat(10_240) }, 'secret'],
    ['an empty secret', { url: HOOK, secret: '' }, 'secret'],
    ['no URL', { events: [] }, 'url'],
    ['what is no URL', { url: 'receiver' }, 'url'],
    ['another scheme', { url: 'ftp://receiver.example/' }, 'url'],
    ['credentials in the URL', { url: 'https://user:word@receiver.example/' }, 'url'],
    ['an unknown field', { url: HOOK, evnts: [] }, 'evnts'],
  ];

  test.each(cases)('%s is a 400 that names the field, and no job is made', async (_name, body, path) => {
    const before = (await owner('GET', '/v1/jobs?limit=1')).json.jobs[0]?.jobId;
    const { status, json } = await owner('POST', '/v1/webhooks', body);
    expect([status, json.errors?.[0]?.path]).toEqual([400, path]);
    expect((await owner('GET', '/v1/jobs?limit=1')).json.jobs[0]?.jobId).toBe(before);
  });

  test.each([
    ['of an overlap that is over', { secretOverlapSeconds: 60 }, 'secretOverlapSeconds'],
    ['of an overlap at the end of signing', { secret: null, secretOverlapSeconds: 60 }, 'secretOverlapSeconds'],
    ['of the status disabled', { status: 'disabled' }, 'status'],
    ['of nothing that there is', { secretOverlap: 1 }, 'secretOverlap'],
  ])('a change %s is a 400 that names the field, and nothing is changed', async (_name, change, path) => {
    const webhook = await register({ url: HOOK, events: FAILURES, secret: SECRET });
    const { status, json } = await owner('PATCH', `/v1/webhooks/${webhook.webhookId}`, change);
    expect([status, json.errors?.[0]?.path]).toEqual([400, path]);
    expect((await owner('GET', `/v1/webhooks/${webhook.webhookId}`)).json.updatedAt).toBe(webhook.updatedAt);
    await owner('DELETE', `/v1/webhooks/${webhook.webhookId}`);
  });

  test.each([
    'http://receiver.example/hook',
    'https://127.0.0.1/hook',
    'https://2130706433/hook',
    'https://0x7f.1/hook',
    'https://0177.0.0.1/hook',
    'https://127.1/hook',
    'https://[::1]/hook',
    'https://[::ffff:127.0.0.1]/hook',
    'https://[::ffff:7f00:1]/hook',
    'https://[fe80::1]/hook',
    'https://[fd00:ec2::254]/hook',
    'https://10.0.0.1/hook',
    'https://169.254.169.254/latest',
    'https://100.64.0.1/hook',
    'https://0.0.0.0/hook',
    'https://[::]/hook',
    'https://[::127.0.0.1]/hook',
    'https://[64:ff9b::7f00:1]/hook',
    'https://[2002:7f00:1::]/hook',
    'https://127.0.0.1./hook',
    'https://localhost/hook',
    'https://printer.local/hook',
  ])('a stranger cannot have %s called', async (url) => {
    const job = await runJob();
    const { status, json } = await anonymous('POST', `/v1/jobs/${job.jobId}/webhooks`, { url });
    expect([status, json.errors?.[0]?.path]).toEqual([400, 'url']);
    expect((await owner('GET', `/admin/deliveries?jobId=${job.jobId}`)).json.deliveries).toEqual([]);
  });

  test('a stranger may have http called where the setting allows it, and nothing private even then', async () => {
    const job = await runJob();
    const statusFor = async (url: string) =>
      (await anonymous('POST', `/v1/jobs/${job.jobId}/webhooks`, { url, events: FAILURES })).status;
    const allow = (allowHttpWebhooks: boolean) => owner('PATCH', '/admin/settings', { allowHttpWebhooks });
    expect(await statusFor('http://receiver.example/hook')).toBe(400);
    await allow(true);
    expect(await statusFor('http://receiver.example/hook')).toBe(202);
    expect(await statusFor('http://127.0.0.1/hook')).toBe(400);
    await allow(false);
    expect(await statusFor('http://receiver.example/hook')).toBe(400);
  });

  const FILE = `data:text/plain;base64,${Buffer.from('A stranger pays for this.').toString('base64')}`;
  test.each([
    ['extract/doc', { file: FILE, webhookUrl: 'http://receiver.example/hook' }, 'webhookUrl'],
    ['extract/doc', { file: FILE, webhookUrl: 'https://0x7f.1/hook' }, 'webhookUrl'],
    ['crawl', { url: 'https://site.example/', notify: { url: 'https://[64:ff9b::a00:1]/hook' } }, 'notify.url'],
    ['webhooks', { url: 'http://receiver.example/hook' }, 'url'],
  ])('what a stranger pays for is refused before it is charged: %s with %o', async (operation, body, path) => {
    const unpaid = await call<{ accepts: object[] }>(appliance.anonymous, 'POST', `/v1/${operation}`, body);
    expect(unpaid.status).toBe(402);
    const [entry] = unpaid.json.accepts;
    const { json } = await call<{ payload: string }>(appliance.anonymous, 'POST', '/facilitator/pay', entry);
    const paid = { 'x-payment': json.payload };
    const refused = await call<Body>(appliance.anonymous, 'POST', `/v1/${operation}`, body, paid);
    expect([refused.status, refused.json.errors?.[0]?.path]).toEqual([400, path]);
    const ledger = await owner<{ payments: { status: string }[] }>('GET', '/admin/payments');
    expect(ledger.json.payments.filter(({ status }) => status === 'settled')).toEqual([]);
  });

  test('without a sign-in nobody sees, changes or deletes webhooks', async () => {
    for (const [method, path] of [
      ['GET', '/v1/webhooks'],
      ['GET', '/v1/webhooks/whk_x'],
      ['PATCH', '/v1/webhooks/whk_x'],
      ['DELETE', '/v1/webhooks/whk_x'],
      ['GET', '/admin/deliveries'],
      ['GET', '/admin/inboxes'],
    ] as const) {
      const body = method === 'PATCH' ? {} : undefined;
      expect((await anonymous(method, path, body)).status, `${method} ${path}`).toBe(401);
    }
  });

  test('an unknown job, webhook, delivery or inbox is 404', async () => {
    expect((await anonymous('POST', '/v1/jobs/job_x/webhooks', { url: HOOK })).status).toBe(404);
    expect((await owner('PATCH', '/v1/webhooks/whk_x', { status: 'paused' })).status).toBe(404);
    expect((await owner('GET', '/admin/deliveries/dlv_x')).status).toBe(404);
    expect((await anonymous('POST', '/inbox/inb_x', {})).status).toBe(404);
    expect((await owner('POST', '/admin/redeliveries/sel_x/apply', {})).status).toBe(404);
  });

  test('a behaviour of the inbox that there is not is refused with those that there are', async () => {
    const refused = await owner('POST', '/admin/inboxes', { behaviour: { mode: 'explode' } });
    const errors = [{ path: 'behaviour.mode', message: 'Give one of: accept, status, timeout, slow.' }];
    expect(refused).toMatchObject({ status: 400, json: { errors } });
  });

  test('a job takes twenty webhooks for nothing, and says so', async () => {
    const job = await runJob();
    for (let index = 0; index < 20; index += 1) {
      expect(
        (await anonymous('POST', `/v1/jobs/${job.jobId}/webhooks`, { url: `${HOOK}/${index}`, events: FAILURES }))
          .status,
      ).toBe(202);
    }
    const refused = await anonymous('POST', `/v1/jobs/${job.jobId}/webhooks`, { url: `${HOOK}/20`, events: FAILURES });
    expect(refused).toMatchObject({ status: 409, json: { code: 'conflict' } });
  });

  test('of 1,000 webhooks an account gets 100, then a clear refusal and no job', async () => {
    let accepted = 0;
    let refusal: { status: number; json: { detail: string } } | null = null;
    for (let index = 0; index < 1000 && refusal === null; index += 1) {
      const answer = await owner('POST', '/v1/webhooks', { url: `${HOOK}/${index}`, events: FAILURES });
      if (answer.status === 202) accepted += 1;
      else refusal = answer;
    }
    expect(accepted).toBe(100);
    expect(refusal).toMatchObject({ status: 409, json: { detail: expect.stringContaining('100 webhooks') } });
    await until(async () => (await owner<unknown[]>('GET', '/v1/webhooks')).json.length === 100);
  });
});

test('the owner holds and removes what somebody else has registered, and changes nothing else of it', async () => {
  const body = { url: HOOK, events: FAILURES };
  const { json: unpaid } = await call<{ accepts: object[] }>(appliance.anonymous, 'POST', '/v1/webhooks', body);
  const { json: paid } = await call<{ payload: string }>(
    appliance.anonymous,
    'POST',
    '/facilitator/pay',
    unpaid.accepts[0],
  );
  const headers = { 'x-payment': paid.payload, prefer: 'wait=60' };
  const { json: job } = await call<Body>(appliance.anonymous, 'POST', '/v1/webhooks', body, headers);
  const path = `/v1/webhooks/${job.result.webhook.webhookId}`;
  expect((await owner('PATCH', path, { status: 'paused' })).json).toMatchObject({ status: 'paused', url: HOOK });
  expect((await owner('PATCH', path, { status: 'active', url: 'https://thief.example/' })).status).toBe(403);
  expect((await owner('PATCH', path, { secret: SECRET })).status).toBe(403);
  expect((await owner('GET', path)).json).toMatchObject({ status: 'paused', url: HOOK, hasSecret: false });
  const listed = (await owner<WebhookBody[]>('GET', '/v1/webhooks')).json;
  expect(listed.map(({ webhookId }) => webhookId)).not.toContain(job.result.webhook.webhookId);
  expect((await owner('DELETE', path)).status).toBe(204);
  expect((await owner('GET', path)).status).toBe(404);
});
