/** Topics: learned as the server does it, searched on the connection of a search thread. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  type SearchRequest as Asked,
  facetsOfRequest,
  fuseRankings,
  rankByTopics,
  rankChunks,
  refineByTopics,
} from '../../src-server/features/search/rank.ts';
import { openSearchConnection } from '../../src-server/features/search/search-connection.ts';
import { chunksBySeq, deleteChunks } from '../../src-server/features/search/store.ts';
import { TopicWriter } from '../../src-server/features/search/topic-writer.ts';
import type { Storage } from '../../src-server/platform/db/database.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { fitTopics } from '../../workers/text/fit-topics.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { ACCOUNT, addChunks, type Given, temporaryIndex } from './chunks.ts';

const BOATS = [
  'The sailor steers the boat into the harbour at high tide.',
  'A boat waits in the harbour until the tide is high.',
  'Every vessel pays a fee to the harbour, and the sailor signs for the vessel.',
  'The vessel left the harbour with the tide and one sailor.',
];

const BREAD = [
  'The baker kneads the dough and heats the oven before dawn.',
  'Dough that rests overnight makes better bread in the oven.',
  'Flour and yeast become bread when the baker heats the oven.',
  'The baker sells bread and keeps some dough for the evening.',
];

/** Chunks that share the words of a subject, as those of a book do; every fifth has this word. */
function about(subject: string, word: string): string[] {
  const random = seededRandom(1);
  const letter = (of: number) => String.fromCodePoint(97 + Math.floor(random() * of));
  const some = () => `${subject}${letter(26)}${letter(2)}`;
  return Array.from({ length: 100 }, (_, number) => {
    const words = Array.from({ length: 12 }, some).join(' ');
    return number % 5 === 0 ? `${words} ${word}` : words;
  });
}

async function learn(storage: Storage): Promise<number> {
  const writer = new TopicWriter(storage, storage.db);
  const context = { signal: new AbortController().signal, progress: () => undefined } as unknown as TaskContext;
  let fits = 0;
  for (let step = writer.stepTopics(); step !== 'done'; step = writer.stepTopics()) {
    if (step === 'more') continue;
    fits += 1;
    writer.keepLearnedTopics(fitTopics(structuredClone(await writer.sampleAccountTerms(step.fit)), context));
  }
  return fits;
}

function searcher(path: string) {
  const { db, close } = openSearchConnection(path);
  const asked = (query: string, more: Partial<Asked> = {}): Asked => ({
    ...{ accountId: ACCOUNT, jobs: { shared: [], removed: [] }, filter: {}, limit: 10 },
    ...{ query, lexical: false, vector: null, topics: true, ...more },
  });
  const textsOf = (seqs: readonly number[]) => {
    const texts = new Map(chunksBySeq(db, seqs).map(({ seq, text }) => [seq, text]));
    return seqs.map((seq) => texts.get(seq) ?? '');
  };
  const votersOf = (request: Asked) => rankChunks(db, { ...request, filter: {}, lexical: true }, 'lexical');
  const nearest = (request: Asked) => rankByTopics(db, request, votersOf(request));
  const refine = (request: Asked, first: readonly number[]) =>
    refineByTopics(db, request, nearest(request), { first, voters: votersOf(request) });
  return {
    [Symbol.dispose]: close,
    find: (query: string, more: Partial<Asked> = {}) => textsOf(nearest(asked(query, more))),
    refined: (query: string, first: readonly number[]) => textsOf(refine(asked(query), first).seqs),
    weight: (query: string) => refine(asked(query), []).weight,
    /** By words and topics, as a search fuses them. */
    both: (query: string) => {
      const words = { seqs: votersOf(asked(query)), weight: 1 };
      return textsOf(fuseRankings([words, refine(asked(query), words.seqs)], 10).map(([seq]) => seq));
    },
    words: (query: string) => textsOf(votersOf(asked(query))),
    facets: (query: string) => facetsOfRequest(db, asked(query, { lexical: true }), []),
  };
}

async function indexOf(given: readonly Given[]) {
  const index = await temporaryIndex();
  addChunks(index.storage, given);
  await learn(index.storage);
  return index;
}

