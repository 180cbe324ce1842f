/**
 * Tables. A tagged PDF marks its cells; elsewhere, rows whose pieces align in columns form a table. The detection is
 * conservative: two columns of running text, a list with markers and a table of contents are no tables.
 */

import { itemAt } from '../../../src-server/platform/item-at.ts';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { isCode, pageHasCode } from './code.ts';
import type { PageLine, PagePart } from './page-content.ts';
import { CAPTION, ENDS_SENTENCE } from './paragraphs.ts';
import { groupLineRows } from './reading-order.ts';

type TablePart = Extract<PagePart, { kind: 'table' }>;

const ROWS_MIN = 3;

/** Share of a table's rows that must have as many pieces as there are columns. */
const FULL_ROWS_SHARE = 0.4;

/** Mean cell length above which columns are running text: for two columns, and for more. */
const PAIR_CELL_CHARS_MAX = 28;

const CELL_CHARS_MAX = 60;

/** Vertical gap that ends a table, in line heights. */
const ROW_GAP_LINES = 3;

/** A row this close below the last one, with an empty first column, continues the cells above. */
const WRAPPED_GAP_LINES = 0.45;

/** Lines below a table that are searched for wrapped cells. */
const WRAPPED_LINES_MAX = 20;

/** Relative tolerance for the distance to an edge row, and for the length of its text. */
const PITCH_TOLERANCE = 0.15;

const LONGER_ROW = 2;

const LEADER = /(\.\s?){4,}/;

const LIST_MARKER = /^([•◦▪‣●○■□–—*-]|\(?\w{1,3}[.)])$/;

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

/** Tables detected by alignment, keyed by their first line, and the lines outside them. */
export function alignedTables(lines: PageLine[]): { tables: Map<PageLine, TablePart>; rest: PageLine[] } {
  const tables = new Map<PageLine, TablePart>();
  const taken = new Set<PageLine>();
  const order = new Map(lines.map((line, index) => [line, index]));
  const mayBeCode = pageHasCode(lines);
  const searchTables = (pool: readonly PageLine[]) => {
    const pageRows = groupLineRows(pool);
    for (const run of runsOfRows(pageRows)) {
      const inner = tableIn(run);
      if (inner === null) continue;
      const { part, rows } = withEdgeRows(inner, pageRows);
      const members = rows.flat().sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
      const [first] = members;
      if (first === undefined || liesAcrossColumns(members, order) || (mayBeCode && isCode(members))) continue;
      tables.set(first, part);
      for (const line of members) taken.add(line);
    }
  };
  searchTables(lines);
  const columns = columnsOfPage(lines);
  if (columns.length > 1) for (const column of columns) searchTables(column.filter((line) => !taken.has(line)));
  return { tables, rest: lines.filter((line) => !taken.has(line) || tables.has(line)) };
}

/** Whether text read between two side-by-side parts is outside the table, which means two columns of a page. */
function liesAcrossColumns(members: readonly PageLine[], order: ReadonlyMap<PageLine, number>): boolean {
  const indexOf = (line: PageLine | undefined) => (line === undefined ? 0 : (order.get(line) ?? 0));
  const leftOf: number[] = [];
  let left = Number.POSITIVE_INFINITY;
  for (let at = members.length - 1; at >= 0; at -= 1) {
    left = Math.min(left, itemAt(members, at).left);
    leftOf[at] = left;
  }
  let right = Number.NEGATIVE_INFINITY;
  return members.some((line, at) => {
    const between = indexOf(line) - indexOf(members[at - 1]) - 1;
    const isBeside = at > 0 && between >= ROWS_MIN && right <= (leftOf[at] ?? 0);
    right = Math.max(right, line.right);
    return isBeside;
  });
}

/** Lines in reading order, split where they continue at the top of a column further right. */
function columnsOfPage(lines: readonly PageLine[]): PageLine[][] {
  const columns: PageLine[][] = [];
  let before: PageLine | null = null;
  for (const line of lines) {
    if (before === null || (line.bottom <= before.top && line.left >= before.right - before.size)) columns.push([]);
    columns.at(-1)?.push(line);
    before = line;
  }
  return columns;
}

