/** What watched sites, folders, feeds and batches have in common: an entry that fails delays no other, and none is lost. */

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Feed, FeedEntry } from '../../src-server/features/feeds/schema.ts';
import { OPERATIONS } from '../../src-server/features.ts';
import { defineOperation } from '../../src-server/operation.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { MINUTE_MS, SECOND_MS } from '../../src-server/platform/units.ts';
import { type Appliance, type Client, startAppliance } from '../harness/appliance.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';
import { TEST_WORDS } from '../harness/words.ts';

/** How often each address was admitted. */
const asked = new Map<string, number>();

const timesAsked = (part: string) =>
  [...asked].reduce((sum, [address, times]) => (address.includes(part) ? sum + times : sum), 0);

/** Refuses an address as its path says. */
const moody = defineOperation({
  id: 'test/moody',
  summary: 'Refuses some addresses',
  description: 'For tests.',
  words: TEST_WORDS,
  addressField: 'url',
  mode: 'job',
  price: null,
  idPrefix: 'job',
  queueClass: 'light',
  request: z.strictObject({ url: z.string(), priority: z.enum(['low', 'normal', 'high']).optional() }),
  result: z.object({}),
  example: { request: { url: 'https://harbour.example/' } },
  retry: { attempts: 1, baseDelaySeconds: 1 },
  timeLimitSeconds: 60,
  firstRun: { seconds: 1, secondsPerMegabyte: 0 },
  admit: async ({ url }) => {
    asked.set(url, (asked.get(url) ?? 0) + 1);
    if (url.includes('/odd')) throw new Error('Nobody expected this.');
    if (url.includes('/passing') && timesAsked('/passing') < 3) {
      throw new QuarryError('timeout', say`It took too long.`, { retryable: true });
    }
    if (url.includes('/refused')) throw new QuarryError('forbidden', 'Not this one.');
    return () => {};
  },
  run: async () => ({}),
});

let appliance: Appliance;
let site: LocalSite;
/** Addresses of the entries of a feed, by its path. */
const served: Record<string, string[]> = {};

beforeAll(async () => {
  appliance = await startAppliance({ operations: [...OPERATIONS, moody] });
  site = await serveWith((request, response) => {
    const path = request.url ?? '';
    if (path.startsWith('/silent')) return;
    const entries = served[path];
    if (entries === undefined) return void response.writeHead(404).end();
    const items = entries.map((one) => `<item><guid>${one}</guid><link>https://a.example${one}</link></item>`);
    response.writeHead(200, { 'content-type': 'application/rss+xml' });
    response.end(`<rss version="2.0"><channel>${items.join('')}</channel></rss>`);
  });
});
afterAll(async () => {
  await appliance.close();
  await site[Symbol.asyncDispose]();
});

async function read<Body>(path: string, init?: RequestInit): Promise<Body> {
  const answer = await appliance.owner(path, init);
  expect(answer.ok, `${path}: ${await answer.clone().text()}`).toBe(true);
  return (await answer.json()) as Body;
}

const follow = (path: string) =>
  read<Feed>(
    '/admin/feeds',
    postJson({ url: site.url + path, recipe: { operation: 'test/moody' }, schedule: { everyMinutes: 60 }, first: 50 }),
  );

const countsOf = async (feedId: string) => (await read<Feed>(`/admin/feeds/${feedId}`)).counts;

/** Moves the clock on until something holds. */
async function inTime(holds: () => Promise<boolean>): Promise<void> {
  await until(async () => {
    if (await holds()) return true;
    appliance.clock.advance(5 * SECOND_MS);
    return false;
  });
}

test('an entry that fails again and again ends at last, and delays neither its feed nor another', async () => {
  served['/mixed'] = ['/good/1', '/refused', '/good/2', '/passing', '/good/3', '/odd/1', '/odd/2'];
  served['/calm'] = ['/calm/1', '/calm/2'];
  const { feedId: mixed } = await follow('/mixed');
  await until(async () => (await countsOf(mixed)).completed === 3);
  expect(await countsOf(mixed)).toMatchObject({ waiting: 3, failed: 1 });
  const { feedId: calm } = await follow('/calm');
  await until(async () => (await countsOf(calm)).completed === 2);

  await inTime(async () => (await countsOf(mixed)).waiting === 0);
  expect(await countsOf(mixed)).toMatchObject({ completed: 4, failed: 3 });
  expect(timesAsked('/passing')).toBe(3);
  expect(timesAsked('/odd/1')).toBe(6);
  const { entries } = await read<{ entries: FeedEntry[] }>(`/admin/feeds/${mixed}/entries`);
  const errors = Object.fromEntries(entries.map(({ url, error }) => [new URL(url ?? '').pathname, error]));
  expect(errors['/odd/1']).toMatchObject({ code: 'internal', message: expect.stringMatching(/log/) });
  expect(errors['/refused']).toMatchObject({ code: 'source_forbidden', message: 'Not this one.', retryable: false });
});

test('a feed that does not answer delays no other', async () => {
  const silent = await Promise.all([1, 2, 3].map((n) => follow(`/silent/${n}`)));
  served['/quick'] = ['/quick/1'];
  const { feedId } = await follow('/quick');
  await until(async () => (await countsOf(feedId)).completed === 1);
  for (const one of silent) expect((await read<Feed>(`/admin/feeds/${one.feedId}`)).checkedAt).toBeNull();
});

interface BatchState {
  batchId: string;
  status: string;
  counts: Record<string, number>;
  notice?: string;
}

const batchOf = (paths: readonly string[], client: Client = appliance.owner) =>
  client(
    '/v1/batches',
    postJson({ operation: 'test/moody', items: paths.map((path) => ({ sourceUrl: `https://a.example${path}` })) }),
  );

