import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileKind, QuarryError } from '../../src-server/contract/index.ts';
import type { DocumentParser, NormalizedDocument } from '../documents/blocks.ts';
import { chunkDocument } from '../documents/chunk.ts';
import { DOCUMENT_FILES } from '../documents/document-files.ts';
import { writeMarkdown } from '../documents/markdown.ts';
import { PARSERS } from '../documents/parsers.ts';
import { writePlainText } from '../documents/plain-text.ts';
import { countWords } from '../documents/words.ts';
import type { DocumentFacts, ExtractDocumentInput, ExtractDocumentOutput, TaskContext } from '../tasks.ts';

const STAGE = 'extracting';
/** Share of the work that parsing is; chunking and writing are the rest. */
const PARSE_PERCENT = 80;

/**
 * Reads a document, writes document.md, document.txt, document.json and chunks.jsonl, and gives its chunks.
 * Errors: `corrupt_input`, `encrypted_input`, `unsupported_media`, `source_too_large`, `cancelled`.
 */
export async function extractDocument(
  input: ExtractDocumentInput,
  context: TaskContext,
): Promise<ExtractDocumentOutput> {
  const { signal } = context;
  const parse = await parserFor(input.kind);
  const bytes = await readFile(input.sourcePath, { signal });
  const document = await parse(bytes, {
    fileName: input.fileName,
    language: input.language,
    includeComments: input.includeComments,
    signal,
    progress: (percent, message) => context.progress((percent * PARSE_PERCENT) / 100, STAGE, message),
  });
  context.progress(PARSE_PERCENT, STAGE, 'Cutting into chunks');
  signal.throwIfAborted();
  const plain = writePlainText(document);
  const language = input.language ?? document.language;
  const chunks = chunkDocument(document, { segmentLength: input.segmentLength, language }, plain);
  signal.throwIfAborted();
  const pathOf = (name: string) => join(input.outputFolder, name);
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
    ...(input.includeComments ? { comments: document.comments, changes: document.changes } : {}),
    warnings,
  };
}

async function parserFor(kind: FileKind): Promise<DocumentParser> {
  const load = PARSERS[kind];
  if (load !== undefined) return await load();
  throw refusal(kind);
}

function refusal(kind: FileKind): QuarryError {
  switch (kind) {
    case 'empty':
      return new QuarryError('corrupt_input', 'The file is empty. Send the document itself.');
    case 'old-word':
      return new QuarryError(
        'unsupported_media',
        'The document is older than Word 97. Save it as .docx and send that.',
      );
    default:
      return new QuarryError('unsupported_media', 'The file is not a document that can be read here.');
  }
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
