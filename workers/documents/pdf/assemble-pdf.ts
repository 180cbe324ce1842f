import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocumentComment } from '../../../src-server/features/documents/schema.ts';
import type { TaskContext } from '../../../src-server/platform/pool/worker-pool.ts';
import type { Block, NormalizedDocument, PlacedLine } from '../blocks.ts';
import { finishDocument } from '../finish-document.ts';
import type { AssemblePdfInput, ExtractDocumentOutput, PdfFacts, RecognizedPage } from '../tasks.ts';
import { findFurniture } from './headers-footers.ts';
import { Headings } from './headings.ts';
import { placedBox, placedLines, startsIn } from './line-boxes.ts';
import { hasMeaning, LETTERS_MIN, lettersIn } from './meaning.ts';
import type { Box, PageComment, PageLine, PagePart, PdfPage } from './page-content.ts';
import { BEGINS_LOWER, CAPTION, ENDS_SENTENCE, type ListMarker, listMarkerOf, markerApart } from './paragraphs.ts';
import { sameRow } from './reading-order.ts';

const STAGE = 'assembling';

const READ_PERCENT = 50;

const CUT_PERCENT = 80;

/** Recognised pages, one per line, with confidences and boxes. Written only if pages were recognised. */
const OCR_FILE = 'ocr.jsonl';

/** Joins the pages and writes the document's files. Errors: `cancelled`. */
export async function assemblePdf(input: AssemblePdfInput, context: TaskContext): Promise<ExtractDocumentOutput> {
  const { signal } = context;
  const recognized = new Map<number, RecognizedPage>();
  for (const path of input.recognizedPaths) {
    const page = await readJson<RecognizedPage>(path, signal);
    recognized.set(page.number, page);
  }
  if (recognized.size > 0) {
    const lines = [...recognized.values()].map((page) => `${JSON.stringify(page)}\n`);
    await writeFile(join(input.outputFolder, OCR_FILE), lines.join(''), { signal });
  }
  const pages: PdfPage[] = [];
  for (const path of input.pagesPaths) {
    for (const page of await readJson<PdfPage[]>(path, signal)) {
      const text = recognized.get(page.number);
      pages.push(text === undefined ? page : withRecognizedText(page, text));
    }
  }
  context.progress(READ_PERCENT, STAGE, 'Joining the pages');
  const document = assembleDocument(pages, {
    facts: input.facts,
    includeComments: input.includeComments,
    warnings: [...warningsOf(input), ...input.warnings],
  });
  const origin = { fileName: input.fileName, sha256: await sha256Of(input.sourcePath, signal) };
  return finishDocument(document, { ...input, origin }, () => {
    context.progress(CUT_PERCENT, STAGE, 'Cutting into chunks');
    signal.throwIfAborted();
  });
}

async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  const sum = createHash('sha256');
  for await (const piece of createReadStream(path, { signal })) sum.update(piece as Buffer);
  return sum.digest('hex');
}

/** Parses without validation: the job's own tasks wrote the files. */
async function readJson<Value>(path: string, signal: AbortSignal): Promise<Value> {
  return JSON.parse(await readFile(path, { encoding: 'utf8', signal })) as Value;
}

function warningsOf({ facts, damagedPages }: AssemblePdfInput): string[] {
  const warnings: string[] = [];
  if (facts.repaired) warnings.push('The file is damaged; only the recoverable part was read.');
  if (damagedPages.length > 0) warnings.push(`Damaged pages that could not be read: ${damagedPages.join(', ')}.`);
  return warnings;
}

/** Joins pages into one document: headings, lists, tables, furniture, and paragraphs across page ends. */
const NOTE_MARKER = /^\[?(\d{1,3}|[*†‡§])\]?\s*/u;

const CAPTION_CHARS_MAX = 600;

interface Paragraph {
  lines: PageLine[];
  page: number;
  /** Indexes in `lines` at which a new page starts. */
  breaks: Set<number>;
}

type Piece =
  | { kind: 'paragraph'; paragraph: Paragraph }
  | { kind: 'table'; open: OpenTable }
  | { kind: 'comment'; block: Block };

export interface AssembleOptions {
  facts: PdfFacts;
  includeComments: boolean;
  warnings: string[];
}

