import type { Chunk } from '../../src-server/operation.ts';
import type { FileKind } from '../../src-server/platform/files/sniff.ts';

/** A page of a PDF as a picture, for a person to look at. */
export interface DrawPageInput {
  path: string;
  /** From 1. */
  page: number;
  widthPixels: number;
}

export interface DrawnPage {
  png: Uint8Array;
  /** How many pages the PDF has. */
  pages: number;
}

export interface ExtractDocumentInput {
  sourcePath: string;
  kind: FileKind;
  fileName: string | null;
  /** Folder that gets document.md, document.txt, document.json (the normalised blocks) and chunks.jsonl. */
  outputFolder: string;
  segmentLength: number;
  language: string | null;
  includeComments: boolean;
}

export interface ExtractDocumentOutput {
  /** Empty where all of them are in chunks.jsonl alone. */
  chunks: Chunk[];
  /** Size of chunks.jsonl, where it alone has the chunks, checked against their schema. */
  chunksFileBytes?: number;
  document: DocumentFacts;
  /** Only when asked for with includeComments. */
  comments?: DocumentComment[];
  changes?: DocumentChange[];
  warnings: string[];
}

/** Cuts an extracted document anew from its document.json, without reading the source again. */
export interface RechunkDocumentInput {
  /** Folder that an extract-document task filled. */
  folder: string;
  segmentLength: number;
  language: string | null;
}

export interface RechunkDocumentOutput {
  chunks: Chunk[];
}

/** Reads the text layer of some pages of a PDF. */
export interface ParsePdfInput {
  sourcePath: string;
  /** From 0. */
  firstPage: number;
  pageCount: number;
  includeComments: boolean;
  /** Gets the pages' content as JSON; what assemble-pdf reads. */
  pagesPath: string;
}

export interface ParsePdfOutput {
  facts: PdfFacts;
  /** Pages, from 1, whose text must be read from their picture. */
  recognize: number[];
  /** Pages, from 1, that are damaged; their text is missing. */
  damaged: number[];
  /** Whether one of these only needed more memory than a page may have. */
  tooLarge: boolean;
  characters: number;
}

/** Which trained data reads the text. */
export interface RecognitionModel {
  /** Tesseract's name of the language, for example `eng` or `chi_sim`. */
  name: string;
  /** Absolute path of the trained data, also packed with gzip. */
  path: string;
}

/** Reads the text of a picture: a page of a PDF, or an image file. */
export interface RecognizeTextInput {
  /** Pages count from 1. */
  source: { kind: 'pdf-page'; path: string; page: number } | { kind: 'image'; path: string };
  model: RecognitionModel;
  /** `page`: columns and paragraphs, in reading order. `frame`: scattered words, as on a slide or in a scene. */
  layout: 'page' | 'frame';
}

export interface RecognizedText {
  /** Pixels of the picture that was read; boxes are in these. */
  width: number;
  height: number;
  /** Pixels per point of the page; 1 for an image read at its own size. */
  scale: number;
  /** Degrees by which the picture must be turned clockwise to be held right; sizes and boxes are those of it then. */
  turned: 0 | 90 | 180 | 270;
  /** Plain text; paragraphs are set apart by a blank line. */
  text: string;
  /** Mean over the words, 0–100; null where nothing was recognised. */
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

/** Puts the pages of a PDF together, cuts chunks and writes the files that extract-document writes. */
export interface AssemblePdfInput {
  facts: PdfFacts;
  /** Files that parse-pdf wrote, in the order of the pages. */
  pagesPaths: string[];
  /** Files with a RecognizedPage each; their text stands in for the page's own. */
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

/** What only the whole PDF knows. */
export interface PdfFacts {
  pageCount: number;
  title: string | null;
  author: string | null;
  /** Language the document states. */
  language: string | null;
  /** Its cross-reference table had to be rebuilt. */
  repaired: boolean;
  /** Levels and pages from 1. */
  outline: { title: string; level: number; page: number }[];
}

export interface DocumentFacts {
  format: string;
  title: string | null;
  author: string | null;
  /** Pages the source states; 1 where it has none. */
  pages: number;
  words: number;
  characters: number;
  language: string | null;
  /**
   * Which reading of tracked changes was chunked: `accepted` drops deletions and comments; `marked` keeps both, as
   * `[-deleted-]`, `{+inserted+}` (`¶` in them is a paragraph's end) and `[Comment by AUTHOR: text]`, where a backslash
   * before one of `\ [ ] { } + - :` makes it a character of the text; `none` where the file has neither.
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
