/**
 * Cuts a document into chunks of about `segmentLength` characters: whole paragraphs where they fit, else whole
 * sentences, else whole words. A heading starts a chunk instead of ending one. A chunk never contains text of two
 * sections, except of small ones under one heading: its own text and its direct subsections. Tables are chunks of their
 * own and repeat their header row. Text, offset and page always match: a chunk of running text is a slice of
 * document.txt.
 */

import { hash } from 'node:crypto';
import type { Chunk, ChunkBox } from '../../src-server/operation.ts';
import { itemAt } from '../../src-server/platform/item-at.ts';
import { type Range, type SplitOptions, splitText, trimRange } from '../../src-server/platform/text/split-text.ts';
import { countTextTokens } from '../../src-server/platform/text/tokens.ts';
import type { Block, NormalizedDocument, PlacedLine } from './blocks.ts';
import { type BlockSpan, type PlainText, writePlainText } from './write-text.ts';

export interface ChunkOptions {
  /** Target characters per chunk. */
  segmentLength: number;
  /** Language whose sentence and word rules apply; null for the common ones. */
  language: string | null;
  /** Called periodically; throws to stop. */
  tick?(): void;
}

/** Chunks between two checks for cancellation. */
const TICK_CHUNKS = 500;

/** Factor by which a chunk may exceed the target to keep a paragraph, sentence or table whole. */
const STRETCH = 1.25;

/** A section joins a chunk that is filled up to this share of the target. */
const HEADING_SHARE = 0.5;

/** Words longer than this many targets are cut. */
const WORD_TARGETS = 4;

/** A header row up to this share of the target is repeated in each part of its table. */
const HEADER_SHARE = 0.5;

/** Longest step in the heading path of a chunk. */
const MAX_PATH_STEP_CHARS = 200;

/** A following line may begin this far above the end of the line before: boxes overlap, and rows are uneven. */
const MAX_LINE_POINTS = 24;

const ID_HEX_CHARS = 32;

/** The text below a heading, up to the next heading. */
interface Section {
  /** Null directly below the document. */
  parent: Section | null;
  level: number;
  /** The heading, and those above it. */
  path: readonly string[];
}

/** A range of document.txt that stays together in a chunk. */
interface Unit extends Range {
  page: number;
  pageEnd: number;
  kind: 'text' | 'heading' | 'table' | 'caption' | 'comment';
  /** Units of different groups never share a chunk. */
  group: string;
  /** Null above the first heading, and for what has no section: notes and page furniture. */
  section: Section | null;
  /** Position on the pages, where the parser knows it. */
  boxes: readonly ChunkBox[];
  /** Has no meaning without the unit after it. */
  isTerm?: boolean;
  /** Prepended to the text: the header row of a table that was cut. */
  header?: string;
  /** Of captions. */
  startSeconds?: number;
  endSeconds?: number;
}

/** A chunk without its id. */
export type CutChunk = Omit<Chunk, 'id'>;

/** Chunks of the document, in order. `plain` is its document.txt, if the caller has it. */
export function chunkDocument(
  document: NormalizedDocument,
  options: ChunkOptions,
  plain: PlainText = writePlainText(document),
): Chunk[] {
  return cutDocument(plain, options).map((chunk) => ({
    id: chunkId(JSON.stringify(chunk.text), chunk.segmentIndex, options),
    ...chunk,
    tokens: countTextTokens(chunk.text),
  }));
}

/** Like `chunkDocument`, for callers that compute the ids themselves. */
export function cutDocument(plain: PlainText, options: ChunkOptions): CutChunk[] {
  const split: SplitOptions = {
    targetLength: options.segmentLength,
    maxLength: Math.floor(options.segmentLength * STRETCH),
    maxWordLength: options.segmentLength * WORD_TARGETS,
    language: options.language,
  };
  const chunks: CutChunk[] = [];
  for (const units of packUnits(chunkUnits(plain, split), split)) {
    chunks.push(toChunk(units, plain.text, chunks.length));
    if (chunks.length % TICK_CHUNKS === 0) options.tick?.();
  }
  return chunks;
}

