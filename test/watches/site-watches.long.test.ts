import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CrawlResult, SiteChanges } from '../../src-server/features/crawl/schema.ts';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import {
  MAX_SITE_WATCHES,
  type SitePageVersion,
  type SiteWatch,
  type SiteWatchRun,
} from '../../src-server/features/watches/schema.ts';
import { openSqlite } from '../../src-server/platform/db/sqlite.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src-server/platform/units.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { until } from '../harness/until.ts';

type CrawlJob = Job & { result: CrawlResult & { changes: SiteChanges } };

interface ServedPage {
  body?: string;
  etag?: string;
  status?: number;
  location?: string;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

let appliance: Appliance;
let site: LocalSite;
/** What the site serves, by path. */
let pages: Record<string, ServedPage> = {};
let isDown = false;
/** Statuses that the site answered, by path. */
let answered: string[] = [];

beforeAll(async () => {
  appliance = await startAppliance();
  await settings({ crawlDelayMs: 0 });
  site = await serveWith((request, response) => {
    const path = request.url ?? '';
    const { body = '', etag, status = 200, location } = pages[path] ?? { status: 404 };
    const isSame = etag !== undefined && request.headers['if-none-match'] === etag;
    const given = isDown && path !== '/robots.txt' ? 503 : isSame ? 304 : status;
    answered.push(`${given} ${path}`);
    const headers = { 'content-type': 'text/html', ...(etag && { etag }), ...(location && { location }) };
    response.writeHead(given, headers).end(given === 200 ? body : '');
  });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await appliance.close();
});

async function settings(fields: object): Promise<void> {
  await appliance.owner('/admin/settings', { method: 'PATCH', headers: JSON_HEADERS, body: JSON.stringify(fields) });
}

async function send(method: string, path: string, value?: unknown): Promise<Response> {
  const body = value === undefined ? {} : { headers: JSON_HEADERS, body: JSON.stringify(value) };
  return appliance.owner(`/admin/watches${path}`, { method, ...body });
}

async function watch(fields: object): Promise<SiteWatch> {
  const answer = await send('POST', '', { schedule: { everyMinutes: 60 }, ...fields });
  const made = (await answer.json()) as SiteWatch;
  expect(answer.status, JSON.stringify(made)).toBe(201);
  return made;
}

async function read<Value>(path: string): Promise<Value> {
  const answer = await send('GET', path);
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as Value;
}

async function runsOf(watchId: string): Promise<SiteWatchRun[]> {
  return (await read<{ runs: SiteWatchRun[] }>(`/${watchId}/runs`)).runs;
}

/** Waits for the end of the run with this number, from 1, and returns its job. */
async function jobOfRun(watchId: string, number: number): Promise<CrawlJob> {
  await until(async () => (await runsOf(watchId)).length >= number);
  const run = (await runsOf(watchId)).at(-number);
  const job = (await finished(appliance.owner, run?.jobId ?? '')) as CrawlJob;
  expect(job.status, JSON.stringify(job.error)).toBe('completed');
  return job;
}

function page(text: string, links: readonly string[] = [], etag?: string): ServedPage {
  const named = links.map((path) => `<p><a href="${path}">To ${path}</a></p>`).join('');
  return { body: `<title>T</title><main><h1>Head</h1>${text}${named}</main>`, ...(etag && { etag }) };
}

const paragraphs = (...texts: string[]) => texts.map((text) => `<p>${text}</p>`).join('');

test('a run reports what was added, changed, removed, gone and moved, once to its webhook', async () => {
  const calls: { event: string | undefined; body: CrawlJob }[] = [];
  await using receiver = await serveWith(async (request, response) => {
    let text = '';
    for await (const part of request) text += String(part);
    calls.push({ event: request.headers['x-service-event'] as string, body: JSON.parse(text) as CrawlJob });
    response.writeHead(204).end();
  });
  const links = ['/same', '/noise', '/edited', '/dropped', '/gone', '/moved', '/broken'];
  pages = {
    '/': page('<p>Welcome.</p>', links, '"root"'),
    '/same': page('<p>This stays.</p>', [], '"same"'),
    '/noise': page(paragraphs('Alpha block', 'Beta block', 'Last updated: 3 March 2026', '1,204 views')),
    '/edited': page(paragraphs('First line', 'The pump costs 12 dollars', 'Third line')),
    '/dropped': page('<p>Nobody will link here.</p>'),
    '/gone': page('<p>This will be deleted.</p>'),
    '/moved': page('<p>This will move.</p>'),
    '/broken': page('<p>This will fail for a while.</p>'),
  };
  const webhook = { url: `${receiver.url}/hook`, secret: 'a secret of some length' };
  const { watchId } = await watch({ crawl: { url: `${site.url}/`, depth: 1 }, webhook });
  const first = await jobOfRun(watchId, 1);
  expect(first.result.changes).toMatchObject({ comparedWith: null, pages: [], counts: { added: 0 } });
  expect(first.events).toEqual(['crawl.changed']);

  pages['/'] = page('<p>Welcome.</p>', [...links.filter((path) => path !== '/dropped'), '/new'], '"root 2"');
  pages['/new'] = page('<p>Brand new.</p>');
  pages['/noise'] = page(paragraphs('Beta block', 'Alpha block', 'Last updated: 4 March 2026', '1,377 views'));
  pages['/edited'] = page(paragraphs('First line', 'The pump costs 15 dollars', 'Third line'));
  pages['/gone'] = { status: 410 };
  pages['/moved'] = { status: 301, location: '/arrived' };
  pages['/arrived'] = page('<p>This will move.</p>');
  answered = [];
  appliance.clock.advance(HOUR_MS);
  const second = await jobOfRun(watchId, 2);
  const { changes } = second.result;
  expect(answered).toContain('304 /same');
  expect(second.result.pages.find(({ url }) => url.endsWith('/same'))?.unchanged).toBe(true);
  expect(changes.comparedWith?.crawlId).toBe(first.jobId);
  const found = Object.fromEntries(changes.pages.map((change) => [change.url.slice(site.url.length), change]));
  expect(Object.fromEntries(Object.entries(found).map(([path, { change }]) => [path, change]))).toEqual({
    '/': 'changed',
    '/new': 'added',
    '/arrived': 'added',
    '/edited': 'changed',
    '/dropped': 'removed',
    '/gone': 'gone',
    '/moved': 'moved',
  });
  expect(changes.counts).toMatchObject({ added: 2, changed: 2, removed: 1, gone: 1, moved: 1, unchanged: 3 });
  expect(found['/moved']?.movedTo).toBe(`${site.url}/arrived`);
  expect(found['/edited']).toMatchObject({ addedLines: 1, removedLines: 1, diffTruncated: false });
  expect(found['/edited']?.changedShare).toBeGreaterThan(0.2);
  expect(found['/edited']?.changedShare).toBeLessThan(0.8);
  expect(found['/edited']?.diff).toContain('-The pump costs 12 dollars\n+The pump costs 15 dollars');
  const file = async (name: string) => (await appliance.owner(`/v1/jobs/${second.jobId}/files/${name}`)).text();
  expect(JSON.parse(await file('changes.json'))).toEqual({
    comparedWith: changes.comparedWith,
    counts: changes.counts,
    notRead: [],
    pages: changes.pages,
  });
  expect(await file('changes.md')).toContain('```diff');
  expect(await file('changes.diff')).toContain(`+++ ${site.url}/edited`);

  await until(() => calls.length > 0);
  const reading = (await (await appliance.owner(`/v1/jobs/${second.jobId}`)).json()) as Job;
  expect(calls[0]?.body).toEqual({ ...reading, signature: expect.stringMatching(/^[0-9a-f]{64}$/) });

  // Nothing changes: no event.
  appliance.clock.advance(HOUR_MS);
  const third = await jobOfRun(watchId, 3);
  expect(third.result.changes.counts).toMatchObject({ added: 0, changed: 0, removed: 0, gone: 0, moved: 0 });

  // A page that cannot be read is not removed, nor is what only it may link to.
  pages['/broken'] = { status: 500 };
  pages['/'] = page('<p>Welcome.</p>', ['/same', '/noise', '/edited', '/moved', '/broken'], '"root 3"');
  appliance.clock.advance(HOUR_MS);
  const running = jobOfRun(watchId, 4);
  const isOver = running.then(() => true);
  while (!(await Promise.race([isOver, new Promise<false>((resolve) => setTimeout(resolve, 200, false))]))) {
    appliance.clock.advance(MINUTE_MS / 10);
  }
  const fourth = await running;
  expect(fourth.result.changes.counts).toMatchObject({ changed: 1, removed: 0, notRead: 2 });
  expect(fourth.result.changes.notRead.map(({ url }) => url.slice(site.url.length)).toSorted()).toEqual([
    '/broken',
    '/new',
  ]);
  pages['/broken'] = page('<p>This will fail for a while.</p>');
  appliance.clock.advance(HOUR_MS);
  const fifth = await jobOfRun(watchId, 5);
  expect(fifth.result.changes.pages).toMatchObject([{ change: 'removed', url: `${site.url}/new` }]);

  await until(() => calls.length >= 3);
  expect(calls.map(({ event, body: { jobId } }) => [event, jobId])).toEqual(
    [second, fourth, fifth].map(({ jobId }) => ['crawl.changed', jobId]),
  );
  await send('DELETE', `/${watchId}`);
});

test('the history of a page outlives jobs and restarts, and goes with the watch', async () => {
  pages = { '/tide': page(paragraphs('High water at noon', 'Bring a boat'), [], '"1"') };
  const url = `${site.url}/tide`;
  const { watchId } = await watch({ crawl: { url, depth: 0 }, schedule: { everyMinutes: 7 * 1440 } });
  await jobOfRun(watchId, 1);
  for (const hour of ['one', 'two']) {
    pages['/tide'] = page(paragraphs(`High water at ${hour}`, 'Bring a boat'), [], `"${hour}"`);
    // The results of earlier jobs expire and are removed at the start.
    appliance.clock.advance(8 * DAY_MS);
    await appliance.restart();
    const number = hour === 'one' ? 2 : 3;
    const job = await jobOfRun(watchId, number);
    expect(job.result.changes.counts).toMatchObject({ changed: 1 });
  }
  answered = [];
  expect((await send('POST', `/${watchId}/run`)).status).toBe(202);
  await jobOfRun(watchId, 4);
  expect(answered).toContain('304 /tide');
  await until(async () => (await runsOf(watchId)).at(-1)?.jobKept === false);
  const { versions } = await read<{ versions: SitePageVersion[] }>(`/${watchId}/pages?url=${encodeURIComponent(url)}`);
  expect(versions.map(({ change }) => change)).toEqual(['changed', 'changed', 'first']);
  expect(versions[0]?.diff).toContain('-High water at one\n+High water at two');
  expect(versions[1]?.diff).toContain('-High water at noon\n+High water at one');
  expect(versions[0]?.before).toEqual(versions[1]?.after);
  const [, second] = (await runsOf(watchId)).toReversed();
  const listed = await read<{ changes: SitePageVersion[] }>(`/${watchId}/runs/${second?.jobId}/changes`);
  expect(listed.changes).toEqual([versions[1]]);
  const folder = join(appliance.dataDir, 'production', 'watches', watchId);
  expect(readdirSync(folder).length).toBeGreaterThan(0);
  expect((await send('DELETE', `/${watchId}`)).status).toBe(204);
  expect((await send('GET', `/${watchId}`)).status).toBe(404);
  expect(() => readdirSync(folder)).toThrow();
});

test('a watch catches up once after a sleep, and keeps its phase', async () => {
  pages = { '/phase': page('<p>Still here.</p>') };
  const { watchId } = await watch({ crawl: { url: `${site.url}/phase`, depth: 0 } });
  await jobOfRun(watchId, 1);
  const before = await read<SiteWatch>(`/${watchId}`);
  appliance.clock.advance(9.5 * HOUR_MS);
  await jobOfRun(watchId, 2);
  const after = await read<SiteWatch>(`/${watchId}`);
  expect(Date.parse(after.nextRunAt ?? '') - Date.parse(before.nextRunAt ?? '')).toBe(9 * HOUR_MS);
  expect(await runsOf(watchId)).toHaveLength(2);

  // The process dies between the start of a run and its job.
  await appliance.restart(() => {
    const db = openSqlite(join(appliance.dataDir, 'production', 'quarry.db'));
    db.exec(`delete from jobs where id = (select job_id from site_watch_runs order by seq desc limit 1)`);
    db.exec(`update site_watch_runs set status = 'running' where seq = (select max(seq) from site_watch_runs)`);
    db.close();
  });
  await jobOfRun(watchId, 3);
  expect((await runsOf(watchId)).map(({ status }) => status)).toEqual(['completed', 'failed', 'completed']);

  // Paused: nothing is due, but it runs when asked to.
  expect(await (await send('PATCH', `/${watchId}`, { status: 'paused' })).json()).toMatchObject({ nextRunAt: null });
  appliance.clock.advance(DAY_MS);
  const { watchId: other } = await watch({ crawl: { url: `${site.url}/phase`, depth: 0 } });
  await jobOfRun(other, 1);
  expect(await runsOf(watchId)).toHaveLength(3);
  expect((await send('POST', `/${watchId}/run`)).status).toBe(202);
  await jobOfRun(watchId, 4);
  const resumed = (await (await send('PATCH', `/${watchId}`, { status: 'active' })).json()) as SiteWatch;
  expect(Date.parse(resumed.nextRunAt ?? '')).toBeGreaterThan(appliance.clock.now());

  const daily = { everyMinutes: 1440, timeOfDay: '04:05' };
  const changed = (await (await send('PATCH', `/${watchId}`, { schedule: daily })).json()) as SiteWatch;
  const next = new Date(changed.nextRunAt ?? '');
  expect([next.getHours(), next.getMinutes()]).toEqual([4, 5]);
  expect(next.getTime()).toBeLessThanOrEqual(appliance.clock.now() + DAY_MS + HOUR_MS);
  await send('DELETE', `/${watchId}`);
  await send('DELETE', `/${other}`);
});

test('a site that is down fails the run and keeps what the next one is compared with', async () => {
  pages = { '/up': page('<p>Before the storm.</p>') };
  const { watchId } = await watch({ crawl: { url: `${site.url}/up`, depth: 0 } });
  const first = await jobOfRun(watchId, 1);
  isDown = true;
  appliance.clock.advance(HOUR_MS);
  await until(async () => {
    appliance.clock.advance(MINUTE_MS / 10);
    return (await runsOf(watchId))[0]?.status === 'failed';
  });
  const [failed] = await runsOf(watchId);
  expect(failed).toMatchObject({ counts: null, error: { code: 'source_unreachable' } });
  isDown = false;
  pages['/up'] = page('<p>After the storm.</p>');
  expect((await send('POST', `/${watchId}/run`)).status).toBe(202);
  const third = await jobOfRun(watchId, 3);
  expect(third.result.changes).toMatchObject({ comparedWith: { crawlId: first.jobId }, counts: { changed: 1 } });

  // Another crawl has nothing to compare with.
  const crawl = { url: `${site.url}/up`, depth: 1 };
  expect((await send('PATCH', `/${watchId}`, { crawl })).status).toBe(200);
  expect((await send('POST', `/${watchId}/run`)).status).toBe(202);
  expect((await jobOfRun(watchId, 4)).result.changes.comparedWith).toBeNull();
  await send('DELETE', `/${watchId}`);
});

test('a page of 9 MB that changes wholly, and one made to be hard to compare, take bounded time and room', async () => {
  const lines = (seed: number, count: number, width: number) =>
    Array.from({ length: count }, (_, index) => `<p>${`${seed * index} `.repeat(width)}</p>`).join('');
  const big = (seed: number) => `<main>${lines(seed, 3000, 500)}</main>`;
  const bomb = (seed: number) => `<main>${lines(seed, 15_000, 2)}</main>`;
  pages = { '/': page('', ['/big', '/bomb']), '/big': { body: big(17) }, '/bomb': { body: bomb(23) } };
  const { watchId } = await watch({ crawl: { url: `${site.url}/`, depth: 1 } });
  await jobOfRun(watchId, 1);
  pages['/big'] = { body: big(19) };
  pages['/bomb'] = { body: bomb(29) };
  appliance.clock.advance(HOUR_MS);
  const { result, jobId } = await jobOfRun(watchId, 2);
  expect(result.changes.counts).toMatchObject({ changed: 2 });
  for (const { diff, diffTruncated } of result.changes.pages) {
    expect(diffTruncated).toBe(true);
    expect(diff?.length).toBeGreaterThan(0);
    expect(diff?.length).toBeLessThanOrEqual(64 * 1024);
  }
  const file = await appliance.owner(`/v1/jobs/${jobId}/files/changes.json`);
  expect((await file.text()).length).toBeLessThan(300_000);
  await send('DELETE', `/${watchId}`);
});

test('a request that no watch can have names its field, and watches are limited', async () => {
  const crawl = { url: `${site.url}/`, depth: 0 };
  const wrong = async (fields: object) => {
    const answer = await send('POST', '', { crawl, schedule: { everyMinutes: 60 }, ...fields });
    expect(answer.status, JSON.stringify(fields)).toBe(400);
    return ((await answer.json()) as { errors: { path: string }[] }).errors.map(({ path }) => path);
  };
  expect(await wrong({ schedule: { everyMinutes: 0 } })).toEqual(['schedule.everyMinutes']);
  expect(await wrong({ schedule: { everyMinutes: 4 } })).toEqual(['schedule.everyMinutes']);
  expect(await wrong({ schedule: { everyMinutes: 10 ** 12 } })).toEqual(['schedule.everyMinutes']);
  expect(await wrong({ schedule: { everyMinutes: 61, timeOfDay: '06:00' } })).toEqual(['schedule.timeOfDay']);
  expect(await wrong({ schedule: { everyMinutes: 1440, timeOfDay: '25:00' } })).toEqual(['schedule.timeOfDay']);
  expect(await wrong({ crawl: { url: 'ftp://127.0.0.1/' } })).toEqual(['crawl.url']);
  expect(await wrong({ crawl: { ...crawl, map: true } })).toEqual(['crawl.map']);
  expect(await wrong({ crawl: { ...crawl, render: 'never', screenshot: true } })).toEqual(['crawl.screenshot']);
  expect(await wrong({ webhook: { url: 'mailto:a' } })).toEqual(['webhook.url']);
  expect((await appliance.anonymous('/admin/watches')).status).toBe(401);
  const schedule = { everyMinutes: 60 };
  const one = async () => (await send('POST', '', { crawl, schedule })).status;
  isDown = true;
  const statuses = new Set<number>();
  for (let made = 0; made < MAX_SITE_WATCHES + 1; made += 10) {
    const some = await Promise.all(Array.from({ length: 10 }, one));
    for (const status of some) statuses.add(status);
  }
  expect([...statuses].toSorted()).toEqual([201, 409]);
  const { watches } = await read<{ watches: SiteWatch[] }>('');
  expect(watches).toHaveLength(MAX_SITE_WATCHES);
});
