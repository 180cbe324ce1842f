import { describe, expect, test } from 'vitest';
import { retryAfterMs } from '../../src-server/features/crawl/fetch-page.ts';
import { HostQueue } from '../../src-server/features/crawl/host-queue.ts';
import type { HostRules } from '../../src-server/features/crawl/robots.ts';
import { openCrawler } from '../harness/crawl-port.ts';
import { serveWith } from '../harness/local-site.ts';

const NOW = Date.UTC(2026, 2, 2, 9, 30);

describe('Retry-After', () => {
  test.each<[string, string, string | undefined, number | null]>([
    ['in seconds', '7', undefined, 7000],
    ['of no seconds', '0', undefined, 0],
    ['longer than a crawl waits', '86400', undefined, 60_000],
    ['as a date, by the date the server put on its answer', at(12), at(2), 10_000],
    ['as a date, where the server’s clock is years behind', at(-1e8 + 5), at(-1e8), 5000],
    ['as a date, by our clock where the server states none', at(9), undefined, 9000],
    ['as a date that has passed', at(-60), at(0), 0],
    ['that is neither', 'soon', undefined, null],
    ['that is negative', '-5', undefined, null],
  ])('%s', (_, header, date, wait) => {
    const headers = { 'retry-after': header, ...(date === undefined ? {} : { date }) };
    expect(retryAfterMs(headers, NOW)).toBe(wait);
  });

  test('is not needed', () => {
    expect(retryAfterMs({}, NOW)).toBeNull();
  });
});

function at(seconds: number): string {
  return new Date(NOW + seconds * 1000).toUTCString();
}

describe('a host', () => {
  const rules = (delayMs: number): HostRules => ({ delayMs, sitemaps: [], refusal: () => null, aiAgents: () => [] });
  function queueWith(delayMs: number): HostQueue {
    const queue = new HostQueue('a.example');
    queue.rules = rules(delayMs);
    return queue;
  }

  test('that asks for a delay is asked once at a time, and not before the delay is over', () => {
    const queue = queueWith(2500);
    expect(queue.waitMs(0)).toBe(0);
    queue.beginHostRequest(0, 100);
    expect(queue.waitMs(1000)).toBeNull();
    queue.active -= 1;
    expect(queue.waitMs(1000)).toBe(1500);
    expect(queue.waitMs(2499)).toBe(1);
    expect(queue.waitMs(2500)).toBe(0);
  });

  test('that asks for none is asked by the setting’s delay, and for a few pages at once', () => {
    const queue = queueWith(0);
    for (let request = 0; request < 6; request += 1) {
      expect(queue.waitMs(request * 100)).toBe(0);
      queue.beginHostRequest(request * 100, 100);
      expect(queue.waitMs(request * 100 + 40)).toBe(request === 5 ? null : 60);
    }
  });

  test('that asks for a pause is left alone for as long, whatever else it allows', () => {
    const queue = queueWith(0);
    queue.pauseHost(1000, 30_000);
    expect(queue.waitMs(2000)).toBe(29_000);
    queue.pauseHost(2000, 10);
    expect(queue.waitMs(2000)).toBe(29_000);
  });

  test('that says it is asked too often is asked half as often and one page at a time, until it is content', () => {
    const queue = queueWith(0);
    for (let request = 0; request < 6; request += 1) queue.beginHostRequest(0, 0);
    // All six were under way together: what they hear counts once.
    for (let request = 0; request < 6; request += 1) queue.slowDown(0, 10, 500);
    queue.active = 0;
    expect(queue.waitMs(10)).toBe(500);
    queue.beginHostRequest(600, 0);
    expect(queue.waitMs(600)).toBeNull();
    queue.active = 0;
    expect(queue.waitMs(600)).toBe(100);
    queue.slowDown(600, 650, 0);
    queue.beginHostRequest(700, 0);
    queue.active = 0;
    expect(queue.waitMs(700)).toBe(200);
    for (let answer = 0; answer < 40; answer += 1) queue.noteHostAnswer();
    for (let request = 0; request < 6; request += 1) {
      expect(queue.waitMs(2000)).toBe(0);
      queue.beginHostRequest(2000, 0);
    }
  });

  test('that says nothing else for minutes, though it answered before, is not asked for more', () => {
    const queue = queueWith(0);
    for (const at of [0, 60_000, 121_000]) queue.slowDown(at, at, 1000);
    expect(queue.rules?.refusal('http://a.example/')).toBeNull();
    queue.noteHostAnswer();
    for (const at of [200_000, 260_000]) queue.slowDown(at, at, 1000);
    expect(queue.rules?.refusal('http://a.example/')).toBeNull();
    queue.slowDown(321_000, 321_000, 1000);
    expect(queue.rules?.refusal('http://a.example/')).toMatchObject({ verdict: 'status' });
  });

  test('loses no page by saying so', async () => {
    let refusals = 4;
    await using site = await serveWith(({ url }, response) => {
      if (url === '/robots.txt') response.writeHead(404).end();
      else if (url === '/busy' && refusals > 0) {
        refusals -= 1;
        response.writeHead(429, { 'retry-after': '0' }).end();
      } else {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(`<title>Open</title><p>It is open at ${url}.</p><a href="/busy">x</a><a href="/other">y</a>`);
      }
    });
    await using crawler = await openCrawler();
    const { pages, skipped } = await crawler.crawl(`${site.url}/`);
    expect(skipped).toEqual([]);
    expect(pages.map(({ url }) => url.slice(site.url.length)).sort()).toEqual(['/', '/busy', '/other']);
  });
});
