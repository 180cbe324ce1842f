/** Watched folders: each file becomes a job once, however it is moved, and links lead nowhere. */

import { mkdtempSync } from 'node:fs';
import {
  appendFile,
  copyFile,
  mkdir,
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
import type { FolderWatch, WatchedFile } from '../../src-server/features/folders/schema.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const RECIPE = { operation: 'extract/doc', request: { options: { segmentLength: 500 } } };

let appliance: Appliance;
let scratch = '';

beforeAll(async () => {
  appliance = await startAppliance();
  scratch = await realpath(mkdtempSync(join(tmpdir(), 'quarry folders ')));
});
afterAll(async () => {
  await appliance.close();
  await rm(scratch, { recursive: true, force: true });
});

async function send(method: string, path: string, value?: unknown): Promise<Response> {
  return appliance.owner(`/admin/folders${path}`, { ...(value === undefined ? {} : postJson(value)), method });
}

async function watch(name: string, fields: object = {}): Promise<FolderWatch> {
  const path = join(scratch, name);
  await mkdir(path, { recursive: true });
  const answer = await send('POST', '', { path, recipe: RECIPE, settleSeconds: 1, ...fields });
  const made = (await answer.json()) as FolderWatch;
  expect(answer.status, JSON.stringify(made)).toBe(201);
  return made;
}

const stateOf = async (watchId: string) => (await (await send('GET', `/${watchId}`)).json()) as FolderWatch;

const filesOf = async (watchId: string) =>
  ((await (await send('GET', `/${watchId}/files`)).json()) as { files: WatchedFile[] }).files;

/** Waits for something that files come to when they have settled. */
async function soon(holds: () => Promise<boolean>): Promise<void> {
  await until(async () => {
    if (await holds()) return true;
    appliance.clock.advance(1000);
    return false;
  });
}

/** Waits until all files that were found have been read and their jobs have ended. */
async function quiet(watchId: string, ended: number): Promise<WatchedFile[]> {
  await soon(async () => {
    const { counts, settling, state } = await stateOf(watchId);
    return (
      state === 'watching' && settling === 0 && counts.processing === 0 && counts.completed + counts.failed === ended
    );
  });
  return filesOf(watchId);
}

/** Looks through the folder, and waits until that has led to nothing more. */
async function lookThrough(watchId: string): Promise<WatchedFile[]> {
  await send('POST', `/${watchId}/look`);
  const { counts } = await stateOf(watchId);
  await soon(async () => (await stateOf(watchId)).state === 'watching');
  return quiet(watchId, counts.completed + counts.failed);
}

test('a name that is not UTF-8 is said, and the other files are read', async () => {
  const { watchId, path } = await watch('misnamed');
  const inFolder = (name: Buffer) => Buffer.concat([Buffer.from(`${path}/`), name]);
  const bad = Buffer.from('b\xffad.txt', 'latin1');
  await writeFile(inFolder(bad), 'Not read.');
  await writeFile(join(path, 'good \ufffd.txt'), 'Read.');
  await mkdir(inFolder(Buffer.from('fol\xe9der', 'latin1')));
  const files = await quiet(watchId, 1);
  expect(files.map((file) => file.path)).toEqual(['good \ufffd.txt']);
  await send('POST', `/${watchId}/look`);
  // Said until the next look begins, and again after it.
  await soon(async () => /^The names of 2 files or folders are not UTF-8/.test((await stateOf(watchId)).message ?? ''));
  await rename(inFolder(bad), join(path, 'bad.txt'));
  await rm(inFolder(Buffer.from('fol\xe9der', 'latin1')), { recursive: true });
  await quiet(watchId, 2);
  await send('POST', `/${watchId}/look`);
  await soon(async () => (await stateOf(watchId)).message === null);
});

test('files are read once, and their results are written beside the folder', async () => {
  const { watchId, path, resultsPath } = await watch('in', { results: 'beside' });
  await mkdir(join(path, 'deep'));
  await writeFile(join(path, 'deep', 'note.txt'), 'The harbour opens at six.');
  await writeFile(join(path, 'sheet.csv'), 'a,b\n1,2\n');
  await writeFile(join(path, 'broken.docx'), Buffer.from([0x50, 0x4b, 3, 4, 1, 2, 3]));
  await writeFile(join(path, '.hidden.txt'), 'Hidden.');
  await writeFile(join(path, 'loading.pdf.part'), 'Half.');
  const files = await quiet(watchId, 3);
  const byPath = new Map(files.map((file) => [file.path, file]));
  expect(byPath.get('deep/note.txt')).toMatchObject({ status: 'completed', error: null, jobKept: true });
  expect(byPath.get('broken.docx')).toMatchObject({ status: 'failed' });
  await soon(async () => (await filesOf(watchId)).filter(({ results }) => results === 'written').length === 2);
  const beside = join(resultsPath ?? '', 'deep', 'note.txt');
  expect(await readFile(join(beside, 'document.md'), 'utf8')).toContain('The harbour opens at six.');
  const job = JSON.parse(await readFile(join(beside, 'job.json'), 'utf8'));
  expect(job).toMatchObject({
    jobId: byPath.get('deep/note.txt')?.jobId,
    status: 'completed',
    sourceName: 'deep/note.txt',
  });
  expect((await readdir(resultsPath ?? '')).toSorted()).toEqual(['deep', 'sheet.csv']);

  const listed = await appliance.owner(`/admin/jobs?limit=10`);
  const { jobs } = (await listed.json()) as { jobs: { jobId: string; watchId: string | null }[] };
  expect(jobs.find(({ jobId }) => jobId === job.jobId)?.watchId).toBe(watchId);
});

test('a moved, copied or touched file is not read again; a changed one is', async () => {
  const { watchId, path } = await watch('moves');
  await writeFile(join(path, 'one.txt'), 'First text.');
  const [first] = await quiet(watchId, 1);
  await mkdir(join(path, 'archive'));
  await rename(join(path, 'one.txt'), join(path, 'archive', 'uno.txt'));
  await soon(async () => (await filesOf(watchId))[0]?.path === 'archive/uno.txt');
  await copyFile(join(path, 'archive', 'uno.txt'), join(path, 'copy.txt'));
  const files = await lookThrough(watchId);
  expect(files.map(({ fileId }) => fileId)).toEqual([first?.fileId]);

  await appendFile(join(path, 'archive', 'uno.txt'), ' And more.');
  const changed = await quiet(watchId, 2);
  expect(changed.map((file) => file.path)).toEqual(['archive/uno.txt', 'archive/uno.txt']);
});

test('another recipe holds for files that are found later', async () => {
  const { watchId, path } = await watch('recipes');
  await writeFile(join(path, 'before.txt'), 'Found before.');
  const [before] = await quiet(watchId, 1);
  const refused = await send('PATCH', `/${watchId}`, { recipe: { operation: 'crawl' } });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('"recipe.operation"')]);
  const recipe = { operation: 'extract/doc', request: { options: { segmentLength: 300 } } };
  expect(await (await send('PATCH', `/${watchId}`, { recipe })).json()).toMatchObject({ recipe });
  await writeFile(join(path, 'after.txt'), 'Found after.');
  const files = await quiet(watchId, 2);
  expect(files.map(({ fileId }) => fileId)).toContain(before?.fileId);
  const jobId = files.find((file) => file.path === 'after.txt')?.jobId;
  const record = await (await appliance.owner(`/admin/jobs/${jobId}`)).json();
  expect(record).toMatchObject({ request: { options: { segmentLength: 300 } } });
});

