/** A greyscale picture, one byte per pixel, rows from the top. */
export interface GreyImage {
  width: number;
  height: number;
  samples: Uint8Array | Uint8ClampedArray;
  /** Resolution by which tesseract judges sizes. */
  dotsPerInch: number;
}

export const WHITE = 255;

/** The level at a place between four pixels (bilinear). Outside of the picture is white. */
export function interpolatePixel({ width, height, samples }: GreyImage, x: number, y: number): number {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const [right, below] = [x - column, y - row];
  const at = row * width + column;
  const isInside = column >= 0 && row >= 0 && column + 1 < width && row + 1 < height;
  if (!isInside) {
    const nearest = Math.min(height - 1, Math.max(0, row)) * width + Math.min(width - 1, Math.max(0, column));
    return samples[nearest] ?? WHITE;
  }
  const upper = (samples[at] ?? 0) * (1 - right) + (samples[at + 1] ?? 0) * right;
  const lower = (samples[at + width] ?? 0) * (1 - right) + (samples[at + width + 1] ?? 0) * right;
  return Math.round(upper * (1 - below) + lower * below);
}
