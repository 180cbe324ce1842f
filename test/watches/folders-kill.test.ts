/** A server that is killed while it reads a watched folder makes one job of each file, and loses none. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FolderWatch, WatchedFile } from '../../src-server/features/folders/schema.ts';
import { startApplianceProcess } from '../harness/appliance-process.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const FILES = 24;
const KILLS_AFTER_MS = [2400, 700];

test('each file becomes one job, whenever the server is killed', async () => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'quarry folder ')));
  for (let n = 0; n < FILES; n++) writeFileSync(join(path, `${n}.txt`), `Text number ${n}.`);
  await using server = await startApplianceProcess();
  const recipe = { operation: 'extract/doc' };
  const answer = await server.owner('/admin/folders', postJson({ path, recipe, settleSeconds: 1, results: 'beside' }));
  const { watchId, resultsPath } = (await answer.json()) as FolderWatch;
  for (const milliseconds of KILLS_AFTER_MS) {
    await sleep(milliseconds);
    await server.kill('SIGKILL');
    await server.restart();
  }
  const files = async () =>
    (await (await server.owner(`/admin/folders/${watchId}/files?limit=200`)).json()) as { files: WatchedFile[] };
  await until(async () => (await files()).files.filter(({ results }) => results === 'written').length === FILES);
  const all = (await files()).files;
  expect(all.length).toBe(FILES);
  expect(new Set(all.map((file) => file.path)).size).toBe(FILES);
  const listed = await server.owner('/admin/jobs?limit=200');
  const { jobs } = (await listed.json()) as { jobs: { jobId: string; status: string }[] };
  expect(jobs.map(({ jobId }) => jobId).toSorted()).toEqual(all.map(({ jobId }) => jobId).toSorted());
  const watch = (await (await server.owner(`/admin/folders/${watchId}`)).json()) as FolderWatch;
  expect(watch.counts).toEqual({ processing: 0, completed: FILES, failed: 0 });
  rmSync(path, { recursive: true });
  rmSync(resultsPath ?? '', { recursive: true });
});
