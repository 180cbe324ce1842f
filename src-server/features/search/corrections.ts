/**
 * Corrects the words of a query that no chunk within reach has in any form. Only words of chunks that the search may
 * find are offered, so a correction tells nothing about other accounts, and a filtered search finds what it names.
 */

import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { expandQuery, type QueryWord } from './query-words.ts';
import type { Corrected } from './schema.ts';
import { countMatches, type Matches } from './store.ts';
import { knownTerms } from './word-store.ts';
import { expressionOf, foldWord, isUnspaced, phraseOf } from './words.ts';

/** A search is answered in tens of milliseconds; each correction takes about five. */
const CORRECTED_MAX = 4;

/** Shorter words have too many neighbours. */
const CHARS_MIN = 4;

/** From this length on, two mistakes are corrected. */
const CHARS_MIN_TWO = 8;

const CHARS_MAX = 24;

/** Beginning that a word with two mistakes must have right. */
const SURE_CHARS = 4;

/** Chunks that are counted to compare two candidates. */
const COUNTED_MAX = 50;

/** Words with this beginning that are compared. */
const COMPARED_MAX = 5000;

/** Letters of the scripts that are corrected. */
const ALPHABETS: readonly string[] = [
  'abcdefghijklmnopqrstuvwxyz',
  'абвгдежзийклмнопрстуфхцчшщъыьэюя',
  'αβγδεζηθικλμνξοπρστυφχψω',
];

/** The query with its corrections. Quoted and excluded words are left as they are. */
export function correctQuery(db: Db, query: string, within: Matches): { query: string; corrected: Corrected[] } {
  const own = query.replace(/(?:^|\s)-\S+|["“”„«»「」『』][^"“”„«»「」『』]*["“”„«»「」『』]/gu, ' ');
  const corrected: Corrected[] = [];
  let text = query;
  for (const word of expandQuery(db, own)) {
    if (corrected.length >= CORRECTED_MAX) break;
    const { text: from } = word;
    if (isUnspaced(from) || /[^\p{L}\p{M}]/u.test(from) || isFound(db, word, within)) continue;
    const to = respeltWord(db, from, within);
    if (to === null) continue;
    corrected.push({ from, to });
    text = text.replace(new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])${from}(?![\\p{L}\\p{N}\\p{M}])`, 'u'), to);
  }
  return { query: text, corrected };
}

function isFound(db: Db, { phrases, wider }: QueryWord, within: Matches): boolean {
  return chunksWith(db, phrases, within, 1) > 0 || chunksWith(db, wider, within, 1) > 0;
}

function chunksWith(db: Db, phrases: readonly string[], { scopes, facts }: Matches, most: number): number {
  return phrases.length === 0 ? 0 : countMatches(db, expressionOf([phrases], 'and', scopes), most, facts).chunks;
}

/** The nearest existing word: with one mistake, or in a long word with two. */
function respeltWord(db: Db, word: string, within: Matches): string | null {
  const wrong = foldWord(word);
  if (wrong.length < CHARS_MIN || wrong.length > CHARS_MAX) return null;
  const alphabet = ALPHABETS.find((letters) => letters.includes(wrong[0] ?? ' '));
  if (alphabet === undefined) return null;
  const near = mostFrequent(db, knownTerms(db, [...oneMistakeAway(wrong, alphabet)]), within);
  if (near !== null || wrong.length < CHARS_MIN_TWO) return near;
  const start = wrong.slice(0, SURE_CHARS);
  const starting = db.queryAll(sql<{ term: string }>`
    select term from search_words where term >= ${start} and term < ${`${start}\u{10ffff}`} limit ${COMPARED_MAX}`);
  const isNear = ({ term }: { term: string }) =>
    Math.abs(term.length - wrong.length) <= 2 && editDistance(term, wrong) <= 2;
  return mostFrequent(
    db,
    starting.filter(isNear).map(({ term }) => term),
    within,
  );
}

/** The candidate in the most chunks within reach; null where none is in any. */
function mostFrequent(db: Db, candidates: Iterable<string>, within: Matches): string | null {
  let best: { word: string; chunks: number } | null = null;
  for (const word of candidates) {
    const chunks = chunksWith(db, [phraseOf(word)], within, COUNTED_MAX);
    if (chunks > (best?.chunks ?? 0)) best = { word, chunks };
  }
  return best?.word ?? null;
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
