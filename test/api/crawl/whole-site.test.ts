/** A site of 2,000 pages with every trap a crawl can fall into, crawled once by its compressed sitemaps. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CrawlResult } from '../../../src-server/features/crawl/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { MANY_SITEMAP, manyPath, serveTraps, TRAP_VERDICTS, type TrapSite } from '../../harness/site-traps.ts';

const PAGES = 2000;
const MIB = 1024 * 1024;
const WAIT_MS = 900_000;

interface LedgerLine {
  url: string;
  verdict: string;
  reason: string;
}

let appliance: Appliance;
let site: TrapSite;
let result: CrawlResult;
let ledger: LedgerLine[];

async function file(name: string): Promise<string> {
  return (await fetch(result.files.find((one) => one.name === name)?.url ?? '')).text();
}

async function lines<Line>(name: string): Promise<Line[]> {
  return (await file(name))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

beforeAll(async () => {
  appliance = await startAppliance();
  const headers = { 'content-type': 'application/json' };
  const settings = JSON.stringify({ crawlDelayMs: 0, crawlMaxPages: 2 * PAGES });
  await appliance.owner('/admin/settings', { method: 'PATCH', headers, body: settings });
  site = await serveTraps({ pages: PAGES });
  const body = JSON.stringify({ url: site.url + MANY_SITEMAP, depth: 1 });
  const answer = await appliance.owner('/v1/crawl', { method: 'POST', headers, body });
  const job = await finished(appliance.owner, ((await answer.json()) as Job).jobId, WAIT_MS);
  expect(job.status, JSON.stringify(job.error)).toBe('completed');
  result = job.result as CrawlResult;
  ledger = await lines<LedgerLine>('ledger.jsonl');
}, WAIT_MS);
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await appliance.close();
});

test('every page is read, and asked for once', async () => {
  const pages = await lines<{ url: string; text: string }>('pages.jsonl');
  const texts = new Map(pages.map(({ url, text }) => [url.slice(site.url.length), text]));
  const wanted = Array.from({ length: PAGES }, (_, number) => number);
  const missing = wanted.filter((number) => !texts.get(manyPath(number))?.includes(`Buoy ${number * 12 + 3} lies`));
  expect(missing).toEqual([]);
  const asked = site.requests.filter((path) => path.startsWith('/many/') && path.endsWith('.html'));
  expect(asked).toHaveLength(PAGES);
  expect(new Set(asked).size).toBe(PAGES);
});

test('what stands on all pages belongs to none', async () => {
  const pages = await lines<{ url: string; text: string }>('pages.jsonl');
  expect(pages.filter(({ text }) => text.includes('All berths are lit at night.'))).toEqual([]);
  expect(result.stats.boilerplateBlocks).toBeGreaterThanOrEqual(PAGES);
});

test('every address has one verdict with its reason, and the totals add up', () => {
  expect(new Set(ledger.map(({ url }) => url)).size).toBe(ledger.length);
  const counts: Record<string, number> = {};
  for (const { verdict } of ledger) counts[verdict] = (counts[verdict] ?? 0) + 1;
  expect(result.stats.verdicts).toEqual(counts);
  expect(result.stats).toMatchObject({ urlsSeen: ledger.length, urlsNotKept: 0, pages: counts.page, endedBy: 'done' });
  expect(ledger.filter(({ verdict, reason }) => (verdict === 'page') !== (reason === ''))).toEqual([]);
  const { notInResult } = result.stats;
  expect(result.pages.length + notInResult.pages).toBe(counts.page);
  expect(result.skipped.length + notInResult.skipped).toBe(ledger.length - (counts.page ?? 0));
});

test.each<readonly [path: string, verdict: string]>([
  ...TRAP_VERDICTS,
  ['/loop', 'redirect'],
  ['/calendar?day=60', 'pattern'],
  ['/many/0.xml.gz', 'sitemap'],
  ['/slow', 'page'],
  ['/cyrillic', 'page'],
  ['/flaky', 'page'],
  ['/calendar?day=1', 'page'],
])('the verdict on %s is %s', (path, verdict) => {
  expect(ledger.find(({ url }) => url === site.url + path)?.verdict).toBe(verdict);
});

test('no trap was sent whole, and nothing forbidden was asked for', () => {
  expect(site.trapBytes()).toBeLessThan(40 * MIB);
  for (const path of ['/private/x', '/nofollow', '/logo.png', '/pixel.gif', '/app.js']) {
    expect(site.requests, path).not.toContain(path);
  }
});

test('the files agree with one another', async () => {
  const pages = new Set((await lines<{ url: string }>('pages.jsonl')).map(({ url }) => url));
  const chunks = await lines<{ id: string; url: string; tokens: number }>('chunks.jsonl');
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(result.stats.chunks);
  expect(chunks.filter(({ url, tokens }) => !pages.has(url) || tokens < 1)).toEqual([]);
  const graph = JSON.parse(await file('graph.json')) as { nodes: { url: string; rank: number }[]; edges: number[][] };
  expect(graph.nodes.map(({ url }) => url)).toEqual([...pages]);
  expect(graph.nodes.reduce((sum, { rank }) => sum + rank, 0)).toBeCloseTo(1, 3);
  expect(graph.edges.length).toBeGreaterThan(PAGES);
  expect(graph.edges.flat().every((page) => page >= 0 && page < graph.nodes.length)).toBe(true);
  expect(await file('llms.txt')).toBe(result.context.digest);
});
