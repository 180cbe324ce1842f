/** Sites that are wrong or hostile in what they say about themselves: robots.txt and sitemaps. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CrawlResult } from '../../../src-server/features/crawl/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { SECOND_MS } from '../../../src-server/platform/units.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { serveWith } from '../../harness/local-site.ts';

const MIB = 1024 * 1024;
const MAX_PAGES = 5;
const SITEMAP_URLS = 50_000;
const PAGE = '<title>Open</title><p>The harbour is open at ';

type CrawlJob = Job & { result: CrawlResult | null };
type Route = (request: IncomingMessage, response: ServerResponse) => void;

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
  const body = JSON.stringify({ crawlDelayMs: 0, crawlMaxPages: MAX_PAGES });
  const headers = { 'content-type': 'application/json' };
  await appliance.owner('/admin/settings', { method: 'PATCH', headers, body });
});
afterAll(() => appliance.close());

/** Crawls a path of a site that has these routes, and a page everywhere else. */
async function crawlSite(path: string, routes: Record<string, Route>): Promise<{ job: CrawlJob; requests: string[] }> {
  await using site = await serveWith((request, response) => {
    const route = routes[request.url ?? ''];
    if (route !== undefined) route(request, response);
    else if (request.url === '/robots.txt') response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE + request.url);
  });
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ url: site.url + path, depth: 0 });
  const answer = await appliance.owner('/v1/crawl', { method: 'POST', headers, body });
  const { jobId } = (await answer.json()) as Job;
  const ended = finished(appliance.owner, jobId);
  // What is tried again waits for the clock.
  const hurry = setInterval(() => appliance.clock.advance(SECOND_MS), 100);
  const job = (await ended.finally(() => clearInterval(hurry))) as CrawlJob;
  return { job, requests: site.requests };
}

const answering =
  (status: number, body: string | Buffer = '', headers: Record<string, string> = {}): Route =>
  (_, response) =>
    response.writeHead(status, headers).end(body);
const text = { 'content-type': 'text/plain' };
const html = { 'content-type': 'text/html' };
const xml = { 'content-type': 'application/xml' };

describe('robots.txt', () => {
  test.each<[string, Route]>([
    ['that is not there', answering(404)],
    ['that nobody may read', answering(403)],
    ['that is empty', answering(200)],
    ['that is a page', answering(200, PAGE, { 'content-type': 'text/html' })],
    ['that is no text at all', answering(200, Buffer.from([0, 255, 254, 3, 0, 0, 1]))],
  ])('%s forbids nothing', async (_, robots) => {
    const { job } = await crawlSite('/', { '/robots.txt': robots });
    expect(job.status, JSON.stringify(job.error)).toBe('completed');
  });

  test.each<[string, Route, string]>([
    ['leads in a circle', answering(302, '', { location: '/robots.txt' }), 'source_unreachable'],
    ['forbids everything', answering(200, 'User-agent: *\nDisallow: /', text), 'robots_disallowed'],
    ['speaks to this crawler', answering(200, 'User-agent: Quarry/9\nDisallow: /', text), 'robots_disallowed'],
  ])('that %s closes the host: nothing else of it is asked for', async (_, robots, code) => {
    const { job, requests } = await crawlSite('/page', { '/robots.txt': robots });
    expect(job.error?.code).toBe(code);
    expect(requests).not.toContain('/page');
  });

  test.each([500, 503, 429])('that answers %i closes the host for now: the crawl is tried again', async (status) => {
    const { job, requests } = await crawlSite('/page', { '/robots.txt': answering(status) });
    expect(job.error).toMatchObject({ code: 'source_unreachable', retryable: true, attempts: 3 });
    expect(job.error?.message).toBe(
      'No page could be crawled: Quarry could not read robots.txt, which says what may be crawled, so it crawled nothing of this host. ' +
        `It answered with status ${status}; try later.`,
    );
    expect(requests).toEqual(Array.from({ length: 3 }, () => '/robots.txt'));
  });

  test('that fails once costs no page', async () => {
    let asked = 0;
    const failingOnce: Route = (_, response) => {
      asked += 1;
      response.writeHead(asked === 1 ? 503 : 200, text).end(asked === 1 ? '' : 'User-agent: *\nDisallow: /private');
    };
    const { job, requests } = await crawlSite('/page', { '/robots.txt': failingOnce });
    expect(job.status, JSON.stringify(job.error)).toBe('completed');
    expect(requests).toEqual(['/robots.txt', '/robots.txt', '/page']);
  });

  test('is followed to where it redirects', async () => {
    const { job } = await crawlSite('/page', {
      '/robots.txt': answering(301, '', { location: '/rules' }),
      '/rules': answering(200, 'User-agent: *\nDisallow: /page', text),
    });
    expect(job.error).toMatchObject({ code: 'robots_disallowed' });
    expect(job.error?.message).toContain('robots.txt, line 2: Disallow: /page');
  });

  test('of 100 MB is read to the length that the standard asks for, and no further', { tags: ['long'] }, async () => {
    let sent = 0;
    const endless: Route = (_, response) => {
      response.writeHead(200, { ...text, 'content-length': String(100 * MIB) });
      response.write('User-agent: *\nDisallow: /private\n');
      const block = Buffer.from('Disallow: /never/asked/for\n'.repeat(1000));
      const write = () => {
        while (!response.destroyed && sent < 100 * MIB) {
          sent += block.length;
          if (!response.write(block)) return;
        }
      };
      response.on('drain', write);
      write();
    };
    const open = await crawlSite('/open', { '/robots.txt': endless });
    expect(open.job.status, JSON.stringify(open.job.error)).toBe('completed');
    expect(sent).toBeLessThan(20 * MIB);
    const closed = await crawlSite('/private', { '/robots.txt': endless });
    expect(closed.job.error?.code).toBe('robots_disallowed');
  });
});