function* chunkUnits({ text, spans }: PlainText, split: SplitOptions): Generator<Unit> {
  let open: Section | null = null;
  for (const span of spans) {
    const { block } = span;
    // All sections are below the title of the document.
    if (block.kind === 'heading') {
      open = sectionOf(open, block.isTitle === true ? 0 : block.level, pathStep(block.text));
    }
    const place = unitPlaceOf(block);
    // Notes and page furniture are at the end, below a heading that does not apply to them.
    const section = /^(?:note|furniture)\b/.test(place.group) ? null : open;
    const shared = { ...place, section };
    if (block.kind === 'table') {
      yield* tableUnits(text, span, shared, split);
      continue;
    }
    const whole = trimRange(text, span);
    if (whole.end === whole.start) continue;
    const fits = whole.end - whole.start <= split.maxLength;
    const ranges = fits ? [whole] : splitText(text, whole, split);
    for (const range of ranges) {
      const [from, to] = [range.start - span.textStart, range.end - span.textStart];
      const pages = { page: pageOfCharacter(block, from), pageEnd: pageOfCharacter(block, to - 1) };
      const boxes = 'lines' in block ? boxesOf(block.lines, from, to) : [];
      yield { ...shared, ...range, ...pages, boxes, ...timesAt(block, range, span.textStart) };
    }
  }
}

function sectionOf(before: Section | null, level: number, heading: string): Section {
  let parent = before;
  while (parent !== null && parent.level >= level) parent = parent.parent;
  return { parent, level, path: [...(parent?.path ?? []), heading] };
}

/** The boxes of the lines with text from `from` to `to`: one for each run of lines below each other. */
function boxesOf(lines: readonly PlacedLine[] = [], from: number, to: number): ChunkBox[] {
  const boxes: ChunkBox[] = [];
  for (let at = Math.max(0, firstLineAfter(lines, from) - 1); at < lines.length; at += 1) {
    const [start, page, left, top, right, bottom] = itemAt(lines, at);
    if (start >= to) break;
    addBox(boxes, { page, left, top, right, bottom });
  }
  return boxes;
}

