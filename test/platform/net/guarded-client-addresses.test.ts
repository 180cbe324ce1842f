import { afterEach, describe, expect, test } from 'vitest';
import { createGuardedClient } from '../../../src-server/platform/net/guarded-client.ts';
import { BOUNDS, failure, GUARDED, type Harness, OWNER, PUBLIC_ADDRESS, startHarness } from './client-harness.ts';

let harness: Harness;
afterEach(() => harness.close());

const plain = () => startHarness((_request, response) => response.end('hello'));

describe('the guard', () => {
  test('connects to the address that it checked, after one look-up', async () => {
    harness = await plain();
    const response = await harness.client.request('https://site.example/a', BOUNDS);
    expect(response.body.toString()).toBe('hello');
    expect(harness.lookups).toEqual(['site.example']);
    expect(harness.connects).toEqual([`site.example ${PUBLIC_ADDRESS}`]);
  });

  test('does not ask a rebinding name again, and checks it again for a new connection', async () => {
    harness = await startHarness((_request, response) => response.setHeader('connection', 'close').end('hello'));
    harness.names.set('rebind.example', [[PUBLIC_ADDRESS], ['127.0.0.1']]);
    await harness.client.request('https://rebind.example/', BOUNDS);
    expect(harness.connects).toEqual([`rebind.example ${PUBLIC_ADDRESS}`]);
    const second = await failure(harness.client.request('https://rebind.example/', BOUNDS));
    expect(second.code).toBe('source_forbidden');
    expect(harness.connects).toHaveLength(1);
  });

  test.each([
    ['one private address among public ones', [PUBLIC_ADDRESS, '10.0.0.5']],
    ['a private address first', ['192.168.1.1', PUBLIC_ADDRESS]],
    ['a private IPv6 address beside a public IPv4 one', [PUBLIC_ADDRESS, 'fd00::1']],
    ['loopback', ['127.0.0.1']],
    ['IPv6 loopback', ['::1']],
    ['IPv4-mapped loopback', ['::ffff:127.0.0.1']],
    ['the metadata address', ['169.254.169.254']],
    ['a link-local address with a zone', ['fe80::1%eth0']],
  ])('tries no connection to a name with %s', async (_title, addresses) => {
    harness = await plain();
    harness.names.set('inside.example', [addresses]);
    const error = await failure(harness.client.request('https://inside.example/', BOUNDS));
    expect(error.code).toBe('source_forbidden');
    expect(error.retryable).toBe(false);
    for (const address of addresses) expect(error.message).not.toContain(address);
    expect(harness.connects).toEqual([]);
  });

  test.each([
    'https://127.0.0.1/',
    'https://127.3/',
    'https://0x7f000003/',
    'https://0x7f.1/',
    'https://2130706435/',
    'https://0177.0.0.1/',
    'https://127.0.0.1./',
    'https://①②⑦.0.0.1/',
    'https://127。0。0。1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[0:0:0:0:0:ffff:127.0.0.1]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://[fe80::1]/',
    'https://[fd00:ec2::254]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0.0.0.0/',
    'https://0/',
  ])('tries no connection to the literal %s', async (url) => {
    harness = await plain();
    const error = await failure(harness.client.request(url, BOUNDS));
    expect(error.code).toBe('source_forbidden');
    expect(harness.connects).toEqual([]);
    expect(harness.lookups).toEqual([]);
  });

  test('takes a public literal as it is', async () => {
    harness = await plain();
    await harness.client.request(`https://${PUBLIC_ADDRESS}/`, BOUNDS);
    await harness.client.request('https://[2606:4700:4700::1111]/', BOUNDS);
    expect(harness.lookups).toEqual([]);
    expect(harness.connects.map((line) => line.split(' ')[1])).toEqual([PUBLIC_ADDRESS, '2606:4700:4700::1111']);
  });

  test.each([
    'http://site.example/',
    'ftp://site.example/',
    'file:///etc/passwd',
    'data:text/plain,a',
    'site.example',
    '',
  ])('refuses %s without a look-up, because only https is fetched', async (url) => {
    harness = await plain();
    expect((await failure(harness.client.request(url, BOUNDS))).code).toBe('source_forbidden');
    expect(harness.lookups).toEqual([]);
  });

  test('refuses user names and passwords in an address', async () => {
    harness = await plain();
    const error = await failure(harness.client.request('https://user:secret@site.example/', BOUNDS));
    expect(error.code).toBe('source_forbidden');
    expect(error.message).not.toContain('secret');
    expect(harness.lookups).toEqual([]);
  });

  test('lets the owner reach a private address and http, on any port', async () => {
    harness = await plain();
    harness.names.set('nas.example', [['192.168.1.7']]);
    const response = await harness.client.request('http://nas.example:8080/', { ...BOUNDS, policy: OWNER });
    expect(response.status).toBe(200);
    expect(harness.connects).toEqual(['nas.example 192.168.1.7']);
  });

  test('never lends the connection of the owner to somebody else', async () => {
    harness = await plain();
    harness.names.set('nas.example', [['192.168.1.7']]);
    await harness.client.request('https://nas.example/', { ...BOUNDS, policy: { ...OWNER, allowHttp: false } });
    const error = await failure(harness.client.request('https://nas.example/', BOUNDS));
    expect(error.code).toBe('source_forbidden');
    expect(harness.connects).toHaveLength(1);
  });
});

