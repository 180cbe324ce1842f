import type { DocumentChange, DocumentComment, RecognitionFacts } from '../../src-server/features/documents/schema.ts';
import type { Doubt } from '../../src-server/platform/source-account.ts';
import type { Said } from '../../src-server/platform/text/say.ts';
import type { SourceLedger } from './source-ledger.ts';

/**
 * The normalised document: the output of every parser and the input of chunking, Markdown and plain text. Block text is
 * Unicode NFC without control characters; a soft line break is `\n`.
 */
export interface NormalizedDocument {
  /** Format by bytes, for example docx, pdf, pptx, xlsx or text. */
  format: string;
  title: string | null;
  author: string | null;
  /** Language stated by the document. */
  language: string | null;
  /** Pages stated or present in the source; 1 without any. */
  pages: number;
  /** Width and height of each page in points, where the source has them. */
  pageSizes?: [width: number, height: number][];
  revisions: 'accepted' | 'marked' | 'none';
  blocks: Block[];
  comments: DocumentComment[];
  changes: DocumentChange[];
  /** User-facing sentences about content that could not be read. */
  warnings: Said[];
  /** Places whose text may be wrong; absent without any. */
  doubts?: Doubt[];
  /** Present if text was recognised in pictures. */
  ocr?: RecognitionFacts;
}

/**
 * Inline markup of a text over UTF-16 code units `start` to `end`. Marks nest, and overlap where the tags of a page do.
 * `image`: of zero length, with its text in `alt`, or over its text; `formula`: a formula in plain characters, with its
 * LaTeX; `verbatim`: Markdown as it is, as a formula in `$`; `footnote`: a marker in brackets, or raised with its
 * `label`; `frame`: as `image`, the address of a video or of a page in a frame.
 */
export interface InlineMark {
  kind:
    | 'link'
    | 'code'
    | 'strong'
    | 'emphasis'
    | 'strike'
    | 'sub'
    | 'sup'
    | 'image'
    | 'frame'
    | 'formula'
    | 'verbatim'
    | 'footnote';
  start: number;
  end: number;
  url?: string;
  alt?: string;
  latex?: string;
  label?: string;
}

/** A mark in a table's cell. */
export interface CellMark extends InlineMark {
  row: number;
  column: number;
}

export interface BlockImage {
  url: string;
  alt: string;
  /** A video, a page in a frame, or the address that a picture without text leads to. */
  isFrame?: true;
}

/** A cell over several rows or columns. The covered cells of `rows` are empty. */
export interface CellSpan {
  row: number;
  column: number;
  rows: number;
  columns: number;
}

/**
 * A line of a block on its page: the offset in the block's text at which it begins (in a table, the row), the page, and
 * the box in points from the page's top left corner.
 */
export type PlacedLine = [start: number, page: number, left: number, top: number, right: number, bottom: number];

interface Placed {
  /** Page the block begins on. */
  page: number;
  /** Running number of the file inside the source that the block is from; absent for the source's own text. */
  part?: number;
}

/** A cue of captions: the offset in the block's text at which it begins, and its times. */
export interface CueTime {
  at: number;
  startSeconds: number;
  endSeconds: number;
}

/** Optional fields of a page's blocks. */
interface OnPage extends Placed {
  /** Marked as a quotation; `quoteDepth` of one in another. */
  isQuoted?: true;
  quoteDepth?: number;
  /** The first block of an admonition: its kind in GitHub's Markdown. The others are quoted. */
  callout?: 'NOTE' | 'TIP' | 'IMPORTANT' | 'WARNING' | 'CAUTION';
  /** The block is the title of its admonition. */
  hasCalloutTitle?: true;
  /** A rule stands before the block. */
  afterRule?: true;
  /** Pictures before the block. */
  images?: BlockImage[];
  /** Position on the pages, ascending, where the source has one. */
  lines?: PlacedLine[];
}

/** Optional fields of running text; parsers omit those they do not know. */
interface Inline extends OnPage {
  text: string;
  /** Offsets in `text` at which a new page begins, ascending. */
  pageBreaks?: number[];
  marks?: InlineMark[];
  /** Captions only, ascending. */
  cues?: CueTime[];
}

/** Optional fields of tables. */
interface TableFacts {
  rowPages?: number[];
  marks?: CellMark[];
  spans?: CellSpan[];
}

/** How a table states the place of a column's text. */
export type ColumnAlign = 'left' | 'center' | 'right' | null;

export type Block =
  /** `isTitle`: the title of the document, by its style. */
  | ({ kind: 'heading'; level: number; isTitle?: true } & Inline)
  /**
   * `isTerm`: the next block defines it. `isTab`: the label of a tab, whose panel follows. `inList`: it continues the
   * list item of this depth before it.
   */
  | ({ kind: 'paragraph'; isTerm?: true; isTab?: true; inList?: number } & Inline)
  /** `isDone`: of a task, whose box is no text. */
  | ({ kind: 'list-item'; depth: number; marker: string; isDone?: boolean } & Inline)
  /** Each line of a cell is a paragraph; a row of a nested table is a line with its cells separated by ` | `. */
  | ({ kind: 'table'; rows: string[][]; align?: ColumnAlign[] } & TableFacts & OnPage)
  | ({ kind: 'caption' } & Inline)
  | ({ kind: 'note'; marker: string } & Inline)
  | ({ kind: 'comment'; text: string } & Placed)
  | ({ kind: 'page-furniture'; place: 'header' | 'footer'; text: string } & Placed)
  | ({ kind: 'code'; text: string; language?: string; inList?: number } & OnPage);

export interface ParseOptions {
  fileName: string | null;
  language: string | null;
  includeComments: boolean;
  /** Receives what the parser finds in the source on a path of its own. */
  ledger: SourceLedger;
  signal: AbortSignal;
  progress(percent: number, message: Said): void;
}

/** Parses a whole file from memory; the caller has bounded its size. */
export type DocumentParser = (bytes: Buffer, options: ParseOptions) => Promise<NormalizedDocument>;
