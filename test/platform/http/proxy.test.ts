import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrustedProxies } from '../../../src-server/platform/net/trusted-proxies.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { startProxy } from '../../harness/reverse-proxy.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance({ joined: false });
});
afterAll(() => appliance.close());

const JSON_TYPE = { 'content-type': 'application/json' };

async function changeSettings(change: object): Promise<void> {
  const body = JSON.stringify(change);
  const answer = await appliance.owner('/admin/settings', { method: 'PATCH', headers: JSON_TYPE, body });
  expect(answer.status, await answer.text()).toBe(200);
}

const asOwner = () => ({ authorization: `Bearer ${appliance.ownerToken}` });

describe('behind a proxy', () => {
  test('a foreign Host is refused with what to set, and taken once it is set', async () => {
    await changeSettings({ publicUrl: null });
    await using proxy = await startProxy({ target: appliance.url });
    const refused = await fetch(`${proxy.url}/health`);
    expect(refused.status).toBe(403);
    const { detail } = (await refused.json()) as { detail: string };
    expect(detail).toContain('QUARRY_PUBLIC_URL');
    expect(detail).toContain('Settings');
    await changeSettings({ publicUrl: proxy.url });
    expect((await fetch(`${proxy.url}/health`)).status).toBe(200);
    expect((await fetch(`${proxy.url}/health`, { headers: { origin: new URL(proxy.url).origin } })).status).toBe(200);
  });

  test.each([
    ['passes path and Host on', {}],
    ['strips the path', { strips: true }],
    ['sends its own Host', { keepsHost: false }],
    ['strips the path and sends its own Host', { strips: true, keepsHost: false }],
  ])('below a path, that %s: jobs, events, sign-in', async (_how, how) => {
    await using proxy = await startProxy({ target: appliance.url, path: '/tools/quarry', ...how });
    await changeSettings({ publicUrl: `${proxy.url}/` });
    const form = new FormData();
    form.append('file', new Blob(['The tide turned at noon.']), 'tide.txt');
    const headers = { ...asOwner(), prefer: 'wait=30' };
    const made = await fetch(`${proxy.url}/v1/extract/doc`, { method: 'POST', headers, body: form });
    expect(made.status).toBe(202);
    const { statusUrl } = (await made.json()) as { statusUrl: string };
    expect(statusUrl).toMatch(`${proxy.url}/v1/jobs/job_`);
    const job = await fetch(statusUrl, { headers: asOwner() });
    expect(await job.text()).toContain('The tide turned at noon.');
    const events = await fetch(`${statusUrl}/events`, { headers: asOwner() });
    expect(await events.text()).toContain('event: job');
    const api = (await (await fetch(`${proxy.url}/openapi.json`)).json()) as { servers: { url: string }[] };
    expect(api.servers[0]?.url).toBe(`${proxy.url}/v1`);
    const body = JSON.stringify({ token: appliance.ownerToken });
    const signedIn = await fetch(`${proxy.url}/login`, { method: 'POST', headers: JSON_TYPE, body });
    expect(signedIn.headers.getSetCookie().at(-1)).toContain('Path=/tools/quarry;');
    const guides = await (await fetch(`${proxy.url}/reference/guides/getting-started`)).text();
    expect(guides).toContain('href="/tools/quarry/reference/style.css"');
    // The listening address goes on working.
    expect((await appliance.owner('/v1/jobs')).status).toBe(200);
  });

  test.each(['https://quarry.example/v1', 'https://quarry.example/admin/x'])('%s is no public address', async (url) => {
    const body = JSON.stringify({ publicUrl: url });
    expect((await appliance.owner('/admin/settings', { method: 'PATCH', headers: JSON_TYPE, body })).status).toBe(400);
  });

  test('QUARRY_PUBLIC_URL wins over the setting, which then cannot be changed', async () => {
    const publicUrl = 'https://home.lan/quarry';
    await using fixed = await startAppliance({ publicUrl, joined: false });
    const read = (await (await fixed.owner('/admin/settings')).json()) as { publicUrl: string };
    expect(read.publicUrl).toBe(publicUrl);
    const change = (value: string) =>
      fixed.owner('/admin/settings', {
        method: 'PATCH',
        headers: JSON_TYPE,
        body: JSON.stringify({ publicUrl: value }),
      });
    const refused = await change('https://other.lan');
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('QUARRY_PUBLIC_URL');
    expect((await change(publicUrl)).status).toBe(200);
  });
});

