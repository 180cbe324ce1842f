import { QuarryError } from '../../../src-server/platform/errors.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { mupdf, RASTER_PIXELS_MAX, tookTooMuchMemory } from '../pdf/open-pdf.ts';
import { checkSize, damagedImage, type Frame } from './pixels.ts';

/** Scans state their resolution, so a frame has a size on paper, as a page of a PDF has. */
const PAGE_DPI = 200;

const POINTS_PER_INCH = 72;

const FRAMES_MAX = 500;

const WIDTH_TAG = 256;

const HEIGHT_TAG = 257;

const SHORT = 3;

/** The frames of a TIFF. Errors: `corrupt_input`, `source_too_large`. */
export function tiffFrames(bytes: Buffer): Frame[] {
  const sizes = frameSizes(bytes);
  if (sizes.length === 0) throw damagedImage('no directory');
  if (sizes.length === 1) return [async () => bytes];
  return sizes.map(({ width, height }, index) => async () => {
    checkSize(width, height);
    return drawFrame(bytes, index);
  });
}

interface Size {
  width: number;
  height: number;
}

/** A chain of directories lists the frames. Threat: a circular chain. */
function frameSizes(bytes: Buffer): Size[] {
  const isLittle = bytes.toString('latin1', 0, 2) === 'II';
  const readTiffShort = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const readTiffLong = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const sizes: Size[] = [];
  const seen = new Set<number>();
  let at = bytes.length >= 8 ? readTiffLong(4) : 0;
  while (at !== 0 && at + 2 <= bytes.length && !seen.has(at)) {
    seen.add(at);
    if (seen.size > FRAMES_MAX) {
      throw new QuarryError(
        'source_too_large',
        say`The image has more than ${FRAMES_MAX} frames. Split it into parts.`,
      );
    }
    const end = at + 2 + readTiffShort(at) * 12;
    if (end + 4 > bytes.length) break;
    const size = { width: 0, height: 0 };
    for (let entry = at + 2; entry < end; entry += 12) {
      const tag = readTiffShort(entry);
      if (tag !== WIDTH_TAG && tag !== HEIGHT_TAG) continue;
      const value = readTiffShort(entry + 2) === SHORT ? readTiffShort(entry + 8) : readTiffLong(entry + 8);
      if (tag === WIDTH_TAG) size.width = value;
      else size.height = value;
    }
    sizes.push(size);
    at = readTiffLong(end);
  }
  return sizes;
}

/** Draws a frame (from 0) as a PNG. */
function drawFrame(bytes: Buffer, index: number): Uint8Array {
  tookTooMuchMemory();
  try {
    const document = mupdf.Document.openDocument(bytes, 'image/tiff');
    try {
      const page = document.loadPage(index);
      try {
        const [left, top, right, bottom] = page.getBounds();
        const area = Math.max(1, (right - left) * (bottom - top));
        const scale = Math.min(PAGE_DPI / POINTS_PER_INCH, Math.sqrt(RASTER_PIXELS_MAX / area));
        const pixmap = page.toPixmap([scale, 0, 0, scale, 0, 0], mupdf.ColorSpace.DeviceGray, false, false);
        try {
          return pixmap.asPNG().slice();
        } finally {
          pixmap.destroy();
        }
      } finally {
        page.destroy();
      }
    } finally {
      document.destroy();
    }
  } catch (cause) {
    if (tookTooMuchMemory()) throw new QuarryError('source_too_large', say`The frame has too many pixels.`, { cause });
    throw damagedImage(cause);
  } finally {
    mupdf.emptyStore();
  }
}
