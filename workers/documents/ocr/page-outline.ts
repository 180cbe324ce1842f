/**
 * The outline of a page on a table, as a camera sees it: four straight edges (Hough transform) at which the picture
 * gets brighter to the inside. It is searched on a small picture whose letters are filled with paper.
 */

import type { Corners, Place } from './perspective.ts';
import { distance } from './perspective.ts';

interface SmallPicture {
  width: number;
  height: number;
  samples: Uint8Array;
}

/** Longer side of the picture on which the outline is searched, about. */
const SIDE_PIXELS = 320;

/** Letters and rules are thinner than twice as many pixels of it. */
const LETTER_PIXELS = 3;

/** Degrees by which an edge may lean from upright or level. */
const LEAN_MAX = 36;

/** Degrees between the edge and what its own pixels say. */
const LEAN_TOLERANCE = 12;

/** Ratio of brightness, as a difference of logarithms over two pixels, from which a pixel is at an edge. */
const EDGE_MIN = 0.12;

/** A pixel at a harder edge counts no more. */
const EDGE_MAX = 0.35;

/** Lines that are tried for each side. */
const LINES_MAX = 6;

/** Lines nearer than this (pixels) are the same, if their lean is too (degrees). */
const SAME_PIXELS = 5;

const SAME_DEGREES = 4;

/** Share of each side of the outline, and of all of them, that must be edge. */
const SIDE_SEEN_MIN = 0.55;

const SEEN_MIN = 0.75;

/** Share of the picture that a page covers at least. */
const AREA_MIN = 0.12;

/** Degrees by which a side must lean: a level rectangle is a window of a screen, and needs no levelling. */
const LEANING_MIN = 0.4;

/** What is cut off inside the edges, as a share: the shadow and the blur of the edge. */
const INSET = 0.006;

const RADIANS = Math.PI / 180;

/** `across`: the edge goes from left to right. `inside`: 1 if the page is right of or below it, -1 if left or above. */
interface Side {
  across: boolean;
  inside: 1 | -1;
}

const SIDES = [
  { across: true, inside: 1 },
  { across: false, inside: -1 },
  { across: true, inside: -1 },
  { across: false, inside: 1 },
] as const satisfies readonly Side[];

/** The line `main = offset + rise * other`; the main axis is y for an edge that goes across. */
interface FittedLine {
  offset: number;
  rise: number;
}

interface Line extends FittedLine {
  degrees: number;
  votes: number;
}

/** The corners of the page in a picture, in its pixels; null if there is no page with four edges in it. */
export function findPageOutline(picture: SmallPicture): Corners | null {
  const reduced = Math.max(1, Math.round(Math.max(picture.width, picture.height) / SIDE_PIXELS));
  const small = fillLetters(averageSquares(picture, reduced));
  if (small.width < SIDE_PIXELS / 8 || small.height < SIDE_PIXELS / 8) return null;
  const slopes = slopesOf(small);
  const lines = SIDES.map((side) => linesOf(slopes, side));
  const best = bestOutline(slopes, lines);
  if (best === null) return null;
  return insetCorners(fitCorners(slopes, best)).map(
    ([x, y]): Place => [x * reduced, y * reduced],
  ) as unknown as Corners;
}

function averageSquares({ width, height, samples }: SmallPicture, reduced: number): SmallPicture {
  const [columns, rows] = [Math.floor(width / reduced), Math.floor(height / reduced)];
  const small = new Uint8Array(columns * rows);
  for (let at = 0; at < small.length; at += 1) {
    const start = Math.floor(at / columns) * reduced * width + (at % columns) * reduced;
    let sum = 0;
    for (let row = 0; row < reduced; row += 1) {
      for (let column = 0; column < reduced; column += 1) sum += samples[start + row * width + column] ?? 0;
    }
    small[at] = sum / (reduced * reduced);
  }
  return { width: columns, height: rows, samples: small };
}