/** Closely spaced rows that start and end with a row of several pieces. */
function runsOfRows(rows: PageLine[][]): PageLine[][][] {
  const runs: PageLine[][][] = [];
  let run: PageLine[][] = [];
  const closeRowRun = () => {
    while (run.length > 0 && (run.at(-1)?.length ?? 0) < 2) run.pop();
    if (run.length >= ROWS_MIN) runs.push(run);
    run = [];
  };
  let singles = 0;
  for (const row of rows) {
    const above = run.at(-1)?.[0];
    const head = itemAt(row, 0);
    const height = head.bottom - head.top;
    if (above !== undefined && head.top - above.bottom > ROW_GAP_LINES * height) closeRowRun();
    singles = row.length > 1 ? 0 : singles + 1;
    if (singles > 2) closeRowRun();
    if (row.length > 1 || run.length > 0) run.push(row);
  }
  closeRowRun();
  return runs;
}

interface FoundTable {
  part: TablePart;
  rows: PageLine[][];
}

/** A run may start or end with rows outside the table, such as a page header directly above. */
function tableIn(run: PageLine[][]): FoundTable | null {
  const most = Math.max(...run.map((row) => row.length));
  const isFullRow = (row: PageLine[]) => row.length === most;
  const inner = run.slice(run.findIndex(isFullRow), run.findLastIndex(isFullRow) + 1);
  for (const rows of inner.length < run.length ? [run, inner] : [run]) {
    const part = asTable(rows);
    if (part !== null) return { part, rows };
  }
  return null;
}

/**
 * The first or last row may be a single piece if its close cells were merged. It belongs to the table if it keeps the
 * row distance, splits at the columns, and is no running text.
 */
function withEdgeRows(found: FoundTable, pageRows: PageLine[][]): FoundTable {
  const { rows } = found;
  const first = pageRows.indexOf(itemAt(rows, 0));
  const above = pageRows[first - 1];
  const below = pageRows[first + rows.length];
  let best = found;
  for (const [row, place] of [
    [above, 'above'],
    [below, 'below'],
  ] as const) {
    if (row === undefined || !isInStep(row, place, rows) || !couldBeRow(row, rows)) continue;
    const more = place === 'above' ? [row, ...best.rows] : [...best.rows, row];
    const part = asTable(more);
    const cells = part?.rows.at(place === 'above' ? 0 : -1) ?? [];
    if (part !== null && cells.filter((cell) => cell !== '').length >= 2) best = { part, rows: more };
  }
  return withWrappedLines(best, pageRows);
}

/** Wrapped lines of the last row: right of the first column, with the line distance of a cell. */
function withWrappedLines(found: FoundTable, pageRows: PageLine[][]): FoundTable {
  let whole = found;
  const next = pageRows.indexOf(itemAt(found.rows, -1)) + 1;
  for (const row of pageRows.slice(next, next + WRAPPED_LINES_MAX)) {
    const rows = [...whole.rows, row];
    const part = CAPTION.test(pageRowText(row)) ? null : asTable(rows);
    if (part?.rows.length !== whole.part.rows.length) break;
    whole = { part, rows };
  }
  return whole;
}

/** Whether the distance of a row equals that between the table's rows. */
function isInStep(row: PageLine[], place: 'above' | 'below', rows: PageLine[][]): boolean {
  const middles = rows.map(rowMiddle);
  const [first = 0, last = 0] = [middles[0], middles.at(-1)];
  const pitch = (last - first) / (middles.length - 1);
  const distance = place === 'above' ? first - rowMiddle(row) : rowMiddle(row) - last;
  return Math.abs(distance - pitch) <= PITCH_TOLERANCE * pitch;
}

function rowMiddle(row: PageLine[]): number {
  const head = itemAt(row, 0);
  return (head.top + head.bottom) / 2;
}

/** False for running text and for the title of the table. */
function couldBeRow(row: PageLine[], rows: PageLine[][]): boolean {
  const text = pageRowText(row);
  if (ENDS_SENTENCE.test(text) || CAPTION.test(text)) return false;
  return text.length <= LONGER_ROW * Math.max(...rows.map((own) => pageRowText(own).length));
}

function pageRowText(row: PageLine[]): string {
  return row.map(({ text }) => text).join(' ');
}

