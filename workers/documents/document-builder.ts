/**
 * Threat: a small file that says a lot (repeat counts, nested references). Whatever a parser makes goes through here
 * and is counted, so that no format can grow without bound.
 */
import { QuarryError } from '../../src-server/platform/errors.ts';
import type { DocumentChange, DocumentComment } from '../tasks.ts';
import type { Block, NormalizedDocument, ParseOptions } from './blocks.ts';
import { cleanCode, cleanLine, cleanText } from './clean-text.ts';
import { cleanMarked, cleanTable } from './marked-text.ts';
import { PAGE_START } from './revision-marks.ts';
import { renderRevisions } from './revisions.ts';
import { LIST_INDENT } from './write-text.ts';

const MAX_CHARACTERS = 20_000_000;
const MAX_BLOCKS = 1_000_000;
const MAX_REVISIONS = 100_000;
/** Within one paragraph. */
const MAX_PAGE_STARTS = 100;
/** How many calls of `step` lie between two looks at whether the work should stop. */
const STEPS_BETWEEN_CHECKS = 8192;

type WithoutPage<Kind> = Kind extends Block ? Omit<Kind, 'page'> : never;
/** A block before it is cleaned and given its page. */
export type NewBlock = WithoutPage<Block>;

export interface DocumentFindings {
  format: string;
  title?: string | null;
  author?: string | null;
  language?: string | null;
  /** Pages the source states about itself; the count of its page breaks decides when that is larger. */
  statedPages?: number;
}

/** Collects blocks, comments, changes and warnings of one document. */
export class DocumentBuilder {
  readonly blocks: Block[] = [];
  readonly comments: DocumentComment[] = [];
  readonly changes: DocumentChange[] = [];
  readonly warnings: string[] = [];
  page = 1;
  readonly #options: ParseOptions;
  #characters = 0;
  #steps = 0;
  #revised = false;

  constructor(options: ParseOptions) {
    this.#options = options;
  }

  /** Whether deletions, insertions and comments are kept, marked. */
  get includeComments(): boolean {
    return this.#options.includeComments;
  }

  /**
   * Cleans and keeps a block that begins on `page`; one without text is dropped. The block is taken over as it is, and
   * changed. Throws `source_too_large` past the bounds.
   */
  add(block: NewBlock, page = this.page): void {
    this.#count(blockLength(block));
    // Whether marks are to be written is known at the end, so what may hold some is cleaned then.
    const kept = this.#options.includeComments ? block : clean(block, false);
    if (kept === null) return;
    if (this.blocks.length >= MAX_BLOCKS) throw tooLarge();
    const placed = kept as Block;
    placed.page = page;
    this.blocks.push(placed);
  }

  addComment(comment: DocumentComment): void {
    this.#revised = true;
    this.#count(textLength(comment.text, comment.author, comment.date, comment.anchor));
    if (this.comments.length >= MAX_REVISIONS) throw tooLarge();
    this.comments.push({
      author: cleanLine(comment.author),
      date: comment.date,
      text: cleanText(comment.text),
      anchor: cleanLine(comment.anchor),
    });
  }

  addChange(change: DocumentChange): void {
    this.#revised = true;
    this.#count(textLength(change.text, change.author, change.date));
    const text = cleanText(change.text);
    if (text === '') return;
    if (this.changes.length >= MAX_REVISIONS) throw tooLarge();
    this.changes.push({ ...change, author: cleanLine(change.author), text });
  }

  warn(sentence: string): void {
    if (!this.warnings.includes(sentence)) this.warnings.push(sentence);
  }

