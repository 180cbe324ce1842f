/** The head of a table without rules down: cells of several lines, and cells over several columns. */

import { itemAt } from '../../../src-server/platform/item-at.ts';
import type { CellSpan } from '../blocks.ts';
import { isYear, type Piece, type Strip, type TextRow, touchedStrips } from './table-blocks.ts';
import type { Rule } from './vectors.ts';

/** Share of a table's width from which a rule is one of the whole table. */
const WHOLE_RULE_SHARE = 0.8;

/** Largest gap between the lines of one cell, in line heights. */
const CELL_GAP_LINES = 0.6;

/** Distance of a text from the middle of the columns that it heads: in points, and as a share of their width. */
const CENTRED_POINTS = 3;
const CENTRED_SHARE = 0.15;
const CENTRED_SHARE_ALONE = 0.05;

/** Share of a column, or of a text if that is narrower, that is common to both if the text is its head. */
const HEADED_SHARE = 0.35;

export interface TextGrid {
  rows: string[][];
  spans: CellSpan[];
}

/** Columns and rules of a table. */
interface TableColumns {
  strips: readonly Strip[];
  across: readonly Rule[];
}

type Columns = readonly [first: number, last: number];

/** A cell of the head, over one or more columns. */
interface HeadCell {
  first: number;
  last: number;
  text: string;
  top: number;
  bottom: number;
  level: number;
}

/** The head: lines below each other in the same columns are one cell. */
export function headGrid(rows: readonly TextRow[], table: TableColumns): TextGrid {
  const { strips, across } = table;
  const divided = rows.map((row, at) => ({
    ...row,
    pieces: row.pieces.flatMap((piece) => partsOfPiece(piece, rows, at, strips)),
  }));
  const cells: HeadCell[] = [];
  for (const [at, row] of divided.entries()) {
    const columns = columnsOfRow(row, divided.slice(at + 1), table);
    for (const [index, piece] of row.pieces.entries()) addToCells(cells, piece, itemAt(columns, index), across);
  }
  return gridOfCells(cells, strips);
}

function addToCells(cells: HeadCell[], piece: Piece, [first, last]: Columns, across: readonly Rule[]): void {
  const above = cells.findLast((cell) => cell.first <= last && cell.last >= first);
  const isNear = above !== undefined && piece.top - above.bottom < CELL_GAP_LINES * (piece.bottom - piece.top);
  const isSame = above?.first === first && above.last === last;
  if (above !== undefined && isNear && isSame && !isDivided(above, piece, across)) {
    above.text = `${above.text} ${piece.text}`;
    above.bottom = piece.bottom;
    return;
  }
  const over = cells.filter((cell) => cell.first <= last && cell.last >= first);
  const level = Math.max(-1, ...over.map((cell) => cell.level)) + 1;
  cells.push({ first, last, text: piece.text, top: piece.top, bottom: piece.bottom, level });
}

function gridOfCells(cells: readonly HeadCell[], strips: readonly Strip[]): TextGrid {
  const levels = Math.max(0, ...cells.map(({ level }) => level + 1));
  const grid: TextGrid = { rows: Array.from({ length: levels }, () => strips.map(() => '')), spans: [] };
  for (const cell of cells) {
    // A cell without others above or below it is as high as the head.
    const isAlone = !cells.some((other) => other !== cell && other.first <= cell.last && other.last >= cell.first);
    const row = isAlone ? 0 : cell.level;
    const own = itemAt(grid.rows, row);
    own[cell.first] = `${own[cell.first] ?? ''} ${cell.text}`.trim();
    const [high, wide] = [isAlone ? levels : 1, cell.last - cell.first + 1];
    if (high * wide > 1) grid.spans.push({ row, column: cell.first, rows: high, columns: wide });
  }
  return grid;
}

function isDivided(above: HeadCell, below: Piece, across: readonly Rule[]): boolean {
  const middle = (below.left + below.right) / 2;
  return across.some(({ at, from, to }) => at > above.bottom - 2 && at < below.top + 2 && from < middle && to > middle);
}

/** The parts of a text over several columns, if a cell of its own is above each of them. */
function partsOfPiece(piece: Piece, rows: readonly TextRow[], at: number, strips: readonly Strip[]): Piece[] {
  const touched = headedStrips(strips, piece);
  if (touched === null || touched[0] === touched[1]) return [piece];
  const parts = wordsByColumn(piece, strips.slice(touched[0], touched[1] + 1));
  if (parts === null) return [piece];
  const above = rows[at - 1]?.pieces ?? [];
  const isBelowCell = (_: Piece, index: number) => above.some((other) => isOnlyIn(other, touched[0] + index, strips));
  return parts.every((part, index) => isBelowCell(part, index) && areBracketsClosed(part.text)) ? parts : [piece];
}

/** Whether a text has as many brackets that open as close: a phrase in brackets is one text. */
function areBracketsClosed(text: string): boolean {
  return text.split('(').length === text.split(')').length;
}

/** The words of a text by the column whose middle is nearest, assuming even widths; null if a column has none. */
function wordsByColumn(piece: Piece, strips: readonly Strip[]): Piece[] | null {
  const perCharacter = (piece.right - piece.left) / Math.max(1, piece.text.length);
  const parts = strips.map((): Piece[] => []);
  for (const { 0: text, index } of piece.text.matchAll(/\S+/gu)) {
    const left = piece.left + index * perCharacter;
    const word = { ...piece, text, left, right: left + text.length * perCharacter };
    const distances = strips.map((strip) => Math.abs(strip.left + strip.right - word.left - word.right));
    parts[distances.indexOf(Math.min(...distances))]?.push(word);
  }
  if (parts.some((words) => words.length === 0)) return null;
  return parts.map((words, at) => ({
    ...itemAt(words, 0),
    text: words.map(({ text }) => text).join(' '),
    left: Math.max(itemAt(words, 0).left, strips[at - 1]?.right ?? Number.NEGATIVE_INFINITY),
    right: Math.min(itemAt(words, -1).right, strips[at + 1]?.left ?? Number.POSITIVE_INFINITY),
  }));
}

