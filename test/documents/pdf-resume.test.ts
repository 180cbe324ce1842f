import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPdfExtractor } from '../../src-server/features/documents/pdf.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { createWorkerPool, type RunTask, type WorkerPool } from '../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { GIB } from '../../src-server/platform/units.ts';
import { ENGLISH } from './pdf-bed.ts';
import { scanPdf, text, writePdf } from './pdf-writer.ts';

let root: string;
let pool: WorkerPool;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'quarry pdf '));
  const entry = new URL('../../workers/entry.ts', import.meta.url);
  pool = createWorkerPool({ entry, threads: 2, memoryLimitBytes: 8 * GIB });
});
afterAll(async () => {
  await pool.close();
  await rm(root, { recursive: true, force: true });
});

/** Runs one job's extraction twice: `fails` says which task of the first run is struck down. */
async function runTwice(pdf: Buffer, fails: (name: string, input: object) => boolean) {
  const folder = await mkdtemp(join(root, 'job '));
  const [path, filesFolder, workFolder] = [join(folder, 'source'), join(folder, 'files'), join(folder, 'work')];
  await mkdir(filesFolder);
  await writeFile(path, pdf);
  const tasks: { name: string; input: object }[] = [];
  let struck = false;
  const runTask: RunTask = async (name, input, options) => {
    if (!struck && fails(name, input)) {
      struck = true;
      throw new QuarryError('engine_failed', say`Struck down by the test.`, { retryable: true });
    }
    tasks.push({ name, input });
    return await pool.run(name, input, options);
  };
  const ocr = { modelFor: async () => ENGLISH };
  // One at a time, so that the order of tasks is known.
  const extract = createPdfExtractor({ runTask, threads: 1, ocr });
  const once = () =>
    extract(
      { path, fileName: null, sizeBytes: pdf.length, kind: 'pdf' },
      { segmentLength: 1000, includeComments: false },
      { accountId: 'owner', filesFolder, workFolder, urlOf: (name) => name, progress() {}, chunksInFile() {} },
      new AbortController().signal,
    );
  await expect(once()).rejects.toMatchObject({ code: 'engine_failed' });
  expect((await readdir(workFolder)).filter((name) => name.endsWith('.part'))).toEqual([]);
  const before = tasks.splice(0);
  return { before, result: await once(), after: tasks };
}

test('an interrupted job reads only the pages again that it had not read', async () => {
  const pages = Array.from({ length: 60 }, (_, index) => text(60, 100, [`This is page ${index + 1} of the book.`]));
  const last = (name: string, input: object) => name === 'parse-pdf' && 'firstPage' in input && input.firstPage === 48;
  const { before, result, after } = await runTwice(writePdf({ pages }), last);
  expect(before.map(({ name }) => name)).toEqual(['parse-pdf', 'parse-pdf']);
  expect(after.map(({ name }) => name)).toEqual(['parse-pdf', 'assemble-pdf']);
  const all = result.chunks.map((chunk) => chunk.text).join('\n');
  expect(pages.every((_, index) => all.includes(`This is page ${index + 1} of`))).toBe(true);
});

test('an interrupted job recognises no page twice', async () => {
  const pages = ['first', 'second'].map((name) => text(60, 100, [`The ${name} scanned page says this.`], 14));
  const second = (name: string, input: object) =>
    name === 'recognize-text' && 'source' in input && (input.source as { page: number }).page === 2;
  const { before, result, after } = await runTwice(scanPdf(writePdf({ pages })), second);
  expect(before.map(({ name }) => name)).toEqual(['parse-pdf', 'recognize-text']);
  expect(after.map(({ name }) => name)).toEqual(['recognize-text', 'assemble-pdf']);
  expect(result.document.ocr?.pages).toEqual([1, 2]);
  expect(result.chunks.map((chunk) => chunk.text).join('\n')).toContain('The first scanned page');
});
