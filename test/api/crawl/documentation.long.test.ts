/** Documentation that nobody here wrote, served from its Debian packages and crawled with curl as a user would. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CrawlResult } from '../../../src-server/features/crawl/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { PaymentChallenge } from '../../../src-server/features/payments/schema.ts';
import type { SearchAnswer } from '../../../src-server/features/search/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { type LocalSite, serveFolder } from '../../harness/local-site.ts';
import { until } from '../../harness/until.ts';

const PYTHON = '/usr/share/doc/python3-doc/html';
const GIT = '/usr/share/doc/git/html';
const MAX_PAGES = 16;
const PAID_SITE = 'https://git-docs.example';

type CrawlJob = Job & { crawlId: string; result: CrawlResult };

let appliance: Appliance;
let python: LocalSite;
let git: LocalSite;

// The owner may crawl loopback; payers may name public addresses only, and every connection to one ends at git's pages.
beforeAll(async () => {
  python = await serveFolder(PYTHON);
  git = await serveFolder(GIT);
  appliance = await startAppliance({
    network: {
      resolver: async (host) =>
        host.endsWith('.example') ? [{ address: '93.184.216.34', family: 4 }] : [{ address: '127.0.0.1', family: 4 }],
      connector: ({ hostname, port }, _addresses, callback) => {
        const socket = connect(Number(hostname.endsWith('.example') ? new URL(git.url).port : port), '127.0.0.1');
        socket.once('connect', () => callback(null, socket));
        socket.once('error', (error) => callback(error, null));
      },
    },
  });
  const body = JSON.stringify({ crawlDelayMs: 0, crawlMaxPages: MAX_PAGES });
  const headers = { 'content-type': 'application/json' };
  await appliance.owner('/admin/settings', { method: 'PATCH', headers, body });
});
afterAll(async () => {
  await appliance.close();
  await python[Symbol.asyncDispose]();
  await git[Symbol.asyncDispose]();
});

/** What curl prints, as JSON. */
async function curl<Answer>(path: string, body: object, headers: Record<string, string>): Promise<Answer> {
  const given = Object.entries({ 'Content-Type': 'application/json', ...headers }).flatMap(([name, value]) => [
    '-H',
    `${name}: ${value}`,
  ]);
  const { stdout } = await promisify(execFile)('curl', [
    '-s',
    ...given,
    '-d',
    JSON.stringify(body),
    appliance.url + path,
  ]);
  return JSON.parse(stdout) as Answer;
}

/** Pays from one demo wallet, so that what is searched was paid for by the same account. */
let wallet: string | undefined;
async function paid<Answer>(path: string, body: object): Promise<Answer> {
  const { accepts } = await curl<PaymentChallenge>(path, body, {});
  const named: Record<string, string> = wallet === undefined ? {} : { 'X-Demo-Wallet': wallet };
  const signed = await curl<{ payload: string; wallet: string }>('/facilitator/pay', accepts[0] ?? {}, named);
  const { payload } = signed;
  ({ wallet } = signed);
  return curl<Answer>(path, body, { 'X-PAYMENT': payload });
}

function expectWhole({ stats, pages, chunks, search, context, guardrails, skipped }: CrawlResult): void {
  expect(stats).toMatchObject({ pages: MAX_PAGES, endedBy: 'pages' });
  expect(Object.values(stats.verdicts).reduce((sum, count) => sum + count, 0)).toBe(stats.urlsSeen);
  expect(pages).toHaveLength(MAX_PAGES);
  expect(chunks.length).toBeGreaterThan(MAX_PAGES);
  expect(search.pages.every(({ keywords }) => keywords.length > 0)).toBe(true);
  expect(search.pages.reduce((sum, { linkRank }) => sum + linkRank, 0)).toBeCloseTo(1, 3);
  expect(context.digest).toMatch(/^# .+\n/);
  expect(context.tokens).toBeGreaterThan(1000);
  expect(guardrails.pages).toHaveLength(MAX_PAGES);
  expect(skipped.every(({ reason }) => reason.length > 10)).toBe(true);
}

describe.skipIf(!existsSync(PYTHON))('the Python documentation (Debian package python3-doc)', () => {
  test('crawled with curl, it becomes the three outputs, and a sentence of it is found with its page', async () => {
    const headers = { Authorization: `Bearer ${appliance.ownerToken}` };
    const url = `${python.url}/about.html`;
    const { jobId } = await curl<CrawlJob>('/v1/crawl', { url, depth: 2 }, headers);
    const job = (await finished(appliance.owner, jobId)) as CrawlJob;
    expect(job.status, JSON.stringify(job.error)).toBe('completed');
    expectWhole(job.result);
    const query = 'these documents are generated from reStructuredText sources by Sphinx';
    const results = async () => (await curl<SearchAnswer>('/v1/search', { query, filter: { jobId } }, headers)).results;
    await until(async () => (await results()).length > 0);
    const [first] = await results();
    expect(first).toMatchObject({ url, jobId, heading: expect.stringContaining('About these documents') as string });
    expect(first?.text.replace(/\s+/g, ' ')).toContain('generated from reStructuredText sources by Sphinx');
    // What stands around the text on every page is no page's.
    expect(job.result.chunks.some(({ text }) => text.includes('Report a Bug'))).toBe(false);
  });
});

describe.skipIf(!existsSync(GIT))('the documentation of git (Debian package git-doc)', () => {
  test('crawled and searched by a payer with curl: challenge, payment, job, sentence', async () => {
    const url = `${PAID_SITE}/git-add.html`;
    const { crawlId } = await paid<CrawlJob>('/v1/crawl', { url, depth: 2 });
    const job = (await finished(appliance.anonymous, crawlId)) as CrawlJob;
    expect(job.status, JSON.stringify(job.error)).toBe('completed');
    expectWhole(job.result);
    const query = 'updates the index using the current content found in the working tree';
    let results: SearchAnswer['results'] = [];
    await until(async () => {
      ({ results } = await paid<SearchAnswer>('/v1/search', { query }));
      return results.length > 0;
    });
    const found = results.find((result) => result.url === url);
    expect(found).toMatchObject({
      jobId: crawlId,
      heading: expect.stringMatching(/^git-[\w-]+\(1\) Manual Page > [A-Z]+$/) as string,
    });
    expect(found?.text.replace(/\s+/g, ' ')).toContain(query);
  });
});
