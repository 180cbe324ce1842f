/**
 * Reading order. Programs nearly always write a page's text in reading order. If they did not (rows across columns,
 * lines from the bottom up), the page is cut along its gutters and read column by column.
 */
import type { Box, PageLine } from './page-content.ts';

/** Upward jumps, other than to a next column, from which the file's order is not used. */
const BACKWARD_JUMPS = 3;
const BACKWARD_SHARE = 0.05;
/** Consecutive rows with running text in both halves: columns written across. */
const ACROSS_ROWS = 4;
const ACROSS_SHARE = 0.25;
const RUNNING_TEXT_CHARS = 20;
/** A gutter: at least this wide, crossed by few lines, with enough lines on both sides, away from the page edges. */
const GUTTER_POINTS = 6;
const GUTTER_CROSSING_SHARE = 0.35;
const GUTTER_SIDE_LINES = 3;
const GUTTER_EDGE_SHARE = 0.15;
const BIN_POINTS = 2;
const CUTS_MAX = 8;

/** The lines in reading order. */
export function inReadingOrder(lines: PageLine[]): PageLine[] {
  return lines.length < 3 || !isDisordered(lines) ? lines : cut(lines, 0);
}

/** Whether two lines are in one row. */
export function sameRow(a: Box, b: Box): boolean {
  const overlap = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return overlap > 0.5 * Math.min(a.bottom - a.top, b.bottom - b.top);
}

/** Rows from the top, each from left to right. */
export function rowsOf<Line extends Box>(lines: readonly Line[]): Line[][] {
  const rows: Line[][] = [];
  for (const line of [...lines].sort((a, b) => a.top + a.bottom - b.top - b.bottom)) {
    const row = rows.at(-1);
    const head = row?.[0];
    if (row !== undefined && head !== undefined && sameRow(head, line)) row.push(line);
    else rows.push([line]);
  }
  for (const row of rows) row.sort((a, b) => a.left - b.left);
  return rows;
}

function isDisordered(lines: PageLine[]): boolean {
  let backward = 0;
  let across = 0;
  for (let index = 1; index < lines.length; index += 1) {
    const before = lines[index - 1] as PageLine;
    const line = lines[index] as PageLine;
    if (sameRow(before, line)) {
      const gap = line.left - before.right;
      const both = Math.min(before.text.length, line.text.length) >= RUNNING_TEXT_CHARS;
      if (gap < -1) backward += 1;
      else if (both && gap > before.size) across += 1;
    } else if (line.bottom <= before.top && line.left < before.right - before.size && line.left < before.left + 20) {
      backward += 1;
    }
  }
  const transitions = lines.length - 1;
  if (backward >= BACKWARD_JUMPS && backward > transitions * BACKWARD_SHARE) return true;
  return across >= ACROSS_ROWS && across > transitions * ACROSS_SHARE;
}

function cut(lines: PageLine[], depth: number): PageLine[] {
  const gutter = depth < CUTS_MAX ? findGutter(lines) : null;
  if (gutter === null) return rowsOf(lines).flat();
  const result: PageLine[] = [];
  let left: PageLine[] = [];
  let right: PageLine[] = [];
  const flush = () => {
    if (left.length > 0) result.push(...cut(left, depth + 1));
    if (right.length > 0) result.push(...cut(right, depth + 1));
    left = [];
    right = [];
  };
  for (const line of rowsOf(lines).flat()) {
    if (line.right <= gutter) left.push(line);
    else if (line.left >= gutter) right.push(line);
    else {
      flush();
      result.push(line);
    }
  }
  flush();
  return result;
}

/** The middle of the widest strip that few lines cross and that has columns on both sides; null if there is none. */
function findGutter(lines: PageLine[]): number | null {
  const start = Math.min(...lines.map((line) => line.left));
  const end = Math.max(...lines.map((line) => line.right));
  const bins = Math.ceil((end - start) / BIN_POINTS);
  if (lines.length < 2 * GUTTER_SIDE_LINES || !(bins > 0) || bins > 10_000) return null;
  const crossings = new Uint32Array(bins + 1);
  for (const line of lines) {
    const last = Math.min(bins, Math.floor((line.right - start) / BIN_POINTS));
    for (let bin = Math.floor((line.left - start) / BIN_POINTS); bin <= last; bin += 1) {
      crossings[bin] = (crossings[bin] ?? 0) + 1;
    }
  }
  const edge = Math.floor(bins * GUTTER_EDGE_SHARE);
  const inner = crossings.subarray(edge, bins - edge);
  const allowed = Math.min(...inner) + Math.floor(lines.length * 0.02);
  if (allowed > lines.length * GUTTER_CROSSING_SHARE) return null;
  const strip = widestStrip(inner, allowed);
  if (strip.length * BIN_POINTS < GUTTER_POINTS) return null;
  const middle = start + (edge + strip.from + strip.length / 2) * BIN_POINTS;
  const leftLines = lines.filter((line) => line.right <= middle).length;
  const rightLines = lines.filter((line) => line.left >= middle).length;
  return Math.min(leftLines, rightLines) >= GUTTER_SIDE_LINES ? middle : null;
}

function widestStrip(crossings: Uint32Array, allowed: number): { from: number; length: number } {
  let best = { from: 0, length: 0 };
  let from = 0;
  for (let bin = 0; bin <= crossings.length; bin += 1) {
    const free = bin < crossings.length && (crossings[bin] ?? 0) <= allowed;
    if (free) continue;
    if (bin - from > best.length) best = { from, length: bin - from };
    from = bin + 1;
  }
  return best;
}
