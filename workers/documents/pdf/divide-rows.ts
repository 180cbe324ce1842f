/** Divides a text that a PDF writes over several columns into its cells, by the places of its letters. */

import { itemAt } from '../../../src-server/platform/item-at.ts';
import type { PageLine } from './page-content.ts';
import {
  CURRENCY,
  isValueText,
  joinStrips,
  MARK_AFTER,
  type Piece,
  type Strip,
  type TableBlock,
  type TextRow,
  tableBlocks,
  textRowsOf,
  touchedStrips,
} from './table-blocks.ts';

/** A letter of the page and its middle. */
export interface PlacedLetter {
  text: string;
  x: number;
  y: number;
}

type Letters = () => readonly PlacedLetter[];

/** More spaces than occur between words. */
const WIDE_GAP = / {3,}/u;

/** Columns and rows of them from which a block shows where the values of the rows around it are. */
const COLUMNS_MIN = 3;
const ROWS_MIN = 3;

/** Rows without values between a block and a row that is divided, such as the lines of a label. */
const REACH_ROWS = 3;

/** Largest gap between these, in line heights. */
const ROW_GAP_LINES = 3;

/** An amount with the sign of currency of the next one, and what this begins with. */
const LATE_SIGN = /\d[\d.,)%]* [$€£¥₹]$/u;
const ENDS_IN_SIGN = /[$€£¥₹]$/u;
const AMOUNT = /^\(?[\d–—―-]/u;

/** A dash between two values, and its largest gaps, in font sizes, if they are one. */
const RANGE = /^[-–—]$/u;
const RANGE_GAP_SIZES = 1;

/** Share of a column's cells that are values. */
const VALUES_SHARE = 0.6;

/**
 * The rows with the texts divided that have several spaces in a row between values, and those that reach over several
 * columns of values of the rows near them, as amounts with a sign of currency do that almost touch each other; and the
 * blocks of these rows.
 */
export function divideRows(
  rows: readonly TextRow[],
  letters: Letters,
): { rows: readonly TextRow[]; blocks: TableBlock[] } {
  const divided = rows.map((row) => withSignsBefore(divideAtWideGaps(row, letters)));
  const blocks = tableBlocks(divided);
  let isDivided = false;
  for (const { from, to, strips } of blocks) {
    const full = divided.slice(from, to).filter(({ pieces }) => pieces.length >= COLUMNS_MIN);
    if (strips.length < COLUMNS_MIN || full.length < ROWS_MIN) continue;
    const columns = columnsOf(strips, full);
    const divideAt = (at: number): boolean => {
      const row = divideAtColumns(itemAt(divided, at), columns, letters);
      if (row === null) return false;
      divided[at] = row;
      isDivided = true;
      return true;
    };
    for (let at = from; at < to; at += 1) divideAt(at);
    for (const step of [-1, 1]) {
      let missed = 0;
      for (let at = step < 0 ? from - 1 : to; missed <= REACH_ROWS; at += step) {
        const [row, before] = [divided[at], divided[at - step]];
        if (row === undefined || before === undefined) break;
        const gap = step < 0 ? before.top - row.bottom : row.top - before.bottom;
        if (gap > ROW_GAP_LINES * (row.bottom - row.top)) break;
        missed = divideAt(at) ? 0 : missed + 1;
      }
    }
  }
  return { rows: divided, blocks: isDivided ? tableBlocks(divided) : blocks };
}

/** The lines of a table, those that have the values of several columns divided. */
export function dividedLines(lines: readonly PageLine[], letters: Letters): readonly PageLine[] {
  const { rows } = divideRows(textRowsOf(lines), letters);
  const pieces = Map.groupBy(
    rows.flatMap((row) => row.pieces),
    (piece) => piece.lines,
  );
  const parts = new Map<PageLine | undefined, Piece[]>();
  for (const [own, divided] of pieces) if (own.length === 1 && divided.length > 1) parts.set(own[0], divided);
  if (parts.size === 0) return lines;
  return lines.flatMap((line) => {
    const divided = parts.get(line);
    return divided?.map(({ text, left, right }): PageLine => ({ ...line, text, left, right })) ?? [line];
  });
}

/** The row with each sign of currency at the amount that follows it, not at the end of the one before. */
function withSignsBefore(row: TextRow): TextRow {
  const isLate = ({ text }: Piece, at: number) => LATE_SIGN.test(text) && AMOUNT.test(row.pieces[at + 1]?.text ?? '');
  if (!row.pieces.some(isLate) || ENDS_IN_SIGN.test(row.pieces.at(-1)?.text ?? '')) return row;
  const pieces = row.pieces.map((piece) => ({ ...piece }));
  for (const [at, piece] of row.pieces.entries()) {
    const [own, next] = [pieces[at], pieces[at + 1]];
    if (own === undefined || next === undefined || !isLate(piece, at)) continue;
    const sign = piece.text.slice(-1);
    own.text = own.text.slice(0, -1).trim();
    next.text = `${sign} ${next.text}`;
    next.lines = [...piece.lines, ...next.lines];
  }
  return { ...row, pieces };
}

interface Column extends Strip {
  hasValues: boolean;
}

function columnsOf(strips: readonly Strip[], rows: readonly TextRow[]): Column[] {
  return strips.map((strip) => {
    const own = rows.flatMap(({ pieces }) =>
      pieces.filter(({ left, right }) => left < strip.right && right > strip.left),
    );
    const values = own.filter(({ text }) => isValueText(text)).length;
    return { ...strip, hasValues: values >= VALUES_SHARE * own.length };
  });
}

function divideAtWideGaps(row: TextRow, letters: Letters): TextRow {
  if (!row.pieces.some(({ text }) => WIDE_GAP.test(text))) return row;
  const pieces = row.pieces.flatMap((piece) => {
    const parts = piece.text.split(WIDE_GAP);
    if (parts.length < 2 || !parts.some(isValueText)) return [piece];
    const words = placedWords(piece, letters);
    if (words === null) return [piece];
    let at = 0;
    return parts.map((part) => {
      const own = words.slice(at, at + part.split(/\s+/u).length);
      at += own.length;
      return partOf(piece, own);
    });
  });
  return { ...row, pieces };
}

/** The row with each text in one column of values; null if no text is divided. */
function divideAtColumns(row: TextRow, columns: readonly Column[], letters: Letters): TextRow | null {
  let isDivided = false;
  const pieces = row.pieces.flatMap((piece) => {
    const [first, last] = touchedStrips(columns, piece) ?? [0, 0];
    // A text over columns without values is a title, or a label that is longer than its column.
    if (first === last || !columns.slice(first + 1, last + 1).every(({ hasValues }) => hasValues)) return [piece];
    if (piece.text.replace(/\D/gu, '').length === 0) return [piece];
    const parts = partsByColumn(piece, columns.slice(first, last + 1), letters);
    if (parts === null) return [piece];
    isDivided = true;
    return parts;
  });
  // The row is one of the block only if no column is lost by it.
  return isDivided && joinStrips(columns, pieces).length >= columns.length ? { ...row, pieces } : null;
}

/** A text for each column, values after the first one; null if this is not so. */
function partsByColumn(piece: Piece, columns: readonly Column[], letters: Letters): Piece[] | null {
  const words = placedWords(piece, letters);
  if (words === null) return null;
  const groups = columns.map((): Word[] => []);
  let at = 0;
  for (const value of joinedValues(words, itemAt(piece.lines, 0).size)) {
    const place = value.find(({ text }) => /\d/u.test(text)) ?? itemAt(value, 0);
    const middle = (place.left + place.right) / 2;
    const distances = columns.map(({ left, right }) => Math.max(left - middle, middle - right, 0));
    const nearest = distances.lastIndexOf(Math.min(...distances));
    if (nearest < at) return null;
    at = nearest;
    groups[at]?.push(...value);
  }
  if (groups.some((group) => group.length === 0)) return null;
  const parts = groups.map((group) => partOf(piece, group));
  const areValues = parts.every(
    ({ text }, index) => (index === 0 && !itemAt(columns, 0).hasValues) || isValueText(text),
  );
  const areApart = parts.every(({ left, right }, index) => {
    const [before, after] = [columns[index - 1], columns[index + 1]];
    return (before === undefined || left >= before.right - 1) && (after === undefined || right <= after.left + 1);
  });
  return areValues && areApart ? parts : null;
}

interface Word extends Strip {
  text: string;
}

/** The words of a text, those together that are one value: a number with its signs, or the two of a range. */
function joinedValues(words: readonly Word[], size: number): Word[][] {
  const values: Word[][] = [];
  let isOpen = false;
  for (const [at, word] of words.entries()) {
    const last = values.at(-1);
    const [before, after] = [words[at - 1], words[at + 1]];
    const gaps = [word.left - (before?.right ?? word.left), (after?.left ?? word.right) - word.right];
    const isRange = RANGE.test(word.text) && gaps.every((gap) => gap > 0 && gap < RANGE_GAP_SIZES * size);
    if (last !== undefined && (isOpen || isRange || MARK_AFTER.test(word.text))) last.push(word);
    else values.push([word]);
    isOpen = isRange || CURRENCY.test(word.text);
  }
  return values;
}

function partOf(piece: Piece, words: readonly Word[]): Piece {
  const text = words.map((word) => word.text).join(' ');
  return { ...piece, text, left: itemAt(words, 0).left, right: itemAt(words, -1).right };
}

/** The words of a text with their sides; null if its letters are not found one by one. */
function placedWords(piece: Piece, letters: Letters): Word[] | null {
  const all = letters();
  const own = piece.lines.flatMap((line) => lettersOf(line, all));
  const words: Word[] = [];
  let at = 0;
  for (const text of piece.text.split(/\s+/u)) {
    const from = at;
    for (const character of text.normalize('NFKD')) {
      const letter = own[at];
      if (letter === undefined || letter.text !== character) return null;
      at += 1;
    }
    words.push({ text, left: own[from]?.x ?? piece.left, right: own[at - 1]?.x ?? piece.right });
  }
  return at === own.length ? words : null;
}

/** The letters of a line from the left, without spaces, each in its simplest parts. */
function lettersOf(line: PageLine, letters: readonly PlacedLetter[]): PlacedLetter[] {
  return letters
    .filter(({ x, y }) => y > line.top && y < line.bottom && x >= line.left - 1 && x <= line.right + 1)
    .sort((one, other) => one.x - other.x)
    .flatMap((letter) => [...letter.text.normalize('NFKD').replace(/\s/gu, '')].map((text) => ({ ...letter, text })));
}
