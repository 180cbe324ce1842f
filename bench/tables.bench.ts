/**
 * `npm run bench -- tables <folder>…`: tables of PDFs against their truth. Below the folders: ICDAR's competition set
 * (`name-str.xml` beside `name.pdf`), camelot's tests (`data.py`), MarkItDown's (`expected_outputs`) and docling's
 * (`groundtruth`). Precision, recall and F1 are of adjacency relations, as in Göbel et al., "A methodology for
 * evaluating algorithms for table understanding in PDF documents" (2012): a relation is two neighbouring cells with
 * text, across or down; a document's tables are found and read in one step. Beside it, the tables in LiteParse's
 * Markdown, if that package is installed. Cases at even places of their set by name are for tuning, the others judge;
 * of ICDAR, `eu` is for tuning and `us` judges. QUARRY_BENCH_EACH=1 lists the cases for tuning.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Block, NormalizedDocument } from '../workers/documents/blocks.ts';
import { expectTarget, printTable } from './figures.ts';
import { openPdfSubject } from './pdf-subject.ts';
import { findTableCases, markdownTables, type PageTable, type TableCase, type TruthCell } from './table-truth.ts';

const F1_MIN = 0.92;

/** Reads the tables of a PDF by page. */
type Reader = (path: string) => Promise<PageTable[]>;

interface Score {
  found: number;
  /** Relations (or rows) that the truth has, and that were read. */
  owed: number;
  read: number;
}

/** Relations of neighbouring cells on a page, counted. */
function relationsOf(tables: readonly PageTable[]): Map<string, number> {
  const relations = new Map<string, number>();
  for (const { page, cells } of tables) {
    const filled = cells.filter(({ text }) => normalized(text) !== '');
    for (const [one, other, direction] of neighbours(filled)) {
      const key = `${page} ${direction} ${normalized(one.text)} ${normalized(other.text)}`;
      relations.set(key, (relations.get(key) ?? 0) + 1);
    }
  }
  return relations;
}

function* neighbours(cells: readonly TruthCell[]): Generator<[TruthCell, TruthCell, 'across' | 'down']> {
  const places = new Map<string, TruthCell>();
  let [rows, columns] = [0, 0];
  for (const cell of cells) {
    rows = Math.max(rows, cell.endRow + 1);
    columns = Math.max(columns, cell.endColumn + 1);
    for (let row = cell.row; row <= cell.endRow; row += 1) {
      for (let column = cell.column; column <= cell.endColumn; column += 1) places.set(`${row} ${column}`, cell);
    }
  }
  const cellFrom = (row: number, column: number, down: number, right: number): TruthCell | undefined => {
    for (let [y, x] = [row, column]; y < rows && x < columns; y += down, x += right) {
      const cell = places.get(`${y} ${x}`);
      if (cell !== undefined) return cell;
    }
    return undefined;
  };
  for (const cell of cells) {
    const right = new Set<TruthCell>();
    for (let row = cell.row; row <= cell.endRow; row += 1) {
      const next = cellFrom(row, cell.endColumn + 1, 0, 1);
      if (next !== undefined) right.add(next);
    }
    for (const next of right) yield [cell, next, 'across'];
    const below = new Set<TruthCell>();
    for (let column = cell.column; column <= cell.endColumn; column += 1) {
      const next = cellFrom(cell.endRow + 1, column, 1, 0);
      if (next !== undefined) below.add(next);
    }
    for (const next of below) yield [cell, next, 'down'];
  }
}

/** As the competition's program compares texts: without spaces and case, other signs as one. Leaders are no text. */
function normalized(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, '')
    .replace(/[^\p{L}\p{N}]/gu, '_')
    .replace(/_{4,}/gu, '');
}

