/**
 * Corrects the words of a query that no chunk within reach contains: completes the last one as the beginning of a word,
 * and others as misspelt ones. Only words of chunks that the caller may see are offered, so a correction tells nothing
 * about other accounts.
 */

import type { Db } from '../../platform/db/database.ts';
import type { Corrected } from './schema.ts';
import { chunksBySeq, countMatches, matchText } from './store.ts';
import { expressionOf, isUnspaced, prefixExpression, queryWords, type Scopes, wordsIn } from './words.ts';

/** A search is answered in tens of milliseconds; each correction takes about five. */
const CORRECTED_MAX = 4;

const PREFIX_CHARS_MIN = 3;

/** Shorter words have too many neighbours. */
const CHARS_MIN = 4;

/** From this length on, two mistakes are corrected. */
const CHARS_MIN_TWO = 8;

const CHARS_MAX = 24;

/** Beginning that a word with two mistakes must have right. */
const SURE_CHARS = 4;

/** Words asked for at once; most of them exist nowhere. */
const BATCH = 40;

const COUNTED_MAX = 50;

const CHUNKS_READ = 200;

/** Letters of the scripts that are corrected. */
const ALPHABETS: readonly string[] = [
  'abcdefghijklmnopqrstuvwxyz',
  'абвгдежзийклмнопрстуфхцчшщъыьэюя',
  'αβγδεζηθικλμνξοπρστυφχψω',
];

/** The query with its corrections. Quoted and excluded words are left as they are. */
export function correctQuery(db: Db, query: string, scopes: Scopes): { query: string; corrected: Corrected[] } {
  const own = query.replace(/(?:^|\s)-\S+|["“”„«»「」『』][^"“”„«»「」『』]*["“”„«»「」『』]/gu, ' ');
  const words = queryWords(own).filter((word) => !isUnspaced(word) && !/\p{N}/u.test(word));
  const isIndexedWord = (word: string) => countMatches(db, expressionOf([word], 'and', scopes), 1).chunks > 0;
  const last = wordsIn(query).at(-1);
  const corrected: Corrected[] = [];
  let text = query;
  for (const word of words) {
    if (corrected.length >= CORRECTED_MAX) break;
    if (isIndexedWord(word)) continue;
    const to = (word === last ? completedWord(db, word, scopes) : null) ?? respeltWord(db, word, scopes);
    if (to === null) continue;
    corrected.push({ from: word, to });
    text = text.replace(new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])${word}(?![\\p{L}\\p{N}\\p{M}])`, 'u'), to);
  }
  return { query: text, corrected };
}

/** The most frequent word that starts like this one. */
function completedWord(db: Db, word: string, scopes: Scopes): string | null {
  if (word.length < PREFIX_CHARS_MIN) return null;
  const start = foldedWord(word);
  // "Java" does not mean "JavaScript": a name with humps is another word.
  const goesOn = (found: string) => foldedWord(found).startsWith(start) && !/^\p{Lu}/u.test(found.slice(word.length));
  return mostFrequent(wordsStarting(db, word, scopes).filter(goesOn));
}

/** The nearest existing word: with one mistake, or in a long word with two. */
function respeltWord(db: Db, word: string, scopes: Scopes): string | null {
  const wrong = foldedWord(word);
  if (wrong.length < CHARS_MIN || wrong.length > CHARS_MAX) return null;
  const alphabet = ALPHABETS.find((letters) => letters.includes(wrong[0] ?? ' '));
  if (alphabet === undefined) return null;
  const near = mostFrequentCandidate(db, [...oneMistakeAway(wrong, alphabet)], scopes);
  if (near !== null || wrong.length < CHARS_MIN_TWO) return near;
  const start = wrong.slice(0, SURE_CHARS);
  return mostFrequent(wordsStarting(db, start, scopes).filter((found) => editDistance(foldedWord(found), wrong) <= 2));
}

/** The candidate in the most chunks. */
function mostFrequentCandidate(db: Db, candidates: readonly string[], scopes: Scopes): string | null {
  let best: { word: string; chunks: number } | null = null;
  for (let at = 0; at < candidates.length; at += BATCH) {
    const batch = candidates.slice(at, at + BATCH);
    if (countMatches(db, expressionOf(batch, 'or', scopes), 1).chunks === 0) continue;
    for (const word of batch) {
      const { chunks } = countMatches(db, expressionOf([word], 'and', scopes), COUNTED_MAX);
      if (chunks > (best?.chunks ?? 0)) best = { word, chunks };
    }
  }
  return best?.word ?? null;
}

/** Words of the newest chunks that have a word with this beginning; a word occurs as often as in the chunks. */
function wordsStarting(db: Db, start: string, scopes: Scopes): string[] {
  const wanted = foldedWord(start);
  const rows = chunksBySeq(db, matchText(db, prefixExpression(start, scopes), CHUNKS_READ, CHUNKS_READ));
  return rows.flatMap(({ text, heading }) =>
    wordsIn(`${heading ?? ''} ${text}`).filter((word) => foldedWord(word).startsWith(wanted)),
  );
}

function mostFrequent(words: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const word of words) {
    const plain = word.toLowerCase();
    counts.set(plain, (counts.get(plain) ?? 0) + 1);
  }
  const [best] = [...counts].sort(([one, often], [other, more]) => more - often || one.length - other.length);
  return best?.[0] ?? null;
}

/** Without capitals and accents, as the index compares words. */
function foldedWord(word: string): string {
  return word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}

/** All words with a letter more, a letter less, another letter, or two neighbours swapped. */
export function oneMistakeAway(word: string, alphabet: string): Set<string> {
  const near = new Set<string>();
  for (let at = 0; at <= word.length; at += 1) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    if (after.length > 1) near.add(before + after[1] + after[0] + after.slice(2));
    if (after !== '') near.add(before + after.slice(1));
    for (const letter of alphabet) {
      if (after !== '') near.add(before + letter + after.slice(1));
      near.add(before + letter + after);
    }
  }
  near.delete(word);
  return near;
}

/** Damerau–Levenshtein distance: letters more, less, other, or two neighbours swapped. */
export function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const now = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      now[column] = Math.min(
        (last[column] ?? 0) + 1,
        (now[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + Number(!isSame),
        isSwapped && row > 1 && column > 1 ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, now];
  }
  return last[other.length] ?? 0;
}
