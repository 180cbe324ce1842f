/** The server is killed while a crawl's outputs are put together: what was fetched stays, and every output comes once. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CrawlResult } from '../../../src-server/features/crawl/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { type ApplianceProcess, startApplianceProcess } from '../../harness/appliance-process.ts';
import { finished } from '../../harness/jobs.ts';
import { type LocalSite, serveWith } from '../../harness/local-site.ts';

type CrawlJob = Job & { result: CrawlResult };

/** Eight parts of the outputs: after the first there is enough left to be killed in. */
const PAGES = 1000;
const WAIT_MS = 600_000;
/** A machine that does other things may be looked at too late again and again. */
const ATTEMPTS_MAX = 50;
/** Time between two looks: short, since the stages of a small site are. */
const LOOK_MS = 2;
const json = { 'content-type': 'application/json' };

let appliance: ApplianceProcess;
let site: LocalSite;
let crawls = 0;
beforeAll(async () => {
  appliance = await startApplianceProcess();
  const body = JSON.stringify({ crawlDelayMs: 0, crawlMaxPages: 2 * PAGES });
  await appliance.owner('/admin/settings', { method: 'PATCH', headers: json, body });
  site = await serveWith((request, response) => {
    const number = Number(/^\/page\/(\d+)(?:\?crawl=\d+)?$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
    if (!(number < PAGES)) {
      response.writeHead(404).end();
      return;
    }
    const links =
      number === 0 ? Array.from({ length: PAGES - 1 }, (_, page) => `<a href="/page/${page + 1}">x</a>`) : [];
    const berths = Array.from(
      { length: 20 },
      (_, berth) => `<p>Berth ${berth} of harbour ${number} is free at noon.</p>`,
    );
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<title>${number}</title><main><h1>Harbour ${number}</h1>${berths.join('')}${links.join('')}</main>`);
  });
}, WAIT_MS);
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await appliance[Symbol.asyncDispose]();
});

const folderOf = (jobId: string) =>
  join(appliance.dataDir, 'production/jobs', jobId.slice(4, 6).toLowerCase(), jobId, 'work');

function filesIn(folder: string): string[] | null {
  try {
    return readdirSync(folder);
  } catch {
    // It is not there yet, or no more.
    return null;
  }
}

/** A crawl that is stopped where a file so named has just appeared; null when it was too fast for that. */
async function killedAt(ending: string): Promise<string | null> {
  // The same request would be answered with the same job.
  crawls += 1;
  const body = JSON.stringify({ url: `${site.url}/page/0?crawl=${crawls}`, depth: 1 });
  const answer = await appliance.owner('/v1/crawl', { method: 'POST', headers: json, body });
  const { jobId } = (await answer.json()) as Job;
  // It comes with the first output and goes when all are whole.
  const parts = join(folderOf(jobId), 'parts');
  const deadline = performance.now() + WAIT_MS;
  for (let hasBegun = false, files = filesIn(parts); ; hasBegun ||= files !== null, files = filesIn(parts)) {
    if (files?.some((name) => name.endsWith(ending))) break;
    if (hasBegun && files === null) return null;
    if (performance.now() > deadline) throw new Error('The outputs are never begun.');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  await appliance.kill('SIGKILL');
  const isInTheMiddle = existsSync(parts);
  await appliance.restart();
  return isInTheMiddle ? jobId : null;
}

async function lines<Line>(result: CrawlResult, name: string): Promise<Line[]> {
  const url = new URL(result.files.find((file) => file.name === name)?.url ?? '');
  const text = await (await appliance.owner(url.pathname + url.search)).text();
  const all = text.split('\n').filter((line) => line !== '');
  return all.map((line) => JSON.parse(line) as Line);
}

test.each([
  ['compared', '.nodes.jsonl'],
  ['written', '.pages.jsonl'],
])(
  'a crawl that was killed while its pages are %s asks for no page again, and has each output once',
  async (_, ending) => {
    let asked = site.requests.length;
    let jobId = await killedAt(ending);
    for (let attempts = 1; jobId === null && attempts < ATTEMPTS_MAX; attempts += 1) {
      asked = site.requests.length;
      jobId = await killedAt(ending);
    }
    const job = (await finished(appliance.owner, jobId ?? '', WAIT_MS)) as CrawlJob;
    expect(job.status, JSON.stringify(job.error)).toBe('completed');
    const paths = site.requests.slice(asked).filter((path) => path !== '/robots.txt');
    expect(paths).toHaveLength(PAGES);
    expect(new Set(paths).size).toBe(PAGES);

    const { result } = job;
    expect(result.stats).toMatchObject({ pages: PAGES, urlsSeen: PAGES, endedBy: 'done' });
    expect(result.pages).toHaveLength(PAGES);
    const pages = await lines<{ url: string }>(result, 'pages.jsonl');
    expect(pages.map(({ url }) => url)).toEqual(result.pages.map(({ url }) => url));
    expect(new Set(pages.map(({ url }) => url)).size).toBe(PAGES);
    const chunks = await lines<{ id: string }>(result, 'chunks.jsonl');
    expect(chunks).toHaveLength(result.stats.chunks);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
    expect(await lines(result, 'ledger.jsonl')).toHaveLength(PAGES);
    expect(existsSync(join(folderOf(job.jobId), 'parts'))).toBe(false);
  },
  5 * WAIT_MS,
);
