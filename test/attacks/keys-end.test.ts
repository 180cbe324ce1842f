/**
 * A key ends completely, and is judged by effect: a webhook for all jobs reads them, so it needs `read`; a key changes
 * only what it made; and what it made names it, and pauses when it ends.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Appliance, type Client, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

let appliance: Appliance;
let site: LocalSite;
/** Requests that the site received, as path and body. */
const calls: { path: string; body: string }[] = [];

beforeAll(async () => {
  appliance = await startAppliance();
  site = await serveWith(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    const path = request.url ?? '';
    calls.push({ path, body });
    if (path.startsWith('/held')) return;
    if (path === '/feed') {
      const item = `<item><guid>1</guid><link>${site.url}/entry</link></item>`;
      response.writeHead(200, { 'content-type': 'application/rss+xml' });
      return void response.end(`<rss version="2.0"><channel>${item}</channel></rss>`);
    }
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>T</title><p>The text of ${path}.</p>`);
  });
});
beforeEach(() => {
  calls.length = 0;
});
afterAll(async () => {
  await appliance.close();
  await site[Symbol.asyncDispose]();
});

interface Key {
  keyId: string;
  as: Client;
}

const json = (method: string, body: object): RequestInit => ({ ...postJson(body), method });

async function keyWith(name: string, scopes: string[], more: object = {}): Promise<Key> {
  const answer = await appliance.owner('/admin/keys', postJson({ name, scopes, ...more }));
  expect(answer.status).toBe(201);
  const { keyId, key } = (await answer.json()) as { keyId: string; key: string };
  const as: Client = (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${key}`);
    return appliance.anonymous(path, { ...init, headers });
  };
  return { keyId, as };
}

const revoke = async ({ keyId }: Key) =>
  expect((await appliance.owner(`/admin/keys/${keyId}`, { method: 'DELETE' })).status).toBe(204);

async function webhookOf(client: Client, path: string, body: object = {}): Promise<string> {
  const answer = await client('/v1/webhooks', postJson({ url: site.url + path, ...body }));
  const { jobId } = (await answer.json()) as { jobId: string };
  expect(answer.status).toBe(202);
  const { result } = await finished(appliance.owner, jobId);
  return (result as { webhook: { webhookId: string } }).webhook.webhookId;
}

async function read<Body = Record<string, unknown>>(path: string, client: Client = appliance.owner): Promise<Body> {
  const answer = await client(path);
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as Body;
}

/** Reads a text as the owner, which ends one job. */
async function endJob(words: string, client: Client = appliance.owner, more: object = {}): Promise<void> {
  const file = `data:text/plain;base64,${Buffer.from(words).toString('base64')}`;
  const { jobId } = (await (await client('/v1/extract/doc', postJson({ file, ...more }))).json()) as { jobId: string };
  await finished(appliance.owner, jobId);
}

const heard = (path: string, words: string) => calls.some((call) => call.path === path && call.body.includes(words));

/** The queue looks again within a minute, and deliveries to the owner's own webhook show that it has looked. */
async function settled(words: string): Promise<void> {
  appliance.clock.advance(61_000);
  await endJob(`${words} again`);
  await until(() => heard('/owner', `${words} again`));
}

const refused = async (answer: Response, words: string) => {
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining(words)]);
};

test('a webhook for all jobs needs read, alerts included', async () => {
  const hooks = await keyWith('hooks', ['run:webhooks']);
  const runs = await keyWith('runs', ['run']);
  for (const { as } of [hooks, runs]) {
    await refused(await as('/v1/webhooks', postJson({ url: `${site.url}/key` })), 'read');
    await refused(await as('/v1/webhooks', postJson({ url: `${site.url}/key`, events: ['alert.raised'] })), 'read');
  }
  expect(await read('/v1/webhooks')).toEqual([]);
});

