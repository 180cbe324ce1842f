/**
 * A page's text as MuPDF finds it: lines with their place, size and weight, and, in a tagged PDF, what the document
 * itself says each line is (heading, table cell, list item …).
 */
import type { PDFPage } from 'mupdf';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { bodySizeOf } from './headings.ts';
import { PAGE_JSON_CHARS_MAX } from './limits.ts';
import type { Box, LineTag, PageLine } from './page-content.ts';
import { sameRow } from './reading-order.ts';
import { mayBeDisordered, type RtlLine, settleDirection } from './right-to-left.ts';
import { detachStrayLines } from './stray-lines.ts';
import { composeAccents, isTexFont } from './tex-accents.ts';

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

/** What has text to be read: a page, or what an annotation draws on it. */
export type Drawing = Pick<PDFPage, 'toStructuredText'>;

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
