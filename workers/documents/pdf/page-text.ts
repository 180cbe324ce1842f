/** The text of a page except what is recognised from its picture. */

import type { Matrix, PDFPage, Text } from 'mupdf';
import { type DrawnText, readDrawnText } from './annotations.ts';
import { meaninglessTexts } from './meaning.ts';
import { mupdf } from './open-pdf.ts';
import type { Box, PageLine } from './page-content.ts';
import { bodySizeOf } from './paragraphs.ts';
import { type RawPage, readLines } from './read-lines.ts';

/** Largest height of a line's box in font sizes; a box larger in both directions is slanted text and mostly empty. */
const LINE_HEIGHT_SIZES_MAX = 3;

export interface PageText {
  raw: RawPage;
  drawn: DrawnText;
  /** Boxes of meaningful text, which recognition skips. */
  known: Box[];
}

/** Errors: those of readLines. */
export function readPageText(page: PDFPage): PageText {
  const raw = readLines(page);
  const drawn = readDrawnText(page, bodySizeOf(raw.lines));
  const upright = [...raw.lines.filter(isUpright), ...drawn.lines];
  const meaningless = meaninglessTexts(upright.map(({ text }) => text));
  const known = upright.filter(({ text }) => !meaningless.has(text));
  return { raw, drawn, known };
}

function isUpright({ left, top, right, bottom, size }: PageLine): boolean {
  return Math.min(right - left, bottom - top) <= LINE_HEIGHT_SIZES_MAX * size;
}

/** Finds the text layer of a scan: text that is invisible or covered by a picture. */
const CODE_POINT_MAX = 0x10ffff;

const LETTER = /[\p{L}\p{N}]/u;

type Point = readonly [x: number, y: number];

export function hasHiddenText(page: PDFPage): boolean {
  let isHidden = false;
  const painted: Point[] = [];
  const device = new mupdf.Device({
    ignoreText(text, matrix) {
      if (!isHidden) isHidden = glyphOrigins(text, matrix).length > 0;
    },
    fillText(text, matrix) {
      if (!isHidden) for (const place of glyphOrigins(text, matrix)) painted.push(place);
    },
    fillImage(_image, matrix) {
      const [left, top, right, bottom] = mupdf.Rect.transform([0, 0, 1, 1], matrix);
      isHidden ||= painted.some(([x, y]) => x > left && x < right && y > top && y < bottom);
    },
  });
  try {
    page.runPageContents(device, mupdf.Matrix.identity);
    device.close();
  } finally {
    device.destroy();
  }
  return isHidden;
}

/** Origins of the letters and digits. */
function glyphOrigins(text: Text, matrix: Matrix): Point[] {
  const places: Point[] = [];
  text.walk({
    showGlyph(_font, glyphMatrix, _glyph, character) {
      if (character < 0 || character > CODE_POINT_MAX || !LETTER.test(String.fromCodePoint(character))) return;
      const [, , , , x, y] = mupdf.Matrix.concat(glyphMatrix, matrix);
      places.push([x, y]);
    },
  });
  return places;
}
