import { QuarryError } from '../../../src-server/platform/errors.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import type { BoundedModule } from '../wasm-memory.ts';
import { choosePaper, onPaper } from './paper.ts';

/** A picture that recognition reads as a file: PNG, JPEG, GIF, BMP, JPEG 2000, TIFF with one frame, or PGM. */
export type Frame = () => Promise<Uint8Array>;

/** A picture is decoded whole before it is scaled. */
const DECODED_PIXELS_MAX = 100_000_000;

const WHITE = 255;

/** Bound on the memory of a decoder in bytes: four per pixel, twice. */
export const DECODER_MEMORY_MAX_BYTES = 1024 * 1024 * 1024;

/** Errors: `source_too_large`, `corrupt_input` for an empty picture. */
export function checkSize(width: number, height: number): void {
  if (!(width > 0) || !(height > 0)) throw damagedImage('no pixels');
  if (width * height > DECODED_PIXELS_MAX) {
    throw tooManyPixels();
  }
}

function tooManyPixels(cause?: unknown): QuarryError {
  return new QuarryError('source_too_large', say`The image has too many pixels. Send a smaller one.`, { cause });
}

export function damagedImage(cause: unknown): QuarryError {
  return new QuarryError('corrupt_input', say`The image is damaged or of an unknown format. Send a PNG or JPEG.`, {
    cause,
  });
}

interface ColourPixels {
  width: number;
  height: number;
  /** Red, green, blue and opacity. */
  data: Uint8Array | Uint8ClampedArray;
  /** Bytes of a row. */
  stride?: number;
}

/** Runs a decoder whose memory is bounded. Errors: `source_too_large`, `corrupt_input`, and those of `work`. */
export async function runBoundedDecoder<Result>(bounded: BoundedModule, work: () => Promise<Result>): Promise<Result> {
  bounded.takeRefusal();
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof QuarryError) throw cause;
    throw bounded.takeRefusal() ? tooManyPixels(cause) : damagedImage(cause);
  }
}

/** A greyscale PGM file from colours, on a paper on which they are seen. */
export function greyFile({ width, height, data, stride = width * 4 }: ColourPixels): Uint8Array {
  const header = Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1');
  const file = new Uint8Array(header.length + width * height);
  file.set(header);
  const pixelByteOffset = (pixel: number) => Math.floor(pixel / width) * stride + (pixel % width) * 4;
  const greyAt = (pixel: number) => greyOf(data, pixelByteOffset(pixel));
  const opacityAt = (pixel: number) => data[pixelByteOffset(pixel) + 3] ?? WHITE;
  const paper = choosePaper({ width, height, greyAt, opacityAt });
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    file[header.length + pixel] = onPaper(greyAt(pixel), opacityAt(pixel), paper);
  }
  return file;
}

function greyOf(data: ColourPixels['data'], at: number): number {
  return 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
}