/** Takes the pages in order. */
export function assembleDocument(pages: readonly PdfPage[], options: AssembleOptions): NormalizedDocument {
  const { facts } = options;
  const furniture = findFurniture(pages);
  const { pieces, heads } = piecesOf(pages, furniture.lines, options.includeComments);
  const paragraphs = pieces.flatMap((piece) => (piece.kind === 'paragraph' ? [piece.paragraph.lines] : []));
  const headings = new Headings(paragraphs, facts.outline);
  const hyphenated = hyphenatedWords(paragraphs.flat());
  const body = pieces.map((piece) => {
    if (piece.kind === 'paragraph') return blockOf(piece.paragraph, headings, hyphenated);
    return piece.kind === 'table' ? piece.open.block : piece.block;
  });
  const furnitureAt = (place: 'header' | 'footer'): Block[] =>
    furniture.texts
      .filter((item) => item.place === place && !heads.has(item.text))
      .map((item) => ({ kind: 'page-furniture', ...item }));
  return {
    format: 'pdf',
    title: facts.title,
    author: facts.author,
    language: facts.language,
    pages: facts.pageCount,
    pageSizes: pages.map(({ width, height }) => [width, height]),
    revisions: 'none',
    blocks: [...furnitureAt('header'), ...body, ...furnitureAt('footer')],
    comments: options.includeComments ? pages.flatMap(({ comments }) => comments.map(withoutPlace)) : [],
    changes: [],
    warnings: options.warnings,
  };
}

/** `heads` are the repeated head lines of tables across pages, which are left out of the text. */
function piecesOf(
  pages: readonly PdfPage[],
  furniture: ReadonlySet<PageLine>,
  includeComments: boolean,
): { pieces: Piece[]; heads: ReadonlySet<string> } {
  const pieces: Piece[] = [];
  const heads = new Set<string>();
  for (const page of pages) {
    const continued = continuedParts(pieces, page, furniture, heads);
    for (const [index, part] of page.parts.slice(continued).entries()) {
      if (part.kind === 'table') {
        pieces.push({ kind: 'table', open: openTable(part, page) });
        continue;
      }
      const lines = part.lines.filter((line) => !furniture.has(line));
      if (lines.length === 0) continue;
      const isFirst = continued === 0 && isFirstText(page, index, furniture);
      const open = isFirst ? openParagraph(pieces, lines[0] as PageLine) : null;
      if (open !== null) {
        open.breaks.add(open.lines.length);
        open.lines.push(...lines);
      } else {
        pieces.push({ kind: 'paragraph', paragraph: { lines, page: page.number, breaks: new Set() } });
      }
    }
    if (includeComments) pieces.push(...commentsOf(page));
  }
  return { pieces, heads };
}

/** Count of the page's parts that continue the last table of the page before. Adds to `heads`. */
function continuedParts(
  pieces: readonly Piece[],
  page: PdfPage,
  furniture: ReadonlySet<PageLine>,
  heads: Set<string>,
): number {
  const last = pieces.findLast(({ kind }) => kind !== 'comment');
  const at = page.parts.findIndex(({ kind }) => kind === 'table');
  const part = page.parts[at];
  if (last?.kind !== 'table' || part?.kind !== 'table') return 0;
  const above = page.parts.slice(0, at).flatMap((one) => (one.kind === 'lines' ? one.lines : []));
  const own = above.filter((line) => !furniture.has(line));
  if (!continueTable(last.open, part, page, own)) return 0;
  for (const { text } of above) if (printsHeadOf(last.open, [text])) heads.add(text);
  return at + 1;
}

function isFirstText(page: PdfPage, index: number, furniture: ReadonlySet<PageLine>): boolean {
  return page.parts
    .slice(0, index)
    .every((part) => part.kind === 'lines' && part.lines.every((line) => furniture.has(line)));
}

function withoutPlace({ isShown: _, ...comment }: PageComment): DocumentComment {
  return comment;
}

/** Skips comments typed over the page, which are already in its text. */
function commentsOf(page: PdfPage): Piece[] {
  const apart = page.comments.filter(({ isShown }) => isShown !== true);
  return apart.map(({ author, text, anchor }) => {
    const about = anchor === null ? '' : `“${anchor}”: `;
    const comment = `${author === null ? '' : `${author}: `}${about}${text}`;
    return { kind: 'comment', block: { kind: 'comment', text: comment, page: page.number } };
  });
}

/** The unfinished paragraph of the page before, if `line` can continue it. */
function openParagraph(pieces: Piece[], line: PageLine): Paragraph | null {
  const last = pieces.at(-1);
  if (last?.kind !== 'paragraph' || !BEGINS_LOWER.test(line.text)) return null;
  const before = last.paragraph.lines.at(-1) as PageLine;
  const alike = Math.abs(before.size - line.size) < 1 && isText(before) && isText(line);
  return alike && !ENDS_SENTENCE.test(before.text) ? last.paragraph : null;
}

