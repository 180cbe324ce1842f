/**
 * Lines of Hebrew, Arabic and other right-to-left scripts. A PDF states where each letter is, not the reading order.
 * MuPDF reverses the words of such scripts one by one, with the space after them, so a line with a number, a Latin name
 * or a full stop comes out in pieces, last one first, and words merge. This file takes the letters by position and
 * reads them from the right, and numbers and Latin words in them from the left; in a Latin line the other way round.
 */

import { itemAt } from '../../../src-server/platform/item-at.ts';
import type { LinkBox } from './link-boxes.ts';
import { nearestPlace, wholeWords } from './linked-text.ts';
import type { Drawing, LinkedText, PageLine } from './page-content.ts';
import { sameRow } from './reading-order.ts';

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
const FROM_LEFT = /N*L(?:[^R]*[LN])?|T?N(?:[PS]?N)*T?/g;

/** After Arabic letters the signs of a number and the hyphens in it are no part of it (rules W2 to W6 of UAX 9). */
const FROM_LEFT_IN_ARABIC = /N*L(?:[^R]*[LN])?|N(?:P?N)*/g;

const ARABIC_LETTER = /(?=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}])\p{L}/u;

/** Runs that read right to left in a Latin line. */
const FROM_RIGHT = /R(?:[^L]*R)?/g;

const NUMBER_SIGN = /[%‰$€£₪°#]/;

const WITHIN_NUMBER = /[.,:/'’٫٬]/;

const BETWEEN_NUMBERS = /^[-+−]$/;

/** Largest distance of a letter from its line's baseline, as a share of the font size. */
const BASE_SHARE = 0.3;

const MARGIN_POINTS = 0.5;

/** Width, in points, up to which a letter is drawn as part of another one. */
const NO_WIDTH = 0.05;

const LAM = '\u0644';

/** Smallest gap between words, as a share of the font size. */
const SPACE_SHARE = 0.15;

/** Largest gap between the pieces of a row, in font sizes, and their number. */
const PIECE_GAP = 0.5;

const PIECES_MAX = 40;

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
  left: number;
  right: number;
}

/** Whether a text may have right-to-left letters. */
export function mayBeRtl(text: string): boolean {
  return MAYBE_RTL.test(text);
}

/** Whether a line has right-to-left letters and other content that may be out of order. */
export function mayBeDisordered(text: string): boolean {
  return MAYBE_RTL.test(text) && text.search(RTL_LETTER) >= 0 && !PLAIN.test(text);
}

/** What the letters of a page are read with, and its links. */
export interface LetterOptions {
  letterOptions: string;
  links: readonly LinkBox[];
}

/** Puts these lines of the page in reading order. */
export function settleDirection(
  page: Drawing,
  lines: readonly RtlLine[],
  { letterOptions, links }: LetterOptions,
): void {
  if (lines.length === 0) return;
  const letters = lettersByBaseline(page, letterOptions);
  for (const { line, written, base } of lines.slice(0, LINES_MAX)) {
    const found = lettersOfRtlLine(line, base, letters);
    // With overlapping lines the letters cannot be assigned.
    const isKnown = sameLetters(written, found);
    if (isKnown) line.text = orderRtlText(written, found);
    if (line.links !== undefined) placeRtlLinks(line, isKnown ? found : [], links);
  }
}

/**
 * Joins the pieces of a row that MuPDF divides at Latin words: the first piece takes the text of all in reading order.
 * Returns the lines without the others. `bases` has the baselines of right-to-left lines.
 */
export function joinRows(
  page: Drawing,
  lines: PageLine[],
  bases: ReadonlyMap<PageLine, number>,
  { letterOptions, links }: LetterOptions,
): PageLine[] {
  if (bases.size === 0 || bases.size > LINES_MAX) return lines;
  let letters: Map<number, Letter[]> | null = null;
  const joined: PageLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const row = rowFrom(lines, at);
    at += row.length;
    const base = row.map((line) => bases.get(line)).find((known) => known !== undefined);
    if (row.length === 1 || base === undefined) {
      joined.push(...row);
      continue;
    }
    letters ??= lettersByBaseline(page, letterOptions);
    const whole = { ...itemAt(row, 0), ...boxAroundRtlRow(row) };
    const written = row.map(({ text }) => text).join(' ');
    const found = lettersOfRtlLine(whole, base, letters);
    if (!sameLetters(written, found)) {
      joined.push(...row);
      continue;
    }
    whole.text = orderRtlText(written, found);
    placeRtlLinks(whole, found, links);
    joined.push(whole);
  }
  return joined;
}

