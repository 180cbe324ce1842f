/** Tables of LaTeX: cells over several rows or columns, and the parts of tables of several pages. */

import type { CellSpan } from '../blocks.ts';
import type { NewBlock } from '../document-builder.ts';
import { withoutInline } from '../inline-marks.ts';
import { TexScanner } from './scanner.ts';

/** Lines of tables and their spacing. */
const RULES = /\\(?:hline|toprule|midrule|bottomrule)\b|\\c(?:line|midrule)\b[^\s{]*\{[^}]*\}/g;

/** Comments to the end of their line, behind an even number of backslashes. */
const COMMENTS = /((?<!\\)(?:\\\\)*)%[^\n]*\n?[ \t]*/g;

const ROW_ENDS = /\\\\(?:\[[^\]]*\])?|\\tabularnewline\b/;

/** What ends the first head of a table, those of its other pages, their foot, and the last foot. */
const PART_ENDS = /\\end(firsthead|head|foot|lastfoot)\b/;

/** Rows or columns of one cell. */
const SPAN_MAX = 100;

interface ReadTexTable {
  /** The source of the caption inside; null without one. */
  caption: string | null;
  table: NewBlock & { kind: 'table' };
  /** Text of heads and feet that a page repeats. */
  repeated: string[];
}

/** @param inlineText the text of a cell */
export function readTexTable(source: string, inlineText: (cell: string) => string): ReadTexTable {
  const { caption, rest } = takeCaption(source.replace(COMMENTS, '$1'));
  const { shown, repeated } = partsOfPages(rest);
  const spans: CellSpan[] = [];
  const rows: string[][] = [];
  for (const row of shown.flatMap((part) => part.replace(RULES, '').split(ROW_ENDS))) {
    const cells: string[] = [];
    const own: CellSpan[] = [];
    for (const cell of row.split(/(?<!\\)&/)) {
      const { columns, down } = reachOf(cell);
      if (columns > 1 || down > 1) own.push({ row: rows.length, column: cells.length, rows: down, columns });
      cells.push(inlineText(cell), ...Array<string>(columns - 1).fill(''));
    }
    // Cells under one that reaches down may be all empty.
    const isUnder = spans.some((span) => span.row + span.rows > rows.length) && row.includes('&');
    if (!isUnder && cells.every((cell) => cell === '')) continue;
    rows.push(cells);
    spans.push(...own);
  }
  const within = spans.map((span) => ({ ...span, rows: Math.min(span.rows, rows.length - span.row) }));
  const kept = within.filter(({ rows: down, columns }) => down > 1 || columns > 1);
  const table: ReadTexTable['table'] = { kind: 'table', rows };
  if (kept.length > 0) table.spans = kept;
  const text = (part: string) => part.replace(RULES, '').split(ROW_ENDS).map(rowText(inlineText)).join(' ');
  return {
    caption,
    table,
    repeated: repeated.map(text),
  };
}

const rowText = (inlineText: (cell: string) => string) => (row: string) =>
  row
    .split(/(?<!\\)&/)
    .map((cell) => withoutInline(inlineText(cell)))
    .join(' ');

function reachOf(cell: string): { columns: number; down: number } {
  const bounded = (stated: string | undefined) => Math.max(1, Math.min(Number(stated ?? 1), SPAN_MAX));
  return {
    columns: bounded(/^\s*\\multicolumn\s*\{\s*(\d{1,3})\s*\}/.exec(cell)?.[1]),
    down: bounded(/\\multirow\s*(?:\[[^\]]*\]\s*)?\{\s*(\d{1,3})\s*\}/.exec(cell)?.[1]),
  };
}

function takeCaption(source: string): { caption: string | null; rest: string } {
  const start = source.search(/\\caption\b/);
  if (start === -1) return { caption: null, rest: source };
  const scanner = new TexScanner(source);
  scanner.at = start + '\\caption'.length;
  scanner.takeMatch(/\*/y);
  scanner.takeOption();
  const caption = scanner.takeGroup();
  if (caption === null) return { caption: null, rest: source };
  const after = source.slice(scanner.at).replace(/^\s*(?:\\label\s*\{[^{}]*\}\s*)?(?:\\\\|\\tabularnewline\b)?/, '');
  return { caption, rest: source.slice(0, start) + after };
}

/** The parts of a table in the order of reading, and the heads and feet of pages between. */
function partsOfPages(source: string): { shown: string[]; repeated: string[] } {
  const pieces = source.split(PART_ENDS);
  const body = pieces.pop() ?? '';
  const parts = new Map<string, string>();
  for (let at = 0; at + 1 < pieces.length; at += 2) parts.set(pieces[at + 1] ?? '', pieces[at] ?? '');
  const [first, head, foot, last] = ['firsthead', 'head', 'foot', 'lastfoot'].map((name) => parts.get(name));
  return {
    shown: [first ?? head ?? '', body, last ?? foot ?? ''],
    repeated: [first === undefined ? undefined : head, last === undefined ? undefined : foot].filter(
      (part) => part !== undefined,
    ),
  };
}
