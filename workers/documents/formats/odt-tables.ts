import { QuarryError } from '../../../src-server/contract/errors.ts';

/** Cells a row may have and rows a repeated row may become: counts in a document are only words. */
const MAX_COLUMNS = 500;
const MAX_REPEATED_ROWS = 100;
/** Cells one table may have, with the empty ones that make its rows equally long. */
const MAX_CELLS = 10_000_000;

/** Builds the rows of open tables; a table in a cell is built and closed before its cell is. */
export class OdtTables {
  readonly #tables: { rows: string[][]; row: string[]; width: number }[] = [];

  open(): void {
    this.#tables.push({ rows: [], row: [], width: 0 });
  }

  openRow(): void {
    const table = this.#tables.at(-1);
    if (table !== undefined) table.row = [];
  }

  addCell(text: string, repeated: number): void {
    const row = this.#tables.at(-1)?.row ?? [];
    for (let count = Math.min(repeated, MAX_COLUMNS - row.length); count > 0; count -= 1) row.push(text);
  }

  /** Empty cells at a row's end are how repeat counts fill a page; they go. Throws `source_too_large`. */
  closeRow(repeated: number): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    const { row } = table;
    while (row.length > 0 && row.at(-1)?.trim() === '') row.pop();
    const copies = row.length === 0 ? 0 : Math.min(repeated, MAX_REPEATED_ROWS);
    table.width = Math.max(table.width, row.length);
    if ((table.rows.length + copies) * table.width > MAX_CELLS) {
      throw new QuarryError('source_too_large', 'A table of the document has too many cells: split it in parts.');
    }
    for (let count = copies; count > 0; count -= 1) table.rows.push(row);
  }

  close(): string[][] {
    const { rows, width } = this.#tables.pop() ?? { rows: [], width: 0 };
    return rows.map((row) => [...row, ...Array.from({ length: width - row.length }, () => '')]);
  }
}
