/** A folder in step with the library: one direction, and nothing of its owner is touched. */
import { existsSync } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Contribution } from '../../../src-server/features/contributions/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { LIST_NAME, mirrorItems } from '../../../src-server/features/library/mirror-folder.ts';
import type { Item, Mirror } from '../../../src-server/features/library/schema.ts';
import type { Chunk } from '../../../src-server/operation.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm, finished, okJson } from '../../harness/jobs.ts';
import { postJson } from '../../harness/text-models.ts';
import { until } from '../../harness/until.ts';

let appliance: Appliance;
let root: string;
beforeAll(async () => {
  appliance = await startAppliance();
  root = await realpath(await mkdtemp(join(tmpdir(), 'vault ')));
});
afterAll(async () => {
  await appliance.close();
  await rm(root, { recursive: true, force: true });
});

const json = <Value>(path: string, init?: RequestInit) => okJson<Value>(appliance.owner, path, init);

async function read(text: string, name: string): Promise<string> {
  const { jobId } = await json<Job>('/v1/extract/doc', { method: 'POST', body: fileForm(text, name) });
  await finished(appliance.owner, jobId);
  let itemId: string | undefined;
  await until(async () => {
    const { items } = await json<{ items: Item[] }>('/v1/library/items?limit=200');
    itemId = items.find((item) => item.jobId === jobId && item.words !== null)?.itemId;
    return itemId !== undefined;
  });
  return itemId ?? '';
}

const change = (itemId: string, fields: object) =>
  json<Item>(`/v1/library/items/${itemId}`, { ...postJson(fields), method: 'PATCH' });
const sync = ({ mirrorId }: Mirror) => json<Mirror>(`/admin/library/mirrors/${mirrorId}/sync`, { method: 'POST' });
const contents = async (folder: string) => (await readdir(folder)).filter((name) => name !== LIST_NAME).toSorted();

test('items are written with front matter and follow titles, tags and deletion by themselves', async () => {
  const vault = join(root, 'vault');
  await mkdir(vault);
  await writeFile(join(vault, 'My own.md'), 'mine');
  const ebb = await read('# Ebb\n\nWater goes.', 'ebb.md');
  const flood = await read('# Flood\n\nWater comes.', 'flood.md');
  const mirror = await json<Mirror>('/admin/library/mirrors', postJson({ path: vault }));
  expect(mirror).toMatchObject({ state: 'ok', message: null, kept: [], path: vault });
  expect(await contents(vault)).toEqual(['Ebb.md', 'Flood.md', 'My own.md']);
  const text = await readFile(join(vault, 'Ebb.md'), 'utf8');
  expect(text).toMatch(/^---\ntitle: "Ebb"\nkind: "document"\nsource: "ebb.md"\n/);
  expect(text).toContain('Water goes.');
  await change(ebb, { title: 'Low / water', addTags: ['tide'] });
  await change(flood, { deleted: true });
  await until(async () => (await contents(vault)).join() === 'Low _ water.md,My own.md');
  expect(await readFile(join(vault, 'Low _ water.md'), 'utf8')).toContain('tags: ["tide"]');
  expect(await readFile(join(vault, 'My own.md'), 'utf8')).toBe('mine');
  // A second folder within it would take the files of the first.
  await mkdir(join(vault, 'inner'));
  expect((await appliance.owner('/admin/library/mirrors', postJson({ path: join(vault, 'inner') }))).status).toBe(409);
  expect((await appliance.owner('/admin/library/mirrors', postJson({ path: appliance.dataDir }))).status).toBe(400);
  expect((await appliance.owner('/admin/library/mirrors', postJson({ path: join(root, 'none') }))).status).toBe(400);
  await appliance.owner(`/admin/library/mirrors/${mirror.mirrorId}`, { method: 'DELETE' });
  expect(await contents(vault)).toContain('Low _ water.md');
});

test('files that the owner edited, made or linked stay, and are named', async () => {
  const vault = join(root, 'edited');
  await mkdir(vault);
  const [edited, linked] = [await read('# Sluice\n\nOpen.', 's.md'), await read('# Dyke\n\nDry.', 'd.md')];
  const target = join(root, 'target.txt');
  await writeFile(target, 'outside');
  const mirror = await json<Mirror>('/admin/library/mirrors', postJson({ path: vault, filter: { kind: 'document' } }));
  await writeFile(join(vault, 'Sluice.md'), 'my version');
  await rm(join(vault, 'Dyke.md'));
  await symlink(target, join(vault, 'Dyke.md'));
  for (const itemId of [edited, linked]) await change(itemId, { addTags: ['new'] });
  const { kept, keptCount, state } = await sync(mirror);
  expect({ kept: kept.toSorted(), keptCount, state }).toEqual({
    kept: ['Dyke.md', 'Sluice.md'],
    keptCount: 2,
    state: 'ok',
  });
  await change(edited, { deleted: true });
  await sync(mirror);
  expect(await readFile(join(vault, 'Sluice.md'), 'utf8')).toBe('my version');
  expect(await readFile(target, 'utf8')).toBe('outside');
  expect((await lstat(join(vault, 'Dyke.md'))).isSymbolicLink()).toBe(true);
  // The folder is away, or a link stands in its place: nothing is written elsewhere.
  await rename(vault, join(root, 'moved'));
  expect(await sync(mirror)).toMatchObject({ state: 'failed', message: expect.stringContaining('not there') });
  await symlink(join(root, 'moved'), vault);
  expect(await sync(mirror)).toMatchObject({ state: 'failed', message: expect.stringContaining('a link') });
  await rm(vault);
  await rename(join(root, 'moved'), vault);
  expect(await sync(mirror)).toMatchObject({ state: 'ok' });
  await writeFile(join(vault, LIST_NAME), '{');
  expect(await sync(mirror)).toMatchObject({ state: 'failed', message: expect.stringContaining('damaged') });
});

