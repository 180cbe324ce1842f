/** All text of a page that is not read from its picture. */
import type { PDFPage } from 'mupdf';
import { type DrawnText, readDrawnText } from './drawn-text.ts';
import { bodySizeOf } from './headings.ts';
import { hasMeaning } from './meaning.ts';
import type { Box, PageLine } from './page-content.ts';
import { type RawPage, readLines } from './read-lines.ts';

/** Height of a line's box in font sizes; a box that is larger both ways belongs to slanted text and is mostly empty. */
const LINE_HEIGHT_SIZES_MAX = 3;

export interface PageText {
  raw: RawPage;
  drawn: DrawnText;
  /** Places of the text that has a meaning: nothing is recognised there. */
  known: Box[];
}

/** Errors: those of readLines. */
export function readPageText(page: PDFPage): PageText {
  const raw = readLines(page);
  const drawn = readDrawnText(page, bodySizeOf(raw.lines));
  const known = [...raw.lines.filter(isUpright), ...drawn.lines].filter(({ text }) => hasMeaning(text));
  return { raw, drawn, known };
}

function isUpright({ left, top, right, bottom, size }: PageLine): boolean {
  return Math.min(right - left, bottom - top) <= LINE_HEIGHT_SIZES_MAX * size;
}
