import type {
  DocumentChange,
  DocumentComment,
  DocumentFacts,
  RecognitionModel,
  RecognizedText,
} from '../../src-server/features/documents/schema.ts';
import type { Chunk } from '../../src-server/operation.ts';
import type { FileKind } from '../../src-server/platform/files/kinds.ts';
import type { Doubt, SourceAccount } from '../../src-server/platform/source-account.ts';
import type { Said } from '../../src-server/platform/text/say.ts';

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

/** Draws what stands for an item in the library. */
export type DrawCoverInput =
  | { kind: 'pdf' | 'picture'; path: string }
  /** A site, by its icon and its first screen. */
  | { kind: 'site'; iconPath: string | null; screenPath: string | null };

export interface DrawnCover {
  /** 320 by 240 pixels, at most 20 KiB. */
  webp: Uint8Array | null;
}

export interface ExtractDocumentInput {
  sourcePath: string;
  kind: FileKind;
  fileName: string | null;
  /** Receives document.md, document.txt, document.json (the normalised blocks), docling.json and chunks.jsonl. */
  outputFolder: string;
  segmentLength: number;
  language: string | null;
  includeComments: boolean;
  /** Present for kinds that are pictures or may contain files. */
  pictures?: PictureInput;
  password?: string;
}

export interface PictureInput {
  /** Null if the language of the request has no trained data. */
  model: RecognitionModel | null;
  /** Private folder of the job, which may not exist yet. Temporary files go there. */
  workFolder: string;
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
  doubts?: Doubt[];
  account: SourceAccount;
  warnings: Said[];
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
  password?: string;
}

export interface ParsePdfOutput {
  facts: PdfFacts;
  /** Pages (from 1) that need recognition. */
  recognize: number[];
  /** Damaged pages (from 1), whose text is missing. */
  damaged: number[];
  /** The problem of a damaged page that only exceeded the memory limit; null without one. */
  memoryProblem: string | null;
  characters: number;
  /** The first meaningful text, for detect-language. */
  sample: string;
}

/** Finds the language of a text by its words, or by its script. */
export interface DetectLanguageInput {
  text: string;
}

export interface DetectLanguageOutput {
  /** ISO 639-1 code; null without enough evidence. */
  language: string | null;
}

/** Recognises the text of a picture: a page of a PDF, or an image file. */
export interface RecognizeTextInput {
  /** Pages count from 1. */
  source: { kind: 'pdf-page'; path: string; page: number; password?: string } | { kind: 'image'; path: string };
  model: RecognitionModel;
  /** `page`: columns and paragraphs, in reading order. `frame`: scattered words, as on a slide or in a scene. */
  layout: 'page' | 'frame';
}

/** Joins the pages of a PDF, cuts chunks and writes the same files as extract-document. */
export interface AssemblePdfInput {
  sourcePath: string;
  fileName: string | null;
  facts: PdfFacts;
  /** Output files of parse-pdf, in page order. */
  pagesPaths: string[];
  /** Files with one RecognizedPage each, whose text is added to the page's own. */
  recognizedPaths: string[];
  damagedPages: number[];
  outputFolder: string;
  segmentLength: number;
  language: string | null;
  includeComments: boolean;
  warnings: Said[];
  /** To join words that are divided at the end of a line. */
  wordLists: WordList[];
}

/** Tesseract's trained data of a language, which has a list of its words. */
export interface WordList {
  /** ISO 639-1. */
  language: string;
  path: string;
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
  /** Names of the attached files. */
  files?: string[];
  /** The text of a form that no page draws. */
  undrawnForm?: string;
  /** Descriptions of pictures for readers who do not see them, in lines. */
  figureTexts?: string;
}

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'extract-document': { input: ExtractDocumentInput; output: ExtractDocumentOutput };
    'rechunk-document': { input: RechunkDocumentInput; output: RechunkDocumentOutput };
    'parse-pdf': { input: ParsePdfInput; output: ParsePdfOutput };
    'detect-language': { input: DetectLanguageInput; output: DetectLanguageOutput };
    'recognize-text': { input: RecognizeTextInput; output: RecognizedText };
    'draw-page': { input: DrawPageInput; output: DrawnPage };
    'draw-cover': { input: DrawCoverInput; output: DrawnCover };
    'assemble-pdf': { input: AssemblePdfInput; output: ExtractDocumentOutput };
  }
}
