/** Tables whose cells a tagged PDF marks. */

import { itemAt } from '../../../src-server/platform/item-at.ts';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import type { CellSpan } from '../blocks.ts';
import type { PageLine, PagePart } from './page-content.ts';
import { joinStrips, type Strip, touchedStrips } from './table-blocks.ts';

type TablePart = Extract<PagePart, { kind: 'table' }>;

/** Tables from the document's tags, keyed by their first line, and the lines outside them. */
export function taggedTables(lines: PageLine[]): { tables: Map<PageLine, TablePart>; rest: PageLine[] } {
  const cells = new Map<number, PageLine[]>();
  for (const line of lines) {
    if (line.tag?.kind !== 'cell') continue;
    const table = cells.get(line.tag.table) ?? [];
    table.push(line);
    cells.set(line.tag.table, table);
  }
  const tables = new Map<PageLine, TablePart>();
  const taken = new Set<PageLine>();
  for (const members of cells.values()) {
    const rows = inColumns(cellsByRow(members));
    const part = tablePart(rows, members);
    const first = members[0];
    // A tagged table with one row or column is layout: its text reads better as text.
    if (first === undefined || part.rows.length < 2 || (part.rows[0]?.length ?? 0) < 2) continue;
    tables.set(first, part);
    for (const line of members) if (line !== first) taken.add(line);
  }
  return { tables, rest: lines.filter((line) => !taken.has(line)) };
}

function tablePart({ rows, spans }: TaggedRows, members: PageLine[]): TablePart {
  const columns = Math.max(0, ...rows.map((row) => row?.length ?? 0));
  return {
    kind: 'table',
    rows: rows.map((row) => Array.from({ length: columns }, (_, column) => (row[column] ?? '').trim())),
    ...omitUndefined({
      hasHead: members[0]?.tag?.kind === 'cell' && members[0].tag.isHead === true ? true : undefined,
      spans: spans.length > 0 ? spans : undefined,
    }),
    left: Math.min(...members.map((line) => line.left)),
    top: Math.min(...members.map((line) => line.top)),
    right: Math.max(...members.map((line) => line.right)),
    bottom: Math.max(...members.map((line) => line.bottom)),
  };
}

// The columns of a tagged table's cells. MuPDF reports the index of a cell in its row but no spans, so the cells after
// a span are counted too low. The rows with all columns show the column positions.

interface TaggedCell {
  /** Index in its row, from 0. */
  ordinal: number;
  left: number;
  right: number;
  text: string;
}

/** Cells by row, from the lines tagged as cells, in file order. */
function cellsByRow(members: readonly PageLine[]): TaggedCell[][] {
  const rows: TaggedCell[][] = [];
  for (const { tag, text, glued, left, right } of members) {
    if (tag?.kind !== 'cell') continue;
    rows[tag.row] ??= [];
    const row = itemAt(rows, tag.row);
    const cell = row.find(({ ordinal }) => ordinal === tag.column);
    if (cell === undefined) {
      row.push({ ordinal: tag.column, left, right, text });
      continue;
    }
    cell.text += glued === true ? text : ` ${text}`;
    cell.left = Math.min(cell.left, left);
    cell.right = Math.max(cell.right, right);
  }
  return rows.filter((row) => row !== undefined);
}

interface TaggedRows {
  rows: string[][];
  spans: CellSpan[];
}

/** The texts of each row by column. */
function inColumns(rows: readonly TaggedCell[][]): TaggedRows {
  const count = Math.max(0, ...rows.flatMap((row) => row.map(({ ordinal }) => ordinal + 1)));
  const placed = placedBetweenEmptyCells(rows, count);
  if (placed !== null) return placed;
  const strips = stripsOf(rows, count);
  const texts = rows.map((row) => {
    const cells = Array.from({ length: count }, () => '');
    const isFull = row.some(({ ordinal }) => ordinal === count - 1);
    let next = 0;
    for (const cell of row) {
      const place =
        isFull || strips === null ? cell.ordinal : nearestStripIndex(cell, strips, Math.max(next, cell.ordinal));
      cells[place] = `${cells[place]} ${cell.text}`.trim();
      next = Math.min(count - 1, place + 1);
    }
    return cells;
  });
  return { rows: texts, spans: [] };
}

/** Rows of a head whose cells may lie over several columns. */
const SPANNING_HEAD_ROWS_MAX = 2;

/**
 * The texts by their places, if there are more columns than any row has cells with text, as in an account with debit or
 * credit; else null. Two columns are told apart by a row with a cell in each.
 */
function placedBetweenEmptyCells(rows: readonly TaggedCell[][], count: number): TaggedRows | null {
  for (let head = 0; head <= SPANNING_HEAD_ROWS_MAX && head < rows.length - 1; head += 1) {
    const strips = joinStrips([], rows.slice(head).flat());
    if (strips.length < count) continue;
    const placed = placeCells(rows, strips);
    if (placed !== null) return placed;
  }
  return null;
}

/** The cells of each row by the strips they touch; null if two share one, or no row has cells in two neighbours. */
function placeCells(rows: readonly TaggedCell[][], strips: readonly Strip[]): TaggedRows | null {
  const spans: CellSpan[] = [];
  const together = new Set<number>();
  const texts: string[][] = [];
  for (const [at, row] of rows.entries()) {
    const cells = strips.map(() => '');
    let next = 0;
    for (const cell of row) {
      const [first, last] = touchedStrips(strips, cell) ?? [-1, -1];
      if (first < next) return null;
      cells[first] = cell.text.trim();
      if (first > 0 && first === next && cells[first - 1] !== '') together.add(first);
      if (last > first) spans.push({ row: at, column: first, rows: 1, columns: last - first + 1 });
      next = last + 1;
    }
    texts.push(cells);
  }
  return together.size === strips.length - 1 ? { rows: texts, spans } : null;
}

/** Column positions from the rows that have a cell in the last column; null if these do not show columns. */
function stripsOf(rows: readonly TaggedCell[][], count: number): Strip[] | null {
  const strips: (Strip | undefined)[] = Array.from({ length: count });
  for (const row of rows) {
    if (!row.some(({ ordinal }) => ordinal === count - 1)) continue;
    for (const { ordinal, left, right } of row) {
      const known = strips[ordinal];
      strips[ordinal] = { left: Math.min(known?.left ?? left, left), right: Math.max(known?.right ?? right, right) };
    }
  }
  const sound = strips.filter((strip) => strip !== undefined);
  const isInOrder = sound.every((strip, index) => strip.left >= (sound[index - 1]?.right ?? Number.NEGATIVE_INFINITY));
  return sound.length === count && isInOrder ? sound : null;
}

/** The first column from `least` on that the cell overlaps, else the nearest. */
function nearestStripIndex({ left, right }: TaggedCell, strips: readonly Strip[], least: number): number {
  const within = strips.findIndex((strip, index) => index >= least && left < strip.right && right > strip.left);
  if (within >= 0) return within;
  const distanceToStrip = (strip: Strip) => Math.max(strip.left - right, left - strip.right);
  let best = Math.min(least, strips.length - 1);
  for (let index = best + 1; index < strips.length; index += 1) {
    if (distanceToStrip(itemAt(strips, index)) < distanceToStrip(itemAt(strips, best))) best = index;
  }
  return best;
}
