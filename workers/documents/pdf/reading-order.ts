import { itemAt } from '../../../src-server/platform/item-at.ts';
/**
 * Reading order. Programs nearly always write a page's text in reading order, but a block may be out of place: browsers
 * paint code, floats and placed boxes before or after the text around them. So the file's order is kept, and each line
 * waits for the lines above it in its column. If a page is written in rows across its columns, it is cut along its
 * gutters and read column by column.
 */
import type { Box, PageLine } from './page-content.ts';

/** Upward jumps and their share of all steps from which the file's order says little. */
const BACKWARD_JUMPS = 3;
const BACKWARD_SHARE = 0.05;
/** Rows with several texts of such a length are columns, unless there are only so many. */
const BESIDE_CHARS = 12;
const BESIDE_ROWS_MAX = 2;
/** Share of the narrower line's width that two lines of one column have in common. */
const COMMON_WIDTH_SHARE = 0.5;
/** Largest gap, in font sizes, between pieces of one row that must be in order. */
const ROW_GAP = 0.6;
/** Largest indentation, in font sizes, between lines of one paragraph. */
const INDENT_MAX = 3;
/** Consecutive rows with running text in both halves: columns written across. */
const ACROSS_ROWS = 4;
const ACROSS_SHARE = 0.25;
const RUNNING_TEXT_CHARS = 20;
/** A column of running text: at least so many lines, of so many characters in the mean. */
const RUNNING_LINES = 5;
const RUNNING_LINE_CHARS = 12;
/** Letters without capitals count, because a sentence may begin with any of them. */
const BEGINS_WITHIN = /^[\p{Ll}\p{Lo}]/u;
/** A gutter: at least this wide, crossed by few lines, with enough lines on both sides, away from the page edges. */
const GUTTER_POINTS = 6;
const GUTTER_CROSSING_SHARE = 0.35;
const GUTTER_SIDE_LINES = 3;
const GUTTER_EDGE_SHARE = 0.15;
const BIN_POINTS = 2;
const CUTS_MAX = 8;
/** Bound on the lines that are compared with each other; a page with more is a map or a table, and keeps its order. */
const COMPARED_LINES_MAX = 1500;

/** The lines in reading order. That of tagged text is stated. */
export function sortInReadingOrder(lines: PageLine[]): PageLine[] {
  if (lines.length < 2 || isTagged(lines)) return lines;
  if (isWrittenAcross(lines)) return cutAtGutters(lines, 0);
  if (lines.length > COMPARED_LINES_MAX) return lines;
  return isScattered(lines) ? groupLineRows(lines).flat() : fromAbove(lines);
}

/**
 * Divides lines in reading order where the text goes on at the top of a next column. Columns that are no running text
 * may be those of a table, and stay together.
 */
export function divideTextColumns<Line extends PageLine>(lines: readonly Line[]): Line[][] {
  const columns: Line[][] = [];
  for (const line of lines) {
    const open = columns.at(-1);
    const before = open?.at(-1);
    if (open === undefined || before === undefined || line.bottom <= before.top) columns.push([line]);
    else open.push(line);
  }
  const joined: Line[][] = [];
  let isOpen = false;
  for (const column of columns) {
    const isRunning = isRunningText(column);
    if (isOpen && !isRunning) joined.at(-1)?.push(...column);
    else joined.push(column);
    isOpen = !isRunning;
  }
  return joined;
}

/** Long lines that begin within a sentence. */
function isRunningText(lines: readonly PageLine[]): boolean {
  const characters = lines.reduce((sum, { text }) => sum + text.length, 0);
  const within = lines.filter(({ text }) => BEGINS_WITHIN.test(text)).length;
  return lines.length >= RUNNING_LINES && characters >= RUNNING_LINE_CHARS * lines.length && within * 2 > lines.length;
}

function isTagged(lines: readonly PageLine[]): boolean {
  const tagged = lines.filter(({ tag }) => tag !== null && tag.kind !== 'artifact' && tag.kind !== 'formula');
  return tagged.length * 2 > lines.length;
}

