/** Who hears of a changed site, and what is kept of its history. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { SitePageVersion, SiteWatch, SiteWatchRun } from '../../src-server/features/watches/schema.ts';
import type { Webhook } from '../../src-server/features/webhooks/schema.ts';
import { SECOND_MS } from '../../src-server/platform/units.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished, okJson } from '../harness/jobs.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

let appliance: Appliance;
let site: LocalSite;
let receiver: LocalSite;
/** Calls to the receiver: path, event, job. */
const calls: { path: string; event: string; jobId: string }[] = [];
let pages: Record<string, string> = {};

beforeAll(async () => {
  appliance = await startAppliance();
  await settings({ crawlDelayMs: 0 });
  site = await serveWith((request, response) => {
    const body = pages[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' });
    response.end(`<title>T</title><main><h1>Tides</h1>${body ?? ''}</main>`);
  });
  receiver = await serveWith(async (request, response) => {
    let text = '';
    for await (const part of request) text += String(part);
    const event = String(request.headers['x-service-event']);
    calls.push({ path: request.url ?? '', event, jobId: (JSON.parse(text) as Job).jobId });
    response.writeHead(204).end();
  });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await appliance.close();
});

async function settings(fields: object): Promise<void> {
  await appliance.owner('/admin/settings', { ...postJson(fields), method: 'PATCH' });
}

const json = <Value>(path: string, init?: RequestInit) => okJson<Value>(appliance.owner, path, init);

const runsOf = async (watchId: string) => (await json<{ runs: SiteWatchRun[] }>(`/admin/watches/${watchId}/runs`)).runs;

/** Makes a watch and waits for its first run. */
async function watch(path: string): Promise<string> {
  const crawl = { url: site.url + path, depth: path === '/' ? 1 : 0 };
  const { watchId } = await json<SiteWatch>('/admin/watches', postJson({ crawl, schedule: { everyMinutes: 1440 } }));
  await until(async () => (await runsOf(watchId)).length > 0);
  await finished(appliance.owner, (await runsOf(watchId))[0]?.jobId ?? '');
  return watchId;
}

/** Runs a watch now, and returns the job. */
async function run(watchId: string): Promise<string> {
  const { jobId } = await json<SiteWatchRun>(`/admin/watches/${watchId}/run`, { method: 'POST' });
  const job = await finished(appliance.owner, jobId);
  expect(job.status, JSON.stringify(job.error)).toBe('completed');
  return jobId;
}

async function account(events: string[], path: string): Promise<string> {
  const { jobId } = await json<Job>('/v1/webhooks', postJson({ url: receiver.url + path, events }));
  const { result } = await finished(appliance.owner, jobId);
  return (result as unknown as Webhook).webhookId;
}

test('webhooks of the account and of a job hear of changes if they name the event', async () => {
  pages = { '/tide': '<p>High water at noon</p>' };
  const ids = [await account(['crawl.changed'], '/changed'), await account([], '/ends')];
  const watchId = await watch('/tide');
  const [first] = await runsOf(watchId);
  pages = { '/tide': '<p>High water at two</p>' };
  const second = await run(watchId);
  const third = await run(watchId);
  // After the end as well: the job knows what it found.
  const late = { url: `${receiver.url}/late`, events: ['crawl.changed', 'job.failed'] };
  await json(`/v1/jobs/${second}/webhooks`, postJson(late));
  await json(`/v1/jobs/${third}/webhooks`, postJson(late));
  // A crawl that is compared with nothing has no changes, whoever asks for them.
  const notify = { url: `${receiver.url}/notify`, events: ['changed'] };
  const crawl = { url: `${site.url}/tide`, depth: 0, maxAge: 0, notify };
  const { jobId: plain } = await json<Job>('/v1/crawl', postJson(crawl));
  expect((await finished(appliance.owner, plain)).events).toEqual(['job.completed', 'job.failed', 'crawl.changed']);

  const crawls = [first?.jobId, second, third, plain];
  const ends = (path: string) =>
    calls.filter((call) => call.path === path && crawls.includes(call.jobId)).map(({ event, jobId }) => [event, jobId]);
  const completed = crawls.map((jobId) => ['job.completed', jobId]);
  await until(() => {
    // Deliveries that wait.
    appliance.clock.advance(SECOND_MS);
    return ends('/ends').length === completed.length && ends('/late').length > 0 && ends('/changed').length > 0;
  });
  expect(ends('/ends').toSorted()).toEqual(completed.toSorted());
  expect(ends('/changed')).toEqual([['crawl.changed', second]]);
  expect(ends('/late')).toEqual([['crawl.changed', second]]);
  expect(ends('/notify')).toEqual([]);
  for (const id of ids) await appliance.owner(`/v1/webhooks/${id}`, { method: 'DELETE' });
  await appliance.owner(`/admin/watches/${watchId}`, { method: 'DELETE' });
});

test('of more runs than the setting keeps, the oldest go; each page keeps its last version', async () => {
  await settings({ watchRunsKept: 3 });
  const links = '<a href="/still">still</a> <a href="/moving">moving</a>';
  pages = { '/': links, '/still': '<p>Nothing happens here.</p>', '/moving': '<p>State 0</p>' };
  const watchId = await watch('/');
  const jobs: string[] = [];
  for (let state = 1; state <= 5; state += 1) {
    pages['/moving'] = `<p>State ${state}</p>`;
    jobs.push(await run(watchId));
  }
  await until(async () => (await runsOf(watchId)).length === 3);
  expect((await runsOf(watchId)).map(({ jobId }) => jobId)).toEqual(jobs.slice(-3).toReversed());
  const versionsOf = async (path: string) => {
    const query = `url=${encodeURIComponent(site.url + path)}`;
    return (await json<{ versions: SitePageVersion[] }>(`/admin/watches/${watchId}/pages?${query}`)).versions;
  };
  // Versions before the kept runs are gone where a later one follows.
  const moving = await versionsOf('/moving');
  expect(moving.map(({ change, jobId }) => [change, jobId])).toEqual(
    jobs
      .slice(-3)
      .toReversed()
      .map((jobId) => ['changed', jobId]),
  );
  expect(moving[0]?.diff).toContain('-State 4\n+State 5');
  expect((await versionsOf('/still')).map(({ change, jobId }) => [change, jobId])).toEqual([['first', null]]);
  const gone = await appliance.owner(`/admin/watches/${watchId}/runs/${jobs[0]}/changes`);
  expect(gone.status).toBe(404);
  const folder = join(appliance.dataDir, 'production', 'watches', watchId);
  await until(() => readdirSync(folder).length === 3);
  await appliance.owner(`/admin/watches/${watchId}`, { method: 'DELETE' });
});

test('diffs above the setting go, the oldest first; the changes stay', async () => {
  await settings({ watchRunsKept: 100, watchDiffsMb: 1 });
  const count = 12;
  const text = (state: number) =>
    Array.from({ length: 60 }, (_, line) => `<p>${`${state * 100 + line} `.repeat(200)}</p>`).join('');
  pages = { '/': Array.from({ length: count }, (_, at) => `<a href="/${at}">${at}</a> `).join('') };
  const write = (state: number) => {
    for (let at = 0; at < count; at += 1) pages[`/${at}`] = `<p>Page ${at}</p>${text(state * count + at)}`;
  };
  write(0);
  const watchId = await watch('/');
  const jobs: string[] = [];
  for (let state = 1; state <= 2; state += 1) {
    write(state);
    jobs.push(await run(watchId));
  }
  const keptOf = async (jobId = '') => {
    const { changes } = await json<{ changes: SitePageVersion[] }>(`/admin/watches/${watchId}/runs/${jobId}/changes`);
    expect(changes).toHaveLength(count);
    return changes.map(({ diffKept, diff }) => diffKept && diff !== null);
  };
  await until(async () => (await keptOf(jobs[0])).every((kept) => !kept));
  expect(new Set(await keptOf(jobs[1]))).toEqual(new Set([true]));
  await appliance.owner(`/admin/watches/${watchId}`, { method: 'DELETE' });
});
