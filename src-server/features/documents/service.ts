import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PictureInput } from '../../../workers/documents/tasks.ts';
import { perContext } from '../../context.ts';
import { type Chunk, engineJob } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { FileKind } from '../../platform/files/kinds.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { modelsOf } from '../models/service.ts';
import { createOcrModels } from './ocr-models.ts';
import { knownPassword } from './password.ts';
import { createPdfExtractor } from './pdf.ts';
import { type DocumentService, type OcrModels, RESULT_FILES, type RecognitionModel } from './schema.ts';

/** The blocks of an extracted document, as the worker writes them. */
const NORMALIZED_FILE = 'document.json';

/** Time limit for a parser on a thread. The slowest legitimate document takes a tenth of it. */
const PARSE_LIMIT_MS = 60 * SECOND_MS;

/** Time limit for kinds that may contain pictures: recognition takes seconds per page. */
const PICTURES_LIMIT_MS = 540 * SECOND_MS;

/** Kinds that are pictures, or files with other files inside. */
const PICTURE_KINDS: ReadonlySet<FileKind> = new Set(['eml', 'image', 'msg', 'zip']);

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
  const [ocr, models] = await Promise.all([ocrOf(context), modelsOf(context)]);
  const extractPdf = createPdfExtractor({ runTask, threads, ocr });
  return {
    recognitionModels: async () => (await models.installed('ocr-language')).map(({ name }) => name),
    extract: async (source, options, job, signal) => {
      if (source.kind === 'pdf') return extractPdf(source, options, engineJob(job), signal);
      if (!PICTURE_KINDS.has(source.kind)) return extractOther(runTask, null, source, options, job, signal);
      const pictures = { model: await ocrModelForKind(ocr, source.kind, options.language), workFolder: job.workFolder };
      const result = await extractOther(runTask, pictures, source, options, job, signal);
      await rm(job.workFolder, { recursive: true, force: true });
      return result;
    },
  };
});

/** Null if the language is not installed and the source may still have text of its own. */
async function ocrModelForKind(ocr: OcrModels, kind: FileKind, language = 'en'): Promise<RecognitionModel | null> {
  try {
    return await ocr.modelFor(language);
  } catch (error) {
    if (kind === 'image' || !(error instanceof QuarryError) || error.code !== 'model_not_installed') throw error;
    return null;
  }
}

/** Every format except PDF is one task. */
async function extractOther(
  runTask: RunTask,
  pictures: PictureInput | null,
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
      ...knownPassword(options),
      ...omitUndefined({ pictures: pictures ?? undefined }),
    },
    {
      signal,
      accountId: job.accountId,
      heavy: pictures !== null,
      timeLimitMs: pictures === null ? PARSE_LIMIT_MS : PICTURES_LIMIT_MS,
      onProgress: job.progress,
    },
  );
  if (chunksFileBytes !== undefined) job.chunksInFile(chunksFileBytes);
  return { ...output, files: RESULT_FILES.map((name) => ({ name, url: job.files.urlOf(name) })) };
}

/** Size of what `rechunk` reads; 0 without a document. */
export async function documentBytes(folder: string): Promise<number> {
  const found = await stat(join(folder, NORMALIZED_FILE)).catch(() => null);
  return found?.size ?? 0;
}

/** Chunks the documents of a job with another size. Errors: `not_found` when the job has no document. */
export function rechunkText(
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