function isText({ tag, text }: PageLine): boolean {
  return (tag === null || tag.kind === 'paragraph') && listMarkerOf(text) === null;
}

function blockOf(paragraph: Paragraph, headings: Headings, hyphenated: ReadonlySet<string>): Block {
  const { lines, page, breaks } = paragraph;
  const tag = lines[0]?.tag ?? null;
  const { text, pageBreaks, starts } = joinLines(lines, hyphenated, breaks);
  const placed = { lines: placedLines(lines, starts, page, breaks) };
  const inline = { text, page, ...placed, ...(pageBreaks.length > 0 ? { pageBreaks } : {}) };
  const level = headings.levelOf(lines, text, page);
  if (level !== null) return { kind: 'heading', level, ...inline };
  if (tag?.kind === 'code') return codeOf(joinCode(lines), paragraph);
  if (tag?.kind === 'caption' || (text.length <= CAPTION_CHARS_MAX && CAPTION.test(text))) {
    return { kind: 'caption', ...inline };
  }
  const note = tag?.kind === 'note' ? NOTE_MARKER.exec(text) : null;
  if (note !== null) return { kind: 'note', marker: note[1] ?? '', text: text.slice(note[0].length), page, ...placed };
  const marker = markerApart(lines.length > 1 ? (lines[0]?.text ?? '') : '', text);
  if (tag?.kind === 'list-item') return listItem(tag.depth, inline, marker);
  if (marker !== null && tag === null) return listItem(0, inline, marker);
  return { kind: 'paragraph', ...inline };
}

function codeOf(text: string, { lines, page, breaks }: Paragraph): Block {
  return { kind: 'code', text, page, lines: placedLines(lines, startsIn(text, lines), page, breaks) };
}

function listItem(
  depth: number,
  inline: { text: string; page: number; lines: PlacedLine[]; pageBreaks?: number[] },
  found: ListMarker | null,
): Block {
  const cutAt = found?.length ?? 0;
  const breaks = inline.pageBreaks?.map((at) => Math.max(0, at - cutAt));
  return {
    kind: 'list-item',
    depth,
    marker: found === null || found.bullet ? '•' : found.marker,
    text: inline.text.slice(cutAt),
    page: inline.page,
    lines: inline.lines.map(([start, ...place]) => [Math.max(0, start - cutAt), ...place]),
    ...(breaks === undefined ? {} : { pageBreaks: breaks }),
  };
}

/** Tables across pages become one table with its head once, even if each page repeats the head. */
type TablePart = Extract<PagePart, { kind: 'table' }>;

type TableBlock = Extract<Block, { kind: 'table' }>;

/** A table that continues on the next page extends at least this far down, as a share of the page height. */
const REACHES_SHARE = 0.6;

/** Tolerance for the sides of the parts, together, as a share of their width: cell text differs in width. */
const SIDES_SHARE = 0.3;

/** Upper bound on the lines of a head. */
const HEAD_LINES_MAX = 60;

/** The last table of its page so far. */
export interface OpenTable {
  block: TableBlock;
  part: TablePart;
  page: PdfPage;
}

export function openTable(part: TablePart, page: PdfPage): OpenTable {
  return {
    part,
    page,
    block: { kind: 'table', rows: part.rows, page: page.number, lines: [placedBox(0, page.number, part)] },
  };
}

/**
 * Appends the first table of the next page to the open one if it continues it. `before` is the text printed above it on
 * that page: nothing, or the repeated head.
 */
export function continueTable(open: OpenTable, part: TablePart, page: PdfPage, before: readonly PageLine[]): boolean {
  const columns = open.block.rows[0]?.length;
  if (open.page.number + 1 !== page.number || part.rows[0]?.length !== columns) return false;
  if (before.length > HEAD_LINES_MAX || !before.every(({ text }) => printsHeadOf(open, [text]))) return false;
  const printsHead = printsHeadOf(open, part.rows[0] ?? []);
  if (before.length === 0 && !printsHead && (part.hasHead === true || !isInPlace(open, part))) return false;
  const { block } = open;
  const rows = printsHead ? part.rows.slice(1) : part.rows;
  const pages = block.rowPages ?? block.rows.map(() => block.page);
  block.lines?.push(placedBox(block.rows.length, page.number, part));
  block.rows = [...block.rows, ...rows];
  block.rowPages = [...pages, ...rows.map(() => page.number)];
  open.part = part;
  open.page = page;
  return true;
}

