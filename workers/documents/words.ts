import { codeUnits } from '../../src-server/platform/text/hash.ts';
import { BEGINS_WORD, classAt, SPACE, UNSPACED, unitsOf } from './character-classes.ts';

/** Words as word processors count them: between white space, or by dictionary in scripts that are written without. */
export function countWords(text: string): number {
  const units = codeUnits(text);
  const { length } = text;
  let words = 0;
  let at = 0;
  while (at < length) {
    const start = at;
    let seen = 0;
    for (let flags = 0; at < length; at += unitsOf(flags)) {
      flags = classAt(units, at);
      if ((flags & SPACE) !== 0) break;
      seen |= flags;
    }
    if ((seen & BEGINS_WORD) !== 0) words += wordsInRun(text, start, at, seen);
    at += 1;
  }
  return words;
}

/** Words of a run between white space that has some, by the classes of its characters together. */
export function wordsInRun(text: string, start: number, end: number, seen: number): number {
  return (seen & UNSPACED) === 0 ? 1 : countByDictionary(text.slice(start, end));
}

export function isUnspaced(text: string): boolean {
  const units = codeUnits(text);
  for (let at = 0, flags = 0; at < text.length; at += unitsOf(flags)) {
    flags = classAt(units, at);
    if ((flags & UNSPACED) !== 0) return true;
  }
  return false;
}

/** Made for the first text that needs it: that takes longer than reading many pages, and most threads need none. */
let byWord: Intl.Segmenter | null = null;

function countByDictionary(text: string): number {
  byWord ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  let words = 0;
  for (const segment of byWord.segment(text)) if (segment.isWordLike === true) words += 1;
  return words;
}
