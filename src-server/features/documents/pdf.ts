import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import type { ParsePdfOutput, PdfFacts, RecognizedPage } from '../../../workers/documents/tasks.ts';
import { inParallel } from '../../platform/concurrency.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { LocalSource } from '../../platform/files/uploads.ts';
import type { RunTask, TaskMap, TaskName } from '../../platform/pool/worker-pool.ts';
import { SECOND_MS } from '../../platform/units.ts';
import {
  type DocumentJob,
  type DocumentOptions,
  type DocumentResult,
  type OcrModels,
  RESULT_FILES,
  type RecognitionModel,
} from './schema.ts';

/**
 * Reads a PDF in page ranges across the whole pool, its scanned pages one by one, and joins the results. Finished tasks
 * are kept in the job's work folder, so an interrupted job resumes.
 */

/** Pages of the first task, which returns the page count. */
const FIRST_RANGE_PAGES = 24;

/** Pages of each further task: enough to amortise opening the file, few enough that no core is idle at the end. */
const RANGE_PAGES_MAX = 96;

const RANGES_PER_THREAD = 4;

const RANGE_LIMIT_MS = 60 * SECOND_MS;

const PAGE_LIMIT_MS = 0.2 * SECOND_MS;

const RECOGNITION_LIMIT_MS = 60 * SECOND_MS;

const ASSEMBLY_LIMIT_MS = 60 * SECOND_MS;

/** Maximum number of characters per document. */
const CHARACTERS_MAX = 20_000_000;

/** Share of the progress for each stage: text is fast, recognition is slow. */
const TEXT_PERCENT = 15;

const RECOGNIZED_PERCENT = 90;

const RECOGNITION_FILE = 'ocr.jsonl';

interface PdfEngineDeps {
  runTask: RunTask;
  /** Threads of the pool: the number of tasks of one document that run in parallel. */
  threads: number;
  ocr: OcrModels;
  /** Time limit for a range of pages. Tests set it. */
  rangeLimitMs?: number;
}

interface PdfJob extends DocumentJob {
  /** Private folder of the job. It is not served. */
  workFolder: string;
}

type Result = z.output<typeof DocumentResult>;

export type ExtractPdf = (
  source: LocalSource,
  options: DocumentOptions,
  job: PdfJob,
  signal: AbortSignal,
) => Promise<Result>;

/**
 * Errors: `corrupt_input`, `encrypted_input`, `unsupported_media`, `source_too_large`, `model_not_installed`,
 * `timeout`, `out_of_memory`, `engine_failed`.
 */
export function createPdfExtractor(deps: PdfEngineDeps): ExtractPdf {
  return async (source, options, job, signal) => {
    const run = new PdfRun(deps, source, options, job);
    await mkdir(job.workFolder, { recursive: true });
    const result = await run.extract(signal);
    await rm(job.workFolder, { recursive: true, force: true });
    return result;
  };
}

interface Span {
  /** Starts at 0. */
  firstPage: number;
  pageCount: number;
}

interface Range {
  pagesPath: string;
  output: ParsePdfOutput;
}

interface Recognition {
  model: RecognitionModel;
  paths: string[];
  pages: RecognizedPage[];
  damaged: number[];
  warnings: string[];
}

class PdfRun {
  readonly #deps: PdfEngineDeps;
  readonly #source: LocalSource;
  readonly #options: DocumentOptions;
  readonly #job: PdfJob;

  constructor(deps: PdfEngineDeps, source: LocalSource, options: DocumentOptions, job: PdfJob) {
    this.#deps = deps;
    this.#source = source;
    this.#options = options;
    this.#job = job;
  }

