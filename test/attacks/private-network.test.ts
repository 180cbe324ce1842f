/**
 * Server-side request forgery (SSRF). With default settings only the host that the owner names in a request is reached
 * on a private network: never by a redirect, a link, a sub-resource of a rendered page, a sitemap, a feed's entry, a
 * playlist's segment, or a name that turns from a public address to a private one (DNS rebinding).
 */
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Connector } from '../../src-server/platform/net/guarded-connect.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { HAS_BROWSER } from '../harness/browser.ts';
import { finished } from '../harness/jobs.ts';
import { installSpeechModel, ONNX_MODEL } from '../harness/speech.ts';
import { until } from '../harness/until.ts';

const PUBLIC = '93.184.216.34';
const SECRET = 'INTERNAL-SECRET-4711';
const JSON_TYPE = { 'content-type': 'application/json' };

/** Requests that the service on loopback has received. It stands for a router or a local tool. */
const hits: string[] = [];
let inside: Server;
let outside: Server;
let appliance: Appliance;
/** Lookups of each name. */
const lookups = new Map<string, number>();

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const insideUrl = (path: string, host = '127.0.0.1') => `http://${host}:${portOf(inside)}${path}`;

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** `turn…` is public for the first two lookups, `inside…` always private, all else public. */
async function resolver(name: string) {
  const count = (lookups.get(name) ?? 0) + 1;
  lookups.set(name, count);
  const isPrivate = name.startsWith('inside') || (name.startsWith('turn') && count > 2);
  return [{ address: isPrivate ? '127.0.0.1' : PUBLIC, family: 4 }];
}

/** Connections to the public address end at the site of the stranger. */
const connector: Connector = ({ port }, addresses, callback) => {
  const isPublic = addresses[0]?.address === PUBLIC;
  const socket = connect(isPublic ? portOf(outside) : Number(port), '127.0.0.1');
  socket.once('connect', () => callback(null, socket));
  socket.once('error', (error) => callback(error, null));
};

function pageOf(path: string): { type: string; body: string } {
  if (path === '/feed') {
    const link = (url: string, id: number) => `<item><guid>${id}</guid><link>${url}</link></item>`;
    const items = link(insideUrl('/from-feed'), 1) + link('http://pub.example/redirect', 2);
    return { type: 'application/rss+xml', body: `<rss version="2.0"><channel>${items}</channel></rss>` };
  }
  if (path === '/sitemap.xml') {
    return { type: 'application/xml', body: `<urlset><url><loc>${insideUrl('/from-sitemap')}</loc></url></urlset>` };
  }
  if (path === '/list.m3u8') {
    const lines = ['#EXTM3U', '#EXT-X-TARGETDURATION:4', '#EXTINF:4,', insideUrl('/segment.ts'), '#EXT-X-ENDLIST'];
    return { type: 'application/vnd.apple.mpegurl', body: lines.join('\n') };
  }
  const links = `<a href="/redirect">r</a><a href="${insideUrl('/link')}">i</a><a href="${insideUrl('/n', 'inside.example')}">n</a>`;
  const parts = `<img src="${insideUrl('/image')}"><iframe src="${insideUrl('/frame')}"></iframe>`;
  const script = `<script>fetch('${insideUrl('/post')}', { method: 'POST', mode: 'no-cors', body: 'reboot' }).catch(() => {});
    fetch('${insideUrl('/read', 'inside.example')}').then((a) => a.text()).then((t) => document.body.append(t)).catch(() => {});
    fetch(location.href + 'again').then((a) => a.text()).then((t) => document.body.append(t)).catch(() => {});</script>`;
  return { type: 'text/html', body: `<title>A</title><main><p>Words of the page.</p>${links}</main>${parts}${script}` };
}

