/**
 * What users of other crawlers complain of, each rebuilt as a site: sitemaps that are odd, limits that count what is no
 * page, text that is lost. Pages whose text comes late or not without scripts: rendered-pages.test.ts.
 */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CrawlResult } from '../../src-server/features/crawl/schema.ts';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';

interface Answer {
  body: string | Buffer;
  status?: number;
  headers?: Record<string, string>;
}

const html = (body: string, head = ''): Answer => ({
  body: `<!doctype html><html lang="en"><head><title>Harbour</title>${head}</head><body>${body}</body></html>`,
});

const page = (name: string): Answer => html(`<main><h1>${name}</h1><p>What the harbour tells of ${name}.</p></main>`);

const xml = (body: string): Answer => ({
  body: `<?xml version="1.0"?>${body}`,
  headers: { 'content-type': 'text/xml' },
});

const urlset = (entries: string): Answer =>
  xml(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
    xmlns:image="http://www.google.com/schemas/image">${entries}</urlset>`);

const LAWS =
  'We keep the names of ships for ten years, as the law of the harbour asks, and nobody else may read them. ';

let site: LocalSite;
let appliance: Appliance;
const asked: string[] = [];

const routes: Record<string, (url: string) => Answer> = {
  '/robots.txt': (url) => ({ body: `Sitemap: ${url}/index.xml\n`, headers: { 'content-type': 'text/plain' } }),
  // A sitemap of sitemaps: one redirects, one is compressed, one only says so.
  '/index.xml': (url) =>
    xml(
      `<sitemapindex>${['/moved.xml', '/packed.xml.gz', '/plain.xml.gz', '/pictures.xml']
        .map((path) => `<sitemap><loc>${url}${path}</loc></sitemap>`)
        .join('')}</sitemapindex>`,
    ),
  '/moved.xml': () => ({ body: '', status: 302, headers: { location: '/here.xml' } }),
  '/here.xml': (url) => urlset(`<url><loc>${url}/map/moved</loc></url>`),
  '/packed.xml.gz': (url) => ({
    body: gzipSync(`<urlset><url><loc>${url}/map/packed</loc></url></urlset>`),
    headers: { 'content-type': 'application/gzip' },
  }),
  '/plain.xml.gz': (url) => urlset(`<url><loc><![CDATA[${url}/map/quoted]]></loc></url>`),
  '/pictures.xml': (url) =>
    urlset(
      `<url><loc>${url}/map/pictures</loc>${Array.from(
        { length: 30 },
        (_, at) => `<image:image><image:loc>${url}/picture-${at}.jpg</image:loc></image:image>`,
      ).join('')}</url>`,
    ),
  ...Object.fromEntries(['moved', 'packed', 'quoted', 'pictures'].map((name) => [`/map/${name}`, () => page(name)])),
  '/map': () => html('<main><p>The map of all that the harbour has.</p></main>'),
  '/many/': () =>
    html(
      `<main><p>All parts.</p>${['x/1', 'x/2', 'want/1', 'x/3', 'want/2', 'want/3'].map((at) => `<a href="/many/${at}">${at}</a>`).join(' ')}</main>`,
    ),
  ...Object.fromEntries(
    ['x/1', 'x/2', 'x/3', 'want/1', 'want/2', 'want/3'].map((name) => [`/many/${name}`, () => page(name)]),
  ),
  '/privacy': () => html(`<div class="cookie-policy legal footer-page"><h1>Privacy</h1><p>${LAWS.repeat(4)}</p></div>`),
  '/category': () =>
    html(
      `<main><h1>Ropes</h1><ul class="products">${Array.from(
        { length: 12 },
        (_, at) => `<li><a href="/rope/${at}">Rope ${at} of hemp</a> <span>${at + 3} a metre</span></li>`,
      ).join('')}</ul></main>`,
    ),
  '/beside': () =>
    html(
      `<div class="intro">Read this first, please.</div><main><p>${'The tide turns twice a day. '.repeat(12)}</p></main>`,
    ),
  '/banner': () =>
    html(
      `<div class="alert error">An error occurred. Try again.</div><main><h1>Log</h1><p>${LAWS.repeat(3)}</p></main>`,
    ),
  '/code': () =>
    html(`<main><h1>Use</h1><p>${LAWS}</p><pre><code class="language-python">def tide(at):
    if at &lt; 6:
        return <a href="/low">"low"</a>
    return "high"
</code></pre></main>`),
  '/spans': () =>
    html(`<main><h1>Berths</h1><p>${LAWS}</p><table><tr><th>Pier</th><th>Berth</th><th>Depth</th></tr>
      <tr><td rowspan="2">East</td><td>E1</td><td>7 m</td></tr><tr><td>E2</td><td>8 m</td></tr>
      <tr><td colspan="2">South, closed</td><td></td></tr></table></main>`),
  '/based/': () =>
    html(
      `<main><h1>Based</h1><p>${LAWS}<a href="deep">deep</a> <img src="quay.png" alt="the quay"></p></main>`,
      '<base href="/base/">',
    ),
  '/consent': () =>
    html(`<div id="onetrust-consent-sdk" class="cookie-banner" role="dialog"><p>We value your privacy. Accept all.</p>
      <button>Accept all</button></div><main><h1>News</h1><p>${LAWS.repeat(3)}</p></main>`),
};

beforeAll(async () => {
  appliance = await startAppliance({});
  site = await serveWith((request, response) => {
    const path = request.url ?? '/';
    asked.push(path);
    // A calendar without end, and an app that answers every address with the same.
    const answer =
      routes[path]?.(site.url) ??
      (path.startsWith('/calendar') ? calendar(path) : path.startsWith('/app/') ? anyRoute() : null);
    if (answer === null) response.writeHead(404).end();
    else {
      const type = { 'content-type': 'text/html; charset=utf-8' };
      response.writeHead(answer.status ?? 200, { ...type, ...answer.headers }).end(answer.body);
    }
  });
});
afterAll(async () => {
  await appliance.close();
  await site[Symbol.asyncDispose]();
});

function calendar(path: string): Answer {
  const month = Number(/\d+/.exec(path)?.[0] ?? 0);
  return html(`<main><h1>Month</h1><p>Tides of the month.</p><a href="/calendar?month=${month + 1}">next</a></main>`);
}

function anyRoute(): Answer {
  return html(
    `<main><h1>App</h1><p>${LAWS.repeat(2)}</p>${['a', 'b', 'c'].map((at) => `<a href="/app/${at}">${at}</a>`).join(' ')}</main>`,
  );
}

async function crawl(path: string, request: object = {}) {
  const answer = await appliance.owner(
    '/v1/crawl',
    postJson({ url: site.url + path, depth: 0, maxAge: 0, ...request }),
  );
  expect(answer.status, await answer.clone().text()).toBe(202);
  const job = await finished(appliance.owner, ((await answer.json()) as Job).jobId);
  expect(job.status, JSON.stringify(job.error)).toBe('completed');
  const result = job.result as unknown as CrawlResult;
  const markdown = result.pages[0]?.markdown ?? '';
  const pages = result.pages.map(({ url }) => url.slice(site.url.length)).sort();
  return { result, pages, markdown, chunks: result.chunks.map(({ text }) => text).join('\n\n') };
}

test('crawl4ai#1353, browsertrix-crawler#578, siteone-crawler#106: sitemaps that redirect, are compressed, or quoted', async () => {
  const { pages } = await crawl('/map', { sitemap: 'only', depth: 3 });
  expect(pages).toEqual(['/map', '/map/moved', '/map/packed', '/map/pictures', '/map/quoted']);
});

test('firecrawl#435, #940: pictures of a sitemap are no pages', async () => {
  const { pages } = await crawl('/map', { sitemap: 'only', depth: 3, maxPages: 5 });
  expect(pages).toHaveLength(5);
  expect(asked.filter((path) => path.startsWith('/picture-'))).toEqual([]);
});

test('firecrawl#41: a limit counts what is wanted', async () => {
  const { pages } = await crawl('/many/', { depth: 1, include: ['/many/want/**'], maxPages: 3 });
  expect(pages.filter((path) => path.startsWith('/many/want'))).toHaveLength(2);
  expect(pages).toHaveLength(3);
});

test('firecrawl#874, #1679: a calendar without end ends', async () => {
  const { pages } = await crawl('/calendar?month=1', { depth: 3, maxPages: 40 });
  expect(pages.length).toBeLessThanOrEqual(40);
});

test('firecrawl#2196: one text at every address is one page', async () => {
  const { pages, result } = await crawl('/app/a', { depth: 2 });
  expect(pages).toHaveLength(1);
  expect(result.skipped.filter(({ verdict }) => verdict === 'duplicate').length).toBeGreaterThanOrEqual(2);
});

test.each([
  ['firecrawl#540: a page whose classes name furniture', '/privacy', /names of ships for ten years/],
  ['firecrawl#289: a listing', '/category', /Rope 0 of hemp[\s\S]*Rope 11 of hemp/],
  ['trafilatura#588: a main part beside text before it', '/beside', /The tide turns twice a day/],
  ['AgenticCrawler#108: a page with an error banner', '/banner', /names of ships for ten years/],
  ['dembrandt#129: a page under a consent dialog', '/consent', /names of ships for ten years/],
])('%s keeps its text', async (_, path, text) => {
  const { chunks, markdown } = await crawl(path);
  expect(chunks).toMatch(text);
  expect(markdown).toMatch(text);
  expect(chunks).not.toContain('Accept all');
});

test('crawl4ai#325, html-to-markdown#1: code keeps its lines, language and indentation', async () => {
  const { markdown } = await crawl('/code');
  expect(markdown).toContain('```python\ndef tide(at):\n    if at < 6:\n        return "low"\n    return "high"\n```');
});

test('crawl4ai#2007, #1920, #1327: rows and columns that span are in the Markdown and in the chunks', async () => {
  const { markdown, chunks } = await crawl('/spans');
  for (const cell of ['Pier', 'East', 'E1', '7 m', 'E2', '8 m', 'South, closed']) {
    expect(markdown).toContain(cell);
    expect(chunks).toContain(cell);
  }
});

test('crawl4ai#722, #570, #402, firecrawl#786: links and pictures are of the address that a base gives', async () => {
  const { markdown } = await crawl('/based/');
  expect(markdown).toContain(`(${site.url}/base/deep)`);
  expect(markdown).toContain(`(${site.url}/base/quay.png)`);
});

test('crawl4ai#1731: a table has its outer pipes', async () => {
  const table = '<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>';
  routes['/pipes'] = () => html(`<main><h1>Pipes</h1><p>${LAWS}</p>${table}</main>`);
  expect((await crawl('/pipes')).markdown).toMatch(/^\| A \| B \|\n\|[ -]+\|[ -]+\|\n\| 1 \| 2 \|$/m);
});
