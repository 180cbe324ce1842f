/** Columns of tables whose rows say where their cells end, and not over how many columns they reach. */

/** A row, and where its cells end on the right, in twips; not as many where the file does not say. */
export interface PlacedRow {
  cells: string[];
  edges: readonly number[];
}

/** Edges as near to each other as this are one: programs do not place them exactly. */
const SAME_EDGE_TWIPS = 60;
/** More columns, or cells in all, are no table that anybody wrote. */
const MAX_COLUMNS = 200;
const MAX_CELLS = 1_000_000;

/** The rows, with an empty cell for each further column that one reaches over. */
export function inColumns(rows: readonly PlacedRow[]): string[][] {
  const placed = rows.map(withoutRest);
  const columns = columnsOf(placed);
  const isTooMuch = columns.length > MAX_COLUMNS || columns.length * rows.length > MAX_CELLS;
  return placed.map((row) => (isTooMuch || !isPlaced(row) ? row.cells : spread(row, columns)));
}

/** Where a table stood in its last cell, some programs end that cell twice. */
function withoutRest({ cells, edges }: PlacedRow): PlacedRow {
  const rest = edges.length === 0 ? [] : cells.slice(edges.length);
  return rest.some((cell) => cell !== '')
    ? { cells, edges }
    : { cells: cells.slice(0, cells.length - rest.length), edges };
}

function isPlaced({ cells, edges }: PlacedRow): boolean {
  return cells.length === edges.length && edges.every((edge, index) => edge >= (edges[index - 1] ?? edge));
}

function columnsOf(rows: readonly PlacedRow[]): number[] {
  const edges = new Set(rows.filter(isPlaced).flatMap((row) => [...row.edges]));
  const columns: number[] = [];
  for (const edge of [...edges].sort((one, other) => one - other)) {
    const last = columns.at(-1);
    if (last === undefined || edge - last > SAME_EDGE_TWIPS) columns.push(edge);
  }
  return columns;
}

function spread({ cells, edges }: PlacedRow, columns: readonly number[]): string[] {
  const row: string[] = [];
  for (const [index, cell] of cells.entries()) {
    row.push(cell);
    const edge = edges[index] ?? 0;
    while (row.length < columns.length && (columns[row.length] ?? 0) <= edge) row.push('');
  }
  return row;
}
