/** Results of the owner become items of the library, which stay, and jobs of callers never do. */

import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { factsOfResult } from '../../../src-server/features/library/facts.ts';
import type { Item, ItemVersion } from '../../../src-server/features/library/schema.ts';
import { DAY_MS } from '../../../src-server/platform/units.ts';
import { type Appliance, type Client, startAppliance } from '../../harness/appliance.ts';
import { wordDocument } from '../../harness/documents.ts';
import { fileForm, finished, okJson } from '../../harness/jobs.ts';
import { postJson } from '../../harness/text-models.ts';
import { until } from '../../harness/until.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const json = <Value>(path: string, init?: RequestInit, as: Client = appliance.owner) => okJson<Value>(as, path, init);

interface Listed {
  items: Item[];
  total: number;
}

const list = (query = '') => json<Listed>(`/v1/library/items?${query}`);
const itemOf = (itemId: string) => json<Item>(`/v1/library/items/${itemId}`);
const change = (itemId: string, fields: object) =>
  json<Item>(`/v1/library/items/${itemId}`, { ...postJson(fields), method: 'PATCH' });

/** Reads a document as the owner. */
async function read(text: string | Uint8Array, name: string, fields: Record<string, string> = {}): Promise<Job> {
  const { jobId } = await json<Job>('/v1/extract/doc', { method: 'POST', body: fileForm(text, name, fields) });
  return finished(appliance.owner, jobId);
}

/** The item of a job, once its title is taken over. */
async function itemOfJob(jobId: string): Promise<Item> {
  let found: Item | undefined;
  await until(async () => {
    found = (await list('limit=200')).items.find((item) => item.jobId === jobId);
    return found !== undefined && found.words !== null;
  });
  return found as Item;
}

const searched = async (query: string) =>
  (await json<{ results: { jobId: string }[] }>(`/admin/search?query=${encodeURIComponent(query)}`)).results;

test('what the owner reads is an item at once, takes its title from the content, and does not expire', async () => {
  const form = {
    method: 'POST',
    body: fileForm(wordDocument(['Tides of the Ems. Low water is at noon.']), 'a_b.docx'),
  };
  const { jobId } = await json<Job>('/v1/extract/doc', form);
  const early = (await list()).items.find((item) => item.jobId === jobId);
  expect(early).toBeDefined();
  const job = await finished(appliance.owner, jobId);
  expect(job.expiresAt).toBeNull();
  const item = await itemOfJob(jobId);
  expect(item).toMatchObject({
    itemId: early?.itemId,
    kind: 'document',
    title: 'Tides of the Ems',
    titleGiven: false,
    state: 'ready',
    source: { name: 'a_b.docx', url: null },
    version: 1,
    versions: 1,
    deletedAt: null,
  });
  appliance.clock.advance(40 * DAY_MS);
  await appliance.restart();
  expect(await itemOf(item.itemId)).toEqual({ ...item, bytes: expect.any(Number), originalBytes: expect.any(Number) });
  expect((await json<Job>(`/v1/jobs/${jobId}`)).result).not.toBeNull();
});

test('the same source again is a version, with the title and tags of the owner', async () => {
  const first = await read('# Herring\n\nThey spawn in spring.', 'herring.md');
  const { itemId } = await itemOfJob(first.jobId);
  await change(itemId, { title: 'Fish', addTags: ['sea'] });
  const again = await read('# Herring\n\nThey spawn in spring.', 'other name.md', { 'options.segmentLength': '100' });
  expect(again.jobId).not.toBe(first.jobId);
  const item = await itemOfJob(again.jobId);
  expect(item).toMatchObject({ itemId, title: 'Fish', titleGiven: true, tags: ['sea'], version: 2, versions: 2 });
  const { versions } = await json<{ versions: z.infer<typeof ItemVersion>[] }>(`/v1/library/items/${itemId}/versions`);
  expect(versions.map(({ number, jobId, state }) => ({ number, jobId, state }))).toEqual([
    { number: 1, jobId: first.jobId, state: 'ready' },
    { number: 2, jobId: again.jobId, state: 'ready' },
  ]);
  expect(await change(itemId, { version: 1 })).toMatchObject({ jobId: first.jobId, version: 1 });
  const found = await json<Listed>(`/v1/library/lookup?sha256=${item.source.sha256}`);
  expect(found.items.map((one) => one.itemId)).toEqual([itemId]);
  // Each of its jobs leads to it, also one that is not shown.
  for (const { jobId } of versions) {
    const ofJob = await json<Listed>(`/v1/library/lookup?job=${jobId}`);
    expect(ofJob.items.map((one) => one.itemId)).toEqual([itemId]);
  }
  expect((await json<Listed>('/v1/library/lookup?job=job_none')).items).toEqual([]);
  expect((await appliance.owner('/v1/library/lookup?job=a&url=b')).status).toBe(400);
  // Without the owner's title the one of the source is back.
  await change(itemId, { title: null });
  await until(async () => (await itemOf(itemId)).title === 'Herring');
  expect((await itemOf(itemId)).titleGiven).toBe(false);
});

