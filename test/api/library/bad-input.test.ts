/** Titles, tags and filters of any length and letters are cleaned or refused, never stored as they are. */
import { expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Item } from '../../../src-server/features/library/schema.ts';
import { startAppliance } from '../../harness/appliance.ts';
import { fileForm, finished } from '../../harness/jobs.ts';
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
