import { expect, test } from 'vitest';
import { openCrawler } from '../harness/crawl-port.ts';
import { serveWith } from '../harness/local-site.ts';
import { until } from '../harness/until.ts';

const PAGE_LIMIT_MS = 1000;
const DRIP_MS = 20;
/** A page that has begun and drips would do so again. */
const ATTEMPTS = 1;

test.concurrent('a page that drips without end is given up with its reason, its connection closed, and the others are read', async () => {
  let dripping = 0;
  await using site = await serveWith((request, response) => {
    if (request.url === '/robots.txt') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html' });
    if (request.url !== '/drip') {
      response.end(
        `<title>Open</title><p>The harbour is open at ${request.url}.</p><a href="/drip">x</a><a href="/open">y</a>`,
      );
      return;
    }
    dripping += 1;
    const timer = setInterval(() => response.write('<p>drop</p>'), DRIP_MS);
    response.on('close', () => {
      clearInterval(timer);
      dripping -= 1;
    });
  });
  await using crawler = await openCrawler();
  const result = await crawler.crawl(`${site.url}/`, { limits: { pageLimitMs: PAGE_LIMIT_MS } });
  expect(result.pages.map(({ url }) => url).sort()).toEqual([`${site.url}/`, `${site.url}/open`]);
  expect(result.skipped).toEqual([
    { url: `${site.url}/drip`, verdict: 'unreachable', reason: expect.stringMatching(/did not answer in time/) },
  ]);
  expect(result.stats.endedBy).toBe('done');
  expect(site.requests.filter((path) => path === '/drip')).toHaveLength(ATTEMPTS);
  await until(() => dripping === 0);
});

/** Neither its pauses nor its whole time end it: 250 bytes a second. */
test.concurrent('a page below the least rate is given up long before its time is over, and tried once', async () => {
  await using site = await serveWith((request, response) => {
    if (request.url === '/robots.txt') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html' });
    const timer = setInterval(() => response.write('<p></p>'.slice(0, 5)), DRIP_MS);
    response.on('close', () => clearInterval(timer));
  });
  await using crawler = await openCrawler();
  const crawl = crawler.crawl(`${site.url}/`, { limits: { pageLimitMs: 3_600_000, timeLimitMs: 3_600_000 } });
  await expect(crawl).rejects.toMatchObject({ code: 'source_unreachable' });
  expect(site.requests).toEqual(['/robots.txt', '/']);
});
