import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../src-server/platform/text/say.ts';
import type { NormalizedDocument } from './blocks.ts';
import { chunkDocument } from './chunk.ts';
import { DOCUMENT_FILES } from './finish-document.ts';
import type { RechunkDocumentInput, RechunkDocumentOutput } from './tasks.ts';

const STAGE = 'chunking';

const READ_PERCENT = 20;

/** Cuts an extracted document into chunks again. Errors: `not_found` if the folder has no normalised document. */
export async function rechunkDocument(
  input: RechunkDocumentInput,
  { signal, progress }: TaskContext,
): Promise<RechunkDocumentOutput> {
  const { segmentLength } = input;
  const document = await readNormalized(input.folder, signal);
  const reportRechunking = () => {
    progress(READ_PERCENT, STAGE, say`Cutting into chunks`);
    signal.throwIfAborted();
  };
  return {
    chunks: chunkDocument(document, {
      segmentLength,
      language: input.language ?? document.language,
      tick: reportRechunking,
    }),
  };
}

/** Parses without validation: extract-document wrote the file into the job's own folder. */
async function readNormalized(folder: string, signal: AbortSignal): Promise<NormalizedDocument> {
  try {
    const json = await readFile(join(folder, DOCUMENT_FILES.normalized), { encoding: 'utf8', signal });
    return parseOwnJson<NormalizedDocument>(json);
  } catch (cause) {
    signal.throwIfAborted();
    throw new QuarryError('not_found', 'This job has no document to cut into chunks.', { cause });
  }
}