function asTable(run: PageLine[][]): TablePart | null {
  const most = Math.max(...run.map((row) => row.length));
  const full = run.filter((row) => row.length === most);
  if (full.length < 2 || full.length < run.length * FULL_ROWS_SHARE) return null;
  const columns = rowColumns(full);
  if (columns.length !== most) return null;
  const rows: string[][] = [];
  let filled = 0;
  let above: PageLine | null = null;
  for (const row of run) {
    const cells = splitRowCells(row, columns);
    if (cells === null) return null;
    if (cells.every((cell) => cell !== '')) filled += 1;
    const head = itemAt(row, 0);
    const wraps = above !== null && head.top - above.bottom < WRAPPED_GAP_LINES * (head.bottom - head.top);
    const last = rows.at(-1);
    if (wraps && last !== undefined && cells[0] === '') {
      for (const [index, cell] of cells.entries()) if (cell !== '') last[index] = `${last[index]} ${cell}`.trim();
    } else rows.push(cells);
    above = head;
  }
  if (filled < 2 || filled < run.length * FULL_ROWS_SHARE) return null;
  return rows.length >= ROWS_MIN && looksTabular(rows) ? tablePart(rows, run.flat()) : null;
}

function looksTabular(rows: string[][]): boolean {
  const cells = rows.flat().filter((cell) => cell !== '');
  const columns = rows[0]?.length ?? 0;
  if (columns < 2 || cells.length === 0) return false;
  const mean = cells.reduce((sum, cell) => sum + cell.length, 0) / cells.length;
  if (mean > (columns === 2 ? PAIR_CELL_CHARS_MAX : CELL_CHARS_MAX)) return false;
  if (cells.filter((cell) => LEADER.test(cell)).length > rows.length / 3) return false;
  const first = rows.map((row) => row[0] ?? '').filter((cell) => cell !== '');
  return first.filter((cell) => LIST_MARKER.test(cell)).length <= first.length / 2;
}

function tablePart(rows: string[][], members: PageLine[]): TablePart {
  const columns = Math.max(0, ...rows.map((row) => row?.length ?? 0));
  return {
    kind: 'table',
    rows: rows.map((row) => Array.from({ length: columns }, (_, column) => (row[column] ?? '').trim())),
    ...omitUndefined({
      hasHead: members[0]?.tag?.kind === 'cell' && members[0].tag.isHead === true ? true : undefined,
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

interface Strip {
  left: number;
  right: number;
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

/** The texts of each row by column. */
function inColumns(rows: readonly TaggedCell[][]): string[][] {
  const count = Math.max(0, ...rows.flatMap((row) => row.map(({ ordinal }) => ordinal + 1)));
  const strips = stripsOf(rows, count);
  return rows.map((row) => {
    const texts = Array.from({ length: count }, () => '');
    const isFull = row.some(({ ordinal }) => ordinal === count - 1);
    let next = 0;
    for (const cell of row) {
      const place =
        isFull || strips === null ? cell.ordinal : nearestStripIndex(cell, strips, Math.max(next, cell.ordinal));
      texts[place] = `${texts[place]} ${cell.text}`.trim();
      next = Math.min(count - 1, place + 1);
    }
    return texts;
  });
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

// Finds the columns in which the pieces of a table's rows align, and a row's text by column.

const COLUMN_GAP_POINTS = 2;

/** Largest distance of a gap from a column edge, in characters, to count as the gap between two cells. */
const SPLIT_REACH_CHARS = 2;

/** Tolerance of an aligned column edge. */
const EDGE_TOLERANCE_POINTS = 1.5;

/** Joints of words without a space: small letter and capital, letter and digit. */
const SEAM = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu;

/** More spaces than occur between words. */
const WIDE_GAP = / {3,}/g;

interface Column {
  left: number;
  right: number;
  isLeftAligned: boolean;
  isRightAligned: boolean;
}

/** Strips of the page covered by the pieces of full rows. */
function rowColumns(rows: readonly PageLine[][]): Column[] {
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

/** A row's text by column; null if a piece crosses columns without a gap between them. */
function splitRowCells(row: readonly PageLine[], columns: readonly Column[]): string[] | null {
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
      else if (next !== undefined) to = gapNear(line.text, (columnBoundary(column, next) - line.left) * perPoint);
      if (to === null || to < from) return null;
      const position = columns.indexOf(column);
      cells[position] = `${cells[position]} ${line.text.slice(from, to).trim()}`.trim();
      from = to;
    }
  }
  return cells;
}

/** The boundary of two columns: the edge at which one of them is aligned. */
function columnBoundary(column: Column, next: Column): number {
  if (next.isLeftAligned !== column.isRightAligned) return next.isLeftAligned ? next.left : column.right;
  return next.isLeftAligned || next.left < column.right ? next.left : (column.right + next.left) / 2;
}

/** The gap nearest to a position in the text, assuming even character widths; null if none is near. */
function gapNear(text: string, place: number): number | null {
  const spaces = [...text.matchAll(/\s+/g)].map(({ index }) => index + 1);
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
