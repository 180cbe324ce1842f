/** Tables of AsciiDoc, whose cells begin with a sign and may span others. */

import { byName } from '../../../src-server/platform/records.ts';
import type { CellSpan } from '../blocks.ts';
import { csvTableRows } from './rst-tables.ts';

/** What stands before the sign of a cell: repetitions or spans, places, style. */
const SPECIFIER = /(?:^|(?<=\s))(?:(\d{1,2})\*|(\d{1,2})?(?:\.(\d{1,3}))?\+)?(?:[<^>]?(?:\.[<^>])?)([adehlmsv])?$/;

interface Cell {
  text: string;
  style: string;
  columns: number;
  rows: number;
}

export interface AsciidocTable {
  rows: { text: string; style: string }[][];
  spans: CellSpan[];
}

/** @param stated number of columns; 0 if the first line tells it */
export function asciidocTable(lines: readonly string[], stated: number, sign: string): AsciidocTable {
  const cells: Cell[] = [];
  let width = stated;
  const splitter = sign === '!' ? /(?<!\\)!/ : /(?<!\\)\|/;
  for (const line of lines) {
    const parts = line.split(splitter);
    let specifier = takeSpecifier(parts, 0, cells);
    for (let at = 1; at < parts.length; at += 1) {
      const [, repeated, columns, rows, style = ''] = SPECIFIER.exec(specifier) ?? [];
      const next = parts.length > at + 1 ? cutSpecifier(parts[at] ?? '') : { text: parts[at] ?? '', specifier: '' };
      specifier = next.specifier;
      const cell = { style, columns: Number(columns ?? 1), rows: Number(rows ?? 1) };
      for (let count = 0; count < Number(repeated ?? 1); count += 1) cells.push({ ...cell, text: next.text.trim() });
    }
    if (width === 0) width = cells.reduce((sum, { columns }) => sum + columns, 0);
  }
  return placeCells(cells, Math.max(1, width));
}

/** The specifier before the first cell of a line; other text there belongs to the cell before. */
function takeSpecifier(parts: readonly string[], at: number, cells: readonly Cell[]): string {
  const whole = parts[at] ?? '';
  const { text, specifier } = parts.length > 1 ? cutSpecifier(whole) : { text: whole, specifier: '' };
  const last = cells.at(-1);
  if (last !== undefined) last.text = `${last.text}\n${text.trim()}`;
  return specifier;
}

function cutSpecifier(part: string): { text: string; specifier: string } {
  const found = SPECIFIER.exec(part.slice(-20))?.[0] ?? '';
  return { text: part.slice(0, part.length - found.length), specifier: found };
}

const ROWS_MAX = 1000;

function placeCells(cells: readonly Cell[], width: number): AsciidocTable {
  const rows: AsciidocTable['rows'] = [];
  const spans: CellSpan[] = [];
  const taken = new Set<string>();
  let [row, column] = [0, 0];
  for (const { text, style, columns, rows: down } of cells) {
    while (column >= width || taken.has(`${row} ${column}`)) {
      column += 1;
      if (column < width) continue;
      row += 1;
      column = 0;
    }
    const across = Math.min(Math.max(1, columns), width - column);
    const height = Math.min(Math.max(1, down), ROWS_MAX);
    while (rows.length < row + 1) rows.push(Array.from({ length: width }, () => ({ text: '', style: '' })));
    const own = rows[row];
    if (own !== undefined) own[column] = { text: text.trim(), style };
    if (across > 1 || height > 1) {
      spans.push({ row, column, rows: height, columns: across });
      for (let y = row; y < row + height; y += 1)
        for (let x = column; x < column + across; x += 1) taken.add(`${y} ${x}`);
    }
    column += across;
  }
  const fitting = spans.map((span) => ({ ...span, rows: Math.min(span.rows, rows.length - span.row) }));
  return { rows, spans: fitting.filter((span) => span.rows > 1 || span.columns > 1) };
}

/** The sign between the fields of a format, unless the table states another. */
const SEPARATORS: Readonly<Record<string, string>> = byName({ csv: ',', tsv: '\t', dsv: ':' });

/** Rows of a table in a format of data; null for one in signs of cells. `sign` begins its first line. */
export function separatedRows(lines: readonly string[], attributes: string, sign: string): string[][] | null {
  const bySign = sign === ',' ? 'csv' : sign === ':' ? 'dsv' : undefined;
  const format = /(?:^|,)\s*format="?(csv|tsv|dsv)/.exec(attributes)?.[1] ?? bySign;
  if (format === undefined) return null;
  const stated = /(?:^|,)\s*separator=(?:"([^"]+)"|([^\s,\]]+))/.exec(attributes);
  const written = (stated?.[1] ?? stated?.[2] ?? '').replace('\\t', '\t');
  const separator = Array.from(written)[0] ?? SEPARATORS[format] ?? ',';
  return format === 'dsv' ? delimitedRows(lines, separator) : csvTableRows(lines, separator);
}

/** Rows whose fields have no quotes; a backslash takes a sign into its field. */
function delimitedRows(lines: readonly string[], separator: string): string[][] {
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const cells = [''];
      for (const piece of line.split(separator)) {
        const last = cells.length - 1;
        cells[last] += piece;
        if (cells[last]?.endsWith('\\') === true) cells[last] = `${cells[last].slice(0, -1)}${separator}`;
        else cells.push('');
      }
      return cells.slice(0, -1).map((cell) => cell.trim());
    });
}

/** The number of columns that `cols` states. */
export function statedColumns(attributes: string): number {
  return columnStyles(attributes).length;
}

/** The style of each column that `cols` states: a letter, or nothing. */
export function columnStyles(attributes: string): string[] {
  const [, quoted, plain] = /cols=\s*(?:"([^"]*)"|([^,\]]*))/.exec(attributes) ?? [];
  const value = quoted ?? plain ?? '';
  return value
    .split(/[,;]/)
    .filter((one) => one.trim() !== '')
    .flatMap((column) => {
      const style = /([adehlmsv])\s*$/.exec(column)?.[1] ?? '';
      return Array<string>(Math.min(100, Number(/^\s*(\d+)\*/.exec(column)?.[1] ?? 1))).fill(style);
    });
}
