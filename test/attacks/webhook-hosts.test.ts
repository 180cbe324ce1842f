/**
 * Server-side request forgery by webhooks: one that a key without `private-network` gave reaches no private host, as its
 * URL, by a redirect, or by a name; that of the owner reaches the host that it names, unless the name turns.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Appliance, type Client, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { postJson } from '../harness/text-models.ts';
import { openTwoNetworks, type TwoNetworks } from '../harness/two-networks.ts';
import { until } from '../harness/until.ts';

const hits: { inside: string[]; outside: string[] } = { inside: [], outside: [] };
let networks: TwoNetworks;
let appliance: Appliance;

beforeAll(async () => {
  networks = await openTwoNetworks(
    {
      inside: (request, response) => {
        hits.inside.push(request.url ?? '');
        response.end();
      },
      outside: (request, response) => {
        const path = request.url ?? '';
        hits.outside.push(path);
        if (path.startsWith('/redirect')) response.writeHead(307, { location: networks.insideUrl('/redirected') });
        response.end();
      },
    },
    1,
  );
  appliance = await startAppliance({ network: networks.network });
});
beforeEach(() => {
  hits.inside.length = 0;
  hits.outside.length = 0;
});
afterAll(async () => {
  await appliance.close();
  networks.close();
});

async function keyWith(scopes: readonly string[]): Promise<{ keyId: string; as: Client }> {
  const answer = await appliance.owner('/admin/keys', postJson({ name: crypto.randomUUID(), scopes }));
  const { keyId, key } = (await answer.json()) as { keyId: string; key: string };
  const as: Client = (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${key}`);
    return appliance.anonymous(path, { ...init, headers });
  };
  return { keyId, as };
}

const file = `data:text/plain;base64,${btoa('The words of a job.')}`;

async function read(client: Client, webhookUrl: string): Promise<Response> {
  return client('/v1/extract/doc', postJson({ file, webhookUrl }));
}

async function accepted(client: Client, webhookUrl: string): Promise<string> {
  const answer = await read(client, webhookUrl);
  expect(answer.status, await answer.clone().text()).toBeLessThan(300);
  const { jobId } = (await answer.json()) as { jobId: string };
  await finished(appliance.owner, jobId);
  return jobId;
}

interface LoggedDelivery {
  deliveryId: string;
  jobId: string;
  status: string;
  attempts: number;
}

async function deliveryOf(jobId: string): Promise<LoggedDelivery | undefined> {
  const answer = await appliance.owner('/admin/deliveries');
  return ((await answer.json()) as { deliveries: LoggedDelivery[] }).deliveries.find((one) => one.jobId === jobId);
}

/** Of a job's delivery: `delivered`, or the error class of its last attempt, once there are so many. */
async function outcomeOf(jobId: string, attempts = 1): Promise<string | null> {
  await until(async () => ((await deliveryOf(jobId))?.attempts ?? 0) >= attempts);
  const { deliveryId, status } = (await deliveryOf(jobId)) ?? {};
  if (status === 'delivered') return status;
  const answer = await appliance.owner(`/admin/deliveries/${deliveryId}`);
  return (
    ((await answer.json()) as { attemptLog: { errorClass: string | null }[] }).attemptLog.at(-1)?.errorClass ?? null
  );
}

const insideHosts = () => [
  networks.insideUrl('/hook'),
  networks.insideUrl('/hook', 'localhost'),
  networks.insideUrl('/hook', '[::ffff:127.0.0.1]'),
  networks.insideUrl('/hook', '2130706433'),
];

