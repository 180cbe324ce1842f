/** The account of letters of crawled pages. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CrawlResult } from '../../src-server/features/crawl/schema.ts';
import { type Crawler, openCrawler } from '../harness/crawl-port.ts';
import { serveWith } from '../harness/local-site.ts';

const PAGES = new URL('../fixtures/pages/', import.meta.url);

const STORY = Array.from(
  { length: 6 },
  (_, part) => `<p>Part ${part} tells of the harbour, its pilots and its tides, at length, and with many commas.</p>`,
).join('');

let crawler: Crawler;
beforeAll(async () => {
  crawler = await openCrawler();
});
afterAll(() => crawler[Symbol.asyncDispose]());

async function crawled(pages: Record<string, string>, depth = 0): Promise<CrawlResult> {
  await using site = await serveWith(({ url = '' }, response) => {
    const body = pages[url];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
  });
  return await crawler.crawl(`${site.url}/`, { depth });
}

const lettersIn = (text: string) => [...text.matchAll(/[\p{L}\p{N}]/gu)].length;

function reasonsOf({ letters }: CrawlResult): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reason, count } of letters?.leftOut ?? []) counts[reason] = (counts[reason] ?? 0) + count;
  return counts;
}

function expectBalance({ letters }: CrawlResult): void {
  const left = letters?.leftOut.reduce((sum, { count }) => sum + count, 0) ?? 0;
  expect(letters?.source).toBe((letters?.delivered ?? 0) + left + (letters?.unexplained ?? 0));
}

describe('the account of letters of pages', () => {
  test.each(readdirSync(PAGES))('of %s is balanced', async (name) => {
    const result = await crawled({ '/': readFileSync(new URL(name, PAGES), 'utf8') });
    expectBalance(result);
    expect(result.letters).toMatchObject({ unit: 'letters', unexplained: 0 });
  });

  test('says what is left out of a page, and why', async () => {
    const result = await crawled({
      '/': `<title>Not counted</title><style>a{}</style><nav>Menu one</nav><main><h1>Tides</h1>${STORY}
        <p hidden>Secret</p><p style="display:none">Also <script>no()</script>secret</p><svg><text>Chart</text></svg>
        <canvas>Fallback</canvas><iframe srcdoc="<p>Framed"></iframe></main><p>Beside it</p><footer>Imprint<script>no()</script></footer>`,
    });
    expectBalance(result);
    const delivered = lettersIn(`Tides${STORY.replace(/<[^>]*>/g, '')}`);
    expect(result.letters).toMatchObject({ delivered, unexplained: 0 });
    expect(reasonsOf(result)).toEqual({
      navigation: lettersIn('Menu one Beside it Imprint'),
      hidden: lettersIn('Secret Also secret'),
      'embedded-picture': lettersIn('Chart'),
      'unsupported-part': lettersIn('Fallback Framed'),
    });
    expect(result.letters?.leftOut[0]).toMatchObject({ sample: 'Menu one Beside it Imprint' });
    expect(result.warnings).toEqual([]);
  });

  test('keeps prose inside the content that looks like furniture', async () => {
    const sentence = 'The keeper of the lamp was never heard of again, they say. ';
    const lost = `<div class="widget combx"><p>${sentence.repeat(3)}</p></div>`;
    const head = '<title>Tides</title><script type="application/ld+json">{"@type":"NewsArticle"}</script>';
    const body = `<div><h1>Tides</h1>${STORY}${lost}${STORY.replaceAll('Part', 'Later part')}</div>`;
    const result = await crawled({ '/': `<html><head>${head}</head><body>${body}</body></html>` });
    expectBalance(result);
    expect(result.chunks.map(({ text }) => text).join(' ')).toContain('never heard of again');
    expect(result.letters?.unexplained).toBe(0);
    expect(result.warnings).toEqual([]);
  });

  test('of a site counts what repeats on its pages', async () => {
    const names = Array.from({ length: 8 }, (_, number) => `/p${number}`);
    const links = names.map((name) => `<a href="${name}">${name}</a>`).join(' ');
    const page = (name: string) =>
      `<main><p>Words that only ${name} has of the harbour.</p><p>On every page.</p></main>`;
    const pages = Object.fromEntries(names.map((name) => [name, page(name)]));
    const result = await crawled({ '/': `<main>${links}</main>`, ...pages }, 1);
    expectBalance(result);
    expect(reasonsOf(result)).toEqual({ 'repeated-header-or-footer': 8 * lettersIn('On every page') });
    expect(result.letters?.unexplained).toBe(0);
  });

  test('of a page with too many elements says what is beyond the limit', async () => {
    const result = await crawled({ '/': `<main>${'<p>ab</p>'.repeat(200_010)}</main>` });
    expectBalance(result);
    expect(reasonsOf(result)).toEqual({ 'over-limit': 2 * 11 });
  });

  test('reads what a page of frames has for others, and names frames that are not read', async () => {
    const frames = await crawled({
      '/': '<frameset cols="1,2"><frame src="/menu"><noframes><body><p>Tides by telephone.</p></body></noframes></frameset>',
    });
    expect(frames.chunks.map(({ text }) => text)).toEqual(['Tides by telephone.']);
    expectBalance(frames);
    const framed = await crawled({ '/': '<h1>Tides</h1><iframe src="/table.html"></iframe>' });
    expect(framed.letters?.leftOut).toEqual([
      expect.objectContaining({ reason: 'unsupported-part', count: 0, sample: expect.stringContaining('/table.html') }),
    ]);
    expect(framed.warnings).toEqual([
      expect.stringMatching(/shows a frame that is not read. Crawl http:.*\/table.html/),
    ]);
  });

  test('of a page whose connection ends before its stated length has what came, and a warning', async () => {
    await using site = await serveWith(({ url }, response) => {
      if (url !== '/') response.writeHead(404).end();
      else {
        const fields = ['content-type: text/html', 'content-length: 5000', 'connection: close'].join('\r\n');
        response.socket?.end(`HTTP/1.1 200 OK\r\n${fields}\r\n\r\n<main><h1>Tides</h1>${STORY}</main>`);
      }
    });
    const result = await crawler.crawl(`${site.url}/`, { depth: 0 });
    expect(result.chunks.map(({ text }) => text).join(' ')).toContain('Part 5 tells');
    expect(result.warnings).toEqual([expect.stringContaining('The connection ended within the page')]);
    expect(site.requests.filter((path) => path === '/')).toHaveLength(3);
  });
});