/** Index of the first line that begins after `offset`. */
function firstLineAfter(lines: readonly PlacedLine[], offset: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (itemAt(lines, middle)[0] <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Extends the last box if `box` is below it in the same column or beside its last line; else appends it. */
function addBox(boxes: ChunkBox[], box: ChunkBox): void {
  const last = boxes.at(-1);
  const slack = Math.min(box.bottom - box.top, MAX_LINE_POINTS);
  const isNext = last !== undefined && last.page === box.page && box.top >= last.bottom - slack;
  if (!isNext || (box.top >= last.bottom && (box.left >= last.right || box.right <= last.left))) {
    boxes.push({ ...box });
    return;
  }
  last.left = Math.min(last.left, box.left);
  last.top = Math.min(last.top, box.top);
  last.right = Math.max(last.right, box.right);
  last.bottom = Math.max(last.bottom, box.bottom);
}

/** Files inside the source share no chunk. */
function unitPlaceOf(block: Block): Pick<Unit, 'kind' | 'group' | 'isTerm'> {
  const place = placeInFile(block);
  return block.part === undefined ? place : { ...place, group: `${place.group} ${block.part}` };
}

/** The times of the cues in a range of captions. */
function timesAt(block: Block, range: Range, textStart: number): Pick<Unit, 'startSeconds' | 'endSeconds'> {
  if (!('cues' in block) || block.cues === undefined) return {};
  const last = block.cues.findLastIndex(({ at }) => at < range.end - textStart);
  const first = block.cues.findLastIndex(({ at }) => at <= range.start - textStart);
  const cues = block.cues.slice(Math.max(0, first), last + 1);
  const [start] = cues;
  if (start === undefined) return {};
  return { startSeconds: start.startSeconds, endSeconds: Math.max(...cues.map(({ endSeconds }) => endSeconds)) };
}

function placeInFile(block: Block): Pick<Unit, 'kind' | 'group' | 'isTerm'> {
  switch (block.kind) {
    case 'heading':
    case 'table':
    case 'caption':
      return { kind: block.kind, group: 'body' };
    case 'comment':
      return { kind: 'comment', group: 'comment' };
    case 'note':
      return { kind: 'text', group: 'note' };
    case 'page-furniture':
      return { kind: 'text', group: 'furniture' };
    case 'paragraph':
      return block.isTerm === true ? { kind: 'text', group: 'body', isTerm: true } : { kind: 'text', group: 'body' };
    default:
      return { kind: 'text', group: 'body' };
  }
}

/** A heading as a step in the path of the chunks below it. */
export function pathStep(heading: string): string {
  const text = heading.replaceAll('\n', ' ');
  if (text.length <= MAX_PATH_STEP_CHARS) return text;
  return `${Array.from(text.slice(0, MAX_PATH_STEP_CHARS * 2))
    .slice(0, MAX_PATH_STEP_CHARS)
    .join('')}…`;
}

/** Page of the character at `offset` in the block's text. */
function pageOfCharacter(block: Exclude<Block, { kind: 'table' }>, offset: number): number {
  const breaks = 'pageBreaks' in block ? (block.pageBreaks ?? []) : [];
  let passed = 0;
  let later = breaks.length;
  while (passed < later) {
    const middle = (passed + later) >> 1;
    if ((breaks[middle] ?? 0) <= offset) passed = middle + 1;
    else later = middle;
  }
  return block.page + passed;
}

function* tableUnits(
  text: string,
  span: BlockSpan,
  shared: Pick<Unit, 'kind' | 'group' | 'section'>,
  split: SplitOptions,
): Generator<Unit> {
  const { block, rows = [] } = span;
  if (block.kind !== 'table') return;
  const pageOfTableRow = (row: number) => block.rowPages?.[row] ?? block.page;
  const placeOfRows = (from: number, to: number) => ({
    page: pageOfTableRow(from),
    pageEnd: pageOfTableRow(to),
    boxes: boxesOf(block.lines, from, to + 1),
  });
  const whole = trimRange(text, span);
  if (whole.end === whole.start) return;
  if (whole.end - whole.start <= split.maxLength) {
    yield { ...shared, ...whole, ...placeOfRows(0, rows.length - 1) };
    return;
  }
  const first = rows[0];
  const headerText = first === undefined ? '' : text.slice(first.start, first.end).trim();
  const repeats = rows.length > 1 && headerText !== '' && headerText.length <= split.targetLength * HEADER_SHARE;
  const header = repeats ? { header: headerText } : {};
  const room = split.maxLength - (repeats ? headerText.length + 1 : 0);
  let open: (Range & { from: number; to: number; header?: string }) | null = null;
  const closedTableUnit = ({ from, to, ...range }: NonNullable<typeof open>): Unit => ({
    ...shared,
    ...range,
    ...placeOfRows(from, to),
  });
  for (const [index, row] of rows.entries()) {
    const range = trimRange(text, row);
    if (range.end === range.start) continue;
    const limit: number = open?.header === undefined ? split.maxLength : room;
    if (open !== null && range.end - open.start <= limit) {
      open.end = range.end;
      open.to = index;
      continue;
    }
    if (open !== null) yield closedTableUnit(open);
    open = null;
    if (range.end - range.start <= room) {
      open = { ...range, from: index, to: index, ...(index === 0 ? {} : header) };
    } else {
      for (const part of splitText(text, range, split)) yield { ...shared, ...part, ...placeOfRows(index, index) };
    }
  }
  if (open !== null) yield closedTableUnit(open);
}

function* packUnits(units: Iterable<Unit>, { targetLength, maxLength }: SplitOptions): Generator<Unit[]> {
  let open: Unit[] = [];
  for (const unit of units) {
    const [first] = open;
    if (first === undefined) {
      open.push(unit);
      continue;
    }
    const last = itemAt(open, -1);
    const length = last.end - first.start;
    const joins =
      unit.group === first.group &&
      unit.kind !== 'table' &&
      last.kind !== 'table' &&
      length < targetLength &&
      unit.end - first.start <= maxLength &&
      (unit.section === last.section ||
        open.every(({ kind }) => kind === 'heading') ||
        (length <= targetLength * HEADING_SHARE && areUnderOne(open, unit.section)));
    if (joins) {
      open.push(unit);
      continue;
    }
    const carried = carriedTo(unit, open, maxLength);
    if (open.length > carried.length) yield open.slice(0, open.length - carried.length);
    open = [...carried, unit];
  }
  if (open.length > 0) yield open;
}

/** Whether the heading above `section` is that of all texts of the chunk, or directly above it. */
function areUnderOne(open: readonly Unit[], section: Section | null): boolean {
  const above = section?.parent ?? null;
  if (above === null) return false;
  return open.every((unit) => unit.kind === 'heading' || unit.section === above || unit.section?.parent === above);
}

/** Units at the end of the open chunk that move to `unit`'s chunk: headings, its term, a table's caption. */
function carriedTo(unit: Unit, open: Unit[], maxLength: number): Unit[] {
  const leadsNextUnit = ({ kind, isTerm }: Unit) =>
    kind === 'heading' || isTerm === true || (kind === 'caption' && unit.kind === 'table');
  const from = open.findLastIndex((member) => !leadsNextUnit(member)) + 1;
  const carried = open.slice(from);
  const start = carried[0]?.start;
  const fits = start !== undefined && unit.group === carried[0]?.group && unit.end - start <= maxLength;
  return fits && unit.header === undefined ? carried : [];
}

function toChunk(units: Unit[], plain: string, index: number): CutChunk {
  const first = itemAt(units, 0);
  const last = itemAt(units, -1);
  const slice = plain.slice(first.start, last.end);
  const text = first.header === undefined ? slice : `${first.header}\n${slice}`;
  // A chunk that starts with its own headings is filed under the deepest of them.
  const path = (units.find((unit) => unit.kind !== 'heading') ?? last).section?.path ?? [];
  const boxes: ChunkBox[] = [];
  for (const unit of units) for (const box of unit.boxes) addBox(boxes, box);
  return {
    text,
    page: first.page,
    pageEnd: last.pageEnd,
    segmentIndex: index,
    kind: chunkKindOf(units),
    heading: path.length === 0 ? undefined : path.join(' > '),
    headingPath: path.length === 0 ? undefined : [...path],
    startOffset: first.start,
    endOffset: last.end,
    startSeconds: first.startSeconds,
    endSeconds: last.endSeconds,
    boxes: boxes.length === 0 ? undefined : boxes,
  };
}

function chunkKindOf(units: Unit[]): NonNullable<Chunk['kind']> {
  if (units.some((unit) => unit.kind === 'table')) return 'table';
  const kind = units[0]?.kind;
  if ((kind === 'caption' || kind === 'comment') && units.every((unit) => unit.kind === kind)) return kind;
  return 'text';
}

/** The id of a chunk: a hash of its text as JSON, its index and the chunk options. */
export function chunkId(textJson: string, index: number, options: Omit<ChunkOptions, 'tick'>): string {
  const name = `[${index},${options.segmentLength},${JSON.stringify(options.language)},${textJson}]`;
  return `chk_${hash('sha256', name).slice(0, ID_HEX_CHARS)}`;
}
