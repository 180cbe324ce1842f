/** Feeds: each new entry becomes a job once, and a feed that has not changed is not read again. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Feed, FeedEntry } from '../../src-server/features/feeds/schema.ts';
import { HOUR_MS } from '../../src-server/platform/units.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const RECIPE = { operation: 'extract/doc', request: { options: { segmentLength: 500 } } };

let appliance: Appliance;
let site: LocalSite;
/** What the site serves as feeds, by path. */
const served: Record<string, string> = {};
let answered: string[] = [];

beforeAll(async () => {
  appliance = await startAppliance();
  site = await serveWith((request, response) => {
    const path = request.url ?? '';
    const feed = served[path];
    if (feed === undefined && !path.startsWith('/entry')) return void response.writeHead(404).end();
    const etag = `"${feed?.length}"`;
    const isSame = feed !== undefined && request.headers['if-none-match'] === etag;
    answered.push(`${isSame ? 304 : 200} ${path}`);
    if (isSame) return void response.writeHead(304).end();
    const page = `<title>T</title><main><p>The text of ${path}.</p></main>`;
    response.writeHead(200, feed === undefined ? { 'content-type': 'text/html' } : { etag }).end(feed ?? page);
  });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await appliance.close();
});

const send = (method: string, path: string, value?: unknown) =>
  appliance.owner(`/admin/feeds${path}`, { ...(value === undefined ? {} : postJson(value)), method });

async function follow(path: string, fields: object = {}): Promise<Feed> {
  const body = { url: site.url + path, recipe: RECIPE, schedule: { everyMinutes: 60 }, ...fields };
  const answer = await send('POST', '', body);
  const made = (await answer.json()) as Feed;
  expect(answer.status, JSON.stringify(made)).toBe(201);
  return made;
}

const stateOf = async (feedId: string) => (await (await send('GET', `/${feedId}`)).json()) as Feed;

const entriesOf = async (feedId: string) =>
  ((await (await send('GET', `/${feedId}/entries`)).json()) as { entries: FeedEntry[] }).entries;

/** Waits until the feed has been asked for once more, and its entries have ended. */
async function read(feedId: string, before: string | null): Promise<Feed> {
  await until(async () => {
    const { checkedAt, counts } = await stateOf(feedId);
    return checkedAt !== before && counts.waiting + counts.processing === 0;
  });
  return stateOf(feedId);
}

const rssItem = (n: number, more = '') =>
  `<item><title>Entry ${n}</title><guid isPermaLink="false">id-${n}</guid><link>/entry/${n}</link>
   <pubDate>${new Date(Date.UTC(2026, 0, n)).toUTCString()}</pubDate>${more}</item>`;

const rss = (...items: string[]) => `<?xml version="1.0"?><rss version="2.0"><channel><title>Harbour news</title>
  ${items.join('')}</channel></rss>`;

test('the newest entries are taken at first, then each new one once', async () => {
  served['/rss'] = rss(rssItem(2), rssItem(5), rssItem(4), rssItem(3), rssItem(1));
  const { feedId } = await follow('/rss', { first: 2 });
  const first = await read(feedId, null);
  expect(first).toMatchObject({ title: 'Harbour news', error: null, counts: { completed: 2, skipped: 3 } });
  const taken = (await entriesOf(feedId)).filter(({ status }) => status === 'completed');
  expect(taken.map(({ title }) => title)).toEqual(['Entry 5', 'Entry 4']);
  const job = await finished(appliance.owner, taken[0]?.jobId ?? '');
  expect(job).toMatchObject({ status: 'completed', sourceName: 'Entry 5' });
  expect(JSON.stringify(job.result)).toContain('The text of /entry/5.');

  answered = [];
  appliance.clock.advance(HOUR_MS);
  const second = await read(feedId, first.checkedAt);
  expect(answered).toEqual(['304 /rss']);

  served['/rss'] = rss(rssItem(6), rssItem(5), rssItem(7), rssItem(4));
  appliance.clock.advance(HOUR_MS);
  const third = await read(feedId, second.checkedAt);
  expect(third.counts).toMatchObject({ completed: 4, skipped: 3, failed: 0 });
  await appliance.restart();
  await send('POST', `/${feedId}/run`);
  const last = await read(feedId, third.checkedAt);
  expect(last.counts).toEqual(third.counts);
});

test('attachments of podcasts are taken, and pictures are not; Atom and JSON feeds are read', async () => {
  const sound = '<enclosure url="/entry/sound.txt" type="audio/mpeg" length="9"/>';
  const picture = '<enclosure url="/picture.png" type="image/png" length="9"/>';
  served['/podcast'] = rss(rssItem(1, picture + sound), rssItem(2, picture));
  served['/atom'] = `<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><entry><id>a1</id><title>One</title>
    <updated>2026-03-02T10:00:00Z</updated><link href="/entry/a1"/></entry></feed>`;
  const items = [{ id: 'j1', url: `${site.url}/entry/j1`, title: 'J' }];
  served['/json'] = JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title: 'J', items });
  const urls = async (path: string, fields: object = {}) => {
    const { feedId } = await follow(path, fields);
    await read(feedId, null);
    return (await entriesOf(feedId)).map(({ url }) => url?.slice(site.url.length));
  };
  expect(await urls('/podcast')).toEqual(['/entry/2', '/entry/sound.txt']);
  expect(await urls('/podcast', { takes: 'link' })).toEqual(['/entry/2', '/entry/1']);
  expect(await urls('/atom', { recipe: { operation: 'crawl', request: { depth: 0 } } })).toEqual(['/entry/a1']);
  expect(await urls('/json')).toEqual(['/entry/j1']);
});