/** Finds the links of a line by its letters, for the runs of the file are not in its order. */
function placeRtlLinks(line: PageLine, letters: readonly Letter[], boxes: readonly LinkBox[]): void {
  const { text, left, right } = line;
  const middle = (line.top + line.bottom) / 2;
  delete line.links;
  const links = boxes.flatMap((box): LinkedText[] => {
    const under = letters.filter((letter) => letter.middle >= box.left && letter.middle <= box.right);
    if (box.top > middle || box.bottom < middle || under.length === 0) return [];
    const words = orderRtlText(joinLetterTexts(under), under);
    const share = text.search(RTL_LETTER) === 0 ? right - box.right : box.left - left;
    const at = nearestPlace(text, words, Math.max(0, Math.round((share / (right - left)) * text.length)));
    if (at === null) return [];
    const { start, end } = wholeWords(text, at, at + words.length);
    return [{ at: start, text: text.slice(start, end), url: box.url }];
  });
  if (links.length > 0) line.links = links;
}

/** The lines from `at` on that are pieces of one row of one block. */
function rowFrom(lines: readonly PageLine[], at: number): PageLine[] {
  const row = [itemAt(lines, at)];
  for (const line of lines.slice(at + 1, at + PIECES_MAX)) {
    const isBeside = row.some((one) => {
      const gap = Math.max(line.left - one.right, one.left - line.right);
      return Math.abs(gap) <= PIECE_GAP * line.size;
    });
    const first = itemAt(row, 0);
    if (!isBeside || line.group !== first.group || Math.abs(line.size - first.size) > 1 || !sameRow(first, line)) break;
    row.push(line);
  }
  return row;
}

function boxAroundRtlRow(row: readonly PageLine[]) {
  return {
    left: Math.min(...row.map(({ left }) => left)),
    top: Math.min(...row.map(({ top }) => top)),
    right: Math.max(...row.map(({ right }) => right)),
    bottom: Math.max(...row.map(({ bottom }) => bottom)),
  };
}

/** Keyed by baseline in whole points. */
function lettersByBaseline(page: Drawing, options: string): Map<number, Letter[]> {
  const letters = new Map<number, Letter[]>();
  let ligature: Letter | null = null;
  const text = page.toStructuredText(options);
  try {
    text.walk({
      onChar(character, [, base], _font, _size, quad) {
        const row = letters.get(Math.round(base)) ?? [];
        letters.set(Math.round(base), row);
        const last = row.at(-1);
        const [left, right] = [Math.min(quad[0], quad[4]), Math.max(quad[2], quad[6])];
        const letter = { text: character, middle: (left + right) / 2, left, right };
        if (ligature !== null && isLamAt(letter, ligature)) {
          // The second letter comes first; it is in the same row.
          row.pop();
          letter.text += ligature.text;
        }
        ligature = null;
        // A combining mark belongs to the letter before it.
        if (last !== undefined && /^\p{M}$/u.test(character)) last.text += character;
        else if (last !== undefined && isWithoutWidth(letter) && isLamAt(last, letter)) last.text += character;
        else {
          row.push(letter);
          if (isWithoutWidth(letter)) ligature = letter;
        }
      },
    });
  } finally {
    text.destroy();
  }
  return letters;
}

