import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CrawlResult } from '../../../src-server/features/crawl/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { type LocalSite, serveWith } from '../../harness/local-site.ts';
import { until } from '../../harness/until.ts';

/** The short way to /target leads through the page that answers last; the long way through pages that answer at once. */
const LINKS: Record<string, string[]> = {
  '/': ['/quick', '/late'],
  '/quick': ['/quicker'],
  '/quicker': ['/target'],
  '/late': ['/target'],
  '/target': ['/beyond'],
  '/beyond': [],
};

let appliance: Appliance;
let site: LocalSite;

beforeAll(async () => {
  appliance = await startAppliance();
  const headers = { 'content-type': 'application/json' };
  await appliance.owner('/admin/settings', { method: 'PATCH', headers, body: '{"crawlDelayMs":0}' });
  let quickIsSent = false;
  site = await serveWith(async (request, response) => {
    const path = request.url ?? '';
    const links = LINKS[path];
    if (path === '/late') await until(() => quickIsSent);
    if (path === '/quick') response.on('finish', () => setTimeout(() => (quickIsSent = true), 200));
    const anchors = (links ?? []).map((href) => `<a href="${href}">${href}</a>`).join(' ');
    response.writeHead(links === undefined ? 404 : 200, { 'content-type': 'text/html' });
    response.end(`<title>${path}</title><main><p>This is ${path}.</p>${anchors}</main>`);
  });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await appliance.close();
});

test('a page stands at the length of the shortest way to it, whichever answer comes first', async () => {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ url: site.url, depth: 3 });
  const answer = await appliance.owner('/v1/crawl', { method: 'POST', headers, body });
  const job = await finished(appliance.owner, ((await answer.json()) as Job).jobId);
  expect(job.status, JSON.stringify(job.error)).toBe('completed');
  const { pages } = job.result as CrawlResult;
  expect(Object.fromEntries(pages.map(({ url, depth }) => [url.slice(site.url.length), depth]))).toEqual({
    '/': 0,
    '/quick': 1,
    '/late': 1,
    '/quicker': 2,
    '/target': 2,
    '/beyond': 3,
  });
});
