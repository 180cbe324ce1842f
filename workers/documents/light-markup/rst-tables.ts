/** Tables of reStructuredText. One whose text crosses its columns is no table for a reader of columns. */

import type { CellSpan } from '../blocks.ts';

interface Columns {
  from: number;
  to: number;
}

/** The rows of a table with rules of `=`; null if a text crosses its columns. */
export function simpleTableRows(lines: readonly string[]): string[][] | null {
  const columns = runsOf(lines[0] ?? '', '=');
  const rows: string[][] = [];
  let isNew = true;
  for (const line of lines.slice(1)) {
    if (/^[=\s]+$/.test(line) || /^-[-\s]*$/.test(line) || line.trim() === '') {
      isNew = true;
      continue;
    }
    const cells = cutColumns(line, columns);
    if (cells === null) return null;
    const row = rows.at(-1);
    if (isNew || row === undefined || cells[0] !== '') rows.push(cells);
    else for (const [at, cell] of cells.entries()) row[at] = joinCell(row[at] ?? '', cell);
    isNew = false;
  }
  return rows;
}

function runsOf(rule: string, sign: string): Columns[] {
  const columns: Columns[] = [];
  for (const { index, 0: run } of rule.matchAll(sign === '=' ? /=+/g : /-+|=+/g)) {
    columns.push({ from: index, to: index + run.length });
  }
  return columns;
}

function cutColumns(line: string, columns: readonly Columns[]): string[] | null {
  const cells: string[] = [];
  for (const [at, { from, to }] of columns.entries()) {
    const next = columns[at + 1]?.from;
    if (next !== undefined && line.slice(to, next).trim() !== '') return null;
    cells.push(line.slice(from, next ?? line.length).trim());
  }
  return line.slice(0, columns[0]?.from).trim() === '' ? cells : null;
}

/** The rows of a table in a grid; null if cells span several. */
export function gridTableRows(lines: readonly string[]): string[][] | null {
  const border = (lines[0] ?? '').trimEnd();
  const bars = [...border].flatMap((sign, at) => (sign === '+' ? [at] : []));
  const rows: string[][] = [];
  let isNew = true;
  for (const line of lines) {
    if (/^\+[-=+]+\+\s*$/.test(line)) {
      if (line.trimEnd().replaceAll('=', '-') !== border.replaceAll('=', '-')) return null;
      isNew = true;
      continue;
    }
    if (line.trimEnd().length !== border.length || bars.some((at) => line[at] !== '|')) return null;
    const cells = bars.slice(1).map((to, at) => line.slice((bars[at] ?? 0) + 1, to).trim());
    const row = rows.at(-1);
    if (isNew || row === undefined) rows.push(cells);
    else for (const [at, cell] of cells.entries()) row[at] = joinCell(row[at] ?? '', cell);
    isNew = false;
  }
  return rows;
}

