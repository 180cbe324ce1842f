/**
 * A page's text from MuPDF: lines with position, size and weight, and, in a tagged PDF, the role of each line (heading,
 * table cell, list item …).
 */

import type { StructuredText as PageText, PDFPage } from 'mupdf';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { itemAt } from '../../../src-server/platform/item-at.ts';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { parseOwnJson } from '../../../src-server/platform/own-json.ts';
import { byName } from '../../../src-server/platform/records.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { type LinkBox, type LinkedRange, linkedRanges, readLinkBoxes } from './link-boxes.ts';
import { isMathFont } from './math-glyphs.ts';
import { PAGE_JSON_CHARS_MAX } from './open-pdf.ts';
import { findCopies } from './overprint.ts';
import type { Box, Drawing, LineTag, LinkedText, PageLine, StressedText } from './page-content.ts';
import { sameRow } from './reading-order.ts';
import { joinRows, mayBeDisordered, mayBeRtl, type RtlLine, settleDirection } from './right-to-left.ts';
import type { Directions } from './turned-page.ts';
import { addDrawnBullets, readVectors, type Vector } from './vectors.ts';

/** MuPDF writes integers, so the scale gives tenths of a point. */
const SCALE = 10;

/** One reading gives everything: a run is as long as its font is the same, and runs of one line are joined here. */
const STEXT_OPTIONS = 'preserve-images,preserve-spans';

/** Drops copies of characters at the same place; the time grows with the square of the characters. */
const ONCE_OPTION = 'collect-styles';

const ONCE_CHARACTERS_MAX = 30_000;

/** Graphics, which do not split lines of text. */
const VECTOR_OPTIONS = 'vectors,lazy-vectors';

const CONTROL = /\p{Cc}/gu;

/** A glyph without a character before the text of a line: the bullet of a symbol font. */
const SYMBOL = /^(?![\t\n\r])\p{Cc}\s*(?=[\p{L}\p{N}])/u;

const WORD = /[\p{L}\p{N}]{2}/u;

/** Gap, in font sizes, that is too narrow for a space. */
const GLUED_GAP = 0.1;

/**
 * Gaps between runs of one line, in font sizes, as MuPDF measures them: smaller than a space, and the largest. After a
 * larger gap it adds a space to the run, except after the characters of some scripts.
 */
const NO_SPACE_GAP = 0.16;

const RUN_GAP_MAX = 0.8;

const SPACE_NOT_ADDED = /(?: |[^\0-\u06ff\u2000-\u20cf])$/u;

/** Largest distances within a block, in font sizes: of neighbouring baselines, and of line starts. */
const PARAGRAPH_SIZES = 1.5;

const INDENT_SIZES = 0.5;

/** Bound on the runs searched for the start of a line. */
const LINE_RUNS_MAX = 100;

/** Names also abbreviate it, as in `HelveticaNeueLTStd-BdCn`. */
const BOLD_NAME = /[Bb]old|BOLD|[Bb]lack|[Hh]eavy|[Dd]emi|[-a-z](?:Bd|Hv|Blk)(?:[A-Z]|$)/;

const ITALIC_NAME = /[Ii]talic|ITALIC|[Oo]blique|[-a-z]It(?:[A-Z]|$)|^(?:[A-Z]{6}\+)?CM(?:B?X?TI|SL|BXSL)\d/;

/** The letter of a note: small, and above the baseline of its line, in font sizes. */
const NOTE_MARK = /^(?:[[(]?(?:\d{1,3}|[*†‡§¶]{1,3})[)\]]?|[-−–]\d{1,3}|\d{1,3}(?:[,–-]\d{1,3})+)$/u;

/** A mark of a note in a table; in sentences it is a formula's or an ending. */
const NOTE_LETTER = /^[a-z]$/u;

const RAISED_SIZE = 0.85;

const RAISED_HEIGHT = 0.12;

/** Characters that a line may begin with in a smaller font, such as the number of a note. */
const SMALL_START_CHARS = 4;

/** Graphics inside tags from which they may be the rules of a table. */
const TAGGED_VECTORS_MIN = 3;

const CELL_TAG = /^T[DH]$/u;

interface JsonBox {
  x: number;
  y: number;
  w: number;
  h: number;
}