/** Whether the texts equal the table's first row. */
export function printsHeadOf({ block }: OpenTable, texts: readonly string[]): boolean {
  const head = new Set(block.rows[0]?.flatMap(wordsOf));
  const words = texts.flatMap(wordsOf);
  return words.length > 0 && words.every((word) => head.has(word));
}

/** Whether the upper part extends to the end of its page and the lower one has the same width. */
function isInPlace({ part: above, page }: OpenTable, below: TablePart): boolean {
  const width = Math.max(above.right - above.left, below.right - below.left);
  const apart = Math.abs(above.left - below.left) + Math.abs(above.right - below.right);
  return above.bottom >= page.height * REACHES_SHARE && apart <= width * SIDES_SHARE;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Joins the lines of a paragraph; words divided at line ends become whole. */
const SOFT_HYPHEN = '\u00AD';

const SOFT_HYPHENS_INSIDE = /\u00AD(?!$)/g;

/** Dot leaders. */
const LEADERS = /(?:\s?\.){6,}/g;

const HYPHENS = new Set(['-', '\u2010']);

/** Length of a text's end that can contain the first half of a divided word. */
const END_CHARS = 80;

/** Above this length only the end stays open: reading the end of a growing string flattens it for each line. */
const OPEN_CHARS_MAX = 4000;

const DIVIDED = /(\p{L}[\p{L}\p{M}]*)[-\u2010]$/u;

const FIRST_WORD = /^[\p{Ll}\p{M}]+/u;

/** Scripts without spaces between words, and therefore between lines. */
const UNSPACED_END = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\u3000-\u303F\uFF00-\uFFEF]$/u;

const UNSPACED_START = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\u3000-\u303F\uFF00-\uFFEF]/u;

/** Anchored at the start of a word; otherwise matching would restart at each letter. */
const HYPHENATED = /(?<!\p{L})\p{L}+(?:[-\u2010]\p{L}+)+/gu;

/** Words hyphenated inside a line; the same hyphen at a line end is kept. */
export function hyphenatedWords(lines: Iterable<{ text: string }>): Set<string> {
  const words = new Set<string>();
  for (const { text } of lines) {
    for (const [word] of text.matchAll(HYPHENATED)) words.add(word.toLowerCase().replaceAll('\u2010', '-'));
  }
  return words;
}

/** The text of consecutive lines. `breaks` are the indexes of lines that start a page; returns their offsets. */
export function joinLines(
  lines: readonly PageLine[],
  hyphenated: ReadonlySet<string>,
  breaks: ReadonlySet<number> = new Set(),
): { text: string; pageBreaks: number[]; starts: number[] } {
  const settled: string[] = [];
  let settledLength = 0;
  let text = '';
  const pageBreaks: number[] = [];
  const starts: number[] = [];
  let before: PageLine | null = null;
  for (const [index, line] of lines.entries()) {
    const next = line.text.replace(SOFT_HYPHENS_INSIDE, '').replace(LEADERS, ' … ').replace(/ {2,}/g, ' ').trim();
    if (before === null) text = next;
    else text = line.glued === true ? text + next : append(text, next, hyphenated, sameRow(before, line));
    const start = settledLength + text.length - next.length;
    starts.push(start);
    if (breaks.has(index)) pageBreaks.push(start);
    before = line;
    if (text.length <= OPEN_CHARS_MAX) continue;
    settled.push(text.slice(0, -END_CHARS));
    settledLength += text.length - END_CHARS;
    text = text.slice(-END_CHARS);
  }
  return { text: settled.join('') + (text.endsWith(SOFT_HYPHEN) ? text.slice(0, -1) : text), pageBreaks, starts };
}

/** Code, line by line. Syntax colours split a line into several. */
export function joinCode(lines: readonly PageLine[]): string {
  const pieces = lines.map((line, index) => {
    const before = lines[index - 1];
    if (before === undefined || line.glued === true) return line.text;
    if (!sameRow(before, line)) return `\n${line.text}`;
    return line.text.startsWith(' ') ? line.text : ` ${line.text}`;
  });
  return pieces.join('');
}