describe('a sitemap', () => {
  test(`of ${SITEMAP_URLS} addresses nested ten deep is followed five levels, and says so of the rest`, async () => {
    const index = (path: string) => `<sitemapindex><sitemap><loc>${path}</loc></sitemap></sitemapindex>`;
    const levels = Array.from({ length: 10 }, (_, level) => level);
    const nested = levels.map((level) => [`/map${level}.xml`, answering(200, index(`/map${level + 1}.xml`), xml)]);
    const list = Array.from({ length: SITEMAP_URLS + 10 }, (_, number) => `<url><loc>/page/${number}</loc></url>`);
    const both = `<sitemapindex><sitemap><loc>/map1.xml</loc></sitemap><sitemap><loc>/all.xml</loc></sitemap></sitemapindex>`;
    const { job, requests } = await crawlSite('/map0.xml', {
      ...(Object.fromEntries(nested) as Record<string, Route>),
      '/map0.xml': answering(200, both, xml),
      '/all.xml': answering(200, `<urlset>${list.join('')}</urlset>`, xml),
    });
    expect(job.status, JSON.stringify(job.error)).toBe('completed');
    const { stats, skipped } = job.result as CrawlResult;
    expect(requests.filter((path) => path.startsWith('/map'))).toHaveLength(6);
    expect(skipped.find(({ url }) => url.endsWith('/map6.xml'))).toMatchObject({
      verdict: 'limit',
      reason: 'Sitemaps are followed 5 levels deep.',
    });
    expect(skipped.find(({ url }) => url.endsWith('/all.xml'))?.reason).toBe(
      `It lists ${SITEMAP_URLS} pages and 0 sitemaps. 10 more are not read.`,
    );
    expect(stats).toMatchObject({ pages: MAX_PAGES, endedBy: 'pages', urlsSeen: SITEMAP_URLS + 8 });
    expect(Object.values(stats.verdicts).reduce((sum, count) => sum + count, 0)).toBe(stats.urlsSeen);
  });

  test.each<[string, Route, string]>([
    ['in a damaged archive', answering(200, Buffer.from('1f8b0800deadbeef', 'hex'), xml), 'corrupt_input'],
    [
      'that grows without end when it is inflated',
      answering(200, gzipSync(Buffer.alloc(60 * MIB, ' ')), { 'content-type': 'application/gzip' }),
      'corrupt_input',
    ],
    ['that is no sitemap', answering(200, '<catalogue/>', xml), 'unsupported_media'],
  ])('%s fails by its name', async (_, map, code) => {
    const { job } = await crawlSite('/map.xml', { '/map.xml': map });
    expect(job.error, JSON.stringify(job.error)).toMatchObject({ code });
    expect(job.error?.message).not.toMatch(/\/tmp|node_modules|passwd/);
  });

  test.each<[string, string, Record<string, string>]>([
    ['that its server calls a page', '', html],
    ['with much before its first tag', `<!-- ${'made by a program '.repeat(200)} -->\n<?xsl x?>`, xml],
  ])('%s is a sitemap all the same', async (_, before, headers) => {
    const map = `<?xml version="1.0"?>${before}<urlset><url><loc>/one</loc></url></urlset>`;
    const { job, requests } = await crawlSite('/map.xml', { '/map.xml': answering(200, map, headers) });
    expect(job.result?.stats.verdicts, JSON.stringify(job.error)).toEqual({ page: 1, sitemap: 1 });
    expect(requests).toContain('/one');
  });

  test('is not asked to resolve entities: they are part of an address like any other letters', async () => {
    const map = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url><loc>/&a;</loc></url></urlset>';
    const { job, requests } = await crawlSite('/map.xml', { '/map.xml': answering(200, map, xml) });
    expect(job.status, JSON.stringify(job.error)).toBe('completed');
    expect(requests).toEqual(['/robots.txt', '/map.xml', '/&a;']);
  });

  test('of copies of one page is given up after some hundred of them', { tags: ['long'] }, async () => {
    const list = Array.from({ length: 2000 }, (_, number) => `<url><loc>/copy/${number}</loc></url>`);
    const copies = Array.from({ length: 2000 }, (_, number) => [`/copy/${number}`, answering(200, PAGE, html)]);
    const { job, requests } = await crawlSite('/map.xml', {
      ...(Object.fromEntries(copies) as Record<string, Route>),
      '/map.xml': answering(200, `<urlset>${list.join('')}</urlset>`, xml),
    });
    expect(job.result?.stats).toMatchObject({ pages: 1, endedBy: 'pages', urlsSeen: 2001 });
    expect(requests.length).toBeLessThan(200);
  });
});

