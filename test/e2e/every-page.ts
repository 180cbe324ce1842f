/** Every page of the window, with something on each, for tests that look at, listen to or measure all of them. */
import type { Page } from 'playwright-core';
import type { Item } from '../../src-server/features/library/schema.ts';
import type { Appliance } from '../harness/appliance.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';
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
];

/** Fills an appliance: a document with a note, a recording, a failed job, a collection and a webhook. */
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
    `/items/${itemId}`,
    `/items/${sound}`,
    `/library/c/${collectionId}`,
    `/jobs/${report}`,
    `/jobs/${failed}`,
  ];
}

/** Waits until the page has its heading, shows no placeholder, and its texts stay the same. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' });
  let before = '';
  await until(async () => {
    const now = await page.evaluate<string>('document.body.innerText');
    const waits = await page.evaluate<boolean>(`document.querySelector('.mantine-Skeleton-root') !== null`);
    const isSame = now === before && !waits;
    before = now;
    return isSame;
  });
}