describe('a redirect', () => {
  const redirecting = (location: string, status = 302) =>
    startHarness((request, response) => {
      if (request.url === '/start') response.writeHead(status, { location }).end('moved');
      else response.end(JSON.stringify({ method: request.method, headers: request.headers }));
    });
  const following = { ...BOUNDS, followRedirects: 5 };

  test.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://[::1]/',
    'https://inside.example/',
    'https://169.254.169.254/latest/meta-data/',
    'http://site.example/next',
    '//inside.example/',
    'file:///etc/passwd',
    'https://user:secret@site.example/next',
  ])('to %s is refused and no connection is tried', async (location) => {
    harness = await redirecting(location);
    harness.names.set('inside.example', [['10.0.0.1']]);
    const error = await failure(harness.client.request('https://site.example/start', following));
    expect(error.code).toBe('source_forbidden');
    expect(harness.connects).toEqual([`site.example ${PUBLIC_ADDRESS}`]);
  });

  test('of a file is held to the same rules', async () => {
    harness = await redirecting('https://127.0.0.1/');
    const options = { policy: GUARDED, totalTimeoutMs: 20_000, path: harness.path, maxBytes: 1000 };
    const error = await failure(harness.client.fetchToFile('https://site.example/start', options));
    expect(error.code).toBe('source_forbidden');
    expect(await harness.files()).toEqual([]);
  });

  test('carries no credentials, cookies or signatures on', async () => {
    harness = await redirecting('/next', 307);
    const headers = {
      authorization: 'Bearer secret',
      cookie: 'a=secret',
      'x-service-signature': 'secret',
      'content-type': 'application/json',
    };
    const options = { ...following, method: 'POST', headers, body: '{}' } as const;
    const response = await harness.client.request('https://site.example/start', options);
    expect(response.finalUrl).toBe('https://site.example/next');
    expect(response.body.toString()).toContain('"method":"POST"');
    expect(response.body.toString()).toContain('application/json');
    expect(response.body.toString()).not.toContain('secret');
  });

  test('of a POST with 303 is a GET without a body', async () => {
    harness = await redirecting('/next', 303);
    const options = { ...following, method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } } as const;
    const { method, headers } = JSON.parse(
      (await harness.client.request('https://site.example/start', options)).body.toString(),
    );
    expect(method).toBe('GET');
    expect(headers).not.toHaveProperty('content-type');
  });

  test('is given back as it is when none are to be followed', async () => {
    harness = await redirecting('https://127.0.0.1/');
    const response = await harness.client.request('https://site.example/start', BOUNDS);
    expect([response.status, response.headers.location]).toEqual([302, 'https://127.0.0.1/']);
  });

  test('may hold unescaped UTF-8', async () => {
    harness = await startHarness((request, response) => {
      if (request.url === '/start') {
        response.writeHead(302, { location: Buffer.from('/grüße', 'utf8').toString('latin1') }).end();
      } else response.end(request.url);
    });
    const response = await harness.client.request('https://site.example/start', following);
    expect(response.body.toString()).toBe('/gr%C3%BC%C3%9Fe');
  });

  test('after five others is refused, and five are followed', async () => {
    harness = await startHarness((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end();
      else response.end('there');
    });
    expect((await harness.client.request('https://site.example/5', following)).body.toString()).toBe('there');
    const error = await failure(harness.client.request('https://site.example/6', following));
    expect([error.code, error.retryable]).toEqual(['source_unreachable', false]);
  });
});

test('without injected parts, the guard refuses the names and literals of this machine', async () => {
  let requests = 0;
  harness = await startHarness((_request, response) => {
    requests += 1;
    response.end('inside');
  });
  const client = createGuardedClient({ userAgent: 'QuarryTest/1' });
  const httpOnly = { ...BOUNDS, policy: { allowHttp: true, privateHost: null } };
  for (const host of ['localhost', '127.0.0.1', '[::1]', '0x7f.1']) {
    const error = await failure(client.request(`http://${host}:${harness.port}/`, httpOnly));
    expect(error.code).toBe('source_forbidden');
  }
  expect(requests).toBe(0);
  const asOwner = await client.request(`http://localhost:${harness.port}/`, { ...BOUNDS, policy: OWNER });
  expect([asOwner.body.toString(), requests]).toEqual(['inside', 1]);
  await client.close();
});
