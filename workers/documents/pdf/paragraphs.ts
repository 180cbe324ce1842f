/** Groups lines into paragraphs by the document's tags, or by spacing, indentation and line ends. */

import { itemAt } from '../../../src-server/platform/item-at.ts';
import type { PageLine } from './page-content.ts';
import { sameRow } from './reading-order.ts';

/** Largest vertical gap within a paragraph, in line heights: for lines of one block, and of different blocks. */
const BLOCK_GAP_LINES = 1.6;

const NEIGHBOUR_GAP_LINES = 0.6;

/** Gap that divides even a tagged element: MuPDF attaches untagged text to the element before it. */
const ELEMENT_GAP_LINES = 4;

/** Relative difference of font sizes that separates paragraphs; code within text has 0.85 of its size. */
const SIZE_CHANGE = 0.16;

/** First-line indentation, in font sizes, and how far left the line before must start. */
const INDENT = 0.8;

const NO_INDENT = 0.3;

/** Largest indentation of an item's text below its marker, in font sizes. */
const HANG_SIZES = 4;

/** Free share of the block width after a paragraph's last line. */
const SHORT_LINE_SHARE = 0.25;

/** Gap, in font sizes, before the page number in a table of contents without dots. */
const CONTENTS_GAP = 4;

const LONE_NUMBER = /^[\divxlc]+$/i;

/** An entry of a table of contents. */
export const LEADER_TO_NUMBER = /(?:[.·_…]\s?){4,}\s*[\divxlc]+$/i;

interface Bounds {
  left: number;
  right: number;
}

/** Line distance of text with wide spacing, in line heights, and its tolerance in points. */
const WIDE_GAP_LINES = 0.2;

/** Lines that begin this close together, in font sizes, are of one column. */
const COLUMN_SIZES = 3;

const PITCH_POINTS = 1;

/** Pairs of lines at this distance, and share of them in which the sentence goes on, that show such text. */
const WIDE_PAIRS_MIN = 3;

const WIDE_GOES_ON_SHARE = 0.6;

/** Bound on the lines searched for it, which are compared with each other. */
const WIDE_LINES_MAX = 5000;

/** Groups lines in reading order into paragraphs, headings and list items. */
export function groupLines(all: PageLine[]): PageLine[][] {
  const lines = withWideBlocks(all);
  const bounds = boundsOfGroups(lines);
  const edge = edgeOfColumns(lines);
  const paragraphs: PageLine[][] = [];
  for (const [index, line] of lines.entries()) {
    const open = paragraphs.at(-1);
    const before = open?.at(-1);
    const isNew = before === undefined || (line.tag === null && beginsItem(before, line, lines[index + 1]));
    if (!isNew && open !== undefined && goesOn(open, before, line, { bounds, edge })) open.push(line);
    else paragraphs.push([line]);
  }
  return paragraphs;
}

/** The lines with those of widely spaced text in one group, which MuPDF reads as a block each. */
function withWideBlocks(lines: PageLine[]): PageLine[] {
  if (lines.length > WIDE_LINES_MAX) return lines;
  const pairs = lines.flatMap((line, at) => {
    const before = lines[at - 1];
    return before !== undefined && isWidePair(before, line) ? [{ before, line, pitch: line.top - before.top }] : [];
  });
  if (pairs.length < WIDE_PAIRS_MIN) return lines;
  const sameAs = (pitch: number) => pairs.filter((pair) => Math.abs(pair.pitch - pitch) <= PITCH_POINTS);
  const usual = pairs
    .map(({ pitch }) => sameAs(pitch))
    .reduce((most, next) => (next.length > most.length ? next : most));
  const edge = edgeOfColumns(lines);
  const full = usual.filter(({ before, line }) => {
    const right = Math.max(edge(before), edge(line));
    const left = Math.min(before.left, line.left);
    const isAligned = Math.abs(before.left - line.left) <= COLUMN_SIZES * line.size;
    return isAligned && before.right >= right - SHORT_LINE_SHARE * (right - left);
  });
  const open = full.filter(({ before }) => !ENDS_SENTENCE.test(before.text));
  if (full.length < WIDE_PAIRS_MIN || open.length < WIDE_GOES_ON_SHARE * full.length) return lines;
  const continued = new Set(full.map(({ line }) => line));
  let group = 0;
  return lines.map((line) => {
    if (!continued.has(line)) group = line.group;
    return group === line.group ? line : { ...line, group };
  });
}