test('a deleted item leaves list and search, comes back whole, and goes for good after 30 days', async () => {
  const { jobId } = await read('# Zeppelin\n\nThe zeppelinquark flies.', 'zeppelin.md');
  const { itemId } = await itemOfJob(jobId);
  await until(async () => (await searched('zeppelinquark')).length > 0);
  expect((await appliance.owner(`/v1/library/items/${itemId}`, { method: 'DELETE' })).status).toBe(204);
  expect((await list('limit=200')).items.map((item) => item.itemId)).not.toContain(itemId);
  expect((await list('deleted=true')).items.map((item) => item.itemId)).toEqual([itemId]);
  await until(async () => (await searched('zeppelinquark')).length === 0);
  expect((await change(itemId, { deleted: false })).deletedAt).toBeNull();
  await until(async () => (await searched('zeppelinquark')).length > 0);
  // Reading it again brings it back too.
  await change(itemId, { deleted: true });
  await read('# Zeppelin\n\nThe zeppelinquark flies.', 'zeppelin.md');
  expect((await itemOf(itemId)).deletedAt).toBeNull();
  await change(itemId, { deleted: true });
  appliance.clock.advance(29 * DAY_MS);
  await appliance.restart();
  expect((await itemOf(itemId)).deletedAt).not.toBeNull();
  appliance.clock.advance(2 * DAY_MS);
  await appliance.restart();
  await until(async () => (await appliance.owner(`/v1/library/items/${itemId}`)).status === 404);
  expect((await appliance.owner(`/v1/jobs/${jobId}`)).status).toBe(404);
});

test('filters narrow together, counts follow them, and pages have no gap', async () => {
  const names = ['Oyster', 'Mussel', 'Whelk', 'Cockle'];
  for (const name of names) await read(`# ${name} bed\n\nOf shells: ${name}.`, `${name}.md`);
  await until(async () => (await list('text=bed')).total === names.length);
  const shells = (await list('text=bed&sort=title')).items;
  expect(shells.map(({ title }) => title)).toEqual(names.map((name) => `${name} bed`).toSorted());
  const [first, second] = shells;
  await json('/v1/library/changes', postJson({ items: [first?.itemId, second?.itemId], addTags: ['food', 'shell'] }));
  const { collectionId } = await json<{ collectionId: string }>(
    '/v1/library/collections',
    postJson({ name: 'Shells' }),
  );
  await change(first?.itemId ?? '', { addTo: [collectionId] });
  expect((await list('tag=food&text=bed')).total).toBe(2);
  expect((await list(`tag=food&collection=${collectionId}`)).items.map(({ title }) => title)).toEqual(['Cockle bed']);
  expect((await list('kind=talk&tag=food')).total).toBe(0);
  const bySource = async (source: string) => (await list(`text=bed&source=${source}`)).total;
  expect(await Promise.all(['file', 'web', 'made'].map(bySource))).toEqual([4, 0, 0]);
  const counts = await json<Record<string, { value: string; count: number }[]>>('/v1/library/counts?text=bed');
  expect(counts).toMatchObject({
    total: 4,
    kinds: [{ value: 'document', count: 4 }],
    sources: [{ value: 'file', count: 4 }],
    tags: [
      { value: 'food', count: 2 },
      { value: 'shell', count: 2 },
    ],
    collections: [{ value: collectionId, count: 1 }],
  });
  const pages = await Promise.all([0, 2].map((offset) => list(`text=bed&sort=title&limit=2&offset=${offset}`)));
  expect(pages.flatMap(({ items }) => items.map(({ itemId }) => itemId))).toEqual(shells.map(({ itemId }) => itemId));
  expect(pages.map(({ total }) => total)).toEqual([4, 4]);
  // `%` and `_` are letters.
  expect((await list(`text=${encodeURIComponent('%')}`)).total).toBe(0);
  const smart = await json<{ collectionId: string; count: number }>(
    '/v1/library/collections',
    postJson({ name: 'Food', filter: { tag: 'food' } }),
  );
  expect(smart.count).toBe(2);
  expect((await list(`collection=${smart.collectionId}`)).total).toBe(2);
  const refused = await appliance.owner(`/v1/library/items/${first?.itemId}`, {
    ...postJson({ addTo: [smart.collectionId] }),
    method: 'PATCH',
  });
  expect(refused.status).toBe(400);
});

