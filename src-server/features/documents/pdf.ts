/**
 * Reads a PDF in page ranges across the whole pool, its scanned pages one by one, and joins the results. Finished tasks
 * are kept in the job's work folder, so an interrupted job resumes.
 */

import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import type { ParsePdfOutput, RecognizedPage } from '../../../workers/documents/tasks.ts';
import { inParallel } from '../../platform/concurrency.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { LocalSource } from '../../platform/files/uploads.ts';
import { itemAt } from '../../platform/item-at.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import type { RunTask, TaskMap, TaskName } from '../../platform/pool/worker-pool.ts';
import { pagesSaid, type Said, saidElsewhere, saidTogether, say } from '../../platform/text/say.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { knownPassword } from './password.ts';
import {
  type DocumentJob,
  type DocumentOptions,
  type DocumentResult,
  type OcrModels,
  RESULT_FILES,
  type RecognitionModel,
} from './schema.ts';

/** Pages of the first task, which returns the page count. */
const FIRST_RANGE_PAGES = 24;

/** Pages of each further task: enough to amortise opening the file, few enough that no core is idle at the end. */
const RANGE_PAGES_MAX = 96;

const RANGES_PER_THREAD = 4;

const RANGE_LIMIT_MS = 60 * SECOND_MS;

const PAGE_LIMIT_MS = 0.2 * SECOND_MS;

const RECOGNITION_LIMIT_MS = 60 * SECOND_MS;

const DETECTION_LIMIT_MS = 20 * SECOND_MS;

const ASSEMBLY_LIMIT_MS = 60 * SECOND_MS;

/** Maximum number of characters per document. */
const CHARACTERS_MAX = 20_000_000;

/** Share of the progress for each stage: text is fast, recognition is slow. */
const TEXT_PERCENT = 15;

const RECOGNIZED_PERCENT = 90;

const RECOGNITION_FILE = 'ocr.jsonl';

const DEFAULT_LANGUAGE = 'en';

const LATIN = 'Latn';

/** Mean confidence of a page's words below which its language may be another one: clean pages reach 90. */
const CONFIDENCE_MIN = 60;

/** Pages read as English before the others, if the language is another one. */
const TRIED_PAGES = 3;

const LISTED_PAGES_MAX = 20;

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
    const result = await run.runPdfExtraction(signal);
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
  pages: RecognizedPage[];
  damaged: number[];
}

interface PicturesRead {
  /** Null if nothing was recognised. */
  recognition: Recognition | null;
  warnings: Said[];
}

/** The language in which pictures are read. */
interface PictureLanguage {
  code: string;
  source: 'request' | 'statement' | 'text' | 'default';
}

class PdfRun {
  readonly #deps: PdfEngineDeps;
  readonly #source: LocalSource;
  readonly #options: DocumentOptions;
  readonly #job: PdfJob;
  /** For the tasks that open the file. */
  readonly #access: { password?: string };

  constructor(deps: PdfEngineDeps, source: LocalSource, options: DocumentOptions, job: PdfJob) {
    this.#deps = deps;
    this.#source = source;
    this.#options = options;
    this.#job = job;
    this.#access = knownPassword(options);
  }

