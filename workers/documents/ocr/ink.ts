/**
 * The ink of a picture and its pieces (connected components), at a resolution at which letters are some pixels high. It
 * is found without the recogniser, so that the recogniser's result can be judged by it.
 */

import type { GreyImage } from './grey-image.ts';

/** One byte per pixel: 1 is ink. */
export interface Ink {
  width: number;
  height: number;
  dark: Uint8Array;
  /** Pixels of the picture per pixel of the ink. */
  reduced: number;
}

/** Longer side of the ink, about. A page at 200 dpi is halved, and small letters of ten points are 7 pixels high. */
const INK_SIDE_PIXELS = 1200;

/** Side of a tile of the background. A letter is smaller, a shadow larger. */
export const TILE_PIXELS = 32;

/** Grey levels between paper and ink; less is noise, paper grain or the blur of JPEG. */
const CONTRAST_MIN = 48;

/** The paper is dark if the middle grey level is below. */
const DARK_PAPER = 110;

const LEVELS = 256;

/** Ink is what is much darker than the paper around it, or brighter on dark paper. */
export function findInk({ width, height, samples, reduced }: ReducedImage): Ink {
  const grey = isDarkPaper(samples) ? samples.map((level) => LEVELS - 1 - level) : samples;
  const dark = new Uint8Array(width * height);
  for (let top = 0; top < height; top += TILE_PIXELS) {
    for (let left = 0; left < width; left += TILE_PIXELS) {
      markDark({ grey, dark, width }, [
        left,
        top,
        Math.min(width, left + TILE_PIXELS),
        Math.min(height, top + TILE_PIXELS),
      ]);
    }
  }
  return { width, height, dark, reduced };
}

/** Marks the ink of a tile. Its paper is its brightest level. */
function markDark(
  { grey, dark, width }: { grey: Uint8Array; dark: Uint8Array; width: number },
  [left, top, right, bottom]: readonly [number, number, number, number],
): void {
  let paper = 0;
  let darkest = LEVELS;
  for (let row = top; row < bottom; row += 1) {
    const end = row * width + right;
    for (let at = row * width + left; at < end; at += 1) {
      const level = grey[at] ?? 0;
      if (level > paper) paper = level;
      if (level < darkest) darkest = level;
    }
  }
  const limit = paper - CONTRAST_MIN;
  if (darkest > limit) return;
  for (let row = top; row < bottom; row += 1) {
    const end = row * width + right;
    for (let at = row * width + left; at < end; at += 1) if ((grey[at] ?? 0) <= limit) dark[at] = 1;
  }
}

/** A picture at the resolution of its ink. */
export interface ReducedImage {
  width: number;
  height: number;
  samples: Uint8Array;
  /** Pixels of the picture per pixel of this one. */
  reduced: number;
}

/** The picture with squares of pixels averaged. */
export function reduceImage({ width, height, samples }: GreyImage): ReducedImage {
  const reduced = Math.max(1, Math.round(Math.max(width, height) / INK_SIDE_PIXELS));
  if (reduced === 1) return { width, height, samples: Uint8Array.from(samples), reduced };
  const [columns, rows] = [Math.floor(width / reduced), Math.floor(height / reduced)];
  const grey = new Uint8Array(columns * rows);
  const sums = new Uint32Array(columns);
  for (let row = 0; row < rows; row += 1) {
    sums.fill(0);
    for (let line = row * reduced; line < (row + 1) * reduced; line += 1) {
      let at = line * width;
      for (let column = 0; column < columns; column += 1) {
        for (let next = 0; next < reduced; next += 1) sums[column] = (sums[column] ?? 0) + (samples[at + next] ?? 0);
        at += reduced;
      }
    }
    for (let column = 0; column < columns; column += 1) {
      grey[row * columns + column] = (sums[column] ?? 0) / (reduced * reduced);
    }
  }
  return { width: columns, height: rows, samples: grey, reduced };
}

/** Pixels between two that are looked at for the middle level. */
const SAMPLED_EVERY = 7;

/** Whether most of a picture is dark. */
export function isDarkPaper(grey: GreyImage['samples']): boolean {
  return greyLevelThreshold(grey) < DARK_PAPER;
}

function greyLevelThreshold(grey: GreyImage['samples']): number {
  const counts = new Uint32Array(LEVELS);
  let all = 0;
  for (let at = 0; at < grey.length; at += SAMPLED_EVERY) {
    counts[grey[at] ?? 0] = (counts[grey[at] ?? 0] ?? 0) + 1;
    all += 1;
  }
  let seen = 0;
  return counts.findIndex((count) => {
    seen += count;
    return seen * 2 >= all;
  });
}

/** A box in pixels of the ink. Right and bottom are outside. */
export interface InkPiece {
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** Dark pixels. */
  area: number;
}

/** Further pieces are not listed: so many are the grain of a photograph. */
const PIECES_MAX = 60_000;

/** Joined runs of dark pixels, eight neighbours each, in the order of their first pixel. */
export function connectedInkPieces({ width, height, dark }: Ink): InkPiece[] {
  const left = new Uint8Array(dark);
  const pieces: InkPiece[] = [];
  const open: number[] = [];
  for (let start = 0; start < left.length && pieces.length < PIECES_MAX; start += 1) {
    if (left[start] === 0) continue;
    const piece = { left: width, top: height, right: 0, bottom: 0, area: 0 };
    open.push(start);
    left[start] = 0;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [column, row] = [at % width, Math.floor(at / width)];
      piece.area += 1;
      piece.left = Math.min(piece.left, column);
      piece.right = Math.max(piece.right, column + 1);
      piece.top = Math.min(piece.top, row);
      piece.bottom = Math.max(piece.bottom, row + 1);
      for (let below = Math.max(0, row - 1); below <= Math.min(height - 1, row + 1); below += 1) {
        for (let beside = Math.max(0, column - 1); beside <= Math.min(width - 1, column + 1); beside += 1) {
          const next = below * width + beside;
          if (left[next] === 0) continue;
          left[next] = 0;
          open.push(next);
        }
      }
    }
    pieces.push(piece);
  }
  return pieces;
}

/** Height of letters and of words whose letters touch, in pixels of the ink. */
const LETTER_HEIGHT_MIN = 4;

const LETTER_HEIGHT_MAX = 90;

/** A wider piece is a rule, a frame or a drawing. */
const WIDTH_HEIGHTS_MAX = 14;

/** Share of its box that the ink of a letter or word fills: less is a frame, more a bar. */
const FILLED_MIN = 0.12;

const FILLED_MAX = 0.92;

/** The pieces that have the size and shape of letters or short words, lying or standing. */
export function lettersAmong(pieces: readonly InkPiece[]): InkPiece[] {
  return pieces.filter(({ left, top, right, bottom, area }) => {
    const [short, long] = [right - left, bottom - top].sort((a, b) => a - b) as [number, number];
    if (long < LETTER_HEIGHT_MIN || short > LETTER_HEIGHT_MAX || long > short * WIDTH_HEIGHTS_MAX) return false;
    const filled = area / (short * long);
    return filled >= FILLED_MIN && (filled <= FILLED_MAX || short * 4 >= long * 3 || short < LETTER_HEIGHT_MIN);
  });
}
