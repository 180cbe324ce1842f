import { expect, test } from 'vitest';
import { keywordsOf, PageWords, wordHash } from '../../workers/pages/page-words.ts';

function wordsOf(text: string): PageWords {
  const words = new PageWords();
  words.read(text);
  return words;
}

test('a word that ends a text is the same word whatever was read before it', () => {
  const words = wordsOf('synopsis');
  const alone = [...words.list().hashes];
  expect(alone).toEqual([wordHash('synopsis')]);
  // Longer texts leave their letters behind in the memory that texts are read from.
  for (const earlier of ['synopsis-of-a-longer-text', 'synopsis_s', 'synopsis’s harbour']) {
    words.read(earlier);
    words.read('synopsis');
    expect([...words.list().hashes]).toEqual(alone);
  }
});

test('words are told apart and counted, however many there are', () => {
  const words = Array.from({ length: 5000 }, (_, index) => `word${index}x`);
  const counted = wordsOf(`${words.join(' ')} ${words.slice(0, 10).join(' ')} 1234 𝒜𝒷 don't the`);
  const best = keywordsOf(counted.list(), 12, () => 1);
  expect(best.slice(0, 12).map(({ term }) => term)).toEqual(words.slice(0, 12));
  expect(best[0]?.weight).toBe(1);
  for (const [index, word] of words.entries()) expect(counted.often(wordHash(word))).toBe(index < 10 ? 2 : 1);
  for (const word of ['𝒜𝒷', "don't"]) expect(counted.often(wordHash(word))).toBe(1);
  // A page of very many words leaves nothing behind.
  counted.read(Array.from({ length: 40_000 }, (_, index) => `long-word-number-${index}x`).join(' '));
  expect(keywordsOf(counted.list(), 1, () => 1)).toEqual([{ term: 'long-word-number-0x', weight: 1 }]);
  counted.read(`${words.join(' ')} ${words.slice(0, 10).join(' ')} 1234 𝒜𝒷 don't the`);
  expect(keywordsOf(counted.list(), 12, () => 1)).toEqual(best);
  // Neither numbers nor the small words of a language are listed.
  expect(counted.list().hashes).toHaveLength(words.length + 2);
});

test('a page is compared by the words of its blocks, and described by those of its text and titles', () => {
  const words = wordsOf('harbour berth');
  words.addWeight('Tide tables', 4);
  words.addCompared('Menu of tables');
  const { hashes, compared } = words.list();
  const isCompared = Object.fromEntries(Array.from(hashes, (hash, number) => [hash, compared[number] === 1]));
  const expected = { harbour: true, berth: true, tide: false, tables: true, menu: true };
  for (const [word, is] of Object.entries(expected)) expect(isCompared[wordHash(word)], word).toBe(is);
  const terms = keywordsOf(words.list(), 10, () => 1).map(({ term }) => term);
  expect(terms).toEqual(['tide', 'tables', 'harbour', 'berth']);
});
