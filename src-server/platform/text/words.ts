import { classAt, PAIR, SPACE, UNSPACED, WORD_START } from './character-classes.ts';

/** Counts words as word processors do: between white space, or by dictionary in scripts without it. */
export function countWords(text: string): number {
  let words = 0;
  let start = 0;
  /** Flags of the run since the last white space. */
  let seen = 0;
  for (let at = 0; at < text.length; at += 1) {
    const flags = classAt(text, at);
    if ((flags & PAIR) !== 0) at += 1;
    if ((flags & SPACE) === 0) {
      seen |= flags;
      continue;
    }
    if ((seen & (WORD_START | UNSPACED)) !== 0) words += countRun(text, start, at, seen);
    start = at + 1;
    seen = 0;
  }
  return (seen & (WORD_START | UNSPACED)) === 0 ? words : words + countRun(text, start, text.length, seen);
}

export function isUnspaced(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const flags = classAt(text, at);
    if ((flags & UNSPACED) !== 0) return true;
    if ((flags & PAIR) !== 0) at += 1;
  }
  return false;
}

/** Created on first use: that takes longer than reading many pages, and most threads need none. */
let byWord: Intl.Segmenter | null = null;

function countRun(text: string, start: number, end: number, seen: number): number {
  if ((seen & UNSPACED) === 0) return 1;
  byWord ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  let words = 0;
  for (const segment of byWord.segment(text.slice(start, end))) if (segment.isWordLike === true) words += 1;
  return words;
}
