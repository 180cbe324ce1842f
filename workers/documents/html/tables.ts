import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import type { CellMark, CellSpan, InlineMark } from '../blocks.ts';
import type { NewBlock } from '../document-builder.ts';

/** Bound on the cells that one tag adds to a row through its spans. */
const MAX_SPAN = 100;

/** Text of a cell or another place, with its inline marks. */
export interface MarkedText {
  text: string;
  marks: readonly InlineMark[];
}

interface Table {
  rows: string[][];
  marks: CellMark[];
  /** Cells over several rows or columns. */
  spans: CellSpan[];
  /** Per column: rows below still covered by a cell above. */
  reaching: number[];
  /** A table that contains another one is layout: its cells are read as running text. */
  isLayout: boolean;
  /** Lines of the open cell; null between cells. */
  cell: MarkedText[] | null;
}

/** The open tables, one within another. */
export class HtmlTables {
  readonly #add: (block: NewBlock) => void;
  readonly #tables: Table[] = [];
  /** Column of the open cell. Only the innermost table can have one open, so one number suffices. */
  #cellAt = 0;

  constructor(add: (block: NewBlock) => void) {
    this.#add = add;
  }

  get areOpen(): boolean {
    return this.#tables.length > 0;
  }

  /** Whether text belongs to a cell. */
  get isInCell(): boolean {
    return (this.#tables.at(-1)?.cell ?? null) !== null;
  }

  openHtmlTable(): void {
    this.takeAsLayout();
    this.#tables.push({ rows: [], marks: [], spans: [], reaching: [], isLayout: false, cell: null });
  }

  /** Reads the cells of the innermost table as running text from here on. */
  takeAsLayout(): void {
    const table = this.#tables.at(-1);
    if (table === undefined || table.isLayout) return;
    this.#closeCellOfTable(table);
    this.#addTable(table);
    table.rows = [];
    table.marks = [];
    table.spans = [];
    table.isLayout = true;
  }

  /** The same, if its open cell is the first of all. */
  takeFirstCellAsLayout(): void {
    const table = this.#tables.at(-1);
    if (table?.cell?.length === 0 && table.rows.length === 1 && this.#cellAt === 0) this.takeAsLayout();
  }

  openHtmlRow(): void {
    const table = this.#tables.at(-1);
    if (table === undefined || table.isLayout) return;
    passReaching(table);
    table.rows.push([]);
  }

  openHtmlCell({ colspan = '1', rowspan = '1' }: Readonly<Record<string, string>>): void {
    const table = this.#tables.at(-1);
    if (table === undefined || table.isLayout) return;
    this.#closeCellOfTable(table);
    table.cell = [];
    const span = Math.min(Number.parseInt(colspan, 10) || 1, MAX_SPAN);
    const row = table.rows.at(-1) ?? [];
    if (table.rows.length === 0) table.rows.push(row);
    passReaching(table);
    const rows = Number.parseInt(rowspan, 10) || 1;
    const end = Math.min(row.length + span, MAX_SPAN);
    for (let at = row.length; at < end; at += 1) table.reaching[at] = rows - 1;
    row.push('', ...Array.from({ length: span - 1 }, () => ''));
    // The text goes into the first cell of the span.
    this.#cellAt = row.length - span;
    const place = { row: table.rows.length - 1, column: this.#cellAt };
    if (span > 1 || rows > 1) table.spans.push({ ...place, rows, columns: span });
  }

  addCellText(text: MarkedText): void {
    this.#tables.at(-1)?.cell?.push(text);
  }

  closeHtmlCell(): void {
    this.#closeCellOfTable(this.#tables.at(-1));
  }

  closeHtmlTable(): void {
    const table = this.#tables.pop();
    if (table === undefined) return;
    this.#closeCellOfTable(table);
    passReaching(table);
    if (!table.isLayout) this.#addTable(table);
  }

  #closeCellOfTable(table: Table | undefined): void {
    if (table === undefined || table.cell === null) return;
    const row = table.rows.at(-1);
    if (row !== undefined) row[this.#cellAt] = table.cell.map(({ text }) => text).join('\n');
    const place = { row: table.rows.length - 1, column: this.#cellAt };
    let start = 0;
    for (const { text, marks } of table.cell) {
      for (const mark of marks) table.marks.push({ ...movedMark(mark, start), ...place });
      start += text.length + 1;
    }
    table.cell = null;
  }

  /** A table with a single column is a frame: its cells become text. */
  #addTable({ rows, marks, spans }: Table): void {
    if (rows.some((row) => row.length > 1)) {
      const table = {
        kind: 'table',
        rows,
        ...omitUndefined({ spans: spans.length === 0 ? undefined : spans }),
      } as const;
      this.#add(marks.length === 0 ? table : { ...table, marks });
      return;
    }
    const byRow = Map.groupBy(marks, ({ row }) => row);
    for (const [at, row] of rows.entries()) {
      const lines = (row[0] ?? '').split('\n');
      const byLine = Map.groupBy(byRow.get(at) ?? [], lineIndexOfMark(lines));
      let start = 0;
      for (const [line, text] of lines.entries()) {
        const end = start + text.length;
        const inLine = (byLine.get(line) ?? []).filter((mark) => mark.end <= end);
        const own = inLine.map(({ row: _row, column: _column, ...mark }) => movedMark(mark, -start));
        this.#add(own.length === 0 ? { kind: 'paragraph', text } : { kind: 'paragraph', text, marks: own });
        start = end + 1;
      }
    }
  }
}

/** Index of the line in which a mark starts. */
function lineIndexOfMark(lines: readonly string[]): (mark: InlineMark) => number {
  const ends: number[] = [];
  for (const line of lines) ends.push((ends.at(-1) ?? -1) + line.length + 1);
  return ({ start }) => {
    let [low, high] = [0, ends.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

export function movedMark(mark: InlineMark, by: number): InlineMark {
  return { ...mark, start: mark.start + by, end: mark.end + by };
}

/** Adds empty cells for spans from the rows above, so that the other cells keep their columns. */
function passReaching({ rows, reaching }: Table): void {
  const row = rows.at(-1);
  if (row === undefined) return;
  for (let left = reaching[row.length] ?? 0; left > 0; left = reaching[row.length] ?? 0) {
    reaching[row.length] = left - 1;
    row.push('');
  }
}