function countIn(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function compareCounts(truth: ReadonlyMap<string, number>, read: ReadonlyMap<string, number>): Score {
  let found = 0;
  for (const [key, count] of truth) found += Math.min(count, read.get(key) ?? 0);
  return { found, owed: countIn(truth), read: countIn(read) };
}

/** Rows by the texts of their cells, empty ones left out. */
function rowsOf(rows: readonly (readonly string[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const key = [...row].map((text) => normalized(text ?? '')).filter((cell) => cell !== '');
    if (key.length > 0) counts.set(key.join('|'), (counts.get(key.join('|')) ?? 0) + 1);
  }
  return counts;
}

function scoreCase(one: TableCase, read: readonly PageTable[]): Score {
  if ('tables' in one) return compareCounts(relationsOf(one.tables), relationsOf(read));
  const { pages } = one;
  const own = read.filter(({ page }) => pages?.includes(page) ?? true);
  return compareCounts(rowsOf(one.rows), rowsOf(own.flatMap(({ cells }) => rowsOfCells(cells, one.isSpanRepeated))));
}

function rowsOfCells(cells: readonly TruthCell[], isSpanRepeated: boolean): string[][] {
  const rows: string[][] = [];
  for (const { row, endRow, column, text } of cells) {
    for (let at = row; at <= (isSpanRepeated ? endRow : row); at += 1) {
      rows[at] ??= [];
      const own = rows[at] ?? [];
      own[column] ||= text;
    }
  }
  return rows.filter((row) => row !== undefined);
}

/** The text without the brackets around its marks of notes, which the page does not print. */
function asPrinted(text: string, notes: readonly { start: number; end: number }[]): string {
  const brackets = new Set(notes.flatMap(({ start, end }) => [start, end - 1]));
  return [...text].length === text.length ? [...text].filter((_, at) => !brackets.has(at)).join('') : text;
}

/** The parts of a table by page. */
function tablesOfBlock(block: Block): PageTable[] {
  if (block.kind !== 'table') return [];
  const { rows, rowPages, spans = [], marks = [], page: first } = block;
  const tables = new Map<number, PageTable>();
  for (const [row, texts] of rows.entries()) {
    const page = rowPages?.[row] ?? first;
    const table = tables.get(page) ?? { page, cells: [] };
    tables.set(page, table);
    for (const [column, text] of texts.entries()) {
      const span = spans.find((one) => one.row === row && one.column === column);
      const [endRow, endColumn] = [row + (span?.rows ?? 1) - 1, column + (span?.columns ?? 1) - 1];
      const notes = marks.filter((mark) => mark.kind === 'footnote' && mark.row === row && mark.column === column);
      table.cells.push({ row, endRow, column, endColumn, text: asPrinted(text, notes) });
    }
  }
  return [...tables.values()];
}

function cellsOfRows(rows: readonly (readonly string[])[]): TruthCell[] {
  return rows.flatMap((texts, row) =>
    texts.map((text, column) => ({ row, endRow: row, column, endColumn: column, text })),
  );
}

/** LiteParse, which is no dependency; null if it is not installed. */
async function openLiteParse(): Promise<Reader | null> {
  const name = process.env.QUARRY_BENCH_LITEPARSE ?? '@llamaindex/liteparse';
  const module = (await import(name).catch(() => null)) as {
    LiteParse: new (
      options: object,
    ) => { parse(path: string): Promise<{ pages: { pageNum: number; markdown: string }[] }> };
  } | null;
  if (module === null) return null;
  const parser = new module.LiteParse({ ocrEnabled: false, outputFormat: 'markdown', quiet: true });
  return async (path) => {
    const { pages } = await parser.parse(path);
    return pages.flatMap(({ pageNum, markdown }) =>
      markdownTables(markdown).map((rows) => ({ page: pageNum, cells: cellsOfRows(rows) })),
    );
  };
}

interface Measured {
  one: TableCase;
  own: Score;
  peer: Score | null;
  isForTuning: boolean;
}

/** Means over documents of recall and precision, and their F1; or found rows. */
function summaryOf(scores: readonly Score[], isRows: boolean): Record<string, string> {
  const sum = (of: (score: Score) => number) => scores.reduce((all, score) => all + of(score), 0);
  if (isRows) return { found: `${sum(({ found }) => found)} of ${sum(({ owed }) => owed)}` };
  const mean = (of: (score: Score) => number) => sum(of) / Math.max(1, scores.length);
  const recall = mean(({ found, owed }) => (owed === 0 ? 1 : found / owed));
  const precision = mean(({ found, read }) => (read === 0 ? 0 : found / read));
  return { recall: recall.toFixed(3), precision: precision.toFixed(3), F1: f1Of(recall, precision).toFixed(3) };
}

function f1Of(recall: number, precision: number): number {
  return recall + precision === 0 ? 0 : (2 * recall * precision) / (recall + precision);
}

function report(all: readonly Measured[]): void {
  const rows: Record<string, string>[] = [];
  const add = (name: string, members: readonly Measured[]) => {
    const isRows = members.some(({ one }) => !('tables' in one));
    for (const [who, side] of [
      ['Quarry', 'own'],
      ['LiteParse', 'peer'],
    ] as const) {
      const scores = members.map((one) => one[side]).filter((score) => score !== null);
      if (scores.length === 0) continue;
      const { found = '', recall = '', precision = '', F1 = '' } = summaryOf(scores, isRows);
      rows.push({ set: name, cases: String(scores.length), reader: who, recall, precision, F1, 'rows found': found });
      if (who === 'Quarry' && F1 !== '' && name.startsWith('ICDAR'))
        expectTarget(`${name}: F1 ${F1} ≥ ${F1_MIN}`, Number(F1) >= F1_MIN);
    }
  };
  for (const [set, members] of Map.groupBy(all, ({ one }) => one.set)) {
    add(set, members);
    if (set.startsWith('ICDAR')) continue;
    add(
      `${set}, for tuning`,
      members.filter(({ isForTuning }) => isForTuning),
    );
    add(
      `${set}, judging`,
      members.filter(({ isForTuning }) => !isForTuning),
    );
  }
  if (rows.length > 0) printTable(rows);
}

/** Only the cases for tuning are shown one by one. */
function reportEach(all: readonly Measured[]): void {
  const shown = all.filter(({ isForTuning }) => isForTuning);
  const rows = shown.map(({ one, own: { found, owed, read } }) => ({
    case: 'name' in one ? one.name : `${basename(dirname(one.path)).slice(-4)} ${basename(one.path)}`,
    found: String(found),
    owed: String(owed),
    read: String(read),
  }));
  if (rows.length > 0) printTable(rows);
}

const folder = mkdtempSync(join(tmpdir(), 'tables-'));
const subject = openPdfSubject(join(folder, 'jobs'));
try {
  const cases = process.argv.slice(2).flatMap(findTableCases);
  const peer = await openLiteParse();
  const places = new Map<string, number>();
  const only = process.env.QUARRY_BENCH_ONLY;
  const all: Measured[] = [];
  for (const one of cases) {
    const place = places.get(one.set) ?? 0;
    places.set(one.set, place + 1);
    const isForTuning = one.set.startsWith('ICDAR') ? one.set.endsWith('eu') : place % 2 === 0;
    if (only !== undefined && !one.set.includes(only)) continue;
    const { textPath } = await subject.extract(one.path);
    const document = JSON.parse(readFileSync(join(dirname(textPath), 'document.json'), 'utf8')) as NormalizedDocument;
    const own = scoreCase(one, document.blocks.flatMap(tablesOfBlock));
    const others = peer === null ? null : await peer(one.path).catch(() => []);
    all.push({ one, own, peer: others === null ? null : scoreCase(one, others), isForTuning });
  }
  report(all);
  if (process.env.QUARRY_BENCH_EACH !== undefined) reportEach(all);
} finally {
  await subject.close();
  rmSync(folder, { recursive: true, force: true });
}