  /** To be called in every loop over foreign bytes: throws the signal's reason once the work is cancelled. */
  step(): void {
    this.#steps += 1;
    if (this.#steps % STEPS_BETWEEN_CHECKS !== 0) return;
    // A thread that never pauses hears of its cancellation only when it speaks itself.
    this.#options.progress(0, 'Reading the document');
    this.#options.signal.throwIfAborted();
  }

  finish(findings: DocumentFindings): NormalizedDocument {
    this.#options.signal.throwIfAborted();
    const reading = this.#options.includeComments ? 'marked' : 'accepted';
    const isMarked = this.#revised && reading === 'marked';
    const blocks = reading === 'marked' ? this.blocks.flatMap((block) => finishBlock(block, isMarked)) : this.blocks;
    return {
      format: findings.format,
      title: cleanLine(findings.title),
      author: cleanLine(findings.author),
      language: cleanLine(findings.language),
      pages: Math.max(this.page, findings.statedPages ?? 1),
      revisions: this.#revised ? reading : 'none',
      blocks: notesLast(blocks),
      comments: this.#options.includeComments ? this.comments : [],
      changes: this.#options.includeComments ? this.changes : [],
      warnings: this.warnings,
    };
  }

  #count(characters: number): void {
    this.#characters += characters;
    if (this.#characters > MAX_CHARACTERS) throw tooLarge();
  }
}

/**
 * Notes behind the text, as in every format, with the page that refers to them: between two paragraphs they would cut
 * the text into chunks there. What stands at the pages' foot stays last.
 */
function notesLast(blocks: readonly Block[]): Block[] {
  const isNote = (block: Block) => block.kind === 'note';
  const end = blocks.findLastIndex(({ kind }) => kind !== 'page-furniture') + 1;
  const text = blocks.slice(0, end);
  return [...text.filter((block) => !isNote(block)), ...text.filter(isNote), ...blocks.slice(end)];
}

/** A marker counts too: a document names it once, for as many items as it has. */
function blockLength(block: NewBlock): number {
  if (block.kind === 'table') return block.rows.reduce((sum, row) => sum + rowLength(row), 0);
  const indent = block.kind === 'list-item' ? LIST_INDENT.length * block.depth : 0;
  return indent + textLength(block.text, 'marker' in block ? block.marker : null);
}

/** An author is named once as well, and belongs to each change that refers to it. */
function textLength(...texts: readonly (string | null)[]): number {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

function rowLength(row: readonly string[]): number {
  return row.reduce((sum, cell) => sum + cell.length + 1, 0);
}

function tooLarge(): QuarryError {
  return new QuarryError('source_too_large', 'The document holds more text than one job may have: split it in parts.');
}

function finishBlock(block: Block, isMarked: boolean): Block[] {
  const cleaned = clean(block, isMarked);
  return cleaned === null ? [] : [{ ...cleaned, page: block.page } as Block];
}

/**
 * Cleans the block's text in its place. Where revisions are kept, their marks are written out; what the text has of
 * such marks itself is escaped.
 */
function clean(block: NewBlock, isMarked: boolean): NewBlock | null {
  const shown = (text: string) => (isMarked ? renderRevisions(text) : text);
  if (block.kind === 'table') {
    if (block.marks !== undefined || block.images !== undefined) return cleanTable(block);
    const rows = block.rows.map((row) => row.map((cell) => cleanText(shown(cell))));
    const isKept = rows.map((row) => row.some((cell) => cell !== ''));
    if (!isKept.includes(true)) return null;
    const pages = block.rowPages?.filter((_, row) => isKept[row]);
    return { kind: 'table', rows: rows.filter((_, row) => isKept[row]), ...(pages && { rowPages: pages }) };
  }
  if ('marks' in block && block.marks !== undefined) cleanMarked(block);
  const raw = shown(block.text);
  const text = block.kind === 'code' ? cleanCode(raw) : cleanText(raw);
  if (text === '') return null;
  if (raw.includes(PAGE_START)) keepPageStarts(block, raw, text.length);
  block.text = block.kind === 'heading' ? text.replaceAll('\n', ' ') : text;
  return block;
}

/** Where in a cleaned text its pages begin. */
function keepPageStarts(block: NewBlock, raw: string, length: number): void {
  if (block.kind === 'table' || block.kind === 'code' || block.kind === 'comment' || block.kind === 'page-furniture') {
    return;
  }
  const starts: number[] = [];
  const parts = raw.split(PAGE_START, MAX_PAGE_STARTS);
  for (let count = 1; count < parts.length; count += 1) {
    // What follows decides whether a space before it stays.
    starts.push(Math.min(length, cleanText(`${parts.slice(0, count).join('')}x`).length - 1));
  }
  block.pageBreaks = starts;
}
