import { QuarryError } from '../../../src-server/platform/errors.ts';
import type { NewBlock } from '../document-builder.ts';

/** Cells a row may have and rows a repeated row may become: counts in a document are only words. */
const MAX_COLUMNS = 500;
const MAX_REPEATED_ROWS = 100;
/** Cells one table may have, with the empty ones that make its rows equally long. */
const MAX_CELLS = 10_000_000;

interface Table {
  rows: string[][];
  /** Of each row, the page it begins on. */
  pages: number[];
  row: string[];
  /** Of the open row: each of its cells begins on the first page, and each tells of the same ends of pages. */
  firstPage: number;
  lastPage: number;
  width: number;
}

/** Builds the rows of open tables; a table in a cell is built and closed before its cell is. */
export class OdtTables {
  readonly #tables: Table[] = [];

  open(): void {
    this.#tables.push({ rows: [], pages: [], row: [], firstPage: 1, lastPage: 1, width: 0 });
  }

  openRow(page: number): void {
    const table = this.#tables.at(-1);
    if (table !== undefined) Object.assign(table, { row: [], firstPage: page, lastPage: page });
  }

  /** The page that the cells of the open row begin on. */
  get rowPage(): number | undefined {
    return this.#tables.at(-1)?.firstPage;
  }

  /** @param page that the cell ends on */
  addCell(text: string, repeated: number, page: number): void {
    const table = this.#tables.at(-1);
    const row = table?.row ?? [];
    for (let count = Math.min(repeated, MAX_COLUMNS - row.length); count > 0; count -= 1) row.push(text);
    if (table !== undefined) table.lastPage = Math.max(table.lastPage, page);
  }

  /**
   * Empty cells at a row's end are how repeat counts fill a page; they go. Gives the page that the row ends on. Throws
   * `source_too_large`.
   */
  closeRow(repeated: number): number | undefined {
    const table = this.#tables.at(-1);
    if (table === undefined) return undefined;
    const { row } = table;
    while (row.length > 0 && row.at(-1)?.trim() === '') row.pop();
    const copies = row.length === 0 ? 0 : Math.min(repeated, MAX_REPEATED_ROWS);
    table.width = Math.max(table.width, row.length);
    if ((table.rows.length + copies) * table.width > MAX_CELLS) {
      throw new QuarryError('source_too_large', 'A table of the document has too many cells: split it in parts.');
    }
    for (let count = copies; count > 0; count -= 1) {
      table.rows.push(row);
      table.pages.push(table.firstPage);
    }
    return table.lastPage;
  }

  close(): NewBlock & { kind: 'table' } {
    const { rows, pages, width } = this.#tables.pop() ?? { rows: [], pages: [], width: 0 };
    const filled = rows.map((row) => [...row, ...Array.from({ length: width - row.length }, () => '')]);
    const isOnOne = pages.every((page) => page === pages[0]);
    return { kind: 'table', rows: filled, ...(isOnOne ? {} : { rowPages: pages }) };
  }
}