interface JsonLine {
  bbox: JsonBox;
  font: { name: string; family: string; weight: string; style: string; size: number };
  /** Origin of its first character, on the baseline. */
  x: number;
  y: number;
  /** 1 for scripts written from the top down. */
  wmode: number;
  text: string;
  /** The parts of it that are links. */
  links?: LinkedRange[];
}

/** Runs of one line, joined; the font is that of the first character. */
interface JoinedLine extends JsonLine {
  runs: number;
  /** Every word is bold. */
  isBold: boolean;
  /** Every character has the same width. */
  isMono: boolean;
  /** Every word has the same font. */
  isOneFace: boolean;
  /** Offsets in the text, begin and end, of small numbers and signs above its baseline. */
  raised: [number, number][];
  raisedLetters: [number, number][];
  /** The parts of it in bold or italic fonts. */
  stress: StressedRange[];
  /** Size of its first word that is not bold. */
  plainSize: number | null;
}

interface StressedRange {
  start: number;
  end: number;
  kind: StressedText['kind'];
}

interface TextBlock {
  type: 'text';
  bbox: JsonBox;
  lines: JsonLine[];
}

type JsonBlock =
  | TextBlock
  | { type: 'image'; bbox: JsonBox }
  | { type: 'vector' }
  | { type: 'structure'; raw?: string; std?: string; contents?: JsonBlock[] };

interface CollectedPage {
  lines: PageLine[];
  /** Boxes of the page's images. */
  images: { left: number; top: number; right: number; bottom: number }[];
  /** Lines inside a nested element of a cell, paragraph or other block. */
  inner: ReadonlySet<PageLine>;
  /** Right-to-left lines whose order is not resolved yet. */
  rtl: readonly RtlLine[];
  /** Baselines of the lines with right-to-left letters. */
  bases: ReadonlyMap<PageLine, number>;
  directions: Directions;
  /** In fonts of TeX, whose accents are composed. */
  isTex: boolean;
}

interface StructuredText {
  /** Graphics, but those inside tags if these mark cells. */
  vectors: Vector[];
  /** All texts that the page draws, in file order and with copies. */
  source: string[];
  /** Texts drawn again at the same place, which are not among the lines. */
  copies: string[];
  /** Options for reading the same letters one by one. */
  letterOptions: string;
  /** In fonts for mathematics. */
  hasMath: boolean;
  /** Has more graphics than can be searched for tables. */
  isDrawing: boolean;
}

/** A page as MuPDF reads it. */
export interface RawPage extends CollectedPage, StructuredText {
  /** Rectangles of links to addresses. */
  links: readonly LinkBox[];
}

/** Errors: any error of MuPDF for a broken page; `source_too_large` for a page past the bounds. */
export function readLines(page: PDFPage): RawPage {
  const raw = readTagged(page);
  settleDirection(page, raw.rtl, raw);
  raw.lines = joinRows(page, raw.lines, raw.bases, raw);
  const [, top, , bottom] = page.getBounds();
  detachStrayLines(raw, bottom - top);
  addDrawnBullets(raw.lines, raw.vectors);
  return raw;
}

/** The lines that an annotation draws. */
export function readDrawing(drawing: Drawing): PageLine[] {
  const { blocks, letterOptions } = structuredText(drawing, 'preserve-spans');
  const raw = collectPageLines(blocks);
  settleDirection(drawing, raw.rtl, { letterOptions, links: [] });
  return raw.lines;
}

/** The text of a page without any structure, whether it is shown or not. */
export interface AllText {
  plain: string;
  /** Texts of one line and font, or whole lines of a page with too many. */
  runs(): string[];
}

/** Reads also what is outside the page's box or clipped away. What `use` gets is valid during the call. */
export function withAllText<Result>(page: Drawing, isTex: boolean, use: (all: AllText) => Result): Result {
  const text = page.toStructuredText('preserve-spans,clip=no');
  try {
    const plain = text.asText();
    const runs = () => {
      const json = text.asJSON(SCALE);
      if (json.length > PAGE_JSON_CHARS_MAX) return plain.split('\n');
      const { blocks } = parseOwnJson<{ blocks: JsonBlock[] }>(json);
      const texts = runsIn(blocks).map((run) => run.text);
      return isTex ? texts.map(withDots) : texts;
    };
    return use({ plain, runs });
  } finally {
    text.destroy();
  }
}

