import { countMatches } from './strings.ts';

/** Scripts without blanks between words. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Mymr}]/u;

/** A run between white space, from its first letter or digit on. */
const WORD = /[\p{L}\p{N}]\S*/gu;

/** Counts words as word processors do: between white space, or by dictionary in scripts without it. */
export function countWords(text: string): number {
  if (!isUnspaced(text)) return countMatches(text, WORD);
  let words = 0;
  for (const [run] of text.matchAll(/\S+/g)) {
    words += isUnspaced(run) ? countByDictionary(run) : Math.min(1, countMatches(run, WORD));
  }
  return words;
}

export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text);
}

/** Created on first use: that takes longer than reading many pages, and most threads need none. */
let byWord: Intl.Segmenter | null = null;

function countByDictionary(text: string): number {
  byWord ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  let words = 0;
  for (const segment of byWord.segment(text)) if (segment.isWordLike === true) words += 1;
  return words;
}
