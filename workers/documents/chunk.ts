/**
 * Cuts a document into chunks of about `segmentLength` characters: whole paragraphs where they fit, else whole
 * sentences, else whole words. A heading starts a chunk instead of ending one; tables are chunks of their own and
 * repeat their header row. Text, offset and page always match: a chunk of running text is a slice of document.txt.
 */

import { hash } from 'node:crypto';
import type { Chunk } from '../../src-server/operation.ts';
import { type Range, type SplitOptions, splitText, trimRange } from '../../src-server/platform/text/split-text.ts';
import type { Block, NormalizedDocument } from './blocks.ts';
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

/** A heading starts a new chunk once the open one has this share of the target. */
const HEADING_SHARE = 0.5;

/** Words longer than this many targets are cut. */
const WORD_TARGETS = 4;

/** A header row up to this share of the target is repeated in each part of its table. */
const HEADER_SHARE = 0.5;

/** Longest step in the heading path of a chunk. */
const MAX_PATH_STEP_CHARS = 200;

const ID_HEX_CHARS = 32;

/** A range of document.txt that stays together in a chunk. */
interface Unit extends Range {
  page: number;
  kind: 'text' | 'heading' | 'table' | 'caption' | 'comment';
  /** Units of different groups never share a chunk. */
  group: string;
  heading: string;
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
  for (const units of pack(unitsOf(plain, split), split)) {
    chunks.push(toChunk(units, plain.text, chunks.length));
    if (chunks.length % TICK_CHUNKS === 0) options.tick?.();
  }
  return chunks;
}

function* unitsOf({ text, spans }: PlainText, split: SplitOptions): Generator<Unit> {
  const steps: { level: number; text: string }[] = [];
  let path = '';
  for (const span of spans) {
    const { block } = span;
    if (block.kind === 'heading') {
      while ((steps.at(-1)?.level ?? 0) >= block.level) steps.pop();
      steps.push({ level: block.level, text: pathStep(block.text) });
      path = steps.map((step) => step.text).join(' > ');
    }
    const place = placeOf(block);
    // Notes and page furniture are at the end, below a heading that does not apply to them.
    const heading = /^(?:note|furniture)\b/.test(place.group) ? '' : path;
    const shared = { ...place, heading };
    if (block.kind === 'table') {
      yield* tableUnits(text, span, shared, split);
      continue;
    }
    const whole = trimRange(text, span);
    if (whole.end === whole.start) continue;
    const fits = whole.end - whole.start <= split.maxLength;
    const ranges = fits ? [whole] : splitText(text, whole, split);
    for (const range of ranges) {
      const page = pageAt(block, range.start - span.textStart);
      yield { ...shared, ...range, page, ...timesAt(block, range, span.textStart) };
    }
  }
}

/** Files inside the source share no chunk. */
function placeOf(block: Block): Pick<Unit, 'kind' | 'group' | 'isTerm'> {
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

function pathStep(heading: string): string {
  const text = heading.replaceAll('\n', ' ');
  if (text.length <= MAX_PATH_STEP_CHARS) return text;
  return `${Array.from(text.slice(0, MAX_PATH_STEP_CHARS * 2))
    .slice(0, MAX_PATH_STEP_CHARS)
    .join('')}…`;
}

/** Page of the character at `offset` in the block's text. */
function pageAt(block: Exclude<Block, { kind: 'table' }>, offset: number): number {
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
  shared: Pick<Unit, 'kind' | 'group' | 'heading'>,
  split: SplitOptions,
): Generator<Unit> {
  const { block, rows = [] } = span;
  if (block.kind !== 'table') return;
  const pageOf = (row: number) => block.rowPages?.[row] ?? block.page;
  const whole = trimRange(text, span);
  if (whole.end === whole.start) return;
  if (whole.end - whole.start <= split.maxLength) {
    yield { ...shared, ...whole, page: pageOf(0) };
    return;
  }
  const first = rows[0];
  const headerText = first === undefined ? '' : text.slice(first.start, first.end).trim();
  const repeats = rows.length > 1 && headerText !== '' && headerText.length <= split.targetLength * HEADER_SHARE;
  const header = repeats ? { header: headerText } : {};
  const room = split.maxLength - (repeats ? headerText.length + 1 : 0);
  let open: Unit | null = null;
  for (const [index, row] of rows.entries()) {
    const range = trimRange(text, row);
    if (range.end === range.start) continue;
    const limit: number = open?.header === undefined ? split.maxLength : room;
    if (open !== null && range.end - open.start <= limit) {
      open.end = range.end;
      continue;
    }
    if (open !== null) yield open;
    open = null;
    const place = { ...shared, page: pageOf(index), ...(index === 0 ? {} : header) };
    if (range.end - range.start <= room) {
      open = { ...place, ...range };
    } else {
      for (const part of splitText(text, range, split)) yield { ...shared, ...part, page: pageOf(index) };
    }
  }
  if (open !== null) yield open;
}

function* pack(units: Iterable<Unit>, { targetLength, maxLength }: SplitOptions): Generator<Unit[]> {
  let open: Unit[] = [];
  for (const unit of units) {
    const [first] = open;
    if (first === undefined) {
      open.push(unit);
      continue;
    }
    const last = open.at(-1) as Unit;
    const length = last.end - first.start;
    const joins =
      unit.group === first.group &&
      unit.kind !== 'table' &&
      last.kind !== 'table' &&
      length < targetLength &&
      unit.end - first.start <= maxLength &&
      !(unit.kind === 'heading' && length > targetLength * HEADING_SHARE);
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

/** Units at the end of the open chunk that move to `unit`'s chunk: headings, its term, a table's caption. */
function carriedTo(unit: Unit, open: Unit[], maxLength: number): Unit[] {
  const leads = ({ kind, isTerm }: Unit) =>
    kind === 'heading' || isTerm === true || (kind === 'caption' && unit.kind === 'table');
  const from = open.findLastIndex((member) => !leads(member)) + 1;
  const carried = open.slice(from);
  const start = carried[0]?.start;
  const fits = start !== undefined && unit.group === carried[0]?.group && unit.end - start <= maxLength;
  return fits && unit.header === undefined ? carried : [];
}

function toChunk(units: Unit[], plain: string, index: number): CutChunk {
  const first = units[0] as Unit;
  const last = units.at(-1) as Unit;
  const slice = plain.slice(first.start, last.end);
  const text = first.header === undefined ? slice : `${first.header}\n${slice}`;
  // A chunk that starts with its own headings is filed under the deepest of them.
  const { heading } = units.find((unit) => unit.kind !== 'heading') ?? last;
  return {
    text,
    page: first.page,
    segmentIndex: index,
    kind: kindOf(units),
    ...(heading === '' ? {} : { heading }),
    startOffset: first.start,
    endOffset: last.end,
    ...(first.startSeconds === undefined ? {} : { startSeconds: first.startSeconds }),
    ...(last.endSeconds === undefined ? {} : { endSeconds: last.endSeconds }),
  };
}

function kindOf(units: Unit[]): NonNullable<Chunk['kind']> {
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
