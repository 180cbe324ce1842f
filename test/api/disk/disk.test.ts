/** The parts of the disk add up to what the data folder takes, and callers' results are one of them. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DiskUse } from '../../../src-server/features/disk/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Item } from '../../../src-server/features/library/schema.ts';
import { DAY_MS } from '../../../src-server/platform/units.ts';
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

const use = (environment = 'production') => json<DiskUse>(`/admin/disk?environment=${environment}`);
const bytesOf = ({ parts }: DiskUse, part: string) => parts.find((one) => one.part === part)?.bytes ?? 0;
const sum = ({ parts }: DiskUse) => parts.reduce((all, { bytes }) => all + bytes, 0);

async function read(name: string, words: string, headers: Record<string, string> = {}, base = '/v1'): Promise<string> {
  const body = fileForm(`# ${name}\n\n${words.repeat(2000)}`, `${name}.md`);
  const { jobId } = await json<Job>(`${base}/extract/doc`, { method: 'POST', body, headers });
  await finished((path, init) => appliance.owner(path.replace('/v1', base), init), jobId);
  return jobId;
}

/** What a program that knows nothing of Quarry counts. */
async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await lstat(join(parentPath, name))).size),
  );
  return sizes.reduce((all, size) => all + size, 0);
}

test('the parts are what the data folder takes; callers, deleted items and the other environment are apart', async () => {
  const kept = await read('Tides', 'High water. ');
  const deleted = await read('Lamps', 'Ten lamps. ');
  const { key } = await json<{ key: string }>('/admin/keys', postJson({ name: 'Feeder', scopes: ['run'] }));
  const body = fileForm(`# Nets\n\n${'Mended nets. '.repeat(3000)}`, 'nets.md');
  const called = await fetch(`${appliance.baseUrl}/extract/doc`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${key}` },
  });
  expect(called.status, await called.clone().text()).toBeLessThan(300);
  const { jobId: ofCaller } = (await called.json()) as Job;
  await finished(appliance.owner, ofCaller);
  await read('Staged', 'Of no matter. ', {}, '/staging/v1');
  const itemOf = async (jobId: string) =>
    (await json<{ items: Item[] }>(`/v1/library/lookup?job=${jobId}`)).items[0] as Item;
  await until(async () => (await itemOf(kept)).bytes !== null && (await itemOf(deleted)).bytes !== null);
  await appliance.owner(`/v1/library/items/${(await itemOf(deleted)).itemId}`, { method: 'DELETE' });

  const found = await use();
  expect(found.folder).toBe(appliance.dataDir);
  expect(sum(found)).toBe(found.bytes);
  expect(found.bytes).toBe(await bytesBelow(appliance.dataDir));
  const item = await itemOf(kept);
  const document = found.parts.find(({ part }) => part === 'document');
  expect(document).toEqual({ part: 'document', bytes: item.bytes, originals: item.originalBytes, jobs: 1 });
  expect(bytesOf(found, 'deleted')).toBe((await itemOf(deleted)).bytes);
  expect(found.parts.find(({ part }) => part === 'callers')).toMatchObject({ jobs: 1 });
  expect(bytesOf(found, 'callers')).toBeGreaterThan(39_000);
  expect(bytesOf(found, 'otherEnvironment')).toBeGreaterThan(26_000);
  expect(bytesOf(found, 'databases')).toBeGreaterThan(0);
  expect(bytesOf(found, 'search')).toBeGreaterThan(0);
  const staged = await use('staging');
  expect(staged.parts.some(({ part }) => part === 'callers')).toBe(false);
  expect(sum(staged)).toBe(staged.bytes);

  // Their retention frees it; what is kept stays.
  appliance.clock.advance(4 * DAY_MS);
  await appliance.restart();
  await until(async () => bytesOf(await use(), 'callers') === 0);
  expect(bytesOf(await use(), 'document')).toBe(item.bytes);
});

test('only the owner sees it', async () => {
  expect((await appliance.anonymous('/admin/disk')).status).toBe(401);
  const { key } = await json<{ key: string }>('/admin/keys', postJson({ name: 'Reader', scopes: ['read'] }));
  const asked = await fetch(`${appliance.url}/admin/disk`, { headers: { authorization: `Bearer ${key}` } });
  expect(asked.status).toBe(403);
});