describe('clients behind a trusted proxy', () => {
  const remaining = async (url: string, headers: Record<string, string> = {}): Promise<number> => {
    const answer = await fetch(`${url}/v1/voices`, { headers });
    await answer.body?.cancel();
    return Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
  };

  test('have limits of their own, and cannot choose another address', async () => {
    await using one = await startProxy({ target: appliance.url, keepsHost: false, clientAddress: '203.0.113.1' });
    await using two = await startProxy({ target: appliance.url, keepsHost: false, clientAddress: '203.0.113.2' });
    await changeSettings({ publicUrl: null, trustedProxies: ['127.0.0.1'] });
    const first = await remaining(one.url);
    expect(await remaining(one.url)).toBe(first - 1);
    expect(await remaining(two.url)).toBe(first);
    expect(await remaining(one.url, { 'x-forwarded-for': '203.0.113.77' })).toBe(first - 2);
    // Which of the two headers the proxy wrote is not known: callers who send the other share one limit.
    const liars = await remaining(one.url, { forwarded: 'for=203.0.113.78' });
    expect(await remaining(two.url, { forwarded: 'for=203.0.113.79' })).toBe(liars - 1);
  });

  test('share one limit while no proxy is trusted', async () => {
    await changeSettings({ trustedProxies: ['10.0.0.0/8'] });
    const before = await remaining(appliance.url);
    expect(await remaining(appliance.url, { 'x-forwarded-for': '203.0.113.50' })).toBe(before - 1);
  });

  test.each(['localhost', '10.0.0.0/33', '10.0.0', ''])('%j is no proxy', async (entry) => {
    const body = JSON.stringify({ trustedProxies: [entry] });
    expect((await appliance.owner('/admin/settings', { method: 'PATCH', headers: JSON_TYPE, body })).status).toBe(400);
  });

  const trusted = ['10.0.0.0/8', '127.0.0.1', 'fd00::/8'];
  const addressOf = (remoteAddress: string, headers: Record<string, string>) =>
    new TrustedProxies(() => trusted).clientAddress({ socket: { remoteAddress }, headers });
  test.each([
    ['no header', '10.0.0.1', {}, '10.0.0.1'],
    ['another peer', '192.0.2.1', { 'x-forwarded-for': '203.0.113.1' }, '192.0.2.1'],
    ['the last address', '10.0.0.1', { 'x-forwarded-for': '198.51.100.1, 203.0.113.1' }, '203.0.113.1'],
    ['several proxies', '::ffff:10.0.0.1', { 'x-forwarded-for': '203.0.113.1, 10.2.3.4,127.0.0.1' }, '203.0.113.1'],
    ['only proxies', '10.0.0.1', { 'x-forwarded-for': '10.9.9.9, 10.8.8.8' }, '10.9.9.9'],
    ['a port', '10.0.0.1', { 'x-forwarded-for': '203.0.113.1:4711' }, '203.0.113.1'],
    ['IPv6 with a port', 'fd00::1', { 'x-forwarded-for': '[2001:db8::7]:4711' }, '2001:db8::7'],
    [
      'an address of the client before no address',
      '10.0.0.1',
      { 'x-forwarded-for': '203.0.113.1, nobody' },
      '10.0.0.1',
    ],
    ['Forwarded', '10.0.0.1', { forwarded: 'for=1.1.1.1, for="[2001:db8::7]:1";proto=https' }, '2001:db8::7'],
    ['a hidden client', '10.0.0.1', { forwarded: 'for=203.0.113.1, for=_hidden' }, '10.0.0.1'],
    ['both, different', '10.0.0.1', { forwarded: 'for=203.0.113.1', 'x-forwarded-for': '203.0.113.2' }, '10.0.0.1'],
    ['both, the same', '10.0.0.1', { forwarded: 'for=203.0.113.1', 'x-forwarded-for': '203.0.113.1' }, '203.0.113.1'],
  ])('%s', (_what, peer, headers, client) => {
    expect(addressOf(peer, headers)).toBe(client);
  });
});

describe('origins that the owner allows', () => {
  test.each([
    ['app://obsidian.md', 'app://obsidian.md'],
    ['chrome-extension://abcdefghijklmnopabcdefghijklmnop/', 'chrome-extension://abcdefghijklmnopabcdefghijklmnop'],
    ['moz-extension://4f2b2c0e-1f6c-4b6e-9d0c-9a8b7c6d5e4f', 'moz-extension://4f2b2c0e-1f6c-4b6e-9d0c-9a8b7c6d5e4f'],
    ['http://localhost:5173', 'http://localhost:5173'],
    ['tauri://localhost', 'tauri://localhost'],
  ])('%s', async (allowed, origin) => {
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-private-network': 'true' };
    const preflight = () => appliance.anonymous('/v1/jobs', { method: 'OPTIONS', headers: { origin, ...asked } });
    await changeSettings({ allowedOrigins: [] });
    expect((await preflight()).status).toBe(403);
    await changeSettings({ allowedOrigins: [allowed] });
    const answer = await preflight();
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-allow-private-network')).toBe('true');
    const listed = await appliance.owner('/v1/jobs', { headers: { origin } });
    expect(listed.status).toBe(200);
    expect(listed.headers.get('access-control-allow-origin')).toBe(origin);
    for (const other of ['null', `${origin}.evil`, 'app://evil.md', 'chrome-extension://pppp']) {
      expect((await appliance.owner('/v1/jobs', { headers: { origin: other } })).status).toBe(403);
    }
  });
});