/**
 * The file's order, except that a line comes after those that precede it on the page: they are read before it, or a
 * smaller block, such as a box that is painted before all text, waits until they are read.
 */
function fromAbove(lines: readonly PageLine[]): PageLine[] {
  const result: PageLine[] = [];
  const places = readingOrderPlaces(lines);
  const waiting = lines.map(() => true);
  /** First lines of blocks that wait, each with the count of lines that precede it. */
  const later = new Map<number, number>();
  const readFollowingLines = (first: number) => {
    const open: Waiting[] = [{ index: first, next: 0, block: null }];
    waiting[first] = false;
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const before = nextBefore(top, places, waiting);
      if (before === null) {
        result.push(itemAt(lines, top.index));
        open.pop();
        const place = itemAt(places, top.index);
        for (const [index, count] of later) {
          if (precedesInReading(place, itemAt(places, index))) later.set(index, count - 1);
        }
      } else {
        waiting[before] = false;
        open.push({ index: before, next: 0, block: null });
      }
    }
  };
  for (let first = 0; first < lines.length; first += 1) {
    if (!waiting[first]) continue;
    const end = endOfBlock(places, first);
    const before = isBeginning(places, waiting, first) ? countBefore(places, waiting, first) : 0;
    if (before > end - first) {
      later.set(first, before);
      first = end - 1;
      continue;
    }
    readFollowingLines(first);
    for (const [index, count] of later) {
      if (count > 0) continue;
      later.delete(index);
      for (let next = index; next < endOfBlock(places, index); next += 1) if (waiting[next]) readFollowingLines(next);
    }
  }
  for (const first of lines.keys()) if (waiting[first]) readFollowingLines(first);
  return result;
}

/** Whether the line does not go on below the line before it in the file. */
function isBeginning(lines: readonly PageLine[], waiting: readonly boolean[], index: number): boolean {
  const [before, line] = [lines[index - 1], itemAt(lines, index)];
  return (
    before === undefined || waiting[index - 1] === true || !overlapsSideways(before, line) || before.top > line.top
  );
}

/** The index after the last line of the block that begins at `first`. */
function endOfBlock(lines: readonly PageLine[], first: number): number {
  let end = first + 1;
  for (; end < lines.length; end += 1) {
    const [before, line] = [itemAt(lines, end - 1), itemAt(lines, end)];
    if (!sameRow(before, line) && !(overlapsSideways(before, line) && before.top < line.top)) break;
  }
  return end;
}

function countBefore(lines: readonly PageLine[], waiting: readonly boolean[], index: number): number {
  const line = itemAt(lines, index);
  return lines.filter((other, at) => at !== index && waiting[at] && precedesInReading(other, line)).length;
}

interface Waiting {
  index: number;
  /** Lines before this index are known not to precede it. */
  next: number;
  /** The block of which a part precedes it: its last line so far, and its sides. */
  block: { last: number; left: number; right: number } | null;
}

/** The next line that must come before `top`: the rest of an open block above it, else the next that precedes it. */
function nextBefore(top: Waiting, lines: readonly PageLine[], waiting: readonly boolean[]): number | null {
  const place = itemAt(lines, top.index);
  const { block } = top;
  if (block !== null) {
    const next = lines[block.last + 1];
    const goesOn = next !== undefined && waiting[block.last + 1] && next.bottom <= place.top;
    if (goesOn && (overlapsSideways(next, block) || sameRow(next, itemAt(lines, block.last)))) {
      const [left, right] = [Math.min(block.left, next.left), Math.max(block.right, next.right)];
      top.block = { last: block.last + 1, left, right };
      return top.block.last;
    }
    top.block = null;
  }
  for (; top.next < lines.length; top.next += 1) {
    const line = itemAt(lines, top.next);
    if (!waiting[top.next] || !precedesInReading(line, place)) continue;
    top.block = { last: top.next, left: line.left, right: line.right };
    return top.next;
  }
  return null;
}

function overlapsSideways(a: Pick<Box, 'left' | 'right'>, b: Pick<Box, 'left' | 'right'>): boolean {
  return a.left < b.right && b.left < a.right;
}