/** Closing: the brightest of the neighbours, then the darkest of these. */
function fillLetters(picture: SmallPicture): SmallPicture {
  return filterNeighbours(filterNeighbours(picture, Math.max), Math.min);
}

function filterNeighbours({ width, height, samples }: SmallPicture, choose: typeof Math.max): SmallPicture {
  let from = samples;
  for (const isAcross of [true, false]) {
    const to = new Uint8Array(from.length);
    const [step, size] = isAcross ? [1, width] : [width, height];
    for (let at = 0; at < from.length; at += 1) {
      const place = isAcross ? at % width : Math.floor(at / width);
      const end = Math.min(LETTER_PIXELS, size - 1 - place);
      let level = from[at] ?? 0;
      for (let away = -Math.min(LETTER_PIXELS, place); away <= end; away += 1) {
        level = choose(level, from[at + away * step] ?? 0);
      }
      to[at] = level;
    }
    from = to;
  }
  return { width, height, samples: from };
}

/** How the logarithm of the brightness rises to the right and down, so that light and shade count alike. */
interface Slopes {
  width: number;
  height: number;
  right: Float32Array;
  down: Float32Array;
}

const LOGARITHMS = Float32Array.from({ length: 256 }, (_, level) => Math.log(level + 10));

function slopesOf({ width, height, samples }: SmallPicture): Slopes {
  const right = new Float32Array(samples.length);
  const down = new Float32Array(samples.length);
  const log = (at: number) => LOGARITHMS[samples[at] ?? 0] ?? 0;
  for (let row = 1; row < height - 1; row += 1) {
    for (let at = row * width + 1; at < (row + 1) * width - 1; at += 1) {
      const [upperLeft, upperRight] = [log(at - width - 1), log(at - width + 1)];
      const [lowerLeft, lowerRight] = [log(at + width - 1), log(at + width + 1)];
      right[at] = (upperRight - upperLeft + 2 * (log(at + 1) - log(at - 1)) + lowerRight - lowerLeft) / 4;
      down[at] = (lowerLeft - upperLeft + 2 * (log(at + width) - log(at - width)) + lowerRight - upperRight) / 4;
    }
  }
  return { width, height, right, down };
}

/** The strongest lines of a side. */
function linesOf({ width, height, right, down }: Slopes, { across, inside }: Side): Line[] {
  const reach = Math.ceil(width + height);
  const angles = 2 * LEAN_MAX + 1;
  const votes = new Float32Array(angles * reach * 2);
  for (let at = 0; at < right.length; at += 1) {
    const main = (across ? (down[at] ?? 0) : (right[at] ?? 0)) * inside;
    if (main < EDGE_MIN) continue;
    const other = (across ? (right[at] ?? 0) : (down[at] ?? 0)) * inside;
    const lean = -Math.atan2(other, main) / RADIANS;
    const [x, y] = [at % width, Math.floor(at / width)];
    const [place, along] = across ? [y, x] : [x, y];
    const from = Math.max(-LEAN_MAX, Math.ceil(lean - LEAN_TOLERANCE));
    const to = Math.min(LEAN_MAX, Math.floor(lean + LEAN_TOLERANCE));
    for (let degrees = from; degrees <= to; degrees += 1) {
      const offset = Math.round(place - Math.tan(degrees * RADIANS) * along) + reach;
      const cell = (degrees + LEAN_MAX) * reach * 2 + offset;
      votes[cell] = (votes[cell] ?? 0) + Math.min(EDGE_MAX, main);
    }
  }
  return strongestLines(votes, reach, across ? width : height);
}