function isOnlyIn(piece: Piece, column: number, strips: readonly Strip[]): boolean {
  const touched = headedStrips(strips, piece);
  return touched !== null && touched[0] === column && touched[1] === column;
}

/**
 * The columns of each text of a row: those that it touches, or that a rule below it alone has in common, or in whose
 * middle it is.
 */
function columnsOfRow(row: TextRow, below: readonly TextRow[], table: TableColumns): Columns[] {
  const { strips } = table;
  const own = row.pieces.map((piece) => ruledColumns(piece, row, table) ?? headedStrips(strips, piece));
  const known = own.map((columns, at): Columns => {
    if (columns !== null) return columns;
    const nearest = nearestStrip(itemAt(row.pieces, at), strips);
    return [nearest, nearest];
  });
  return columnsBelow(row.pieces, known, below, strips) ?? known;
}

/**
 * The columns with texts below that are nearest to each text, if these are several and have it in their middle; null if
 * not so for some text, the one of the first column apart.
 */
function columnsBelow(
  pieces: readonly Piece[],
  known: readonly Columns[],
  below: readonly TextRow[],
  strips: readonly Strip[],
): Columns[] | null {
  const under = below.flatMap((row) => row.pieces);
  const heads = pieces.filter((_, at) => itemAt(known, at)[0] > 0);
  const [only] = heads;
  if (only === undefined || (heads.length === 1 && !isOverAll(only, below[0], strips))) return null;
  // Several texts in the last row of the head are the ends of those above them.
  if (heads.length > 1 && under.length === 0) return null;
  const groups = new Map<Piece, number[]>();
  for (let column = 1; column < strips.length; column += 1) {
    if (under.length > 0 && !under.some((piece) => isOnlyIn(piece, column, strips))) continue;
    const { left, right } = itemAt(strips, column);
    const distances = heads.map((head) => Math.abs(head.left + head.right - left - right));
    const nearest = itemAt(heads, distances.indexOf(Math.min(...distances)));
    groups.set(nearest, [...(groups.get(nearest) ?? []), column]);
  }
  const isHeaded = (head: Piece) => {
    const columns = groups.get(head) ?? [];
    if (columns.length < 2 || itemAt(columns, -1) - itemAt(columns, 0) >= columns.length) return false;
    const [left, right] = [itemAt(strips, itemAt(columns, 0)).left, itemAt(strips, itemAt(columns, -1)).right];
    const distance = Math.abs(left + right - head.left - head.right) / 2;
    const share = heads.length === 1 ? CENTRED_SHARE_ALONE : CENTRED_SHARE;
    return distance <= Math.max(CENTRED_POINTS, share * (right - left));
  };
  if (!heads.every(isHeaded)) return null;
  return pieces.map((piece, at) => {
    const columns = groups.get(piece);
    return columns === undefined ? itemAt(known, at) : [itemAt(columns, 0), itemAt(columns, -1)];
  });
}

/** Whether the only text of a row may head all columns: it is over several, or over years. */
function isOverAll(head: Piece, below: TextRow | undefined, strips: readonly Strip[]): boolean {
  const touched = touchedStrips(strips, head);
  if (touched !== null && touched[1] > touched[0]) return true;
  return below !== undefined && below.pieces.length >= strips.length - 1 && below.pieces.every(isYear);
}

/** The columns above a rule that is below one text only. */
function ruledColumns(piece: Piece, { pieces }: TextRow, { strips, across }: TableColumns): Columns | null {
  const height = piece.bottom - piece.top;
  const under = across.find(
    ({ at, from, to }) =>
      at > piece.top + height / 2 &&
      at < piece.bottom + height / 2 &&
      from < piece.left + 1 &&
      to > piece.right - 1 &&
      !isWholeRule({ at, from, to }, strips),
  );
  if (under === undefined) return null;
  const isShared = pieces.some((other) => other !== piece && other.left > under.from && other.right < under.to);
  return isShared ? null : headedStrips(strips, { left: under.from, right: under.to });
}

/** Whether a rule is about as wide as the table, and goes below its labels. */
export function isWholeRule({ from, to }: Rule, strips: readonly Strip[]): boolean {
  const [first, last] = [itemAt(strips, 0), itemAt(strips, -1)];
  const common = Math.min(to, last.right) - Math.max(from, first.left);
  return common >= WHOLE_RULE_SHARE * (last.right - first.left) && from < (first.left + first.right) / 2;
}

/** Columns of which a text covers a part, and that are a part of it: not those over whose sides it only reaches. */
function headedStrips(strips: readonly Strip[], piece: Strip): Columns | null {
  const isHeaded = (strip: Strip) => {
    const common = Math.min(strip.right, piece.right) - Math.max(strip.left, piece.left);
    return common > HEADED_SHARE * Math.min(strip.right - strip.left, piece.right - piece.left);
  };
  const first = strips.findIndex(isHeaded);
  return first < 0 ? touchedStrips(strips, piece) : [first, strips.findLastIndex(isHeaded)];
}

/** Index of the column nearest to a text. */
export function nearestStrip({ left, right }: Strip, strips: readonly Strip[]): number {
  const distances = strips.map((strip) => Math.max(strip.left - right, left - strip.right));
  return distances.indexOf(Math.min(...distances));
}