test('a page that names its feed stands for it', async () => {
  served['/named.xml'] = `<rss version="2.0"><channel><title>Named</title><item><guid>n1</guid><title>N</title>
    <link>${site.url}/entry/n1</link></item></channel></rss>`;
  served['/blog'] =
    '<!doctype html><html><head><link rel="alternate" type="application/rss+xml" href="named.xml"></head></html>';
  const { feedId } = await follow('/blog');
  const first = await read(feedId, null);
  expect(first).toMatchObject({ title: 'Named', error: null });
  expect((await entriesOf(feedId)).map(({ url }) => url)).toEqual([`${site.url}/entry/n1`]);
  served['/named.xml'] = served['/named.xml'].replaceAll('n1', 'n2');
  await send('POST', `/${feedId}/run`);
  await read(feedId, first.checkedAt);
  expect((await entriesOf(feedId)).map(({ url }) => url)).toContain(`${site.url}/entry/n2`);
});

test('what is no feed is an error of the feed; a paused one is not read', async () => {
  served['/page'] = '<html><body>No feed.</body></html>';
  served['/bomb'] =
    `<!DOCTYPE r [<!ENTITY a "${'x'.repeat(1000)}">]><rss version="2.0"><channel><title>&a;</title></channel></rss>`;
  served['/round'] = '<!doctype html><link rel="alternate" type="application/rss+xml" href="/round"><p>No feed.</p>';
  expect((await read((await follow('/round')).feedId, null)).error).toMatch(/a page too/);
  const page = await read((await follow('/page')).feedId, null);
  expect(page.error).toMatch(/This is no feed/);
  const gone = await read((await follow('/gone')).feedId, null);
  expect(gone.error).toMatch(/status 404/);
  expect((await read((await follow('/bomb')).feedId, null)).title?.length ?? 0).toBeLessThan(100);
  await send('PATCH', `/${page.feedId}`, { status: 'paused' });
  expect((await send('POST', `/${page.feedId}/run`)).status).toBe(409);
  expect(await stateOf(page.feedId)).toMatchObject({ status: 'paused', nextRunAt: null });
  expect((await send('DELETE', `/${page.feedId}`)).status).toBe(204);
  expect((await send('GET', `/${page.feedId}/entries`)).status).toBe(404);
});

test('a request that cannot work names its field', async () => {
  const good = { url: `${site.url}/rss`, recipe: RECIPE, schedule: { everyMinutes: 60 } };
  const cases: [field: string, body: object][] = [
    ['url', { ...good, url: 'ftp://a.example/' }],
    ['recipe.operation', { ...good, recipe: { operation: 'generate/text' } }],
    ['recipe.request.url', { ...good, recipe: { operation: 'crawl', request: { url: 'https://a.example/' } } }],
    ['schedule.everyMinutes', { ...good, schedule: { everyMinutes: 1 } }],
    ['schedule.timeOfDay', { ...good, schedule: { everyMinutes: 60, timeOfDay: '06:00' } }],
    ['first', { ...good, first: 101 }],
  ];
  for (const [field, body] of cases) {
    const answer = await send('POST', '', body);
    const problem = JSON.stringify(await answer.json());
    expect([answer.status, problem], field).toEqual([400, expect.stringContaining(`"${field}"`)]);
  }
  expect((await appliance.anonymous('/admin/feeds')).status).toBe(401);
});

test('old entries are forgotten, and one that comes back is not taken again', async () => {
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => rssItem(from + at));
  const audio = '<enclosure url="/entry/file" type="audio/mpeg" length="1"/>';
  served['/long'] = rss(...range(1, 1000));
  const { feedId } = await follow('/long', { takes: 'enclosure' });
  let state = await read(feedId, null);
  const next = async (...items: string[]) => {
    served['/long'] = rss(...items);
    appliance.clock.advance(HOUR_MS);
    state = await read(feedId, state.checkedAt);
  };
  await next(...range(1001, 2000));
  // The site tells feeds apart by their length.
  await next(...range(2001, 2990));
  await next(rssItem(3001, audio), rssItem(1, audio));
  expect(state.counts).toMatchObject({ completed: 1, skipped: 2991 });
  let kept = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const answer = await send('GET', `/${feedId}/entries?limit=200${query}`);
    const page = (await answer.json()) as { entries: FeedEntry[]; nextCursor: string | null };
    kept += page.entries.length;
    cursor = page.nextCursor;
  }
  expect(kept).toBe(2000);
});

test('entries without identifier and address are listed, not dropped', async () => {
  const content = '<content:encoded xmlns:content="http://purl.org/rss/1.0/modules/content/">Words</content:encoded>';
  served['/bare'] = rss(`<item><title>Storm</title>${content}</item>`, `<item>${content}</item>`, rssItem(1));
  const { feedId } = await follow('/bare', { first: 5 });
  expect(await read(feedId, null)).toMatchObject({ counts: { completed: 1, skipped: 2 } });
  expect((await entriesOf(feedId)).map(({ title, status }) => [title, status])).toEqual(
    expect.arrayContaining([
      ['Storm', 'skipped'],
      [null, 'skipped'],
    ]),
  );
});
