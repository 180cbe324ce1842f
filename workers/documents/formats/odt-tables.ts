/** Cells a row may have and rows a repeated row may become: counts in a document are only words. */
const MAX_COLUMNS = 500;
const MAX_REPEATED_ROWS = 100;

/** Builds the rows of open tables; a table in a cell is built and closed before its cell is. */
export class OdtTables {
  readonly #tables: { rows: string[][]; row: string[] }[] = [];

  open(): void {
    this.#tables.push({ rows: [], row: [] });
  }

  openRow(): void {
    const table = this.#tables.at(-1);
    if (table !== undefined) table.row = [];
  }

  addCell(text: string, repeated: number): void {
    const row = this.#tables.at(-1)?.row ?? [];
    for (let count = Math.min(repeated, MAX_COLUMNS - row.length); count > 0; count -= 1) row.push(text);
  }

  /** Empty cells at a row's end are how repeat counts fill a page; they go. */
  closeRow(repeated: number): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    const { row } = table;
    while (row.length > 0 && row.at(-1)?.trim() === '') row.pop();
    const isEmpty = row.length === 0;
    for (let count = isEmpty ? 0 : Math.min(repeated, MAX_REPEATED_ROWS); count > 0; count -= 1) table.rows.push(row);
  }

  close(): string[][] {
    const rows = this.#tables.pop()?.rows ?? [];
    const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
    return rows.map((row) => [...row, ...Array.from({ length: width - row.length }, () => '')]);
  }
}