function readTagged(page: PDFPage): RawPage {
  const links = linkBoxesOf(page);
  const readRawPage = (options: string): RawPage => {
    const { blocks, ...rest } = structuredText(page, options, links);
    const collected = collectPageLines(blocks);
    if (collected.isTex) rest.source = rest.source.map(withDots);
    return { ...collected, ...rest, links };
  };
  try {
    return readRawPage(`${STEXT_OPTIONS},${VECTOR_OPTIONS},structured`);
  } catch {
    // A broken tag tree (or one nested past the stack), or too many graphics, must not lose the page's text.
    return readRawPage(STEXT_OPTIONS);
  }
}

/** Broken annotations must not lose the page's text. */
function linkBoxesOf(page: PDFPage): LinkBox[] {
  try {
    return readLinkBoxes(page);
  } catch {
    return [];
  }
}

interface StructuredPage extends StructuredText {
  blocks: JsonBlock[];
}

/** The blocks without the runs that are copies. */
function structuredText(page: Drawing, options: string, links: readonly LinkBox[] = []): StructuredPage {
  const { blocks, vectors: found } = readStructuredBlocks(page, options, links);
  const graphics = { vectors: found ?? [], isDrawing: found === null };
  const runs = runsIn(blocks);
  const source = runs.map(({ text }) => text);
  const hasMath = runs.some(({ font }) => isMathFont(font.name));
  const again = findCopies(runs);
  if (again.size === 0) return { blocks, ...graphics, source, copies: [], letterOptions: '', hasMath };
  for (const block of textBlocksIn(blocks)) block.lines = block.lines.filter((run) => !again.has(run));
  const characters = source.reduce((sum, text) => sum + text.length, 0);
  const copies = [...again].map(({ text }) => text);
  const letterOptions = characters <= ONCE_CHARACTERS_MAX ? ONCE_OPTION : '';
  return { blocks, ...graphics, source, copies, letterOptions, hasMath };
}

function readStructuredBlocks(
  page: Drawing,
  options: string,
  links: readonly LinkBox[],
): { blocks: JsonBlock[]; vectors: Vector[] | null } {
  const text = page.toStructuredText(options);
  try {
    const json = text.asJSON(SCALE);
    if (json.length > PAGE_JSON_CHARS_MAX) {
      throw new QuarryError(
        'source_too_large',
        say`A page of the PDF holds more text than can be read. Split the page.`,
      );
    }
    const { blocks } = parseOwnJson<{ blocks: JsonBlock[] }>(json);
    if (links.length > 0) markLinks(runsIn(blocks), links, text);
    if (countTaggedVectors(blocks) >= TAGGED_VECTORS_MIN) return { blocks, vectors: readTaggedVectors(page) };
    return { blocks, vectors: blocks.some(({ type }) => type === 'vector') ? readVectors(text) : [] };
  } finally {
    text.destroy();
  }
}

function markLinks(runs: readonly JsonLine[], links: readonly LinkBox[], page: PageText): void {
  for (const run of runs) {
    const ranges = linkedRanges({ ...boxFromJson(run.bbox), text: run.text }, links, page);
    if (ranges.length > 0) run.links = ranges;
  }
}

/** Graphics inside the elements of the tag tree, none if these mark the cells of tables. */
function countTaggedVectors(blocks: readonly JsonBlock[]): number {
  let count = 0;
  let hasCells = false;
  const visitElement = (contents: readonly JsonBlock[], isInTable: boolean) => {
    for (const block of contents) {
      if (block.type === 'vector') count += 1;
      if (block.type !== 'structure') continue;
      const role = block.std ?? block.raw ?? '';
      hasCells ||= isInTable && CELL_TAG.test(role);
      visitElement(block.contents ?? [], isInTable || role === 'Table');
    }
  };
  for (const block of blocks) if (block.type === 'structure') visitElement([block], false);
  return hasCells ? 0 : count;
}

/** MuPDF tells the places of graphics inside tags only if it reads the page without its tags. */
function readTaggedVectors(page: Drawing): Vector[] | null {
  const text = page.toStructuredText(VECTOR_OPTIONS);
  try {
    return readVectors(text);
  } finally {
    text.destroy();
  }
}