/** Whether two lines of text follow with a gap that is wider than usual, but not one between paragraphs. */
function isWidePair(before: PageLine, line: PageLine): boolean {
  if (before.tag !== null || line.tag !== null || before.group === line.group) return false;
  if (before.bold || line.bold || before.recognized === true || Math.abs(before.size - line.size) > 0.5) return false;
  const height = before.bottom - before.top;
  const gap = line.top - before.bottom;
  return gap > WIDE_GAP_LINES * height && gap < BLOCK_GAP_LINES * height && overlapsAcross(before, line);
}

/** Whether a line is a list marker separate from its text. */
function beginsItem(before: PageLine, line: PageLine, next: PageLine | undefined): boolean {
  if (next === undefined || sameRow(before, line) || !isLoneMarker(line.text)) return false;
  return sameRow(line, next) && next.left >= line.right;
}

function boundsOfGroups(lines: PageLine[]): Map<number, Bounds> {
  const bounds = new Map<number, Bounds>();
  for (const { group, left, right } of lines) {
    const known = bounds.get(group);
    bounds.set(group, { left: Math.min(known?.left ?? left, left), right: Math.max(known?.right ?? right, right) });
  }
  return bounds;
}

interface PageBounds {
  /** Of the groups. */
  bounds: ReadonlyMap<number, Bounds>;
  /** The right edge of the column of a line. */
  edge: (line: PageLine) => number;
}

function goesOn(open: PageLine[], before: PageLine, line: PageLine, { bounds, edge }: PageBounds): boolean {
  const tagged = before.tag !== null || line.tag !== null;
  const sameGroup = before.group === line.group;
  const height = Math.max(1, before.bottom - before.top);
  const gap = line.top - before.bottom;
  if (tagged) {
    if (!sameGroup) return false;
    if (sameRow(before, line) || (gap > -height / 2 && gap < ELEMENT_GAP_LINES * height)) return true;
    return isNextColumn(before, line);
  }
  if (sameRow(before, line)) return line.left >= before.left;
  if (endsContentsLine(open)) return false;
  if (Math.abs(before.size - line.size) > SIZE_CHANGE * Math.max(before.size, line.size)) return false;
  if (before.bold !== line.bold && open.length === 1) return false;
  if (before.mono !== line.mono && !sameGroup) return false;
  const marker = listMarkerOf(line.text);
  if (marker !== null && (marker.bullet || listMarkerOf(open[0]?.text ?? '') || ENDS_SENTENCE.test(before.text))) {
    return false;
  }
  if (isNextColumn(before, line)) return !ENDS_SENTENCE.test(before.text) && !line.bold;
  if (gap < -height / 2) return false;
  if (!sameGroup) {
    const isNear = gap < NEIGHBOUR_GAP_LINES * height && overlapsAcross(before, line);
    return isNear && (BEGINS_LOWER.test(line.text) || isWrapped(itemAt(open, 0), before, line, edge));
  }
  return gap < BLOCK_GAP_LINES * height && !beginsParagraph(before, line, bounds.get(line.group));
}

/** Whether the first word of the next line of an item or title did not fit into the line before it. */
function isWrapped(first: PageLine, before: PageLine, line: PageLine, edge: (line: PageLine) => number): boolean {
  if (ENDS_SENTENCE.test(before.text) || before.recognized === true || before.bold !== line.bold) return false;
  const isTitle = before.bold && Math.abs(before.size - line.size) < 0.5 && !SECTION_NUMBER.test(line.text);
  if (!isTitle && !hangsBelow(first, before, line)) return false;
  if (line.left < before.left - NO_INDENT * line.size || line.left > before.left + HANG_SIZES * line.size) return false;
  const [word = ''] = line.text.split(' ', 1);
  const needed = ((word.length + 1) / Math.max(1, line.text.length)) * (line.right - line.left);
  return before.right + needed > edge(before);
}

const SECTION_NUMBER = /^(?:\d+(?:\.\d+)*\.?|[IVXL]+\.|[A-Z]\.)\s/u;

function edgeOfColumns(lines: readonly PageLine[]): (line: PageLine) => number {
  return ({ left, size }) => {
    const near = lines.filter((one) => Math.abs(one.left - left) <= COLUMN_SIZES * size);
    return Math.max(...near.map(({ right }) => right));
  };
}

/** Whether a line goes on below the text of an item, right of its marker. */
function hangsBelow(first: PageLine, before: PageLine, line: PageLine): boolean {
  const marker = listMarkerOf(first.text);
  if (marker === null) return false;
  const indent = line.left - first.left;
  return indent > NO_INDENT * first.size && indent < HANG_SIZES * first.size && line.left <= before.left + first.size;
}