beforeAll(async () => {
  inside = await listen(
    createServer((message, answer) => {
      hits.push(`${message.method} ${message.url}`);
      answer.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${SECRET}</p>`);
    }),
  );
  outside = await listen(
    createServer(({ url = '/' }, answer) => {
      if (url === '/robots.txt') answer.writeHead(404).end();
      else if (url.startsWith('/redirect')) answer.writeHead(302, { location: insideUrl('/redirected') }).end();
      else {
        const { type, body } = pageOf(url);
        answer.writeHead(200, { 'content-type': type }).end(body);
      }
    }),
  );
  appliance = await startAppliance({ network: { resolver, connector } });
  await installSpeechModel(appliance, ONNX_MODEL);
});

beforeEach(() => {
  hits.length = 0;
});

afterAll(async () => {
  await appliance.close();
  inside.close();
  outside.close();
});

async function run(path: string, body: object, key?: string) {
  const headers = key === undefined ? JSON_TYPE : { ...JSON_TYPE, authorization: `Bearer ${key}` };
  const caller = key === undefined ? appliance.owner : appliance.anonymous;
  const answer = await caller(path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(202);
  const { jobId, crawlId } = (await answer.json()) as { jobId?: string; crawlId?: string };
  return finished(appliance.owner, crawlId ?? jobId ?? '');
}

async function newKey(name: string, scopes: readonly string[]): Promise<string> {
  const body = JSON.stringify({ name, scopes });
  const answer = await appliance.owner('/admin/keys', { method: 'POST', headers: JSON_TYPE, body });
  return ((await answer.json()) as { key: string }).key;
}

describe('a public address that leads inside', () => {
  test.each([
    ['/v1/extract/doc', { sourceUrl: 'http://pub.example/redirect' }],
    ['/v1/extract/pdf', { sourceUrl: 'http://pub.example/redirect' }],
    ['/v1/extract/video', { sourceUrl: 'http://pub.example/redirect.mp4' }],
    ['/v1/extract/hosted-video', { sourceUrl: 'http://pub.example/redirect' }],
    ['/v1/crawl', { url: 'http://pub.example/redirect', depth: 0 }],
  ])('by a redirect is refused: %s', async (path, body) => {
    const job = await run(path, body);
    expect(job.status).toBe('failed');
    expect(JSON.stringify(job)).not.toContain(SECRET);
    expect(hits).toEqual([]);
  });

  test.each([
    ['links and redirects', { url: 'http://pub.example/', depth: 2 }],
    ['a sitemap', { url: 'http://pub.example/sitemap.xml', depth: 1 }],
    ['a name that turns', { url: 'http://turn1.example/', depth: 1 }],
  ])('by %s of a crawled site is not followed', async (_, body) => {
    const job = await run('/v1/crawl', { maxAge: 0, ...body });
    expect(JSON.stringify(job)).not.toContain(SECRET);
    expect(hits).toEqual([]);
  });

  test('by a segment of a playlist is refused', async () => {
    await run('/v1/extract/hosted-video', { sourceUrl: 'http://pub.example/list.m3u8' });
    expect(hits).toEqual([]);
  });

  test("by a feed's entry is refused", async () => {
    const recipe = { operation: 'extract/doc' };
    const body = JSON.stringify({ url: 'http://pub.example/feed', recipe, first: 5, schedule: { everyMinutes: 1440 } });
    const made = await appliance.owner('/admin/feeds', { method: 'POST', headers: JSON_TYPE, body });
    const { feedId } = (await made.json()) as { feedId: string };
    await until(async () => {
      const answer = await appliance.owner(`/admin/feeds/${feedId}/entries`);
      const { entries } = (await answer.json()) as { entries: { status: string }[] };
      return entries.length === 2 && entries.every(({ status }) => status === 'failed');
    });
    expect(hits).toEqual([]);
  });

  test.skipIf(!HAS_BROWSER)('by the scripts, pictures and frames of a rendered page is not reached', async () => {
    for (const url of ['http://pub.example/', `http://turn2.example:${portOf(inside)}/`]) {
      const job = await run('/v1/crawl', { url, depth: 0, render: 'always', maxAge: 0 });
      expect(JSON.stringify(job)).not.toContain(SECRET);
    }
    expect(hits).toEqual([]);
  });
});

describe('a private host that the request names', () => {
  test('is read for the owner, by number and by name', async () => {
    for (const host of ['127.0.0.1', 'inside.example']) {
      const job = await run('/v1/extract/doc', { sourceUrl: insideUrl('/named', host) });
      expect(job).toMatchObject({ status: 'completed' });
    }
    expect(hits).toEqual(['GET /named', 'GET /named']);
  });

  test('is read for a key that has the scope for it, and for no other', async () => {
    const plain = await newKey('Assistant', ['run:extract/doc', 'read']);
    const admin = await newKey('Administrator', ['admin']);
    const granted = await newKey('Intranet reader', ['run:extract/doc', 'private-network']);
    for (const key of [plain, admin]) {
      const job = await run('/v1/extract/doc', { sourceUrl: insideUrl('/key') }, key);
      expect(job).toMatchObject({ status: 'failed', error: { code: 'source_forbidden' } });
    }
    expect(hits).toEqual([]);
    expect(await run('/v1/extract/doc', { sourceUrl: insideUrl('/key') }, granted)).toMatchObject({
      status: 'completed',
    });
    expect(hits).toEqual(['GET /key']);
  });

  test('is refused when the setting is off', async () => {
    const set = (allowPrivateNetworks: boolean) =>
      appliance.owner('/admin/settings', {
        method: 'PATCH',
        headers: JSON_TYPE,
        body: JSON.stringify({ allowPrivateNetworks }),
      });
    await set(false);
    const job = await run('/v1/extract/doc', { sourceUrl: insideUrl('/off') });
    await set(true);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'source_forbidden' } });
    expect(hits).toEqual([]);
  });
});