/** The lines with the widths that they take part in: cells that are written as a row have the width of the row. */
function readingOrderPlaces(lines: readonly PageLine[]): PageLine[] {
  const places = lines.map((line, index) => ({ ...line, ...widthOf(line, lines[index - 1]) }));
  for (let start = 0, end = 1; end <= places.length; end += 1) {
    const [before, line] = [itemAt(lines, end - 1), lines[end]];
    if (line !== undefined && sameRow(before, line) && line.left >= before.right) continue;
    const row = places.slice(start, end);
    const right = Math.max(...row.map((place) => place.right));
    for (const place of row) Object.assign(place, { left: row[0]?.left, right });
    start = end;
  }
  return places;
}

/** The last line of a paragraph may be short: it takes the width of the line before it. */
function widthOf(line: PageLine, before: PageLine | undefined): Pick<Box, 'left' | 'right'> {
  const isBelow = before?.group === line.group && before.bottom <= line.top + line.size / 2;
  if (!isBelow || Math.abs(before.left - line.left) > INDENT_MAX * line.size) return line;
  return { left: Math.min(line.left, before.left), right: Math.max(line.right, before.right) };
}

function precedesInReading(a: PageLine, b: PageLine): boolean {
  if (sameRow(a, b)) return a.left < b.left && a.right <= b.left + 1 && b.left - a.right < ROW_GAP * b.size;
  const common = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  return a.top < b.top && common > COMMON_WIDTH_SHARE * Math.min(a.right - a.left, b.right - b.left);
}

/** Whether two lines are in one row. */
export function sameRow(a: Box, b: Box): boolean {
  const overlap = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return overlap > 0.5 * Math.min(a.bottom - a.top, b.bottom - b.top);
}

/** Rows from the top, each from left to right. */
export function groupLineRows<Line extends Box>(lines: readonly Line[]): Line[][] {
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

/** Whether consecutive pieces of running text are often in one row. */
function isWrittenAcross(lines: readonly PageLine[]): boolean {
  let across = 0;
  for (let index = 1; index < lines.length; index += 1) {
    const before = itemAt(lines, index - 1);
    const line = itemAt(lines, index);
    const gap = Math.max(line.left - before.right, before.left - line.right);
    const both = Math.min(before.text.length, line.text.length) >= RUNNING_TEXT_CHARS;
    if (both && gap > before.size && sameRow(before, line)) across += 1;
  }
  return across >= ACROSS_ROWS && across > (lines.length - 1) * ACROSS_SHARE;
}

/** Whether the file jumps up often and the page has no columns, as in forms. */
function isScattered(lines: readonly PageLine[]): boolean {
  let backward = 0;
  for (let index = 1; index < lines.length; index += 1) {
    const before = itemAt(lines, index - 1);
    const line = itemAt(lines, index);
    const isInRow = sameRow(before, line);
    if (isInRow ? line.right < before.left : line.bottom <= before.top) backward += 1;
  }
  if (backward < BACKWARD_JUMPS || backward <= (lines.length - 1) * BACKWARD_SHARE) return false;
  const besides = groupLineRows(lines).filter(
    (row) => row.filter(({ text }) => text.length >= BESIDE_CHARS).length > 1,
  );
  return besides.length <= BESIDE_ROWS_MAX;
}

function cutAtGutters(lines: PageLine[], depth: number): PageLine[] {
  const gutter = depth < CUTS_MAX ? findGutter(lines) : null;
  if (gutter === null) return groupLineRows(lines).flat();
  const result: PageLine[] = [];
  let left: PageLine[] = [];
  let right: PageLine[] = [];
  const flushGutterSides = () => {
    if (left.length > 0) result.push(...cutAtGutters(left, depth + 1));
    if (right.length > 0) result.push(...cutAtGutters(right, depth + 1));
    left = [];
    right = [];
  };
  for (const line of groupLineRows(lines).flat()) {
    if (line.right <= gutter) left.push(line);
    else if (line.left >= gutter) right.push(line);
    else {
      flushGutterSides();
      result.push(line);
    }
  }
  flushGutterSides();
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