  async runPdfExtraction(signal: AbortSignal): Promise<Result> {
    const ranges = await this.#readPdfText(signal);
    const { facts } = itemAt(ranges, 0).output;
    const damaged = ranges.flatMap((range) => range.output.damaged);
    const characters = ranges.reduce((sum, range) => sum + range.output.characters, 0);
    if (damaged.length === facts.pageCount) {
      const memoryProblem = ranges.map((range) => range.output.memoryProblem).find((problem) => problem != null);
      throw memoryProblem == null ? allDamaged() : new QuarryError('out_of_memory', saidElsewhere(memoryProblem));
    }
    if (characters > CHARACTERS_MAX) throw tooMuchText();
    const { recognition, warnings } = await this.#recognizePictures(ranges, signal);
    this.#reportPdfProgress(RECOGNIZED_PERCENT, 'assembling', say`Joining the pages`);
    const { chunksFileBytes, ...output } = await this.#runPdfTask(
      'assemble-pdf',
      {
        sourcePath: this.#source.path,
        fileName: this.#source.fileName,
        facts,
        pagesPaths: ranges.map((range) => range.pagesPath),
        recognizedPaths: recognition?.pages.map(({ number }) => this.#recognizedPath(recognition.model, number)) ?? [],
        damagedPages: [...new Set([...damaged, ...(recognition?.damaged ?? [])])].sort((a, b) => a - b),
        outputFolder: this.#job.filesFolder,
        segmentLength: this.#options.segmentLength,
        language: this.#options.language ?? null,
        includeComments: this.#options.includeComments,
        warnings,
        wordLists: [{ language: DEFAULT_LANGUAGE, path: (await this.#deps.ocr.modelFor(DEFAULT_LANGUAGE)).path }],
      },
      ASSEMBLY_LIMIT_MS,
      signal,
    );
    if (chunksFileBytes !== undefined) this.#job.chunksInFile(chunksFileBytes);
    const names = recognition === null ? RESULT_FILES : [...RESULT_FILES, RECOGNITION_FILE];
    return {
      ...output,
      document: {
        ...output.document,
        ...omitUndefined({ ocr: recognition === null ? undefined : recognitionFacts(recognition) }),
      },
      files: names.map((name) => ({ name, url: this.#job.urlOf(name) })),
    };
  }

  /** Reads the first range for the page count, then the others in parallel. */
  async #readPdfText(signal: AbortSignal): Promise<Range[]> {
    const first = await this.#readRange({ firstPage: 0, pageCount: FIRST_RANGE_PAGES }, signal);
    const { pageCount } = first.output.facts;
    let done = Math.min(FIRST_RANGE_PAGES, pageCount);
    const percentOf = (pages: number) => (pages / pageCount) * TEXT_PERCENT;
    this.#reportPdfProgress(percentOf(done), 'extracting', say`Read ${done} of ${pagesSaid(pageCount)}`);
    const spans = pageSpansOf(done, pageCount, this.#deps.threads);
    const rest = await inParallel(spans, this.#deps.threads, signal, async (span, together) => {
      const range = await this.#readRange(span, together);
      done = Math.min(pageCount, done + span.pageCount);
      this.#reportPdfProgress(percentOf(done), 'extracting', say`Read ${done} of ${pagesSaid(pageCount)}`);
      return range;
    });
    return [first, ...rest];
  }

  async #readRange({ firstPage, pageCount }: Span, signal: AbortSignal): Promise<Range> {
    // The name contains the page count: a machine with another number of threads divides the pages differently.
    const name = `${firstPage}-${pageCount}.json`;
    const pagesPath = this.#workFilePath(`pages-${name}`);
    const limitMs = (this.#deps.rangeLimitMs ?? RANGE_LIMIT_MS) + pageCount * PAGE_LIMIT_MS;
    const { includeComments } = this.#options;
    const input = { sourcePath: this.#source.path, firstPage, pageCount, includeComments, pagesPath, ...this.#access };
    const output = await this.#keptTaskResult(`range-${name}`, () =>
      this.#runPdfTask('parse-pdf', input, limitMs, signal),
    );
    return { pagesPath, output };
  }

  /** Recognises the pages that need it in the document's language, or in English if its data is not installed. */
  async #recognizePictures(ranges: readonly Range[], signal: AbortSignal): Promise<PicturesRead> {
    const numbers = ranges.flatMap((range) => range.output.recognize);
    if (numbers.length === 0) return { recognition: null, warnings: [] };
    const sample = ranges.map(({ output }) => output.sample).join('');
    const stated = ranges[0]?.output.facts.language ?? null;
    const language = await this.#pictureLanguageOf(stated, sample.trim(), signal);
    const { model, missing } = await this.#modelForPictures(language);
    if (missing === null) {
      const recognition = await this.#recognizePdfPages(numbers, model, signal);
      return { recognition, warnings: recognitionDoubtsOf(recognition, language) };
    }
    const { code } = language;
    const reason =
      language.source === 'statement'
        ? say`The document says that its language is ${code}.`
        : say`From its text, its language is ${code}.`;
    const hint = saidElsewhere(missing.message);
    if (scriptOf(language.code) === LATIN) {
      const recognition = await this.#recognizePdfPages(numbers, model, signal);
      return { recognition, warnings: [saidTogether([reason, say`Its pictures were read as English.`, hint])] };
    }
    const recognition = await this.#recognizeLegible(numbers, model, signal);
    const read = new Set(recognition?.pages.map(({ number }) => number));
    const unread = numbers.filter((number) => !read.has(number));
    if (recognition === null && sample.trim() === '') throw missing;
    const ofPages = say`No text was read from the pictures of ${pageNumbersListed(unread)}.`;
    const english = say`Its pictures were read as English where that made sense.`;
    const sentences = [reason, english, ...(unread.length === 0 ? [] : [ofPages]), hint];
    return { recognition, warnings: [saidTogether(sentences)] };
  }

  /**
   * Keeps the pages whose words make sense: other scripts become nonsense of low confidence. Null if there are none
   * among the first pages.
   */
  async #recognizeLegible(
    numbers: number[],
    model: RecognitionModel,
    signal: AbortSignal,
  ): Promise<Recognition | null> {
    const first = await this.#recognizePdfPages(numbers.slice(0, TRIED_PAGES), model, signal);
    if (!first.pages.some(isLegible)) return null;
    const all = await this.#recognizePdfPages(numbers, model, signal);
    return { ...all, pages: all.pages.filter(isLegible) };
  }

  async #recognizePdfPages(numbers: number[], model: RecognitionModel, signal: AbortSignal): Promise<Recognition> {
    const recognition: Recognition = { model, pages: [], damaged: [] };
    let done = 0;
    await inParallel(numbers, this.#deps.threads, signal, async (number, together) => {
      try {
        const name = recognizedName(model, number);
        recognition.pages.push(await this.#keptTaskResult(name, () => this.#recognizePage(number, model, together)));
      } catch (error) {
        if (!(error instanceof QuarryError) || error.code !== 'corrupt_input') throw error;
        recognition.damaged.push(number);
      }
      done += 1;
      const share = RECOGNIZED_PERCENT - TEXT_PERCENT;
      const percent = TEXT_PERCENT + (done / numbers.length) * share;
      this.#reportPdfProgress(percent, 'recognizing', say`Recognised ${done} of ${pagesSaid(numbers.length)}`);
    });
    recognition.pages.sort((a, b) => a.number - b.number);
    return recognition;
  }

  async #recognizePage(number: number, model: RecognitionModel, signal: AbortSignal): Promise<RecognizedPage> {
    const source = { kind: 'pdf-page', path: this.#source.path, page: number, ...this.#access } as const;
    const input = { source, model, layout: 'page' } as const;
    return { number, ...(await this.#runPdfTask('recognize-text', input, RECOGNITION_LIMIT_MS, signal)) };
  }

  /**
   * The language of the request, else the one that the document states, else that of its text. Programs state their own
   * language by default, so a text in another script wins over the statement.
   */
  async #pictureLanguageOf(stated: string | null, sample: string, signal: AbortSignal): Promise<PictureLanguage> {
    if (this.#options.language !== undefined) return { code: this.#options.language, source: 'request' };
    const found = sample === '' ? null : await this.#detectTextLanguage(sample, signal);
    if (stated !== null && (found === null || scriptOf(found) === scriptOf(stated))) {
      return { code: stated, source: 'statement' };
    }
    return found === null ? { code: DEFAULT_LANGUAGE, source: 'default' } : { code: found, source: 'text' };
  }

  async #detectTextLanguage(text: string, signal: AbortSignal): Promise<string | null> {
    return (await this.#runPdfTask('detect-language', { text }, DETECTION_LIMIT_MS, signal)).language;
  }

  /** A language named in the request must be installed. English replaces others, with the error that names them. */
  async #modelForPictures({
    code,
    source,
  }: PictureLanguage): Promise<{ model: RecognitionModel; missing: QuarryError | null }> {
    const { ocr } = this.#deps;
    try {
      return { model: await ocr.modelFor(code), missing: null };
    } catch (error) {
      const isMissing = error instanceof QuarryError && error.code === 'model_not_installed';
      if (!isMissing || source === 'request') throw error;
      return { model: await ocr.modelFor(DEFAULT_LANGUAGE), missing: error };
    }
  }

  /**
   * Runs one task. No task is heavy: each covers a range or a page, so a light task waits for one of them at most, and
   * all threads may work on a document.
   */
  #runPdfTask<Name extends TaskName>(
    task: Name,
    input: TaskMap[Name]['input'],
    timeLimitMs: number,
    signal: AbortSignal,
  ): Promise<TaskMap[Name]['output']> {
    return this.#deps.runTask(task, input, { signal, accountId: this.#job.accountId, timeLimitMs });
  }

  /** Returns a task's result from the work folder, or runs the task and keeps the result. */
  async #keptTaskResult<Value>(name: string, make: () => Promise<Value>): Promise<Value> {
    const path = this.#workFilePath(name);
    const known = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (known !== null) return parseOwnJson<Value>(known);
    const value = await make();
    await writeFile(`${path}.part`, JSON.stringify(value));
    await rename(`${path}.part`, path);
    return value;
  }