const item = (itemId: string, text: string, base = itemId) => ({
  itemId,
  stamp: text,
  base,
  files: async function* (name: string) {
    yield { path: `${name}.md`, bytes: Buffer.from(text) };
    yield { path: `${name}/subtitles.srt`, bytes: Buffer.from(`1 ${text}`) };
  },
});

const always = new AbortController().signal;

test('an interrupted run is finished by the next, and same titles get a number', async () => {
  const folder = join(root, 'engine');
  await mkdir(folder);
  const broken = {
    ...item('b', 'two'),
    files: async function* () {
      yield { path: 'b.md', bytes: Buffer.from('two') };
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    },
  };
  await expect(mirrorItems(folder, [item('a', 'one'), broken], always)).rejects.toMatchObject({ code: 'full' });
  expect(await contents(folder)).toEqual(['a', 'a.md', 'b.md']);
  const outcome = await mirrorItems(folder, [item('a', 'one'), item('b', 'two'), item('c', 'three', 'A')], always);
  expect(outcome.kept).toEqual([]);
  expect(await contents(folder)).toEqual(['A 2', 'A 2.md', 'a', 'a.md', 'b', 'b.md']);
  // As a killed run leaves it: a file that the list does not name.
  await writeFile(join(folder, 'e.md'), 'five');
  const all = [item('a', 'one'), item('b', 'two'), item('c', 'three', 'A')];
  await mirrorItems(folder, [...all, item('e', 'five')], always);
  expect(await contents(folder)).not.toContain('e 2.md');
  await mirrorItems(folder, all, always);
  expect(await contents(folder)).not.toContain('e.md');
  await writeFile(join(folder, 'a', 'own.txt'), 'mine');
  expect(await mirrorItems(folder, [item('c', 'three', 'A')], always)).toMatchObject({
    written: 0,
    removed: 4,
    kept: [],
  });
  expect(await contents(folder)).toEqual(['A 2', 'A 2.md', 'a']);
  expect(await readdir(join(folder, 'a'))).toEqual(['own.txt']);
  if (process.getuid?.() === 0) return;
  await chmod(folder, 0o500);
  await expect(mirrorItems(folder, [item('d', 'four')], always)).rejects.toMatchObject({ code: 'unwritable' });
  await chmod(folder, 0o700);
});

/** Nobody can make files there, root neither. */
const UNWRITABLE = '/sys/kernel';

test.skipIf(!existsSync(UNWRITABLE))('a folder that cannot be written says so, and is tried again', async () => {
  await read('# Weir\n\nShut.', 'w.md');
  const mirror = await json<Mirror>('/admin/library/mirrors', postJson({ path: UNWRITABLE }));
  expect(mirror).toMatchObject({ state: 'failed', message: expect.stringContaining('cannot be written') });
  expect(await sync(mirror)).toMatchObject({ state: 'failed' });
  expect((await appliance.owner(`/admin/library/mirrors/${mirror.mirrorId}`, { method: 'DELETE' })).status).toBe(204);
});

test('a correction reaches the folder, also behind the first lines', async () => {
  const vault = join(root, 'corrected');
  await mkdir(vault);
  const start = 'The tide tables of the harbour are read every morning by the pilots. '.repeat(8);
  const itemId = await read(`# Slack\n\n${start}\n\nThe gauge stood at Ostwind.`, 'slack.md');
  await json<Mirror>('/admin/library/mirrors', postJson({ path: vault, filter: { text: 'slack' } }));
  expect(await readFile(join(vault, 'Slack.md'), 'utf8')).toContain('Ostwind');
  const { jobId } = await json<Item>(`/v1/library/items/${itemId}`);
  const { result } = await json<Job & { result: { chunks: Chunk[] } }>(`/v1/jobs/${jobId}`);
  const chunk = result.chunks.find((one) => one.text.includes('Ostwind'));
  const correction = {
    kind: 'correction',
    jobId,
    chunkId: chunk?.id,
    text: chunk?.text.replace('Ostwind', 'Westwind'),
  };
  const { contributionId } = await json<Contribution>('/v1/contributions', postJson(correction));
  await json(`/admin/contributions/${contributionId}/approve`, postJson({}));
  await until(async () => (await readFile(join(vault, 'Slack.md'), 'utf8')).includes('Westwind'), 20_000);
  expect(await readFile(join(vault, 'Slack.md'), 'utf8')).not.toContain('Ostwind');
});