/** All text blocks of a page, in file order. */
function textBlocksIn(blocks: readonly JsonBlock[]): TextBlock[] {
  return blocks.flatMap((block) => {
    if (block.type === 'text') return [block];
    return block.type === 'structure' ? textBlocksIn(block.contents ?? []) : [];
  });
}

function runsIn(blocks: readonly JsonBlock[]): JsonLine[] {
  return textBlocksIn(blocks).flatMap(({ lines }) => lines);
}

/** Position of a block in the tag tree. */
interface Place {
  tag: LineTag | null;
  /** Id of the innermost block element; 0 outside tags. */
  element: number;
  listDepth: number;
  table: TablePlace | null;
  /** For code: the surrounding element, whose text may include it. */
  outer: Pick<PageLine, 'tag' | 'group'> | null;
  /** Inside an element that is no block. */
  isInner: boolean;
}

const OUTSIDE: Place = { tag: null, element: 0, listDepth: -1, table: null, outer: null, isInner: false };

interface TablePlace {
  table: number;
  row: number;
  column: number;
}

function collectPageLines(blocks: JsonBlock[]): CollectedPage {
  const inner = new Set<PageLine>();
  const rtl: RtlLine[] = [];
  const bases = new Map<PageLine, number>();
  const directions: Directions = { across: 0, up: 0, down: 0 };
  const page: Omit<CollectedPage, 'isTex'> = { lines: [], images: [], inner, rtl, bases, directions };
  let groups = 0;
  let isTex = false;
  let endsInSpace = true;
  let blank: { raw: string; box: Box } | null = null;
  let unraised: JoinedLine | null = null;
  const outerOf = new Map<number, NonNullable<Place['outer']>>();
  const addLine = (joined: JoinedLine, place: Place, group: number) => {
    const { bbox, font, y, wmode, text: written, runs, isBold, isMono } = joined;
    const raw = written.replace(SYMBOL, '• ').replace(CONTROL, ' ').normalize('NFC');
    const text = raw.trim();
    const isApart = endsInSpace || !raw.startsWith(text);
    endsInSpace = text === '' || !raw.endsWith(text);
    const box = boxFromJson(bbox);
    const indent = blank !== null && sameRow(blank.box, box) ? blank.raw : '';
    blank = text === '' ? { raw: indent + raw, box } : null;
    if (text === '') return;
    isTex ||= isTexFont(font.name);
    directions[directionOf(written, bbox, { y, wmode })] += text.length;
    joinInlineCode(page.lines, box, group, outerOf);
    const last = page.lines.at(-1);
    const isInline = place.outer !== null && last?.group === place.outer.group && sameRow(last, box);
    const own = isInline && place.outer !== null ? place.outer : { tag: place.tag, group };
    const glued = !isApart && last !== undefined && last.group === own.group && touchesLineBefore(last, box);
    const isMark = glued && unraised !== null && isDividedMark(joined, unraised, last);
    unraised = isMark ? unraised : joined;
    const line: PageLine = {
      ...box,
      // Leading spaces of a code line are part of it.
      text: own.tag?.kind === 'code' ? (indent + raw).trimEnd() : text,
      size: textSizeOf(joined) / SCALE,
      bold: isBold,
      ...omitUndefined({ face: joined.isOneFace ? faceOf(font.name) : undefined }),
      ...omitUndefined({ mono: isMono ? true : undefined }),
      ...own,
      ...omitUndefined({ glued: glued || undefined, ...marksIn(joined, raw, text, isMark) }),
    };
    page.lines.push(line);
    // The indent of code is where its first letter is.
    if (line.mono === true) line.left += ((raw.length - raw.trimStart().length) / raw.length) * (box.right - box.left);
    if (place.isInner) inner.add(line);
    if (mayBeRtl(text)) bases.set(line, y / SCALE);
    if (mayBeDisordered(text) || (runs > 1 && mayBeRtl(text))) rtl.push({ line, written, base: y / SCALE });
  };
  const visitStructuredBlock = (block: JsonBlock, place: Place): void => {
    if (block.type === 'image') {
      page.images.push(boxFromJson(block.bbox));
      return;
    }
    if (block.type === 'structure') {
      groups += 1;
      const within = enterTaggedElement(block.std ?? block.raw ?? '', place, groups);
      for (const child of joinBlocks(block.contents ?? [])) visitStructuredBlock(child, within);
      return;
    }
    if (block.type !== 'text') return;
    groups += 1;
    const group = place.element === 0 ? groups : place.element;
    if (place.outer !== null) outerOf.set(group, place.outer);
    for (const line of joinRuns(block.lines)) addLine(line, place, group);
  };
  for (const block of joinBlocks(blocks)) visitStructuredBlock(block, OUTSIDE);
  if (isTex) for (const line of page.lines) composeLine(line);
  return { ...page, isTex };
}