  #recognizedPath(model: RecognitionModel, number: number): string {
    return this.#workFilePath(recognizedName(model, number));
  }

  #workFilePath(name: string): string {
    return join(this.#job.workFolder, name);
  }

  #reportPdfProgress(percent: number, stage: string, message: Said): void {
    this.#job.progress({ percent, stage, message });
  }
}

/** The pages from `firstPage` on, divided evenly among the threads. */
function pageSpansOf(firstPage: number, endPage: number, threads: number): Span[] {
  const even = Math.ceil((endPage - firstPage) / (threads * RANGES_PER_THREAD));
  const step = Math.min(RANGE_PAGES_MAX, Math.max(FIRST_RANGE_PAGES, even));
  const spans: Span[] = [];
  for (let page = firstPage; page < endPage; page += step) spans.push({ firstPage: page, pageCount: step });
  return spans;
}

/** The usual script of a language, as ISO 15924 names it. */
function scriptOf(language: string): string | undefined {
  try {
    return new Intl.Locale(language.replaceAll('_', '-')).maximize().script;
  } catch {
    // A malformed tag has no script.
    return undefined;
  }
}

function recognizedName({ name }: RecognitionModel, number: number): string {
  return `recognized-${name}-${number}.json`;
}

function isLegible({ confidence }: RecognizedPage): boolean {
  return confidence === null || confidence >= CONFIDENCE_MIN;
}

/** Pages that were read as English because nothing says otherwise, though their words are hardly English. */
function recognitionDoubtsOf({ pages }: Recognition, { source }: PictureLanguage): Said[] {
  const doubtful = source === 'default' ? pages.filter((page) => !isLegible(page)) : [];
  if (doubtful.length === 0) return [];
  const where = pageNumbersListed(doubtful.map(({ number }) => number));
  return [
    say`Nothing states the document's language. Its pictures were read as English, with doubt on ${where}.
      If they are in another language, send the document again with \`language\`.`,
  ];
}

function pageNumbersListed(pages: readonly number[]): string {
  const shown = pages.slice(0, LISTED_PAGES_MAX).join(', ');
  const more = pages.length - LISTED_PAGES_MAX;
  return `${pages.length === 1 ? 'page' : 'pages'} ${shown}${more > 0 ? ` and ${more} more` : ''}`;
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
  return new QuarryError('corrupt_input', say`No page of the PDF could be read. Send an intact copy.`);
}

function tooMuchText(): QuarryError {
  return new QuarryError(
    'source_too_large',
    say`The PDF contains more text than a job may return. Split it into parts.`,
  );
}
