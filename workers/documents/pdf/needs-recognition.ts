/**
 * Whether a page is read from its picture as well. Text with a meaning stays as it is; recognition adds what pictures and
 * curves show where no text is, and replaces only text without a meaning.
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
  return (
    isFew && inkShare(page, grid, letters === 0 ? PageGrid.TEXT : PageGrid.TEXT | PageGrid.PICTURE) >= INK_SHARE_MIN
  );
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

/** Text that was turned into curves shows only when the page is drawn. `known`: kinds whose ink does not count. */
function inkShare(page: PDFPage, grid: PageGrid, known: number): number {
  const [left, top, right, bottom] = page.getBounds();
  const scale = PROBE_DPI / 72;
  const pixels = (right - left) * (bottom - top) * scale * scale;
  if (!(pixels >= 1) || pixels > PROBE_PIXELS_MAX) return 0;
  const pixmap = page.toPixmap([scale, 0, 0, scale, 0, 0], mupdf.ColorSpace.DeviceGray, false, true);
  try {
    const [width, height] = [pixmap.getWidth(), pixmap.getHeight()];
    let dark = 0;
    for (const [index, sample] of pixmap.getPixels().entries()) {
      if (sample >= DARK) continue;
      const place = grid.at((index % width) / width, Math.floor(index / width) / height);
      if ((place & known) === 0) dark += 1;
    }
    return dark / Math.max(1, width * height);
  } finally {
    pixmap.destroy();
  }
}
