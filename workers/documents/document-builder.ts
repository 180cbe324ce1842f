/**
 * Threat: a small file that expands (repeat counts, nested references). All parser output passes through here and is
 * counted, so no format can grow without bound.
 */

import type { DocumentChange, DocumentComment } from '../../src-server/features/documents/schema.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { type Said, say } from '../../src-server/platform/text/say.ts';
import type { Block, CellMark, InlineMark, NormalizedDocument, ParseOptions } from './blocks.ts';
import { HAS_INLINE, InlineValues, takeInline, withoutInline } from './inline-marks.ts';
import { PAGE_START, renderRevisions } from './revisions.ts';
import type { SourceLedger } from './source-ledger.ts';
import { remainingSpans, rowsUnder } from './table-spans.ts';
import { joinTitle } from './titles.ts';
import { LIST_INDENT } from './write-text.ts';

const MAX_CHARACTERS = 20_000_000;

const MAX_BLOCKS = 1_000_000;

const MAX_REVISIONS = 100_000;

/** Within one paragraph. */
const MAX_PAGE_STARTS = 100;

/** Calls of `step` between two checks for cancellation. */
const STEPS_BETWEEN_CHECKS = 8192;

type WithoutPage<Kind> = Kind extends Block ? Omit<Kind, 'page'> : never;

/** A block before cleaning, without its page. */
export type NewBlock = WithoutPage<Block>;

interface DocumentFindings {
  format: string;
  title?: string | null;
  author?: string | null;
  language?: string | null;
  /** Count of slides or sheets. */
  pages?: number;
  /** Page count stated by the source, which is checked against its page breaks and its text. */
  statedPages?: number;
}

/** Fewer letters fill no page. */
const PAGE_CHARACTERS_MIN = 10;

/** The page count that a source states, where its page breaks and its text allow it; else that of the page breaks. */
export function believablePages(
  { counted, stated }: { counted: number; stated: number },
  blocks: readonly Block[],
  warn: (sentence: Said) => void,
): number {
  if (stated <= counted) return counted;
  const characters = blocks.reduce((sum, block) => sum + blockLength(block), 0);
  if (stated <= counted + Math.ceil(characters / PAGE_CHARACTERS_MIN)) return stated;
  const pages = stated.toLocaleString('en');
  warn(
    counted === 1
      ? say`The file states ${pages} pages, more than its text can fill; it has no page break.`
      : say`The file states ${pages} pages, more than its text can fill; its page breaks make ${counted}.`,
  );
  return counted;
}

/** Collects the blocks, comments, changes and warnings of one document. */
export class DocumentBuilder {
  readonly blocks: Block[] = [];
  readonly comments: DocumentComment[] = [];
  readonly changes: DocumentChange[] = [];
  readonly warnings: Said[] = [];
  page = 1;
  readonly #options: ParseOptions;
  #characters = 0;
  #steps = 0;
  #revised = false;
  #inlineValues: InlineValues | null = null;

  constructor(options: ParseOptions) {
    this.#options = options;
  }

  /** Whether deletions, insertions and comments are kept with marks. */
  get includeComments(): boolean {
    return this.#options.includeComments;
  }

  /** For parsers whose raw text holds signs of `inline-marks.ts`; the text of all others never does. */
  useInlineSigns(): InlineValues {
    this.#inlineValues ??= new InlineValues();
    return this.#inlineValues;
  }

  /** Receives what is found in the source. */
  get sourceLedger(): SourceLedger {
    return this.#options.ledger;
  }

  /**
   * Cleans and adds a block that starts on `page`; drops one without text. Takes ownership of the block and changes it.
   * Throws `source_too_large` past the bounds.
   */
  addDocumentBlock(block: NewBlock, page = this.page): void {
    this.#countCharacters(blockLength(block));
    // Whether marks are written is known only at the end, so text that may contain them is cleaned then.
    const kept = this.#options.includeComments ? block : cleanBlock(block, false, this.#inlineValues);
    if (kept === null) return;
    if (this.blocks.length >= MAX_BLOCKS) throw documentTooLarge();
    const placed = kept as Block;
    placed.page = page;
    this.blocks.push(placed);
  }

