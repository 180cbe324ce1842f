import type { PDFPage } from 'mupdf';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { countText } from '../../../src-server/platform/units.ts';
import type { DrawnPage, DrawPageInput } from '../tasks.ts';
import { mupdf, withPdf } from './open-pdf.ts';

/** Threat: a page can be a mile long. Bound on the pixels of its picture. */
const DRAWN_PIXELS_MAX = 4_000_000;

/**
 * Draws a page of a PDF in colour, for viewing. Errors: `not_found` for a missing page, those of withPdf, and
 * `corrupt_input`.
 */
export function drawPage({ path, page: number, widthPixels }: DrawPageInput): Promise<DrawnPage> {
  return withPdf(path, (document, pages) => {
    if (number > pages) throw new QuarryError('not_found', `The PDF has ${countText(pages, 'page')}.`);
    const page = document.loadPage(number - 1) as PDFPage;
    try {
      const [left, top, right, bottom] = page.getBounds();
      const [width, height] = [Math.max(1, right - left), Math.max(1, bottom - top)];
      const scale = Math.min(widthPixels / width, Math.sqrt(DRAWN_PIXELS_MAX / (width * height)));
      const pixmap = page.toPixmap([scale, 0, 0, scale, 0, 0], mupdf.ColorSpace.DeviceRGB, false, true);
      try {
        return { png: pixmap.asPNG().slice(), pages };
      } finally {
        pixmap.destroy();
      }
    } catch (cause) {
      throw new QuarryError('corrupt_input', say`Page ${number} of the PDF is damaged and cannot be drawn.`, { cause });
    } finally {
      page.destroy();
    }
  });
}
