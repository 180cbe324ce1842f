import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCrawlLedger } from '../../src-server/features/crawl/frontier.ts';
import { type Crawler, openCrawler } from '../harness/crawl-port.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';

const PATHS = ['/', '/a', '/b', '/c'];

let crawler: Crawler;
let site: LocalSite;
let folder: string;
/** Done before the site says of a page that it did not change. */
let beforeUnchanged: () => void;
/** How often a page was sent whole. */
let whole: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quarry earlier '));
  beforeUnchanged = () => {};
  whole = 0;
  crawler = await openCrawler();
  site = await serveWith((request, response) => {
    if (!PATHS.includes(request.url ?? '')) return void response.writeHead(404).end();
    if (request.headers['if-none-match'] === '"1"') {
      beforeUnchanged();
      return void response.writeHead(304).end();
    }
    whole += 1;
    const links = PATHS.map((path) => `<a href="${path}">${path}</a>`).join(' ');
    const text = `<title>${request.url}</title><p>The harbour of ${request.url} is open.</p>${links}`;
    response.writeHead(200, { 'content-type': 'text/html', etag: '"1"' }).end(text);
  });
});
afterEach(async () => {
  await site[Symbol.asyncDispose]();
  await crawler[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function crawlAgain() {
  const lost: unknown[] = [];
  const options = { earlierFolder: () => folder, onEarlierLost: (error: unknown) => void lost.push(error) };
  const { pages, skipped } = await crawler.crawl(`${site.url}/`, options);
  return { pages: pages.map(({ unchanged }) => unchanged), skipped, lost: lost.length };
}

describe('an earlier crawl of the same root', () => {
  beforeEach(async () => {
    await crawler.crawl(`${site.url}/`, { workFolder: folder });
    expect(whole).toBe(4);
  });

  test('saves its pages from being sent again', async () => {
    expect(await crawlAgain()).toMatchObject({ pages: [true, true, true, true], lost: 0 });
    expect(whole).toBe(4);
  });

  test.each([
    ['is no database', 1, () => Buffer.from('nothing that SQLite could read'.repeat(300))],
    [
      'is damaged within',
      1,
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 7)]),
    ],
    ['holds nothing', 0, () => Buffer.alloc(0)],
  ])('whose ledger %s is passed over (times that it is said: %i)', async (_what, times, damage) => {
    const path = join(folder, 'ledger.db');
    for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true });
    writeFileSync(path, damage(readFileSync(path)));
    expect(await crawlAgain()).toEqual({ pages: [false, false, false, false], skipped: [], lost: times });
    expect(whole).toBe(8);
  });

  test('that is removed during the new one costs no page', async () => {
    beforeUnchanged = () => rmSync(join(folder, 'pages'), { recursive: true, force: true });
    expect(await crawlAgain()).toEqual({ pages: [false, false, false, false], skipped: [], lost: 1 });
    expect(whole).toBe(8);
  });

  test('that cannot be looked for leaves no ledger open', async () => {
    let open = 0;
    const openLedger = (path: string) => {
      const ledger = openCrawlLedger(path);
      const close = ledger.closeCrawlLedger.bind(ledger);
      open += 1;
      ledger.closeCrawlLedger = () => {
        open -= 1;
        close();
      };
      return ledger;
    };
    const earlierFolder = () => {
      throw new Error('The database is gone.');
    };
    await expect(crawler.crawl(`${site.url}/`, { openLedger, earlierFolder })).rejects.toThrow(/database is gone/);
    expect(open).toBe(0);
  });
});