test('a key changes and deletes only its own webhooks', async () => {
  const owners = await webhookOf(appliance.owner, '/owners');
  const key = await keyWith('reads and hooks', ['read', 'run:webhooks', 'private-network']);
  const admin = await keyWith('admin', ['admin', 'private-network']);
  const change = (client: Client, id: string, body: object) => client(`/v1/webhooks/${id}`, json('PATCH', body));
  for (const { as } of [key, admin]) {
    await refused(await change(as, owners, { url: `${site.url}/stolen` }), 'only what it made');
    await refused(await change(as, owners, { secret: 'another secret of some length' }), 'only what it made');
    await refused(await change(as, owners, { events: ['alert.raised'] }), 'only what it made');
  }
  await refused(await key.as(`/v1/webhooks/${owners}`, { method: 'DELETE' }), 'only what it made');
  await refused(await change(key.as, owners, { status: 'paused' }), 'only what it made');
  expect((await change(admin.as, owners, { status: 'paused' })).status).toBe(200);

  // The same address makes another webhook: the owner's stays as it is.
  const own = await webhookOf(key.as, '/owners', { events: ['alert.raised'] });
  expect(own).not.toBe(owners);
  expect(await read(`/v1/webhooks/${owners}`)).toMatchObject({
    status: 'paused',
    events: ['job.completed', 'job.failed'],
  });
  expect(await read(`/v1/webhooks/${own}`)).toMatchObject({ keyId: key.keyId, keyName: 'reads and hooks' });
  expect((await change(key.as, own, { events: ['completed'] })).status).toBe(200);
  const blind = await keyWith('hooks, not read', ['run:webhooks']);
  await refused(await change(blind.as, own, { status: 'active' }), 'read');
  expect((await key.as(`/v1/webhooks/${own}`, { method: 'DELETE' })).status).toBe(204);
  expect((await appliance.owner(`/v1/webhooks/${owners}`, { method: 'DELETE' })).status).toBe(204);
});

test.each([
  ['is revoked', (key: Key) => revoke(key)],
  ['expires', async () => appliance.clock.advance(3_700_000)],
  [
    'loses the right to read',
    async ({ keyId }: Key) => void (await appliance.owner(`/admin/keys/${keyId}`, json('PATCH', { scopes: ['run'] }))),
  ],
])('the webhooks of a key that %s pause, until the owner takes them over', async (how, end) => {
  const mine = await webhookOf(appliance.owner, '/owner');
  const expiresAt = new Date(appliance.clock.now() + 3_600_000).toISOString();
  const key = await keyWith(`key that ${how}`, ['read', 'run', 'private-network'], { expiresAt });
  const id = await webhookOf(key.as, '/key');
  await endJob('words before');
  await until(() => heard('/key', 'words before'));
  await end(key);
  await endJob('words after');
  await settled('words after');
  expect(heard('/key', 'words after')).toBe(false);
  const notice = expect.stringContaining(`key that ${how}`);
  expect(await read(`/v1/webhooks/${id}`)).toMatchObject({ status: 'paused', keyId: key.keyId, notice });
  const resumed = await appliance.owner(`/v1/webhooks/${id}`, json('PATCH', { status: 'active' }));
  const webhook = await resumed.json();
  expect(webhook).toMatchObject({ status: 'active' });
  expect(webhook).not.toHaveProperty('keyId');
  await until(() => heard('/key', 'words after again'));
  for (const one of [id, mine]) await appliance.owner(`/v1/webhooks/${one}`, { method: 'DELETE' });
});

test('the webhooks of single jobs pause with their key too', async () => {
  const mine = await webhookOf(appliance.owner, '/owner');
  const key = await keyWith('asks for calls', ['run', 'private-network']);
  const held = await key.as(
    '/v1/extract/doc',
    postJson({ sourceUrl: `${site.url}/held/job`, webhookUrl: `${site.url}/one` }),
  );
  const { jobId } = (await held.json()) as { jobId: string };
  await endJob('heard', key.as, { webhookUrl: `${site.url}/one` });
  await until(() => heard('/one', 'heard'));
  await revoke(key);
  await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' });
  calls.length = 0;
  await settled('cancelled');
  expect(calls.some(({ path }) => path === '/one')).toBe(false);
  await appliance.owner(`/v1/webhooks/${mine}`, { method: 'DELETE' });
});

