import type { DocumentChange, DocumentComment } from '../tasks.ts';

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

export type Block =
  | { kind: 'heading'; level: number; text: string; page: number }
  | { kind: 'paragraph'; text: string; page: number }
  | { kind: 'list-item'; depth: number; marker: string; text: string; page: number }
  | { kind: 'table'; rows: string[][]; page: number }
  | { kind: 'caption'; text: string; page: number }
  | { kind: 'note'; marker: string; text: string; page: number }
  | { kind: 'comment'; text: string; page: number }
  | { kind: 'page-furniture'; place: 'header' | 'footer'; text: string; page: number }
  | { kind: 'code'; text: string; page: number };

export interface ParseOptions {
  fileName: string | null;
  language: string | null;
  includeComments: boolean;
  signal: AbortSignal;
  progress(percent: number, message: string): void;
}

/** A parser reads the whole file from memory; the caller has bounded its size already. */
export type DocumentParser = (bytes: Buffer, options: ParseOptions) => Promise<NormalizedDocument>;
