import { expect, test } from 'vitest';
import { PageWords, wordHashes } from '../../workers/pages/page-words.ts';

test('a word that ends a text is the same word whatever was read before it', () => {
  const alone = [...wordHashes('synopsis')];
  expect(alone).toHaveLength(1);
  // Longer texts leave their letters behind in the memory that texts are read from.
  for (const earlier of ['synopsis-of-a-longer-text', 'synopsis_s', 'synopsis’s harbour']) {
    new PageWords(earlier);
    expect([...wordHashes('synopsis')]).toEqual(alone);
  }
});

test('words are told apart and counted, however many there are', () => {
  const words = Array.from({ length: 5000 }, (_, index) => `word${index}x`);
  const counted = new PageWords(`${words.join(' ')} ${words.slice(0, 10).join(' ')} 1234 𝒜𝒷 don't`);
  expect(wordHashes(words.join(' '))).toHaveLength(words.length);
  const best = counted.keywords(12, () => 1);
  expect(best.slice(0, 10).map(({ term }) => term)).toEqual(words.slice(0, 10));
  expect(best[0]?.weight).toBe(1);
  for (const [index, word] of words.entries()) {
    const [hash = 0] = wordHashes(word);
    expect(counted.often(hash)).toBe(index < 10 ? 2 : 1);
  }
  for (const word of ['𝒜𝒷', "don't"]) expect(counted.often(wordHashes(word)[0] ?? 0)).toBe(1);
  expect(wordHashes('1234')).toHaveLength(0);
});
