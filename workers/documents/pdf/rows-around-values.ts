/**
 * Rows of a bill or an account without rules between them: each is where its values are, and the lines of its texts are
 * around, below or above these.
 */

import { itemAt } from '../../../src-server/platform/item-at.ts';
import type { Box } from './page-content.ts';
import { groupLineRows } from './reading-order.ts';
import { isValueText } from './table-blocks.ts';

/** Bound on the lines of one column. */
const LINES_MAX = 100;

const ROWS_MIN = 2;

/** Share of the rows that must have several values, and of those that must have a text. */
const SEVERAL_VALUES_SHARE = 0.6;

const TEXTS_SHARE = 0.8;

/** Distance of values that are in one row, and of a text from the values of its row, in line heights. */
const SAME_ROW_LINES = 0.5;

const TEXT_REACH_LINES = 0.4;

/** Weight of a row without a text, in line heights: otherwise all lines could be one text in the middle of the rows. */
const EMPTY_ROW_LINES = 0.3;

type Text = Box & { text: string };

/** One row of text of a column. */
interface TextLine<Part extends Text = Text> {
  lines: readonly Part[];
  top: number;
  bottom: number;
  middle: number;
}

/** Where the values of a row are beside its lines. */
type Alignment = (first: TextLine, last: TextLine) => number;

const ALIGNMENTS: readonly Alignment[] = [
  (first) => first.middle,
  (first, last) => (first.top + last.bottom) / 2,
  (_first, last) => last.middle,
];

/**
 * The lines by row and column. Null if the rows do not follow from the values: no column has one in each row, most rows
 * have a single one, or texts are not aligned with them.
 */
export function rowsAroundValues<Part extends Text>(columns: readonly (readonly Part[])[]): Part[][][] | null {
  const texts = columns.map((lines) => groupLineRows(lines).map((row) => toTextLine(row)));
  if (texts.some((column) => column.length > LINES_MAX)) return null;
  const isOfValues = texts.map((column) => column.length >= ROWS_MIN && column.every(isOneValue));
  const values = texts.filter((_, column) => isOfValues[column]);
  const full = values.reduce<readonly TextLine[]>((most, column) => (column.length > most.length ? column : most), []);
  const height = Math.min(...full.map(({ top, bottom }) => bottom - top));
  const rowOf = ({ middle }: TextLine) =>
    full.findIndex((row) => Math.abs(row.middle - middle) < SAME_ROW_LINES * height);
  if (full.length < ROWS_MIN || values.flat().some((line) => rowOf(line) < 0)) return null;
  const several = full.filter(
    (_, at) => values.filter((column) => column.some((line) => rowOf(line) === at)).length > 1,
  );
  if (several.length < SEVERAL_VALUES_SHARE * full.length) return null;
  const others = texts.map((column, at) => (isOfValues[at] ? [] : column));
  const placed = ALIGNMENTS.map((alignment) => placeTexts(others, full, alignment));
  const best = placed.reduce((one, other) => (other.sum < one.sum - height / 10 ? other : one));
  if (best.farthest > TEXT_REACH_LINES * height) return null;
  const rows = full.map((_, row) =>
    texts.map((column, at) =>
      column.flatMap((line, index) =>
        (isOfValues[at] ? rowOf(line) : best.rows[at]?.[index]) === row ? line.lines : [],
      ),
    ),
  );
  const named = rows.filter((row) => row.some((lines, at) => !isOfValues[at] && lines.length > 0));
  return named.length >= TEXTS_SHARE * rows.length ? rows : null;
}

function toTextLine<Part extends Text>(lines: readonly Part[]): TextLine<Part> {
  const top = Math.min(...lines.map((line) => line.top));
  const bottom = Math.max(...lines.map((line) => line.bottom));
  return { lines, top, bottom, middle: (top + bottom) / 2 };
}

function isOneValue({ lines }: TextLine): boolean {
  return lines.length === 1 && isValueText(lines[0]?.text ?? '');
}

interface PlacedTexts {
  /** Row of each line by column. */
  rows: number[][];
  /** Sum of the distances of the texts from the values of their rows and of the weight of empty rows. */
  sum: number;
  /** Largest of these distances. */
  farthest: number;
}

function placeTexts(
  columns: readonly (readonly TextLine[])[],
  values: readonly TextLine[],
  alignment: Alignment,
): PlacedTexts {
  const placed = columns.map((column) => dividedText(column, values, alignment));
  return {
    rows: placed.map(({ rows }) => rows),
    sum: placed.reduce((all, { sum }) => all + sum, 0),
    farthest: Math.max(0, ...placed.flatMap(({ distances }) => distances)),
  };
}

/** The lines of a column in runs, one a row or none: those whose distances from the values of their rows are least. */
function dividedText(
  lines: readonly TextLine[],
  values: readonly TextLine[],
  alignment: Alignment,
): { rows: number[]; distances: number[]; sum: number } {
  const distanceOf = (from: number, to: number, row: number) =>
    Math.abs(alignment(itemAt(lines, from), itemAt(lines, to - 1)) - itemAt(values, row).middle);
  // Least sums of the first lines in the rows so far, and where the last run of each begins.
  const empty = EMPTY_ROW_LINES * Math.min(...values.map(({ top, bottom }) => bottom - top));
  let least = [0, ...lines.map(() => Number.POSITIVE_INFINITY)];
  const begins: number[][] = [];
  for (const row of values.keys()) {
    const starts = least.map((_, to) => to);
    const next = least.map((sum) => sum + empty);
    for (let to = 1; to <= lines.length; to += 1) {
      for (let from = 0; from < to; from += 1) {
        const sum = itemAt(least, from) + distanceOf(from, to, row);
        if (sum >= itemAt(next, to)) continue;
        next[to] = sum;
        starts[to] = from;
      }
    }
    least = next;
    begins.push(starts);
  }
  const rows = lines.map(() => 0);
  const distances: number[] = [];
  let to = lines.length;
  for (let row = values.length - 1; row >= 0; row -= 1) {
    const from = itemAt(itemAt(begins, row), to);
    if (from === to) continue;
    rows.fill(row, from, to);
    distances.push(distanceOf(from, to, row));
    to = from;
  }
  return { rows, distances, sum: itemAt(least, -1) };
}
