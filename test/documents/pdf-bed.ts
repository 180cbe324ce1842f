/** A real pool and the PDF engine over a temporary folder. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPdfExtractor } from '../../src-server/features/documents/pdf.ts';
import type { OcrModels } from '../../src-server/features/documents/schema.ts';
import type { JobProgress } from '../../src-server/operation.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { createWorkerPool, type WorkerPool } from '../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { GIB } from '../../src-server/platform/units.ts';
import type { NormalizedDocument } from '../../workers/documents/blocks.ts';

const THREADS = 2;
/** The trained data that comes with the product. */
export const ENGLISH = {
  name: 'eng',
  path: fileURLToPath(new URL('../../resources/ocr/eng.traineddata', import.meta.url)),
};

/** English is installed, nothing else. */
const ENGLISH_ONLY: OcrModels = {
  async modelFor(language) {
    if (/^en/.test(language)) return ENGLISH;
    throw new QuarryError('model_not_installed', say`Install the text recognition data of ${language}.`);
  },
};

export async function openPdfBed({ rangeLimitMs }: { rangeLimitMs?: number } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'quarry pdf '));
  const pool: WorkerPool = createWorkerPool({
    entry: new URL('../../workers/entry.ts', import.meta.url),
    threads: THREADS,
    memoryLimitBytes: 8 * GIB,
  });
  const limit = rangeLimitMs === undefined ? {} : { rangeLimitMs };
  const extract = createPdfExtractor({ runTask: pool.run, threads: THREADS, ocr: ENGLISH_ONLY, ...limit });
  let count = 0;

  return {
    folder,
    pool,
    /** Extracts a PDF as a job would, in a folder of its own. */
    async extract(bytes: Buffer, options: { language?: string; includeComments?: boolean; signal?: AbortSignal } = {}) {
      count += 1;
      const job = join(folder, `job ${count}`);
      const filesFolder = join(job, 'files');
      const workFolder = join(job, 'work');
      await mkdir(filesFolder, { recursive: true });
      const path = join(job, 'source');
      await writeFile(path, bytes);
      const progress: JobProgress[] = [];
      const result = await extract(
        { path, fileName: null, sizeBytes: bytes.length, kind: 'pdf' },
        { segmentLength: 1000, includeComments: options.includeComments ?? false, language: options.language },
        {
          accountId: 'owner',
          filesFolder,
          workFolder,
          urlOf: (name) => `/files/${name}`,
          progress: (shown) => progress.push(shown),
          chunksInFile() {},
        },
        options.signal ?? new AbortController().signal,
      );
      const document = JSON.parse(await readFile(join(filesFolder, 'document.json'), 'utf8')) as NormalizedDocument;
      return { result, document, progress, filesFolder, workFolder };
    },
    async close() {
      await pool.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
