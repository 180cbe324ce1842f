/**
 * Judges what recognition returned by the result itself: tesseract is often sure of nonsense, and does not tell which
 * lines it left out. Letters are judged by the shapes of words and by the pairs of letters of English, missing text by
 * the ink outside of the words.
 */

import type { RecognizedLine } from '../../../src-server/features/documents/schema.ts';
import type { InkPiece } from './ink.ts';

/** Mean confidence of a line from which only its letters are judged. Clean lines reach 90, others 60 to 75. */
const LINE_CONFIDENCE_MIN = 75;

/** Fewer letters and digits are judged by confidence alone. */
const LETTERS_MIN = 8;

/** A line of a few characters has no mean to trust, so it must be lower. */
const FEW_CONFIDENCE_MIN = 50;

/** Share of the words of a line with an odd shape. */
const ODD_SHARE = 0.34;

const ODD_WORDS_MIN = 2;

/** Whether the letters of a line are probably not those of the picture. `language`: Tesseract's name. */
export function isUnlikely(line: Pick<RecognizedLine, 'text' | 'confidence'>, language: string): boolean {
  const letters = line.text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  if (letters < LETTERS_MIN) return line.confidence < FEW_CONFIDENCE_MIN;
  if (line.confidence < LINE_CONFIDENCE_MIN) return true;
  const words = line.text.split(/\s+/);
  const odd = words.filter(isOddWord).length;
  if (odd >= ODD_WORDS_MIN && odd >= words.length * ODD_SHARE) return true;
  return language === 'eng' && isSurprising(line.text);
}

/** Whether the letters of a text follow each other as in no English words. */
export function isSurprising(text: string): boolean {
  return surpriseOf(text) > SURPRISE_MAX;
}

const INSIDE = /^[^\p{L}\p{N}]*(.*?)[^\p{L}\p{N}]*$/u;

