/**
 * Threat: a small file with a million rows. Cells and characters are counted over all sheets, and the reader stops at
 * the bounds; a warning says how much is left out.
 */

import { say } from '../../../src-server/platform/text/say.ts';
import type { Block } from '../blocks.ts';
import type { DocumentBuilder } from '../document-builder.ts';
import { closeSign, type InlineValues } from '../inline-marks.ts';
import { MARKS, withoutReserved } from '../revisions.ts';
import { spansWithin } from '../table-spans.ts';
import { tooComplex } from '../zip-package.ts';
import { type NumberFormat, showNumber } from './cell-text.ts';

/** Bounds on what is read of one workbook: the document model holds a few times as much. */
const MAX_CELLS = 500_000;

const MAX_CHARACTERS = 15_000_000;

/** Bound on the cells of one table, including those that fill its rows. */
const MAX_TABLE_CELLS = 5_000_000;

/** Names listed in one warning. */
const MAX_NAMES = 20;

/** Merged cells of one sheet; further ones are read as single cells. */
const MAX_MERGED = 20_000;

/** Links of one sheet, as many as Excel has, and the cells looked at for them; further ones are not marked. */
const MAX_LINKS = 65_530;
const MAX_LINKED_CELLS = 1_000_000;

/** Characters of a number format in a warning. */
const MAX_CODE_SHOWN = 60;

/** A cell with a number. Rows count from 1, columns from 0. */
export interface NumberCell {
  value: number;
  format: NumberFormat;
  isDate1904: boolean;
  row: number;
  column: number;
}

/** A cell with text, which may hold signs of `inline-marks.ts`. Columns count from 0. */
export interface SheetCell {
  column: number;
  text: string;
}

/** Rows without an empty one between them, in order. */
interface Region {
  rows: SheetCell[][];
  numbers: number[];
}

/** Cells shown as one, both ends included. Rows count from 1, columns from 0. */
export interface MergedCells {
  row: number;
  endRow: number;
  column: number;
  endColumn: number;
}

/** Cells that link to an address. */
export interface LinkedCells extends MergedCells {
  url: string;
}

/** A table of the open sheet with the rows and columns that its cells are from, ascending. */
interface WrittenTable {
  block: Block & { kind: 'table' };
  rows: number[];
  columns: number[];
}

/**
 * Writes the sheets of a workbook as blocks: a heading with the sheet's name, then one table per region. An empty row
 * ends a region. Rows with a single cell at the start of a region are its title, and a region of a single column is
 * running text.
 */
export class SheetWriter {
  readonly #builder: DocumentBuilder;
  #sheets = 0;
  #name = '';
  /** The heading is written before the first region. */
  #isHeadingDue = false;
  #regions: Region[] = [];
  #tables: WrittenTable[] = [];
  #merged: MergedCells[] = [];
  #links: LinkedCells[] = [];
  #lastRow = 0;
  #cells = 0;
  #characters = 0;
  #rowsLeftOut = 0;
  #formulasWithoutValue = 0;
  #lostCells = 0;
  /** Whether a sheet is not in the file. */
  isIncomplete = false;
  /** Cells whose number format cannot be rendered, and the first of them. */
  #plainNumbers: { count: number; first: string } = { count: 0, first: '' };
  readonly #notRead: { hidden: string[]; leftOut: string[] } = { hidden: [], leftOut: [] };
  /** Of the open sheet. */
  #afterCells: ((builder: DocumentBuilder) => void)[] = [];
  /** Names of the sheets with charts and the like. */
  readonly #drawn: string[] = [];

  constructor(builder: DocumentBuilder) {
    this.#builder = builder;
  }

  /** True once a bound is reached; further rows are only counted. */
  get isSheetLimitReached(): boolean {
    return this.#cells >= MAX_CELLS || this.#characters >= MAX_CHARACTERS;
  }

  /** The number of sheets opened so far. */
  get openedSheetCount(): number {
    return this.#sheets;
  }

