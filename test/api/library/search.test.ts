/** Search in the library gathers places by item and counts them honestly. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { FoundItems, Item } from '../../../src-server/features/library/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm, finished, okJson } from '../../harness/jobs.ts';
import { postJson } from '../../harness/text-models.ts';
import { until } from '../../harness/until.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const json = <Value>(path: string, init?: RequestInit) => okJson<Value>(appliance.owner, path, init);

async function read(text: string, name: string): Promise<Item> {
  const body = fileForm(text, name, { 'options.segmentLength': '100' });
  const { jobId } = await json<Job>('/v1/extract/doc', { method: 'POST', body });
  await finished(appliance.owner, jobId);
  let found: Item | undefined;
  await until(async () => {
    const { items } = await json<{ items: Item[] }>('/v1/library/items?limit=200');
    found = items.find((item) => item.jobId === jobId && item.words !== null);
    return found !== undefined;
  });
  return found as Item;
}

const search = (query: string) => json<FoundItems>(`/v1/library/search?mode=lexical&${query}`);
const change = (item: Item, fields: object) =>
  json(`/v1/library/items/${item.itemId}`, { ...postJson(fields), method: 'PATCH' });
const titles = ({ items }: FoundItems) => items.map(({ item }) => item.title);

/** So many paragraphs with the word, each long enough to be a chunk of its own. */
const paragraphs = (word: string, count: number) =>
  Array.from(
    { length: count },
    (_, at) => `Line ${at} tells of the ${word} ${'and of other matters '.repeat(4)}.`,
  ).join('\n\n');

test('one item is one hit, with its best places, and all are counted', async () => {
  const many = await read(`# Log of the pilot\n\n${paragraphs('sandbank', 40)}`, 'log.md');
  const few = await read(`# Chart notes\n\n${paragraphs('sandbank', 2)}`, 'chart.md');
  const named = await read(`# Sandbank atlas\n\n${paragraphs('harbour', 3)}`, 'atlas.md');
  await until(async () => (await search('query=harbour')).total === 1 && (await search('query=sandbank')).total === 3);
  const found = await search('query=sandbank');
  expect(titles(found)[0]).toBe('Sandbank atlas');
  expect(titles(found).toSorted()).toEqual(['Chart notes', 'Log of the pilot', 'Sandbank atlas']);
  expect(found.isComplete).toBe(true);
  const of = (item: Item) => found.items.find((one) => one.item.itemId === item.itemId);
  expect(of(many)?.places).toHaveLength(3);
  expect(of(many)?.count).toBeGreaterThanOrEqual(40);
  expect(of(few)?.count).toBeGreaterThanOrEqual(2);
  expect(of(named)?.inTitle).toBe(true);
  expect(found.count).toBe(found.items.reduce((sum, { count }) => sum + count, 0));
  expect(of(few)?.places[0]?.highlights.length).toBeGreaterThan(0);
  // Pages show each item once.
  const pages = await Promise.all([0, 1, 2, 3].map((offset) => search(`query=sandbank&limit=1&offset=${offset}`)));
  expect(pages.flatMap(titles)).toEqual(titles(found));
  expect((await search(`query=sandbank&places=50&item=${many.itemId}`)).items[0]?.places.length).toBeGreaterThan(30);
});

test('filters of the library narrow it, and versions that are not shown and deleted items are left out', async () => {
  const one = await read('# Weir one\n\nThe lockkeeper sleeps.', 'one.md');
  const two = await read('# Weir two\n\nThe lockkeeper wakes.', 'two.md');
  await until(async () => (await search('query=lockkeeper')).total === 2);
  await change(one, { addTags: ['weir'] });
  expect(titles(await search('query=lockkeeper&tag=weir'))).toEqual(['Weir one']);
  expect((await search('query=lockkeeper&kind=talk')).total).toBe(0);
  expect((await search('query=lockkeeper&to=2020-01-01')).total).toBe(0);
  await change(two, { deleted: true });
  expect(titles(await search('query=lockkeeper'))).toEqual(['Weir one']);
  expect((await search('query=weir')).total).toBe(1);
  await json('/v1/extract/doc', { method: 'POST', body: fileForm('# Weir one\n\nThe lockkeeper sleeps.', 'one.md') });
  await until(async () => (await json<Item>(`/v1/library/items/${one.itemId}`)).versions === 2);
  await until(async () => (await search('query=lockkeeper')).items[0]?.count === 1);
  expect(await search('query=nothinghasthis')).toMatchObject({ items: [], total: 0, count: 0 });
  // Only words that must not occur: nothing is found by its title.
  expect((await search('query=-weir')).items).toEqual([]);
});

test('copies stand behind the first of them, are counted and named, and no page shows them again', async () => {
  // The bytes differ, the passage does not.
  const text = (number: number) =>
    `# Capstan\n\nThe capstan turned all night in the rain.\n\n# Rest\n\n${`Line ${number} and more. `.repeat(9)}`;
  const copies = [];
  for (const number of [1, 2, 3]) copies.push(await read(text(number), `capstan-${number}.md`));
  const own = await read('# Winches\n\nA capstan is no winch, said the smith.', 'winches.md');
  await until(async () => (await search('query=capstan')).total === 4);
  const found = await search('query=capstan');
  expect(found).toMatchObject({ total: 4, folded: 2 });
  expect(found.items).toHaveLength(2);
  const folded = found.items.find(({ item }) => item.itemId !== own.itemId);
  const named = [folded?.item, ...(folded?.copies ?? [])].map((item) => item?.itemId);
  expect(named.toSorted()).toEqual(copies.map(({ itemId }) => itemId).toSorted());
  expect(found.items.find(({ item }) => item.itemId === own.itemId)?.copies).toEqual([]);
  const pages = await Promise.all([0, 1, 2, 3].map((offset) => search(`query=capstan&limit=1&offset=${offset}`)));
  expect(pages.flatMap(titles)).toEqual(titles(found));
  // Places of one item are asked for by its name.
  const [, second] = copies;
  expect((await search(`query=capstan&item=${second?.itemId}`)).items[0]?.item.itemId).toBe(second?.itemId);
});
