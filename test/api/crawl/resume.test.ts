import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CrawlResult } from '../../../src-server/features/crawl/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { type LocalSite, serveWith } from '../../harness/local-site.ts';
import { until } from '../../harness/until.ts';

type CrawlJob = Job & { result: CrawlResult };
const PAGES = 60;
const json = { 'content-type': 'application/json' };

let appliance: Appliance;
let site: LocalSite;
/** Pages from this number on are held back until the test lets them go. */
let openUpTo = PAGES;

beforeAll(async () => {
  appliance = await startAppliance();
  await appliance.owner('/admin/settings', { method: 'PATCH', headers: json, body: '{"crawlDelayMs":0}' });
  site = await serveWith(async (request, response) => {
    const number = Number(
      /^\/(\d+)$/.exec(request.url ?? '')?.[1] ?? (/^\/(index)?$/.test(request.url ?? '') ? 0 : Number.NaN),
    );
    if (Number.isNaN(number)) {
      response.writeHead(404).end();
      return;
    }
    if (number > openUpTo) await until(() => number <= openUpTo || response.destroyed);
    const links = number === 0 ? Array.from({ length: PAGES - 1 }, (_, index) => `<a href="/${index + 1}">x</a>`) : [];
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(
      `<title>${number}</title><main><p>This is page number ${number} of the site.</p>${links.join('')}</main>`,
    );
  });
});
afterAll(async () => {
  openUpTo = PAGES;
  await site[Symbol.asyncDispose]();
  await appliance.close();
});

async function begin(depth: number, path = '/'): Promise<string> {
  const body = JSON.stringify({ url: site.url + path, depth });
  const answer = await appliance.owner('/v1/crawl', { method: 'POST', headers: json, body });
  return ((await answer.json()) as Job).jobId;
}

async function pagesRead(jobId: string): Promise<number> {
  const job = (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Job;
  return Number(/^(\d+) pages read/.exec(job.progress.message)?.[1] ?? 0);
}

test('a crawl that a restart interrupted goes on, and asks for nothing again that it has read', async () => {
  openUpTo = 30;
  const read = ['/', ...Array.from({ length: openUpTo }, (_, index) => `/${index + 1}`)];
  const jobId = await begin(1);
  // All that it is given: the others are asked for, and held.
  await until(async () => (await pagesRead(jobId)) === read.length);
  const before = site.requests.length;
  await appliance.restart();
  openUpTo = PAGES;
  const job = (await finished(appliance.owner, jobId)) as CrawlJob;
  expect(job.status, JSON.stringify(job.error)).toBe('completed');
  expect(job.result.pages).toHaveLength(PAGES);
  expect(new Set(job.result.pages.map(({ url }) => url)).size).toBe(PAGES);
  expect(site.requests.slice(before).filter((path) => read.includes(path))).toEqual([]);
});

test('a crawl that is cancelled asks for nothing more', async () => {
  openUpTo = 0;
  const asked = site.requests.length;
  const jobId = await begin(2);
  await until(() => site.requests.slice(asked).includes('/5'));
  expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
  const job = await finished(appliance.owner, jobId);
  expect(job.error?.code).toBe('cancelled');
  openUpTo = PAGES;
  const other = (await finished(appliance.owner, await begin(0, '/index'))) as CrawlJob;
  expect(other.status).toBe('completed');
  // robots.txt and the root twice, and what was under way at the host when the crawl was cancelled.
  expect(site.requests.slice(asked).length).toBeLessThanOrEqual(12);
});

test('a limit on pages ends a crawl with what it has', async () => {
  await appliance.owner('/admin/settings', { method: 'PATCH', headers: json, body: '{"crawlMaxPages":7}' });
  openUpTo = PAGES;
  const job = (await finished(appliance.owner, await begin(1, '/index'))) as CrawlJob;
  expect(job.status, JSON.stringify(job.error)).toBe('completed');
  expect(job.result.stats).toMatchObject({ pages: 7, endedBy: 'pages' });
  expect(job.result.skipped.every(({ verdict }) => verdict === 'limit')).toBe(true);
});
