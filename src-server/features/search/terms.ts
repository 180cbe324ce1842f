/** Terms of topics: stems of words, and pairs of characters in scripts without spaces. */

import { stemmer } from 'stemmer';
import { COMMON, isUnspaced, plainLetters, wordsIn } from './words.ts';

/** A longer run of letters is data. */
const CHARS_MAX = 32;

const CHARS_MIN = 2;

/** Bound on the words of one chunk that count. */
const WORDS_MAX = 4000;

const LATIN = /^[a-z]+$/;

const NUMBER = /^\p{N}+$/u;

/** How often each term occurs in a text. */
export function countTerms(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const word of wordsIn(text).slice(0, WORDS_MAX)) words.set(word, (words.get(word) ?? 0) + 1);
  const counts = new Map<string, number>();
  for (const [word, count] of words) {
    for (const term of termsOfWord(word)) counts.set(term, (counts.get(term) ?? 0) + count);
  }
  return counts;
}

function termsOfWord(word: string): string[] {
  if (isUnspaced(word)) return pairsOf(word);
  const bare = plainLetters(word).normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  if (bare.length < CHARS_MIN || bare.length > CHARS_MAX || COMMON.has(bare) || NUMBER.test(bare)) return [];
  return [LATIN.test(bare) ? stemmer(bare) : bare];
}

function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}
