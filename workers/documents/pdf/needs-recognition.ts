/** Whether a page's text must be read from its picture: there is none, or what there is means nothing. */
import type { PDFPage } from 'mupdf';
import { mupdf } from './mupdf.ts';
import type { RawPage } from './read-lines.ts';

/** Fewer letters than this is a page number or a stamp, not the text of a page. */
export const LETTERS_MIN = 20;
/** Share of the page that images must cover to count as a scan. */
const SCAN_COVERAGE = 0.5;
/** Share of glyphs without a meaning from which a text layer counts as broken. */
const BROKEN_SHARE = 0.3;
/** Resolution at which a page without text is looked at for ink. */
const PROBE_DPI = 36;
/** Share of dark pixels that text or drawings leave on a page; less is an empty page with specks. */
const INK_SHARE_MIN = 0.002;
const DARK = 160;
const PROBE_PIXELS_MAX = 4_000_000;

export function countLetters(page: RawPage): number {
  let letters = 0;
  for (const line of page.lines) letters += line.text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return letters;
}

/** Replacement characters and private-use ones: glyphs that the file does not say the meaning of. */
export function isBrokenLayer(page: RawPage): boolean {
  let meaningless = 0;
  let all = 0;
  for (const line of page.lines) {
    all += line.text.match(/\S/gu)?.length ?? 0;
    meaningless += line.text.match(/[\uFFFD\p{Co}\p{Cn}]/gu)?.length ?? 0;
  }
  return all >= LETTERS_MIN && meaningless / all >= BROKEN_SHARE;
}

export function needsRecognition(page: PDFPage, raw: RawPage, letters: number): boolean {
  if (isBrokenLayer(raw)) return true;
  if (letters >= LETTERS_MIN) return false;
  return imageCoverage(page, raw) >= SCAN_COVERAGE || inkShare(page) >= INK_SHARE_MIN;
}

function imageCoverage(page: PDFPage, raw: RawPage): number {
  const [left, top, right, bottom] = page.getBounds();
  const pageArea = Math.max(1, (right - left) * (bottom - top));
  let covered = 0;
  for (const image of raw.images) {
    const width = Math.min(image.right, right) - Math.max(image.left, left);
    const height = Math.min(image.bottom, bottom) - Math.max(image.top, top);
    covered += Math.max(0, width) * Math.max(0, height);
  }
  return covered / pageArea;
}

/** Text that was turned into curves, or a scan in many small pieces, shows only when the page is drawn. */
function inkShare(page: PDFPage): number {
  const [left, top, right, bottom] = page.getBounds();
  const scale = PROBE_DPI / 72;
  const pixels = (right - left) * (bottom - top) * scale * scale;
  if (!(pixels >= 1) || pixels > PROBE_PIXELS_MAX) return 0;
  const pixmap = page.toPixmap([scale, 0, 0, scale, 0, 0], mupdf.ColorSpace.DeviceGray, false, true);
  try {
    const samples = pixmap.getPixels();
    let dark = 0;
    for (const sample of samples) if (sample < DARK) dark += 1;
    return dark / Math.max(1, samples.length);
  } finally {
    pixmap.destroy();
  }
}