test('a restart reads nothing twice and finds what happened meanwhile', async () => {
  const { watchId, path } = await watch('restart');
  await writeFile(join(path, 'a.txt'), 'Text a.');
  await writeFile(join(path, 'b.txt'), 'Text b.');
  const before = await quiet(watchId, 2);
  await appliance.restart();
  await rename(join(path, 'a.txt'), join(path, 'renamed.txt'));
  await writeFile(join(path, 'c.txt'), 'Text c.');
  const after = await quiet(watchId, 3);
  await soon(async () => (await filesOf(watchId)).some((file) => file.path === 'renamed.txt'));
  expect(after.slice(1).map(({ jobId }) => jobId)).toEqual(before.map(({ jobId }) => jobId));
  const ended = await lookThrough(watchId);
  expect(ended.length).toBe(3);
});

test('links are not followed, neither to files nor to folders', async () => {
  const outside = join(scratch, 'outside');
  await mkdir(join(outside, 'inner'), { recursive: true });
  await writeFile(join(outside, 'secret.txt'), 'Secret.');
  await writeFile(join(outside, 'inner', 'secret.txt'), 'Inner secret.');
  const { watchId, path, resultsPath } = await watch('links', { results: 'beside' });
  await symlink(join(outside, 'secret.txt'), join(path, 'link.txt'));
  await symlink(outside, join(path, 'linked'));
  await mkdir(resultsPath ?? '');
  await symlink(outside, join(resultsPath ?? '', 'deep'));
  await mkdir(join(path, 'deep'));
  await writeFile(join(path, 'deep', 'mine.txt'), 'Mine.');
  const files = await quiet(watchId, 1);
  expect(files.map((file) => file.path)).toEqual(['deep/mine.txt']);
  await soon(async () => (await filesOf(watchId))[0]?.results === 'failed');
  expect((await filesOf(watchId))[0]?.resultsError).toMatch(/could not be written/);
  expect((await readdir(outside)).toSorted()).toEqual(['inner', 'secret.txt']);
  expect((await lookThrough(watchId)).length).toBe(1);
});