  async extract(signal: AbortSignal): Promise<Result> {
    const ranges = await this.#readText(signal);
    const { facts } = (ranges[0] as Range).output;
    const damaged = ranges.flatMap((range) => range.output.damaged);
    const characters = ranges.reduce((sum, range) => sum + range.output.characters, 0);
    if (damaged.length === facts.pageCount) {
      const memoryProblem = ranges.map((range) => range.output.memoryProblem).find((problem) => problem != null);
      throw memoryProblem == null ? allDamaged() : new QuarryError('out_of_memory', memoryProblem);
    }
    if (characters > CHARACTERS_MAX) throw tooMuchText();
    const pages = ranges.flatMap((range) => range.output.recognize);
    const recognition = pages.length === 0 ? null : await this.#recognize(pages, facts, signal);
    this.#say(RECOGNIZED_PERCENT, 'assembling', 'Joining the pages');
    const { chunksFileBytes, ...output } = await this.#run(
      'assemble-pdf',
      {
        sourcePath: this.#source.path,
        fileName: this.#source.fileName,
        facts,
        pagesPaths: ranges.map((range) => range.pagesPath),
        recognizedPaths: recognition?.paths ?? [],
        damagedPages: [...new Set([...damaged, ...(recognition?.damaged ?? [])])].sort((a, b) => a - b),
        outputFolder: this.#job.filesFolder,
        segmentLength: this.#options.segmentLength,
        language: this.#options.language ?? null,
        includeComments: this.#options.includeComments,
        warnings: recognition?.warnings ?? [],
      },
      ASSEMBLY_LIMIT_MS,
      signal,
    );
    if (chunksFileBytes !== undefined) this.#job.chunksInFile(chunksFileBytes);
    const names = recognition === null ? RESULT_FILES : [...RESULT_FILES, RECOGNITION_FILE];
    return {
      ...output,
      document: { ...output.document, ...(recognition === null ? {} : { ocr: recognitionFacts(recognition) }) },
      files: names.map((name) => ({ name, url: this.#job.urlOf(name) })),
    };
  }

  /** Reads the first range for the page count, then the others in parallel. */
  async #readText(signal: AbortSignal): Promise<Range[]> {
    const first = await this.#readRange({ firstPage: 0, pageCount: FIRST_RANGE_PAGES }, signal);
    const { pageCount } = first.output.facts;
    let done = Math.min(FIRST_RANGE_PAGES, pageCount);
    const percentOf = (pages: number) => (pages / pageCount) * TEXT_PERCENT;
    this.#say(percentOf(done), 'extracting', `Read ${done} of ${pageCount} pages`);
    const spans = spansOf(done, pageCount, this.#deps.threads);
    const rest = await inParallel(spans, this.#deps.threads, signal, async (span, together) => {
      const range = await this.#readRange(span, together);
      done = Math.min(pageCount, done + span.pageCount);
      this.#say(percentOf(done), 'extracting', `Read ${done} of ${pageCount} pages`);
      return range;
    });
    return [first, ...rest];
  }

  async #readRange({ firstPage, pageCount }: Span, signal: AbortSignal): Promise<Range> {
    // The name contains the page count: a machine with another number of threads divides the pages differently.
    const name = `${firstPage}-${pageCount}.json`;
    const pagesPath = this.#pathOf(`pages-${name}`);
    const limitMs = (this.#deps.rangeLimitMs ?? RANGE_LIMIT_MS) + pageCount * PAGE_LIMIT_MS;
    const { includeComments } = this.#options;
    const input = { sourcePath: this.#source.path, firstPage, pageCount, includeComments, pagesPath };
    const output = await this.#kept(`range-${name}`, () => this.#run('parse-pdf', input, limitMs, signal));
    return { pagesPath, output };
  }

  async #recognize(numbers: number[], facts: PdfFacts, signal: AbortSignal): Promise<Recognition> {
    const { model, warnings } = await this.#modelFor(facts.language);
    const recognition: Recognition = { model, paths: [], pages: [], damaged: [], warnings };
    let done = 0;
    await inParallel(numbers, this.#deps.threads, signal, async (number, together) => {
      const name = `recognized-${model.name}-${number}.json`;
      try {
        recognition.pages.push(await this.#kept(name, () => this.#recognizePage(number, model, together)));
      } catch (error) {
        if (!(error instanceof QuarryError) || error.code !== 'corrupt_input') throw error;
        recognition.damaged.push(number);
      }
      done += 1;
      const share = RECOGNIZED_PERCENT - TEXT_PERCENT;
      const percent = TEXT_PERCENT + (done / numbers.length) * share;
      this.#say(percent, 'recognizing', `Recognised ${done} of ${numbers.length} pages`);
    });
    recognition.pages.sort((a, b) => a.number - b.number);
    recognition.paths = recognition.pages.map((page) => this.#pathOf(`recognized-${model.name}-${page.number}.json`));
    return recognition;
  }

  async #recognizePage(number: number, model: RecognitionModel, signal: AbortSignal): Promise<RecognizedPage> {
    const source = { kind: 'pdf-page', path: this.#source.path, page: number } as const;
    const input = { source, model, layout: 'page' } as const;
    return { number, ...(await this.#run('recognize-text', input, RECOGNITION_LIMIT_MS, signal)) };
  }

  /** A language named in the request must be installed. English is the fallback for one that the document states. */
  async #modelFor(stated: string | null): Promise<{ model: RecognitionModel; warnings: string[] }> {
    const { ocr } = this.#deps;
    if (this.#options.language !== undefined) {
      return { model: await ocr.modelFor(this.#options.language), warnings: [] };
    }
    try {
      return { model: await ocr.modelFor(stated ?? 'en'), warnings: [] };
    } catch (error) {
      if (!(error instanceof QuarryError) || error.code !== 'model_not_installed') throw error;
      const warning = `The document says that its language is ${stated}. Its scanned pages were read as English.`;
      return { model: await ocr.modelFor('en'), warnings: [`${warning} ${error.message}`] };
    }
  }

  /**
   * Runs one task. No task is heavy: each covers a range or a page, so a light task waits for one of them at most, and
   * all threads may work on a document.
   */
  #run<Name extends TaskName>(
    task: Name,
    input: TaskMap[Name]['input'],
    timeLimitMs: number,
    signal: AbortSignal,
  ): Promise<TaskMap[Name]['output']> {
    return this.#deps.runTask(task, input, { signal, accountId: this.#job.accountId, timeLimitMs });
  }

  /** Returns a task's result from the work folder, or runs the task and keeps the result. */
  async #kept<Value>(name: string, make: () => Promise<Value>): Promise<Value> {
    const path = this.#pathOf(name);
    const known = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (known !== null) return JSON.parse(known) as Value;
    const value = await make();
    await writeFile(`${path}.part`, JSON.stringify(value));
    await rename(`${path}.part`, path);
    return value;
  }

  #pathOf(name: string): string {
    return join(this.#job.workFolder, name);
  }

  #say(percent: number, stage: string, message: string): void {
    this.#job.progress({ percent, stage, message });
  }
}

/** The pages from `firstPage` on, divided evenly among the threads. */
function spansOf(firstPage: number, endPage: number, threads: number): Span[] {
  const even = Math.ceil((endPage - firstPage) / (threads * RANGES_PER_THREAD));
  const step = Math.min(RANGE_PAGES_MAX, Math.max(FIRST_RANGE_PAGES, even));
  const spans: Span[] = [];
  for (let page = firstPage; page < endPage; page += step) spans.push({ firstPage: page, pageCount: step });
  return spans;
}

function recognitionFacts({ pages, model }: Recognition) {
  let words = 0;
  let sum = 0;
  for (const { lines, confidence } of pages) {
    const count = lines.reduce((total, line) => total + line.words.length, 0);
    words += count;
    sum += count * (confidence ?? 0);
  }
  const meanConfidence = words === 0 ? null : Math.round((sum / words) * 10) / 10;
  return { pages: pages.map((page) => page.number), meanConfidence, language: model.name };
}

function allDamaged(): QuarryError {
  return new QuarryError('corrupt_input', 'No page of the PDF could be read. Send an intact copy.');
}

function tooMuchText(): QuarryError {
  return new QuarryError('source_too_large', 'The PDF contains more text than a job may return. Split it into parts.');
}
