/** Finds the headings of a text among the sentences that were spoken. */

export interface Chapter {
  title: string;
  startSeconds: number;
}

const NAMED = '(?:chapter|part|section|act|lesson|episode|prologue|epilogue)\\b.{0,100}';

const HEADING = new RegExp(`^\\s{0,3}(?:#{1,6}\\s+(?<marked>.+?)\\s*#*|(?<named>${NAMED}))$`, 'gim');

const TITLE_CHARS_MAX = 120;

/** Words that decide whether a sentence begins a chapter. */
const WORDS_COMPARED = 3;

/** @param parts in the order in which they are spoken */
export function findChapters(text: string, parts: readonly { text: string; startSeconds: number }[]): Chapter[] {
  const chapters: Chapter[] = [];
  let from = 0;
  for (const { groups } of text.matchAll(HEADING)) {
    const title = (groups?.marked ?? groups?.named ?? '').trim();
    const words = firstWords(title);
    const found =
      words === '' ? -1 : parts.findIndex((part, index) => index >= from && startsWithWords(part.text, words));
    const part = parts[found];
    if (part === undefined) continue;
    chapters.push({ title: title.slice(0, TITLE_CHARS_MAX).toWellFormed(), startSeconds: part.startSeconds });
    from = found + 1;
  }
  return chapters;
}

function startsWithWords(text: string, words: string): boolean {
  return `${firstWords(text)} `.startsWith(`${words} `);
}

function firstWords(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, WORDS_COMPARED).join(' ');
}
