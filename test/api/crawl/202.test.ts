import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CrawlResult } from '../../../src-server/features/crawl/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { type LocalSite, serveWith } from '../../harness/local-site.ts';

const PAGES: Record<string, string> = {
  '/': page('Harbour Office', 'The harbour office opens at seven and closes at nine.', ['/tides', '/berths?b=2&a=1']),
  '/tides': page('Tides', 'High water comes about fifty minutes later every day.', ['/', '/deep']),
  '/berths?a=1&b=2': page('Berths', 'A berth for a week costs less than seven single nights.', []),
  '/tides?render': page('Tides again', 'High water also comes where scripts are run.', []),
  '/deep': page('Deep water', 'The deep channel is dredged every other spring.', []),
};

function page(title: string, text: string, links: string[]): string {
  const anchors = links.map((href) => `<a href="${href}">to ${href}</a>`).join(' ');
  return `<!doctype html><html lang="en"><title>${title}</title><body><nav>Menu ${anchors}</nav>
    <main><h1>${title}</h1><p>${text}</p></main><footer>All berths reserved</footer></body></html>`;
}

let appliance: Appliance;
let site: LocalSite;

beforeAll(async () => {
  appliance = await startAppliance();
  site = await serveWith((request, response) => {
    const body = PAGES[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
  });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await appliance.close();
});

function crawl(body: object, others: Record<string, string> = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...others };
  return appliance.owner('/v1/crawl', { method: 'POST', headers, body: JSON.stringify(body) });
}

type CrawlJob = Job & { crawlId: string; rootUrl: string; result: CrawlResult };

