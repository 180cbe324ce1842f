import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import type { PDFDocument } from 'mupdf';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { MIB } from '../../../src-server/platform/units.ts';
import { boundedModule } from '../wasm-memory.ts';

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

/** MuPDF, one instance for each thread, with a ceiling on its memory and silent about what it mends. */

/** Complaints about colour profiles, which are not used. */
const HARMLESS = /ICC/i;

const binary = readFileSync(new URL('mupdf-wasm.wasm', import.meta.resolve('mupdf')));

/** Pages one document may have. */
const PAGES_MAX = 2000;

/** Characters of one page's structured text as MuPDF writes it out: some fifty times a very dense page. */
export const PAGE_JSON_CHARS_MAX = 64_000_000;

/** Lines of one page that are put in order and searched for tables; a page beyond it keeps the order of the file. */
export const STRUCTURED_LINES_MAX = 5000;

/** Stretches of text that one annotation may mark. */
export const MARKED_STRETCHES_MAX = 100;

/** WASM memory of MuPDF in one thread. Its own caches give way when it comes near. */
const MUPDF_MEMORY_MAX_BYTES = 640 * MIB;

const bounded = boundedModule(binary, MUPDF_MEMORY_MAX_BYTES);

globalThis.$libmupdf_wasm_Module = bounded;

/** The library; its types come from the package. */
export const mupdf = await import('mupdf');

// Text and shades of grey need no colour profiles, and setting them up is a quarter of what opening a small PDF costs.
mupdf.disableICC();

let complained = false;

mupdf.setLog((message) => {
  if (!HARMLESS.test(message)) complained = true;
});

/** Whether MuPDF ran into its memory ceiling since this was last asked. */
export const tookTooMuchMemory = (): boolean => bounded.takeRefusal();

/** Whether MuPDF met something damaged and went on, since this was last asked. */
export function metDamage(): boolean {
  const did = complained;
  complained = false;
  return did;
}

/** Pixels of a page that is rendered for recognition. */
export const RASTER_PIXELS_MAX = 25_000_000;

/** Form fields and annotations read from one page. */
export const PAGE_EXTRAS_MAX = 2000;

/** Entries of an outline that are used for headings. */
export const OUTLINE_ENTRIES_MAX = 5000;
