import { MIB } from '../../../src-server/platform/units.ts';

/** Pages one document may have. */
export const PAGES_MAX = 2000;
/** Characters of one page's structured text as MuPDF writes it out: some fifty times a very dense page. */
export const PAGE_JSON_CHARS_MAX = 64_000_000;
/** Lines of one page that are put in order and searched for tables; a page beyond it keeps the order of the file. */
export const STRUCTURED_LINES_MAX = 5000;
/** Stretches of text that one annotation may mark. */
export const MARKED_STRETCHES_MAX = 100;
/** WASM memory of MuPDF in one thread. Its own caches give way when it comes near. */
export const MUPDF_MEMORY_MAX_BYTES = 640 * MIB;
/** Pixels of a page that is rendered for recognition. */
export const RASTER_PIXELS_MAX = 25_000_000;
/** Form fields and annotations read from one page. */
export const PAGE_EXTRAS_MAX = 2000;
/** Entries of an outline that are used for headings. */
export const OUTLINE_ENTRIES_MAX = 5000;
