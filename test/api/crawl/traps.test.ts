import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CrawlResult } from '../../../src-server/features/crawl/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { SearchAnswer } from '../../../src-server/features/search/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { serveWith } from '../../harness/local-site.ts';
import { serveTraps, TRAP_PAGES, TRAP_VERDICTS, type TrapSite } from '../../harness/site-traps.ts';
import { until } from '../../harness/until.ts';

const MIB = 1024 * 1024;
type CrawlJob = Job & { crawlId: string; result: CrawlResult };

let appliance: Appliance;
let site: TrapSite;
let result: CrawlResult;

async function crawl(url: string, depth: number): Promise<CrawlJob> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ url, depth });
  const answer = await appliance.owner('/v1/crawl', { method: 'POST', headers, body });
  return (await finished(appliance.owner, ((await answer.json()) as CrawlJob).jobId)) as CrawlJob;
}

beforeAll(async () => {
  appliance = await startAppliance();
  const headers = { 'content-type': 'application/json' };
  await appliance.owner('/admin/settings', { method: 'PATCH', headers, body: '{"crawlDelayMs":0}' });
  site = await serveTraps();
  const job = await crawl(site.url, 1);
  expect(job.status, JSON.stringify(job.error)).toBe('completed');
  ({ result } = job);
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await appliance.close();
});

function verdictOf(path: string): string | undefined {
  const url = path.startsWith('http') ? path : site.url + path;
  return result.skipped.find((one) => one.url === url)?.verdict;
}