test('a folder that is gone is a state, and is read again when it is back', async () => {
  const { watchId, path } = await watch('disk');
  await writeFile(join(path, 'a.txt'), 'On the disk.');
  await quiet(watchId, 1);
  await rename(path, `${path} away`);
  await soon(async () => (await stateOf(watchId)).state === 'missing');
  expect((await stateOf(watchId)).message).toMatch(/mount its disk/);
  await writeFile(join(`${path} away`, 'b.txt'), 'Written meanwhile.');
  await rename(`${path} away`, path);
  expect((await quiet(watchId, 2)).map((file) => file.path)).toEqual(['b.txt', 'a.txt']);
});

test('a paused watch reads nothing; limits of size and kind are kept in the history', async () => {
  await appliance.owner('/admin/settings', { ...postJson({ documentLimitMb: 1 }), method: 'PATCH' });
  const { watchId, path } = await watch('limits', { extensions: ['.TXT', 'md'] });
  await send('PATCH', `/${watchId}`, { status: 'paused' });
  await writeFile(join(path, 'large.txt'), Buffer.alloc(1_100_000, 'a'));
  await writeFile(join(path, 'ignored.csv'), 'a,b');
  expect(await stateOf(watchId)).toMatchObject({ state: 'paused', settling: 0 });
  expect((await send('POST', `/${watchId}/look`)).status).toBe(409);
  await send('PATCH', `/${watchId}`, { status: 'active' });
  const [file] = await quiet(watchId, 1);
  expect(file).toMatchObject({ path: 'large.txt', status: 'failed', jobId: null, error: { code: 'source_too_large' } });

  await appliance.owner('/admin/settings', { ...postJson({ documentLimitMb: 100 }), method: 'PATCH' });
  await send('POST', `/${watchId}/retry`);
  await soon(async () => (await stateOf(watchId)).counts.completed === 1);
  expect((await stateOf(watchId)).counts).toEqual({ processing: 0, completed: 1, failed: 0 });

  expect((await send('DELETE', `/${watchId}`)).status).toBe(204);
  expect((await send('GET', `/${watchId}`)).status).toBe(404);
});

test('a request that cannot work names its field', async () => {
  const path = join(scratch, 'in');
  const cases: [field: string, body: object][] = [
    ['path', { path: 'relative', recipe: RECIPE }],
    ['path', { path: join(scratch, 'nowhere'), recipe: RECIPE }],
    ['path', { path: '/', recipe: RECIPE }],
    ['path', { path: appliance.dataDir, recipe: RECIPE }],
    ['recipe.operation', { path, recipe: { operation: 'crawl' } }],
    [
      'recipe.request.options.segmentLength',
      { path, recipe: { ...RECIPE, request: { options: { segmentLength: 1 } } } },
    ],
    ['recipe.request.sourceUrl', { path, recipe: { ...RECIPE, request: { sourceUrl: 'https://a.example/' } } }],
    ['recipe.request.webhookUrl', { path, recipe: { ...RECIPE, request: { webhookUrl: 'ftp://a.example/' } } }],
    ['settleSeconds', { path, recipe: RECIPE, settleSeconds: 0 }],
    ['extensions.0', { path, recipe: RECIPE, extensions: ['a/b'] }],
  ];
  for (const [field, body] of cases) {
    const answer = await send('POST', '', body);
    const problem = (await answer.json()) as { errors?: { path: string }[] };
    expect([answer.status, JSON.stringify(problem)], field).toEqual([400, expect.stringContaining(`"${field}"`)]);
  }
  expect((await appliance.anonymous('/admin/folders')).status).toBe(401);
});
