/** Code: paragraphs in a font of equal widths, whose lines and indents are kept. */

import { itemAt } from '../../../src-server/platform/item-at.ts';
import type { PageLine } from './page-content.ts';
import { ENDS_SENTENCE } from './paragraphs.ts';
import { sameRow } from './reading-order.ts';

/** Above this share of a document's or page's text the font is that of the text, as in a typewritten letter. */
const TYPED_SHARE = 0.6;

const TYPED_SHARE_OF_PAGE = 0.95;

/** Largest distance of lines of one block of code, from top to top, in line heights. */
const LINE_DISTANCE_MAX = 3.2;

/** Gap between the lines of a sentence, in line heights. */
const SENTENCE_GAP_LINES = 0.6;

/** Bound on the spaces and empty lines that a distance stands for. */
const SPACES_MAX = 200;

const EMPTY_LINES_MAX = 2;

/** Whether lines in such a font are code in a document with these lines. */
export function hasCode(lines: readonly PageLine[]): boolean {
  return isMonospaceWithin(lines, TYPED_SHARE);
}

/** The same for one page, which may be mostly code. */
export function pageHasCode(lines: readonly PageLine[]): boolean {
  return isMonospaceWithin(lines, TYPED_SHARE_OF_PAGE);
}

function isMonospaceWithin(lines: readonly PageLine[], share: number): boolean {
  let mono = 0;
  let all = 0;
  for (const line of lines) {
    all += line.text.length;
    if (line.mono === true) mono += line.text.length;
  }
  return mono > 0 && mono <= share * all;
}

export function isCode(lines: readonly PageLine[]): boolean {
  return lines.length > 0 && lines.every(({ mono, tag }) => mono === true && tag === null);
}

/** Whether the lines continue the code before them on the same page. */
export function continuesCode(before: readonly PageLine[] | null, lines: readonly PageLine[] | null): boolean {
  const [last, first] = [before?.at(-1), lines?.[0]];
  if (last === undefined || first === undefined) return false;
  const distance = first.top - last.top;
  const isBelow = sameRow(last, first) || (distance > 0 && distance <= LINE_DISTANCE_MAX * (last.bottom - last.top));
  return isBelow && Math.abs(last.size - first.size) < 1;
}

export function isCodeRow(lines: readonly PageLine[]): boolean {
  const [first] = lines;
  return first !== undefined && isCode(lines) && lines.every((line) => sameRow(first, line));
}

/** Whether a row of code is the rest of a sentence that the text above it does not end. */
export function continuesSentence(above: readonly PageLine[], [row]: readonly PageLine[]): boolean {
  const last = above.at(-1);
  if (last === undefined || row === undefined || last.mono === true || ENDS_SENTENCE.test(last.text)) return false;
  const gap = row.top - last.bottom;
  const height = last.bottom - last.top;
  return gap > -height / 2 && gap < SENTENCE_GAP_LINES * height && row.left <= last.right;
}

/** The text of code, with the indents and empty lines that the places of its lines show. */
export function codeText(lines: readonly PageLine[]): string {
  const rows: PageLine[][] = [];
  for (const line of lines) {
    const row = rows.at(-1);
    if (row?.[0] !== undefined && sameRow(row[0], line)) row.push(line);
    else rows.push([line]);
  }
  const margin = Math.min(...lines.map(({ left }) => left));
  const width = medianOf(lines.map(({ left, right, text }) => (right - left) / Math.max(1, text.length)));
  const pitch = medianOf(distancesOf(rows));
  return rows
    .map((row, at) => {
      const down = at === 0 ? 0 : topOf(row) - topOf(itemAt(rows, at - 1));
      const empty = pitch > 0 && down > 0 ? Math.round(down / pitch) - 1 : 0;
      return '\n'.repeat(Math.min(EMPTY_LINES_MAX, Math.max(0, empty))) + rowText(row, margin, width);
    })
    .join('\n');
}

function rowText(row: readonly PageLine[], margin: number, width: number): string {
  let written = '';
  for (const { left, text } of row.toSorted((one, other) => one.left - other.left)) {
    const column = width > 0 ? Math.round((left - margin) / width) : 0;
    const spaces = column - written.length;
    written += ' '.repeat(Math.min(SPACES_MAX, Math.max(written === '' ? 0 : 1, spaces))) + text;
  }
  return written;
}

function topOf(row: readonly PageLine[]): number {
  return row[0]?.top ?? 0;
}

/** Distances of neighbouring rows, in order of size without those of empty lines: the smaller half. */
function distancesOf(rows: readonly PageLine[][]): number[] {
  const distances = rows.slice(1).map((row, at) => topOf(row) - topOf(itemAt(rows, at)));
  const down = distances.filter((distance) => distance > 0).sort((one, other) => one - other);
  return down.slice(0, Math.ceil(down.length / 2));
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
