import { fileURLToPath } from 'node:url';
import { perContext } from '../../context.ts';
import { type Chunk, engineJob } from '../../operation.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { modelsOf } from '../models/service.ts';
import { createOcrModels } from './ocr-models.ts';
import { createPdfExtractor } from './pdf.ts';
import { type DocumentService, RESULT_FILES } from './schema.ts';

/** Time limit for a parser on a thread. The slowest legitimate document takes a tenth of it. */
const PARSE_LIMIT_MS = 60 * SECOND_MS;

/** Chunking takes milliseconds. This bounds the thread time of a huge document. */
const RECHUNK_LIMIT_MS = 30 * SECOND_MS;

/** Rendering a page takes a tenth of a second. A hostile page is cancelled. */
const DRAW_LIMIT_MS = 20 * SECOND_MS;

/** Text recognition models, by language. */
export const ocrOf = perContext(async (context) =>
  createOcrModels(await modelsOf(context), fileURLToPath(new URL('ocr/eng.traineddata', context.resourcesFolder))),
);

export const documentsOf = perContext(async (context): Promise<DocumentService> => {
  const runTask = context.pool.run;
  const { threads } = context.pool.figures();
  const extractPdf = createPdfExtractor({ runTask, threads, ocr: await ocrOf(context) });
  return {
    extract: (source, options, job, signal) =>
      source.kind === 'pdf'
        ? extractPdf(source, options, engineJob(job), signal)
        : extractOther(runTask, source, options, job, signal),
  };
});

/** Every format except PDF is one task. */
async function extractOther(
  runTask: RunTask,
  ...[source, options, job, signal]: Parameters<DocumentService['extract']>
): ReturnType<DocumentService['extract']> {
  const { chunksFileBytes, ...output } = await runTask(
    'extract-document',
    {
      sourcePath: source.path,
      kind: source.kind,
      fileName: source.fileName,
      outputFolder: job.files.folder,
      segmentLength: options.segmentLength,
      language: options.language ?? null,
      includeComments: options.includeComments,
    },
    { signal, accountId: job.accountId, timeLimitMs: PARSE_LIMIT_MS, onProgress: job.progress },
  );
  if (chunksFileBytes !== undefined) job.chunksInFile(chunksFileBytes);
  return { ...output, files: RESULT_FILES.map((name) => ({ name, url: job.files.urlOf(name) })) };
}

/** Chunks the documents of a job with another size. Errors: `not_found` when the job has no document. */
export function rechunk(
  runTask: RunTask,
  accountId: string,
  how: { folder: string; segmentLength: number; language: string | null },
): Promise<{ chunks: Chunk[] }> {
  return runTask('rechunk-document', how, { accountId, timeLimitMs: RECHUNK_LIMIT_MS });
}

/** Renders a page (from 1) of a PDF as PNG. Errors: `not_found`, `corrupt_input`. */
export function drawPage(
  runTask: RunTask,
  path: string,
  { page, widthPixels }: { page: number; widthPixels: number },
): Promise<{ png: Uint8Array; pages: number }> {
  const options = { accountId: 'owner', timeLimitMs: DRAW_LIMIT_MS };
  return runTask('draw-page', { path, page, widthPixels }, options);
}