describe('a crawl through traps', () => {
  test.each(Object.entries(TRAP_PAGES).filter(([path]) => path !== '/cycle/b' && path !== '/target'))(
    'reads %s',
    (path, sentence) => {
      expect(
        result.chunks
          .filter(({ url }) => url === site.url + path)
          .map(({ text }) => text)
          .join(' '),
      ).toContain(sentence);
    },
  );

  test.each<readonly [path: string, verdict: string]>([
    ...TRAP_VERDICTS,
    ['http://elsewhere.example/', 'scope'],
    ['http://169.254.169.254/latest/', 'scope'],
  ])('says of %s: %s', (path, verdict) => {
    expect(verdictOf(path)).toBe(verdict);
  });

  test('keeps one of two pages with the same text, and says of the other which', () => {
    const [page, ...others] = result.pages.filter(({ url }) => /\/(twin|target)$/.test(url));
    expect(others).toEqual([]);
    const other = result.skipped.find(({ url }) => /\/(twin|target)$/.test(url));
    expect(other).toMatchObject({ verdict: 'duplicate', reason: expect.stringContaining(page?.url ?? '?') as string });
    expect(result.chunks.filter(({ text }) => text.includes(TRAP_PAGES['/target'] ?? '?'))).toHaveLength(1);
  });

  test('names the rule of robots.txt and its line', () => {
    const private_ = result.skipped.find(({ url }) => url === `${site.url}/private/x`);
    expect(private_?.reason).toBe('robots.txt, line 2: Disallow: /private/');
    expect(result.pages.map(({ url }) => url)).toContain(`${site.url}/private/open`);
  });

  test('never asks for what it may not have, and reads little of what is too large', () => {
    for (const path of ['/private/x', '/nofollow', '/logo.png', '/pixel.gif', '/app.js']) {
      expect(site.requests, path).not.toContain(path);
    }
    expect(site.trapBytes()).toBeLessThan(40 * MIB);
  });

  test('asks for every address once, but for those that said to come again', () => {
    // Each attempt of a job asks for robots.txt; pages are asked for once however many attempts it takes.
    const pages = site.requests.filter((path) => path !== '/robots.txt');
    const repeated = pages.filter((path, index) => pages.indexOf(path) !== index);
    expect(new Set(repeated)).toEqual(new Set(['/flaky', '/broken-gzip']));
  });

  test('goes on without asking again for what did not change, and ends in a calendar without end', async () => {
    const deeper = await crawl(site.url, 3);
    expect(deeper.status, JSON.stringify(deeper.error)).toBe('completed');
    expect(site.conditional()).toBe(1);
    expect(deeper.result.pages.find(({ url }) => url === `${site.url}/`)?.unchanged).toBe(true);
    expect(deeper.result.chunks.some(({ text }) => text.includes('The front page greets'))).toBe(true);
    expect(deeper.result.stats.endedBy).toBe('done');
  });

  test('is found once, however many crawls have read the same', async () => {
    const find = async (more: object) => {
      const body = JSON.stringify({ query: 'front page greets whoever comes', mode: 'lexical', ...more });
      const headers = { 'content-type': 'application/json' };
      const answer = await appliance.owner('/v1/search', { method: 'POST', headers, body });
      return (await answer.json()) as SearchAnswer;
    };
    await until(async () => (await find({})).warnings.length === 0);
    const jobs = (await (await appliance.owner('/v1/jobs?jobType=crawl')).json()) as { jobs: Job[] };
    const having = await Promise.all(jobs.jobs.map(({ jobId }) => find({ filter: { jobId }, limit: 1 })));
    const front = `${site.url}/`;
    expect(having.filter(({ results }) => results[0]?.url === front).length).toBeGreaterThan(1);
    for (const limit of [2, 50]) {
      const { results } = await find({ limit });
      expect(results.filter(({ url }) => url === front)).toHaveLength(1);
      expect(results.length).toBeGreaterThan(1);
    }
  });

  test('asks whole for pages of which an earlier crawl has kept nothing', async () => {
    const kept = readdirSync(appliance.dataDir, { recursive: true, encoding: 'utf8' });
    const records = kept.filter((path) => path.endsWith(join('work', 'pages')));
    expect(records.length).toBeGreaterThan(0);
    for (const path of records) rmSync(join(appliance.dataDir, path), { recursive: true });
    const asked = site.conditional();
    const { status, result: anew } = await crawl(site.url, 0);
    expect([status, site.conditional()]).toEqual(['completed', asked]);
    expect(anew.pages.map(({ unchanged }) => unchanged)).toEqual([false]);
    expect(anew.chunks.some(({ text }) => text.includes('The front page greets'))).toBe(true);
  });

  test('asks whole for pages that an earlier version read in its own way', async () => {
    const kept = readdirSync(appliance.dataDir, { recursive: true, encoding: 'utf8' });
    const ledgers = kept.filter((path) => path.endsWith('ledger.db'));
    expect(ledgers.length).toBeGreaterThan(0);
    for (const path of ledgers) {
      const ledger = new SqliteDatabase(join(appliance.dataDir, path));
      ledger.pragma('user_version = 1');
      ledger.close();
    }
    const asked = site.conditional();
    const rootOf = ({ pages }: CrawlResult) => pages.find(({ url }) => url === `${site.url}/`);
    const { result: anew } = await crawl(site.url, 2);
    expect(rootOf(anew)?.unchanged).toBe(false);
    expect(site.conditional()).toBe(asked);
  });

  test('reads a sitemap index: compressed, as plain text, and one that lists itself', async () => {
    const job = await crawl(`${site.url}/sitemap.xml`, 0);
    expect(job.result.pages.map(({ url }) => url.slice(site.url.length)).sort()).toEqual(['/cycle/a', '/target']);
    expect(job.result.skipped.filter(({ verdict }) => verdict === 'sitemap')).toHaveLength(3);
  });

  test.each([
    ['/gone', 'source_unreachable'],
    ['/private/x', 'robots_disallowed'],
    ['/binary', 'unsupported_media'],
    ['/huge', 'source_too_large'],
    ['/deep-tags', 'corrupt_input'],
  ])('a crawl of %s alone fails with %s', async (path, code) => {
    const job = await crawl(site.url + path, 0);
    expect(job.error?.code).toBe(code);
    expect(job.error?.message).not.toMatch(/\/tmp|node_modules/);
  });

  test('takes pages with a name in their query for pages, a calendar for one, and one page for one in every visit', async () => {
    let visits = 0;
    const links = (form: string) => Array.from({ length: 60 }, (_, at) => `<a href="${form}${at}">${form}${at}</a>`);
    await using forum = await serveWith(({ url = '' }, response) => {
      if (url === '/robots.txt' || url === '/rules') response.writeHead(404).end();
      else {
        visits += 1;
        const visit = visits.toString(16).padStart(32, '0');
        const same = `<a href="/rules;jsessionid=${visit}">Rules</a> <a href="/?sid=${visit}">Front</a>`;
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(
          `<title>T</title><p>This is ${url}.</p>${[same, ...links('/topic?t='), ...links('/?day=')].join('')}`,
        );
      }
    });
    const job = await crawl(`${forum.url}/`, 2);
    expect(job.result.stats).toMatchObject({ pages: 111, endedBy: 'done', verdicts: { pattern: 10, status: 1 } });
    expect(job.result.skipped.find(({ verdict }) => verdict === 'pattern')?.reason).toBe(
      '50 pages of this form were taken: /?day',
    );
    expect(forum.requests.filter((path) => path.includes('rules'))).toEqual(['/rules']);
  });
});
