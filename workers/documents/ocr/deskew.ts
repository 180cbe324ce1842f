/**
 * Deskewing. Tesseract drops or misreads lines that rise or fall by more than about a degree, with high confidence in
 * the rest. The skew is the angle at which the edges of letters form the sharpest rows (projection profile).
 */

import { type GreyImage, interpolatePixel, WHITE } from './grey-image.ts';
import type { Ink, InkPiece } from './ink.ts';

/** Degrees. Lines that lean more run down the picture. */
const SKEW_MAX = 45;

/** Steps in degrees: the rows of a page smear by less than a letter at the first, by a pixel or two at the last. */
const STEPS = [0.5, 0.1, 0.02] as const;

/** Degrees. Tesseract reads smaller skews as well as level lines, and rotating blurs letters a little. */
const SKEW_MIN = 0.4;

/** How much sharper the rows must be than on the level picture. */
const GAIN_MIN = 1.12;

/** Fewer edges are no page of text. */
const EDGES_MIN = 120;

/** More edges are thinned evenly. */
const EDGES_MAX = 5000;

/** Irrational steps, which spread over a pixel evenly. */
const GOLDEN = 0.618_033_988_7;

const SQUARE_ROOT = 0.414_213_562_4;

const RADIANS = Math.PI / 180;

/** Edge places along (`x`) and across (`y`) the lines. */
interface Edges {
  along: number[];
  across: number[];
}

/**
 * The skew in degrees, clockwise positive; 0 for a level picture or one without lines of text. Lines may run across or
 * down the picture.
 */
export function estimateSkew(ink: Ink, letters: readonly InkPiece[]): number {
  const level = findSharpestAngle(edgesOf(ink, letters, false));
  const standing = findSharpestAngle(edgesOf(ink, letters, true));
  const best = level.sharpness >= standing.sharpness ? level : standing;
  if (Math.abs(best.angle) < SKEW_MIN || best.gain < GAIN_MIN || Math.abs(best.angle) >= SKEW_MAX) return 0;
  return best === level ? best.angle : -best.angle;
}

/** Ink whose neighbour below (or to the right) is paper, within the letters. */
function edgesOf({ width, dark }: Ink, letters: readonly InkPiece[], standing: boolean): Edges {
  const edges: Edges = { along: [], across: [] };
  const area = letters.reduce((sum, { left, top, right, bottom }) => sum + (right - left) * (bottom - top), 0);
  // About every sixth pixel of a letter's box is an edge.
  const thin = Math.max(1, Math.round(area / 6 / EDGES_MAX));
  let seen = 0;
  for (const { left, top, right, bottom } of letters) {
    for (let row = top; row < bottom; row += 1) {
      for (let column = left; column < right; column += 1) {
        const at = row * width + column;
        if (dark[at] === 0) continue;
        const isEnd = standing
          ? column + 1 >= right || dark[at + 1] === 0
          : row + 1 >= bottom || dark[at + width] === 0;
        if (!isEnd) continue;
        seen += 1;
        if (seen % thin !== 0) continue;
        // Whole pixels would line up at 45 degrees.
        edges.along.push((standing ? row : column) + ((seen * GOLDEN) % 1));
        edges.across.push((standing ? column : row) + ((seen * SQUARE_ROOT) % 1));
      }
    }
  }
  return edges;
}

/** The angle with the sharpest rows. `sharpness`: beside the mean of all angles. `gain`: beside the level picture. */
function findSharpestAngle(edges: Edges): { angle: number; sharpness: number; gain: number } {
  if (edges.along.length < EDGES_MIN) return { angle: 0, sharpness: 0, gain: 0 };
  const level = rowsSharpness(edges, 0);
  let angle = 0;
  let best = level;
  let sum = 0;
  let count = 0;
  let [from, to] = [-SKEW_MAX, SKEW_MAX];
  for (const step of STEPS) {
    const steps = Math.round((to - from) / step);
    for (let index = 0; index <= steps; index += 1) {
      const at = from + index * step;
      const value = rowsSharpness(edges, at);
      if (step === STEPS[0]) {
        sum += value;
        count += 1;
      }
      if (value > best) [angle, best] = [at, value];
    }
    [from, to] = [angle - step, angle + step];
  }
  return { angle, sharpness: best / (sum / count), gain: best / level };
}

/** Sum of the squared differences between neighbouring rows, turned by an angle. */
function rowsSharpness({ along, across }: Edges, degrees: number): number {
  const [sine, cosine] = [Math.sin(degrees * RADIANS), Math.cos(degrees * RADIANS)];
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const places = new Float64Array(along.length);
  for (let index = 0; index < along.length; index += 1) {
    const place = (across[index] ?? 0) * cosine - (along[index] ?? 0) * sine;
    places[index] = place;
    low = Math.min(low, place);
    high = Math.max(high, place);
  }
  const counts = new Float64Array(Math.ceil(high - low) + 2);
  for (const place of places) {
    const row = Math.floor(place - low);
    counts[row] = (counts[row] ?? 0) + 1;
  }
  let sharpness = 0;
  for (let row = 1; row < counts.length; row += 1) sharpness += ((counts[row] ?? 0) - (counts[row - 1] ?? 0)) ** 2;
  return sharpness;
}

/** Turns boxes of the level picture back to the picture as it is shown. */
export type MapBox = (box: [number, number, number, number]) => [number, number, number, number];

/**
 * The picture turned by `-degrees` about its middle, on a sheet that holds all of it, and the way back. A box goes back
 * by its middle and keeps its size: the corners of a long flat box would reach into the lines above and below.
 */
export function deskewImage(image: GreyImage, degrees: number): { image: GreyImage; mapBox: MapBox } {
  const [sine, cosine] = [Math.sin(degrees * RADIANS), Math.cos(degrees * RADIANS)];
  const { width, height } = image;
  const wide = Math.ceil(width * cosine + height * Math.abs(sine));
  const high = Math.ceil(height * cosine + width * Math.abs(sine));
  const samples = new Uint8Array(wide * high).fill(WHITE);
  for (let row = 0; row < high; row += 1) {
    const down = row + 0.5 - high / 2;
    // The place in the picture of the first pixel of the row; each further pixel is a step of cosine and sine.
    let x = (0.5 - wide / 2) * cosine - down * sine + width / 2 - 0.5;
    let y = (0.5 - wide / 2) * sine + down * cosine + height / 2 - 0.5;
    for (let at = row * wide; at < (row + 1) * wide; at += 1) {
      if (x > -1 && y > -1 && x < width && y < height) samples[at] = interpolatePixel(image, x, y);
      x += cosine;
      y += sine;
    }
  }
  const mapBox: MapBox = ([left, top, right, bottom]) => {
    const [across, down] = [(left + right) / 2 - wide / 2, (top + bottom) / 2 - high / 2];
    const [middleX, middleY] = [across * cosine - down * sine + width / 2, across * sine + down * cosine + height / 2];
    const [halfWidth, halfHeight] = [(right - left) / 2, (bottom - top) / 2];
    return [
      clampPlace(middleX - halfWidth, width),
      clampPlace(middleY - halfHeight, height),
      clampPlace(middleX + halfWidth, width),
      clampPlace(middleY + halfHeight, height),
    ];
  };
  return { image: { ...image, width: wide, height: high, samples }, mapBox };
}

function clampPlace(place: number, end: number): number {
  return Math.round(Math.min(end, Math.max(0, place)));
}