const SCHEDULE = { everyMinutes: 5 };

test('watches and feeds of a key name it and pause when it ends; the owner resumes them', async () => {
  const key = await keyWith('watches', ['admin', 'private-network']);
  const other = await keyWith('another admin', ['admin']);
  const crawl = { url: `${site.url}/watched`, depth: 0 };
  const recipe = { operation: 'extract/doc' };
  const places = [
    { path: '/admin/watches', id: 'watchId', made: { crawl, schedule: SCHEDULE }, other: { crawl }, asked: '/watched' },
    {
      path: '/admin/feeds',
      id: 'feedId',
      made: { url: `${site.url}/feed`, recipe, schedule: SCHEDULE },
      other: { recipe },
      asked: '/feed',
    },
  ];
  const paths: string[] = [];
  for (const place of places) {
    const made = (await (await key.as(place.path, postJson(place.made))).json()) as Record<string, string>;
    expect(made).toMatchObject({ status: 'active', keyId: key.keyId, keyName: 'watches' });
    const path = `${place.path}/${made[place.id]}`;
    paths.push(path);
    await until(() => calls.some((call) => call.path === place.asked));
    await refused(await other.as(path, json('PATCH', place.other)), 'only what it made');
  }
  await until(async () => (await read<{ lastRun: { status: string } }>(paths[0] ?? '')).lastRun.status === 'completed');
  await until(async () => (await read<{ counts: { completed: number } }>(paths[1] ?? '')).counts.completed === 1);
  const changed = { ...crawl, depth: 1 };
  expect((await key.as(paths[0] ?? '', json('PATCH', { crawl: changed }))).status).toBe(200);
  await revoke(key);
  calls.length = 0;
  appliance.clock.advance(1_800_000);
  // An active watch of the owner that is due later shows that the others were passed over.
  const { watchId } = (await (
    await appliance.owner(
      '/admin/watches',
      postJson({ crawl: { ...crawl, url: `${site.url}/mine` }, schedule: SCHEDULE }),
    )
  ).json()) as { watchId: string };
  await until(
    async () =>
      (await read<{ lastRun: { status: string } | null }>(`/admin/watches/${watchId}`)).lastRun?.status === 'completed',
  );
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(calls.map(({ path }) => path).filter((path) => path === '/watched' || path === '/feed')).toEqual([]);
  for (const [index, path] of paths.entries()) {
    expect(await read(path)).toMatchObject({
      status: 'paused',
      nextRunAt: null,
      notice: expect.stringContaining('watches'),
    });
    const resumed = await (await appliance.owner(path, json('PATCH', { status: 'active' }))).json();
    expect(resumed).toMatchObject({ status: 'active' });
    expect(resumed).not.toHaveProperty('keyId');
    await until(() => calls.some((call) => call.path === places[index]?.asked));
  }
});

test('watches and feeds of a key without private-network reach no private host', async () => {
  const { as } = await keyWith('admin only', ['admin']);
  const feed = { url: `${site.url}/feed`, recipe: { operation: 'extract/doc' }, schedule: SCHEDULE };
  const { feedId } = (await (await as('/admin/feeds', postJson(feed))).json()) as { feedId: string };
  await until(async () => (await read<{ error: string | null }>(`/admin/feeds/${feedId}`)).error !== null);
  const watch = { crawl: { url: `${site.url}/inside`, depth: 0 }, schedule: SCHEDULE };
  const { watchId } = (await (await as('/admin/watches', postJson(watch))).json()) as { watchId: string };
  type Watched = { lastRun: { status: string } | null };
  await until(async () => (await read<Watched>(`/admin/watches/${watchId}`)).lastRun?.status === 'failed');
  expect(calls).toEqual([]);
});

test('no more jobs of a key are open than it may have, when it asks for many at once', async () => {
  const { as } = await keyWith('two at a time', ['run', 'private-network'], { openJobs: 2 });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      as('/v1/extract/doc', postJson({ sourceUrl: `${site.url}/held/${index}` })),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([202, 202, ...Array.from({ length: 18 }, () => 429)]);
});
