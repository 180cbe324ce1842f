import { describe, expect, test } from 'vitest';
import type { CrawlLedger } from '../../src-server/features/crawl/frontier.ts';
import { openCrawlLedger } from '../../src-server/features/crawl/frontier.ts';
import { openCrawler } from '../harness/crawl-port.ts';
import { serveWith } from '../harness/local-site.ts';

/** Nothing but the crawl's own answer tells of it: an error that nobody hears ends the whole server. */
describe('a ledger that fails, as on a full disk, ends its crawl with that and nothing beside it', () => {
  test.for([
    ['when the rules of the host have come', 1],
    ['when the first page was read', 2],
    ['in the middle of a level', 3],
  ] as const)('%s', async ([, failsAt]) => {
    await using site = await serveWith((request, response) => {
      const page = Number(request.url?.slice(1) ?? 0);
      if (request.url === '/robots.txt') response.writeHead(404).end();
      else {
        const links = Array.from({ length: 30 }, (_, number) => `<a href="/${page * 30 + number + 1}">on</a>`);
        const text = `<title>Page ${page}</title><p>The harbour is open at berth ${page}.</p>`;
        response.writeHead(200, { 'content-type': 'text/html' }).end(text + links.join(''));
      }
    });
    await using crawler = await openCrawler();
    let taken = 0;
    const openLedger = (path: string): CrawlLedger => {
      const ledger = openCrawlLedger(path);
      const take = ledger.takeLedgerUrls.bind(ledger);
      ledger.takeLedgerUrls = (...what) => {
        taken += 1;
        if (taken >= failsAt) throw new Error('database or disk is full');
        return take(...what);
      };
      return ledger;
    };
    await expect(crawler.crawl(`${site.url}/`, { openLedger, limits: { maxPages: 100 } })).rejects.toThrow(
      /disk is full/,
    );
  });
});
