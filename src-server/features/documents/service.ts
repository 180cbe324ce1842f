import type { RecognitionModel } from '../../../workers/documents/tasks.ts';
import type { JobProgress } from '../../operation.ts';
import type { FileKind } from '../../platform/files/sniff.ts';
import type { LocalSource } from '../../platform/files/uploads.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { DocumentOptions, DocumentPort } from './schema.ts';

export type { RecognitionModel, RecognizedText } from '../../../workers/documents/tasks.ts';

/** Where the trained data of a language is. */
export interface OcrModels {
  /** By an ISO 639-1 or 639-3 code, also with a region or script. Errors: `model_not_installed`. */
  modelFor(language: string): Promise<RecognitionModel>;
}

/** Wall time a parser has once it holds a thread. The worst honest document takes a tenth of it. */
const PARSE_LIMIT_MS = 60 * SECOND_MS;

export const RESULT_FILES = ['document.md', 'document.txt', 'chunks.jsonl'];

export interface DocumentJob {
  accountId: string;
  filesFolder: string;
  urlOf(name: string): string;
  progress(progress: JobProgress): void;
  /** The result's chunks are not in the result: they stand in chunks.jsonl, which has this size. */
  chunksInFile(sizeBytes: number): void;
}

/** The document port of one job: every format but PDF is one task. */
export function documentPort(runTask: RunTask, job: DocumentJob): DocumentPort {
  return {
    async extract(source: LocalSource, options: DocumentOptions, signal: AbortSignal) {
      const { chunksFileBytes, ...output } = await runTask(
        'extract-document',
        {
          sourcePath: source.path,
          kind: source.kind satisfies FileKind,
          fileName: source.fileName,
          outputFolder: job.filesFolder,
          segmentLength: options.segmentLength,
          language: options.language ?? null,
          includeComments: options.includeComments,
        },
        { signal, accountId: job.accountId, timeLimitMs: PARSE_LIMIT_MS, onProgress: job.progress },
      );
      if (chunksFileBytes !== undefined) job.chunksInFile(chunksFileBytes);
      return { ...output, files: RESULT_FILES.map((name) => ({ name, url: job.urlOf(name) })) };
    },
  };
}