const faces = new Map<string, number>();

const FACES_MAX = 1000;

/** The same number for the same name in every thread. */
function faceOf(name: string): number {
  const known = faces.get(name);
  if (known !== undefined) return known;
  let face = 0;
  for (const letter of name.replace(SUBSET, '')) face = (face * 31 + (letter.codePointAt(0) ?? 0)) % FACE_COUNT;
  if (faces.size < FACES_MAX) faces.set(name, face);
  return face;
}

/** The prefix of a font's subset. */
const SUBSET = /^[A-Z]{6}\+/;

/** A prime. */
const FACE_COUNT = 999_983;

/** The size of the first character, or of the text after a bold head. */
function textSizeOf({ font, stress: [head], plainSize }: JoinedLine): number {
  return head?.kind === 'strong' && head.start === 0 ? (plainSize ?? font.size) : font.size;
}

/** What the line has at places of its text. */
function marksIn(joined: JoinedLine, raw: string, text: string, isMark: boolean) {
  const { raised, raisedLetters } = raisedIn(joined, raw, text);
  return {
    raised: isMark ? [{ at: 0, text }] : raised,
    raisedLetters,
    links: linksIn(joined, raw, text),
    stress: stressIn(joined, raw, text),
  };
}

/** The raised marks by their places in the text of the line, if it is the written one. */
function raisedIn(
  { text: written, raised, raisedLetters }: JoinedLine,
  raw: string,
  text: string,
): { raised: PageLine['raised']; raisedLetters: PageLine['raisedLetters'] } {
  const before = raw.length - raw.trimStart().length;
  // A bullet at its start is written with a space.
  const moved = raw.startsWith('• ') ? raw.length - written.length : 0;
  const placed = (ranges: JoinedLine['raised']) => {
    if (ranges.length === 0 || raw.length !== written.length + moved) return undefined;
    const marks = ranges.map(([start, end]) => ({
      at: start + moved - before,
      text: raw.slice(start + moved, end + moved),
    }));
    return marks.filter((mark) => mark.at >= 0 && text.startsWith(mark.text, mark.at));
  };
  return { raised: placed(raised), raisedLetters: placed(raisedLetters) };
}

/** The links by their places in the text of the line. */
function linksIn({ text: written, links }: JoinedLine, raw: string, text: string): LinkedText[] | undefined {
  if (links === undefined) return undefined;
  const before = raw.length - raw.trimStart().length;
  return links.flatMap(({ start, end, url }) => {
    const own = written.slice(start, end).replace(CONTROL, ' ').normalize('NFC').trim();
    return own === '' || !text.includes(own) ? [] : [{ at: Math.max(0, start - before), text: own, url }];
  });
}

/** The stressed words by their places; lines of other directions are read in another order than the file's. */
function stressIn({ text: written, stress }: JoinedLine, raw: string, text: string): StressedText[] | undefined {
  if (stress.length === 0 || mayBeRtl(text)) return undefined;
  const before = raw.length - raw.trimStart().length;
  return stress.flatMap(({ start, end, kind }) => {
    const whole = written.slice(start, end);
    const own = whole.replace(CONTROL, ' ').normalize('NFC').trim();
    const at = Math.max(0, start + whole.length - whole.trimStart().length - before);
    return own === '' || !text.includes(own) ? [] : [{ at, text: own, kind }];
  });
}

/** The direction in which a line runs, by its box and the origin of its first character. */
function directionOf(text: string, { y: top, w, h }: JsonBox, first: { y: number; wmode: number }): keyof Directions {
  if (h <= w || text.trim().length < 2 || first.wmode === 1) return 'across';
  return first.y - top > h / 2 ? 'up' : 'down';
}

