import type { Chunk } from '../../src-server/operation.ts';
import type { FileKind } from '../../src-server/platform/files/sniff.ts';

/** Draws a page of a PDF for viewing. */
export interface DrawPageInput {
  path: string;
  /** From 1. */
  page: number;
  widthPixels: number;
}

export interface DrawnPage {
  png: Uint8Array;
  /** Page count of the PDF. */
  pages: number;
}

export interface ExtractDocumentInput {
  sourcePath: string;
  kind: FileKind;
  fileName: string | null;
  /** Receives document.md, document.txt, document.json (the normalised blocks) and chunks.jsonl. */
  outputFolder: string;
  segmentLength: number;
  language: string | null;
  includeComments: boolean;
}

export interface ExtractDocumentOutput {
  /** Empty if chunks.jsonl alone has them. */
  chunks: Chunk[];
  /** Size of chunks.jsonl if only the file has the chunks; they are validated. */
  chunksFileBytes?: number;
  document: DocumentFacts;
  /** Present only with includeComments. */
  comments?: DocumentComment[];
  changes?: DocumentChange[];
  warnings: string[];
}

/** Cuts an extracted document into chunks again, from its document.json instead of the source. */
export interface RechunkDocumentInput {
  /** Output folder of an extract-document task. */
  folder: string;
  segmentLength: number;
  language: string | null;
}

export interface RechunkDocumentOutput {
  chunks: Chunk[];
}

/** Reads the text layer of a range of pages. */
export interface ParsePdfInput {
  sourcePath: string;
  /** From 0. */
  firstPage: number;
  pageCount: number;
  includeComments: boolean;
  /** Receives the pages' content as JSON, the input of assemble-pdf. */
  pagesPath: string;
}

export interface ParsePdfOutput {
  facts: PdfFacts;
  /** Pages (from 1) that need recognition. */
  recognize: number[];
  /** Damaged pages (from 1), whose text is missing. */
  damaged: number[];
  /** True if one of these only exceeded the memory limit of a page. */
  tooLarge: boolean;
  characters: number;
}

/** Trained data for recognition. */
export interface RecognitionModel {
  /** Tesseract's name of the language, for example `eng` or `chi_sim`. */
  name: string;
  /** Absolute path of the trained data, optionally gzipped. */
  path: string;
}

/** Recognises the text of a picture: a page of a PDF, or an image file. */
export interface RecognizeTextInput {
  /** Pages count from 1. */
  source: { kind: 'pdf-page'; path: string; page: number } | { kind: 'image'; path: string };
  model: RecognitionModel;
  /** `page`: columns and paragraphs, in reading order. `frame`: scattered words, as on a slide or in a scene. */
  layout: 'page' | 'frame';
}

export interface RecognizedText {
  /** Pixels of the recognised picture, the unit of boxes. */
  width: number;
  height: number;
  /** Pixels per point of the page; 1 for an image read at its own size. */
  scale: number;
  /** Clockwise rotation in degrees that makes the picture upright; sizes and boxes refer to the upright picture. */
  turned: 0 | 90 | 180 | 270;
  /** Plain text; blank lines separate paragraphs. */
  text: string;
  /** Mean over the words, 0–100; null if nothing was recognised. */
  confidence: number | null;
  lines: RecognizedLine[];
}

export interface RecognizedLine extends RecognizedWord {
  /** Running numbers of the block and paragraph it belongs to. */
  block: number;
  paragraph: number;
  words: RecognizedWord[];
}

export interface RecognizedWord {
  text: string;
  /** 0–100. */
  confidence: number;
  box: [left: number, top: number, right: number, bottom: number];
}

/** Joins the pages of a PDF, cuts chunks and writes the same files as extract-document. */
export interface AssemblePdfInput {
  facts: PdfFacts;
  /** Output files of parse-pdf, in page order. */
  pagesPaths: string[];
  /** Files with one RecognizedPage each, whose text replaces the page's own. */
  recognizedPaths: string[];
  damagedPages: number[];
  outputFolder: string;
  segmentLength: number;
  language: string | null;
  includeComments: boolean;
  warnings: string[];
}

export interface RecognizedPage extends RecognizedText {
  /** From 1. */
  number: number;
}

/** Facts about the whole PDF. */
export interface PdfFacts {
  pageCount: number;
  title: string | null;
  author: string | null;
  /** Language stated by the document. */
  language: string | null;
  /** True if the cross-reference table had to be rebuilt. */
  repaired: boolean;
  /** Levels and pages from 1. */
  outline: { title: string; level: number; page: number }[];
}

export interface DocumentFacts {
  format: string;
  title: string | null;
  author: string | null;
  /** Pages stated by the source; 1 without any. */
  pages: number;
  words: number;
  characters: number;
  language: string | null;
  /**
   * The reading of tracked changes in the chunks: `accepted` drops deletions and comments; `marked` keeps both, as
   * `[-deleted-]`, `{+inserted+}` (`¶` in them is a paragraph end) and `[Comment by AUTHOR: text]`, with a backslash
   * before any of `\ [ ] { } + - :` that belongs to the text; `none` if the file has neither.
   */
  revisions: 'accepted' | 'marked' | 'none';
}

export interface DocumentComment {
  author: string | null;
  date: string | null;
  text: string;
  /** The text the comment is attached to. */
  anchor: string | null;
}

export interface DocumentChange {
  kind: 'insertion' | 'deletion' | 'move-from' | 'move-to';
  author: string | null;
  date: string | null;
  text: string;
}

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'extract-document': { input: ExtractDocumentInput; output: ExtractDocumentOutput };
    'rechunk-document': { input: RechunkDocumentInput; output: RechunkDocumentOutput };
    'parse-pdf': { input: ParsePdfInput; output: ParsePdfOutput };
    'recognize-text': { input: RecognizeTextInput; output: RecognizedText };
    'draw-page': { input: DrawPageInput; output: DrawnPage };
    'assemble-pdf': { input: AssemblePdfInput; output: ExtractDocumentOutput };
  }
}
