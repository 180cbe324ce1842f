/**
 * A server that is killed while it reads a folder and a feed makes one job of each file and entry, and loses none; each
 * run of a watched site has its job.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Feed } from '../../src-server/features/feeds/schema.ts';
import type { FolderWatch, WatchedFile } from '../../src-server/features/folders/schema.ts';
import type { SiteWatch, SiteWatchRun } from '../../src-server/features/watches/schema.ts';
import { startApplianceProcess } from '../harness/appliance-process.ts';
import { serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const FILES = 24;

const ENTRIES = 12;
const KILLS_AFTER_MS = [2400, 700];

test('each file and entry becomes one job, whenever the server is killed', async () => {
  await using site = await serveWith((request, response) => {
    const items = Array.from({ length: ENTRIES }, (_, n) => `<item><guid>g${n}</guid><link>/page/${n}</link></item>`);
    const feed = `<rss version="2.0"><channel><title>News</title>${items.join('')}</channel></rss>`;
    response.writeHead(200, { 'content-type': request.url === '/feed' ? 'application/rss+xml' : 'text/html' });
    response.end(request.url === '/feed' ? feed : `<title>T</title><main><p>Text of ${request.url}.</p></main>`);
  });
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'quarry folder ')));
  for (let n = 0; n < FILES; n++) writeFileSync(join(path, `${n}.txt`), `Text number ${n}.`);
  await using server = await startApplianceProcess();
  const recipe = { operation: 'extract/doc' };
  const answer = await server.owner('/admin/folders', postJson({ path, recipe, settleSeconds: 1, results: 'beside' }));
  const { watchId, resultsPath } = (await answer.json()) as FolderWatch;
  const schedule = { everyMinutes: 60 };
  const followed = await server.owner(
    '/admin/feeds',
    postJson({ url: `${site.url}/feed`, recipe, schedule, first: ENTRIES }),
  );
  const { feedId } = (await followed.json()) as Feed;
  const crawl = { url: `${site.url}/page/0`, depth: 0 };
  const watched = await server.owner('/admin/watches', postJson({ crawl, schedule }));
  const { watchId: siteId } = (await watched.json()) as SiteWatch;
  for (const milliseconds of KILLS_AFTER_MS) {
    await sleep(milliseconds);
    await server.kill('SIGKILL');
    await server.restart();
  }
  const files = async () =>
    (await (await server.owner(`/admin/folders/${watchId}/files?limit=200`)).json()) as { files: WatchedFile[] };
  await until(async () => (await files()).files.filter(({ results }) => results === 'written').length === FILES);
  const counts = async () => ((await (await server.owner(`/admin/feeds/${feedId}`)).json()) as Feed).counts;
  await until(async () => (await counts()).completed === ENTRIES);
  expect(await counts()).toEqual({ waiting: 0, processing: 0, completed: ENTRIES, failed: 0, skipped: 0 });
  const all = (await files()).files;
  expect(all.length).toBe(FILES);
  expect(new Set(all.map((file) => file.path)).size).toBe(FILES);
  const listed = await server.owner('/admin/jobs?limit=200');
  const { jobs: made } = (await listed.json()) as { jobs: { jobId: string; watchId: string | null }[] };
  const { runs } = (await (await server.owner(`/admin/watches/${siteId}/runs`)).json()) as { runs: SiteWatchRun[] };
  expect(runs).toMatchObject([{ cause: 'schedule', jobKept: true }]);
  expect(made.length).toBe(FILES + ENTRIES + runs.length);
  const jobs = made.filter((job) => job.watchId === watchId);
  expect(jobs.map(({ jobId }) => jobId).toSorted()).toEqual(all.map(({ jobId }) => jobId).toSorted());
  const watch = (await (await server.owner(`/admin/folders/${watchId}`)).json()) as FolderWatch;
  expect(watch.counts).toEqual({ processing: 0, completed: FILES, failed: 0 });
  rmSync(path, { recursive: true });
  rmSync(resultsPath ?? '', { recursive: true });
});
