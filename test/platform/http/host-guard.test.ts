import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

/** `fetch` sets Host by itself; the attack is exactly a Host of somebody else. */
function statusWith(headers: Record<string, string>, path = '/health', method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    const url = new URL(appliance.url + path);
    const sent = request({ host: url.hostname, port: url.port, path, method, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.once('error', reject);
    sent.end();
  });
}

describe('a foreign page cannot reach the appliance', () => {
  test.each([
    ['another site', 'evil.example'],
    ['another site with the right port', 'evil.example:PORT'],
    ['a name that begins like loopback', '127.0.0.1.evil.example:PORT'],
    ['the right host with another port', '127.0.0.1:1'],
    ['a path after the host', '127.0.0.1:PORT/evil.example'],
  ])('by DNS rebinding: %s', async (_what, host) => {
    const port = new URL(appliance.url).port;
    expect([400, 403]).toContain(await statusWith({ host: host.replace('PORT', port) }));
  });

  test.each(['localhost:PORT', '127.0.0.1:PORT', '[::1]:PORT'])('while %s is its own address', async (host) => {
    const port = new URL(appliance.url).port;
    expect(await statusWith({ host: host.replace('PORT', port) })).toBe(200);
  });

  test.each(['https://evil.example', 'null', 'http://127.0.0.1:1', 'http://evil.example:8402'])(
    'by a request from the origin %s',
    async (origin) => {
      expect(await statusWith({ host: new URL(appliance.url).host, origin })).toBe(403);
      expect(await statusWith({ host: new URL(appliance.url).host, origin }, '/v1/extract/doc', 'POST')).toBe(403);
    },
  );

  test.each(['http://203.0.113.5:PORT', 'http://192.168.7.7:PORT', 'http://[2001:db8::5]:PORT'])(
    'by a request from the same port of another machine: %s',
    async (from) => {
      const { host, port } = new URL(appliance.url);
      const origin = from.replace('PORT', port);
      expect(await statusWith({ host, origin })).toBe(403);
      expect(await statusWith({ host, origin }, '/v1/contributions', 'POST')).toBe(403);
    },
  );

  test.each([
    ['by the address they were asked for', '127.0.0.1:PORT', 'http://127.0.0.1:PORT'],
    ['by another address in the network', '192.168.7.7:PORT', 'http://192.168.7.7:PORT'],
    ['by another name of loopback', '127.0.0.1:PORT', 'http://localhost:PORT'],
    ['by the other loopback', 'localhost:PORT', 'http://[::1]:PORT'],
  ])('while its own pages are let through: %s', async (_what, host, origin) => {
    const { port } = new URL(appliance.url);
    const headers = { host: host.replace('PORT', port), origin: origin.replace('PORT', port) };
    expect(await statusWith(headers)).toBe(200);
  });

  test.each(['https://shop.example', 'https://shop.example/', 'https://SHOP.example:443/basket'])(
    'an origin that the owner allows as %s gets CORS headers that a paying page needs',
    async (allowed) => {
      const origin = 'https://shop.example';
      const headers = { 'content-type': 'application/json' };
      const change = { method: 'PATCH', headers, body: JSON.stringify({ allowedOrigins: [allowed] }) };
      expect((await appliance.owner('/admin/settings', change)).status).toBe(200);
      const preflight = await appliance.anonymous('/v1/extract/doc', { method: 'OPTIONS', headers: { origin } });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
      expect(preflight.headers.get('access-control-allow-headers')).toContain('X-PAYMENT');
      const challenge = await appliance.anonymous('/v1/extract/doc', { method: 'POST', headers: { origin } });
      expect(challenge.status).toBe(402);
      expect(challenge.headers.get('access-control-expose-headers')).toContain('PAYMENT-REQUIRED');
      // What a page needs to go on with a download where it broke off, and not to load again what it has.
      for (const name of ['If-Range', 'If-None-Match']) {
        expect(preflight.headers.get('access-control-allow-headers')).toContain(name);
      }
      for (const name of ['ETag', 'Content-Range', 'Content-Disposition', 'Preference-Applied']) {
        expect(challenge.headers.get('access-control-expose-headers')).toContain(name);
      }
    },
  );

  test('a page of an allowed origin may send the headers that its library adds', async () => {
    const origin = 'https://tools.example';
    const headers = { 'content-type': 'application/json' };
    const change = { method: 'PATCH', headers, body: JSON.stringify({ allowedOrigins: [origin] }) };
    expect((await appliance.owner('/admin/settings', change)).status).toBe(200);
    const asked = 'authorization,content-type,x-stainless-lang,x-stainless-retry-count';
    const preflight = await appliance.anonymous('/openai/v1/chat/completions', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': asked },
    });
    expect(preflight.headers.get('access-control-allow-headers')).toBe(asked);
    expect(preflight.headers.get('vary')).toContain('Access-Control-Request-Headers');
    const answer = await appliance.owner('/openai/v1/models', { headers: { origin } });
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Quarry-Job-Id');
  });
});
