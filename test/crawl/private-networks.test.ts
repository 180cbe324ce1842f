import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Crawler, openCrawler } from '../harness/crawl-port.ts';
import { type LocalSite, serveFiles } from '../harness/local-site.ts';

let crawler: Crawler;
let site: LocalSite;

beforeAll(async () => {
  crawler = await openCrawler();
  site = await serveFiles({ '/': '<p>Nobody outside may read this.</p>' });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await crawler[Symbol.asyncDispose]();
});

test.each(['127.0.0.1', 'localhost', '0x7f000001', '127.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'])(
  'a crawl for others of %s is refused, and nothing is asked for',
  async (host) => {
    const asked = site.requests.length;
    const url = `http://${host}:${new URL(site.url).port}/`;
    await expect(crawler.crawl(url, { allowPrivateNetworks: false })).rejects.toMatchObject({
      code: 'source_forbidden',
    });
    expect(site.requests.length).toBe(asked);
  },
);

test('a host that does not answer is named as the reason', async () => {
  // A port that no system gives to anybody who asks for a free one.
  await expect(crawler.crawl('http://127.0.0.1:1/')).rejects.toMatchObject({
    code: 'source_unreachable',
    retryable: true,
  });
});

test('where private networks are open, the same page is read', async () => {
  expect((await crawler.crawl(`${site.url}/`)).pages).toHaveLength(1);
});