describe('POST /crawl', () => {
  test('answers with crawlId, the normal form of the address and the address of the job', async () => {
    const answer = await crawl({ url: `${site.url.toUpperCase()}/?utm_source=mail#top`, depth: 0 });
    expect(answer.status).toBe(202);
    const accepted = (await answer.json()) as CrawlJob;
    expect(accepted).toMatchObject({ status: 'queued', rootUrl: `${site.url}/`, jobId: accepted.crawlId });
    expect(accepted.crawlId).toMatch(/^crl_/);
    expect(accepted.statusUrl).toBe(`${appliance.baseUrl}/jobs/${accepted.crawlId}`);
    const job = (await finished(appliance.owner, accepted.crawlId)) as CrawlJob;
    expect(job.status, JSON.stringify(job.error)).toBe('completed');
    expect(job.result.pages.map(({ url }) => url)).toEqual([`${site.url}/`]);
  });

  test('ends with pages, chunks, search, context and guardrails, and one verdict for every URL', async () => {
    const accepted = (await (await crawl({ url: site.url, depth: 1 })).json()) as CrawlJob;
    const { result, ...job } = (await finished(appliance.owner, accepted.jobId)) as CrawlJob;
    expect(job.status, JSON.stringify(job.error)).toBe('completed');
    expect(result.pages.map(({ url, depth }) => [url.slice(site.url.length), depth]).sort()).toEqual([
      ['/', 0],
      ['/berths?a=1&b=2', 1],
      ['/tides', 1],
    ]);
    const tides = result.chunks.find(({ url }) => url === `${site.url}/tides`);
    expect(tides).toMatchObject({ heading: 'Tides', page: 1 });
    expect(tides?.text).toContain('High water comes about fifty minutes later every day.');
    expect(tides?.text).not.toContain('reserved');
    expect(result.search.pages.find(({ url }) => url === `${site.url}/tides`)?.anchors).toEqual(['to /tides']);
    expect(result.context.digest).toContain('# Harbour Office');
    expect(result.guardrails.pages[0]?.language).toEqual({ code: 'en', confidence: 'stated' });
    expect(result.skipped).toEqual([
      { url: `${site.url}/deep`, verdict: 'depth', reason: expect.stringContaining('2 links away') as string },
    ]);
    for (const name of ['pages.jsonl', 'chunks.jsonl', 'llms.txt', 'graph.json', 'ledger.jsonl']) {
      const file = result.files.find((one) => one.name === name);
      const text = await (await fetch(file?.url ?? '')).text();
      expect(text.length, name).toBeGreaterThan(20);
    }
  });

  test('answers a repeated request with the fields of the first acceptance, also when the crawl has completed', async () => {
    const body = { url: `${site.url}/berths?a=1&b=2`, depth: 0 };
    const { etaSeconds, ...first } = (await (await crawl(body)).json()) as Record<string, unknown>;
    expect(etaSeconds).toBeTypeOf('number');
    const job = (await finished(appliance.owner, String(first.crawlId))) as CrawlJob;
    expect(job.status, JSON.stringify(job.error)).toBe('completed');
    const again = await crawl(body);
    expect([again.status, again.headers.get('location')]).toEqual([202, first.statusUrl]);
    expect(await again.json()).toEqual({ ...first, status: 'completed' });
  });

  test('brings the completed crawl where a repeated request waits, as the first one does', async () => {
    const body = { url: `${site.url}/tides`, depth: 0 };
    const wait = { prefer: 'wait=60' };
    const first = (await (await crawl(body, wait)).json()) as CrawlJob;
    expect(first).toMatchObject({ status: 'completed', rootUrl: body.url, crawlId: first.jobId });
    expect(first.result.pages[0]?.markdown).toMatch(/^# Tides\n\nHigh water comes about fifty minutes later/);
    const again = await crawl(body, wait);
    expect(again.headers.get('preference-applied')).toBe('wait=60');
    const { result, crawlId, rootUrl } = (await again.json()) as CrawlJob;
    expect({ result, crawlId, rootUrl }).toEqual({ result: first.result, crawlId: first.crawlId, rootUrl: body.url });
    const { result: none } = (await (await crawl(body, { prefer: 'wait=0' })).json()) as Partial<CrawlJob>;
    expect(none).toBeUndefined();
  });

  test('gives the same crawl for the same root and depth, and another for another depth', async () => {
    const first = (await (await crawl({ url: site.url, depth: 2 })).json()) as CrawlJob;
    await finished(appliance.owner, first.jobId);
    const again = (await (await crawl({ url: `${site.url}/#again`, depth: 2 })).json()) as CrawlJob;
    expect(again.crawlId).toBe(first.crawlId);
    const other = (await (await crawl({ url: site.url, depth: 3 })).json()) as CrawlJob;
    expect(other.crawlId).not.toBe(first.crawlId);
    const job = (await finished(appliance.owner, other.jobId)) as CrawlJob;
    expect(job.result.pages).toHaveLength(4);
    expect(job.result.pages.every(({ markdown }) => markdown === undefined)).toBe(true);
  });

  test('is another crawl once the setting for scripts has changed, and the same one where the request names it', async () => {
    const render = (crawlRender: string) =>
      appliance.owner('/admin/settings', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ crawlRender }),
      });
    const idOf = async (body: object) =>
      ((await (await crawl({ url: `${site.url}/tides?render`, depth: 0, ...body })).json()) as CrawlJob).crawlId;
    const plain = await idOf({});
    await render('auto');
    const auto = await idOf({});
    expect(auto).not.toBe(plain);
    expect(await idOf({ render: 'never' })).toBe(plain);
    await render('never');
    expect(await idOf({})).toBe(plain);
    expect(await idOf({ render: 'auto' })).toBe(auto);
  });

  test('reuses a crawl within maxAge, and crawls again past it, requesting what changed', async () => {
    const body = { url: `${site.url}/deep`, depth: 0 };
    const ids: string[] = [];
    for (const maxAge of [undefined, 3600, 0, undefined]) {
      const { jobId } = (await (await crawl({ ...body, maxAge })).json()) as CrawlJob;
      ids.push(jobId);
      await finished(appliance.owner, jobId);
    }
    const [first, within, past, newest] = ids;
    expect([within, newest]).toEqual([first, past]);
    expect(past).not.toBe(first);
  });
});
