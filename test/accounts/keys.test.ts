import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS, OWNER_ROUTES, PUBLIC_ROUTES, SCOPED_ADDRESSES } from '../../src-server/features.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';

interface Key {
  keyId: string;
  key: string;
}

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const json = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

async function make(name: string, scopes: string[], more: Record<string, unknown> = {}): Promise<Key> {
  const answer = await appliance.owner('/admin/keys', json('POST', { name, scopes, ...more }));
  expect(answer.status, await answer.clone().text()).toBe(201);
  return (await answer.json()) as Key;
}

const as =
  ({ key }: Pick<Key, 'key'>) =>
  (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${key}`);
    return appliance.anonymous(path, { ...init, headers });
  };

interface Address {
  method: string;
  path: string;
  scope: 'environment' | 'owner' | 'origin' | 'other';
  isOpen: boolean;
}

/** Every address of the server, from the declarations that the OpenAPI documents are made of. */
function addresses(): Address[] {
  const operations = OPERATIONS.map(({ id }) => ({ method: 'post', path: `/${id}`, scope: 'environment', auth: '' }));
  const declared = [...operations, ...PUBLIC_ROUTES, ...OWNER_ROUTES].flatMap(({ method, path, scope, auth }) => {
    const bases = { environment: ['/v1', '/staging/v1'], owner: ['/admin'], origin: [''] }[scope as 'owner'];
    const isOpen = scope === 'origin' || (auth === 'none' && (method === 'get' || path.endsWith('/chunks')));
    return bases.map((base) => ({ method: method.toUpperCase(), path: base + path, scope, isOpen }));
  });
  const others = SCOPED_ADDRESSES.map(({ method, path, keyScope }) => {
    // Jobs by their ids, as under /v1.
    const isOpen = method === 'GET' && keyScope === 'none' && path !== '/mcp';
    return { method, path, scope: 'other', isOpen };
  });
  return [...declared, ...others].map((one) => ({
    ...one,
    path: one.path.replaceAll(/\{\w+\}|:\w+(\{[^}]*\})?/g, 'x1'),
  })) as Address[];
}

/** What only the owner token may do. */
const OWNER_ALONE = [
  /\/admin\/keys/,
  /\/admin\/sessions/,
  /\/admin\/devices/,
  /\/admin\/sign-in-codes$/,
  /^PUT \/admin\/settlement$/,
  /\/admin\/folders/,
  /\/admin\/library/,
  /\/admin\/fleet/,
];

/** What any right to run opens: tools, and the jobs of the key. */
const OWN_JOBS =
  '\\w+ /mcp|DELETE /firecrawl/v[12]/crawl/x1|DELETE (/staging)?/v1/(batches|jobs)/x1|' +
  'POST (/staging)?/v1/(batches(/x1/retry)?|jobs/(bulk|x1/webhooks))';

/** What each scope opens beyond what is open to everybody. A new address is refused until it is named here. */
const OPENS: Readonly<Record<string, RegExp>> = {
  read: new RegExp(
    `^(GET ((/staging)?/v1/(?!library/feeds)|/((metrics|version)$|openai/v1/mo|ollama|tika))|` +
      String.raw`POST ((/staging)?/v1/library/export|((/staging)?/v1|/firecrawl/v[12])/search|/o.*/(embed\w*|show))$|` +
      String.raw`\w+ /mcp$)`,
  ),
  write: /^((POST|PATCH|PUT|DELETE) (\/staging)?\/v1\/library\/(?!export|feeds)|\w+ \/mcp$)/,
  'run:search': new RegExp(`^(POST (/staging)?/v1/search|${OWN_JOBS})$`),
  'run:crawl': new RegExp(`^(POST ((/staging)?/v1/crawl|/firecrawl/v[12]/(crawl|scrape|map))|${OWN_JOBS})$`),
};

describe('a named key', () => {
  test.each(Object.entries(OPENS))('with the scope %s alone is refused everything else', async (scope, opened) => {
    const key = as(await make(`only ${scope}`, [scope]));
    const wrong: string[] = [];
    for (const { method, path, isOpen } of addresses()) {
      const address = `${method} ${path}`;
      const mayPass = isOpen || opened.test(address);
      // Where it may pass, an empty body is refused, so nothing is done.
      const left = new AbortController();
      const answer = await key(path, { ...(method === 'GET' ? {} : json(method, {})), signal: left.signal });
      const refused = answer.status === 403;
      left.abort();
      if (!isOpen && refused === mayPass) wrong.push(`${address}: ${answer.status}`);
    }
    expect(wrong).toEqual([]);
  });

  test('with the scope admin can do what the owner can, but what opens doors, watches folders or moves money', async () => {
    const key = as(await make('an admin', ['admin']));
    for (const { method, path, scope } of addresses()) {
      if (scope !== 'owner') continue;
      const isOwnerAlone = OWNER_ALONE.some((pattern) => pattern.test(`${method} ${path}`));
      if (!isOwnerAlone && method !== 'GET') continue;
      const left = new AbortController();
      const answer = await key(path, { ...(method === 'GET' ? {} : json(method, {})), signal: left.signal });
      left.abort();
      expect(answer.status === 403, `${method} ${path}: ${answer.status}`).toBe(isOwnerAlone);
    }
    expect((await key('/admin/nothing-here')).status).toBe(404);
  });

  test('is taken as the password of Basic and as X-Api-Key too; the owner token is not', async () => {
    const { key } = await make('a loader', ['read']);
    const status = async (headers: Record<string, string>) => (await appliance.anonymous('/tika', { headers })).status;
    const basic = (password: string) => ({ authorization: `Basic ${btoa(`any:${password}`)}` });
    expect(await status(basic(key))).toBe(200);
    expect(await status({ 'x-api-key': key })).toBe(200);
    expect(await status(basic(appliance.ownerToken))).toBe(401);
    expect(await status({ 'x-api-key': appliance.ownerToken })).toBe(401);
    expect(await status(basic('qk_wrong'))).toBe(401);
    expect(await status({ authorization: 'Bearer wrong', 'x-api-key': key })).toBe(401);
  });

  test('names the scope that it lacks', async () => {
    const key = as(await make('a reader', ['read']));
    const answer = await key('/v1/crawl', json('POST', { url: 'https://harbour.example/' }));
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 'forbidden', detail: expect.stringContaining('run:crawl') });
    const raising = await key('/admin/keys', json('POST', { name: 'raised', scopes: ['admin'] }));
    expect(raising.status).toBe(403);
  });

  test('runs its operation without payment; its jobs show its name, and it changes no others', async () => {
    const maker = await make('Narrator', ['run:generate/audio']);
    const key = as(maker);
    const submit = json('POST', { prompt: 'The tide turns at noon.', voice: 'clara', durationSeconds: 1 });
    const made = (await (await key('/v1/generate/audio', submit)).json()) as { jobId: string };
    const own = (await (await appliance.owner('/v1/generate/audio', submit)).json()) as { jobId: string };
    const record = await (await appliance.owner(`/admin/jobs/${made.jobId}`)).json();
    expect(record).toMatchObject({ accountId: 'owner', keyName: 'Narrator' });
    const list = (await (await appliance.owner('/admin/jobs')).json()) as {
      jobs: { jobId: string; keyName: string }[];
    };
    expect(list.jobs.map(({ jobId, keyName }) => [jobId, keyName])).toEqual([
      [own.jobId, null],
      [made.jobId, 'Narrator'],
    ]);
    expect((await key(`/v1/jobs/${own.jobId}`, { method: 'DELETE' })).status).toBe(403);
    expect((await appliance.owner(`/v1/jobs/${own.jobId}`)).status).toBe(200);
    expect((await key(`/v1/jobs/${made.jobId}`, { method: 'DELETE' })).status).toBe(204);
  });

  test('is refused beyond its limits, while the owner is not', async () => {
    const key = as(await make('limited', ['read', 'run:crawl'], { requestsPerMinute: 3, openJobs: 1 }));
    const statuses = [];
    for (let count = 0; count < 5; count += 1) statuses.push((await key('/v1/jobs')).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect((await appliance.owner('/v1/jobs')).status).toBe(200);
  });

  test('ends when it expires or is revoked, also for open streams, and its guesses are counted', async () => {
    const until = new Date(appliance.clock.now() + 3_600_000).toISOString();
    const short = await make('short', ['admin'], { expiresAt: until });
    expect((await as(short)('/admin/overview')).status).toBe(200);
    appliance.clock.advance(3_600_000);
    expect((await as(short)('/admin/overview')).status).toBe(401);

    const revoked = await make('revoked', ['admin']);
    const stream = await as(revoked)('/admin/events');
    expect(stream.status).toBe(200);
    const reading = stream.text().then(
      () => 'ended',
      () => 'ended',
    );
    expect((await appliance.owner(`/admin/keys/${revoked.keyId}`, { method: 'DELETE' })).status).toBe(204);
    expect(await reading).toBe('ended');
    expect((await as(revoked)('/v1/jobs')).status).toBe(401);
    const statuses = new Set<number>();
    for (let guess = 0; guess < 605; guess += 1) statuses.add((await as({ key: `qk_${guess}` })('/v1/jobs')).status);
    expect([...statuses].sort()).toEqual([401, 429]);
  });

  test('survives a restart, and its secret is in no list and not in the database', async () => {
    const key = await make('lasting', ['read']);
    await appliance.restart();
    expect((await as(key)('/v1/jobs')).status).toBe(200);
    const list = await (await appliance.owner('/admin/keys')).text();
    expect(list).toContain('lasting');
    expect(list).not.toContain(key.key);
  });

  test.each([
    ['name', { name: 'x'.repeat(10_000), scopes: ['read'] }],
    ['name', { name: ' ', scopes: ['read'] }],
    ['scopes', { name: 'a', scopes: [] }],
    ['scopes.0', { name: 'a', scopes: ['root'] }],
    ['scopes.1', { name: 'a', scopes: ['read', 'run:teleport'] }],
    ['expiresAt', { name: 'a', scopes: ['read'], expiresAt: '2001-01-01T00:00:00Z' }],
    ['requestsPerMinute', { name: 'a', scopes: ['read'], requestsPerMinute: 0 }],
  ])('is not made with a wrong %s', async (field, body) => {
    const answer = await appliance.owner('/admin/keys', json('POST', body));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ path: field }] });
  });

  test('has a name of its own', async () => {
    await make('twice', ['read']);
    expect((await appliance.owner('/admin/keys', json('POST', { name: 'twice', scopes: ['read'] }))).status).toBe(409);
  });
});
