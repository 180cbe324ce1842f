/** Every page of the window, with something on each, for tests that look at, listen to or measure all of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Item } from '../../src-server/features/library/schema.ts';
import type { Appliance } from '../harness/appliance.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const PATHS = [
  '/',
  '/library',
  '/library?view=list',
  '/library/deleted',
  '/add',
  '/make/speak',
  '/make/compose',
  '/make/listen',
  '/search',
  '/search?q=harbour',
  '/watches',
  '/service',
  '/jobs',
  '/jobs/batches',
  '/service/api/extract/doc',
  '/webhooks',
  '/webhooks?tab=deliveries',
  '/webhooks?tab=signatures',
  '/payments',
  '/payments?tab=prices',
  '/payments?tab=settlement',
  '/payments?tab=sandbox',
  '/contributions',
  '/limits',
  '/models',
  '/settings',
  '/settings/look',
  '/settings/connections',
  '/settings/storage',
  '/settings/service',
  '/nowhere',
  '/jobs/job_nowhere',
  '/items/itm_nowhere',
];

/**
 * Fills an appliance: a document with a note, a recording, a failed job, a collection, a webhook, a batch, and a watched
 * site, folder and feed that have run. Returns the paths of every page, those of what is not there too.
 */
export async function fillEveryPage(appliance: Appliance): Promise<string[]> {
  const { owner } = appliance;
  const run = async (path: string, init: RequestInit): Promise<string> => {
    const answer = await owner(path, init);
    const { jobId } = (await answer.json()) as { jobId: string };
    await finished(owner, jobId);
    return jobId;
  };
  const read = (body: FormData) => run('/v1/extract/doc', { method: 'POST', body });
  const report = await read(fileForm(wordDocument(['The harbour report.', 'Two tides a day.']), 'Harbour.docx'));
  await run('/v1/generate/audio', postJson({ prompt: 'Calm piano', durationSeconds: 5 }));
  const failed = await read(fileForm('%PDF-1.4\n', 'Broken.pdf'));
  let items: Item[] = [];
  await until(async () => {
    const answer = await owner('/v1/library/items');
    ({ items } = (await answer.json()) as { items: Item[] });
    return items.some(({ jobId, words }) => jobId === report && words !== null);
  });
  const itemId = items.find(({ jobId }) => jobId === report)?.itemId ?? '';
  const sound = items.find(({ kind }) => kind !== 'document')?.itemId ?? '';
  await owner(`/v1/library/items/${itemId}/notes`, postJson({ kind: 'note', text: 'Ask about the second tide.' }));
  const collection = await owner('/v1/library/collections', postJson({ name: 'Tides' }));
  const { collectionId } = (await collection.json()) as { collectionId: string };
  await owner('/v1/library/changes', postJson({ items: [itemId], addTags: ['harbour'], addTo: [collectionId] }));
  await owner('/v1/webhooks', postJson({ url: `${appliance.url}/inbox`, events: ['job.completed'] }));
  return [
    ...PATHS,
    ...(await fillSources(appliance)),
    `/items/${itemId}`,
    `/items/${itemId}?pane=notes`,
    `/items/${itemId}?pane=about`,
    `/items/${sound}`,
    `/library/c/${collectionId}`,
    `/jobs/${report}`,
    `/jobs/${failed}`,
  ];
}

/** A batch, a watched site, folder and feed, each with something read and something that failed. */
async function fillSources({ owner, dataDir }: Appliance): Promise<string[]> {
  await using site = await serveWith((request, response) => {
    const path = request.url ?? '';
    if (path === '/feed') return void response.end(FEED.replaceAll('SITE', site.url));
    if (path === '/broken') return void response.writeHead(500).end();
    if (path === '/robots.txt') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(
      '<title>Harbour</title><main><h1>Harbour</h1><p>The tide comes at noon.</p><a href="/a">More</a></main>',
    );
  });
  const folder = join(dirname(dataDir), 'Scans');
  mkdirSync(folder);
  writeFileSync(join(folder, 'harbour.txt'), 'The harbour opens at six.');
  writeFileSync(join(folder, 'broken.docx'), 'no document');
  const made = async <Made>(path: string, value: unknown) => {
    const answer = await owner(path, postJson(value));
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as Made;
  };
  await owner('/admin/settings', { ...postJson({ crawlDelayMs: 0 }), method: 'PATCH' });
  const items = ['/tide', '/broken'].map((path) => ({ sourceUrl: site.url + path }));
  const { batchId } = await made<{ batchId: string }>('/v1/batches', { operation: 'extract/doc', items });
  const schedule = { everyMinutes: 1440 };
  const watch = { name: 'Harbour office', crawl: { url: `${site.url}/`, depth: 1 }, schedule };
  const { watchId: siteId } = await made<{ watchId: string }>('/admin/watches', watch);
  const recipe = { operation: 'extract/doc', request: {} };
  const { watchId: folderId } = await made<{ watchId: string }>('/admin/folders', { path: folder, recipe });
  const { feedId } = await made<{ feedId: string }>('/admin/feeds', { url: `${site.url}/feed`, recipe, schedule });
  await until(async () => {
    const { jobs } = (await (await owner('/v1/jobs?limit=100')).json()) as { jobs: { status: string }[] };
    const read = (await (await owner(`/admin/feeds/${feedId}/entries`)).json()) as { entries: { status: string }[] };
    const files = (await (await owner(`/admin/folders/${folderId}/files`)).json()) as { files: { status: string }[] };
    const ended = [...jobs, ...read.entries, ...files.files].every(({ status }) => /completed|failed/.test(status));
    return ended && read.entries.length === 2 && files.files.length === 2;
  });
  return [`/jobs/batches/${batchId}`, `/watches/${siteId}`, `/watches/folders/${folderId}`, `/watches/feeds/${feedId}`];
}

const FEED = `<?xml version="1.0"?><rss version="2.0"><channel><title>Harbour news</title>
<item><title>The tide</title><link>SITE/tide</link></item>
<item><title>The broken one</title><link>SITE/broken</link></item>
</channel></rss>`;

/** Waits until the page has its heading, shows no placeholder, and its texts stay the same. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' });
  let before = '';
  await until(async () => {
    // Plots are drawn anew for another width.
    const now = await page.evaluate<string>('document.body.innerText + document.documentElement.scrollWidth');
    const waits = await page.evaluate<boolean>(`document.querySelector('.mantine-Skeleton-root') !== null`);
    const isSame = now === before && !waits;
    before = now;
    return isSame;
  });
}
