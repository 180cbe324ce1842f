/** Titles, tags and filters of any length and letters are cleaned or refused, never stored as they are. */
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Item, ItemCounts } from '../../../src-server/features/library/schema.ts';
import { startAppliance } from '../../harness/appliance.ts';
import { fileForm, finished } from '../../harness/jobs.ts';
import { fillLibrary } from '../../harness/large-library.ts';
import { postJson } from '../../harness/text-models.ts';
import { until } from '../../harness/until.ts';

test('titles of 10,000 characters, control characters and 5,000 tags', async () => {
  await using appliance = await startAppliance();
  const send = { method: 'POST', body: fileForm(`# ${'Word '.repeat(2000)}\n\nText.`, 'long.md') };
  const { jobId } = (await (await appliance.owner('/v1/extract/doc', send)).json()) as Job;
  await finished(appliance.owner, jobId);
  const listed = async () => {
    const { items } = (await (await appliance.owner('/v1/library/items')).json()) as { items: Item[] };
    return items[0] as Item;
  };
  await until(async () => (await listed()).words !== null);
  const { itemId, title } = await listed();
  expect(title.length).toBeLessThanOrEqual(500);
  const change = (fields: object) =>
    appliance.owner(`/v1/library/items/${itemId}`, { ...postJson(fields), method: 'PATCH' });
  for (const fields of [
    { title: 'x'.repeat(10_000) },
    { title: '\u0000\u0007 \u2028' },
    { title: '\ud800' },
    { addTags: [''] },
    { addTags: Array.from({ length: 5000 }, (_, at) => `tag ${at}`) },
    { addTags: ['x'.repeat(65)] },
    { position: { page: 0 } },
    { version: 2 },
  ]) {
    expect([400, 404], JSON.stringify(fields).slice(0, 60)).toContain((await change(fields)).status);
  }
  const cleaned = await change({ title: ' a\u0000b\n\u202e c ', addTags: ['one\ttwo'] });
  expect(await cleaned.json()).toMatchObject({ tags: ['one two'], titleGiven: true });
  expect((await listed()).title).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
  for (const query of ['from=yesterday', 'limit=100000', 'kind=none', 'offset=-1', `text=${'x'.repeat(300)}`]) {
    expect((await appliance.owner(`/v1/library/items?${query}`)).status, query).toBe(400);
  }
});

test('5,000 tags in a library: the most used are counted, and every one narrows', async () => {
  await using appliance = await startAppliance();
  const [items, each] = [100, 50];
  await appliance.restart(() => {
    const path = join(appliance.dataDir, 'production', 'quarry.db');
    fillLibrary(path, { now: appliance.clock.now(), from: 0, to: items });
    const db = new SqliteDatabase(path);
    db.exec('delete from library_tags');
    const seqs = db.prepare('select seq from library_items order by seq').pluck().all();
    const put = db.prepare('insert into library_tags (item_seq, tag) values (?, ?)');
    db.transaction(() => {
      for (const [at, seq] of seqs.entries()) {
        for (let number = 0; number < each; number += 1) put.run(seq, `tag ${at * each + number}`);
      }
    })();
    db.close();
  });
  const read = async <Value>(path: string) => (await (await appliance.owner(path)).json()) as Value;
  const counts = await read<ItemCounts>('/v1/library/counts');
  expect(counts.tags).toHaveLength(200);
  for (const number of [0, 2500, items * each - 1]) {
    const listed = await read<{ items: Item[]; total: number }>(`/v1/library/items?tag=tag%20${number}`);
    expect([listed.total, listed.items[0]?.tags.length]).toEqual([1, each]);
  }
  const [item] = (await read<{ items: Item[] }>('/v1/library/items?limit=1')).items;
  const more = { ...postJson({ addTags: ['one more'] }), method: 'PATCH' };
  expect((await appliance.owner(`/v1/library/items/${item?.itemId}`, more)).status).toBe(400);
});
