import { readFile, stat } from 'node:fs/promises';
import type { Device, Image, Matrix } from 'mupdf';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { tell } from '../../src-server/platform/text/say.ts';
import { KIB, MIB } from '../../src-server/platform/units.ts';
import { pictureOfIcon } from './images/icon-file.ts';
import { writeWebp } from './images/write-webp.ts';
import { mupdf, withPdf } from './pdf/open-pdf.ts';
import type { DrawCoverInput, DrawnCover } from './tasks.ts';

const [WIDTH, HEIGHT] = [320, 240];

const BYTES_MAX = 20 * KIB;

/** Threat: a small file can hold a picture of many gigabytes. It is decoded whole. */
const PIXELS_MAX = 60_000_000;

const FILE_MAX_BYTES = 64 * MIB;

/**
 * Draws the top of a page, the middle of a picture, or icon and first screen of a site, as a small WebP of 4:3. `webp`
 * is null for what cannot be told apart in 20 kB, and for a site of which nothing can be drawn. Errors:
 * `source_too_large`, `corrupt_input`, and those of withPdf.
 */
export async function drawCover(input: DrawCoverInput): Promise<DrawnCover> {
  const pixels = await drawPixels(input);
  if (pixels === null) return { webp: null };
  return { webp: await writeWebp({ data: pixels, width: WIDTH, height: HEIGHT }, BYTES_MAX) };
}

async function drawPixels(input: DrawCoverInput): Promise<Uint8ClampedArray | null> {
  if (input.kind === 'pdf') return drawFirstPage(input.path);
  return input.kind === 'site' ? drawSite(input) : drawPicture(input.path);
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
      throw new QuarryError('corrupt_input', tell`The first page is damaged and cannot be drawn.`, { cause });
    } finally {
      page.destroy();
    }
  });
}

/** Errors: `source_too_large`, `corrupt_input`. */
async function drawPicture(path: string): Promise<Uint8ClampedArray> {
  const bytes = await readBounded(path);
  return withPictures([bytes], ([image]) => {
    if (image === undefined) throw new Error('One picture is open.');
    const [width, height] = [image.getWidth(), image.getHeight()];
    const scale = Math.max(WIDTH / width, HEIGHT / height);
    const [drawnWidth, drawnHeight] = [width * scale, height * scale];
    const place: Matrix = [drawnWidth, 0, 0, drawnHeight, (WIDTH - drawnWidth) / 2, (HEIGHT - drawnHeight) / 2];
    return drawnPixels((device) => device.fillImage(image, place, 1));
  });
}

/** Height of the bar above a first screen, with the icon. The window writes the name of the site into it. */
const BAR = 24;

const BAR_ICON = 16;

const LONE_ICON = 72;

/** A light grey, in the bar and around a lone icon. */
const BAR_LEVEL = 0.92;

/** Null where nothing can be drawn. Of two parts, a damaged one is left out. */
async function drawSite({
  iconPath,
  screenPath,
}: DrawCoverInput & { kind: 'site' }): Promise<Uint8ClampedArray | null> {
  const icon = iconPath === null ? null : await readBounded(iconPath).then(pictureOfIcon);
  const screen = screenPath === null ? null : await readBounded(screenPath);
  const usableIcon = icon !== null && canBeDrawn(icon) ? icon : null;
  const pixels = screen === null ? null : drawScreen(screen, usableIcon);
  if (pixels !== null && !isBlank(pixels)) return pixels;
  return usableIcon === null ? null : drawLoneIcon(usableIcon);
}

function drawScreen(screen: Uint8Array, icon: Uint8Array | null): Uint8ClampedArray {
  return withPictures(icon === null ? [screen] : [screen, icon], ([image, mark]) => {
    if (image === undefined) throw new Error('The first screen is open.');
    const height = (image.getHeight() * WIDTH) / image.getWidth();
    return drawnPixels((device) => {
      device.fillImage(image, [WIDTH, 0, 0, height, 0, BAR], 1);
      fillBar(device, BAR);
      if (mark !== undefined) fillWithin(device, mark, { x: 6, y: (BAR - BAR_ICON) / 2, side: BAR_ICON });
    });
  });
}

function drawLoneIcon(icon: Uint8Array): Uint8ClampedArray {
  return withPictures([icon], ([mark]) =>
    drawnPixels((device) => {
      fillBar(device, HEIGHT);
      const place = { x: (WIDTH - LONE_ICON) / 2, y: (HEIGHT - LONE_ICON) / 2, side: LONE_ICON };
      if (mark !== undefined) fillWithin(device, mark, place);
    }),
  );
}

function fillBar(device: Device, height: number): void {
  const bar = new mupdf.Path();
  bar.rect(0, 0, WIDTH, height);
  device.fillPath(bar, false, mupdf.Matrix.identity, mupdf.ColorSpace.DeviceRGB, [BAR_LEVEL, BAR_LEVEL, BAR_LEVEL], 1);
  bar.destroy();
}

/** A picture of any shape in the middle of a square. */
function fillWithin(device: Device, image: Image, { x, y, side }: { x: number; y: number; side: number }): void {
  const scale = side / Math.max(image.getWidth(), image.getHeight());
  const [width, height] = [image.getWidth() * scale, image.getHeight() * scale];
  device.fillImage(image, [width, 0, 0, height, x + (side - width) / 2, y + (side - height) / 2], 1);
}

/** Whether a page shows nothing below its bar. */
function isBlank(rgba: Uint8ClampedArray): boolean {
  const below = rgba.subarray(BAR * WIDTH * 4);
  return below.every((level, at) => level === below[at % 4]);
}

function canBeDrawn(bytes: Uint8Array): boolean {
  try {
    return withPictures([bytes], ([image]) => image !== undefined && image.getWidth() > 1);
  } catch {
    return false;
  }
}

/** Errors: `source_too_large`, of what is not read at all. */
async function readBounded(path: string): Promise<Uint8Array> {
  if ((await stat(path)).size > FILE_MAX_BYTES) throw tooLarge();
  return readFile(path);
}

function tooLarge(): QuarryError {
  return new QuarryError('source_too_large', tell`The picture is too large for a cover.`);
}

/** Opens pictures while `draw` runs. Errors: `source_too_large`, `corrupt_input`. */
function withPictures<Value>(pictures: readonly Uint8Array[], draw: (images: Image[]) => Value): Value {
  const images: Image[] = [];
  try {
    for (const bytes of pictures) {
      const image = new mupdf.Image(bytes);
      images.push(image);
      if (image.getWidth() * image.getHeight() > PIXELS_MAX) throw tooLarge();
    }
    return draw(images);
  } catch (cause) {
    if (cause instanceof QuarryError) throw cause;
    throw new QuarryError('corrupt_input', tell`The picture is damaged and cannot be drawn.`, { cause });
  } finally {
    for (const image of images) image.destroy();
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
