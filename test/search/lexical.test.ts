/** What bounds a search among many chunks, and what that means for what is found. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SearchClient } from '../../src-server/features/search/service.ts';
import { ACCOUNT, addChunks, type Given, temporaryIndex } from './chunks.ts';

/** More chunks have the words `tide` and `water` than are ranked. */
const CHUNKS = 21_000;
const RARE = 6000;

const NO_JOBS = { shared: [], removed: [] };

const ENTRY = new URL('../../src-server/features/search/search-thread.ts', import.meta.url);

let database: Awaited<ReturnType<typeof temporaryIndex>>;
let client: SearchClient;

beforeAll(async () => {
  database = await temporaryIndex();
  client = new SearchClient({ entry: ENTRY, indexPath: database.path });
  const chunks: Given[] = Array.from({ length: CHUNKS }, (_, number) => `tide water number${number}`);
  chunks[0] = { heading: 'Tide', text: 'tide water, the oldest' };
  chunks[RARE] = 'a lighthouse stands here';
  chunks[CHUNKS - 5] = { heading: 'Tide', text: 'tide water, nearly the newest' };
  addChunks(database.storage, chunks);
});
afterAll(async () => {
  await client.closeSearchClient();
  await database[Symbol.asyncDispose]();
});

async function found(query: string, limit = 10): Promise<string[]> {
  const request = { accountId: ACCOUNT, jobs: NO_JOBS, query, limit, filter: {}, lexical: true, vector: null };
  const { results } = await client.searchIndex(request);
  return results.map(({ chunkId }) => chunkId);
}

test('a word that nearly all chunks have does not come before what a telling word finds', async () => {
  expect((await found('tide lighthouse'))[0]).toBe(String(RARE));
  expect((await found('tide number77'))[0]).toBe('77');
});

test('of more matches than are ranked, the newest are ranked', async () => {
  const best = await found('tide');
  expect(best[0]).toBe(String(CHUNKS - 5));
  expect(best).not.toContain('0');
});

test('words that nearly all chunks have are asked for where a query has no others', async () => {
  expect((await found('water tide'))[0]).toBe(String(CHUNKS - 5));
});

test('chunks with all of the words come before those with some', async () => {
  expect(await found('lighthouse number77')).toEqual(expect.arrayContaining([String(RARE), '77']));
  expect(await found('number77 number78')).toHaveLength(2);
  expect(await found('lighthouse stands number78', 1)).toEqual([String(RARE)]);
});

test('a word that nobody has, and words that others have often, keep nothing out of a small account', async () => {
  const small = 'small account';
  addChunks(database.storage, ['tide tables of the island', 'number1 of the island'], small);
  const request = {
    accountId: small,
    jobs: NO_JOBS,
    query: 'penguin tide',
    limit: 10,
    filter: {},
    lexical: true,
    vector: null,
  };
  const { results } = await client.searchIndex(request);
  expect(results.map(({ text }) => text)).toEqual(['tide tables of the island']);
});

test('nobody finds the chunks of another account', async () => {
  const request = {
    accountId: 'another',
    jobs: NO_JOBS,
    query: 'lighthouse',
    limit: 10,
    filter: {},
    lexical: true,
    vector: null,
  };
  expect((await client.searchIndex(request)).results).toEqual([]);
});

test('a word in katakana is one word, its long vowels with it', async () => {
  const reader = 'reader of katakana';
  addChunks(database.storage, ['サバの煮物とバーの話', '新しいサーバーを置いた'], reader);
  const request = {
    accountId: reader,
    jobs: NO_JOBS,
    query: 'サーバー',
    limit: 10,
    filter: {},
    lexical: true,
    vector: null,
  };
  const { results } = await client.searchIndex(request);
  expect(results.map(({ chunkId }) => chunkId)).toEqual(['1']);
  expect(results[0]?.highlights.map(({ start, end }) => results[0]?.snippet.slice(start, end))).toEqual(['サーバー']);
});

test('is found as any keyboard writes it: letters of other forms, Korean without its endings, parts of names of code', async () => {
  const other = 'spelling';
  const texts = ['Fra København går færgen', 'Die Straße ist gesperrt', '학교에서 배우는 것', 'Ｑｕａｒｒｙ の説明'];
  addChunks(database.storage, [...texts, 'call deepStrictEqual(a, b)', 'learn JavaScript today'], other);
  const asked = async (query: string) => {
    const request = { accountId: other, jobs: NO_JOBS, query, limit: 10, filter: {}, lexical: true, vector: null };
    return (await client.searchIndex(request)).results.map(({ text }) => text);
  };
  expect(await asked('kobenhavn')).toEqual([texts[0]]);
  expect(await asked('København')).toEqual([texts[0]]);
  expect(await asked('strasse')).toEqual([texts[1]]);
  expect(await asked('학교')).toEqual([texts[2]]);
  expect(await asked('quarry')).toEqual([texts[3]]);
  for (const query of ['strict equal', 'deepstrictequal'])
    expect(await asked(query)).toEqual(['call deepStrictEqual(a, b)']);
  expect(await asked('java')).toEqual([]);
});