describe.each([
  ['run', ['run', 'read']],
  ['admin', ['admin']],
])('a webhook of a key with %s, without private-network', (_, scopes) => {
  test('is refused where its URL names a private host, on every way to give one', async () => {
    const { as } = await keyWith(scopes);
    const jobId = await accepted(as, 'https://pub.example/own');
    for (const url of insideHosts()) {
      const crawl = { url: 'http://pub.example/', depth: 0 };
      const schedule = { everyMinutes: 5 };
      const ways: [string, object][] = [
        ['/v1/extract/doc', { file, webhookUrl: url }],
        ['/v1/crawl', { ...crawl, notify: { url, events: ['completed'] } }],
        ['/v1/webhooks', { url }],
        [`/v1/jobs/${jobId}/webhooks`, { url }],
        ['/v1/batches', { operation: 'extract/doc', items: [{ sourceUrl: 'http://pub.example/' }], webhookUrl: url }],
      ];
      const admin: [string, object][] = [
        ['/admin/watches', { crawl, schedule, webhook: { url } }],
        [
          '/admin/feeds',
          { url: crawl.url, schedule, recipe: { operation: 'extract/doc', request: { webhookUrl: url } } },
        ],
      ];
      for (const [path, body] of [...ways, ...(scopes.includes('admin') ? admin : [])]) {
        const answer = await as(path, postJson(body));
        expect([path, answer.status]).toEqual([path, 400]);
        expect(await answer.text()).toContain('private-network');
      }
    }
    const made = await as('/v1/webhooks', postJson({ url: 'https://pub.example/mine' }));
    const { result } = await finished(appliance.owner, ((await made.json()) as { jobId: string }).jobId);
    const { webhookId } = (result as { webhook: { webhookId: string } }).webhook;
    const change = { ...postJson({ url: networks.insideUrl('/changed') }), method: 'PATCH' };
    expect((await as(`/v1/webhooks/${webhookId}`, change)).status).toBe(400);
    await appliance.owner(`/v1/webhooks/${webhookId}`, { method: 'DELETE' });
    expect(hits.inside).toEqual([]);
  });

  test('reaches none by a name or a redirect', async () => {
    const { as } = await keyWith(scopes);
    expect(await outcomeOf(await accepted(as, networks.insideUrl('/named', 'inside.example')))).toBe(
      'forbidden_target',
    );
    expect(await outcomeOf(await accepted(as, 'http://pub.example/redirect'))).toBe('redirect');
    expect(hits).toEqual({ inside: [], outside: ['/redirect'] });
  });
});

test('a key with private-network calls the private host that it names, until it loses the scope', async () => {
  const { keyId, as } = await keyWith(['run:extract/doc', 'private-network']);
  const jobId = await accepted(as, networks.insideUrl('/granted'));
  expect(await outcomeOf(jobId)).toBe('delivered');
  expect(hits.inside).toEqual(['/granted']);
  const change = { ...postJson({ scopes: ['run:extract/doc'] }), method: 'PATCH' };
  expect((await appliance.owner(`/admin/keys/${keyId}`, change)).status).toBe(200);
  const { deliveryId } = (await deliveryOf(jobId)) ?? {};
  expect((await appliance.owner(`/admin/deliveries/${deliveryId}/redeliver`, { method: 'POST' })).status).toBeLessThan(
    300,
  );
  expect(await outcomeOf(jobId, 2)).toBe('forbidden_target');
  expect(hits.inside).toEqual(['/granted']);
});

test('the owner calls a host inside by number and by name; a public name that turns to one is not followed', async () => {
  const turn = networks.insideUrl('/turned', 'turn.example');
  expect(await outcomeOf(await accepted(appliance.owner, networks.insideUrl('/number')))).toBe('delivered');
  expect(await outcomeOf(await accepted(appliance.owner, networks.insideUrl('/name', 'inside.example')))).toBe(
    'delivered',
  );
  expect(hits).toEqual({ inside: ['/number', '/name'], outside: [] });
  expect(await outcomeOf(await accepted(appliance.owner, turn))).toBe('delivered');
  expect(hits.outside).toEqual(['/turned']);
  // Deliveries reuse a connection for some seconds, which is the public one.
  await new Promise((resolve) => setTimeout(resolve, 5000));
  expect(await outcomeOf(await accepted(appliance.owner, turn))).toBe('forbidden_target');
  expect(hits.inside).toEqual(['/number', '/name']);
});
