import { readFile, rm } from 'node:fs/promises';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { parseOwnJson } from '../../../src-server/platform/own-json.ts';
import { type Said, say } from '../../../src-server/platform/text/say.ts';
import { type FileOptions, type FileParser, withTemporaryFile } from '../parts.ts';
import { RECOGNITION_LIMIT, recognitionFacts, recognizePage } from '../recognize-page.ts';
import type { ParsePdfOutput, RecognizedPage } from '../tasks.ts';
import { assembleDocument, withRecognizedText } from './assemble-pdf.ts';
import type { PdfPage } from './page-content.ts';
import { parsePdf } from './parse-pdf.ts';

/** Above the page limit of withPdf, which applies. */
const ALL_PAGES = 100_000;

/** A PDF inside another file, in one thread. Errors: those of parsePdf and of recognizePage. */
export const parseInnerPdf: FileParser = (bytes, options) =>
  withTemporaryFile(options, bytes, async (path) => {
    const { includeComments, task } = options;
    const pagesPath = `${path}.pages`;
    const access = omitUndefined({ password: options.password });
    const input = { sourcePath: path, firstPage: 0, pageCount: ALL_PAGES, includeComments, pagesPath, ...access };
    const output = await parsePdf(input, { ...task, progress: () => options.progress(0, say`Reading the PDF`) });
    const pages = parseOwnJson<PdfPage[]>(await readFile(pagesPath, 'utf8'));
    await rm(pagesPath);
    const warnings = innerPdfWarnings(output);
    const recognized = await recognizePages(path, output.recognize, warnings, options);
    const merged = pages.map((page) => {
      const text = recognized.find(({ number }) => number === page.number);
      return text === undefined ? page : withRecognizedText(page, text);
    });
    return {
      ...assembleDocument(merged, { facts: output.facts, includeComments, warnings, ledger: options.ledger }),
      ...omitUndefined({ ocr: recognized.length === 0 ? undefined : recognitionFacts(recognized, options) }),
    };
  });

async function recognizePages(path: string, numbers: readonly number[], warnings: Said[], options: FileOptions) {
  const recognized: RecognizedPage[] = [];
  for (const [index, number] of numbers.entries()) {
    options.signal.throwIfAborted();
    const page = await recognizePage(
      number,
      { kind: 'pdf-page', path, page: number, ...omitUndefined({ password: options.password }) },
      options,
    );
    if (page === null) {
      warnings.push(say`${numbers.length - index} scanned pages were not recognised. ${RECOGNITION_LIMIT}`);
      break;
    }
    recognized.push(page);
  }
  return recognized;
}

function innerPdfWarnings({ facts, damaged }: ParsePdfOutput): Said[] {
  const warnings: Said[] = [];
  if (facts.repaired) warnings.push(say`The file is damaged; only the recoverable part was read.`);
  if (damaged.length > 0) warnings.push(say`Damaged pages that could not be read: ${damaged.join(', ')}.`);
  return warnings;
}