  addDocumentComment(comment: DocumentComment): void {
    this.#revised = true;
    this.#countCharacters(textLength(comment.text, comment.author, comment.date, comment.anchor));
    if (this.comments.length >= MAX_REVISIONS) throw documentTooLarge();
    this.comments.push({
      author: cleanLine(comment.author),
      date: comment.date,
      text: cleanText(comment.text),
      anchor: cleanLine(comment.anchor),
    });
  }

  addChange(change: DocumentChange): void {
    this.#revised = true;
    this.#countCharacters(textLength(change.text, change.author, change.date));
    const text = cleanText(change.text);
    if (text === '') return;
    if (this.changes.length >= MAX_REVISIONS) throw documentTooLarge();
    this.changes.push({ ...change, author: cleanLine(change.author), text });
  }

  addWarning(sentence: Said): void {
    if (!this.warnings.includes(sentence)) this.warnings.push(sentence);
  }

  /** Call in every loop over untrusted bytes. Throws the reason of the signal once the work is cancelled. */
  checkCancellation(): void {
    this.#steps += 1;
    if (this.#steps % STEPS_BETWEEN_CHECKS !== 0) return;
    // A synchronous thread learns of a cancellation only when it reports progress.
    this.#options.progress(0, say`Reading the document`);
    this.#options.signal.throwIfAborted();
  }

  buildNormalizedDocument(findings: DocumentFindings): NormalizedDocument {
    this.#options.signal.throwIfAborted();
    const reading = this.#options.includeComments ? 'marked' : 'accepted';
    const isMarked = this.#revised && reading === 'marked';
    const blocks =
      reading === 'marked'
        ? this.blocks.flatMap((block) => finishBlock(block, isMarked, this.#inlineValues))
        : this.blocks;
    const { blocks: titled, title } = joinTitle(blocks);
    const pages = { counted: Math.max(this.page, findings.pages ?? 1), stated: findings.statedPages ?? 1 };
    return {
      format: findings.format,
      title: cleanLine(findings.title) ?? title,
      author: cleanLine(findings.author),
      language: cleanLine(findings.language),
      pages: believablePages(pages, titled, (sentence) => this.addWarning(sentence)),
      revisions: this.#revised ? reading : 'none',
      blocks: notesLast(titled),
      comments: this.#options.includeComments ? this.comments : [],
      changes: this.#options.includeComments ? this.changes : [],
      warnings: this.warnings,
    };
  }

  #countCharacters(characters: number): void {
    this.#characters += characters;
    if (this.#characters > MAX_CHARACTERS) throw documentTooLarge();
  }
}

/**
 * Moves notes behind the text, as in every format, and keeps the page of their reference: between two paragraphs they
 * would split a chunk. Page furniture stays last.
 */
function notesLast(blocks: readonly Block[]): Block[] {
  const isNote = (block: Block) => block.kind === 'note';
  const end = blocks.findLastIndex(({ kind }) => kind !== 'page-furniture') + 1;
  const text = blocks.slice(0, end);
  return [...text.filter((block) => !isNote(block)), ...text.filter(isNote), ...blocks.slice(end)];
}

/** Markers count too: a document states one once for any number of items. */
function blockLength(block: NewBlock): number {
  if (block.kind === 'table') return block.rows.reduce((sum, row) => sum + rowLength(row), 0);
  const indent = block.kind === 'list-item' ? LIST_INDENT.length * block.depth : 0;
  return indent + textLength(block.text, 'marker' in block ? block.marker : null);
}

/** Author names count too: a document states one once for any number of changes. */
function textLength(...texts: readonly (string | null)[]): number {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

function rowLength(row: readonly string[]): number {
  return row.reduce((sum, cell) => sum + cell.length + 1, 0);
}

function documentTooLarge(): QuarryError {
  return new QuarryError(
    'source_too_large',
    say`The document has more text than the limit of a job: split it into parts.`,
  );
}

function finishBlock(block: Block, isMarked: boolean, values: InlineValues | null): Block[] {
  const cleaned = cleanBlock(block, isMarked, values);
  return cleaned === null ? [] : [{ ...cleaned, page: block.page } as Block];
}

/**
 * Cleans the block's text in place. If revisions are kept, writes their marks and escapes equal characters of the text
 * itself.
 */
function cleanBlock(block: NewBlock, isMarked: boolean, values: InlineValues | null): NewBlock | null {
  const textWithRevisions = (text: string) => (isMarked ? renderRevisions(text) : text);
  if (block.kind === 'table') return cleanTable(block, (cell) => takeMarked(textWithRevisions(cell), values));
  if ('marks' in block && block.marks !== undefined) cleanMarked(block);
  const rendered = textWithRevisions(block.text);
  if (block.kind === 'code' || block.kind === 'comment' || block.kind === 'page-furniture') {
    const raw = withoutInline(rendered);
    block.text = block.kind === 'code' ? cleanCode(raw) : cleanText(raw);
    return block.text === '' ? null : block;
  }
  const { text: raw, marks } = takeMarked(rendered, values);
  const cleaned = marks.length === 0 ? { text: cleanText(raw), marks } : markedText(raw, marks);
  const { text } = cleaned;
  if (text === '') return null;
  if (cleaned.marks.length > 0) block.marks = cleaned.marks;
  if (raw.includes(PAGE_START)) keepPageStarts(block, raw, text.length);
  block.text = block.kind === 'heading' ? text.replaceAll('\n', ' ') : text;
  return block;
}

interface MarkedText {
  text: string;
  marks: InlineMark[];
}

const NO_MARKS: InlineMark[] = [];

function takeMarked(raw: string, values: InlineValues | null): MarkedText {
  return values !== null && HAS_INLINE.test(raw) ? takeInline(raw, values) : { text: raw, marks: NO_MARKS };
}

/** Offsets at which pages start in a cleaned text. */
function keepPageStarts(block: NewBlock, raw: string, length: number): void {
  if (block.kind === 'table' || block.kind === 'code' || block.kind === 'comment' || block.kind === 'page-furniture') {
    return;
  }
  const starts: number[] = [];
  const parts = raw.split(PAGE_START, MAX_PAGE_STARTS);
  for (let count = 1; count < parts.length; count += 1) {
    // The text that follows decides whether a trailing space stays.
    starts.push(Math.min(length, cleanText(`${parts.slice(0, count).join('')}x`).length - 1));
  }
  block.pageBreaks = starts;
}

// Cleans text with inline marks and adjusts their offsets.

/** Matches any character that cleaning may change, apart from trimming and double spaces. */
const NOT_PRINTABLE = /[^\x20-\x7e]/;

/** Cleans a block's text in place; drops marks without text, except pictures. */
function cleanMarked(block: { text: string; marks?: InlineMark[] }): void {
  const { text, marks } = markedText(block.text, block.marks ?? []);
  block.text = text;
  if (marks.length > 0) block.marks = marks;
  else delete block.marks;
}

/**
 * Cleans a table and drops its empty rows but those under a cell with text; null if none remain. `take` takes the marks
 * out of a cell's raw text.
 */
function cleanTable(table: NewBlock & { kind: 'table' }, take: (cell: string) => MarkedText): NewBlock | null {
  const { rows, rowPages, marks = [], spans = [], images, align, isQuoted, quoteDepth, callout, afterRule } = table;
  const kept: string[][] = [];
  const keptRows: number[] = [];
  const placed: CellMark[] = [];
  const under = rowsUnder(spans, rows);
  let hasText = false;
  const byCell = marks.length === 0 ? null : Map.groupBy(marks, ({ row, column }) => `${row} ${column}`);
  for (const [row, cells] of rows.entries()) {
    const cleaned = cells.map((cell, column) => {
      const own = take(cell);
      return markedText(own.text, byCell?.get(`${row} ${column}`) ?? own.marks);
    });
    const isEmpty = cleaned.every(({ text }) => text === '');
    if (isEmpty && !under.has(row)) continue;
    hasText ||= !isEmpty;
    for (const [column, cell] of cleaned.entries()) {
      for (const mark of cell.marks) placed.push({ ...mark, row: kept.length, column });
    }
    kept.push(cleaned.map(({ text }) => text));
    keptRows.push(row);
  }
  if (!hasText) return null;
  const quoting = omitUndefined({ isQuoted, quoteDepth, callout, afterRule });
  const block: NewBlock = { kind: 'table', rows: kept, ...remainingSpans(spans, keptRows), ...quoting };
  if (rowPages !== undefined) block.rowPages = keptRows.map((row) => rowPages[row] ?? 1);
  if (placed.length > 0) block.marks = placed;
  if (images !== undefined) block.images = images;
  if (align?.some((one) => one !== null) === true) block.align = align;
  return block;
}

function markedText(raw: string, marks: readonly InlineMark[]): MarkedText {
  if (marks.length === 0) return { text: cleanText(raw), marks: [] };
  if (!NOT_PRINTABLE.test(raw) && !raw.includes('  ')) {
    const text = raw.trim();
    if (text.length === raw.length) return { text, marks: [...marks] };
    const lead = raw.length - raw.trimStart().length;
    return { text, marks: movedMarks(marks, text.length, (at) => at - lead) };
  }
  const places = [...new Set(marks.flatMap(({ start, end }) => [start, end]))].sort((one, other) => one - other);
  const moved = new Map<number, number>();
  // Collects pieces, because reading the end of a growing string flattens it each time.
  const pieces: string[] = [];
  let length = 0;
  let from = 0;
  for (const place of [...places, raw.length]) {
    length += addPiece(pieces, cleanPart(raw.slice(from, place)));
    moved.set(place, length);
    from = place;
  }
  const whole = cleanText(raw);
  // Combining accents and split line ends can be cleaned only as a whole, which loses the offsets.
  if (pieces.join('').trimEnd() !== whole) return { text: whole, marks: [] };
  return { text: whole, marks: movedMarks(marks, whole.length, (at) => moved.get(at) ?? 0) };
}

/** Joins pieces: one white-space character remains between two, none at the start. Returns the growth of the text. */
function addPiece(pieces: string[], piece: string): number {
  const last = pieces.at(-1);
  let added = piece;
  let lost = 0;
  if (last === undefined) added = piece.trimStart();
  else if (/[ \n]$/.test(last)) {
    added = piece.replace(/^ /, '');
    if (last.endsWith(' ') && piece.startsWith('\n')) {
      pieces[pieces.length - 1] = last.slice(0, -1);
      lost = 1;
    }
  }
  if (added !== '') pieces.push(added);
  return added.length - lost;
}

function movedMarks(marks: readonly InlineMark[], length: number, to: (at: number) => number): InlineMark[] {
  const placeWithinText = (at: number) => Math.min(Math.max(to(at), 0), length);
  return marks
    .map((mark) => ({ ...mark, start: placeWithinText(mark.start), end: placeWithinText(mark.end) }))
    .filter(({ kind, start, end }) => end > start || kind === 'image' || kind === 'frame');
}

// Normalises text: Unicode NFC, no control characters, single spaces, `\n` for a soft line break.

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed here.
const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b\u2060\ufeff\ufdd0-\ufdef\ufff9-\ufffc]/g;

const LINE_ENDS = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;

const SPACES = /[ \t\u00a0]+/g;

const SPACES_AT_BREAKS = / ?\n ?/g;

const MANY_BREAKS = /\n{3,}/g;

/** Replaces a tab in code. */
const CODE_TAB = '    ';

/** Prose: collapses runs of spaces, removes spaces around breaks, trims. */
function cleanText(text: string): string {
  if (!NOT_PRINTABLE.test(text) && !text.includes('  ')) return text.trim();
  return cleanPart(withoutInline(text)).trim();
}

/** Like `cleanText` for part of a text, without trimming. */
function cleanPart(text: string): string {
  return text
    .replace(LINE_ENDS, '\n')
    .replace(CONTROLS, '')
    .replace(SPACES, ' ')
    .replace(SPACES_AT_BREAKS, '\n')
    .replace(MANY_BREAKS, '\n\n')
    .toWellFormed()
    .normalize('NFC');
}

/** Code: keeps spaces; removes empty lines at both ends. */
export function cleanCode(text: string): string {
  return (
    text
      .replace(LINE_ENDS, '\n')
      .replaceAll('\t', CODE_TAB)
      .replace(CONTROLS, '')
      .replace(/^(?: *\n)+/, '')
      // A regular expression would be quadratic in long runs of spaces.
      .trimEnd()
      .toWellFormed()
      .normalize('NFC')
  );
}

/** Text for one line (titles, authors, names). Null if empty. */
function cleanLine(text: string | null | undefined): string | null {
  const line = cleanText(text ?? '').replaceAll('\n', ' ');
  return line === '' ? null : line;
}
