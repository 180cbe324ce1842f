/** Parts rows of a table whose close cells a PDF has as one text. */

import { isValueText, type Piece, type Strip, type TextRow, touchedStrips } from './table-blocks.ts';

/** Largest distance of a gap from a column edge, in characters, to count as the gap between two cells. */
const SPLIT_REACH_CHARS = 2;

/** Tolerance of an aligned column edge. */
const EDGE_TOLERANCE_POINTS = 1.5;

/** Joints of words without a space: small letter and capital, letter and digit. */
const SEAM = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu;

/** More spaces than occur between words. */
const WIDE_GAP = / {3,}/gu;

interface Column extends Strip {
  isLeftAligned: boolean;
  isRightAligned: boolean;
}

/** The row with each text in one column; null if a text has no gap where a column ends. */
export function splitAtColumns(row: TextRow, rows: readonly TextRow[], strips: readonly Strip[]): TextRow | null {
  const columns = strips.map((strip, index) => columnOf(strip, index, rows, strips));
  const pieces: Piece[] = [];
  for (const piece of row.pieces) {
    const parts = splitPiece(piece, columns);
    if (parts === null) return null;
    pieces.push(...parts);
  }
  return { ...row, pieces };
}

function columnOf(strip: Strip, index: number, rows: readonly TextRow[], strips: readonly Strip[]): Column {
  const own = rows.flatMap(({ pieces }) =>
    pieces.filter((piece) => {
      const touched = touchedStrips(strips, piece);
      return touched !== null && touched[0] === index && touched[1] === index;
    }),
  );
  const lefts = own.map(({ left }) => left);
  const rights = own.map(({ right }) => right);
  return {
    ...strip,
    isLeftAligned: Math.max(...lefts) - Math.min(...lefts) <= EDGE_TOLERANCE_POINTS,
    isRightAligned: Math.max(...rights) - Math.min(...rights) <= EDGE_TOLERANCE_POINTS,
  };
}

function splitPiece(piece: Piece, columns: readonly Column[]): Piece[] | null {
  const touched = columns.filter(({ left, right }) => piece.left < right && piece.right > left);
  if (touched.length === 0) return null;
  const { text } = piece;
  const perPoint = text.length / Math.max(1, piece.right - piece.left);
  const wide = [...text.matchAll(WIDE_GAP)].map(({ index }) => index);
  const isParted = wide.length === touched.length - 1;
  const parts: Piece[] = [];
  let from = 0;
  for (const [index, column] of touched.entries()) {
    const next = touched[index + 1];
    let to: number | null = text.length;
    if (next !== undefined && isParted) to = wide[index] ?? null;
    else if (next !== undefined) to = gapNear(text, (columnBoundary(column, next) - piece.left) * perPoint);
    if (to === null || to < from) return null;
    const part = text.slice(from, to).trim();
    if (part === '') return null;
    const [left, right] = [Math.max(piece.left, column.left), Math.min(piece.right, column.right)];
    parts.push({ ...piece, left, right, text: part });
    from = to;
  }
  return parts;
}

/** The boundary of two columns: the edge at which one of them is aligned. */
function columnBoundary(column: Column, next: Column): number {
  if (next.isLeftAligned !== column.isRightAligned) return next.isLeftAligned ? next.left : column.right;
  return next.isLeftAligned || next.left < column.right ? next.left : (column.right + next.left) / 2;
}

/** The gap nearest to a position in the text, assuming even character widths; null if none is near. */
function gapNear(text: string, place: number): number | null {
  const spaces = [...text.matchAll(/\s+/gu)].map(({ index }) => index + 1);
  return (
    nearestGap(spaces, place) ??
    nearestGap(
      [...text.matchAll(SEAM)].map(({ index }) => index),
      place,
    )
  );
}

function nearestGap(gaps: readonly number[], place: number): number | null {
  let best: number | null = null;
  for (const gap of gaps) if (best === null || Math.abs(gap - place) < Math.abs(best - place)) best = gap;
  return best !== null && Math.abs(best - place) <= SPLIT_REACH_CHARS ? best : null;
}

/** Whether the parts of a row are cells: they are values where the other rows have them, or no word is between them. */
export function areCellsOfRow(
  split: TextRow,
  row: TextRow,
  rows: readonly TextRow[],
  strips: readonly Strip[],
): boolean {
  if (split.pieces.length <= Math.max(1, row.pieces.length)) return false;
  const joined = row.pieces.map(({ text }) => text).join('\n');
  const isApart = split.pieces.every(
    ({ text }, at) =>
      at === 0 || joined.includes(`\n${text}`) || joined.includes(`   ${text}`) || !joined.includes(` ${text}`),
  );
  const values = split.pieces.filter(({ text }, at) => at > 0 && isValueText(text)).length;
  const owed = split.pieces.filter((piece, at) => at > 0 && isColumnOfValues(piece, rows, strips)).length;
  return isApart || (owed > 0 && values === owed);
}

function isColumnOfValues(piece: Piece, rows: readonly TextRow[], strips: readonly Strip[]): boolean {
  const strip = strips[touchedStrips(strips, piece)?.[0] ?? -1];
  if (strip === undefined) return false;
  const own = rows.flatMap(({ pieces }) =>
    pieces.filter(({ left, right }) => left < strip.right && right > strip.left),
  );
  return own.filter(({ text }) => isValueText(text)).length > own.length / 2;
}
