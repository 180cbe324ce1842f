import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import type { PDFDocument, PDFObject } from 'mupdf';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { type Said, say } from '../../../src-server/platform/text/say.ts';
import { MIB } from '../../../src-server/platform/units.ts';
import { boundedModule } from '../wasm-memory.ts';

/**
 * Opens a PDF, passes it to `work` and frees its memory. MuPDF reads the file in pieces. Errors: `corrupt_input`,
 * `encrypted_input`, `source_too_large`, `out_of_memory`, and the errors of `work`.
 */
export async function withPdf<Result>(
  path: string,
  work: (document: PDFDocument, pageCount: number) => Result | Promise<Result>,
  password?: string,
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
    const opened = openPdfStream(stream, password);
    document = opened;
    return await work(opened, countPages(opened));
  } catch (error) {
    throw tookTooMuchMemory() ? new QuarryError('out_of_memory', TOO_MUCH_MEMORY, { cause: error }) : error;
  } finally {
    document?.destroy();
    stream.destroy();
    mupdf.emptyStore();
    closeSync(file);
  }
}

function openPdfStream(stream: InstanceType<typeof mupdf.Stream>, password: string | undefined): PDFDocument {
  const document = orDamagedPdf(() => mupdf.Document.openDocument(stream, 'application/pdf'));
  if (!(document instanceof mupdf.PDFDocument)) {
    document.destroy();
    throw new QuarryError('unsupported_media', say`The file content is not a PDF. Send it with its actual type.`);
  }
  if (document.needsPassword() && (password === undefined || document.authenticatePassword(password) === 0)) {
    document.destroy();
    throw new QuarryError('encrypted_input', password === undefined ? NEEDS_PASSWORD : WRONG_PASSWORD);
  }
  return document;
}

const NEEDS_PASSWORD = say`The PDF needs a password. Send it with the file as \`options.password\`.`;

const WRONG_PASSWORD = say`The password does not open the PDF. Check it, capitals included, and send the file again.`;

function countPages(document: PDFDocument): number {
  const held = orDamagedPdf(() => correctCounts(document));
  const pages = Math.max(
    held > PAGES_MAX ? held : 0,
    orDamagedPdf(() => document.countPages()),
  );
  if (pages < 1) throw damagedPdf(say`The PDF has no readable pages. It may be truncated: send the complete file.`);
  if (pages > PAGES_MAX) {
    throw new QuarryError(
      'source_too_large',
      say`The PDF has ${pages} pages, more than ${PAGES_MAX}. Split it into parts.`,
    );
  }
  return pages;
}

/**
 * Corrects the counts in the page tree, by which MuPDF finds pages: those beyond a count that is too small would be
 * lost. Returns the number of pages, or one above the bound.
 */
function correctCounts(document: PDFDocument): number {
  const counted = new Map<number, number>();
  let pages = 0;
  const count = (node: PDFObject, depth: number): number => {
    const kids = node.isDictionary() ? node.get('Kids') : null;
    if (kids === null || !kids.isArray()) {
      pages += 1;
      return 1;
    }
    if (depth > TREE_DEPTH_MAX) return 0;
    const number = node.isIndirect() ? node.asIndirect() : 0;
    const known = counted.get(number);
    if (known !== undefined) return known;
    // A node that is inside itself holds nothing more.
    if (number > 0) counted.set(number, 0);
    let sum = 0;
    for (let at = 0; at < kids.length && pages <= PAGES_MAX; at += 1) sum += count(kids.get(at), depth + 1);
    if (number > 0) counted.set(number, sum);
    const stated = node.get('Count');
    if (pages <= PAGES_MAX && !(stated.isNumber() && stated.asNumber() === sum)) node.put('Count', sum);
    return sum;
  };
  const root = document.getTrailer().get('Root').get('Pages');
  return root.isDictionary() ? count(root, 0) : 0;
}

function orDamagedPdf<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw damagedPdf(say`The PDF is damaged and could not be opened. Send an intact copy.`, error);
  }
}

function damagedPdf(message: Said, cause?: unknown): QuarryError {
  return new QuarryError('corrupt_input', message, { cause });
}

export const TOO_MUCH_MEMORY = say`A page of the PDF needs more memory than one job may have. Simplify it or split the
  PDF.`;

// MuPDF, one instance per thread, with bounded memory; repair messages go to counters instead of the console.

/** Messages about colour profiles, which are not used. */
const HARMLESS = /ICC/i;

const binary = readFileSync(new URL('mupdf-wasm.wasm', import.meta.resolve('mupdf')));

/** Bound on the pages of a document. */
const PAGES_MAX = 2000;

/** Bound on the depth of its page tree. */
const TREE_DEPTH_MAX = 200;

/** Bound on a page's structured text as JSON: about fifty times a very dense page. */
export const PAGE_JSON_CHARS_MAX = 64_000_000;

/** Bound on the lines that are sorted and searched for tables; a page with more keeps the file's order. */
export const STRUCTURED_LINES_MAX = 5000;

/** Bound on the text ranges of one annotation. */
export const MARKED_STRETCHES_MAX = 100;

/** MuPDF's WASM memory in one thread. Its caches shrink near the bound. */
const MUPDF_MEMORY_MAX_BYTES = 640 * MIB;

const bounded = boundedModule(binary, MUPDF_MEMORY_MAX_BYTES);

globalThis.$libmupdf_wasm_Module = bounded;

/** The library; the package supplies the types. */
export const mupdf = await import('mupdf');

// Text and greyscale need no colour profiles, whose setup takes a quarter of opening a small PDF.
mupdf.disableICC();

let complained = false;

mupdf.setLog((message) => {
  if (!HARMLESS.test(message)) complained = true;
});

/** Whether MuPDF hit its memory bound since the last call. */
export const tookTooMuchMemory = (): boolean => bounded.takeRefusal();

/** Whether MuPDF repaired damage since the last call. */
export function metDamage(): boolean {
  const did = complained;
  complained = false;
  return did;
}

/** Bound on the pixels of a page rendered for recognition. */
export const RASTER_PIXELS_MAX = 25_000_000;

/** Bound on the form fields and annotations read per page. */
export const PAGE_EXTRAS_MAX = 2000;

/** Bound on the outline entries used for headings. */
export const OUTLINE_ENTRIES_MAX = 5000;
