/** A greyscale picture, one byte per pixel, rows from the top. */
export interface GreyImage {
  width: number;
  height: number;
  samples: Uint8Array | Uint8ClampedArray;
  /** Resolution by which tesseract judges sizes. */
  dotsPerInch: number;
}
