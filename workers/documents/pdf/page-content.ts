import type { PDFPage } from 'mupdf';

/**
 * What is kept of a page between the tasks: one file of pages for each range, read again when the document is put
 * together. Lengths are points (1/72 inch), measured from the page's top left corner as it is shown.
 */
export interface PdfPage {
  /** From 1. */
  number: number;
  width: number;
  height: number;
  parts: PagePart[];
  comments: PageComment[];
}

export type PagePart =
  /** Lines of one paragraph, heading or list item, in reading order. */
  | { kind: 'lines'; lines: PageLine[] }
  /** `hasHead`: the document says of its first row that it is the head of the columns. */
  | ({ kind: 'table'; rows: string[][]; hasHead?: true } & Box);

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface PageLine extends Box {
  text: string;
  /** Font size of its first character. */
  size: number;
  bold: boolean;
  /** What the document's own structure tags say it is. */
  tag: LineTag | null;
  /** Lines of one group came from one block of the page or one tagged element. */
  group: number;
  /** Goes on where the line before it ends, without a space: tags cut words, as at a bold letter or a raised digit. */
  glued?: true;
  /** Recognised from pixels: its size is an estimate. */
  recognized?: true;
}

export type LineTag =
  | { kind: 'heading'; level: number }
  | { kind: 'paragraph' }
  | { kind: 'list-item'; depth: number }
  | { kind: 'cell'; table: number; row: number; column: number; isHead?: true }
  | { kind: 'caption' }
  | { kind: 'note' }
  | { kind: 'code' }
  | { kind: 'artifact' };

export interface PageComment {
  author: string | null;
  date: string | null;
  text: string;
  anchor: string | null;
  /** Its text is part of the page's own: typed over it. */
  isShown?: true;
}

/** A page, or the appearance of an annotation. */
export type Drawing = Pick<PDFPage, 'toStructuredText'>;
