/**
 * A page's text as MuPDF finds it: lines with their place, size and weight, and, in a tagged PDF, what the document
 * itself says each line is (heading, table cell, list item …).
 */

import type { PDFPage } from 'mupdf';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { bodySizeOf } from './headings.ts';
import { PAGE_JSON_CHARS_MAX } from './open-pdf.ts';
import type { Box, Drawing, LineTag, PageLine } from './page-content.ts';
import { sameRow } from './reading-order.ts';
import { mayBeDisordered, type RtlLine, settleDirection } from './right-to-left.ts';

/** MuPDF writes whole numbers, so it is asked for tenths of a point. */
const SCALE = 10;

const STEXT_OPTIONS = 'preserve-images';

const CONTROL = /\p{Cc}/gu;

const WORD = /[\p{L}\p{N}]{2}/u;

/** Size against the page's body from which a line stands out whether it is bold or not. */
const LARGE = 1.25;

/** Gap, in font sizes, that is none between words. */
const GLUED_GAP = 0.1;

const BOLD_NAME = /bold|black|heavy|semibold|demi/i;

interface JsonBox {
  x: number;
  y: number;
  w: number;
  h: number;
}

interface JsonLine {
  bbox: JsonBox;
  font: { name: string; weight: string; size: number };
  /** Its base. */
  y: number;
  text: string;
}

type JsonBlock =
  | { type: 'text'; bbox: JsonBox; lines: JsonLine[] }
  | { type: 'image'; bbox: JsonBox }
  | { type: 'structure'; raw?: string; std?: string; contents?: JsonBlock[] };

export interface RawPage {
  lines: PageLine[];
  /** Places of the page's images. */
  images: { left: number; top: number; right: number; bottom: number }[];
  /** Lines that an element within a cell, a paragraph … holds, and not that one itself. */
  inner: ReadonlySet<PageLine>;
  /** Lines from right to left whose order is to be settled. */
  rtl: readonly RtlLine[];
}

/** Errors: whatever MuPDF throws on a broken page; `source_too_large` for a page beyond every measure. */
export function readLines(page: PDFPage): RawPage {
  const raw = readTagged(page);
  settleDirection(page, raw.rtl);
  const [, top, , bottom] = page.getBounds();
  detachStrayLines(raw, bottom - top);
  settleBold(page, raw.lines);
  return raw;
}

/** The lines of what an annotation draws. */
export function readDrawing(drawing: Drawing): PageLine[] {
  const raw = collect(structuredText(drawing, ''));
  settleDirection(drawing, raw.rtl);
  return raw.lines;
}

function readTagged(page: PDFPage): RawPage {
  try {
    return collect(structuredText(page, `${STEXT_OPTIONS},structured`));
  } catch (error) {
    if (error instanceof QuarryError) throw error;
    // A broken tag tree (also one nested past the stack) must not cost the page's text.
    return collect(structuredText(page, STEXT_OPTIONS));
  }
}

/**
 * MuPDF tells the font of a line's first character only. Where that is bold and could make a heading of the line, the
 * page is read once more by runs of one font, and a line that is not bold to its end counts as not bold. What is a
 * heading by its size needs no second reading, which costs as much as the first.
 */
function settleBold(page: PDFPage, lines: PageLine[]): void {
  const largeSize = bodySizeOf(lines) * LARGE;
  const doubtful = lines.filter(
    ({ bold, text, tag, size }) => bold && size < largeSize && text.includes(' ') && tag?.kind !== 'heading',
  );
  if (doubtful.length === 0) return;
  const plain = collect(structuredText(page, 'preserve-spans')).lines.filter(
    ({ bold, text }) => !bold && WORD.test(text),
  );
  for (const line of doubtful) {
    line.bold = !plain.some(
      (run) => run.top < line.bottom && run.bottom > line.top && run.left < line.right && run.right > line.left,
    );
  }
}

function structuredText(page: Drawing, options: string): JsonBlock[] {
  const text = page.toStructuredText(options);
  try {
    const json = text.asJSON(SCALE);
    if (json.length > PAGE_JSON_CHARS_MAX) {
      throw new QuarryError('source_too_large', 'A page of the PDF holds more text than can be read. Split the page.');
    }
    return (JSON.parse(json) as { blocks: JsonBlock[] }).blocks;
  } finally {
    text.destroy();
  }
}

