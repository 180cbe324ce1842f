import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AssemblePdfInput, ExtractDocumentOutput, RecognizedPage, TaskContext } from '../../tasks.ts';
import { finishDocument } from '../finish-document.ts';
import { assembleDocument } from './assemble.ts';
import type { PdfPage } from './page-content.ts';
import { withRecognizedText } from './recognized-page.ts';

const STAGE = 'assembling';
const READ_PERCENT = 50;
const CUT_PERCENT = 80;
/** One recognised page a line, with confidences and boxes. Only where pages were recognised. */
const OCR_FILE = 'ocr.jsonl';

/** Puts the pages together and writes the document's files. Errors: `cancelled`. */
export async function assemblePdf(input: AssemblePdfInput, context: TaskContext): Promise<ExtractDocumentOutput> {
  const { signal } = context;
  const recognized = new Map<number, RecognizedPage>();
  for (const path of input.recognizedPaths) {
    const page = await readJson<RecognizedPage>(path, signal);
    recognized.set(page.number, page);
  }
  if (recognized.size > 0) {
    const lines = [...recognized.values()].map((page) => `${JSON.stringify(page)}\n`);
    await writeFile(join(input.outputFolder, OCR_FILE), lines.join(''), { signal });
  }
  const pages: PdfPage[] = [];
  for (const path of input.pagesPaths) {
    for (const page of await readJson<PdfPage[]>(path, signal)) {
      const text = recognized.get(page.number);
      pages.push(text === undefined ? page : withRecognizedText(page, text));
    }
  }
  context.progress(READ_PERCENT, STAGE, 'Putting the pages together');
  const document = assembleDocument(pages, {
    facts: input.facts,
    includeComments: input.includeComments,
    warnings: [...warningsOf(input), ...input.warnings],
  });
  return finishDocument(document, input, () => {
    context.progress(CUT_PERCENT, STAGE, 'Cutting into chunks');
    signal.throwIfAborted();
  });
}

/** The files were written by this job's own tasks, so their shape is known. */
async function readJson<Value>(path: string, signal: AbortSignal): Promise<Value> {
  return JSON.parse(await readFile(path, { encoding: 'utf8', signal })) as Value;
}

function warningsOf({ facts, damagedPages }: AssemblePdfInput): string[] {
  const warnings: string[] = [];
  if (facts.repaired) warnings.push('The file is damaged; what could be recovered of it was read.');
  if (damagedPages.length > 0) warnings.push(`Damaged pages that could not be read: ${damagedPages.join(', ')}.`);
  return warnings;
}