/** The line of a table of contents may be split: number, title, dots, page. */
function endsContentsLine(open: readonly PageLine[]): boolean {
  const last = itemAt(open, -1);
  if (LEADER_TO_NUMBER.test(last.text)) return true;
  const left = open.at(-2);
  if (left === undefined || !sameRow(left, last) || !LONE_NUMBER.test(last.text)) return false;
  return LEADER_TO_NUMBER.test(`${left.text} ${last.text}`) || last.left - left.right > CONTENTS_GAP * last.size;
}

function isNextColumn(before: PageLine, line: PageLine): boolean {
  return line.bottom <= before.top && line.left >= before.right - before.size;
}

function overlapsAcross(a: Bounds, b: Bounds): boolean {
  return a.left < b.right && b.left < a.right;
}

/**
 * Within one block: an indented line after an unindented one, or any line after a sentence that ends early in its line.
 */
function beginsParagraph(before: PageLine, line: PageLine, block: Bounds | undefined): boolean {
  if (block === undefined) return false;
  const centred = Math.abs(before.left + before.right - line.left - line.right) < 2 * line.size;
  const width = block.right - block.left;
  const endsEarly = before.right < block.right - SHORT_LINE_SHARE * width;
  if (centred && !endsEarly) return false;
  const indented = line.left - block.left > INDENT * line.size && before.left - block.left < NO_INDENT * line.size;
  // A line that goes on with a small letter hangs below the line before it.
  if (indented && !listMarkerOf(before.text) && !BEGINS_LOWER.test(line.text)) return true;
  return endsEarly && ENDS_SENTENCE.test(before.text) && !BEGINS_LOWER.test(line.text);
}

/** Start of a list item: a bullet, or a number or letter with a full stop or bracket. */
const BULLET = /^([•◦▪▫‣⁃●○■□►➢✓❖∙·◆◇▶▷▸▹◼◻❑❒➔➜➤✔✗☑☐\uFFFD\uF020-\uF0FF]|[–—―‒*-](?=\s)|[ㅇㆍ](?=\s))\s*(?=\S)/u;

/** Boxes to tick, and the number of a page between dashes. */
const NO_ITEM = /^(?:[□☐☑■][^□☐☑■√]*[□☐☑■√]|[–—-]\s*\d+\s*[–—-]?\s*$)/u;

/** `**` explains another mark of the same table. */
const STARRED_NOTE = /^\*[^*]*\*\*/u;

const NUMBER = /^(\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)])\s+(?=\S)/u;

/** Word's bullet of the second level, which is a letter. */
export const LETTER_BULLET = 'o';

export interface ListMarker {
  marker: string;
  /** Length of the marker and the space after it. */
  length: number;
  bullet: boolean;
}

export function listMarkerOf(text: string): ListMarker | null {
  if (NO_ITEM.test(text) || STARRED_NOTE.test(text)) return null;
  const bullet = BULLET.exec(text);
  if (bullet !== null) return { marker: bullet[1] ?? '', length: bullet[0].length, bullet: true };
  const number = NUMBER.exec(text);
  return number === null ? null : { marker: number[1] ?? '', length: number[0].length, bullet: false };
}

/** The marker of an item whose first line contains only the marker. */
export function markerApart(first: string, text: string): ListMarker | null {
  if (first !== LETTER_BULLET || !text.startsWith(`${first} `)) return listMarkerOf(text);
  return { marker: first, length: first.length + 1, bullet: true };
}

/** Whether a line is only a marker, as happens if the marker is far from its item. */
export function isLoneMarker(text: string): boolean {
  return text === LETTER_BULLET || listMarkerOf(`${text} .`)?.length === text.length + 1;
}

/** Matches a possible sentence end; brackets and quotation marks may follow. */
export const ENDS_SENTENCE = /[.!?:;…。！？]["'”’)\]]*$/u;

/** Matches the continuation of a sentence. */
export const BEGINS_LOWER = /^\p{Ll}/u;

/** First words of figure and table captions, in the most frequent languages. */
const CAPTION_WORD =
  '(?:fig(?:ure|\\.)?|table|tab\\.|abb(?:ildung|\\.)?|tabelle|tableau|figura|tabla|tabella|chart|listing)';

export const CAPTION = new RegExp(`^${CAPTION_WORD}\\s*[\\divx]+\\s*(?:[.:–—-]|$)`, 'iu');
