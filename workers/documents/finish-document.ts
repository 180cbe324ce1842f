import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DocumentFacts } from '../../src-server/features/documents/schema.ts';
import { Chunk } from '../../src-server/operation.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { TOKENIZER } from '../../src-server/platform/text/tokens.ts';
import { countWords } from '../../src-server/platform/text/words.ts';
import { KIB } from '../../src-server/platform/units.ts';
import { accountDocument } from './account-document.ts';
import type { NormalizedDocument } from './blocks.ts';
import { chunkDocument } from './chunk.ts';
import { compareOutputs } from './outputs-agree.ts';
import type { SourceLedger } from './source-ledger.ts';
import type { ExtractDocumentOutput } from './tasks.ts';
import { type DoclingOrigin, doclingHead, writeDocling } from './write-docling.ts';
import { joinMarkdown, writeMarkdownBlocks } from './write-markdown.ts';
import { writePlainText } from './write-text.ts';

interface FinishOptions {
  outputFolder: string;
  segmentLength: number;
  /** The caller's hint; falls back to the document's language. */
  language: string | null;
  includeComments: boolean;
  origin: DoclingOrigin;
  ledger: SourceLedger;
}

/** Larger lists of chunks stay in their file: passing them through the server's thread costs more. */
const CHUNKS_PASSED_BYTES_MAX = 256 * KIB;

/**
 * Chunks a parsed document and writes document.md, document.txt, document.json, docling.json and chunks.jsonl. `tick`
 * is called periodically and throws to stop.
 */
export function finishDocument(
  document: NormalizedDocument,
  options: FinishOptions,
  tick: () => void,
): ExtractDocumentOutput {
  const plain = writePlainText(document);
  const language = options.language ?? document.language;
  const chunks = chunkDocument(document, { segmentLength: options.segmentLength, language, tick }, plain);
  tick();
  const counted = accountDocument(document, options.ledger);
  // Synchronous: this thread has no other work, and libuv's threads add more latency than a small write takes.
  const writeOutputFile = (name: string, content: string) => writeFileSync(join(options.outputFolder, name), content);
  const markdown = writeMarkdownBlocks(document);
  writeOutputFile(DOCUMENT_FILES.markdown, joinMarkdown(markdown));
  writeOutputFile(DOCUMENT_FILES.text, plain.text);
  writeOutputFile(DOCUMENT_FILES.normalized, JSON.stringify(document));
  const lines = chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join('');
  writeOutputFile(DOCUMENT_FILES.chunks, lines);
  const head = doclingHead(document, options.origin);
  const docling = writeDocling(document, head, join(options.outputFolder, DOCUMENT_FILES.docling));
  const warnings = [
    ...document.warnings,
    ...(plain.text === '' ? [say`The document has no text.`] : []),
    ...counted.warnings,
    ...compareOutputs({ document, plain, markdown, docling, chunks }),
  ];
  return {
    ...passedChunks(chunks, Buffer.byteLength(lines)),
    document: documentFacts(document, plain.text, language),
    ...omitUndefined({
      comments: options.includeComments ? document.comments : undefined,
      changes: options.includeComments ? document.changes : undefined,
    }),
    account: counted.account,
    ...omitUndefined({ doubts: document.doubts }),
    warnings,
  };
}

/** Validates chunks that stay in the file, because no other code parses them before they are shown. */
function passedChunks(chunks: Chunk[], sizeBytes: number): Pick<ExtractDocumentOutput, 'chunks' | 'chunksFileBytes'> {
  if (sizeBytes <= CHUNKS_PASSED_BYTES_MAX) return { chunks };
  for (const chunk of chunks) Chunk.parse(chunk);
  return { chunks: [], chunksFileBytes: sizeBytes };
}

function documentFacts(document: NormalizedDocument, text: string, language: string | null): DocumentFacts {
  return {
    format: document.format,
    title: document.title,
    author: document.author,
    pages: document.pages,
    words: countWords(text),
    characters: text.length,
    language,
    revisions: document.revisions,
    ocr: document.ocr,
    tokenizer: TOKENIZER,
  };
}

/** Names of the files that extraction writes to the job's folder. */
export const DOCUMENT_FILES = {
  markdown: 'document.md',
  text: 'document.txt',
  /** The normalised blocks, input of re-chunking. */
  normalized: 'document.json',
  chunks: 'chunks.jsonl',
  /** The document in the shape of Docling's DoclingDocument. */
  docling: 'docling.json',
} as const;