test.each<[string, Record<string, Route>, string, RegExp]>([
  [
    'whose root leads to another site',
    { '/': answering(301, '', { location: 'http://127.0.0.2:1/docs/' }) },
    'source_unreachable',
    /http:\/\/127\.0\.0\.2:1\/docs\/: It is on another site: 127\.0\.0\.2:1\. Crawl that address itself\./,
  ],
  [
    'whose root leads in a circle',
    { '/': answering(302, '', { location: '/in' }), '/in': answering(302, '', { location: '/' }) },
    'source_unreachable',
    /in a circle/,
  ],
  ['whose root is not there', { '/': answering(404) }, 'source_unreachable', /Status 404\. Check the address\./],
  ['whose root is closed', { '/': answering(403) }, 'source_forbidden', /Status 403\. Give an address that is open/],
  [
    'whose sitemap lists another site',
    { '/': answering(200, '<urlset><url><loc>http://127.0.0.2:1/a</loc></url></urlset>', xml) },
    'source_unreachable',
    /http:\/\/127\.0\.0\.2:1\/a: It is on another site/,
  ],
  [
    'whose sitemap lists what robots.txt closes',
    {
      '/robots.txt': answering(200, 'User-agent: *\nDisallow: /a', text),
      '/': answering(200, '<urlset><url><loc>/a</loc></url></urlset>', xml),
    },
    'robots_disallowed',
    /\/a: robots\.txt, line 2: Disallow: \/a/,
  ],
  [
    'whose sitemap lists nothing',
    { '/': answering(200, '<urlset></urlset>', xml) },
    'source_unreachable',
    /no page; give/,
  ],
])('a site %s fails with what to do', async (_, routes, code, message) => {
  const { job } = await crawlSite('/', routes);
  expect(job.error, JSON.stringify(job.result?.stats)).toMatchObject({ code, retryable: false });
  expect(job.error?.message).toMatch(message);
});