function strongestLines(votes: Float32Array, reach: number, length: number): Line[] {
  const found: Line[] = [];
  // A line that is seen over a fifth of the picture.
  const votesMin = (length / 5) * EDGE_MIN;
  const candidates: Line[] = [];
  for (let cell = 0; cell < votes.length; cell += 1) {
    const count = votes[cell] ?? 0;
    if (count < votesMin) continue;
    const degrees = Math.floor(cell / (reach * 2)) - LEAN_MAX;
    const offset = (cell % (reach * 2)) - reach;
    candidates.push({ offset, degrees, rise: Math.tan(degrees * RADIANS), votes: count });
  }
  candidates.sort((a, b) => b.votes - a.votes);
  const placeAt = ({ offset, rise }: Line, along: number) => offset + rise * along;
  for (const line of candidates) {
    if (found.length === LINES_MAX) break;
    const isKnown = found.some(
      (other) =>
        Math.abs(line.degrees - other.degrees) < SAME_DEGREES &&
        Math.abs(placeAt(line, length / 2) - placeAt(other, length / 2)) < SAME_PIXELS,
    );
    if (!isKnown) found.push(line);
  }
  return found;
}

function bestOutline(slopes: Slopes, [tops, rights, bottoms, lefts]: readonly Line[][]): Corners | null {
  let best: { corners: Corners; score: number } | null = null;
  for (const top of tops ?? []) {
    for (const bottom of bottoms ?? []) {
      for (const left of lefts ?? []) {
        for (const right of rights ?? []) {
          const corners: Corners = [
            crossing(top, left),
            crossing(top, right),
            crossing(bottom, right),
            crossing(bottom, left),
          ];
          const score = outlineScore(slopes, corners);
          if (score > (best?.score ?? 0)) best = { corners, score };
        }
      }
    }
  }
  return best === null ? null : best.corners;
}

/** Pixels within which a side's edge is looked for once more. */
const FITTED_PIXELS = 4;

/** The corners of the lines that fit the edges best: those of the search are whole degrees. */
function fitCorners(slopes: Slopes, corners: Corners): Corners {
  const [top, right, bottom, left] = SIDES.map((side, index) =>
    fitLine(edgePlaces(slopes, side, corners[index] as Place, corners[(index + 1) % 4] as Place), side),
  ) as [FittedLine, FittedLine, FittedLine, FittedLine];
  const fitted: Corners = [crossing(top, left), crossing(top, right), crossing(bottom, right), crossing(bottom, left)];
  const isNear = fitted.every((place, index) => distance(place, corners[index] as Place) < 3 * FITTED_PIXELS);
  return isNear && isConvex(fitted) ? fitted : corners;
}

/** The steepest place near each place of a side. */
function edgePlaces({ width, height, down, right }: Slopes, { across, inside }: Side, from: Place, to: Place): Place[] {
  const places: Place[] = [];
  const rises = across ? down : right;
  const steps = Math.round(distance(from, to));
  // The corners themselves are blurred by the other side.
  for (let step = FITTED_PIXELS; step <= steps - FITTED_PIXELS; step += 1) {
    const x = Math.round(from[0] + ((to[0] - from[0]) * step) / steps);
    const y = Math.round(from[1] + ((to[1] - from[1]) * step) / steps);
    let sum = 0;
    let weight = 0;
    for (let aside = -FITTED_PIXELS; aside <= FITTED_PIXELS; aside += 1) {
      const [column, row] = across ? [x, y + aside] : [x + aside, y];
      if (column < 0 || row < 0 || column >= width || row >= height) continue;
      const rise = Math.min(EDGE_MAX, (rises[row * width + column] ?? 0) * inside);
      if (rise < EDGE_MIN) continue;
      sum += rise * (across ? row : column);
      weight += rise;
    }
    if (weight > 0) places.push(across ? [x, sum / weight] : [sum / weight, y]);
  }
  return places;
}

/** Least squares, a second time without the half that fits worse. */
function fitLine(places: readonly Place[], { across }: Side): FittedLine {
  const points = places.map(([x, y]): Place => (across ? [x, y] : [y, x]));
  const first = leastSquares(points);
  const missBy = ([along, place]: Place) => Math.abs(place - first.offset - first.rise * along);
  return leastSquares(points.toSorted((a, b) => missBy(a) - missBy(b)).slice(0, Math.ceil(points.length / 2)));
}

