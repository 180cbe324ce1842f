import { expect, test } from 'vitest';
import { keywordsOf, PageWords } from '../../workers/pages/page-words.ts';

test('words are counted, however many there are; numbers and stop words are left out', () => {
  const words = Array.from({ length: 5000 }, (_, index) => `word${index}x`);
  const counted = new PageWords(`${words.join(' ')} ${words.slice(0, 10).join(' ')} 1234 𝒜𝒷 Don't the`);
  const best = keywordsOf(counted.listPageWords(), 12, () => 1);
  expect(best.slice(0, 12).map(({ term }) => term)).toEqual(words.slice(0, 12));
  expect(best[0]?.weight).toBe(1);
  for (const [index, word] of words.entries()) expect(counted.wordFrequency(word)).toBe(index < 10 ? 2 : 1);
  for (const word of ['𝒜𝒷', "don't"]) expect(counted.wordFrequency(word)).toBe(1);
  expect(counted.listPageWords().terms.split(' ')).toHaveLength(words.length + 2);
  for (const word of ['1234', 'the']) expect(counted.wordFrequency(word)).toBe(0);
});

test('a page is compared by the words of its blocks, and described by those of its text and titles', () => {
  const words = new PageWords('harbour berth');
  words.addWeight('Tide tables', 4);
  words.addCompared('Menu of tables');
  const { terms: joined, compared } = words.listPageWords();
  const isCompared = Object.fromEntries(joined.split(' ').map((term, place) => [term, compared[place] === 1]));
  expect(isCompared).toEqual({ harbour: true, berth: true, tide: false, tables: true, menu: true });
  const terms = keywordsOf(words.listPageWords(), 10, () => 1).map(({ term }) => term);
  expect(terms).toEqual(['tide', 'tables', 'harbour', 'berth']);
});
