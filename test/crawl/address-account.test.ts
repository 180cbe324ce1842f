/** The account of a crawl has every address that the site names, whatever the site does. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CrawlResult } from '../../src-server/features/crawl/schema.ts';
import { type Crawler, openCrawler } from '../harness/crawl-port.ts';
import { serveWith } from '../harness/local-site.ts';
import { seededRandom } from '../harness/seeded-random.ts';

let crawler: Crawler;
beforeAll(async () => {
  crawler = await openCrawler();
});
afterAll(() => crawler[Symbol.asyncDispose]());

type Answer = { status?: number; headers?: Record<string, string>; body?: string };

/** A site of pages, redirects, errors, files and traps, by its seed. */
function siteOf(seed: number): (path: string) => Answer {
  const random = seededRandom(seed);
  const one = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  const paths = Array.from({ length: 40 }, (_, number) => `/p/${number}`);
  const others = [
    '/x.png',
    '/script.js',
    '/private/a',
    '/file.zip',
    'http://other.example/',
    '/v?date=2026-01-01',
    '#a',
  ];
  const link = () => `<a ${one(['', '', '', 'rel="nofollow" '])}href="${one([...paths, ...others])}">link</a>`;
  const page = (path: string, head = ''): Answer => {
    const links = Array.from({ length: 8 }, link).join(' ');
    const text = one([path, path, 'the same']);
    return {
      body: `<html><head>${head}<title>T</title></head><main><p>Says ${text}.</p>${links}</main><img src="/i.png">`,
    };
  };
  const answers = new Map<string, Answer>();
  for (const path of paths) {
    const kinds: (() => Answer)[] = [
      ...Array.from({ length: 5 }, () => () => page(path)),
      () => page(path, '<meta name="robots" content="noindex">'),
      () => page(path, `<link rel="canonical" href="${one(paths)}">`),
      () => page(path, `<meta http-equiv="refresh" content="0;url=${one(paths)}">`),
      () => ({ status: 302, headers: { location: one(paths) } }),
      () => ({ status: one([404, 410, 403]) }),
      () => ({ headers: { 'content-type': 'image/png' }, body: 'x' }),
      () => ({ headers: { 'content-type': 'text/html' }, body: '%PDF-1.4' }),
      () => ({ body: '<html><body></body><script src="/app.js"></script></html>' }),
    ];
    answers.set(path, one(kinds)());
  }
  answers.set('/', page('/'));
  answers.set('/robots.txt', { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /private/' });
  return (path) => answers.get(path) ?? { status: 404 };
}

async function crawled(seed: number, maxPages: number): Promise<CrawlResult> {
  const answerOf = siteOf(seed);
  await using site = await serveWith(({ url = '' }, response) => {
    const { status = 200, headers = { 'content-type': 'text/html' }, body = '' } = answerOf(url);
    response.writeHead(status, headers).end(body);
  });
  return await crawler.crawl(`${site.url}/`, { limits: { maxPages }, depth: 3 });
}

describe('the account of a crawl', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('has all addresses of site %i', async (seed) => {
    const { account, stats, warnings } = await crawled(seed, seed % 3 === 0 ? 4 : 100);
    const left = account?.leftOut.reduce((sum, { count }) => sum + count, 0) ?? 0;
    expect(account).toMatchObject({ unit: 'addresses', delivered: stats.pages, unexplained: 0 });
    expect(account?.source).toBe(stats.urlsSeen + stats.urlsNotKept);
    expect(account?.source).toBe(stats.pages + left);
    for (const { count, where } of account?.leftOut ?? []) {
      expect(count, where).toBe(stats.verdicts[where.split(' ')[0] ?? '']);
    }
    expect(warnings.join()).not.toContain('neither in the result');
  });

  test('keeps a page that names the front page as canonical, unless it has its text', async () => {
    const story = (name: string) =>
      [1, 2, 3].map((number) => `<p>Part ${number} of what ${name} tells of the harbour.</p>`).join('');
    const head = '<link rel="canonical" href="/">';
    const links = ['/tides', '/print', '/?view=1', '/storms'].map((path) => `<a href="${path}">go</a>`).join('');
    const bodies: Record<string, string> = {
      '/': `<main>${story('the front page')}<p>${links}</p></main>`,
      '/tides': `${head}<main>${story('the page of tides')}</main>`,
      '/storms': `${head}<main>${story('the page of storms')}<p>${links}</p></main>`,
      '/print': `${head}<main>${story('the front page')}<p>To be printed.</p></main>`,
      '/?view=1': `${head}<main>${story('another view')}</main>`,
    };
    await using site = await serveWith(({ url = '' }, response) => {
      const body = bodies[url];
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body);
    });
    const { pages, skipped } = await crawler.crawl(`${site.url}/`);
    expect(pages.map(({ url }) => new URL(url).pathname).sort()).toEqual(['/', '/storms', '/tides']);
    expect(skipped.map(({ url, verdict }) => `${url.slice(site.url.length)} ${verdict}`).sort()).toEqual([
      '/?view=1 duplicate',
      '/print duplicate',
    ]);
  });
});
