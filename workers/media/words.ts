/** Words with their times, from the tokens that recognisers time. */
import type { TranscriptWord } from '../../src-server/contract/index.ts';

/** A piece of text as an engine times it. Its bytes may end in the middle of a character. */
export interface TimedToken {
  bytes: Uint8Array;
  start: number;
  end: number;
}

/** These write words without spaces between them: each token is the nearest thing to one. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]$/u;
const STARTS_WORD = /^\s/;
const PUNCTUATION = /^[\p{P}\p{S}]+$/u;
const BROKEN = '\uFFFD';

/** A token that begins with a space begins a word. Times are clamped to the segment's and never go back. */
export function wordsOf(tokens: readonly TimedToken[], segment: { start: number; end: number }): TranscriptWord[] {
  const words: { parts: Uint8Array[]; start: number; end: number }[] = [];
  let closed = true;
  for (const { bytes, start, end } of tokens) {
    const text = textOf([bytes]);
    const open = words.at(-1);
    const goesOn = open !== undefined && !STARTS_WORD.test(text) && (!closed || PUNCTUATION.test(text.trim()));
    if (goesOn) {
      open.parts.push(bytes);
      open.end = Math.max(open.end, end);
    } else words.push({ parts: [bytes], start, end });
    const soFar = textOf(words.at(-1)?.parts ?? []);
    closed = !soFar.includes(BROKEN) && UNSPACED.test(soFar);
  }
  let before = segment.start;
  return words.flatMap((word) => {
    const text = textOf(word.parts).replaceAll(BROKEN, '').trim();
    if (text === '') return [];
    const start = Math.min(segment.end, Math.max(before, word.start));
    const end = Math.min(segment.end, Math.max(start, word.end));
    before = start;
    return [{ start, end, text }];
  });
}

function textOf(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString('utf8');
}
