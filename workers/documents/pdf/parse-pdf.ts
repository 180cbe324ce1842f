import { rename, writeFile } from 'node:fs/promises';
import type { PDFDocument, PDFPage } from 'mupdf';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import type { ParsePdfInput, ParsePdfOutput, TaskContext } from '../../tasks.ts';
import { type AnalyzeOptions, analyzePage } from './analyze-page.ts';
import { readFacts } from './document-facts.ts';
import { tookTooMuchMemory } from './mupdf.ts';
import { withPdf } from './open-pdf.ts';
import type { PdfPage } from './page-content.ts';

const STAGE = 'extracting';

/**
 * Reads the text layer of a range of pages into `pagesPath`. A damaged page is left out and named.
 * Errors: `corrupt_input`, `encrypted_input`, `unsupported_media`, `source_too_large`, `out_of_memory`, `cancelled`.
 */
export async function parsePdf(input: ParsePdfInput, context: TaskContext): Promise<ParsePdfOutput> {
  const { pages, ...output } = await withPdf(input.sourcePath, (document, pageCount) =>
    readRange(document, pageCount, input, context),
  );
  // Written beside and renamed, so that a file of this name is always a whole one: an interrupted job goes on from it.
  await writeFile(`${input.pagesPath}.part`, JSON.stringify(pages));
  await rename(`${input.pagesPath}.part`, input.pagesPath);
  return output;
}

function readRange(
  document: PDFDocument,
  pageCount: number,
  input: ParsePdfInput,
  context: TaskContext,
): ParsePdfOutput & { pages: PdfPage[] } {
  const end = Math.min(pageCount, input.firstPage + input.pageCount);
  const pages: PdfPage[] = [];
  const recognize: number[] = [];
  const damaged: number[] = [];
  let characters = 0;
  let tooLarge = false;
  for (let index = input.firstPage; index < end; index += 1) {
    context.signal.throwIfAborted();
    const number = index + 1;
    const read = readPage(document, { number, includeComments: input.includeComments });
    if (read === null) {
      damaged.push(number);
      tooLarge ||= tookTooMuchMemory();
    } else {
      pages.push(read.page);
      characters += charactersOf(read.page);
      if (read.needsRecognition) recognize.push(number);
    }
    const done = index + 1 - input.firstPage;
    context.progress((done / (end - input.firstPage)) * 100, STAGE, `Read page ${number} of ${pageCount}`);
  }
  return { facts: readFacts(document, pageCount), recognize, damaged, tooLarge, characters, pages };
}

function readPage(document: PDFDocument, options: AnalyzeOptions): ReturnType<typeof analyzePage> | null {
  let page: PDFPage | null = null;
  try {
    page = document.loadPage(options.number - 1) as PDFPage;
    return analyzePage(page, options);
  } catch (error) {
    if (error instanceof QuarryError) throw error;
    return null;
  } finally {
    page?.destroy();
  }
}

function charactersOf(page: PdfPage): number {
  let characters = 0;
  for (const part of page.parts) {
    if (part.kind === 'lines') for (const line of part.lines) characters += line.text.length;
    else for (const row of part.rows) for (const cell of row) characters += cell.length;
  }
  return characters;
}