/** The blocks without graphics, and those whole that only a graphic divides. */
function joinBlocks(blocks: readonly JsonBlock[]): JsonBlock[] {
  const joined: JsonBlock[] = [];
  let isDivided = false;
  for (const block of blocks) {
    const before = joined.at(-1);
    const goesOn = isDivided && before?.type === 'text' && block.type === 'text' && continuesBlock(before, block);
    isDivided = block.type === 'vector';
    if (isDivided) continue;
    if (goesOn) for (const line of block.lines) before.lines.push(line);
    else joined.push(block);
  }
  return joined;
}

/** By MuPDF's rule for the lines of a block, which an underline may divide. */
function continuesBlock(before: TextBlock, block: TextBlock): boolean {
  const first = block.lines[0];
  const last = joinRuns(before.lines.slice(-LINE_RUNS_MAX)).at(-1);
  if (last === undefined || first === undefined) return false;
  const size = first.font.size;
  const down = Math.abs(first.y - last.y);
  if (down < RUN_GAP_MAX * size) return true;
  return down <= PARAGRAPH_SIZES * size && Math.abs(first.bbox.x - last.bbox.x) <= INDENT_SIZES * size;
}

/** The lines of a block. */
function joinRuns(runs: readonly JsonLine[]): JoinedLine[] {
  const lines: JoinedLine[] = [];
  let before: JsonLine | null = null;
  for (const run of runs) {
    const line = lines.at(-1);
    const isBold = run.font.weight === 'bold' || BOLD_NAME.test(run.font.name);
    const isMono = run.font.family === 'monospace';
    if (line === undefined || before === null || !continuesLine(before, run)) {
      lines.push({
        ...run,
        runs: 1,
        isBold,
        isMono,
        isOneFace: true,
        raised: [],
        raisedLetters: [],
        stress: [],
        plainSize: null,
      });
    } else {
      addRaised(line, before, run);
      if (run.links !== undefined) line.links = [...(line.links ?? []), ...movedLinks(run.links, line.text.length)];
      line.text += run.text;
      line.runs += 1;
      line.bbox = unionJsonBox(line.bbox, run.bbox);
      line.isBold &&= isBold || !WORD.test(run.text);
      line.isMono &&= isMono || !WORD.test(run.text);
      line.isOneFace &&= run.font.name === line.font.name || !WORD.test(run.text);
    }
    const open = itemAt(lines, -1);
    addStress(open, run, isBold);
    if (!isBold && WORD.test(run.text)) open.plainSize ??= run.font.size;
    before = run;
  }
  return lines;
}

function movedLinks(links: readonly LinkedRange[], by: number): LinkedRange[] {
  return links.map((link) => ({ ...link, start: link.start + by, end: link.end + by }));
}

const LETTERS = /\p{L}{2}/u;

/** Notes the words of the last run of a line if they are bold or italic. */
function addStress(line: JoinedLine, run: JsonLine, isBold: boolean): void {
  if (!LETTERS.test(run.text) || isMathFont(run.font.name)) return;
  const end = line.text.length;
  const start = end - run.text.length;
  if (isBold) line.stress.push({ start, end, kind: 'strong' });
  const isItalic = run.font.style === 'italic' || ITALIC_NAME.test(run.font.name);
  if (isItalic) line.stress.push({ start, end, kind: 'emphasis' });
}

/** Notes the mark that `run` is, or that the line begins with; its size is then that of the text. */
function addRaised(line: JoinedLine, before: JsonLine, run: JsonLine): void {
  const { length } = line.text;
  // A bullet may have a baseline of its own.
  if (isRaised(run, line) || isRaised(run, before)) addMark(line, length, run.text);
  else if (length <= SMALL_START_CHARS && isRaised(before, run)) {
    addMark(line, length - before.text.length, before.text);
    line.font = { ...line.font, size: run.font.size };
  }
}

/**
 * Whether a piece that tags divide from the one before it is a raised mark. The other way round, the piece before it is
 * the mark of a note, and gets the size of the text.
 */
function isDividedMark(joined: JoinedLine, base: JoinedLine, last: PageLine): boolean {
  if (isRaised(base, joined) && NOTE_MARK.test(last.text)) {
    Object.assign(last, { raised: [{ at: 0, text: last.text }], size: joined.font.size / SCALE });
  }
  return isRaised(joined, base) && NOTE_MARK.test(joined.text.trim());
}

