/**
 * Lines of Hebrew, Arabic and other scripts that run from right to left. A PDF says where each letter stands, not in
 * which order a line is read: MuPDF turns the words of such scripts around one by one, with the space behind them, so
 * that a line with a number, a name in Latin letters or a full stop comes out in pieces, the last one first, and words
 * run together. Here the letters are taken from where they stand and read from the right, numbers and Latin words in
 * them from the left; in a line of Latin letters, the other way round.
 */

import type { Drawing, PageLine } from './page-content.ts';

const RTL = '\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}';

const RTL_LETTER = new RegExp(`(?=[${RTL}])\\p{L}`, 'gu');

const LTR_LETTER = new RegExp(`(?![${RTL}])\\p{L}`, 'gu');

/** Where such letters have their places: most lines hold nothing of it. */
const MAYBE_RTL = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Words of such letters with spaces between them need no second look: they are in order. */
const PLAIN = new RegExp(`^[${RTL}\\s]*$`, 'u');

/** In classes: what reads from the left within such a line: Latin words with all between, numbers with their signs. */
const FROM_LEFT = /N*L(?:[^R]*[LN])?|T?N(?:P?N)*T?/g;

/** What reads from the right within a line of Latin letters. */
const FROM_RIGHT = /R(?:[^L]*R)?/g;

const NUMBER_SIGN = /[%‰$€£₪°#]/;

const WITHIN_NUMBER = /[.,:/'’٫٬]/;

/** How far from a line's base a letter of it may stand, as a share of the type's size. */
const BASE_SHARE = 0.3;

const MARGIN_POINTS = 0.5;

/** Neighbouring bases that are looked through: more is no line of text. */
const BASES_MAX = 200;

/** More lines than a page of text has: for each, all letters at its height are looked at. */
const LINES_MAX = 2000;

/** A line as MuPDF wrote it, and where its base lies. */
export interface RtlLine {
  line: PageLine;
  written: string;
  base: number;
}

interface Letter {
  text: string;
  middle: number;
}

/** Whether letters of a line run from right to left, and something stands among them that may be out of order. */
export function mayBeDisordered(text: string): boolean {
  return MAYBE_RTL.test(text) && text.search(RTL_LETTER) >= 0 && !PLAIN.test(text);
}

/** Gives these lines of the page the order in which they are read. */
export function settleDirection(page: Drawing, lines: readonly RtlLine[]): void {
  if (lines.length === 0) return;
  const letters = lettersOf(page);
  for (const { line, written, base } of lines.slice(0, LINES_MAX)) {
    const found = lettersIn(line, base, letters);
    // Two lines one over the other: nobody can tell whose letters these are.
    if (sameLetters(written, found)) line.text = inReadingOrder(written, found);
  }
}

/** By the whole points of their bases. */
function lettersOf(page: Drawing): Map<number, Letter[]> {
  const letters = new Map<number, Letter[]>();
  const text = page.toStructuredText('');
  try {
    text.walk({
      onChar(character, [, base], _font, _size, quad) {
        const row = letters.get(Math.round(base)) ?? [];
        letters.set(Math.round(base), row);
        const last = row.at(-1);
        // A mark belongs to the letter it stands on.
        if (last !== undefined && /^\p{M}$/u.test(character)) last.text += character;
        else row.push({ text: character, middle: (quad[0] + quad[2]) / 2 });
      },
    });
  } finally {
    text.destroy();
  }
  return letters;
}

function lettersIn({ left, right, size }: PageLine, base: number, letters: ReadonlyMap<number, Letter[]>): Letter[] {
  const reach = Math.min(size * BASE_SHARE, BASES_MAX);
  const found: Letter[] = [];
  for (let at = Math.round(base - reach); at <= base + reach; at += 1) {
    for (const letter of letters.get(at) ?? []) {
      if (letter.middle >= left - MARGIN_POINTS && letter.middle <= right + MARGIN_POINTS) found.push(letter);
    }
  }
  return found.sort((one, other) => one.middle - other.middle);
}

function sameLetters(written: string, found: readonly Letter[]): boolean {
  const inOrder = (text: string) => Array.from(text.replace(/\s/g, '')).sort().join('');
  return inOrder(written) === inOrder(textOf(found));
}

/** `letters` from the left, as they stand. */
function inReadingOrder(written: string, letters: readonly Letter[]): string {
  const count = (pattern: RegExp) => written.match(pattern)?.length ?? 0;
  const read = count(RTL_LETTER) > count(LTR_LETTER) ? fromRight(letters) : fromLeft(letters);
  return read.normalize('NFC').replace(/\s+/g, ' ').trim();
}

function fromRight(letters: readonly Letter[]): string {
  return piecesOf(letters, FROM_LEFT, textOf).reverse().join('');
}

function fromLeft(letters: readonly Letter[]): string {
  return piecesOf(letters, FROM_RIGHT, fromRight).join('');
}

/** Letter by letter, but what the pattern finds in their classes as one, read as `read` does. */
function piecesOf(letters: readonly Letter[], pattern: RegExp, read: (run: readonly Letter[]) => string): string[] {
  const classes = letters.map(({ text }) => classOf(text)).join('');
  const pieces: string[] = [];
  let at = 0;
  for (const { 0: run, index } of classes.matchAll(pattern)) {
    for (const { text } of letters.slice(at, index)) pieces.push(text);
    at = index + run.length;
    pieces.push(read(letters.slice(index, at)));
  }
  for (const { text } of letters.slice(at)) pieces.push(text);
  return pieces;
}

function textOf(letters: readonly Letter[]): string {
  return letters.map(({ text }) => text).join('');
}

/** One letter for each: R, L and N read right, left and as numbers, T belongs to numbers, P may stand in one. */
function classOf(text: string): string {
  if (/^\p{Nd}/u.test(text)) return 'N';
  if (text.search(RTL_LETTER) >= 0) return 'R';
  if (/^\p{L}/u.test(text)) return 'L';
  if (NUMBER_SIGN.test(text)) return 'T';
  return WITHIN_NUMBER.test(text) ? 'P' : 'O';
}