/** Where in the tag tree a block stands. */
interface Place {
  tag: LineTag | null;
  /** Identity of the innermost element that is a block of its own; 0 outside of all tags. */
  element: number;
  listDepth: number;
  table: TablePlace | null;
  /** Of code: the element around it, whose text it may be a part of. */
  outer: Pick<PageLine, 'tag' | 'group'> | null;
  /** Within an element that is no block of its own. */
  isInner: boolean;
}

const OUTSIDE: Place = { tag: null, element: 0, listDepth: -1, table: null, outer: null, isInner: false };

interface TablePlace {
  table: number;
  row: number;
  column: number;
}

function collect(blocks: JsonBlock[]): RawPage {
  const inner = new Set<PageLine>();
  const rtl: RtlLine[] = [];
  const page: RawPage = { lines: [], images: [], inner, rtl };
  let groups = 0;
  let isTex = false;
  let endsInSpace = true;
  let blank: { raw: string; box: Box } | null = null;
  const outerOf = new Map<number, NonNullable<Place['outer']>>();
  const addLine = ({ bbox, font, y, text: written }: JsonLine, place: Place, group: number) => {
    const raw = written.replace(CONTROL, ' ').normalize('NFC');
    const text = raw.trim();
    const isApart = endsInSpace || !raw.startsWith(text);
    endsInSpace = text === '' || !raw.endsWith(text);
    const box = boxOf(bbox);
    const indent = blank !== null && sameRow(blank.box, box) ? blank.raw : '';
    blank = text === '' ? { raw: indent + raw, box } : null;
    if (text === '') return;
    isTex ||= isTexFont(font.name);
    joinInlineCode(page.lines, box, group, outerOf);
    const last = page.lines.at(-1);
    const isInline = place.outer !== null && last?.group === place.outer.group && sameRow(last, box);
    const own = isInline && place.outer !== null ? place.outer : { tag: place.tag, group };
    const glued = !isApart && last !== undefined && last.group === own.group && touches(last, box);
    const line: PageLine = {
      ...box,
      // The spaces a line of code begins with are a part of it.
      text: own.tag?.kind === 'code' ? (indent + raw).trimEnd() : text,
      size: font.size / SCALE,
      bold: font.weight === 'bold' || BOLD_NAME.test(font.name),
      ...own,
      ...(glued ? { glued } : {}),
    };
    page.lines.push(line);
    if (place.isInner) inner.add(line);
    if (mayBeDisordered(text)) rtl.push({ line, written, base: y / SCALE });
  };
  const visit = (block: JsonBlock, place: Place): void => {
    if (block.type === 'image') {
      page.images.push(boxOf(block.bbox));
      return;
    }
    if (block.type === 'structure') {
      groups += 1;
      const within = enter(block.std ?? block.raw ?? '', place, groups);
      for (const child of block.contents ?? []) visit(child, within);
      return;
    }
    if (block.type !== 'text') return;
    groups += 1;
    const group = place.element === 0 ? groups : place.element;
    if (place.outer !== null) outerOf.set(group, place.outer);
    for (const line of block.lines) addLine(line, place, group);
  };
  for (const block of blocks) visit(block, OUTSIDE);
  if (isTex) for (const line of page.lines) line.text = composeAccents(line.text);
  return page;
}

/** Code in whose row the text around it goes on is a part of that text. */
function joinInlineCode(
  lines: PageLine[],
  box: Box,
  group: number,
  outerOf: ReadonlyMap<number, NonNullable<Place['outer']>>,
): void {
  const code = lines.at(-1);
  const outer = code === undefined ? undefined : outerOf.get(code.group);
  if (code === undefined || outer?.group !== group || !sameRow(code, box)) return;
  const { group: own } = code;
  for (let at = lines.length - 1; lines[at]?.group === own; at -= 1) {
    const line = lines[at] as PageLine;
    Object.assign(line, outer, { text: line.text.trim() });
  }
}

function touches(before: PageLine, box: Box): boolean {
  return sameRow(before, box) && Math.abs(box.left - before.right) <= GLUED_GAP * before.size;
}

function boxOf({ x, y, w, h }: JsonBox) {
  return { left: x / SCALE, top: y / SCALE, right: (x + w) / SCALE, bottom: (y + h) / SCALE };
}

