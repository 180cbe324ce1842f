/** Original files can go while texts, notes and covers stay; what is deleted stays as long as the settings say. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Item, ItemCounts } from '../../../src-server/features/library/schema.ts';
import { DAY_MS } from '../../../src-server/platform/units.ts';
import { text, writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm, finished, okJson } from '../../harness/jobs.ts';
import { postJson } from '../../harness/text-models.ts';
import { until } from '../../harness/until.ts';

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const json = <Value>(path: string, init?: RequestInit) => okJson<Value>(appliance.owner, path, init);

const set = (fields: object) => json('/admin/settings', { ...postJson(fields), method: 'PATCH' });
const counts = () => json<ItemCounts>('/v1/library/counts');
const remove = (selected: object) =>
  json<{ items: number; bytes: number }>('/v1/library/originals/removal', postJson(selected));
const sourceStatus = async (jobId: string) => (await appliance.owner(`/admin/jobs/${jobId}/source`)).status;
const itemOf = async (jobId: string) =>
  (await json<{ items: Item[] }>(`/v1/library/lookup?job=${jobId}`)).items[0] as Item;

/** Reads a document and waits until it is measured. */
async function read(bytes: string | Uint8Array, name: string): Promise<Item> {
  const { jobId } = await json<Job>('/v1/extract/doc', { method: 'POST', body: fileForm(bytes, name) });
  await finished(appliance.owner, jobId);
  await until(async () => (await itemOf(jobId)).bytes !== null);
  return itemOf(jobId);
}

test('the originals of chosen items go, their texts stay, and the sizes say so', async () => {
  const one = await read(`# Tide book\n\n${'High water. '.repeat(400)}`, 'tides.md');
  const other = await read('# Lamp book\n\nTen lamps.', 'lamps.md');
  expect(one.originalBytes).toBeGreaterThan(4000);
  expect(other.originalBytes).toBeGreaterThan(0);
  const before = await counts();
  expect(before.sizes[0]).toMatchObject({ value: 'document', originals: one.originalBytes + other.originalBytes });
  expect(await remove({ items: [one.itemId] })).toEqual({ items: 1, bytes: one.originalBytes });
  // It goes once its cover is drawn, or cannot be.
  await until(async () => (await itemOf(one.jobId)).originalBytes === 0);
  const after = await itemOf(one.jobId);
  expect(after.bytes).toBeLessThan((one.bytes ?? 0) - 4000);
  expect(after.excerpt).toContain('High water');
  expect(await sourceStatus(one.jobId)).toBe(404);
  expect((await appliance.owner(`/v1/jobs/${one.jobId}/files/document.md`)).status).toBe(200);
  expect(await sourceStatus(other.jobId)).toBe(200);
  expect((await counts()).sizes[0]?.originals).toBe(other.originalBytes);
  // Twice changes nothing.
  expect(await remove({ items: [one.itemId] })).toEqual({ items: 0, bytes: 0 });
  expect((await appliance.owner('/v1/library/originals/removal', postJson({ items: ['itm_x'] }))).status).toBe(404);
  expect((await appliance.owner('/v1/library/originals/removal', postJson({}))).status).toBe(400);
});

test('a PDF loses its original after its cover is drawn; a killed removal is finished at the start', async () => {
  const item = await read(writePdf({ pages: [text(60, 100, ['Harbour budget'], 24)] }), 'budget.pdf');
  await remove({ filter: { kind: 'document' } });
  await appliance.restart();
  await until(async () => (await itemOf(item.jobId)).originalBytes === 0);
  const after = await itemOf(item.jobId);
  expect(after.cover).not.toBeNull();
  expect((await appliance.owner(`/v1${after.cover}`)).status).toBe(200);
  expect((await appliance.owner(`/admin/jobs/${item.jobId}/pages/1`)).status).toBe(404);
  const { source } = await json<{ source: unknown }>(`/admin/jobs/${item.jobId}`);
  expect(source).toBeNull();
});

test('the settings decide for what is read from then on', async () => {
  const kept = await read('# Before\n\nKept.', 'before.md');
  await set({ originals: 'talks' });
  const gone = await read('# After\n\nGone.', 'after.md');
  await until(async () => (await itemOf(gone.jobId)).originalBytes === 0);
  expect(await sourceStatus(gone.jobId)).toBe(404);
  expect(await sourceStatus(kept.jobId)).toBe(200);
  expect(
    (await appliance.owner('/admin/settings', { ...postJson({ originals: 'some' }), method: 'PATCH' })).status,
  ).toBe(400);
});

test('deleted items stay as many days as the settings say', async () => {
  const item = await read('# Short lived\n\nText.', 'short.md');
  await set({ deletedDays: 7 });
  await appliance.owner(`/v1/library/items/${item.itemId}`, { method: 'DELETE' });
  const { items } = await json<{ items: Item[] }>('/v1/library/items?deleted=true');
  const [deleted] = items;
  expect(Date.parse(deleted?.goesAt ?? '') - Date.parse(deleted?.deletedAt ?? '')).toBe(7 * DAY_MS);
  appliance.clock.advance(6 * DAY_MS);
  await appliance.restart();
  expect((await appliance.owner(`/v1/library/items/${item.itemId}`)).status).toBe(200);
  appliance.clock.advance(DAY_MS + 1000);
  await appliance.restart();
  await until(async () => (await appliance.owner(`/v1/library/items/${item.itemId}`)).status === 404);
});
