/** A table with edits of its lines in document.txt. */

import { itemAt } from '../../src-server/platform/item-at.ts';
import type { Block, CellMark, CellSpan } from './blocks.ts';
import { applyEdits, EditedPlaces, editsBetween, type TextEdit } from './text-edits.ts';
import { CELL_SEPARATOR } from './write-text.ts';

type Table = Extract<Block, { kind: 'table' }>;

/** A row of the corrected table, and the number of the row that it was; null for a new one. */
interface Row {
  cells: string[];
  from: number | null;
}

/**
 * Null where no row is left.
 *
 * @param rows places of the rows in `text`
 * @param edits within the table, ascending
 */
export function correctRows(
  table: Table,
  rows: readonly { start: number; end: number }[],
  text: string,
  edits: readonly TextEdit[],
): Table | null {
  const corrected: Row[] = [];
  let next = 0;
  const keepTableRowsUntil = (until: number) => {
    for (; next < until; next += 1) corrected.push({ cells: table.rows[next] ?? [], from: next });
  };
  for (let at = 0; at < edits.length; ) {
    const first = rowAt(rows, itemAt(edits, at).from);
    let last = first;
    const together: TextEdit[] = [];
    for (let edit = edits[at]; edit !== undefined && edit.from <= (rows[last]?.end ?? 0); edit = edits[at]) {
      together.push(edit);
      last = Math.max(last, rowAt(rows, edit.to));
      at += 1;
    }
    keepTableRowsUntil(first);
    const start = rows[first]?.start ?? 0;
    const own = together.map(({ from, to, by }) => ({ from: from - start, to: to - start, by }));
    const lines = applyEdits(text.slice(start, rows[last]?.end ?? start), own);
    corrected.push(...parseEditedRows(table.rows.slice(first, last + 1), first, lines));
    next = last + 1;
  }
  keepTableRowsUntil(rows.length);
  return corrected.length === 0 ? null : withRows(table, corrected);
}

/** The last row that begins at or before a place. */
function rowAt(rows: readonly { start: number }[], place: number): number {
  return Math.max(
    0,
    rows.findLastIndex(({ start }) => start <= place),
  );
}

function parseEditedRows(former: readonly string[][], first: number, text: string): Row[] {
  if (text === '') return [];
  const known = former.map((cells) => cells.map(flattenCell).join(CELL_SEPARATOR));
  return text.split('\n').map((line, index) => {
    const same = known.indexOf(line);
    if (same >= 0) return { cells: former[same] ?? [], from: first + same };
    const cells = former[index];
    return cells === undefined
      ? { cells: line.split(CELL_SEPARATOR), from: null }
      : { cells: parseEditedCells(cells, line), from: first + index };
  });
}

/** The cells of a changed line. Those that did not change keep their line breaks. */
function parseEditedCells(former: readonly string[], line: string): string[] {
  const flats = former.map(flattenCell);
  const parts = line.split(CELL_SEPARATOR);
  if (parts.length === former.length && !flats.some((cell) => cell.includes(CELL_SEPARATOR))) {
    return parts.map((part, index) => (part === flats[index] ? (former[index] ?? part) : part));
  }
  let rest = line;
  let from = 0;
  while (from < former.length - 1 && rest.startsWith(flats[from] + CELL_SEPARATOR)) {
    rest = rest.slice((flats[from] ?? '').length + CELL_SEPARATOR.length);
    from += 1;
  }
  let to = former.length;
  while (to > from + 1 && rest.endsWith(CELL_SEPARATOR + flats[to - 1])) {
    rest = rest.slice(0, -((flats[to - 1] ?? '').length + CELL_SEPARATOR.length));
    to -= 1;
  }
  const changed = former.slice(from, to).map((_, index) => (index === 0 ? rest : ''));
  return [...former.slice(0, from), ...changed, ...former.slice(to)];
}

function flattenCell(cell: string): string {
  return cell.replaceAll('\n', ' ');
}

/** What names rows of the table follows them. */
function withRows(table: Table, rows: readonly Row[]): Table {
  const { rowPages, marks, spans, lines } = table;
  const places = new Map(rows.flatMap(({ from }, place) => (from === null ? [] : [[from, place] as const])));
  const correctedRowPlace = (row: number) => places.get(row) ?? 0;
  let page = table.page;
  const pages = rows.map(({ from }) => {
    page = from === null ? page : (rowPages?.[from] ?? page);
    return page;
  });
  const survivingRowCount = ({ row, rows: count }: CellSpan) =>
    [...places.keys()].filter((from) => from >= row && from < row + count).length;
  const cellsOfMark = ({ row, column }: CellMark) => {
    return [table.rows[row]?.[column] ?? '', rows[correctedRowPlace(row)]?.cells[column] ?? ''] as const;
  };
  return {
    ...table,
    rows: rows.map(({ cells }) => cells),
    ...(rowPages && { rowPages: pages }),
    ...(marks && {
      marks: marks
        .filter(({ row }) => places.has(row))
        .flatMap((mark) => movedMark({ ...mark, row: correctedRowPlace(mark.row) }, ...cellsOfMark(mark)))
        .filter(({ kind, start, end }) => kind === 'image' || end > start),
    }),
    ...(spans && {
      spans: spans
        .filter(({ row }) => places.has(row))
        .map((span) => ({ ...span, row: correctedRowPlace(span.row), rows: survivingRowCount(span) })),
    }),
    ...(lines && {
      lines: lines
        .filter(([row]) => places.has(row))
        .map(([row, ...box]): (typeof lines)[number] => [correctedRowPlace(row), ...box]),
    }),
  };
}

/** The mark in the edited cell. The LaTeX of an edited formula is old. */
function movedMark(mark: CellMark, before: string, after: string): CellMark[] {
  if (before === after) return [mark];
  const places = new EditedPlaces(editsBetween(before, after));
  const moved = { ...mark, start: places.movedPlace(mark.start), end: places.movedPlace(mark.end) };
  const isSame = before.slice(mark.start, mark.end) === after.slice(moved.start, moved.end);
  return mark.kind === 'formula' && !isSame ? [] : [moved];
}
