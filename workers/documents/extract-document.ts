import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { QuarryError } from '../../src-server/platform/errors.ts';
import type { FileKind } from '../../src-server/platform/files/sniff.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import type { DocumentParser } from './blocks.ts';
import { finishDocument } from './finish-document.ts';
import type { ExtractDocumentInput, ExtractDocumentOutput } from './tasks.ts';

const STAGE = 'extracting';

/** Share of parsing in the work; the rest is chunking and writing. */
const PARSE_PERCENT = 80;

/**
 * Parses a document, writes document.md, document.txt, document.json, docling.json and chunks.jsonl, and returns its
 * chunks. Errors: `corrupt_input`, `encrypted_input`, `unsupported_media`, `source_too_large`, `cancelled`.
 */
export async function extractDocument(
  input: ExtractDocumentInput,
  context: TaskContext,
): Promise<ExtractDocumentOutput> {
  const { signal } = context;
  const parse = await parserFor(input.kind);
  const bytes = readFileSync(input.sourcePath);
  signal.throwIfAborted();
  const document = await parse(bytes, {
    fileName: input.fileName,
    language: input.language,
    includeComments: input.includeComments,
    signal,
    progress: (percent, message) => context.progress((percent * PARSE_PERCENT) / 100, STAGE, message),
  });
  const tick = () => {
    // A synchronous thread learns of a cancellation only when it reports progress.
    context.progress(PARSE_PERCENT, STAGE, 'Cutting into chunks');
    signal.throwIfAborted();
  };
  tick();
  const origin = { fileName: input.fileName, sha256: hash('sha256', bytes) };
  return finishDocument(document, { ...input, origin }, tick);
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
        'The document is older than Word 97. Save it as .docx and send the new file.',
      );
    default:
      return new QuarryError('unsupported_media', 'The file is not a supported document.');
  }
}

/** The parser of each file kind, loaded on first use. Kinds that are not listed cannot be extracted as documents. */
export const PARSERS: Partial<Record<FileKind, () => Promise<DocumentParser>>> = {
  docx: async () => (await import('./docx/parse-docx.ts')).parseDocx,
  // Word stores a password-protected document in an OLE file; the parser distinguishes it from other OLE files.
  ole: async () => (await import('./docx/parse-docx.ts')).parseDocx,
  doc: async () => (await import('./doc/parse-doc.ts')).parseDoc,
  odt: async () => (await import('./odt/parse-odt.ts')).parseOdt,
  rtf: async () => (await import('./rtf/parse-rtf.ts')).parseRtf,
  html: async () => (await import('./html/parse-html.ts')).parseHtml,
  markdown: async () => (await import('./parse-markdown.ts')).parseMarkdown,
  text: async () => (await import('./parse-text.ts')).parsePlainText,
};