test('jobs of keys and of strangers are no items, and expire', async () => {
  const before = (await list()).total;
  const { key } = await json<{ key: string }>('/admin/keys', postJson({ name: 'k', scopes: ['run', 'read', 'write'] }));
  const asKey: Client = (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${key}`);
    return fetch(appliance.url + path, { ...init, headers });
  };
  const form = { method: 'POST', body: fileForm('# Of a key\n\nText.', 'key.md') };
  const { jobId } = await json<Job>('/v1/extract/doc', form, asKey);
  const job = await finished(asKey, jobId);
  expect(job.expiresAt).not.toBeNull();
  expect((await list()).total).toBe(before);
  // A key reads the library with its scope; a stranger never does.
  expect((await json<Listed>('/v1/library/items', undefined, asKey)).total).toBe(before);
  const changing = { ...postJson({ items: ['itm_x'], deleted: true }), method: 'POST' };
  for (const [path, init] of [
    ['items', {}],
    ['counts', {}],
    ['collections', {}],
    ['items/itm_x', { method: 'DELETE' }],
    ['changes', changing],
    ['export', postJson({ filter: {} })],
  ] as const) {
    expect((await appliance.anonymous(`/v1/library/${path}`, init)).status, path).toBe(401);
  }
  const reader = await json<{ key: string }>('/admin/keys', postJson({ name: 'r', scopes: ['read'] }));
  const headers = { authorization: `Bearer ${reader.key}`, 'content-type': 'application/json' };
  expect((await fetch(`${appliance.baseUrl}/library/changes`, { ...changing, headers })).status).toBe(403);
});

test('jobs from before the library become items, also when the adoption was interrupted', async () => {
  const jobs: Job[] = [];
  for (const name of ['first', 'second', 'third'])
    jobs.push(await read(`# The ${name} log\n\nIts text.`, `${name}.md`));
  const last = await itemOfJob(jobs[2]?.jobId ?? '');
  const before = await list('limit=200');
  await appliance.restart(() => {
    const db = new SqliteDatabase(join(appliance.dataDir, 'production', 'quarry.db'));
    // As an update leaves it that died after its first step: one job is an item, the others are not.
    db.exec(`delete from library_items where id <> '${last.itemId}';
      delete from library_versions where job_id <> '${last.jobId}';
      update jobs set expires_at = ended_at + 259200000 where ended_at is not null;
      insert into library_adoption (before_seq) select max(seq) + 1 from jobs`);
    db.close();
  });
  await until(async () => (await list()).total === before.total);
  for (const { jobId, result } of jobs) {
    const item = await itemOfJob(jobId);
    expect(item.state).toBe('ready');
    const now = await json<Job>(`/v1/jobs/${jobId}`);
    expect(now.result?.chunks).toEqual(result?.chunks);
    if (jobId !== last.jobId) expect(now.expiresAt).toBeNull();
  }
  expect((await list('text=log&sort=title')).items.map(({ title }) => title)).toEqual([
    'The first log',
    'The second log',
    'The third log',
  ]);
});

test('an item tells what it takes of the disk over all versions, and counts sum it by kind', async () => {
  const text = `# Ballast\n\n${'Stones of the quay. '.repeat(500)}`;
  const { jobId } = await read(text, 'ballast.md');
  const { itemId } = await itemOfJob(jobId);
  await until(async () => (await itemOf(itemId)).bytes !== null);
  const one = (await itemOf(itemId)).bytes ?? 0;
  expect(one).toBeGreaterThan(Buffer.byteLength(text));
  await read(text, 'ballast.md', { 'options.segmentLength': '200' });
  await until(async () => ((await itemOf(itemId)).bytes ?? 0) > 1.5 * one);
  const counts = await json<{ bytes: number; pages: number; sizes: { value: string; bytes: number }[] }>(
    '/v1/library/counts',
  );
  const { items } = await list('limit=200&sort=size');
  expect(counts.bytes).toBe(items.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0));
  expect(counts.sizes.find(({ value }) => value === 'document')?.bytes).toBe(counts.bytes);
  expect(counts.pages).toBe(items.reduce((sum, { pages }) => sum + (pages ?? 0), 0));
  expect(items.map(({ bytes }) => bytes)).toEqual(
    items.map(({ bytes }) => bytes).toSorted((a, b) => (b ?? 0) - (a ?? 0)),
  );
  expect(items[0]?.itemId).toBe(itemId);
  // One version less is half the room.
  await change(itemId, { version: 2 });
  await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' });
  await until(async () => ((await itemOf(itemId)).bytes ?? 0) < 1.5 * one);
});

test('people who speak are a filter of lists and counts, and numbers of speakers are none', async () => {
  const { jobId } = await read('# Panel\n\nOn the wall.', 'panel.md');
  const { itemId } = await itemOfJob(jobId);
  const facts = factsOfResult(
    'transcribe',
    'talk',
    { speakers: [{ name: 'Speaker 1' }, { name: 'Maya\nLind' }, { name: 'Maya Lind' }, { name: 'Tom' }] },
    '',
  );
  expect(facts.speakers).toEqual(['Maya Lind', 'Tom']);
  await appliance.restart(() => {
    const database = new SqliteDatabase(join(appliance.dataDir, 'production', 'quarry.db'));
    const add = database.prepare('insert into library_speakers select seq, ? from library_items where id = ?');
    for (const name of facts.speakers) add.run(name, itemId);
    database.close();
  });
  expect((await itemOf(itemId)).speakers).toEqual(facts.speakers);
  expect((await list('speaker=Tom')).items.map((item) => item.itemId)).toEqual([itemId]);
  expect((await list('speaker=Speaker+1')).total).toBe(0);
  const counts = await json<{ speakers: object[] }>('/v1/library/counts?text=panel');
  expect(counts.speakers).toEqual([
    { value: 'Maya Lind', count: 1 },
    { value: 'Tom', count: 1 },
  ]);
});