describe('topics', () => {
  test('find chunks by what goes together, without the words of the query, and nothing of another subject', async () => {
    const sea = about('sea', 'boat');
    await using index = await indexOf([...sea, ...about('bread', 'oven')]);
    using search = searcher(index.path);
    const found = search.find('boat');
    for (const text of found) expect(sea).toContain(text);
    const unnamed = (texts: readonly string[]) => texts.filter((text) => !text.includes('boat')).length;
    expect(unnamed(found)).toBeGreaterThan(0);
    for (const text of search.refined('boat', [1, 6, 11])) expect(found).toContain(text);
    expect(search.find('zeppelin')).toEqual([]);
  });

  test('of an account come from its own chunks, and find no others', async () => {
    await using index = await temporaryIndex();
    addChunks(index.storage, ['A boat is for sale.', 'The vessel is for rent.', ...BREAD]);
    addChunks(index.storage, BOATS, 'another');
    expect(await learn(index.storage)).toBe(2);
    using search = searcher(index.path);
    // The other account knows that boats and vessels go together.
    expect(search.find('boat')).toEqual(['A boat is for sale.']);
    expect(search.find('harbour')).toEqual([]);
    expect(search.find('boat', { accountId: 'another' })).not.toContain('A boat is for sale.');
  });

  test('keep to requirements and filters', async () => {
    await using index = await indexOf([...BOATS, ...BREAD]);
    using search = searcher(index.path);
    expect(search.find('harbour -boat')).toEqual(expect.arrayContaining([BOATS[2]]));
    expect(search.find('harbour -boat').join()).not.toMatch(/boat/);
    expect(search.find('"the tide"').every((text) => text.includes('the tide'))).toBe(true);
    expect(search.find('-boat')).toEqual([]);
    expect(search.find('harbour', { filter: { jobId: `job of ${ACCOUNT}` } }).length).toBeGreaterThan(0);
    expect(search.find('harbour', { filter: { jobId: 'job of another' } })).toEqual([]);
    for (const filter of [{ kind: 'table' as const }, { language: 'de' }, { source: 'x' }, { from: '2026-01-01' }]) {
      expect(search.find('harbour', { filter })).toEqual([]);
    }
  });

  test.each<[string, Given[], string]>([
    ['of three chunks', BOATS.slice(0, 3), 'harbour'],
    ['of one chunk', BOATS.slice(0, 1), 'harbour'],
    ['of one repeated text', Array.from({ length: 400 }, () => BOATS[0] ?? ''), 'harbour'],
    ['of a script without spaces', ['港で船を待つ。', 'パンを焼く。'], '港で船'],
  ])('are learned from a corpus %s', async (_, given, query) => {
    await using index = await indexOf(given);
    using search = searcher(index.path);
    expect(search.find(query).length).toBeGreaterThan(0);
  });

  test('of several subjects are learned apart, and each is searched in its own', async () => {
    const subjects = ['sea', 'bread', 'law'].map((subject) =>
      Array.from({ length: 9 }, (_, at) => about(`${subject}${at}`, subject)),
    );
    const all = subjects.flat(2);
    await using index = await indexOf(Array.from({ length: 2 }, () => all).flat());
    const parts = sql<{ chunks: number }>`
      select count(*) as chunks from topic_fits as f join topic_vectors as v on v.fit = f.id
      where part_of is not null group by f.id`;
    const sizes = index.storage.db.queryAll(parts).map(({ chunks }) => chunks);
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(2 * all.length);
    using search = searcher(index.path);
    const sea = new Set((subjects[0] ?? []).flat());
    for (const text of search.find('sea')) expect(sea.has(text)).toBe(true);
  });

  test('do not move what words find among chunks that they have not learned', async () => {
    await using index = await indexOf([...about('sea', 'boat'), ...BREAD]);
    addChunks(index.storage, ['A boat of tin.', 'A boat of paper.', 'A boat of glass and a ship of glass.'], ACCOUNT);
    using search = searcher(index.path);
    for (const query of ['boat of tin', 'glass', 'paper boat']) {
      expect(search.both(query).slice(0, 1)).toEqual(search.words(query).slice(0, 1));
    }
    expect(search.weight('glass')).toBe(0);
  });

  test('say nothing of chunks and queries without words', async () => {
    await using index = await indexOf(['🙂🙂', '12 34', '…']);
    using search = searcher(index.path);
    for (const query of ['🙂', '12', '—', 'harbour']) expect(search.find(query)).toEqual([]);
  });

  test('follow new chunks, are learned again when there are enough, and go with the last chunk', async () => {
    await using index = await indexOf(BOATS);
    const { storage, path } = index;
    addChunks(storage, ['A kayak is a small boat for one sailor.']);
    expect(await learn(storage)).toBe(1);
    expect(await learn(storage)).toBe(0);
    using search = searcher(path);
    expect(search.find('boat').join()).toMatch(/kayak/);
    expect(search.find('oven')).toEqual([]);
    addChunks(storage, [...BREAD, ...BREAD]);
    expect(await learn(storage)).toBe(1);
    expect(search.find('oven').length).toBeGreaterThan(0);
    const all = storage.db.queryAll(storage.db.selectFrom('search_chunks').select('seq')).map(({ seq }) => seq);
    storage.transaction((tx) => deleteChunks(tx, all));
    await learn(storage);
    for (const table of ['topic_fits', 'topic_terms', 'topic_signatures', 'topic_vectors', 'search_facts'] as const) {
      expect(storage.db.queryAll(storage.db.selectFrom(table).selectAll())).toEqual([]);
    }
  });

  test('count at most 20 values of each facet', async () => {
    await using index = await temporaryIndex();
    for (let number = 0; number < 30; number += 1) addChunks(index.storage, [`harbour ${number}`], ACCOUNT);
    using search = searcher(index.path);
    const counted = search.facets('harbour');
    expect(counted).toMatchObject({ kinds: [{ value: 'text', count: 30 }], counted: 30, isComplete: true });
    expect(search.facets('🙂')).toMatchObject({ kinds: [], counted: 0, isComplete: true });
  });
});