test('what a query says in a row comes before the same words apart: sentences, quotations, names', async () => {
  const reader = 'reader of manuals';
  const chunks = [
    'Add the listener once; at one time there was another listener, a time listener.',
    'It adds a one-time listener for the event, which is taken away afterwards, as other listeners are not.',
    'A vector of std names: std stands before a vector, and std, vector and std again.',
    'int main() takes a const std::vector<int>& of numbers, and many other things that are said at some length.',
    '管理之软件包',
    '软件包管理系统的说明',
  ];
  addChunks(database.storage, chunks, reader);
  const first = async (query: string) => {
    const request = { accountId: reader, jobs: NO_JOBS, query, limit: 1, filter: {}, lexical: true, vector: null };
    return (await client.searchIndex(request)).results[0]?.chunkId;
  };
  expect(await first('a one-time listener')).toBe('1');
  expect(await first('event "one time listener"')).toBe('1');
  expect(await first('std::vector')).toBe('3');
  expect(await first('软件包 管理')).toBe('5');
  expect(await first('(((( [a-z]+ vector\\ std')).toBe('2');
});

describe('a word that occurs nowhere is corrected, and the answer says so', () => {
  const texts = [
    'The harbour was dredged in spring, and the refrigerators were serviced.',
    'Гавань была углублена весной.',
    'learn JavaScript today',
  ];
  beforeAll(() => {
    addChunks(database.storage, texts, 'speller');
    addChunks(database.storage, ['A secret word: zanzibarian.'], 'stranger');
  });
  const asked = async (query: string, accountId = 'speller') => {
    const request = { accountId, jobs: NO_JOBS, query, limit: 10, filter: {}, lexical: true, vector: null };
    const { results, corrected } = await client.searchIndex(request);
    return { found: results.map(({ text }) => text), corrected };
  };

  test.for([
    ['a letter less', 'harbor dredged', 'harbor', 'harbour', 0],
    ['two letters swapped', 'dregded', 'dregded', 'dredged', 0],
    ['another letter', 'sprang', 'sprang', 'spring', 0],
    ['two mistakes in a long word', 'refrigiraters', 'refrigiraters', 'refrigerators', 0],
    ['another script', 'гованью была', 'гованью', 'гаванью', -1],
  ] as const)('%s', async ([, query, from, to, place]) => {
    const { found, corrected } = await asked(query);
    if (place === -1) return expect(found).toEqual([texts[1]]);
    expect(corrected).toEqual([{ from, to: expect.stringMatching(new RegExp(`^${to.slice(0, 6)}`)) }]);
    expect(found).toEqual([texts[place]]);
  });

  test('the beginning of a word is none', async () => {
    expect(await asked('spring refrig')).toEqual({ found: [texts[0]], corrected: [] });
    expect(await asked('refrigerater serv')).toEqual({
      found: [texts[0]],
      corrected: [{ from: 'refrigerater', to: 'refrigerators' }],
    });
  });

  test('with words of chunks that the account may see, and nothing else', async () => {
    expect(await asked('zanzibariam')).toEqual({ found: [], corrected: [] });
    expect((await asked('zanzibariam', 'stranger')).found).toHaveLength(1);
    expect(await asked('java')).toEqual({ found: [], corrected: [] });
    expect((await asked('"harbor"')).corrected).toEqual([]);
  });
});

test('words in quotation marks must be in a row, and words after a minus must not occur', async () => {
  const texts = ['red ships and blue boats', 'blue ships and red boats', 'blue ships alone'];
  addChunks(database.storage, texts, 'asker');
  const asked = async (query: string, offset = 0) => {
    const request = { accountId: 'asker', jobs: NO_JOBS, query, limit: 2, filter: {}, lexical: true, vector: null };
    return (await client.searchIndex({ ...request, offset })).results.map(({ text }) => texts.indexOf(text)).sort();
  };
  expect(await asked('"blue ships"')).toEqual([1, 2]);
  expect(await asked('"blue ships" boats')).toEqual(expect.arrayContaining([1]));
  expect(await asked('ships -boats')).toEqual([2]);
  expect(await asked('ships -"red boats"')).toEqual([0, 2]);
  expect(await asked('blue -ships')).toEqual([]);
  expect(await asked('ships', 2)).toHaveLength(1);
  expect(await asked('-ships')).toEqual([]);
});
