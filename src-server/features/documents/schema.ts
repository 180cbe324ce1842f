import { z } from 'zod';
import {
  annotations,
  Chunk,
  extractionRequest,
  JobFile,
  type JobHandle,
  languageHint,
  type ProgressReport,
  segmentLength,
} from '../../operation.ts';
import type { LocalSource } from '../../platform/files/uploads.ts';
import { Doubt, resultAccount } from '../../platform/source-account.ts';
import { Warnings } from '../../platform/warnings.ts';
import { Extracted, schemaOption } from '../fields/schema.ts';

export interface DocumentService {
  /** The models that text recognition may use: the language of a document shows only while it is read. */
  recognitionModels(): Promise<string[]>;
  /**
   * Parses and chunks a document in a worker. Writes the files of `RESULT_FILES` to the job's folder. Errors:
   * `corrupt_input`, `encrypted_input`, `unsupported_media`, `timeout`, `out_of_memory`.
   */
  extract(
    source: LocalSource,
    options: DocumentOptions,
    job: JobHandle,
    signal: AbortSignal,
  ): Promise<z.output<typeof DocumentResult>>;
}

const DocumentOptions = z.strictObject({
  segmentLength: segmentLength(1000),
  language: languageHint().optional(),
  includeComments: z
    .boolean()
    .default(false)
    .describe('Keep tracked changes and comments. By default they are removed.'),
  schema: schemaOption().optional(),
  password: z
    .string()
    .min(1)
    .max(256)
    .meta({ format: 'password' })
    .optional()
    .describe(
      'Password of a PDF, Office or OpenDocument file that needs one. It stays in memory and is never stored: after ' +
        'a restart of Quarry, an unfinished job with it fails and must be sent again.',
    ),
});

export type DocumentOptions = z.output<typeof DocumentOptions>;

/** Request and result shared by the document operations, PDF included. */
export const DocumentExtraction = extractionRequest(DocumentOptions.prefault({}));

/** Pages that were read with text recognition. */
const RecognitionFacts = z
  .object({
    pages: z.array(z.int().min(1)).describe('Pages, from 1, that were recognised.'),
    meanConfidence: z.number().min(0).max(100).nullable().describe('Over all recognised words; null without any.'),
    language: z.string().describe('Language of the trained data, by its name in Tesseract, for example eng.'),
  })
  .meta({ id: 'RecognitionFacts' });

export type RecognitionFacts = z.output<typeof RecognitionFacts>;

const DocumentFacts = z
  .object({
    format: z.string().describe('Format of the bytes, for example docx, pdf, pptx, xlsx or text.'),
    title: z.string().nullable(),
    author: z.string().nullable(),
    pages: z
      .int()
      .min(1)
      .describe(
        'Pages, slides or sheets. Text documents have none in their file: the count that the file states, unless its ' +
          'text cannot fill so many (then its page breaks, with a warning); 1 without one.',
      ),
    words: z.int().min(0),
    characters: z.int().min(0).describe('UTF-16 code units of document.txt.'),
    language: z.string().nullable(),
    revisions: z
      .enum(['accepted', 'marked', 'none'])
      .describe(
        'The reading in the chunks: changes accepted, changes and comments kept and marked, or none in the file.',
      ),
    tokenizer: z
      .string()
      .optional()
      .describe(
        'Tokenizer of the `tokens` of chunks. `quarry-estimate-1`: one token per 5 letters of a word begun, per 3 ' +
          'digits, per character of scripts without spaces and per punctuation mark.',
      ),
    ocr: RecognitionFacts.optional().describe('Present if text was recognised in pages or pictures.'),
  })
  .meta({ id: 'DocumentFacts' });

export type DocumentFacts = z.output<typeof DocumentFacts>;

const DocumentComment = z
  .object({
    author: z.string().nullable(),
    date: z.string().nullable(),
    text: z.string(),
    anchor: z.string().nullable().describe('The text the comment is attached to.'),
  })
  .meta({ id: 'DocumentComment' });

export type DocumentComment = z.output<typeof DocumentComment>;

const DocumentChange = z
  .object({
    kind: z.enum(['insertion', 'deletion', 'move-from', 'move-to']),
    author: z.string().nullable(),
    date: z.string().nullable(),
    text: z.string(),
  })
  .meta({ id: 'DocumentChange' });

export type DocumentChange = z.output<typeof DocumentChange>;

export const DocumentResult = z.object({
  chunks: z.array(Chunk),
  document: DocumentFacts,
  comments: z.array(DocumentComment).optional().describe('With includeComments.'),
  changes: z.array(DocumentChange).optional().describe('With includeComments.'),
  files: z.array(JobFile),
  extracted: Extracted.optional().describe('With schema.'),
  account: resultAccount,
  doubts: z.array(Doubt).optional().describe('Places whose text may be wrong. Absent where there are none.'),
  annotations,
  warnings: Warnings.describe('Content that could not be read, in sentences.'),
});

/** Trained data for recognition. */
export interface RecognitionModel {
  /** Tesseract's name of the language, for example `eng` or `chi_sim`. */
  name: string;
  /** Absolute path of the trained data, optionally gzipped. */
  path: string;
}

export interface RecognizedText {
  /** Pixels of the recognised picture, the unit of boxes. */
  width: number;
  height: number;
  /** Pixels per point of the page; 1 for an image read at its own size. */
  scale: number;
  /** Clockwise rotation in degrees that makes the picture upright; sizes and boxes refer to the upright picture. */
  turned: 0 | 90 | 180 | 270;
  /** Degrees, clockwise, by which the lines of the picture were askew; they were levelled before recognition. */
  skew: number;
  /** Share of what looks like letters that lies outside of all words; 0 if it is no more than a logo or signature. */
  unreadShare: number;
  /** Tesseract's name of the language in which it was read. */
  language: string;
  /** Plain text; blank lines separate paragraphs. */
  text: string;
  /** Mean over the words, 0–100; null if nothing was recognised. */
  confidence: number | null;
  lines: RecognizedLine[];
  /** Tables by the rules of the picture; absent for none. */
  tables?: RecognizedTable[];
}

export interface RecognizedTable {
  rows: string[][];
  /** Cells that take several places of the grid. */
  spans?: { row: number; column: number; rows: number; columns: number }[];
  /** Places in `lines` of what stands in its cells. */
  lines: number[];
}

export interface RecognizedLine extends RecognizedWord {
  /** Running numbers of the block and paragraph it belongs to. */
  block: number;
  paragraph: number;
  words: RecognizedWord[];
  /** Present if the letters are probably not those of the picture. */
  unlikely?: true;
}

export interface RecognizedWord {
  text: string;
  /** 0–100. */
  confidence: number;
  box: [left: number, top: number, right: number, bottom: number];
}

/** Trained data for text recognition, by language. */
export interface OcrModels {
  /** Takes an ISO 639-1 or 639-3 code, optionally with a region or script. Errors: `model_not_installed`. */
  modelFor(language: string): Promise<RecognitionModel>;
}

export const RESULT_FILES = ['document.md', 'document.txt', 'chunks.jsonl', 'docling.json'];

export interface DocumentJob {
  accountId: string;
  filesFolder: string;
  urlOf(name: string): string;
  progress(progress: ProgressReport): void;
  /** The chunks are in chunks.jsonl, which has this size, and not in the result. */
  chunksInFile(sizeBytes: number): void;
}

declare module '../../operation.ts' {
  interface Services {
    documents: DocumentService;
  }
}
