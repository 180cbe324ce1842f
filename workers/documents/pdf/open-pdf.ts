import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { PDFDocument } from 'mupdf';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { PAGES_MAX } from './limits.ts';
import { mupdf, tookTooMuchMemory } from './mupdf.ts';

/**
 * Opens a PDF, hands it to `work`, and gives its memory back. The file is read piece by piece as MuPDF asks for it.
 * Errors: `corrupt_input`, `encrypted_input`, `source_too_large`, `out_of_memory`, and what `work` throws.
 */
export async function withPdf<Result>(
  path: string,
  work: (document: PDFDocument, pageCount: number) => Result | Promise<Result>,
): Promise<Result> {
  const file = openSync(path, 'r');
  const stream = new mupdf.Stream({
    fileSize: () => fstatSync(file).size,
    read: (memory, offset, length, position) => readSync(file, memory, offset, length, position),
    close: () => {},
  });
  let document: PDFDocument | null = null;
  tookTooMuchMemory();
  try {
    const opened = open(stream);
    document = opened;
    return await work(opened, countPages(opened));
  } catch (error) {
    throw tookTooMuchMemory() ? tooMuchMemory(error) : error;
  } finally {
    document?.destroy();
    stream.destroy();
    mupdf.emptyStore();
    closeSync(file);
  }
}

function open(stream: InstanceType<typeof mupdf.Stream>): PDFDocument {
  const document = attempt(() => mupdf.Document.openDocument(stream, 'application/pdf'));
  if (!(document instanceof mupdf.PDFDocument)) {
    document.destroy();
    throw new QuarryError('unsupported_media', 'The file is not a PDF inside. Send it as what it is.');
  }
  if (document.needsPassword()) {
    document.destroy();
    throw new QuarryError('encrypted_input', 'The PDF needs a password. Remove the password and send it again.');
  }
  return document;
}

function countPages(document: PDFDocument): number {
  const pages = attempt(() => document.countPages());
  if (pages < 1) throw damaged('The PDF has no pages that could be read. It may be cut off: send it again whole.');
  if (pages > PAGES_MAX) {
    throw new QuarryError(
      'source_too_large',
      `The PDF has ${pages} pages, more than ${PAGES_MAX}. Split it into parts.`,
    );
  }
  return pages;
}

function attempt<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw damaged('The PDF is damaged and could not be opened. Send an intact copy.', error);
  }
}

function damaged(message: string, cause?: unknown): QuarryError {
  return new QuarryError('corrupt_input', message, { cause });
}

function tooMuchMemory(cause: unknown): QuarryError {
  const message = 'A page of the PDF needs more memory than one job may have. Simplify it or split the PDF.';
  return new QuarryError('out_of_memory', message, { cause });
}
