import type { PDFPage } from 'mupdf';
import type { CellMark, CellSpan } from '../blocks.ts';
import type { LeftOutText } from '../letter-account.ts';

/**
 * Page content between tasks: one file per page range, read when the document is assembled. Lengths are points (1/72
 * inch) from the top left corner of the page as shown.
 */
export interface PdfPage {
  /** From 1. */
  number: number;
  width: number;
  height: number;
  parts: PagePart[];
  comments: PageComment[];
  /** Some text runs up or down the page, and some across. */
  hasTurnedText?: true;
  /** Fields and annotations that are not read or not to their end; absent for none. */
  unreadExtras?: number;
  /** Names of the files attached to the page; absent for none. */
  files?: string[];
  /** The text that the page holds, a run a line, where its letters are not those of the parts. */
  source?: string;
  /** Text of the source that is not among the parts. */
  leftOut?: LeftOutText[];
  /** Tesseract's name of the language in which its pictures were read. */
  recognizedIn?: string;
  /** Texts of formulas that may be wrong; absent for none. */
  unclearFormulas?: string[];
  /** Formulas within sentences have raised or lowered signs, which the text has on the line. */
  hasFlatScripts?: true;
  /** Links of pictures without text; absent for none. */
  pictureLinks?: PictureLink[];
  /** Has more graphics than can be searched for tables. */
  isDrawing?: true;
  /** Share of what looks like letters that recognition did not read; absent without any. */
  unreadShare?: number;
}

export type PagePart =
  /** Lines of one paragraph, heading or list item, in reading order. */
  | { kind: 'lines'; lines: PageLine[] }
  /**
   * `hasHead`: the document marks its first row as a header row. `unlikely`: recognised texts of its cells that are
   * probably wrong, `unsure`: words of its other cells.
   */
  | ({
      kind: 'table';
      rows: string[][];
      spans?: CellSpan[];
      /** Links of its cells. */
      marks?: CellMark[];
      hasHead?: true;
      unlikely?: string[];
      unsure?: UnsureWord[];
      /** Words of its cells with raised marks. */
      raised?: RaisedWord[];
    } & Box);

/** The address that a picture leads to, and the place of the link. */
export interface PictureLink extends Box {
  url: string;
}

/** A recognised word of low confidence. */
export interface UnsureWord {
  text: string;
  /** The words before it on its line; empty at the start of a line. */
  before: string;
  /** Left, top, right and bottom as shares of the page. */
  box: [number, number, number, number];
}

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
  /** A number for the font that all words of the line have. */
  face?: number;
  /** In a font whose characters all have the same width. */
  mono?: true;
  /** Role from the document's structure tags. */
  tag: LineTag | null;
  /** Lines of a group come from one block of the page or one tagged element. */
  group: number;
  /** Continues the previous line without a space: tags split words, for example at a bold letter or a superscript. */
  glued?: true;
  /** Small numbers and signs above the baseline, which may refer to notes, by their offsets in the text. */
  raised?: RaisedMark[];
  /** Single small letters above the baseline, which refer to notes of tables. */
  raisedLetters?: RaisedMark[];
  /** Its words that lead to addresses, ascending. */
  links?: LinkedText[];
  /** Its bold and italic words, ascending for each kind. */
  stress?: StressedText[];
  /** The formulas within its sentence. */
  formulas?: InlineFormula[];
  /** What the line becomes outside of tables, with its formulas written out. */
  written?: { text: string; formulas: InlineFormula[]; raised: RaisedMark[] };
  /** Recognised from pixels; its size is an estimate. */
  recognized?: true;
  /** Recognised, and probably wrong. */
  unlikely?: true;
  /** Words of a line that is likely as a whole. */
  unsure?: UnsureWord[];
}

/** Words, their offset in the line as read, and the address that they lead to. */
export interface LinkedText {
  at: number;
  text: string;
  url: string;
}

/** Words in a bold or italic font, and their offset in the line as read. */
export interface StressedText {
  at: number;
  text: string;
  kind: 'strong' | 'emphasis';
}

/** Offsets in the text of a line, and the formula as LaTeX. */
export interface InlineFormula {
  start: number;
  end: number;
  latex: string;
}

export interface RaisedMark {
  at: number;
  text: string;
}

/** A word of a table, and the mark at this offset in it. */
export interface RaisedWord extends RaisedMark {
  word: string;
  /** The lines of the table with this word, raised or not, once for each, and which of them is this one. */
  lines: number[];
  index: number;
}

export type LineTag =
  | { kind: 'heading'; level: number }
  | { kind: 'paragraph' }
  | { kind: 'list-item'; depth: number }
  | { kind: 'cell'; table: number; row: number; column: number; isHead?: true }
  | { kind: 'caption' }
  | { kind: 'note' }
  | { kind: 'code' }
  /** A formula on a line of its own. */
  | { kind: 'formula'; latex: string }
  | { kind: 'artifact' };

export interface PageComment {
  author: string | null;
  date: string | null;
  text: string;
  anchor: string | null;
  /** Typed over the page, so its text is part of the page. */
  isShown?: true;
}

/** A page, or the appearance of an annotation. */
export type Drawing = Pick<PDFPage, 'toStructuredText'>;
