/** The columns that the pieces of a table's rows line up in, and a row's text by column. */
import type { PageLine } from './page-content.ts';

const COLUMN_GAP_POINTS = 2;
/** How far, in characters, a gap may be from a column's edge to be taken for the one between two cells. */
const SPLIT_REACH_CHARS = 2;
/** How far the edges of a column's pieces may lie apart for it to be aligned there. */
const EDGE_TOLERANCE_POINTS = 1.5;
/** Where words meet that only their cells set apart: a small letter and a capital, a letter and a digit. */
const SEAM = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu;

/** Spaces that no text has between two words. */
const WIDE_GAP = / {3,}/g;

export interface Column {
  left: number;
  right: number;
  isLeftAligned: boolean;
  isRightAligned: boolean;
}

/** Strips of the page that the pieces of full rows cover. */
export function columnsOf(rows: readonly PageLine[][]): Column[] {
  const strips: PageLine[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const piece of rows.flat().sort((a, b) => a.left - b.left)) {
    if (piece.left <= end + COLUMN_GAP_POINTS) strips.at(-1)?.push(piece);
    else strips.push([piece]);
    end = Math.max(end, piece.right);
  }
  return strips.map((pieces) => {
    const lefts = pieces.map((piece) => piece.left);
    const rights = pieces.map((piece) => piece.right);
    const [left, right] = [Math.min(...lefts), Math.max(...rights)];
    return {
      left,
      right,
      isLeftAligned: Math.max(...lefts) - left <= EDGE_TOLERANCE_POINTS,
      isRightAligned: right - Math.min(...rights) <= EDGE_TOLERANCE_POINTS,
    };
  });
}

/** A row's text by column; null where a piece lies across columns and has no gap where they part. */
export function cellsOf(row: readonly PageLine[], columns: readonly Column[]): string[] | null {
  const cells = columns.map(() => '');
  for (const line of row) {
    const touched = columns.filter((column) => line.left < column.right && line.right > column.left);
    if (touched.length === 0) return null;
    const perPoint = line.text.length / Math.max(1, line.right - line.left);
    const wide = [...line.text.matchAll(WIDE_GAP)].map(({ index }) => index);
    const isParted = wide.length === touched.length - 1;
    let from = 0;
    for (const [index, column] of touched.entries()) {
      const next = touched[index + 1];
      let to: number | null = line.text.length;
      if (next !== undefined && isParted) to = wide[index] ?? null;
      else if (next !== undefined) to = gapNear(line.text, (edge(column, next) - line.left) * perPoint);
      if (to === null || to < from) return null;
      const position = columns.indexOf(column);
      cells[position] = `${cells[position]} ${line.text.slice(from, to).trim()}`.trim();
      from = to;
    }
  }
  return cells;
}

/** Where two columns part: at the edge that one of them is aligned at. */
function edge(column: Column, next: Column): number {
  if (next.isLeftAligned !== column.isRightAligned) return next.isLeftAligned ? next.left : column.right;
  return next.isLeftAligned || next.left < column.right ? next.left : (column.right + next.left) / 2;
}

/** The gap nearest to a place in the text, characters taken as evenly wide; null where none is near. */
function gapNear(text: string, place: number): number | null {
  const spaces = [...text.matchAll(/\s+/g)].map(({ index }) => index + 1);
  return (
    nearest(spaces, place) ??
    nearest(
      [...text.matchAll(SEAM)].map(({ index }) => index),
      place,
    )
  );
}

function nearest(gaps: readonly number[], place: number): number | null {
  let best: number | null = null;
  for (const gap of gaps) if (best === null || Math.abs(gap - place) < Math.abs(best - place)) best = gap;
  return best !== null && Math.abs(best - place) <= SPLIT_REACH_CHARS ? best : null;
}
