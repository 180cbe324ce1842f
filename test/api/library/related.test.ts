/** Related items: by rare words that both say, by collections and tags; nothing where nothing is near, and no copies. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Item, RelatedItems } from '../../../src-server/features/library/schema.ts';
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

async function read(title: string, text: string): Promise<string> {
  const body = fileForm(`# ${title}\n\n${text}`, `${title}.md`);
  const { jobId } = await json<Job>('/v1/extract/doc', { method: 'POST', body });
  await finished(appliance.owner, jobId);
  const itemOf = async () => (await json<{ items: Item[] }>(`/v1/library/lookup?job=${jobId}`)).items[0];
  await until(async () => (await itemOf())?.excerpt !== null);
  return (await itemOf())?.itemId ?? '';
}

const related = async (itemId: string) =>
  (await json<RelatedItems>(`/v1/library/items/${itemId}/related`)).items.map(({ item, ...why }) => ({
    title: item.title,
    ...why,
  }));

/** Said by all: no reason to name one for another. */
const USUAL = 'There would always be something about which people should think together.';

test('rare words relate, usual ones and one alone do not; a copy is left out', async () => {
  const works = await read('Coastal works', `${USUAL} The masonry of the slipway and the tender of the divers.`);
  await read('Divers and slipways', `${USUAL} The divers saw the slipway, and its masonry was sound.`);
  await read('Kitchen garden', `${USUAL} Beans need sticks, and cabbage needs patience.`);
  await read('One word', `${USUAL} A tender heart.`);
  await read('Train table', `${USUAL} Trains leave at noon.`);
  await read('Night sky', `${USUAL} Stars are bright.`);
  const found = await related(works);
  expect(found.map(({ title }) => title)).toEqual(['Divers and slipways']);
  expect(found[0]?.words).toEqual(expect.arrayContaining(['slipway', 'masonry']));
  const copy = await read('Coastal works', `${USUAL} The masonry of the slipway and the tender of the divers. `);
  expect(copy).not.toBe(works);
  expect((await related(works)).map(({ title }) => title)).toEqual(['Divers and slipways']);
  // A deleted item is none.
  const { items } = await json<{ items: Item[] }>('/v1/library/items?text=Divers and slipways');
  await appliance.owner(`/v1/library/items/${items[0]?.itemId}`, { method: 'DELETE' });
  expect(await related(works)).toEqual([]);
});

test('collections and tags relate, and are named; what stands alone has none', async () => {
  const one = await read('Alpha', 'Xylophone.');
  const other = await read('Omega', 'Quince.');
  const alone = await read('Gamma', 'Umbrella.');
  expect(await related(one)).toEqual([]);
  const { collectionId } = await json<{ collectionId: string }>('/v1/library/collections', postJson({ name: 'Quay' }));
  const together = { items: [one, other], addTo: [collectionId], addTags: ['harbour'] };
  await json('/v1/library/changes', postJson(together));
  expect(await related(one)).toEqual([{ title: 'Omega', words: [], collections: [collectionId], tags: ['harbour'] }]);
  expect(await related(alone)).toEqual([]);
  // What has nearly all says nothing.
  for (const name of ['Beta', 'Delta', 'Kappa']) await read(name, `${name} stands here.`);
  await json('/v1/library/changes', postJson({ filter: {}, addTags: ['all'] }));
  expect(await related(alone)).toEqual([]);
  expect((await appliance.owner('/v1/library/items/itm_none/related')).status).toBe(404);
  expect((await appliance.anonymous(`/v1/library/items/${one}/related`)).status).toBe(401);
});
