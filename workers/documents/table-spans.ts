import type { CellSpan } from './blocks.ts';

/**
 * The spans of a table of which only the rows `kept` remain. Spans end with the table, whatever the source claims;
 * cells that span nothing any more are left out.
 */
export function remainingSpans(spans: readonly CellSpan[], kept: readonly number[]): { spans?: CellSpan[] } {
  if (spans.length === 0) return {};
  const rowOf = new Map(kept.map((row, at) => [row, at]));
  const remaining = spans.flatMap(({ row, rows, ...span }) => {
    const at = rowOf.get(row);
    if (at === undefined) return [];
    let end = at + 1;
    while (end < kept.length && (kept[end] ?? 0) < row + rows) end += 1;
    return end - at === 1 && span.columns === 1 ? [] : [{ row: at, rows: end - at, ...span }];
  });
  return remaining.length === 0 ? {} : { spans: remaining };
}

/** The rows, from the second of each, over which the cells with text reach. */
export function rowsUnder(spans: readonly CellSpan[], rows: readonly (readonly string[])[]): ReadonlySet<number> {
  const under = new Set<number>();
  for (const { row, column, rows: high } of spans) {
    if ((rows[row]?.[column] ?? '').trim() === '') continue;
    const end = Math.min(row + high, rows.length);
    for (let at = row + 1; at < end; at += 1) under.add(at);
  }
  return under;
}

/** The spans within a table of so many rows and columns, whatever the source claims. */
export function spansWithin(spans: readonly CellSpan[], rows: number, columns: number): CellSpan[] {
  return spans.flatMap((span) => {
    const own = {
      ...span,
      rows: Math.max(1, Math.min(span.rows, rows - span.row)),
      columns: Math.max(1, Math.min(span.columns, columns - span.column)),
    };
    const isInside = span.row < rows && span.column < columns;
    return isInside && own.rows * own.columns > 1 ? [own] : [];
  });
}

/** The cells that belong to a span, except its first, as `row column`. */
export function coveredCells(spans: readonly CellSpan[]): ReadonlySet<string> {
  const covered = new Set<string>();
  for (const { row, column, rows, columns } of spans) {
    for (let down = 0; down < rows; down += 1) {
      for (let right = 0; right < columns; right += 1) {
        if (down > 0 || right > 0) covered.add(`${row + down} ${column + right}`);
      }
    }
  }
  return covered;
}

/** The spans that hide no text: a cell that has text is shown, even where another claims its place. */
export function shownSpans(rows: readonly (readonly string[])[], spans: readonly CellSpan[] = []): CellSpan[] {
  return spans.filter((span) => {
    const covered = [...coveredCells([span])].map((place) => place.split(' ').map(Number));
    return covered.every(([row = 0, column = 0]) => (rows[row]?.[column] ?? '') === '');
  });
}