  openSheet(name: string): void {
    this.#sheets += 1;
    this.#builder.page = this.#sheets;
    this.#name = withoutReserved(name);
    this.#isHeadingDue = name !== '';
    this.#tables = [];
    this.#merged = [];
    this.#links = [];
    this.#lastRow = 0;
    this.#builder.sourceLedger.sheets.push({
      name,
      page: this.#sheets,
      reason: null,
      hiddenCells: 0,
      lostCells: 0,
      drawnCells: 0,
    });
  }

  /** Says that the open sheet is not in the file. */
  missSheet(): void {
    this.isIncomplete = true;
    this.#builder.addWarning(say`The sheet "${this.#name}" is missing in the file: open and save the workbook again.`);
  }

  /** Counts a cell whose text is not in the file, because the table of texts is damaged or shorter than it says. */
  loseCell(): void {
    const sheet = this.#builder.sourceLedger.sheets.at(-1);
    if (sheet !== undefined) sheet.lostCells += 1;
    this.#lostCells += 1;
  }

  /** Counts a cell whose format shows nothing of its value. */
  hideCell(): void {
    const sheet = this.#builder.sourceLedger.sheets.at(-1);
    if (sheet !== undefined) sheet.hiddenCells += 1;
  }

  /** Adds a row, in order. `cells` are in the order of their columns; empty ones are left out. */
  addRow(number: number, cells: readonly SheetCell[]): void {
    this.#builder.checkCancellation();
    const filled = cells.filter(({ text }) => text.trim() !== '');
    if (filled.length === 0) return;
    if (this.isSheetLimitReached) {
      this.#rowsLeftOut += 1;
      return;
    }
    if (number > this.#lastRow + 1 || this.#regions.length === 0) this.#regions.push({ rows: [], numbers: [] });
    this.#lastRow = number;
    const region = this.#regions.at(-1);
    region?.rows.push(filled);
    region?.numbers.push(number);
    this.#cells += filled.length;
    for (const { text } of filled) this.#characters += text.length;
  }

  /** Cells of the open sheet that are shown as one, in any order. */
  mergeCells(merged: MergedCells): void {
    const isMerged = merged.endRow > merged.row || merged.endColumn > merged.column;
    if (isMerged && this.#merged.length < MAX_MERGED) this.#merged.push(merged);
  }

  /** Receives addresses and emphasis of the cells' texts. */
  useInlineSigns(): InlineValues {
    return this.#builder.useInlineSigns();
  }

  /** Cells of the open sheet that link to an address, in any order. A link in the text of a cell stays. */
  linkCells(linked: LinkedCells): void {
    if (this.#links.length < MAX_LINKS) this.#links.push(linked);
  }

  /** Rows that were counted and not passed to `addRow`. */
  leaveOutRows(count: number): void {
    this.#rowsLeftOut += count;
  }

  /** Adds the text of a box or shape, which stands after the cells of the open sheet. */
  addTextBox(text: string): void {
    if (text.trim() === '' || this.isSheetLimitReached) return;
    this.#characters += text.length;
    this.#afterCells.push((builder) => builder.addDocumentBlock({ kind: 'caption', text: withoutReserved(text) }));
  }

  /** Adds a chart or diagram, which stands after the cells of the open sheet. Its values are no cells of the sheet. */
  addSheetDrawing(write: (builder: DocumentBuilder) => void): void {
    if (!this.isSheetLimitReached) this.#afterCells.push(write);
  }

  /** Counts charts and other drawings of the open sheet, which are not read. */
  missDrawings(count: number): void {
    if (count > 0 && this.#drawn.at(-1) !== this.#name) this.#drawn.push(this.#name);
  }

  closeSheet(): void {
    this.#placeLinks();
    for (const region of this.#regions.splice(0)) this.#writeRegion(region);
    this.#placeMergedCells();
    const sheet = this.#builder.sourceLedger.sheets.at(-1);
    if (this.#afterCells.length > 0) this.#writeSheetHeading();
    const begin = this.#builder.blocks.length;
    for (const write of this.#afterCells) write(this.#builder);
    if (sheet !== undefined)
      sheet.drawnCells = this.#builder.blocks.slice(begin).reduce((sum, block) => sum + cellsOf(block), 0);
    this.#afterCells = [];
    if (this.#rowsLeftOut === 0) return;
    if (sheet !== undefined) sheet.reason = 'over-limit';
    const rows = this.#rowsLeftOut.toLocaleString('en-US');
    const last = this.#lastRow.toLocaleString('en-US');
    this.#builder.addWarning(
      this.#name === ''
        ? say`The table is read to row ${last}; ${rows} later rows are left out. Split the file into parts.`
        : say`The sheet "${this.#name}" is read to row ${last}; ${rows} later rows are left out. Split the file into
          parts.`,
    );
    this.#rowsLeftOut = 0;
  }

  skipSheet(name: string, reason: 'hidden' | 'leftOut'): void {
    this.#notRead[reason].push(name);
    const why = reason === 'hidden' ? 'hidden' : 'over-limit';
    this.#builder.sourceLedger.sheets.push({
      name,
      page: null,
      reason: why,
      hiddenCells: 0,
      lostCells: 0,
      drawnCells: 0,
    });
  }

  /** Counts a formula whose result is not in the file. */
  missValue(): void {
    this.#formulasWithoutValue += 1;
  }

  /** The text of a number, as its format shows it. Counts a number whose format cannot be rendered. */
  numberText({ value, format, isDate1904, row, column }: NumberCell): string {
    const { text, isAsShown } = showNumber(value, format, isDate1904);
    if (!isAsShown) {
      if (this.#plainNumbers.count === 0) {
        this.#plainNumbers.first = `${this.#name}!${columnName(column)}${row} (${shortCode(format)})`;
      }
      this.#plainNumbers.count += 1;
    }
    return text;
  }

  /** Writes the warnings. */
  writeSheetWarnings(): void {
    const { hidden, leftOut } = this.#notRead;
    if (hidden.length > 0) this.#builder.addWarning(say`Hidden sheets are not read: ${listSheetNames(hidden)}.`);
    if (leftOut.length > 0) {
      this.#builder.addWarning(
        say`The workbook is too large, so these sheets are left out: ${listSheetNames(leftOut)}. Split it.`,
      );
    }
    const drawn = this.#drawn;
    if (drawn.length > 0) {
      this.#builder.addWarning(say`Charts and other drawings are not read, in the sheets ${listSheetNames(drawn)}.`);
    }
    const lost = this.#lostCells;
    if (lost > 0) {
      const cells = lost.toLocaleString('en-US');
      this.#builder.addWarning(
        lost === 1
          ? say`1 cell names a text that is not in the file. Open and save the workbook again.`
          : say`${cells} cells name texts that are not in the file. Open and save the workbook again.`,
      );
    }
    const formulas = this.#formulasWithoutValue;
    if (formulas > 0) {
      const count = formulas.toLocaleString('en-US');
      this.#builder.addWarning(
        formulas === 1
          ? say`1 formula has no stored value.
              Open and save the workbook in a spreadsheet program, then send the new file.`
          : say`${count} formulas have no stored value.
              Open and save the workbook in a spreadsheet program, then send the new file.`,
      );
    }
    const { count, first } = this.#plainNumbers;
    if (count > 0) {
      const cells = count.toLocaleString('en-US');
      this.#builder.addWarning(
        count === 1
          ? say`1 cell has a number format that cannot be shown; the plain number is given. The first is ${first}.`
          : say`${cells} cells have a number format that cannot be shown; the plain number is given. The first is
            ${first}.`,
      );
    }
  }

  #writeSheetHeading(): void {
    if (this.#isHeadingDue) this.#builder.addDocumentBlock({ kind: 'heading', level: 1, text: this.#name });
    this.#isHeadingDue = false;
  }

  #placeLinks(): void {
    if (this.#links.length === 0) return;
    const inline = this.useInlineSigns();
    const rows = this.#regions.flatMap((region) => region.rows);
    const numbers = this.#regions.flatMap((region) => region.numbers);
    let left = MAX_LINKED_CELLS;
    for (const { row, endRow, column, endColumn, url } of this.#links) {
      const open = inline.openLink(url);
      if (open === null) continue;
      for (let at = countUpTo(numbers, row - 1); (numbers[at] ?? Number.POSITIVE_INFINITY) <= endRow; at += 1) {
        for (const cell of rows[at] ?? []) {
          left -= 1;
          const isLinked = cell.column < column || cell.column > endColumn || cell.text.includes(MARKS.linkOpen);
          if (left >= 0 && !isLinked) cell.text = open + cell.text + closeSign('link');
        }
        if (left < 0) return;
      }
    }
  }

  #writeRegion({ rows, numbers }: Region): void {
    this.#writeSheetHeading();
    const columns = new Set(rows.flatMap((row) => row.map(({ column }) => column)));
    const first = columns.size === 1 ? rows.length : rows.findIndex((row) => row.length > 1);
    const titles = first === -1 ? [] : rows.splice(0, first);
    for (const [cell] of titles) this.#builder.addDocumentBlock({ kind: 'paragraph', text: cell?.text ?? '' });
    if (rows.length === 0) return;
    const used = usedColumns(rows);
    this.#builder.addDocumentBlock({ kind: 'table', rows: filledRows(rows, used) });
    const block = this.#builder.blocks.at(-1);
    if (block?.kind === 'table') this.#tables.push({ block, rows: numbers.slice(titles.length), columns: used });
  }

  #placeMergedCells(): void {
    const tableAt = (row: number) => this.#tables[countUpTo(this.#tables, row, ({ rows }) => rows[0] ?? 0) - 1];
    for (const [table, merged] of Map.groupBy(this.#merged, ({ row }) => tableAt(row))) {
      if (table !== undefined) addMergedColumns(table, merged);
    }
    for (const { row, endRow, column, endColumn } of this.#merged) {
      const table = tableAt(row);
      if (table === undefined) continue;
      const at = countUpTo(table.rows, row) - 1;
      const from = countUpTo(table.columns, column) - 1;
      if (table.rows[at] !== row || table.columns[from] !== column) continue;
      const span = {
        row: at,
        column: from,
        rows: countUpTo(table.rows, endRow) - at,
        columns: countUpTo(table.columns, endColumn) - from,
      };
      const placed = spansWithin([span], table.rows.length, table.columns.length);
      if (placed.length === 0) continue;
      table.block.spans ??= [];
      table.block.spans.push(...placed);
    }
  }
}