function leastSquares(points: readonly Place[]): FittedLine {
  const count = Math.max(1, points.length);
  const [meanAlong, mean] = [0, 1].map(
    (axis) => points.reduce((sum, point) => sum + (point[axis] ?? 0), 0) / count,
  ) as [number, number];
  let [product, square] = [0, 0];
  for (const [along, place] of points) {
    product += (along - meanAlong) * (place - mean);
    square += (along - meanAlong) ** 2;
  }
  const rise = square === 0 ? 0 : product / square;
  return { offset: mean - rise * meanAlong, rise };
}

/** Where a line across meets one down the picture. */
function crossing(across: FittedLine, down: FittedLine): Place {
  const [rise, lean] = [across.rise, down.rise];
  const x = (down.offset + lean * across.offset) / (1 - rise * lean);
  return [x, across.offset + rise * x];
}

/** Share of the outline that is edge, more for larger pages; 0 for what is no page. */
function outlineScore(slopes: Slopes, corners: Corners): number {
  const { width, height } = slopes;
  if (!corners.every(([x, y]) => x >= -2 && y >= -2 && x <= width + 1 && y <= height + 1)) return 0;
  const area = signedArea(corners) / (width * height);
  if (area < AREA_MIN || !isConvex(corners)) return 0;
  let seen = 0;
  let isLeaning = false;
  for (const [index, side] of SIDES.entries()) {
    const [from, to] = [corners[index] as Place, corners[(index + 1) % 4] as Place];
    const share = seenShare(slopes, side, from, to);
    if (share < SIDE_SEEN_MIN) return 0;
    seen += share / 4;
    const [along, aside] = side.across ? [to[0] - from[0], to[1] - from[1]] : [to[1] - from[1], to[0] - from[0]];
    if (Math.abs(aside) > Math.abs(along) * Math.tan(LEANING_MIN * RADIANS)) isLeaning = true;
  }
  return isLeaning && seen >= SEEN_MIN ? seen * seen * Math.sqrt(area) : 0;
}

function signedArea(corners: Corners): number {
  return corners.reduce((sum, [x, y], index) => {
    const [nextX, nextY] = corners[(index + 1) % 4] as Place;
    return sum + (x * nextY - nextX * y) / 2;
  }, 0);
}

function isConvex(corners: Corners): boolean {
  return corners.every(([x, y], index) => {
    const [[x1, y1], [x2, y2]] = [corners[(index + 1) % 4] as Place, corners[(index + 2) % 4] as Place];
    return (x1 - x) * (y2 - y1) - (y1 - y) * (x2 - x1) > 0;
  });
}

/** Share of a side along which the picture gets brighter to the inside. */
function seenShare(slopes: Slopes, { across, inside }: Side, from: Place, to: Place): number {
  const { width, height } = slopes;
  const steps = Math.max(8, Math.round(distance(from, to) / 2));
  const rises = across ? slopes.down : slopes.right;
  let seen = 0;
  for (let step = 0; step <= steps; step += 1) {
    const share = step / steps;
    const x = Math.round(from[0] + (to[0] - from[0]) * share);
    const y = Math.round(from[1] + (to[1] - from[1]) * share);
    for (let aside = -2; aside <= 2; aside += 1) {
      const [column, row] = across ? [x, y + aside] : [x + aside, y];
      if (column < 0 || row < 0 || column >= width || row >= height) continue;
      if ((rises[row * width + column] ?? 0) * inside < EDGE_MIN) continue;
      seen += 1;
      break;
    }
  }
  return seen / (steps + 1);
}

/** Each corner nearer to the middle. */
function insetCorners(corners: Corners): Place[] {
  const [middleX, middleY] = [0, 1].map((axis) => corners.reduce((sum, place) => sum + (place[axis] ?? 0) / 4, 0));
  return corners.map(([x, y]) => [
    x + 0.5 + ((middleX ?? 0) - x) * 2 * INSET,
    y + 0.5 + ((middleY ?? 0) - y) * 2 * INSET,
  ]);
}
