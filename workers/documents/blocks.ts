import type { DocumentChange, DocumentComment } from './tasks.ts';

/**
 * The normalised document: what every parser produces and everything after it (chunks, Markdown, plain text) reads.
 * Text in blocks is Unicode NFC without control characters; a soft line break is `\n`.
 */
export interface NormalizedDocument {
  /** Format by bytes: docx, doc, odt, rtf, html, markdown, text, pdf. */
  format: string;
  title: string | null;
  author: string | null;
  /** Language the document itself states. */
  language: string | null;
  /** Pages the source states or has; 1 where it has none. */
  pages: number;
  revisions: 'accepted' | 'marked' | 'none';
  blocks: Block[];
  comments: DocumentComment[];
  changes: DocumentChange[];
  /** Sentences for people about what could not be read. */
  warnings: string[];
}

/** A link in a block's text: from `start` to `end` (UTF-16 code units) it leads to `url`. */
export interface BlockLink {
  start: number;
  end: number;
  url: string;
}

/**
 * What a part of a page's text is beside text, from `start` to `end` (UTF-16 code units); a picture has a place and no
 * length. They nest, or overlap where a page's tags do.
 */
export interface InlineMark {
  kind: 'link' | 'code' | 'strong' | 'emphasis' | 'image';
  start: number;
  end: number;
  url?: string;
  alt?: string;
}

/** A mark in a table's cell. */
export interface CellMark extends InlineMark {
  row: number;
  column: number;
}

export interface BlockImage {
  url: string;
  alt: string;
}

/** What a block of a page may carry beside. */
interface OnPage {
  /** Page the block begins on. */
  page: number;
  /** Pictures that stand before the block. */
  images?: BlockImage[];
}

/** What every block of running text may carry. Parsers that do not know these leave them out. */
interface Inline extends OnPage {
  text: string;
  /** Where in `text` a new page begins, ascending. */
  pageBreaks?: number[];
  links?: BlockLink[];
  marks?: InlineMark[];
}

export type Block =
  | ({ kind: 'heading'; level: number } & Inline)
  /** `isQuoted`: a page marks it as somebody else's words. `isTerm`: what comes next says what it is. */
  | ({ kind: 'paragraph'; isQuoted?: true; isTerm?: true } & Inline)
  | ({ kind: 'list-item'; depth: number; marker: string } & Inline)
  /** Cells hold one paragraph a line; a nested table's rows are lines whose cells are set apart by ` | `. */
  | ({ kind: 'table'; rows: string[][]; rowPages?: number[]; marks?: CellMark[] } & OnPage)
  | ({ kind: 'caption' } & Inline)
  | ({ kind: 'note'; marker: string } & Inline)
  | { kind: 'comment'; text: string; page: number }
  | { kind: 'page-furniture'; place: 'header' | 'footer'; text: string; page: number }
  | ({ kind: 'code'; text: string; language?: string } & OnPage);

export interface ParseOptions {
  fileName: string | null;
  language: string | null;
  includeComments: boolean;
  signal: AbortSignal;
  progress(percent: number, message: string): void;
}

/** A parser reads the whole file from memory; the caller has bounded its size already. */
export type DocumentParser = (bytes: Buffer, options: ParseOptions) => Promise<NormalizedDocument>;
