import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { wordDocument } from '../harness/documents.ts';
import { finished } from '../harness/jobs.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';

/**
 * Where a source may not lie for anybody but a trusting owner. Names resolve as the test says, and every connection
 * that the guard lets through ends at a site on loopback; so a connection that is not in `connects` was never tried.
 */
const PUBLIC = '93.184.216.34';
const NAMES: Record<string, string[]> = {
  'site.example': [PUBLIC],
  'loopback.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'mapped.example': ['::ffff:10.0.0.1'],
  'private.example': ['192.168.1.10'],
  'link-local.example': ['169.254.10.1'],
  'metadata.example': ['169.254.169.254'],
  'carrier.example': ['100.64.0.1'],
  'half.example': [PUBLIC, '10.0.0.1'],
};

const connects: string[] = [];
let site: LocalSite;
let appliance: Appliance;

beforeAll(async () => {
  site = await serveWith((request, response) => {
    // Each request has a connection of its own, so that each is seen in `connects`.
    response.setHeader('connection', 'close');
    const to = /^\/to\/(.+)$/.exec(request.url ?? '')?.[1];
    if (to === undefined) response.end(wordDocument(['A public document.']));
    else response.writeHead(302, { location: decodeURIComponent(to) }).end();
  });
  appliance = await startAppliance({
    network: {
      resolver: async (hostname) => {
        const addresses = NAMES[hostname];
        if (addresses === undefined) throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
        return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      },
      connector: (target, addresses, callback) => {
        connects.push(`${target.hostname} ${addresses.map(({ address }) => address).join(',')}`);
        const socket = connect(Number(new URL(site.url).port), '127.0.0.1');
        socket.once('connect', () => callback(null, socket));
        socket.once('error', (error) => callback(error, null));
      },
    },
  });
  const answer = await appliance.owner('/admin/settings', {
    method: 'PATCH',
    body: JSON.stringify({ allowPrivateNetworks: false }),
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.status).toBe(200);
});
afterAll(async () => {
  await appliance.close();
  await site[Symbol.asyncDispose]();
});
beforeEach(() => {
  connects.length = 0;
});

async function endOf(sourceUrl: string) {
  const answer = await appliance.owner('/v1/extract/doc', {
    method: 'POST',
    body: JSON.stringify({ sourceUrl }),
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.status).toBe(202);
  return finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId);
}

describe('a sourceUrl', () => {
  test.each([
    'https://127.0.0.1/a.docx',
    'https://127.1/a.docx',
    'https://0x7f000001/a.docx',
    'https://[::1]/a.docx',
    'https://[::ffff:127.0.0.1]/a.docx',
    'https://10.1.2.3/a.docx',
    'https://172.16.0.1/a.docx',
    'https://169.254.169.254/latest/meta-data/',
    'https://[fe80::1]/a.docx',
    'https://[fd00:ec2::254]/a.docx',
    'https://0.0.0.0/a.docx',
    ...Object.keys(NAMES)
      .filter((name) => name !== 'site.example')
      .map((name) => `https://${name}/a.docx`),
  ])('%s is refused before a connection is tried', async (sourceUrl) => {
    const job = await endOf(sourceUrl);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'source_forbidden', retryable: false, attempts: 1 } });
    expect(connects).toEqual([]);
  });

  test.each(['https://127.0.0.1/a.docx', 'https://metadata.example/', 'https://[::1]/a.docx', 'http://10.0.0.1/'])(
    'that redirects to %s is not followed there',
    async (target) => {
      const job = await endOf(`https://site.example/to/${encodeURIComponent(target)}`);
      expect(job).toMatchObject({ status: 'failed', error: { code: 'source_forbidden' } });
      expect(connects).toEqual([`site.example ${PUBLIC}`]);
      expect((await fetch(`${appliance.url}/health`)).status).toBe(200);
    },
  );

  test.each([
    ['/v1/extract/doc', 'sourceUrl'],
    ['/v1/crawl', 'url'],
  ])('of a payer that says itself that it is private costs nothing: POST %s', async (path, field) => {
    const post = (body: unknown, headers = {}, to = path) =>
      appliance.anonymous(to, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      });
    const { accepts } = (await (await post({})).json()) as { accepts: object[] };
    const signed = await post(accepts[0], {}, '/facilitator/pay');
    const proof = { 'X-PAYMENT': ((await signed.json()) as { payload: string }).payload };
    for (const host of ['127.1', '[::1]', '[::ffff:10.0.0.1]', '169.254.169.254', 'localhost', 'printer.local.']) {
      const answer = await post({ [field]: `https://${host}/a.docx` }, proof);
      expect(answer.status, host).toBe(400);
      const message = 'Give a public address: private networks are open to the owner of the appliance only.';
      expect(await answer.json()).toMatchObject({ errors: [{ path: field, message }] });
    }
    expect(connects).toEqual([]);
    const taken = await post({ [field]: 'https://site.example/a.docx' }, proof);
    expect(taken.status).toBe(202);
    await finished(appliance.anonymous, ((await taken.json()) as { jobId: string }).jobId);
  });

  test.each([
    ['/v1/extract/doc', 'sourceUrl'],
    ['/v1/extract/hosted-video', 'sourceUrl'],
    ['/v1/crawl', 'url'],
  ])('with a user name or password is refused at once: POST %s', async (path, field) => {
    for (const address of ['https://user:secret@site.example/a.docx', 'https://user@site.example/']) {
      const answer = await appliance.owner(path, {
        method: 'POST',
        body: JSON.stringify({ [field]: address }),
        headers: { 'content-type': 'application/json' },
      });
      expect(answer.status).toBe(400);
      const message = 'Give a URL without user name and password.';
      expect(await answer.json()).toMatchObject({ errors: [{ path: field, message }] });
    }
    expect(connects).toEqual([]);
  });

  test.each([
    ['/v1/extract/doc', 'sourceUrl', 8192],
    ['/v1/crawl', 'url', 2048],
    ['/v1/webhooks', 'url', 2048],
  ])('that is too long is refused with how long it may be: POST %s', async (path, field, characters) => {
    const answer = await appliance.owner(path, {
      method: 'POST',
      body: JSON.stringify({ [field]: `https://site.example/${'a'.repeat(characters)}` }),
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(400);
    const message = `Give at most ${characters} characters.`;
    expect(await answer.json()).toMatchObject({ errors: [{ path: field, message }] });
  });

  test('of a public place is fetched, so that the refusals above are refusals of the place', async () => {
    expect((await endOf('https://site.example/a.docx')).status).toBe('completed');
    expect(connects).toEqual([`site.example ${PUBLIC}`]);
  });
});
