/** Search in the library: places in the versions that are shown, gathered by item. */

import { OWNER } from '../../context.ts';
import type { SearchHit, SearchQuery } from '../search/schema.ts';
import type { SearchFeature } from '../search/service.ts';
import type { FoundItems, Item, ItemCounts, ItemFilter, ItemQuestion, ItemSearchQuery } from './schema.ts';
import { MANY_MAX } from './schema.ts';

/** Places that one search ranks: enough for a page of items, where one item does not have most of them. */
const RANKED = 300;

/** Copies among them are left out. */
const PASSAGES_RANKED = 50;

/** Searches for one page: each leaves out the items that are found. */
const SEARCHES_MAX = 12;

export interface FindDeps {
  findAmongJobs: SearchFeature['findAmongJobs'];
  answerQuestion: SearchFeature['answerQuestion'];
  /** Items that a filter leaves, newest first, at most `most`. Errors: `not_found` for a collection. */
  itemsOf(filter: ItemFilter, most: number): { itemId: string; jobId: string; state: Item['state'] }[];
  readItem(itemId: string): Item;
  countItemsOf(itemIds: readonly string[], timeZone?: string): ItemCounts;
}

/** The places that an answer is read from: the best that the filter leaves, each text once. Errors: as `findItems`. */
export async function findPassages({ query, mode, ...filter }: ItemQuestion, deps: FindDeps): Promise<SearchHit[]> {
  const items = deps.itemsOf(filter, MANY_MAX);
  const jobIds = items.flatMap(({ jobId, state }) => (state === 'ready' ? [jobId] : []));
  const request = { query, mode, limit: PASSAGES_RANKED, offset: 0, filter: {}, facets: false, answer: false };
  const { results } = await deps.findAmongJobs(OWNER.accountId, request, jobIds);
  return [...new Map(results.map((hit) => [hit.text, hit])).values()];
}

interface Found {
  /** Items that have the words in their title; then by their best place. */
  order: string[];
  inTitle: ReadonlySet<string>;
  placesOf: Map<string, SearchHit[]>;
  countOf: ReadonlyMap<string, number>;
  /** Copies by the item that stands for them. */
  copiesOf: ReadonlyMap<string, readonly string[]>;
}

const NO_COPIES: ReadonlyMap<string, readonly string[]> = new Map();

/** Errors: those of search, and `not_found` for a collection or an item. */
export async function findItems(query: ItemSearchQuery, deps: FindDeps): Promise<FoundItems> {
  const { query: words, mode, limit, offset, places, item, ...filter } = query;
  const all = deps.itemsOf(filter, MANY_MAX);
  const searched = item === undefined ? all : all.filter(({ itemId }) => itemId === deps.readItem(item).itemId);
  const itemOfJob = new Map(searched.map(({ itemId, jobId }) => [jobId, itemId]));
  const named = new Set(item === undefined ? itemsNamed(words, filter, deps) : []);
  const request: SearchQuery = {
    query: words,
    mode,
    limit: RANKED,
    offset: 0,
    filter: {},
    facets: false,
    answer: false,
  };
  const readyJobs = searched.flatMap(({ jobId, state }) => (state === 'ready' ? [jobId] : []));
  const first = await deps.findAmongJobs(OWNER.accountId, request, readyJobs);
  const placesOf = new Map<string, SearchHit[]>();
  const gather = (hits: readonly SearchHit[]) => {
    for (const hit of hits) {
      const itemId = itemOfJob.get(hit.jobId ?? '');
      if (itemId === undefined) continue;
      const known = placesOf.get(itemId) ?? [];
      placesOf.set(itemId, known);
      if (known.length < places) known.push(hit);
    }
  };
  gather(first.results);
  const countOf = new Map(
    first.jobCounts.jobs.flatMap(({ jobId, chunks }) => {
      const itemId = itemOfJob.get(jobId);
      return itemId === undefined ? [] : [[itemId, chunks] as const];
    }),
  );
  const copiesOf = item === undefined ? foldCopies([...named, ...placesOf.keys()], placesOf, countOf) : NO_COPIES;
  const copies = new Set([...copiesOf.values()].flat());
  const orderOf = () => [...new Set([...named, ...placesOf.keys()])].filter((itemId) => !copies.has(itemId));
  // Items whose places rank behind those of others: the search leaves out what is found.
  for (let searches = 1; searches < SEARCHES_MAX && orderOf().length < offset + limit; searches += 1) {
    const rest = readyJobs.filter((jobId) => {
      const itemId = itemOfJob.get(jobId) ?? '';
      return countOf.has(itemId) && !placesOf.has(itemId);
    });
    if (rest.length === 0) break;
    const before = placesOf.size;
    gather((await deps.findAmongJobs(OWNER.accountId, request, rest)).results);
    if (placesOf.size === before) break;
  }
  const order = orderOf().slice(offset, offset + limit);
  const found: Found = { order, inTitle: named, placesOf, countOf, copiesOf };
  await addPlacesOfNamed(found, request, places, {
    deps,
    jobOf: new Map(searched.map((one) => [one.itemId, one.jobId])),
  });
  const matched = new Set([...named, ...placesOf.keys(), ...countOf.keys()]);
  return {
    items: found.order.map((itemId) => present(deps.readItem(itemId), found, deps)),
    counts: deps.countItemsOf([...matched], filter.timeZone),
    total: matched.size,
    folded: copies.size,
    count: first.jobCounts.jobs.reduce((sum, { chunks }) => sum + chunks, 0),
    isComplete: first.jobCounts.isComplete,
    corrected: first.corrected,
    meaning: first.meaning,
    warnings: first.warnings,
  };
}