interface GridCell {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/** Characters that are looked at to find the cells of a grid. Threat: a grid of corners alone. */
const GRID_STEPS_MAX = 1_000_000;

/** The cells of a grid, found from corner to corner. */
class GridScan {
  readonly #lines: readonly string[];
  #steps = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  /** Null if the cells do not fill the grid. */
  findCells(): GridCell[] | null {
    const [bottom, right] = [this.#lines.length - 1, (this.#lines[0]?.length ?? 1) - 1];
    const cells: GridCell[] = [];
    const seen = new Set<string>();
    const corners: [top: number, left: number][] = [[0, 0]];
    for (let corner = corners.pop(); corner !== undefined; corner = corners.pop()) {
      const [top, left] = corner;
      if (top >= bottom || left >= right || seen.has(`${top} ${left}`)) continue;
      seen.add(`${top} ${left}`);
      const cell = this.#cellAt(top, left);
      if (cell === null) return null;
      cells.push(cell);
      corners.push([top, cell.right], [cell.bottom, left]);
    }
    const area = cells.reduce((sum, cell) => sum + (cell.bottom - cell.top) * (cell.right - cell.left), 0);
    return area === bottom * right ? cells : null;
  }

  #cellAt(top: number, left: number): GridCell | null {
    for (let right = left + 1; this.#isLine(top, right, '-=+'); right += 1) {
      if (this.#signAt(top, right) !== '+') continue;
      for (let bottom = top + 1; this.#isLine(bottom, right, '|+'); bottom += 1) {
        const cell = { top, left, bottom, right };
        if (this.#signAt(bottom, right) === '+' && this.#isClosed(cell)) return cell;
      }
    }
    return null;
  }

  /** Whether lines lead from the corner at the bottom right back to the first. */
  #isClosed({ top, left, bottom, right }: GridCell): boolean {
    if (this.#signAt(bottom, left) !== '+') return false;
    for (let at = right - 1; at > left; at -= 1) if (!this.#isLine(bottom, at, '-=+')) return false;
    for (let at = bottom - 1; at > top; at -= 1) if (!this.#isLine(at, left, '|+')) return false;
    return true;
  }

  #isLine(row: number, column: number, signs: string): boolean {
    this.#steps += 1;
    const sign = this.#signAt(row, column);
    return sign !== '' && signs.includes(sign) && this.#steps < GRID_STEPS_MAX;
  }

  #signAt(row: number, column: number): string {
    return this.#lines[row]?.[column] ?? '';
  }
}

/** A table in a grid whose cells span several rows or columns; null if its lines draw none. */
export function spannedGridTable(lines: readonly string[]): { rows: string[][]; spans: CellSpan[] } | null {
  const width = lines.reduce((most, line) => Math.max(most, line.trimEnd().length), 0);
  const grid = lines.map((line) => line.trimEnd().padEnd(width));
  const cells = new GridScan(grid).findCells();
  if (cells === null) return null;
  const edgesOf = (ends: readonly number[]) =>
    new Map([...new Set(ends)].sort((one, other) => one - other).map((end, at) => [end, at]));
  const across = edgesOf(cells.flatMap(({ left, right }) => [left, right]));
  const down = edgesOf(cells.flatMap(({ top, bottom }) => [top, bottom]));
  const rows = Array.from({ length: down.size - 1 }, () => Array<string>(across.size - 1).fill(''));
  const spans: CellSpan[] = [];
  for (const { top, left, bottom, right } of cells) {
    const [row, column] = [down.get(top) ?? 0, across.get(left) ?? 0];
    const texts = grid.slice(top + 1, bottom).map((line) => line.slice(left + 1, right).trim());
    const own = rows[row];
    if (own !== undefined) own[column] = texts.reduce(joinCell, '');
    const span = { row, column, rows: (down.get(bottom) ?? 0) - row, columns: (across.get(right) ?? 0) - column };
    if (span.rows > 1 || span.columns > 1) spans.push(span);
  }
  return { rows, spans };
}

/** Items of a list and lines of verse keep their lines. */
function joinCell(text: string, line: string): string {
  if (line === '' || text === '') return text + line;
  return text + (/^(?:[-*+•|]|\d+\.)\s/.test(line) ? '\v' : ' ') + line;
}

/** The rows of `list-table`: a list of lists. Null for any other content. */
export function listTableRows(lines: readonly string[]): string[][] | null {
  const rows: string[][] = [];
  let indent = 0;
  for (const line of lines) {
    if (line.trim() === '') continue;
    const [head = '', , first, second = ''] = /^(\s*)(?:([*-])\s+)?([*-]\s*)(?=\s|$)/.exec(line) ?? [];
    const row = rows.at(-1);
    if (first !== undefined) {
      rows.push([line.slice(head.length).trim()]);
      indent = head.length - second.length;
    } else if (row !== undefined && /^\s+[*-](?:\s|$)/.test(line) && line.search(/\S/) <= indent) {
      row.push(line.replace(/^\s+[*-]\s*/, '').trim());
    } else if (row !== undefined && line.search(/\S/) > 0) {
      row.push(joinCell(row.pop() ?? '', line.trim()));
    } else return null;
  }
  return rows;
}

/** A field of a line, by the sign after it. */
function fieldBefore(sign: string): RegExp {
  const escaped = `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
  return new RegExp(`(?:[^\\S\t]*"((?:[^"]|"")*)"[^\\S\t]*|([^"${escaped}]*))(?:${escaped}|$)`, 'uy');
}

/** The rows of `csv-table`, with commas. */
export function csvTableRows(lines: readonly string[], sign = ','): string[][] {
  const field = fieldBefore(sign);
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const cells: string[] = [];
      field.lastIndex = 0;
      for (let found = field.exec(line); found !== null; found = field.exec(line)) {
        cells.push((found[1]?.replaceAll('""', '"') ?? found[2] ?? '').trim());
        if (field.lastIndex >= line.length) {
          if (found[0].endsWith(sign)) cells.push('');
          return cells;
        }
      }
      return [line];
    });
}
