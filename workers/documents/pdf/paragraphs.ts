/** Groups lines into paragraphs by the document's tags, or by spacing, indentation and line ends. */

import { itemAt } from '../../../src-server/platform/item-at.ts';
import type { LineTag, PageLine } from './page-content.ts';
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

/** Size of a title over that of the page's text, its lines, and the largest gap between them, in line heights. */
const TITLE_SIZE = 1.15;

const TITLE_LINES_MAX = 4;

const TITLE_GAP_LINES = 0.35;

const BEGINS_WITH_NUMBER = /^[\p{N}(•]/u;

const IN_CAPITALS = /^[^\p{Ll}]*\p{Lu}[^\p{Ll}]*$/u;

/** Lines of a title that its font alone divides from the text below it. */
const STYLED_TITLE_LINES_MAX = 2;

const OTHER_SIZE_POINTS = 0.5;

/** A sentence or word that goes on. */
const ENDS_WITHIN = /[,;(\u2010-]$/u;

/** Free share of the block width after a paragraph's last line. */
const SHORT_LINE_SHARE = 0.25;

/** Gap, in font sizes, before the page number in a table of contents without dots. */
const CONTENTS_GAP = 4;

const LONE_NUMBER = /^[\divxlc]+$/i;

/** An entry of a table of contents. */
export const LEADER_TO_NUMBER = /(?:(?:[.·_…]\s?){4,}\s*|\s…\s)[\divxlc]+$/i;

/** Share of the block width from which the middle of a line says nothing. */
const FULL_LINE_SHARE = 0.9;

interface Bounds {
  left: number;
  right: number;
}

/** Line distance of text with wide spacing, in line heights, and its tolerance in points. */
const WIDE_GAP_LINES = 0.2;

/** Lines that begin this close together, in font sizes, are of one column. */
const COLUMN_SIZES = 3;

const COLUMN_POINTS_MAX = 200;

/** Largest indentation of a first line, in font sizes: half an inch in small type. */
const FIRST_LINE_SIZES = 4.5;

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
  const bodySize = bodySizeOf(lines);
  const paragraphs: PageLine[][] = [];
  /** Elements whose first line is a title. */
  const belowTitle = new Set<number>();
  for (const [index, line] of lines.entries()) {
    const open = paragraphs.at(-1);
    const before = open?.at(-1);
    const isNew = before === undefined || (line.tag === null && beginsItem(before, line, lines[index + 1]));
    const page = { bounds, edge, bodySize, next: lines[index + 1] };
    const isTitle = open !== undefined && endsTaggedTitle(open, line, edge);
    if (isTitle) belowTitle.add(line.group);
    const own = belowTitle.has(line.group) ? { ...line, tag: PARAGRAPH } : line;
    if (open !== undefined && isNumberBefore(open, own)) open.unshift(own);
    else if (!isNew && !isTitle && open !== undefined && goesOn(open, before, own, page)) open.push(own);
    else paragraphs.push([own]);
  }
  return paragraphs;
}

interface LinePair {
  before: PageLine;
  line: PageLine;
  pitch: number;
}

/** The lines with those of widely spaced text in one group, which MuPDF reads as a block each. */
function withWideBlocks(lines: PageLine[]): PageLine[] {
  if (lines.length > WIDE_LINES_MAX) return lines;
  const pairs = lines.flatMap((line, at) => {
    const before = lines[at - 1];
    return before !== undefined && isWidePair(before, line) ? [{ before, line, pitch: line.top - before.top }] : [];
  });
  if (pairs.length < WIDE_PAIRS_MIN) return lines;
  const edge = edgeOfColumns(lines);
  const continued = new Set(findWideText(pairs, edge).map(({ line }) => line));
  if (continued.size === 0) return lines;
  let group = 0;
  return lines.map((line) => {
    if (!continued.has(line)) group = line.group;
    return group === line.group ? line : { ...line, group };
  });
}

/** The pairs within a paragraph: those at the smallest distance at which most sentences go on. */
function findWideText(pairs: readonly LinePair[], edge: PageBounds['edge']): LinePair[] {
  const full = pairs.filter((pair) => isFullPair(pair, edge)).sort((one, other) => one.pitch - other.pitch);
  let least = 0;
  for (const { pitch } of full) {
    if (pitch < least) continue;
    const same = full.filter((pair) => Math.abs(pair.pitch - pitch) <= PITCH_POINTS);
    const open = same.filter(({ before }) => !ENDS_SENTENCE.test(before.text));
    if (same.length >= WIDE_PAIRS_MIN && open.length >= WIDE_GOES_ON_SHARE * same.length) return same;
    least = pitch + PITCH_POINTS;
  }
  return [];
}

/** Whether the upper line ends at the edge of its column, and the lower one begins no paragraph. */
function isFullPair({ before, line }: LinePair, edge: PageBounds['edge']): boolean {
  const indent = line.left - before.left;
  if (indent > COLUMN_SIZES * line.size || -indent > FIRST_LINE_SIZES * line.size) return false;
  // The first line of a paragraph, unless it hangs below an item.
  if (indent > INDENT * line.size && listMarkerOf(before.text) === null) return false;
  const right = Math.max(edge(before), edge(line));
  return before.right >= right - SHORT_LINE_SHARE * (right - Math.min(before.left, line.left));
}

/** Whether two lines of text follow with a gap that is wider than usual, but not one between paragraphs. */
function isWidePair(before: PageLine, line: PageLine): boolean {
  if (before.tag !== null || line.tag !== null || before.group === line.group) return false;
  if (before.face !== undefined && line.face !== undefined && before.face !== line.face) return false;
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
  bodySize: number;
  /** The line after the one in question. */
  next: PageLine | undefined;
}

function goesOn(open: PageLine[], before: PageLine, line: PageLine, page: PageBounds): boolean {
  const { bounds, edge, bodySize } = page;
  const tagged = before.tag !== null || line.tag !== null;
  const sameGroup = before.group === line.group;
  const height = Math.max(1, before.bottom - before.top);
  const gap = line.top - before.bottom;
  if (tagged) {
    if (!sameGroup) return false;
    if (sameRow(before, line) || (gap > -height / 2 && gap < ELEMENT_GAP_LINES * height)) return true;
    return isNextColumn(before, line);
  }
  if (sameRow(before, line)) return line.left >= before.left && !isLabelBeside(before, line);
  if (endsContentsLine(open) || endsCaption(open, line)) return false;
  const isOtherSize = Math.abs(before.size - line.size) > SIZE_CHANGE * Math.max(before.size, line.size);
  if (isOtherSize && !(sameGroup && isInSmallCapitals(before, line))) return false;
  if (before.bold !== line.bold && open.length === 1 && !(sameGroup && isMixedTitle(before, line))) return false;
  if (before.mono !== line.mono && !sameGroup) return false;
  const marker = listMarkerOf(line.text);
  const [first] = open;
  const isItem = first !== undefined && (listMarkerOf(first.text) !== null || isLoneMarker(first.text));
  if (marker !== null && (marker.bullet ? !goesOnInline(open, marker) : isItem || ENDS_SENTENCE.test(before.text))) {
    return false;
  }
  if (isItem && isBelowItem(open, line, page)) return false;
  if (listMarkerOf(first?.text ?? '')?.bullet !== true && endsStyledTitle(open, line, edge)) return false;
  if (isNextColumn(before, line)) return !ENDS_SENTENCE.test(before.text) && !line.bold;
  if (gap < -height / 2) return false;
  if (!sameGroup) {
    const isNear = gap < NEIGHBOUR_GAP_LINES * height && overlapsAcross(before, line);
    if (isNear && gap < TITLE_GAP_LINES * height && isSameTitle(open, line, bodySize)) return true;
    return isNear && (BEGINS_LOWER.test(line.text) || isWrapped(itemAt(open, 0), before, line, edge));
  }
  return gap < BLOCK_GAP_LINES * height && !beginsParagraph(before, line, bounds.get(line.group));
}

/** Whether a small label stands beside a title of more than one word, as `Chapter 1` does. */
function isLabelBeside(before: PageLine, line: PageLine): boolean {
  if (line.size < LABEL_SIZES * before.size || before.recognized === true) return false;
  return /\p{L}{2}/u.test(before.text) && /\p{L}{2,}\s+\p{L}/u.test(line.text);
}

/** Size of a title over that of a label beside it. */
const LABEL_SIZES = 2;

/** A title in small capitals has the size of its first letter, which may be a capital. */
function isInSmallCapitals(before: PageLine, line: PageLine): boolean {
  return before.face === line.face && IN_CAPITALS.test(before.text) && IN_CAPITALS.test(line.text);
}

/** Centred lines of one size, the first of them in several fonts. */
function isMixedTitle(before: PageLine, line: PageLine): boolean {
  const isCentred = Math.abs(before.left + before.right - line.left - line.right) < line.size;
  return before.face === undefined && line.bold && isCentred && Math.abs(before.size - line.size) < 0.5;
}

/** Whether a line goes on in the large font of the title above it. */
function isSameTitle(open: readonly PageLine[], line: PageLine, bodySize: number): boolean {
  const before = itemAt(open, -1);
  if (before.recognized === true || open.length >= TITLE_LINES_MAX || before.face !== line.face) return false;
  if (line.face === undefined || Math.abs(before.size - line.size) > 0.5 || line.size < TITLE_SIZE * bodySize)
    return false;
  return !ENDS_SENTENCE.test(before.text) && !BEGINS_WITH_NUMBER.test(line.text);
}

/** Whether a line is the number of a title that is drawn after it, as some boxes for numbers are. */
function isNumberBefore(open: readonly PageLine[], line: PageLine): boolean {
  const [title] = open;
  if (title === undefined || open.length > 1 || line.tag !== null || title.tag !== null || !sameRow(title, line))
    return false;
  const gap = title.left - line.right;
  const isAlike = line.face === title.face && line.bold && title.bold && Math.abs(line.size - title.size) < 0.5;
  return isAlike && TITLE_NUMBER.test(line.text) && gap > 0 && gap < NUMBER_GAP_SIZES * line.size;
}

const TITLE_NUMBER = /^(?:\d{1,2}(?:\.\d{1,2})*\.?|[IVX]{1,5}\.?|[Ⅰ-Ⅻ])$/u;

const NUMBER_GAP_SIZES = 3;

/** Whether an element that is tagged as an item of a list holds a numbered title and, from this line on, its text. */
function endsTaggedTitle(open: readonly PageLine[], line: PageLine, edge: PageBounds['edge']): boolean {
  const [first] = open;
  if (first?.tag?.kind !== 'list-item' || first.group !== line.group || sameRow(itemAt(open, -1), line)) return false;
  const text = open.map((one) => one.text).join(' ');
  const words = open.filter((one) => one !== first || !isLoneMarker(one.text));
  return listMarkerOf(text)?.bullet === false && endsStyledTitle(words, line, edge);
}

const PARAGRAPH: LineTag = { kind: 'paragraph' };

/** `·` and `•` also divide the words of a list within a sentence. */
function goesOnInline(open: readonly PageLine[], { marker }: ListMarker): boolean {
  return open.some(({ text }) => text.includes(` ${marker} `));
}

/**
 * Whether a title of a line or two, in a font of its own, ends above a line of text: it is bold or larger, or the next
 * word had room.
 */
function endsStyledTitle(open: readonly PageLine[], line: PageLine, edge: PageBounds['edge']): boolean {
  const [first] = open;
  const before = itemAt(open, -1);
  if (first?.face === undefined || line.face === first.face || open.length > STYLED_TITLE_LINES_MAX) return false;
  if (ENDS_WITHIN.test(before.text) || !open.every(({ face }) => face === first.face)) return false;
  const isBoldTitle = !line.bold && open.every(({ bold }) => bold);
  const isOtherStyle = isBoldTitle || before.size - line.size >= OTHER_SIZE_POINTS;
  return (line.face !== undefined && isOtherStyle) || hasRoomFor(before, line, edge);
}

/** Whether a line is left of the text of an item, which did not wrap, or begins a paragraph that is. */
function isBelowItem(open: readonly PageLine[], line: PageLine, { edge, next }: PageBounds): boolean {
  const [first] = open;
  const before = itemAt(open, -1);
  if (first === undefined || isNextColumn(before, line)) return false;
  const isLeft = (one: PageLine) => one.left <= first.left + NO_INDENT * first.size;
  if (!isLeft(line)) {
    const isIndented = next !== undefined && next.top > line.top && isLeft(next) && listMarkerOf(next.text) === null;
    return isIndented && hasRoomFor(before, line, edge) && !hasRoomFor(line, next, edge);
  }
  const isHanging = open.some(({ left, top }) => top >= first.bottom && left > first.left + INDENT * first.size);
  return isHanging || hasRoomFor(before, line, edge);
}

/** Whether the first word of a line would have fit into the line before it. */
function hasRoomFor(before: PageLine, line: PageLine, edge: PageBounds['edge']): boolean {
  return before.right + firstWordWidth(line) <= edge(before);
}

/** With the space before it. */
function firstWordWidth({ text, left, right }: PageLine): number {
  const [word = ''] = text.split(' ', 1);
  return ((word.length + 1) / Math.max(1, text.length)) * (right - left);
}

/** Whether the first word of the next line of an item or title did not fit into the line before it. */
function isWrapped(first: PageLine, before: PageLine, line: PageLine, edge: (line: PageLine) => number): boolean {
  if (ENDS_SENTENCE.test(before.text) || before.recognized === true || before.bold !== line.bold) return false;
  const isTitle = before.bold && Math.abs(before.size - line.size) < 0.5 && !SECTION_NUMBER.test(line.text);
  if (!isTitle && !hangsBelow(first, before, line)) return false;
  if (line.left < before.left - NO_INDENT * line.size || line.left > before.left + HANG_SIZES * line.size) return false;
  return !hasRoomFor(before, line, edge);
}

const SECTION_NUMBER = /^(?:\d+(?:\.\d+)*\.?|[IVXL]+\.|[A-Z]\.)\s/u;

/** The right edge of the lines that begin near a line, by lefts in whole points: a page may have very many lines. */
function edgeOfColumns(lines: readonly PageLine[]): (line: PageLine) => number {
  const edges = new Map<number, number>();
  for (const { left, right } of lines) {
    const place = Math.round(left);
    edges.set(place, Math.max(edges.get(place) ?? right, right));
  }
  return ({ left, right, size }) => {
    const reach = Math.min(COLUMN_SIZES * size, COLUMN_POINTS_MAX);
    let edge = right;
    for (let place = Math.ceil(left - reach); place <= left + reach; place += 1) {
      edge = Math.max(edge, edges.get(place) ?? right);
    }
    return edge;
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

/** Whether a caption ends above text of another size. */
function endsCaption(open: readonly PageLine[], line: PageLine): boolean {
  const [first] = open;
  return first !== undefined && Math.abs(first.size - line.size) >= OTHER_SIZE_POINTS && isCaption(first.text);
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
  const width = block.right - block.left;
  const areFull = [before, line].every(({ left, right }) => right - left >= FULL_LINE_SHARE * width);
  const centred = !areFull && Math.abs(before.left + before.right - line.left - line.right) < 2 * line.size;
  const endsEarly = before.right < block.right - SHORT_LINE_SHARE * width;
  if (centred && !endsEarly) return false;
  const indented = line.left - block.left > INDENT * line.size && before.left - block.left < NO_INDENT * line.size;
  // A line that goes on with a small letter hangs below the line before it.
  if (indented && !listMarkerOf(before.text) && !BEGINS_LOWER.test(line.text) && !isHangingTitle(before, line))
    return true;
  return endsEarly && ENDS_SENTENCE.test(before.text) && !BEGINS_LOWER.test(line.text);
}

/** Signs that are bullets wherever a text begins with one; those of symbol fonts are private characters. */
const BULLET_SIGN = '[•◦▪▫‣⁃●○◎■□▣◈►➢✓❖∙·◆◇▶▷▸▹◼◻❑❒➔➜➤✔✗☑☐\uFFFD\uF020-\uF0FF]';

/** The second line of a numbered title in bold begins below its words. */
function isHangingTitle(before: PageLine, line: PageLine): boolean {
  return before.bold && line.bold && before.face === line.face && SECTION_NUMBER.test(before.text);
}

/** Start of a list item: a bullet, or a number or letter with a full stop or bracket. */
const BULLET = new RegExp(`^(${BULLET_SIGN}|[–—―‒*-](?=\\s)|[ㅇㆍ](?=\\s))\\s*(?=\\S)`, 'u');

/** A bullet apart from its text, or in a column of its own. */
export const LONE_BULLET = new RegExp(`^${BULLET_SIGN}$`, 'u');

/** Boxes to tick, and what stands between dashes, such as the number of a page or a name. */
const NO_ITEM = /^(?:[□☐☑■][^□☐☑■√]*[□☐☑■√]|[–—-]\s*\d+\s*[–—-]?\s*$|[–—-]\s.*\s[–—-]$)/u;

/** `**` explains another mark of the same table. */
const STARRED_NOTE = /^\*[^*]*\*\*/u;

/** Also the numbers of nested items: `1.2.`, `3.a.`, `9b)`. */
const COUNT = '\\d{1,3}|\\d{1,2}(?:\\.\\d{1,2}){1,5}|\\d{1,2}\\.?[a-z]|[a-zA-Z]|[ivx]{1,5}|[IVX]{2,5}';

const NUMBER = new RegExp(`^([①-⑳](?=\\s*\\S)|\\(?(?:${COUNT})[.)](?=\\s+\\S))\\s*`, 'u');

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

/** Without a sign after its number. */
const BARE_CAPTION = new RegExp(`^${CAPTION_WORD}:?\\s+\\d{1,3}[a-z]?\\s+(?=\\p{L})`, 'iu');

const BEGINS_UPPER = /^\p{Lu}/u;

/** Whether a paragraph is the caption of a figure or table; a sentence goes on with a verb in small letters. */
export function isCaption(text: string): boolean {
  if (CAPTION.test(text)) return true;
  const [start = ''] = BARE_CAPTION.exec(text) ?? [];
  return start !== '' && BEGINS_UPPER.test(text) && BEGINS_UPPER.test(text.slice(start.length));
}

/** The most frequent font size, by characters. */
export function bodySizeOf(lines: readonly PageLine[]): number {
  const characters = new Map<number, number>();
  for (const { size, text } of lines) {
    const step = Math.round(size * 2) / 2;
    characters.set(step, (characters.get(step) ?? 0) + text.length);
  }
  let body = 0;
  let most = 0;
  for (const [size, count] of characters) {
    if (count > most) [body, most] = [size, count];
  }
  return body;
}