test('an item of a batch that fails is tried again, and the others do not wait for it', async () => {
  const answer = await batchOf(['/odd/3', '/batch/1', '/refused/2', '/batch/2']);
  const { batchId } = (await answer.json()) as BatchState;
  const state = () => read<BatchState>(`/v1/batches/${batchId}`);
  await until(async () => (await state()).counts.completed === 2);
  expect((await state()).counts).toMatchObject({ waiting: 1, failed: 1 });
  await inTime(async () => (await state()).status === 'completed');
  expect((await state()).counts).toMatchObject({ waiting: 0, completed: 2, failed: 2 });
  expect(timesAsked('/odd/3')).toBe(6);
});

async function keyWith(name: string, scopes: string[]): Promise<{ keyId: string; as: Client }> {
  const made = postJson({ name, scopes, openJobs: 1 });
  const { keyId, key } = await read<{ keyId: string; key: string }>('/admin/keys', made);
  const as: Client = (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${key}`);
    return appliance.anonymous(path, { ...init, headers });
  };
  return { keyId, as };
}

test('a batch whose key loses its scope waits, and goes on as the owner resumes it', async () => {
  const { keyId, as } = await keyWith('narrowed', ['run:test/moody', 'read']);
  const paths = Array.from({ length: 12 }, (_, n) => `/narrow/${n}`);
  const { batchId } = (await (await batchOf(paths, as)).json()) as BatchState;
  await appliance.owner(`/admin/keys/${keyId}`, { ...postJson({ scopes: ['read'] }), method: 'PATCH' });
  const state = () => read<BatchState>(`/v1/batches/${batchId}`);
  appliance.clock.advance(2 * MINUTE_MS);
  const waiting = await state();
  expect(waiting.counts).toMatchObject({ failed: 0 });
  expect(waiting.notice).toContain('narrowed');
  await read(`/v1/batches/${batchId}/retry`, { method: 'POST' });
  await inTime(async () => (await state()).counts.completed === paths.length);
});

test('a watched site whose key has ended does not run for it, and the audit log names what a key made', async () => {
  const { keyId, as } = await keyWith('ending', ['admin', 'private-network']);
  const schedule = { everyMinutes: 60 };
  const watch = { crawl: { url: `${site.url}/ended`, depth: 0 }, schedule };
  const { watchId } = (await (await as('/admin/watches', postJson(watch))).json()) as { watchId: string };
  const followed = await as(
    '/admin/feeds',
    postJson({ url: `${site.url}/f`, recipe: { operation: 'crawl' }, schedule }),
  );
  const { feedId } = (await followed.json()) as { feedId: string };
  await until(async () => {
    const { runs } = await read<{ runs: { status: string }[] }>(`/admin/watches/${watchId}/runs`);
    return runs[0]?.status === 'failed';
  });
  const { entries } = await read<{ entries: { target: string | null }[] }>('/admin/audit');
  const targets = entries.map(({ target }) => target);
  expect(targets).toEqual(expect.arrayContaining([watchId, feedId]));
  await appliance.owner(`/admin/keys/${keyId}`, { method: 'DELETE' });
  const run = () => appliance.owner(`/admin/watches/${watchId}/run`, { method: 'POST' });
  expect((await run()).status).toBe(409);
  await read(`/admin/watches/${watchId}`, { ...postJson({ status: 'active' }), method: 'PATCH' });
  expect((await run()).status).not.toBe(409);
});

test('what a database of an earlier version has open goes on', async () => {
  const { openSqlite } = await import('../../src-server/platform/db/sqlite.ts');
  const schedule = { everyMinutes: 60 };
  const crawl = { url: `${site.url}/watched`, depth: 0 };
  const { watchId } = await read<{ watchId: string }>('/admin/watches', postJson({ crawl, schedule }));
  const { feedId } = await follow('/earlier');
  const stateOf = () => read<{ lastRun: { status: string } | null }>(`/admin/watches/${watchId}`);
  await until(async () => (await stateOf()).lastRun?.status === 'failed');
  await until(async () => (await read<Feed>(`/admin/feeds/${feedId}`)).checkedAt !== null);
  await appliance.restart(() => {
    const db = openSqlite(join(appliance.dataDir, 'production', 'quarry.db'));
    // As they were when the process died: an entry and an item without a job, and a run whose job was not inserted.
    db.exec(`
      insert into feed_entries (id, feed_seq, guid_hash, url, status, found_at)
        select 'fle_earlier', seq, 'earlier', 'https://a.example/earlier/1', 'waiting', 1 from feeds where id = '${feedId}';
      update feeds set waiting = waiting + 1 where id = '${feedId}';
      insert into batches (id, recipe, status, waiting, created_at)
        values ('bat_earlier', '{"operation":"test/moody","request":{}}', 'processing', 1, 1);
      insert into batch_items (batch_seq, number, source, status)
        select seq, 0, '{"url":"https://a.example/earlier/2","name":null}', 'waiting' from batches where id = 'bat_earlier';
      insert into site_watch_runs (watch_seq, job_id, cause, status, begun_at)
        select seq, 'crl_earlier', 'schedule', 'running', 1 from site_watches where id = '${watchId}';
    `);
    db.close();
  });
  await until(async () => (await countsOf(feedId)).completed === 1);
  await until(async () => (await read<BatchState>('/v1/batches/bat_earlier')).status === 'completed');
  const runs = async () =>
    (await read<{ runs: { jobId: string; status: string }[] }>(`/admin/watches/${watchId}/runs`)).runs;
  await until(async () => (await runs()).length === 3 && (await runs())[0]?.status === 'failed');
  expect((await runs())[1]).toMatchObject({ jobId: 'crl_earlier', status: 'failed' });
});