/** Appends the text of the next line. */
export function append(text: string, next: string, hyphenated: ReadonlySet<string>, beside = false): string {
  if (beside) return `${text} ${next}`;
  if (text.endsWith(SOFT_HYPHEN)) return text.slice(0, -1) + next;
  // Examines only the end: the text may be as long as the document.
  const end = text.slice(-END_CHARS);
  const divided = HYPHENS.has(end.at(-1) ?? '') ? DIVIDED.exec(end) : null;
  const continuation = divided === null ? null : FIRST_WORD.exec(next);
  if (divided !== null && continuation !== null) {
    const whole = `${divided[1]}-${continuation[0]}`.toLowerCase();
    return hyphenated.has(whole) ? text + next : text.slice(0, -1) + next;
  }
  if (UNSPACED_END.test(end) && UNSPACED_START.test(next)) return text + next;
  return `${text} ${next}`;
}

/** Below this confidence the result is texture or drawing, not text. */
const CONFIDENCE_MIN = 30;

/** Next to page text, pictures are often photographs, whose noise reaches 54. */
const CONFIDENCE_MIN_BESIDE_TEXT = 60;

/** Height of a line's box in font sizes: from the top of capitals to the bottom of descenders. */
const LINE_HEIGHT_SIZES = 0.95;

/** The page with recognised text in place. Its own text stays if it has meaning. */
export function withRecognizedText(page: PdfPage, recognized: RecognizedPage): PdfPage {
  const own = page.parts.map(withMeaning).filter((part) => part !== null);
  const isText = lettersIn(own.flatMap(textsOf)) >= LETTERS_MIN;
  const found = recognizedParts(recognized, isText ? CONFIDENCE_MIN_BESIDE_TEXT : CONFIDENCE_MIN);
  if (found.length === 0) return page;
  // Positions on a rotated page do not match those of its own text.
  if (recognized.turned !== 0 && own.length > 0) return { ...page, parts: [...own, ...found] };
  const points = 1 / recognized.scale;
  return {
    ...page,
    // A rotated page takes its dimensions from the recognised picture.
    width: recognized.width * points,
    height: recognized.height * points,
    parts: merged(own, found),
  };
}

function textsOf(part: PagePart): string[] {
  return part.kind === 'table' ? part.rows.flat() : part.lines.map(({ text }) => text);
}

function withMeaning(part: PagePart): PagePart | null {
  if (part.kind === 'table') return hasMeaning(textsOf(part).join(' ')) ? part : null;
  const lines = part.lines.filter(({ text }) => hasMeaning(text));
  return lines.length === 0 ? null : { ...part, lines };
}

/** Tesseract's own paragraphs; single line heights are too uneven to detect paragraphs again. */
function recognizedParts({ lines, scale }: RecognizedPage, confidenceMin: number): PagePart[] {
  const paragraphs = new Map<number, PageLine[]>();
  for (const { text, confidence, box, block, paragraph } of lines) {
    if (confidence < confidenceMin) continue;
    const [left, top, right, bottom] = box.map((pixels) => pixels / scale) as typeof box;
    const group = block * 10_000 + paragraph;
    const size = Math.round((bottom - top) / LINE_HEIGHT_SIZES);
    const known = paragraphs.get(group) ?? [];
    known.push({ left, top, right, bottom, text, size, bold: false, tag: null, group, recognized: true });
    paragraphs.set(group, known);
  }
  return [...paragraphs.values()].map((group) => ({ kind: 'lines', lines: group }));
}

/** Keeps both orders and inserts each recognised part at its position in its column. */
function merged(own: readonly PagePart[], found: readonly PagePart[]): PagePart[] {
  const boxes = own.map(boxOf);
  const parts: PagePart[] = [];
  let next = 0;
  for (const part of found) {
    const place = Math.max(next, placeAmong(boxes, boxOf(part)));
    parts.push(...own.slice(next, place), part);
    next = place;
  }
  return [...parts, ...own.slice(next)];
}

/** After the last box that ends above its middle, in the same column if possible. */
function placeAmong(boxes: readonly Box[], { left, top, right, bottom }: Box): number {
  const isAbove = (box: Box) => box.bottom <= (top + bottom) / 2;
  const isInColumn = (box: Box) => box.left < right && box.right > left;
  const above = boxes.findLastIndex((box) => isInColumn(box) && isAbove(box));
  if (above >= 0) return above + 1;
  const below = boxes.findIndex(isInColumn);
  return below >= 0 ? below : boxes.findLastIndex(isAbove) + 1;
}

function boxOf(part: PagePart): Box {
  const boxes: readonly Box[] = part.kind === 'table' ? [part] : part.lines;
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}
