/**
 * Tables. A tagged PDF says which lines are cells; elsewhere rows whose pieces line up in columns are taken for one,
 * conservatively: two columns of running text, a list with its markers and a table of contents are none.
 */
import type { PageLine, PagePart } from './page-content.ts';
import { rowsOf } from './reading-order.ts';

type TablePart = Extract<PagePart, { kind: 'table' }>;

const ROWS_MIN = 3;
/** Share of a table's rows that must show as many pieces as there are columns. */
const FULL_ROWS_SHARE = 0.4;
/** Mean characters of a cell beyond which columns are running text: for two columns, for more. */
const PAIR_CELL_CHARS_MAX = 28;
const CELL_CHARS_MAX = 60;
/** Vertical gap, in heights of a line, that ends a table. */
const ROW_GAP_LINES = 3;
/** A row that begins this close below and leaves the first column empty goes on in the cells above. */
const WRAPPED_GAP_LINES = 0.45;
const COLUMN_GAP_POINTS = 2;
/** How far, in characters, a space may be from a column's edge to be taken for the gap between two cells. */
const SPLIT_REACH_CHARS = 2;
const LEADER = /(\.\s?){4,}/;
const LIST_MARKER = /^([•◦▪‣●○■□–—*-]|\(?\w{1,3}[.)])$/;

/** Tables that the tags of the document name, keyed by their first line, and the lines that are in none. */
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
    const rows: string[][] = [];
    for (const { tag, text } of members) {
      if (tag?.kind !== 'cell') continue;
      rows[tag.row] ??= [];
      const row = rows[tag.row] as string[];
      row[tag.column] = row[tag.column] === undefined ? text : `${row[tag.column]} ${text}`;
    }
    const part = tablePart(rows, members);
    const first = members[0];
    // One row or one column is layout that a program tagged as a table: its text reads better as text.
    if (first === undefined || part.rows.length < 2 || (part.rows[0]?.length ?? 0) < 2) continue;
    tables.set(first, part);
    for (const line of members) if (line !== first) taken.add(line);
  }
  return { tables, rest: lines.filter((line) => !taken.has(line)) };
}

/** Tables that only the alignment shows, keyed by their first line, and the lines that are in none. */
export function alignedTables(lines: PageLine[]): { tables: Map<PageLine, TablePart>; rest: PageLine[] } {
  const tables = new Map<PageLine, TablePart>();
  const taken = new Set<PageLine>();
  for (const run of runsOfRows(lines)) {
    const found = tableIn(run);
    if (found === null) continue;
    const { part } = found;
    const members = new Set(found.rows.flat());
    const first = lines.find((line) => members.has(line));
    if (first === undefined) continue;
    tables.set(first, part);
    for (const line of members) if (line !== first) taken.add(line);
  }
  return { tables, rest: lines.filter((line) => !taken.has(line)) };
}

/** Stretches of rows that follow each other closely and begin and end with a row of several pieces. */
function runsOfRows(lines: PageLine[]): PageLine[][][] {
  const runs: PageLine[][][] = [];
  let run: PageLine[][] = [];
  const close = () => {
    while (run.length > 0 && (run.at(-1)?.length ?? 0) < 2) run.pop();
    if (run.length >= ROWS_MIN) runs.push(run);
    run = [];
  };
  let singles = 0;
  for (const row of rowsOf(lines)) {
    const above = run.at(-1)?.[0];
    const head = row[0] as PageLine;
    const height = head.bottom - head.top;
    if (above !== undefined && head.top - above.bottom > ROW_GAP_LINES * height) close();
    singles = row.length > 1 ? 0 : singles + 1;
    if (singles > 2) close();
    if (row.length > 1 || run.length > 0) run.push(row);
  }
  close();
  return runs;
}

/** A run may begin or end with rows that are none of the table's, such as a page's header right above it. */
function tableIn(run: PageLine[][]): { part: TablePart; rows: PageLine[][] } | null {
  const most = Math.max(...run.map((row) => row.length));
  const isFull = (row: PageLine[]) => row.length === most;
  const inner = run.slice(run.findIndex(isFull), run.findLastIndex(isFull) + 1);
  for (const rows of inner.length < run.length ? [run, inner] : [run]) {
    const part = asTable(rows);
    if (part !== null) return { part, rows };
  }
  return null;
}

function asTable(run: PageLine[][]): TablePart | null {
  const most = Math.max(...run.map((row) => row.length));
  const full = run.filter((row) => row.length === most);
  if (full.length < 2 || full.length < run.length * FULL_ROWS_SHARE) return null;
  const columns = columnsOf(full);
  if (columns.length !== most) return null;
  const rows: string[][] = [];
  let above: PageLine | null = null;
  for (const row of run) {
    const cells = cellsOf(row, columns);
    if (cells === null) return null;
    const head = row[0] as PageLine;
    const wraps = above !== null && head.top - above.bottom < WRAPPED_GAP_LINES * (head.bottom - head.top);
    const last = rows.at(-1);
    if (wraps && last !== undefined && cells[0] === '') {
      for (const [index, cell] of cells.entries()) if (cell !== '') last[index] = `${last[index]} ${cell}`.trim();
    } else rows.push(cells);
    above = head;
  }
  return rows.length >= ROWS_MIN && looksTabular(rows) ? tablePart(rows, run.flat()) : null;
}

interface Column {
  left: number;
  right: number;
}

/** Strips of the page that the pieces of full rows cover. */
function columnsOf(rows: PageLine[][]): Column[] {
  const columns: Column[] = [];
  for (const { left, right } of rows.flat().sort((a, b) => a.left - b.left)) {
    const last = columns.at(-1);
    if (last !== undefined && left <= last.right + COLUMN_GAP_POINTS) last.right = Math.max(last.right, right);
    else columns.push({ left, right });
  }
  return columns;
}

/** A row's text by column; null where a piece lies across columns and has no gap where they part. */
function cellsOf(row: PageLine[], columns: Column[]): string[] | null {
  const cells = columns.map(() => '');
  for (const line of row) {
    const touched = columns.filter((column) => line.left < column.right && line.right > column.left);
    if (touched.length === 0) return null;
    let text = line.text;
    let { left } = line;
    for (const [index, column] of touched.entries()) {
      const next = touched[index + 1];
      const at = next === undefined ? text.length : splitAt(text, left, line.right, next.left);
      if (at === null) return null;
      const position = columns.indexOf(column);
      cells[position] = `${cells[position]} ${text.slice(0, at).trim()}`.trim();
      text = text.slice(at);
      left = next?.left ?? left;
    }
  }
  return cells;
}

/** The space nearest to where `boundary` falls in the text, characters taken as evenly wide; null if none is near. */
function splitAt(text: string, left: number, right: number, boundary: number): number | null {
  const expected = (text.length * (boundary - left)) / Math.max(1, right - left);
  let best: number | null = null;
  for (const { index } of text.matchAll(/\s+/g)) {
    if (best === null || Math.abs(index + 1 - expected) < Math.abs(best + 1 - expected)) best = index;
  }
  return best !== null && Math.abs(best + 1 - expected) <= SPLIT_REACH_CHARS ? best : null;
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
    rows: rows
      .filter((row) => row !== undefined)
      .map((row) => Array.from({ length: columns }, (_, column) => (row[column] ?? '').trim())),
    top: Math.min(...members.map((line) => line.top)),
    bottom: Math.max(...members.map((line) => line.bottom)),
  };
}