const NEVER_INSIDE = /[~^{}[\]|\\<>¢§©®°«»_=“”"!?;]/u;

const ADDRESS = /@|:\/\/|www\.|\.\w{2,4}(?:\/|$)/u;

const VOWEL = /[aeiouyæøœı]/u;

/** A word that no language writes: symbols and digits amid letters, capitals at random, no vowel. */
function isOddWord(word: string): boolean {
  const inner = INSIDE.exec(word)?.[1] ?? '';
  if (inner === '') return word.length > 1 && /[^\p{Pd}.…·•*/&+=%|)(]/u.test(word);
  if (ADDRESS.test(word)) return false;
  if (NEVER_INSIDE.test(inner)) return true;
  const changes = inner.match(/\p{L}(?=\p{N})|\p{N}(?=\p{L})/gu)?.length ?? 0;
  const rises = inner.match(/\p{Ll}(?=\p{Lu})/gu)?.length ?? 0;
  if (changes > 3 || rises > 1 || (rises === 1 && inner.length < 5)) return true;
  const isLatin = /^\p{sc=Latn}{4,}$/u.test(inner);
  if (!isLatin || inner === inner.toUpperCase()) return false;
  return !VOWEL.test(inner.toLowerCase().normalize('NFD'));
}

/**
 * Half bits of surprise of each letter of English after another, as digits of base 36: rows and columns are a to z and
 * the end of a word. Counted over the distinct words of ten million letters of manuals, licences and guides.
 */
const ENGLISH_PAIRS =
  'f989heajaid697n9f685cceecha7cbe6egg7ci5ee7di99d7gjiaf77hbf6ii79j89gi5dh9c6ahjkek89efb4feg6hjcef9elb9fafgjfn3' +
  '9e87cbdiejjaa7fbe669fceafl57gde77ih4ji9fg6hi9aa9jjhbj69hfg5gc98mibd9bei8ad9ihkgg35hee4gjh6kjedf6fjac9akgjdi5' +
  'ab899aanimg8947bka87janekcc7ddh5cddaedfhd5bdd5c7cbeee89dec4ccd7jicebcdie7bcfeifh47fga5fhi6kg7gh6ejhaaaeim8l6' +
  '5afb4hfk6hgcaf77jhaebhiidi78i977b6g9jddgd9ekh76cdilei5dc99fcbjdgc984a9l6998b9fij96idd6fgc9lf7ef79l6a8afhidl7' +
  'debbdcgfcfcaedecaaab2fdfff67fbb4eci7mdcbb7ekb89cdgkan6bhag6gha8oedegaahg869hfkbl37hcf5fh85ljceg8dm89abkejal5' +
  'a9ab8dbh9kg786d8m666gjjejjb5hgf2feg5jhddg9cjfedfhjghi85gec6gf76jgbg87gi99ffgcjii69e9e7cie7ggccfe6heb6eig7bf5' +
  'cdcfafggahibaab8jd7aggekfg27ede3fec6efcdc7ehcceededc96897899bb8ed99aa8f878acagfgx';

const PAIR_LETTERS = 27;

const END = PAIR_LETTERS - 1;

/** Mean half bits of a pair. One in a thousand English lines lies above; other scripts read as Latin reach 10 to 12. */
const SURPRISE_MAX = 9.8;

/** Pairs of a line that may be judged. */
const PAIRS_MIN = 24;

/** Mean surprise of the pairs of letters of a line's words in lower case; 0 for too few of them. */
export function surpriseOf(text: string): number {
  let sum = 0;
  let pairs = 0;
  for (const word of text
    .toLowerCase()
    .normalize('NFD')
    .match(/[a-z]{2,}/g) ?? []) {
    let before = END;
    for (let at = 0; at <= word.length; at += 1) {
      const letter = at === word.length ? END : word.charCodeAt(at) - 97;
      sum += Number.parseInt(ENGLISH_PAIRS.charAt(before * PAIR_LETTERS + letter), 36);
      pairs += 1;
      before = letter;
    }
  }
  return pairs < PAIRS_MIN ? 0 : sum / pairs;
}

/** Letters in a row, or words whose letters touch, that are no accident: a shorter row may be a drawing or a logo. */
const ROW_PIECES_MIN = 5;

/** The same for pieces as high as the letters that were read: a number of a column. */
const ALIKE_PIECES_MIN = 2;

const ALIKE_SIZES = [0.75, 1.5] as const;

/** How far the next letter of a row is at most, and how much its middle and its size may differ, in heights. */
const NEXT_HEIGHTS_MAX = 1.6;

const SHIFT_HEIGHTS_MAX = 0.5;

const SIZES_MAX = 2.2;

/** What a word's box is grown by: dots and tails lie outside of it. In heights. */
const BOX_MARGIN_HEIGHTS = 0.4;

/** Side of the cells in which words are looked up, in pixels of the ink. */
const CELL = 32;

/** No letter of a row is farther from the one before: the highest letters with the widest space. */
const REACH_PIXELS = 150;

type Box = readonly [left: number, top: number, right: number, bottom: number];

/**
 * Ink that looks like rows of letters, in pieces (letters, or words whose letters touch): `unread` lies outside of all
 * words. Boxes are in pixels of the ink.
 */
export function countReadInk(letters: readonly InkPiece[], words: readonly Box[]): { read: number; unread: number } {
  const covered = coveredBy(words);
  const inside: InkPiece[] = [];
  const outside: InkPiece[] = [];
  for (const piece of letters) (covered(inkPieceCenter(piece)) ? inside : outside).push(piece);
  return { read: inside.length, unread: piecesInRows(outside, usualHeight(inside)) };
}

/** Middle height of pieces; 0 for none. */
function usualHeight(pieces: readonly InkPiece[]): number {
  const heights = pieces.map(({ top, bottom }) => bottom - top).sort((a, b) => a - b);
  return heights[Math.floor(heights.length / 2)] ?? 0;
}

function inkPieceCenter({ left, top, right, bottom }: InkPiece): [x: number, y: number] {
  return [(left + right) / 2, (top + bottom) / 2];
}

function coveredBy(words: readonly Box[]): (place: [number, number]) => boolean {
  const cells = new Map<string, Box[]>();
  for (const [left, top, right, bottom] of words) {
    const margin = Math.min(right - left, bottom - top) * BOX_MARGIN_HEIGHTS;
    const box: Box = [left - margin, top - margin, right + margin, bottom + margin];
    for (let row = Math.floor(box[1] / CELL); row <= Math.floor(box[3] / CELL); row += 1) {
      for (let column = Math.floor(box[0] / CELL); column <= Math.floor(box[2] / CELL); column += 1) {
        const key = `${column},${row}`;
        const known = cells.get(key);
        if (known === undefined) cells.set(key, [box]);
        else known.push(box);
      }
    }
  }
  return ([x, y]) => {
    const near = cells.get(`${Math.floor(x / CELL)},${Math.floor(y / CELL)}`) ?? [];
    return near.some(([left, top, right, bottom]) => x >= left && x < right && y >= top && y < bottom);
  };
}

/** Pieces that stand in rows of similar ones, across or down the picture, whichever holds more. */
function piecesInRows(pieces: readonly InkPiece[], usual: number): number {
  const turned = pieces.map((piece) => ({
    left: piece.top,
    top: piece.left,
    right: piece.bottom,
    bottom: piece.right,
    area: piece.area,
  }));
  return Math.max(piecesInLyingRows(pieces, usual), piecesInLyingRows(turned, usual));
}

interface Row {
  last: InkPiece;
  pieces: number;
  /** Those as high as the letters that were read. */
  alike: number;
}

function piecesInLyingRows(pieces: readonly InkPiece[], usual: number): number {
  const rows: Row[] = [];
  /** Rows that may go on: those that end not far left of the next piece. */
  let open: Row[] = [];
  for (const piece of [...pieces].sort((a, b) => a.left - b.left)) {
    open = open.filter(({ last }) => piece.left - last.right <= REACH_PIXELS);
    const height = piece.bottom - piece.top;
    const isAlike = height >= usual * ALIKE_SIZES[0] && height <= usual * ALIKE_SIZES[1];
    const row = open.findLast(({ last }) => mayContinueInkRow(last, piece)) ?? { last: piece, pieces: 0, alike: 0 };
    if (row.pieces === 0) {
      open.push(row);
      rows.push(row);
    }
    row.last = piece;
    row.pieces += 1;
    if (isAlike) row.alike += 1;
  }
  return rows.reduce((sum, row) => sum + piecesCounted(row), 0);
}

function piecesCounted({ pieces, alike }: Row): number {
  if (pieces >= ROW_PIECES_MIN) return pieces;
  return alike === pieces && alike >= ALIKE_PIECES_MIN ? alike : 0;
}

/** Whether a piece may be the next letter of a row. */
function mayContinueInkRow(last: InkPiece, next: InkPiece): boolean {
  const [before, after] = [last.bottom - last.top, next.bottom - next.top];
  const height = Math.max(before, after);
  if (height > Math.min(before, after) * SIZES_MAX) return false;
  const gap = next.left - last.right;
  if (gap > height * NEXT_HEIGHTS_MAX || gap < -height / 2) return false;
  return Math.abs((last.top + last.bottom) / 2 - (next.top + next.bottom) / 2) <= height * SHIFT_HEIGHTS_MAX;
}

/** Fewer unread pieces are a logo, a signature or a stamp. */
const UNREAD_PIECES_MIN = 8;

/** Share of the page's letters from which it was probably not read whole. On clean pages nothing is left. */
const UNREAD_SHARE_MIN = 0.04;

/** Share of the picture's letters outside of all words; 0 if it is no more than a logo or a signature has. */
export function unreadShareOf({ read, unread }: { read: number; unread: number }): number {
  const share = unread / Math.max(1, read + unread);
  return unread >= UNREAD_PIECES_MIN && share >= UNREAD_SHARE_MIN ? Math.round(share * 100) / 100 : 0;
}
