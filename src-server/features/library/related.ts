/**
 * What else of the library an item has to do with: items that say the same rare words, or that their owner put together
 * with it. Each says why. Where nothing is near there is none, and a copy is not related.
 */

import { OWNER } from '../../context.ts';
import type { SearchQuery } from '../search/schema.ts';
import type { FindDeps } from './find.ts';
import { type Item, MANY_MAX, type RelatedItems } from './schema.ts';

const SHOWN = 5;

/** Words of an item that are looked for in others: each is one search. */
const WORDS_ASKED = 14;

/** Shorter words say little; where words are not spaced, two signs are one. */
const WORD_CHARS_MIN = 5;
const UNSPACED_CHARS_MIN = 2;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** A word of the title counts as this many of the text. */
const TITLE_WEIGHT = 4;

/** Characters of a text whose words are counted. */
const TEXT_CHARS = 12_000;

/** Of longer texts the first lines stand for the whole. */
const LONG_TEXT_WORDS = 200_000;

/** One word alone is chance. */
const SHARED_MIN = 2;

/** A word that more of the items have is a usual one. */
const USUAL_SHARE = 0.1;
const RARE_MIN = 2;

const WORDS_NAMED = 3;

/** Beside a shared rare word of a library of a hundred items, which weighs about 4. */
const COLLECTION_WEIGHT = 2;

/** Collections and tags of fewer others always say something. */
const TOGETHER_MIN = 3;

const TAG_WEIGHT = 1;

export interface RelatedDeps extends Pick<FindDeps, 'findAmongJobs' | 'itemsOf' | 'readItem'> {
  textOf(item: Pick<Item, 'jobId'>): Promise<string>;
}

interface Near {
  words: { word: string; weight: number }[];
  collections: string[];
  tags: string[];
}

/** The nearest first, at most five. Errors: `not_found`, and those of search. */
export async function relatedTo(itemId: string, deps: RelatedDeps): Promise<RelatedItems['items']> {
  const item = deps.readItem(itemId);
  const isOther = (other: { itemId: string; state: Item['state'] }) =>
    other.itemId !== itemId && other.state === 'ready';
  const others = deps.itemsOf({}, MANY_MAX).filter(isOther);
  const near = new Map<string, Near>();
  const nearOf = (id: string) => {
    const known = near.get(id) ?? { words: [], collections: [], tags: [] };
    near.set(id, known);
    return known;
  };
  for (const [id, words] of await sharedWords(item, others, deps)) nearOf(id).words = words;
  for (const name of ['collections', 'tags'] as const) {
    for (const value of item[name]) {
      const filter = name === 'tags' ? { tag: value } : { collection: value };
      const together = deps.itemsOf(filter, MANY_MAX).filter(isOther);
      // What holds most of the library says nothing of an item.
      if (together.length > Math.max(TOGETHER_MIN, others.length / 2)) continue;
      for (const other of together) nearOf(other.itemId)[name].push(value);
    }
  }
  const found: RelatedItems['items'] = [];
  for (const [id, { words, collections, tags }] of [...near].toSorted(([, a], [, b]) => weightOf(b) - weightOf(a))) {
    const other = deps.readItem(id);
    if (isCopy(item, other)) continue;
    const named = words.toSorted((a, b) => b.weight - a.weight).slice(0, WORDS_NAMED);
    found.push({ item: other, words: named.map(({ word }) => word), collections, tags });
    if (found.length === SHOWN) break;
  }
  return found;
}

function weightOf({ words, collections, tags }: Near): number {
  const ofWords = words.reduce((sum, { weight }) => sum + weight, 0);
  return ofWords + COLLECTION_WEIGHT * collections.length + TAG_WEIGHT * tags.length;
}

/** The rare words that an item shares with others, at least two with each. */
async function sharedWords(
  item: Item,
  others: readonly { itemId: string; jobId: string }[],
  deps: RelatedDeps,
): Promise<Map<string, Near['words']>> {
  const shared = new Map<string, Near['words']>();
  if (item.state !== 'ready' || others.length === 0) return shared;
  const itemOfJob = new Map(others.map(({ itemId, jobId }) => [jobId, itemId]));
  const text = (item.words ?? 0) > LONG_TEXT_WORDS ? (item.excerpt ?? '') : await deps.textOf(item);
  const usual = Math.max(RARE_MIN, others.length * USUAL_SHARE);
  for (const word of tellingWords(item.title, text)) {
    const query: SearchQuery = {
      query: `"${word}"`,
      mode: 'lexical',
      limit: 1,
      offset: 0,
      filter: {},
      facets: false,
      answer: false,
    };
    const { jobCounts } = await deps.findAmongJobs(OWNER.accountId, query, [...itemOfJob.keys()]);
    const { jobs } = jobCounts;
    if (!jobCounts.isComplete || jobs.length > usual) continue;
    const weight = Math.log((others.length + 1) / jobs.length);
    for (const { jobId } of jobs) {
      const id = itemOfJob.get(jobId);
      if (id !== undefined) shared.set(id, [...(shared.get(id) ?? []), { word, weight }]);
    }
  }
  return new Map([...shared].filter(([, words]) => words.length >= SHARED_MIN));
}

/** The words that an item says most, those of its title first. */
function tellingWords(title: string, text: string): string[] {
  const counts = new Map<string, number>();
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
  const count = (some: string, weight: number) => {
    for (const { segment, isWordLike } of segmenter.segment(some)) {
      const word = segment.toLowerCase();
      const least = UNSPACED.test(word) ? UNSPACED_CHARS_MIN : WORD_CHARS_MIN;
      if (isWordLike !== true || word.length < least || /\p{N}|["_]/u.test(word)) continue;
      counts.set(word, (counts.get(word) ?? 0) + weight);
    }
  };
  count(title, TITLE_WEIGHT);
  count(text.slice(0, TEXT_CHARS), 1);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, WORDS_ASKED)
    .map(([word]) => word);
}

/** The same text under another name. */
function isCopy(one: Item, other: Item): boolean {
  return one.excerpt !== null && one.excerpt === other.excerpt && one.words === other.words;
}