function isRaised(run: Pick<JsonLine, 'font' | 'y'>, beside: Pick<JsonLine, 'font' | 'y'>): boolean {
  const { size } = beside.font;
  return run.font.size <= RAISED_SIZE * size && beside.y - run.y >= RAISED_HEIGHT * size;
}

function addMark(line: JoinedLine, at: number, text: string): void {
  const mark = text.trim();
  const marks = NOTE_MARK.test(mark) ? line.raised : NOTE_LETTER.test(mark) ? line.raisedLetters : null;
  const start = at + text.indexOf(mark);
  if (marks?.some(([known]) => known === start) === false) marks.push([start, start + mark.length]);
}

/** Whether a run begins where the one before it ends, in the direction of the line. */
function continuesLine(before: JsonLine, run: JsonLine): boolean {
  const { size } = run.font;
  const [a, b] = [before.bbox, run.bbox];
  const near = (SPACE_NOT_ADDED.test(before.text) ? RUN_GAP_MAX : NO_SPACE_GAP) * size;
  if (Math.abs(run.y - before.y) < RUN_GAP_MAX * size) {
    const isRtl = mayBeRtl(before.text) || mayBeRtl(run.text);
    const gap = isRtl ? Math.max(b.x - a.x - a.w, a.x - b.x - b.w) : run.x - a.x - a.w;
    if (gap > -RUN_GAP_MAX * size && gap < (isRtl ? RUN_GAP_MAX * size : near)) return true;
  }
  // Text that runs up or down the page.
  if (a.h <= a.w || Math.abs(run.x - before.x) >= RUN_GAP_MAX * size) return false;
  return b.h > b.w && Math.max(b.y - a.y - a.h, a.y - b.y - b.h) < near;
}

function unionJsonBox(a: JsonBox, b: JsonBox): JsonBox {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { x, y, w: Math.max(a.x + a.w, b.x + b.w) - x, h: Math.max(a.y + a.h, b.y + b.h) - y };
}

/** Code in the same row as the surrounding text is part of that text. */
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
    const line = itemAt(lines, at);
    Object.assign(line, outer, { text: line.text.trim() });
  }
}

function touchesLineBefore(before: PageLine, box: Box): boolean {
  return sameRow(before, box) && Math.abs(box.left - before.right) <= GLUED_GAP * before.size;
}

function boxFromJson({ x, y, w, h }: JsonBox) {
  return { left: x / SCALE, top: y / SCALE, right: (x + w) / SCALE, bottom: (y + h) / SCALE };
}

/** The place inside an element of the tag tree, by PDF's standard roles; other roles are inline or grouping. */
function enterTaggedElement(role: string, place: Place, element: number): Place {
  const block = blockPlace(role, { ...place, isInner: false }, element);
  return block ?? { ...place, isInner: place.element !== 0 };
}

function cellTag({ table, row, column }: TablePlace, role: string): LineTag {
  const cell = { kind: 'cell', table, row: Math.max(0, row), column } as const;
  return role === 'TH' ? { ...cell, isHead: true } : cell;
}

/** Null for roles that are no block. */
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
      // In a cell or heading, code is ordinary text.
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

// TeX fonts have no accented letters: TeX draws the accent, then the letter below it.

/** Computer Modern, after the prefix of a font subset. */
const TEX_FONT = /^(?:[A-Z]{6}\+)?CM[A-Z]{1,6}\d{1,2}$/;

/** Spacing accent → combining accent. */
const JOINING: Readonly<Record<string, string>> = byName({
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
});

