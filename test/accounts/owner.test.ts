import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const login = (token: string) =>
  appliance.anonymous('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });

describe('the owner', () => {
  test('is known by a token that only the owner of the files can read', async () => {
    const { mode } = await stat(join(appliance.dataDir, 'owner-token'));
    expect(mode & 0o777).toBe(0o600);
    expect(Buffer.from(appliance.ownerToken, 'base64url')).toHaveLength(32);
  });

  test('signs a browser in once; the cookie is HttpOnly and SameSite=Strict, and holds neither token nor secret', async () => {
    const answer = await login(appliance.ownerToken);
    expect(answer.status).toBe(200);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(new RegExp(`^quarry_session_${new URL(appliance.url).port}=`));
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Strict/);
    expect(cookie).toMatch(/; Max-Age=2592000/);
    const text = await answer.text();
    const { secret } = JSON.parse(text) as { secret: string };
    expect(text + cookie).not.toContain(appliance.ownerToken);
    expect(cookie).not.toContain(secret);
    const headers = { cookie: cookie.split(';')[0] ?? '', 'x-quarry-session': secret };
    expect((await appliance.anonymous('/admin/overview', { headers })).status).toBe(200);
  });

  test('cannot be guessed: another token signs nobody in', async () => {
    const answer = await login('guess');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  test.each(['/admin/overview', '/admin/settings'])('alone sees %s', async (path) => {
    expect((await appliance.anonymous(path)).status).toBe(401);
    expect((await appliance.owner(path)).status).toBe(200);
  });

  test.each([
    ['GET', '/admin/jobs?status=queued&status=failed', 'status'],
    ['GET', '/admin/payments?environment=staging&environment=production', 'environment'],
    ['GET', '/admin/accounts?limit=1&limit=2', 'limit'],
    ['GET', '/admin/inboxes?enviroment=staging', 'enviroment'],
    ['DELETE', '/admin/inboxes/nobody?enviroment=staging', 'enviroment'],
  ])('is told what a query says twice or misspells, and nothing is done: %s %s', async (method, path, field) => {
    const answer = await appliance.owner(path, { method });
    expect(await answer.json()).toMatchObject({ code: 'invalid_request', errors: [{ path: field }] });
  });

  test('reads queue figures, memory and disk', async () => {
    const overview = (await (await appliance.owner('/admin/overview')).json()) as Record<string, never>;
    expect(overview).toMatchObject({
      queues: [{ environment: 'production', byStatus: { queued: 0 } }, { environment: 'staging' }],
      pool: { threads: expect.any(Number), busy: 0, waiting: 0 },
    });
  });

  test('gives a public address that paths can be put behind, and no other', async () => {
    const patch = (publicUrl: string | null) =>
      appliance.owner('/admin/settings', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ publicUrl }),
      });
    for (const not of ['https://shop.example/?from=mail', 'https://shop.example/#top', 'https://me:pw@shop.example/']) {
      expect((await patch(not)).status, not).toBe(400);
    }
    expect((await patch('https://shop.example/quarry/')).status).toBe(200);
    const { servers } = (await (await appliance.anonymous('/openapi.json')).json()) as { servers: { url: string }[] };
    expect(servers[0]?.url).toBe('https://shop.example/quarry/v1');
    expect((await patch(null)).status).toBe(200);
  });

  test('changes a setting for good, and a wrong one not at all', async () => {
    const headers = { 'content-type': 'application/json' };
    const patch = (body: unknown) =>
      appliance.owner('/admin/settings', { method: 'PATCH', headers, body: JSON.stringify(body) });
    expect((await patch({ retentionHours: 23 })).status).toBe(400);
    expect(await (await patch({ retentionHours: 48 })).json()).toMatchObject({ retentionHours: 48, jsonLimitMb: 64 });
    await appliance.restart();
    expect(await (await appliance.owner('/admin/settings')).json()).toMatchObject({ retentionHours: 48 });
  });
});

describe('health', () => {
  test('says that the process lives and whether it can take work', async () => {
    expect(await (await appliance.anonymous('/health')).json()).toMatchObject({ status: 'ok' });
    const ready = await appliance.anonymous('/ready');
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ ready: true, checks: { database: { ok: true }, disk: { ok: true } } });
  });

  test('an unknown route is a 404 and a known one with another method a 405 with Allow', async () => {
    expect((await appliance.anonymous('/v1/nothing')).status).toBe(404);
    const wrong = await appliance.anonymous('/v1/extract/doc', { method: 'GET' });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('POST');
    const price = await appliance.owner('/admin/prices/extract/doc', { method: 'DELETE' });
    expect([price.status, price.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT']);
  });
});

describe('guessing the token', () => {
  test('is counted against the address, and ends in 429', async () => {
    await using guarded = await startAppliance();
    guarded.clock.stand();
    const guess = () => guarded.anonymous('/v1/jobs', { headers: { authorization: 'Bearer guess' } });
    const statuses: number[] = [];
    for (let n = 0; n < 61; n++)
      statuses.push(...(await Promise.all(Array.from({ length: 10 }, guess))).map((a) => a.status));
    expect(statuses.filter((status) => status === 401)).toHaveLength(600);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });
});
