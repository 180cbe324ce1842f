import { readFile, stat } from 'node:fs/promises';
import type { Device, Matrix } from 'mupdf';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { KIB, MIB } from '../../src-server/platform/units.ts';
import { writeWebp } from './images/write-webp.ts';
import { mupdf, withPdf } from './pdf/open-pdf.ts';
import type { DrawCoverInput, DrawnCover } from './tasks.ts';

const [WIDTH, HEIGHT] = [320, 240];

const BYTES_MAX = 20 * KIB;

/** Threat: a small file can hold a picture of many gigabytes. It is decoded whole. */
const PIXELS_MAX = 60_000_000;

const FILE_MAX_BYTES = 64 * MIB;

/**
 * Draws the top of a page, or the middle of a picture, as a small WebP of 4:3. `webp` is null for what cannot be told
 * apart in 20 kB. Errors: `source_too_large`, `corrupt_input`, and those of withPdf.
 */
export async function drawCover({ path, kind }: DrawCoverInput): Promise<DrawnCover> {
  const pixels = kind === 'pdf' ? await drawFirstPage(path) : await drawPicture(path);
  return { webp: await writeWebp({ data: pixels, width: WIDTH, height: HEIGHT }, BYTES_MAX) };
}

function drawFirstPage(path: string): Promise<Uint8ClampedArray> {
  return withPdf(path, (document) => {
    const page = document.loadPage(0);
    try {
      const [left, top, right, bottom] = page.getBounds();
      const [width, height] = [Math.max(1, right - left), Math.max(1, bottom - top)];
      const scale = Math.max(WIDTH / width, HEIGHT / height);
      const beside = (WIDTH - width * scale) / 2;
      return drawnPixels((device) => page.run(device, [scale, 0, 0, scale, beside - left * scale, -top * scale]));
    } catch (cause) {
      throw new QuarryError('corrupt_input', 'The first page is damaged and cannot be drawn.', { cause });
    } finally {
      page.destroy();
    }
  });
}

/** Errors: `source_too_large`, `corrupt_input`. */
async function drawPicture(path: string): Promise<Uint8ClampedArray> {
  const tooLarge = new QuarryError('source_too_large', 'The picture is too large for a cover.');
  if ((await stat(path)).size > FILE_MAX_BYTES) throw tooLarge;
  const bytes = await readFile(path);
  try {
    const image = new mupdf.Image(bytes);
    try {
      const [width, height] = [image.getWidth(), image.getHeight()];
      if (width * height > PIXELS_MAX) throw tooLarge;
      const scale = Math.max(WIDTH / width, HEIGHT / height);
      const [drawnWidth, drawnHeight] = [width * scale, height * scale];
      const place: Matrix = [drawnWidth, 0, 0, drawnHeight, (WIDTH - drawnWidth) / 2, (HEIGHT - drawnHeight) / 2];
      return drawnPixels((device) => device.fillImage(image, place, 1));
    } finally {
      image.destroy();
    }
  } catch (cause) {
    if (cause instanceof QuarryError) throw cause;
    throw new QuarryError('corrupt_input', 'The picture is damaged and cannot be drawn.', { cause });
  } finally {
    mupdf.emptyStore();
  }
}

/** RGBA of what is drawn on white. */
function drawnPixels(draw: (device: Device) => void): Uint8ClampedArray {
  const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceRGB, [0, 0, WIDTH, HEIGHT], false);
  try {
    pixmap.clear(255);
    const device = new mupdf.DrawDevice(mupdf.Matrix.identity, pixmap);
    try {
      draw(device);
      device.close();
    } finally {
      device.destroy();
    }
    return opaque(pixmap.getPixels(), pixmap.getStride());
  } finally {
    pixmap.destroy();
  }
}

function opaque(rgb: Uint8ClampedArray, stride: number): Uint8ClampedArray {
  const rgba = new Uint8ClampedArray(WIDTH * HEIGHT * 4).fill(255);
  for (let row = 0; row < HEIGHT; row += 1) {
    for (let column = 0; column < WIDTH; column += 1) {
      const from = row * stride + column * 3;
      rgba.set(rgb.subarray(from, from + 3), (row * WIDTH + column) * 4);
    }
  }
  return rgba;
}
