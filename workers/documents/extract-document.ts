import { readFileSync } from 'node:fs';
import { type FileKind, QuarryError } from '../../src-server/contract/index.ts';
import type { ExtractDocumentInput, ExtractDocumentOutput, TaskContext } from '../tasks.ts';
import type { DocumentParser } from './blocks.ts';
import { finishDocument } from './finish-document.ts';
import { PARSERS } from './parsers.ts';

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
    // A thread that never pauses hears of its cancellation only when it speaks itself.
    context.progress(PARSE_PERCENT, STAGE, 'Cutting into chunks');
    signal.throwIfAborted();
  };
  tick();
  return finishDocument(document, input, tick);
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
