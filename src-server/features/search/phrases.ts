/**
 * What a query says in a row: a sentence that somebody remembers, a part in quotation marks, a name such as
 * `pg_stat_activity` or `std::vector`, which the index knows as several words. Threat: patterns are made of a
 * stranger's text: of letters and digits only, and what stands between is none of these, so nothing is tried twice.
 */
import { isUnspaced, wordsIn } from './words.ts';

const MAX_PHRASES = 10;
const MAX_PHRASE_WORDS = 32;
const QUOTED = /["“”„«»「」『』]([^"“”„«»「」『』]+)["“”„«»「」『』]/gu;
const BETWEEN = '[^\\p{L}\\p{N}\\p{M}]';

/**
 * How many of the query's phrases of two words or more a text says: each once where its words stand in a row, and once
 * more where it stands letter by letter, as `std::vector` does not in "std, vector". Null for a query without phrases.
 */
export function phrasesSaid(query: string): ((text: string) => number) | null {
  const quoted = Array.from(query.matchAll(QUOTED), ([, inside = '']) => inside);
  const phrases = [query, ...quoted, ...query.split(/\s+/)].map((phrase) =>
    phrase.trim().normalize('NFC').toLowerCase(),
  );
  const told = [...new Set(phrases)].flatMap((literal) => {
    const words = wordsIn(literal);
    if (words.length < 2 || words.length > MAX_PHRASE_WORDS) return [];
    return [{ literal, row: new RegExp(patternOf(words), 'iu') }];
  });
  if (told.length === 0) return null;
  const kept = told.slice(0, MAX_PHRASES);
  return (text) => {
    const lower = text.toLowerCase();
    return kept.reduce((said, { literal, row }) => said + Number(row.test(text)) + Number(lower.includes(literal)), 0);
  };
}

function patternOf(words: readonly string[]): string {
  const joined = words.map((word, at) => {
    const before = words[at - 1];
    if (before === undefined) return isUnspaced(word) ? word : `(?<![\\p{L}\\p{N}\\p{M}])${word}`;
    return `${BETWEEN}${isUnspaced(before) || isUnspaced(word) ? '*' : '+'}${word}`;
  });
  return joined.join('');
}