/** The place inside an element of the tag tree, by PDF's standard roles; all others are inline or mere grouping. */
function enter(role: string, place: Place, element: number): Place {
  const block = blockPlace(role, { ...place, isInner: false }, element);
  return block ?? { ...place, isInner: place.element !== 0 };
}

function cellTag({ table, row, column }: TablePlace, role: string): LineTag {
  const cell = { kind: 'cell', table, row: Math.max(0, row), column } as const;
  return role === 'TH' ? { ...cell, isHead: true } : cell;
}

/** Null for what is no block of its own. */
function blockPlace(role: string, place: Place, element: number): Place | null {
  const heading = /^H([1-6])?$/.exec(role);
  if (heading !== null) return { ...place, element, tag: { kind: 'heading', level: Number(heading[1] ?? 1) } };
  switch (role) {
    case 'Table':
      return { ...place, element, tag: null, table: { table: element, row: -1, column: -1 } };
    case 'TR':
      if (place.table !== null) {
        place.table.row += 1;
        place.table.column = -1;
      }
      return { ...place, element };
    case 'TH':
    case 'TD':
      if (place.table === null) return { ...place, element };
      place.table.column += 1;
      return { ...place, element, tag: cellTag(place.table, role) };
    case 'L':
      return { ...place, element, listDepth: place.listDepth + 1 };
    case 'LI':
      return {
        ...place,
        element,
        tag: place.table ? place.tag : { kind: 'list-item', depth: Math.max(0, place.listDepth) },
      };
    case 'Caption':
      return { ...place, element, tag: { kind: 'caption' } };
    case 'Note':
    case 'FENote':
      return { ...place, element, tag: { kind: 'note' } };
    case 'Code':
      // In a cell or a heading code is a word like others.
      if (place.tag?.kind === 'cell' || place.tag?.kind === 'heading') return null;
      return {
        ...place,
        element,
        tag: { kind: 'code' },
        outer: place.tag === null ? null : { tag: place.tag, group: place.element },
      };
    case 'Artifact':
      return { ...place, element, tag: { kind: 'artifact' } };
    case 'P':
      return place.tag === null ? { ...place, element, tag: { kind: 'paragraph' } } : null;
    default:
      return null;
  }
}

/** TeX's own fonts have no letters with accents: it draws the accent, then the letter under it. */

/** Computer Modern, behind the letters that mark a part of a font. */
const TEX_FONT = /^(?:[A-Z]{6}\+)?CM[A-Z]{1,6}\d{1,2}$/;

/** By the accent that stands alone, the one that joins the letter before it. */
const JOINING: Readonly<Record<string, string>> = {
  '`': '\u0300',
  '\u00B4': '\u0301',
  '\u02C6': '\u0302',
  '\u02DC': '\u0303',
  '\u00AF': '\u0304',
  '\u02D8': '\u0306',
  '\u02D9': '\u0307',
  '\u00A8': '\u0308',
  '\u02DA': '\u030A',
  '\u02DD': '\u030B',
  '\u02C7': '\u030C',
  '\u00B8': '\u0327',
};

const ACCENT_AND_LETTER = /([`\u00B4\u02C6\u02DC\u00AF\u02D8\u02D9\u00A8\u02DA\u02DD\u02C7\u00B8])(\p{L})/gu;

/** The letters under an accent lose their dot. */
const DOTTED: Readonly<Record<string, string>> = { '\u0131': 'i', '\u0237': 'j' };

function isTexFont(name: string): boolean {
  return TEX_FONT.test(name);
}

/** Letters with the accents that stand before them; what no letter bears stays as it is. */
function composeAccents(text: string): string {
  return text.replace(ACCENT_AND_LETTER, (written, accent: string, letter: string) => {
    const whole = `${DOTTED[letter] ?? letter}${JOINING[accent]}`.normalize('NFC');
    return [...whole].length === 1 ? whole : written;
  });
}

/**
 * In a tagged PDF all that no tag names is decoration, such as the date and address that a browser prints at a page's
 * edges, or goes on from the page before, where a browser tags no more of it: a paragraph's rest, the head of a table
 * over several pages. MuPDF leaves it inside of the page's last element, often a table's last cell: behind its text
 * what was written after all tags, before it what was written before them.
 */

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
function detachStrayLines({ lines, inner }: TaggedLines, pageHeight: number): void {
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