/** The second letter of a ligature has no width, and is at a side of the first one, which is lam. */
function isWithoutWidth({ text, left, right }: Letter): boolean {
  return right - left < NO_WIDTH && isRtlLetter(text);
}

function isLamAt(letter: Letter, second: Letter): boolean {
  const isBeside = Math.min(Math.abs(letter.left - second.left), Math.abs(letter.right - second.left)) < MARGIN_POINTS;
  return letter.text === LAM && isBeside;
}

function isRtlLetter(character: string): boolean {
  return mayBeRtl(character) && character.search(RTL_LETTER) >= 0;
}

function lettersOfRtlLine(
  { left, right, size }: PageLine,
  base: number,
  letters: ReadonlyMap<number, Letter[]>,
): Letter[] {
  const reach = Math.min(size * BASE_SHARE, BASES_MAX);
  const found: Letter[] = [];
  for (let at = Math.round(base - reach); at <= base + reach; at += 1) {
    for (const letter of letters.get(at) ?? []) {
      if (letter.middle >= left - MARGIN_POINTS && letter.middle <= right + MARGIN_POINTS) found.push(letter);
    }
  }
  return withSpaces(
    found.sort((one, other) => one.middle - other.middle),
    size,
  );
}

/** The letters with a space in each gap without one. */
function withSpaces(letters: readonly Letter[], size: number): Letter[] {
  return letters.flatMap((letter, at) => {
    const before = letters[at - 1];
    const gap = before === undefined ? 0 : letter.left - before.right;
    if (before === undefined || gap < SPACE_SHARE * size || /\s/.test(before.text + letter.text)) return [letter];
    return [{ text: ' ', middle: before.right + gap / 2, left: before.right, right: letter.left }, letter];
  });
}

function sameLetters(written: string, found: readonly Letter[]): boolean {
  const sortedLetters = (text: string) => Array.from(text.replace(/\s/g, '')).sort().join('');
  return sortedLetters(written) === sortedLetters(joinLetterTexts(found));
}

/** `letters` are in visual order, from the left. */
function orderRtlText(written: string, letters: readonly Letter[]): string {
  const countWrittenLetters = (pattern: RegExp) => written.match(pattern)?.length ?? 0;
  const read =
    countWrittenLetters(RTL_LETTER) > countWrittenLetters(LTR_LETTER) ? fromRight(letters) : fromLeft(letters);
  return read.normalize('NFC').replace(/\s+/g, ' ').trim();
}

function fromRight(letters: readonly Letter[]): string {
  const isArabic = letters.some(({ text }) => ARABIC_LETTER.test(text));
  const pattern = isArabic ? FROM_LEFT_IN_ARABIC : FROM_LEFT;
  return bidirectionalPieces(letters, pattern, joinLetterTexts).reverse().join('');
}

function fromLeft(letters: readonly Letter[]): string {
  return bidirectionalPieces(letters, FROM_RIGHT, fromRight).join('');
}

/** Splits into letters and into runs that `pattern` finds in their classes; `read` converts a run. */
function bidirectionalPieces(
  letters: readonly Letter[],
  pattern: RegExp,
  read: (run: readonly Letter[]) => string,
): string[] {
  const classes = letters.map(({ text }) => letterClasses(text)).join('');
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

function joinLetterTexts(letters: readonly Letter[]): string {
  return letters.map(({ text }) => text).join('');
}

/** One class per letter: R, L and N for right, left and number; T belongs to numbers, P and S may occur in one. */
function letterClasses(text: string): string {
  if (/^\p{Nd}/u.test(text)) return 'N';
  if (text.search(RTL_LETTER) >= 0) return 'R';
  if (/^\p{L}/u.test(text)) return 'L';
  if (NUMBER_SIGN.test(text)) return 'T';
  if (BETWEEN_NUMBERS.test(text)) return 'S';
  return WITHIN_NUMBER.test(text) ? 'P' : 'O';
}