/** The cells with a value that a block of a sheet shows. */
export function cellsOf(block: Block): number {
  if (block.kind === 'table') return block.rows.flat().filter((cell) => cell !== '').length;
  return block.kind === 'paragraph' ? 1 : 0;
}

/** Count of the items whose value is at most `last`; by halves, for a sheet has many of both. */
function countUpTo<Item = number>(
  ascending: readonly Item[],
  last: number,
  placeOf: (item: Item) => number = Number,
): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = ascending[middle];
    if (item !== undefined && placeOf(item) <= last) low = middle + 1;
    else high = middle;
  }
  return low;
}

function usedColumns(rows: readonly SheetCell[][]): number[] {
  const used = new Set<number>();
  for (const row of rows) for (const { column } of row) used.add(column);
  return [...used].sort((one, other) => one - other);
}

/** Columns, with those added for merged cells, for each with text: for cells between such columns, and for others. */
const MERGED_COLUMNS_INSIDE = 4;
const MERGED_COLUMNS_RATIO = 2;

/**
 * Adds the columns without text that merged cells of a table reach over, within bounds: a merged title may be far wider
 * than its table.
 */
function addMergedColumns(table: WrittenTable, merged: readonly MergedCells[]): void {
  const { block, rows, columns } = table;
  const last = columns.at(-1) ?? 0;
  const [ownRows, ownColumns] = [new Set(rows), new Set(columns)];
  const wanted = new Set(columns);
  for (const { row, column, endColumn } of merged) {
    const most = columns.length * (endColumn < last ? MERGED_COLUMNS_INSIDE : MERGED_COLUMNS_RATIO);
    if (endColumn - column >= most || !ownRows.has(row) || !ownColumns.has(column)) continue;
    const reached = Array.from({ length: endColumn - column }, (_, step) => column + 1 + step);
    const missing = reached.filter((at) => !wanted.has(at));
    if (wanted.size + missing.length <= most) for (const at of missing) wanted.add(at);
  }
  if (wanted.size === columns.length || rows.length * wanted.size > MAX_TABLE_CELLS) return;
  table.columns = [...wanted].sort((one, other) => one - other);
  const places = new Map(columns.map((column, place) => [column, place]));
  block.rows = block.rows.map((cells) => table.columns.map((column) => cells[places.get(column) ?? -1] ?? ''));
  const moved = new Map(table.columns.map((column, place) => [places.get(column), place]));
  for (const mark of block.marks ?? []) mark.column = moved.get(mark.column) ?? mark.column;
}

/** Rows with an equal number of cells; columns without any text are dropped. */
function filledRows(rows: readonly SheetCell[][], used: readonly number[]): string[][] {
  if (rows.length * used.length > MAX_TABLE_CELLS) throw tooComplex('cells of a table');
  const places = new Map(used.map((column, place) => [column, place]));
  return rows.map((row) => {
    const cells = new Array<string>(places.size).fill('');
    for (const { column, text } of row) cells[places.get(column) ?? 0] = text;
    return cells;
  });
}

/** Letters of a column: 0 is A, 27 is AB. */
function columnName(column: number): string {
  let name = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    name = String.fromCharCode(0x41 + ((left - 1) % 26)) + name;
  }
  return name;
}

function shortCode(format: NumberFormat): string {
  const code = String(format);
  return code.length > MAX_CODE_SHOWN ? `${code.slice(0, MAX_CODE_SHOWN)}…` : code;
}

function listSheetNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => `"${name}"`);
  return names.length > MAX_NAMES ? `${shown.join(', ')} and ${names.length - MAX_NAMES} more` : shown.join(', ');
}