function itemsNamed(query: string, filter: ItemFilter, { itemsOf }: FindDeps): string[] {
  const text = plainWords(query);
  return text === '' ? [] : itemsOf({ ...filter, text }, MANY_MAX).map(({ itemId }) => itemId);
}

/** What is shown first for its title shows its places too. */
async function addPlacesOfNamed(
  { order, inTitle, placesOf, countOf }: Found,
  request: SearchQuery,
  places: number,
  { deps, jobOf }: { deps: FindDeps; jobOf: ReadonlyMap<string, string> },
): Promise<void> {
  const lacking = order.filter((itemId) => inTitle.has(itemId) && countOf.has(itemId) && !placesOf.has(itemId));
  if (lacking.length === 0) return;
  const jobs = new Map(lacking.map((itemId) => [jobOf.get(itemId) ?? '', itemId]));
  const { results } = await deps.findAmongJobs(OWNER.accountId, request, [...jobs.keys()]);
  for (const hit of results) {
    const itemId = jobs.get(hit.jobId ?? '') ?? '';
    const known = placesOf.get(itemId) ?? [];
    if (known.length < places) placesOf.set(itemId, [...known, hit]);
  }
}

function present(
  item: Item,
  { inTitle, placesOf, countOf, copiesOf }: Found,
  { readItem }: FindDeps,
): FoundItems['items'][number] {
  const places = placesOf.get(item.itemId) ?? [];
  const count = Math.max(countOf.get(item.itemId) ?? 0, places.length);
  const copies = (copiesOf.get(item.itemId) ?? []).map((itemId) => readItem(itemId));
  return { item, inTitle: inTitle.has(item.itemId), places, count, copies };
}

/**
 * Items whose best places have the same texts, as many in all, behind the first of them. Only what the first search
 * finds is compared, so that all pages fold the same.
 */
function foldCopies(
  order: readonly string[],
  placesOf: ReadonlyMap<string, readonly SearchHit[]>,
  countOf: ReadonlyMap<string, number>,
): Map<string, string[]> {
  const firstOf = new Map<string, string>();
  const copiesOf = new Map<string, string[]>();
  for (const itemId of new Set(order)) {
    const places = placesOf.get(itemId) ?? [];
    if (places.length === 0) continue;
    const texts = places.map(({ text }) => text).toSorted();
    const key = JSON.stringify([countOf.get(itemId), ...texts]);
    const first = firstOf.get(key);
    if (first === undefined) firstOf.set(key, itemId);
    else copiesOf.set(first, [...(copiesOf.get(first) ?? []), itemId]);
  }
  return copiesOf;
}

/** The words that a title can have: without quotation marks, and without those that must not occur. */
function plainWords(query: string): string {
  const words = query.replaceAll(/-"[^"]*"|(?<=^|\s)-\S+/g, ' ').replaceAll('"', ' ');
  return words.trim().slice(0, 200);
}
