import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocumentFacts, ExtractDocumentOutput } from '../tasks.ts';
import type { NormalizedDocument } from './blocks.ts';
import { chunkDocument } from './chunk.ts';
import { DOCUMENT_FILES } from './document-files.ts';
import { writeMarkdown } from './markdown.ts';
import { writePlainText } from './plain-text.ts';
import { countWords } from './words.ts';

export interface FinishOptions {
  outputFolder: string;
  segmentLength: number;
  /** The caller's hint; the document's own language stands in for it. */
  language: string | null;
  includeComments: boolean;
}

/** Chunks a parsed document and writes document.md, document.txt, document.json and chunks.jsonl. */
export async function finishDocument(
  document: NormalizedDocument,
  options: FinishOptions,
  signal: AbortSignal,
): Promise<ExtractDocumentOutput> {
  const plain = writePlainText(document);
  const language = options.language ?? document.language;
  const chunks = chunkDocument(document, { segmentLength: options.segmentLength, language }, plain);
  signal.throwIfAborted();
  const pathOf = (name: string) => join(options.outputFolder, name);
  await Promise.all([
    writeFile(pathOf(DOCUMENT_FILES.markdown), writeMarkdown(document)),
    writeFile(pathOf(DOCUMENT_FILES.text), plain.text),
    writeFile(pathOf(DOCUMENT_FILES.normalized), JSON.stringify(document)),
    writeFile(pathOf(DOCUMENT_FILES.chunks), chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join('')),
  ]);
  const warnings = plain.text === '' ? [...document.warnings, 'The document holds no text.'] : document.warnings;
  return {
    chunks,
    document: factsOf(document, plain.text, language),
    ...(options.includeComments ? { comments: document.comments, changes: document.changes } : {}),
    warnings,
  };
}

function factsOf(document: NormalizedDocument, text: string, language: string | null): DocumentFacts {
  return {
    format: document.format,
    title: document.title,
    author: document.author,
    pages: document.pages,
    words: countWords(text),
    characters: text.length,
    language,
    revisions: document.revisions,
  };
}
