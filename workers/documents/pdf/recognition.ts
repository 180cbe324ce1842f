/**
 * Whether a page is read from its picture as well. Text with a meaning stays as it is; recognition adds what pictures
 * and curves show where no text is, and replaces only text without a meaning.
 */
import type { PDFPage } from 'mupdf';
import { hasHiddenText } from './hidden-text.ts';
import { BROKEN_SHARE, countMeaningless, LETTERS_MIN, lettersIn } from './meaning.ts';
import { mupdf } from './mupdf.ts';
import type { Box } from './page-content.ts';
import { PageGrid } from './page-grid.ts';
import type { PageText } from './page-text.ts';
import type { RawPage } from './read-lines.ts';

/** Share of the page that pictures without text must cover: smaller ones are logos, icons and illustrations. */
const PICTURE_SHARE_MIN = 0.25;
const PICTURE_SHARE_MIN_OF_FEW_LETTERS = 0.05;
/** Share of the pictures that may have text over it: a stamp or a header on a scan, not a slide over its background. */
const COVERED_SHARE_MAX = 0.2;
/** Resolution at which a page with few letters is searched for ink. */
const PROBE_DPI = 36;
/** Share of dark pixels that text or drawings leave on a page; less is an empty page with specks. */
const INK_SHARE_MIN = 0.002;
/** Pieces of ink that a line of text in curves has beside text of the page; rules, frames and fills have a few. */
const INK_PIECES_MIN = 20;
const WHITE = 255;
const DARK = 160;
const PROBE_PIXELS_MAX = 4_000_000;

export function needsRecognition(page: PDFPage, { raw, known }: PageText): boolean {
  if (isBrokenLayer(raw)) return true;
  const letters = lettersIn(raw.lines.map(({ text }) => text));
  const grid = gridOf(page, raw, known);
  const pictures = grid.share(PageGrid.PICTURE);
  const bare = grid.share(PageGrid.PICTURE, PageGrid.TEXT);
  const isFew = letters < LETTERS_MIN;
  if (bare >= (isFew ? PICTURE_SHARE_MIN_OF_FEW_LETTERS : PICTURE_SHARE_MIN)) {
    if (pictures - bare <= COVERED_SHARE_MAX * pictures) return letters === 0 || !hasHiddenText(page);
  }
  if (!isFew) return false;
  const ink = inkOf(page, grid, letters === 0 ? PageGrid.TEXT : PageGrid.TEXT | PageGrid.PICTURE);
  return ink.share >= INK_SHARE_MIN && (letters === 0 || ink.pieces >= INK_PIECES_MIN);
}

function isBrokenLayer({ lines }: RawPage): boolean {
  let broken = 0;
  let whole = 0;
  for (const { text } of lines) {
    const { all, meaningless } = countMeaningless(text);
    whole += all;
    broken += meaningless;
  }
  return whole >= LETTERS_MIN && broken >= BROKEN_SHARE * whole;
}

function gridOf(page: PDFPage, { images }: RawPage, known: readonly Box[]): PageGrid {
  const [left, top, right, bottom] = page.getBounds();
  const grid = new PageGrid(right - left, bottom - top);
  for (const image of images) grid.mark(image, PageGrid.PICTURE);
  for (const box of known) grid.mark(grown(box), PageGrid.TEXT);
  return grid;
}

/** With the space around a line that belongs to it. */
function grown({ left, top, right, bottom }: Box): Box {
  const margin = Math.min(right - left, bottom - top) / 2;
  return { left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin };
}

/**
 * Text that was turned into curves shows only when the page is drawn. `known`: kinds whose ink does not count. Pieces
 * are counted by their upper left corners.
 */
function inkOf(page: PDFPage, grid: PageGrid, known: number): { share: number; pieces: number } {
  const [left, top, right, bottom] = page.getBounds();
  const scale = PROBE_DPI / 72;
  const area = (right - left) * (bottom - top) * scale * scale;
  if (!(area >= 1) || area > PROBE_PIXELS_MAX) return { share: 0, pieces: 0 };
  const pixmap = page.toPixmap([scale, 0, 0, scale, 0, 0], mupdf.ColorSpace.DeviceGray, false, true);
  try {
    const [width, height] = [pixmap.getWidth(), pixmap.getHeight()];
    const pixels = pixmap.getPixels();
    const isDark = (column: number, row: number) =>
      column >= 0 && row >= 0 && (pixels[row * width + column] ?? WHITE) < DARK;
    let dark = 0;
    let pieces = 0;
    for (let row = 0; row < height; row += 1) {
      for (let column = 0; column < width; column += 1) {
        if (!isDark(column, row) || (grid.at(column / width, row / height) & known) !== 0) continue;
        dark += 1;
        if (!isDark(column - 1, row) && !isDark(column, row - 1)) pieces += 1;
      }
    }
    return { share: dark / Math.max(1, width * height), pieces };
  } finally {
    pixmap.destroy();
  }
}
