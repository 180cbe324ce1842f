/**
 * In a tagged PDF all that no tag names is decoration, such as the date and address that a browser prints at a page's
 * edges, or goes on from the page before, where a browser tags no more of it: a paragraph's rest, the head of a table
 * over several pages. MuPDF leaves it inside of the page's last element, often a table's last cell: behind its text
 * what was written after all tags, before it what was written before them.
 */
import type { PageLine } from './page-content.ts';
import { sameRow } from './reading-order.ts';

/** Share of a page's height, at the top and at the bottom, in which decoration stands. */
const EDGE_SHARE = 0.12;
/** Distance, in heights of a line, from the element's own text. */
const FAR_LINES = 3;
/** Difference of sizes below which a line may be the element's own, gone on in the next column. */
const SIZE_TOLERANCE = 0.1;
/** Vertical gap, in heights of a line, that parts what stood before the tags. */
const PARAGRAPH_GAP_LINES = 0.8;

interface TaggedLines {
  /** In the order of the file. */
  lines: PageLine[];
  /** Those that stand in an element within a block's. */
  inner: ReadonlySet<PageLine>;
}

/** Takes what no tag names out of the page's last element, or its last cell. */
export function detachStrayLines({ lines, inner }: TaggedLines, pageHeight: number): void {
  moveLeading(lines, inner);
  const last = lines.at(-1);
  if (last === undefined || last.tag === null) return;
  const members = lines.slice(startOf(last.group, lines));
  const from = members.findIndex((line, index) => index > 0 && isStray(line, members.slice(0, index), pageHeight));
  if (from < 0) return;
  const groups = highestGroup(lines);
  for (const [index, line] of members.slice(from).entries()) {
    line.tag = { kind: 'artifact' };
    line.group = groups + 1 + index;
  }
}

/** Puts what was written before all tags to the page's beginning. */
function moveLeading(lines: PageLine[], inner: ReadonlySet<PageLine>): void {
  const { start, end } = onlyDirect(lines, inner) ?? farFromOwn(lines, inner) ?? { start: 0, end: 0 };
  const moved = lines.splice(start, end - start);
  regroup(moved, lines);
  lines.unshift(...moved);
}

interface Run {
  start: number;
  end: number;
}

/** Lines before the text of an element, where each line of the page but these is in an element within a block's. */
function onlyDirect(lines: readonly PageLine[], inner: ReadonlySet<PageLine>): Run | null {
  const isDirect = (line: PageLine | undefined) => line !== undefined && line.tag !== null && !inner.has(line);
  const start = lines.findIndex(isDirect);
  if (start < 0) return null;
  let end = start;
  while (isDirect(lines[end]) && lines[end]?.group === lines[start]?.group) end += 1;
  // Behind the text of the last element may be more that no tag names.
  const next = lines.slice(end).findIndex(isDirect);
  const isLast = next < 0 || lines.slice(end + next).every(isDirect);
  return isLast && lines[end]?.group === lines[start]?.group ? { start, end } : null;
}

/** Lines of the last element before its own text, which is in an element within it, and far from that. */
function farFromOwn(lines: readonly PageLine[], inner: ReadonlySet<PageLine>): Run | null {
  const start = startOf(lines.at(-1)?.group, lines);
  const own = lines.findIndex((line, index) => index >= start && inner.has(line));
  if (own <= start || lines[start]?.tag === null) return null;
  const first = lines[own] as PageLine;
  return lines.slice(start, own).every((line) => isFar(line, first)) ? { start, end: own } : null;
}

function startOf(lastGroup: number | undefined, lines: readonly PageLine[]): number {
  return lines.findLastIndex((line) => line.group !== lastGroup) + 1;
}

/** No tag is theirs: lines close below each other belong together. */
function regroup(moved: readonly PageLine[], others: readonly PageLine[]): void {
  let group = highestGroup(others);
  let before: PageLine | null = null;
  for (const line of moved) {
    const gap = before === null ? Number.POSITIVE_INFINITY : line.top - before.bottom;
    const isBeside = before !== null && sameRow(before, line);
    if (isBeside || gap > PARAGRAPH_GAP_LINES * (line.bottom - line.top)) group += 1;
    line.tag = null;
    line.group = group;
    before = line;
  }
}

function highestGroup(lines: readonly PageLine[]): number {
  return lines.reduce((highest, { group }) => Math.max(highest, group), 0);
}

function isFar(line: PageLine, own: PageLine): boolean {
  const far = FAR_LINES * (line.bottom - line.top);
  return line.top - own.bottom > far || own.top - line.bottom > far;
}

function isStray(line: PageLine, before: readonly PageLine[], pageHeight: number): boolean {
  const isAtEdge = line.bottom <= pageHeight * EDGE_SHARE || line.top >= pageHeight * (1 - EDGE_SHARE);
  if (!isAtEdge || !before.every((own) => isFar(line, own))) return false;
  const isNextColumn = before.every((own) => line.left >= own.right);
  const first = before[0] as PageLine;
  return !isNextColumn || Math.abs(line.size - first.size) > SIZE_TOLERANCE * first.size;
}
