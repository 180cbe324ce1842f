/** The PDF engine over a real pool, as the benchmarks run it. */
import { mkdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPdfExtractor } from '../src-server/features/documents/pdf.ts';
import { createWorkerPool } from '../src-server/platform/pool/worker-pool.ts';
import { GIB } from '../src-server/platform/units.ts';

const ENGLISH = { name: 'eng', path: fileURLToPath(new URL('../resources/ocr/eng.traineddata', import.meta.url)) };
export const THREADS = availableParallelism();

export interface PdfSubject {
  /** Extracts a PDF as a job would; `textPath` is its document.txt. */
  extract(path: string): Promise<{ textPath: string }>;
  close(): Promise<void>;
}

/** Jobs keep their files in folders of their own under `folder`. */
export function openPdfSubject(folder: string): PdfSubject {
  const entry = new URL('../workers/entry.ts', import.meta.url);
  const pool = createWorkerPool({ entry, threads: THREADS, memoryLimitBytes: 16 * GIB });
  const extract = createPdfExtractor({
    runTask: pool.run,
    threads: THREADS,
    ocr: { modelFor: async () => ENGLISH },
  });
  let count = 0;
  return {
    close: () => pool.close(),
    async extract(path) {
      count += 1;
      const filesFolder = join(folder, `job ${count}`, 'files');
      mkdirSync(filesFolder, { recursive: true });
      const source = { path, fileName: null, sizeBytes: statSync(path).size, kind: 'pdf' as const };
      const job = {
        accountId: 'owner',
        filesFolder,
        workFolder: join(folder, `job ${count}`, 'work'),
        urlOf: (name: string) => name,
        progress() {},
        chunksInFile() {},
      };
      const options = { segmentLength: 1000, includeComments: false };
      await extract(source, options, job, new AbortController().signal);
      return { textPath: join(filesFolder, 'document.txt') };
    },
  };
}
