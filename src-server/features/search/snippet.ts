import { isWithinCharacter } from '../../platform/text/strings.ts';
import { foldWord, isUnspaced, plainLetters } from './words.ts';

const SNIPPET_CHARS = 280;
const LEAD_CHARS = 60;
/** Bound on the matches, because a chunk may be long. */
const MAX_HITS = 500;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const ENDING = /(?:ings|ing|edly|ed|ies|es|s|ly)$/;
const MIN_STEM_CHARS = 3;

export interface Snippet {
  text: string;
  /** Ranges of `text` (UTF-16 code units, start and end) that the query's words matched. */
  highlights: { start: number; end: number }[];
}

/** Words of a query, and their other forms in small letters without accents. */
export interface HighlightedWords {
  words: readonly string[];
  forms: ReadonlySet<string>;
}

interface Hit {
  start: number;
  end: number;
  stem: string;
}

/** The part of a text with most of the query's words. */
export function snippetOf(text: string, asked: HighlightedWords): Snippet {
  const hits = hitsOf(text, asked);
  const from = snippetStart(text, bestStart(hits));
  const to = snippetEnd(text, from + SNIPPET_CHARS);
  const inside = hits.filter(({ start, end }) => start >= from && end <= to);
  return {
    text: text.slice(from, to),
    highlights: inside.map(({ start, end }) => ({ start: start - from, end: end - from })),
  };
}

function hitsOf(text: string, { words, forms }: HighlightedWords): Hit[] {
  const hits: Hit[] = [];
  for (const word of words.filter(isUnspaced)) {
    for (let at = text.indexOf(word); at !== -1 && hits.length < MAX_HITS; at = text.indexOf(word, at + 1)) {
      hits.push({ start: at, end: at + word.length, stem: word });
    }
  }
  const stems = new Set(words.map(stemOf));
  for (const match of text.matchAll(WORD)) {
    if (hits.length >= MAX_HITS) break;
    const stem = stemOf(match[0]);
    if (stems.has(stem) || forms.has(foldWord(match[0])))
      hits.push({ start: match.index, end: match.index + match[0].length, stem });
  }
  return hits.sort((one, other) => one.start - other.start);
}

/** Start of the window with the most different words. */
function bestStart(hits: readonly Hit[]): number {
  let best = hits[0]?.start ?? 0;
  let most = 0;
  let last = 0;
  const inside = new Map<string, number>();
  for (const [first, { start, stem }] of hits.entries()) {
    for (; last < hits.length && (hits[last]?.end ?? 0) < start + SNIPPET_CHARS - LEAD_CHARS; last += 1) {
      const entering = hits[last]?.stem ?? '';
      inside.set(entering, (inside.get(entering) ?? 0) + 1);
    }
    if (inside.size > most) [most, best] = [inside.size, start];
    if (first >= last) continue;
    const left = (inside.get(stem) ?? 1) - 1;
    if (left === 0) inside.delete(stem);
    else inside.set(stem, left);
  }
  return best;
}

/** The start of a word shortly before the hit. */
function snippetStart(text: string, hit: number): number {
  if (hit <= LEAD_CHARS) return 0;
  const from = hit - LEAD_CHARS;
  const space = text.slice(from, hit).search(/\s/);
  return space === -1 ? hit : from + space + 1;
}

function snippetEnd(text: string, wish: number): number {
  if (wish >= text.length) return text.length;
  const space = text.lastIndexOf(' ', wish);
  if (space > wish - LEAD_CHARS) return space;
  return isWithinCharacter(text, wish) ? wish - 1 : wish;
}

/** Approximates the index: ignores case, accents and English endings. */
function stemOf(word: string): string {
  const bare = plainLetters(word).normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const stem = bare.replace(ENDING, '');
  return (stem.length >= MIN_STEM_CHARS ? stem : bare).replace(/(?<=...)[eiy]$/, '');
}
