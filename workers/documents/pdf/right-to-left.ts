/**
 * Lines of Hebrew, Arabic and other right-to-left scripts. A PDF states where each letter is, not the reading order.
 * MuPDF reverses the words of such scripts one by one, with the space after them, so a line with a number, a Latin name
 * or a full stop comes out in pieces, last one first, and words merge. This file takes the letters by position and
 * reads them from the right, and numbers and Latin words in them from the left; in a Latin line the other way round.
 */

import type { Drawing, PageLine } from './page-content.ts';

const RTL = '\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}';

const RTL_LETTER = new RegExp(`(?=[${RTL}])\\p{L}`, 'gu');

const LTR_LETTER = new RegExp(`(?![${RTL}])\\p{L}`, 'gu');

/** Blocks of right-to-left letters; most lines have none. */
const MAYBE_RTL = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Such letters with spaces between words are already in order. */
const PLAIN = new RegExp(`^[${RTL}\\s]*$`, 'u');

/**
 * Over letter classes: runs that read left to right in such a line, which are Latin words with everything between them,
 * and numbers with their signs.
 */
const FROM_LEFT = /N*L(?:[^R]*[LN])?|T?N(?:P?N)*T?/g;

/** Runs that read right to left in a Latin line. */
const FROM_RIGHT = /R(?:[^L]*R)?/g;

const NUMBER_SIGN = /[%‰$€£₪°#]/;

const WITHIN_NUMBER = /[.,:/'’٫٬]/;

/** Largest distance of a letter from its line's baseline, as a share of the font size. */
const BASE_SHARE = 0.3;

const MARGIN_POINTS = 0.5;

/** Bound on the adjacent baselines searched. */
const BASES_MAX = 200;

/** Bound on the lines of a page, because each search examines all letters at its height. */
const LINES_MAX = 2000;

/** A line as MuPDF wrote it, with its baseline. */
export interface RtlLine {
  line: PageLine;
  written: string;
  base: number;
}

interface Letter {
  text: string;
  middle: number;
}

/** Whether a text may have right-to-left letters. */
export function mayBeRtl(text: string): boolean {
  return MAYBE_RTL.test(text);
}

/** Whether a line has right-to-left letters and other content that may be out of order. */
export function mayBeDisordered(text: string): boolean {
  return MAYBE_RTL.test(text) && text.search(RTL_LETTER) >= 0 && !PLAIN.test(text);
}

/** Puts these lines of the page in reading order. `options` are those of the page's letters. */
export function settleDirection(page: Drawing, lines: readonly RtlLine[], options: string): void {
  if (lines.length === 0) return;
  const letters = lettersOf(page, options);
  for (const { line, written, base } of lines.slice(0, LINES_MAX)) {
    const found = lettersIn(line, base, letters);
    // With overlapping lines the letters cannot be assigned.
    if (sameLetters(written, found)) line.text = inReadingOrder(written, found);
  }
}

/** Keyed by baseline in whole points. */
function lettersOf(page: Drawing, options: string): Map<number, Letter[]> {
  const letters = new Map<number, Letter[]>();
  const text = page.toStructuredText(options);
  try {
    text.walk({
      onChar(character, [, base], _font, _size, quad) {
        const row = letters.get(Math.round(base)) ?? [];
        letters.set(Math.round(base), row);
        const last = row.at(-1);
        // A combining mark belongs to the letter before it.
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

/** `letters` are in visual order, from the left. */
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

/** Splits into letters and into runs that `pattern` finds in their classes; `read` converts a run. */
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

/** One class per letter: R, L and N for right, left and number; T belongs to numbers, P may occur in one. */
function classOf(text: string): string {
  if (/^\p{Nd}/u.test(text)) return 'N';
  if (text.search(RTL_LETTER) >= 0) return 'R';
  if (/^\p{L}/u.test(text)) return 'L';
  if (NUMBER_SIGN.test(text)) return 'T';
  return WITHIN_NUMBER.test(text) ? 'P' : 'O';
}