const ACCENT_AND_LETTER = /([`\u00B4\u02C6\u02DC\u00AF\u02D8\u02D9\u00A8\u02DA\u02DD\u02C7\u00B8])(\p{L})/gu;

/** Dotless letters below an accent → their base letters. */
const DOTTED: Readonly<Record<string, string>> = byName({ '\u0131': 'i', '\u0237': 'j' });

/** A dotless letter is half of an accented one. */
function withDots(text: string): string {
  return text.replace(DOTLESS, (letter) => DOTTED[letter] ?? letter);
}

const DOTLESS = /[\u0131\u0237]/g;

function isTexFont(name: string): boolean {
  return TEX_FONT.test(name);
}

function composeLine(line: PageLine): void {
  line.text = composeAccents(line.text);
  for (const words of [...(line.links ?? []), ...(line.stress ?? [])]) words.text = composeAccents(words.text);
}

/** Composes letters with the accents before them; an accent without a matching letter stays. */
function composeAccents(text: string): string {
  return text.replace(ACCENT_AND_LETTER, (written, accent: string, letter: string) => {
    const whole = `${DOTTED[letter] ?? letter}${JOINING[accent]}`.normalize('NFC');
    return [...whole].length === 1 ? whole : written;
  });
}

// In a tagged PDF, untagged text is decoration (such as the date and address that a browser prints at page edges) or a
// continuation from the page before, which browsers leave untagged: the rest of a paragraph, the head of a table across
// pages. MuPDF puts it in the last element of the page, often the last cell of a table: text written after all tags at
// its end, text written before them at its start.

/** Height of the top and bottom zones for decoration, as a share of the page height. */
const EDGE_SHARE = 0.12;

/** Distance from the element's own text, in line heights. */
const FAR_LINES = 3;

/** Size difference below which a line may belong to the element, continued in the next column. */
const SIZE_TOLERANCE = 0.1;

/** Vertical gap between paragraphs before the tags, in line heights. */
const PARAGRAPH_GAP_LINES = 0.8;

interface TaggedLines {
  /** In file order. */
  lines: PageLine[];
  /** Lines of elements nested in a block. */
  inner: ReadonlySet<PageLine>;
}

/** Moves untagged text out of the last element or cell of the page. */
function detachStrayLines({ lines, inner }: TaggedLines, pageHeight: number): void {
  moveLeading(lines, inner);
  const last = lines.at(-1);
  if (last === undefined || last.tag === null) return;
  const members = lines.slice(lastGroupStart(last.group, lines));
  const from = members.findIndex((line, index) => index > 0 && isStray(line, members.slice(0, index), pageHeight));
  if (from < 0) return;
  const groups = highestGroup(lines);
  for (const [index, line] of members.slice(from).entries()) {
    line.tag = { kind: 'artifact' };
    line.group = groups + 1 + index;
  }
}

/** Moves text written before all tags to the start of the page. */
function moveLeading(lines: PageLine[], inner: ReadonlySet<PageLine>): void {
  const { start, end } = onlyDirect(lines, inner) ?? farFromOwn(lines, inner) ?? { start: 0, end: 0 };
  const moved = lines.splice(start, end - start);
  regroupUntaggedLines(moved, lines);
  lines.unshift(...moved);
}

interface Run {
  start: number;
  end: number;
}

/** Lines before an element's text, if all other lines of the page are in nested elements. */
function onlyDirect(lines: readonly PageLine[], inner: ReadonlySet<PageLine>): Run | null {
  const isDirect = (line: PageLine | undefined) => line !== undefined && line.tag !== null && !inner.has(line);
  const start = lines.findIndex(isDirect);
  if (start < 0) return null;
  let end = start;
  while (isDirect(lines[end]) && lines[end]?.group === lines[start]?.group) end += 1;
  // More untagged text may follow the text of the last element.
  const next = lines.slice(end).findIndex(isDirect);
  const isLast = next < 0 || lines.slice(end + next).every(isDirect);
  return isLast && lines[end]?.group === lines[start]?.group ? { start, end } : null;
}

/** Lines of the last element before its own text, which is in a nested element and far away. */
function farFromOwn(lines: readonly PageLine[], inner: ReadonlySet<PageLine>): Run | null {
  const start = lastGroupStart(lines.at(-1)?.group, lines);
  const own = lines.findIndex((line, index) => index >= start && inner.has(line));
  if (own <= start || lines[start]?.tag === null) return null;
  const first = itemAt(lines, own);
  return lines.slice(start, own).every((line) => isFar(line, first)) ? { start, end: own } : null;
}

function lastGroupStart(lastGroup: number | undefined, lines: readonly PageLine[]): number {
  return lines.findLastIndex((line) => line.group !== lastGroup) + 1;
}

/** Untagged lines that follow closely form one group. */
function regroupUntaggedLines(moved: readonly PageLine[], others: readonly PageLine[]): void {
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
  const first = itemAt(before, 0);
  return !isNextColumn || Math.abs(line.size - first.size) > SIZE_TOLERANCE * first.size;
}
