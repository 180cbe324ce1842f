/** The feed of what was read aloud, which podcast apps of the network subscribe to. */
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { Item } from '../../src-server/features/library/schema.ts';
import { DEVICE_PACE, FEED_PACE, FeedLimit } from '../../src-server/features/listen/feed-limit.ts';
import { feedRoutes } from '../../src-server/features/listen/feed-routes.ts';
import type { ListenFeed, Reading } from '../../src-server/features/listen/schema.ts';
import type { HttpEnv } from '../../src-server/platform/http/env.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { openDeviceDoor } from '../harness/linked-device.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

async function readAloud(appliance: Appliance, text: string, name: string): Promise<string> {
  const send = { method: 'POST', body: fileForm(text, name) };
  const { jobId } = (await (await appliance.owner('/v1/extract/doc', send)).json()) as Job;
  await finished(appliance.owner, jobId);
  const items = async () => {
    const answer = await appliance.owner(`/v1/library/lookup?job=${jobId}`);
    return ((await answer.json()) as { items: Item[] }).items;
  };
  await until(async () => (await items())[0]?.state === 'ready');
  const itemId = (await items())[0]?.itemId ?? '';
  const path = `/v1/library/items/${itemId}/reading`;
  await appliance.owner(path, postJson({}));
  await until(async () => ((await (await appliance.owner(path)).json()) as Reading).state === 'ready');
  return itemId;
}

async function makeFeed(appliance: Appliance, name = 'My phone'): Promise<ListenFeed> {
  return (await (await appliance.owner('/v1/library/feeds', postJson({ name }))).json()) as ListenFeed;
}

test('a podcast app of the network gets the feed, ranges of its sounds, chapters and captions', async () => {
  await using appliance = await startAppliance();
  const text = '# One & only\n\nThe bell was heard.\n\n# Two\n\nThe sea was white.';
  const itemId = await readAloud(appliance, text, 'bells.md');
  const door = await openDeviceDoor(appliance);
  const { urls } = await makeFeed(appliance);
  const url = urls.find((one) => one.startsWith(door)) ?? '';
  const answer = await fetch(url);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/rss+xml; charset=utf-8']);
  const feed = await answer.text();
  const [, address = '', length = '', type] = /<enclosure url="([^"]+)" length="(\d+)" type="([^"]+)"/.exec(feed) ?? [];
  expect([new URL(address).origin, type]).toEqual([door, 'audio/mpeg']);
  expect(feed).toMatch(/<itunes:duration>\d+<\/itunes:duration>/);
  expect(feed).not.toMatch(/&(?!amp;|lt;|gt;|quot;)/);
  const part = await fetch(address, { headers: { range: 'bytes=0-99' } });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 0-99/${length}`]);
  const bytes = new Uint8Array(await part.arrayBuffer());
  expect(Buffer.from(bytes.subarray(0, 3)).toString()).toBe('ID3');
  const chapters = await (await fetch(address.replace(/mp3$/, 'json'))).json();
  expect(chapters).toMatchObject({ chapters: [{ title: 'One & only' }, { title: 'Two' }] });
  expect(await (await fetch(address.replace(/mp3$/, 'vtt'))).text()).toMatch(/^WEBVTT/);
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  expect((await fetch(url.replace('podcast.xml', `${itemId}.exe`))).status).toBe(404);
  const own = urls[0] ?? '';
  expect(await (await fetch(own)).text()).toContain(new URL(own).origin);
});

test('strangers and removed addresses get nothing, and nobody gets more than a device needs', async () => {
  await using appliance = await startAppliance();
  const { urls, feedId } = await makeFeed(appliance);
  const [url = ''] = urls;
  const other = await makeFeed(appliance, 'Tablet');
  const forged = [
    url.replace('~', '~x'),
    url.replace(/~[^/]+/, ''),
    url.replace(feedId, other.feedId),
    url.replace(feedId, 'lsf_x'),
    `${new URL(url).origin}/feed//podcast.xml`,
  ];
  for (const one of forged) expect((await fetch(one)).status, one).toBe(404);
  expect((await fetch(url)).status).toBe(200);
  expect((await appliance.anonymous('/v1/library/feeds')).status).toBe(401);
  await appliance.restart();
  const again = new URL(url).pathname;
  expect((await appliance.anonymous(again)).status).toBe(200);
  expect((await appliance.owner(`/v1/library/feeds/${feedId}`, { method: 'DELETE' })).status).toBe(204);
  expect((await appliance.anonymous(again)).status).toBe(404);
  const path = new URL(other.urls[0] ?? '').pathname;
  appliance.clock.stand();
  // No time passes: what exceeds the burst is refused.
  const flood = await Promise.all(Array.from({ length: 200 }, () => appliance.anonymous(path)));
  const statuses = flood.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(60);
  expect(statuses).toContain(429);
  expect(flood.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('1');
  appliance.clock.advance(3000);
  expect((await appliance.anonymous(path)).status).toBe(200);
});

describe('a feed that is asked a thousand times in a second', () => {
  /** The routes of one feed, with a count of how often its list is made. */
  function countedFeed() {
    const counts = { lists: 0 };
    const listening = {
      changes: 0,
      finishedBooks: async () => {
        counts.lists += 1;
        return [];
      },
      readingOf: () => Promise.reject(new Error('No book is there.')),
      bookFile: () => {
        throw new Error('No book is there.');
      },
    };
    const clock = {
      time: 1_000_000,
      now(): number {
        return this.time;
      },
    };
    const app = new Hono<HttpEnv>();
    app.use((context, next) => {
      context.set('clientAddress', context.req.header('x-client') ?? '');
      return next();
    });
    const routes = feedRoutes({
      places: [{ keys: { isFeedKey: (key) => key === 'own' || key === 'other' }, listening }],
      limits: { byDevice: new FeedLimit(DEVICE_PACE), byFeed: new FeedLimit(FEED_PACE) },
      clock,
      originOf: () => 'http://127.0.0.1',
    });
    app.route('/', routes);
    const ask = (client: number, key = 'own', headers = {}) =>
      app.request(`/feed/${key}/podcast.xml`, { headers: { 'x-client': String(client), ...headers } });
    return { counts, listening, clock, ask };
  }

  test('by one device or by a thousand makes its list once, and answers what a feed needs', async () => {
    const { counts, listening, clock, ask } = countedFeed();
    const one = await Promise.all(Array.from({ length: 1000 }, () => ask(1)));
    const passed = one.filter(({ status }) => status === 200).length;
    expect({ passed, lists: counts.lists }).toEqual({ passed: DEVICE_PACE.burst, lists: 1 });
    const many = await Promise.all(Array.from({ length: 1000 }, (_, client) => ask(client + 2)));
    expect(many.filter(({ status }) => status === 200).length).toBe(FEED_PACE.burst - passed);
    expect(many.filter(({ status }) => status === 429).every((one) => one.headers.get('retry-after') === '1')).toBe(
      true,
    );
    // Another feed is not kept waiting, and a stranger's key costs the feeds nothing.
    expect((await ask(2000, 'other')).status).toBe(200);
    expect(counts.lists).toBe(2);
    clock.time += 3000;
    expect((await ask(3000)).status).toBe(200);
    expect(counts.lists).toBe(2);
    listening.changes += 1;
    await ask(3001);
    expect(counts.lists).toBe(3);
  });

  test('sends no list to an app that has it', async () => {
    const { ask } = countedFeed();
    const etag = (await ask(1)).headers.get('etag') ?? '';
    const again = await ask(1, 'own', { 'if-none-match': etag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await ask(1, 'own', { 'if-none-match': '"x"' })).status).toBe(200);
  });
});
