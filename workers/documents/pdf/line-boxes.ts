import type { PlacedLine } from '../blocks.ts';
import type { Box, PageLine } from './page-content.ts';

/** Boxes are rounded to this part of a point. */
const PRECISION = 10;

/** Positions of a block's lines. `starts` are their offsets in its text, `breaks` the indexes that start a page. */
export function placedLines(
  lines: readonly PageLine[],
  starts: readonly number[],
  page: number,
  breaks: ReadonlySet<number>,
): PlacedLine[] {
  let at = page;
  return lines.map((line, index) => {
    if (breaks.has(index)) at += 1;
    return placedBox(starts[index] ?? 0, at, line);
  });
}

/** Offsets of lines in a text that keeps each of them whole, such as code. */
export function startsIn(text: string, lines: readonly PageLine[]): number[] {
  let from = 0;
  return lines.map((line) => {
    const words = line.text.trim();
    const at = text.indexOf(words, from);
    if (at < 0) return from;
    from = at + words.length;
    return at;
  });
}

export function placedBox(start: number, page: number, { left, top, right, bottom }: Box): PlacedLine {
  return [start, page, roundPoints(left), roundPoints(top), roundPoints(right), roundPoints(bottom)];
}

function roundPoints(points: number): number {
  return Math.round(points * PRECISION) / PRECISION;
}
